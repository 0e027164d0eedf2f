"""What a page makes of a service's error: a status, and the service's own sentence in the visitor's language."""

from __future__ import annotations

from dataclasses import dataclass

from google.rpc import error_details_pb2 as details
from grpc import StatusCode
from grpc.aio import AioRpcError
from grpc_status import rpc_status

from clients.console.language import Language

HTTP = {
    StatusCode.NOT_FOUND: 404,
    StatusCode.INVALID_ARGUMENT: 404,  # addresses hold nothing but ids and numbers
    StatusCode.FAILED_PRECONDITION: 409,
    StatusCode.UNAUTHENTICATED: 403,
    StatusCode.PERMISSION_DENIED: 403,
    StatusCode.UNAVAILABLE: 503,
    StatusCode.DEADLINE_EXCEEDED: 503,
    StatusCode.RESOURCE_EXHAUSTED: 503,
}
"""HTTP statuses by gRPC code; any other is 502."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error as it is shown. `reason` and `clause` are empty where the service gave none."""

    status: int
    reason: str
    clause: str
    message: str


def read(error: AioRpcError, language: Language) -> Refusal:
    """What stands in an error's details. Where a service is away, its channel's own words are left out."""
    info, words = details.ErrorInfo(), details.LocalizedMessage()
    messages: dict[str, str] = {}
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # it asks only what both kinds of call answer
    for detail in status.details if status is not None else ():
        if detail.Unpack(words):
            messages[words.locale.partition("-")[0]] = words.message
        else:
            detail.Unpack(info)
    message = messages.get(language.code) or (error.details() or "" if status is not None else "")
    return Refusal(HTTP.get(error.code(), 502), info.reason, info.metadata.get("clause", ""), message)
