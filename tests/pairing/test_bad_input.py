"""Whatever is sent to the RPCs of dealer, pairing, scoring and appeals, the answer is a typed refusal: never INTERNAL."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from grpc import StatusCode

from fupan.pairing.v1 import service_pb2 as pb
from services.access import RULES
from tests.cup import ARBITRATORS, CHIEF, Cup
from tests.platform import OPERATOR, STUBS, Caller, Platform
from tests.servers import SECONDS

WHO = {
    "operator": OPERATOR,
    "organiser": OPERATOR,
    "chief_referee": CHIEF,
    "arbitrator": ARBITRATORS[0],
    "player": "p-1",
    "public": "p-2",
    "anyone": "p-2",
    **{name: name for name in ("service:pairing", "service:table", "service:appeals", "service:scoring")},
}
"""Somebody for every word of the access table."""

WRONG = ("", "No Id", "x" * 41, "x" * 70_000, "\x00", "é", "9" * 5000, "²", "a b")
PLAUSIBLE = (
    "cup", "none", "r1-t1", "r1-t9", "p-1", "p-7", "1", "a-0", "round-1", "boards", "referee", "chief_referee", "operator",
    "2026-01-01T00:00:00Z", "9999-12-31T23:59:59+00:00", "@", "..", "TABLE-p1-0@1", "CNY", "UEFJUklORy1wMUAx", "reason",
)  # fmt: skip
NUMBERS = {
    FieldDescriptor.CPPTYPE_INT32: (0, 1, 2, -1, 2**31 - 1, -(2**31)),
    FieldDescriptor.CPPTYPE_UINT32: (0, 1, 2, 3, 600, 2**31, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (0, 1, -1, 2**63 - 1, -(2**63)),
    FieldDescriptor.CPPTYPE_UINT64: (0, 1, 2, 50_000, 2**63, 2**64 - 1),
}
EACH = 24
"""Requests an RPC."""

BYTES = (b"", b"x", bytes(32), bytes(600))


def anything(rng: random.Random, descriptor: Any, message: Any, depth: int = 0) -> Any:
    """Fill a message with what nobody should send; now and then a field is what it should be."""
    for field in descriptor.fields:
        if field.containing_oneof is not None and rng.random() < 0.7:
            continue
        if rng.random() < 0.15:
            continue
        if field.is_repeated:
            values = getattr(message, field.name)
            for _ in range(rng.choice((0, 1, 1, 3))):
                if field.message_type is not None:
                    anything(rng, field.message_type, values.add(), depth + 1)
                else:
                    values.append(scalar(rng, field))
        elif field.message_type is not None:
            getattr(message, field.name).SetInParent()
            anything(rng, field.message_type, getattr(message, field.name), depth + 1)
        else:
            setattr(message, field.name, scalar(rng, field))
    return message


def scalar(rng: random.Random, field: Any) -> Any:
    if field.name == "command_id":
        return rng.choice(("same", "", "a b")) if rng.random() < 0.1 else f"c{rng.random()}"
    if field.name == "championship" and rng.random() < 0.7:
        return "cup"
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        if field.type == FieldDescriptor.TYPE_BYTES:
            return rng.choice(BYTES)
        return rng.choice(WRONG if rng.random() < 0.06 else PLAUSIBLE)
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return rng.random() < 0.5
    return rng.choice(NUMBERS[field.cpp_type])


def methods(service: str) -> Sequence[Any]:
    """An RPC's descriptors."""
    module = __import__(f"fupan.{service}.v1.service_pb2", fromlist=["DESCRIPTOR"])
    found: Sequence[Any] = next(iter(module.DESCRIPTOR.services_by_name.values())).methods
    return found


@pytest.fixture
async def cup(platform: Platform) -> Cup:
    """A championship in which a round was played and an appeal is open."""
    await platform.start()
    made = await Cup.create(platform, entrants=6)
    await made.pair()
    await made.play(1)
    filed = await made.file(1)
    await made.pay(filed.appeal)
    return made


async def test_no_request_however_wrong_is_an_internal_error(platform: Platform, cup: Cup) -> None:
    rng = random.Random(20260501)
    codes: Counter[StatusCode] = Counter()
    for service in STUBS:
        for method in methods(service):
            for number in range(EACH):
                words = sorted(
                    RULES[f"/{method.containing_service.full_name}/{method.name}"].who & WHO.keys()
                )
                person = rng.choice([WHO[word] for word in words] * 3 + list(WHO.values()))
                caller = getattr(platform.of(person), service)
                request = anything(rng, method.input_type, method.input_type._concrete_class())
                code, details = await sent(caller, method, request)
                codes[code] += 1
                assert code not in (StatusCode.INTERNAL, StatusCode.UNKNOWN), (
                    f"{number} {person} {method.name} {details}\n{str(request)[:1000]}"
                )
    assert codes[StatusCode.OK] > 50, codes
    assert codes[StatusCode.INVALID_ARGUMENT] > 50, codes
    assert codes[StatusCode.FAILED_PRECONDITION] > 50, codes
    # Nothing has stopped or got stuck: the event goes on, unless it happened to be ended as it may be.
    told = await cup.boss.pairing.GetChampionship(pb.GetChampionshipRequest(championship="cup"))
    assert told.phase in ("running", "ended")


async def sent(caller: Caller, method: Any, request: Any) -> tuple[StatusCode, str]:
    """The code that a request is answered with."""
    what = iter([request, request]) if method.client_streaming else request
    try:
        call = getattr(caller, method.name)(what, timeout=SECONDS)
        if method.server_streaming:
            async with asyncio.timeout(SECONDS):
                await anext(aiter(call))
            call.cancel()
        else:
            await call
    except grpc.aio.AioRpcError as error:
        return error.code(), error.details() or ""
    except StopAsyncIteration:
        pass
    return StatusCode.OK, ""
