"""What a page makes of a service's error: a status, and the service's own sentence in the visitor's language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """An error as it is shown. `reason` and `clause` are empty where the service gave none; `fields`: what is wrong with a
    field of the request, by its path; `facts` help to repair the request."""

    status: int
    reason: str
    clause: str
    message: str
    fields: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """The sentence with the clause that it follows from."""
        return f"{self.message} ({self._left})" if self._left else self.message

    @property
    def cited(self) -> str:
        """What stands beside the sentence: the reason, and the clause where the sentence names none."""
        return f"{self.reason} {self._left}".strip()

    @property
    def _left(self) -> str:
        # A Chinese sentence names its clause already.
        return "" if f"（依据 {self.clause}）" in self.message else self.clause


def read(error: AioRpcError, language: Language) -> Refusal:
    """What stands in an error's details. Where a service is away, its channel's own words are left out."""
    info, words, bad = details.ErrorInfo(), details.LocalizedMessage(), details.BadRequest()
    messages: dict[str, str] = {}
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # it asks only what both kinds of call answer
    for detail in status.details if status is not None else ():
        if detail.Unpack(words):
            messages[words.locale.partition("-")[0]] = words.message
        elif not detail.Unpack(bad):
            detail.Unpack(info)
    facts = dict(info.metadata)
    fields = {
        one.field: language.pick(one.description, one.localized_message.message or one.description)
        for one in bad.field_violations
    }
    message = messages.get(language.code) or (error.details() or "" if status is not None else "")
    status_ = HTTP.get(error.code(), 502)
    return Refusal(status_, info.reason, facts.pop("clause", ""), message, fields, facts)
