"""Random and mutated requests of every RPC, made from its descriptor, by callers of every kind, and what must hold of any answer.

Words and numbers come from a vocabulary of what exists beside what does not, so that requests get past the first check often
enough to reach the rules.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import grpc
import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf import message_factory
from google.protobuf.descriptor import FieldDescriptor
from grpc import StatusCode
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from clients.robot.tokens import mint, signing_key
from fupan.dealer.v1 import service_pb2 as dealer
from services.runtime import identity
from services.runtime.config import SERVICES
from services.runtime.errors import Explained, read_status
from tests.e2e.canary import Secret, found
from tests.e2e.directory import Inside
from tests.runtime.serving import methods

METHODS = methods()
OWN_LOG = "/fupan.common.v1.LogService/"

# The gRPC library's own words, without ours: a request of more than a mebibyte, and a caller that waits no longer.
BROKEN_OFF = "Internal error from Core"
"""What a client of the gRPC library is told when the server ended the stream that it still writes to."""

UNTYPED = {StatusCode.RESOURCE_EXHAUSTED, StatusCode.DEADLINE_EXCEEDED, StatusCode.CANCELLED}
PATIENCE = 0.15
"""Seconds that a watch is listened to."""

UNARY_SECONDS = 20.0


@dataclass(frozen=True)
class Call:
    """A call to be made. `requests`: one, or a stream's, as bytes; a stream without any stays open."""

    method: str
    caller: str
    requests: tuple[bytes, ...]

    @property
    def service(self) -> str:
        """The service that is called; a log is any service's."""
        if self.method.startswith(OWN_LOG):
            return SERVICES[len(self.requests[0]) % len(SERVICES)] if self.requests else "pairing"
        return self.method.split(".")[1]

    def __repr__(self) -> str:
        shown = [_shown(self.method, request) for request in self.requests]
        return f"{self.method} by {self.caller!r}: {shown}"


def _shown(method: str, request: bytes) -> str:
    try:
        return str(_class(METHODS[method].input_type).FromString(request))[:2000] or "empty"
    except Exception:
        return f"{request[:200]!r} ({len(request)} bytes)"


def _class(descriptor: Any) -> Any:
    return message_factory.GetMessageClass(descriptor)


@dataclass(frozen=True)
class Vocabulary:
    """Words that mean something on a platform, by the name of the field; numbers likewise small."""

    championship: str
    persons: Sequence[str]
    tables: Sequence[str]
    appeals: Sequence[str]
    subjects: Sequence[str]

    def words(self, name: str) -> st.SearchStrategy[str]:
        """Values of a text field."""
        known: dict[str, Sequence[str]] = {
            "championship": [self.championship],
            "table": self.tables,
            "by_table": self.tables,
            "appeal": self.appeals,
            "person_id": self.persons,
            "members": self.persons,
            "reserves": self.persons,
            "panel": self.persons,
            "subject": self.subjects,
            "stream": [subject.split(".")[2].upper() + "-e2026" for subject in self.subjects],
            "role": ["organiser", "chief_referee", "deputy", "referee", "arbitrator", "player"],
            "purpose": ["boards", "draw", "redeal", "replay", "playoff"],
            "draws": ["round-1", "other"],
            "name": ["round-1", "Somebody"],
            "as_of": ["1", "0", "99", "2026-11-29T12:00:00Z", "TABLE-e2026-0@1", "SCORING-e2026@999"],
            "min_position": ["", base64.urlsafe_b64encode(b"PAIRING-e2026@1").decode().rstrip("=")],
            "page_token": ["", "0", "1", "-1", "9" * 5000],
            "currency": ["CNY", "EUR"],
            "kind": ["play", "claim"],
            "document": [
                "championship: another\nname: Another\n",
                f"championship: {self.championship}\nname: Again\nrounds: 2\n",
                "championship: a\nname: [[[[[[",
                "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
                "!!python/object/apply:os.system ['true']",
                "[" * 3000,
                "rounds: 1" + "0" * 5000,
            ],
            "cause": ["operator", "final", "round"],
        }
        anything = st.sampled_from(
            [
                "",
                " ",
                "a",
                "A",
                "../x",
                "a.b",
                "*",
                ">",
                "a" * 40,
                "a" * 41,
                "-a",
                "é",
                "麻将",
                "\0",
                "a\nb",
                "'; DROP",
            ]
        ) | st.text(max_size=12)
        long = st.sampled_from(["x" * 65_536, "x" * 65_537, "9" * 10_000])
        likely = st.sampled_from(known.get(name, [self.championship, "r1-t1", "x"]))
        return st.integers(0, 49).flatmap(lambda n: likely if n < 46 else long if n == 49 else anything)


_COMMAND_IDS = st.integers(0, 19).flatmap(
    lambda n: (
        st.integers(0, 2**48 - 1).map("fuzz-{:012x}".format)
        if n < 18
        else st.sampled_from(["", "again", "fuzz-1", "with space", "x" * 64, "x" * 65, "é"])
    )
)
_EDGES = {
    "32": [0, 1, 2, 3, 5, 99, 2**31 - 1, 2**32 - 1],
    "64": [0, 1, 2, 3, 5, 99, 2**31, 2**53, 2**63 - 1, 2**64 - 1],
}
_BYTES = st.sampled_from([b"", b"\0", bytes(32), b"\xff" * 32, bytes(33), bytes(5000)]) | st.binary(
    max_size=40
)


def _numbers(kind: int) -> st.SearchStrategy[int]:
    f = FieldDescriptor
    wide = kind in (f.TYPE_INT64, f.TYPE_UINT64, f.TYPE_SINT64)
    signed = kind in (f.TYPE_INT32, f.TYPE_INT64, f.TYPE_SINT32, f.TYPE_SINT64)
    most = 2 ** ((63 if signed else 64) if wide else (31 if signed else 32)) - 1
    edges = [value for value in _EDGES["64" if wide else "32"] if value <= most]
    if signed:
        edges += [-1, -5, -most - 1]
    return st.integers(0, 3).flatmap(
        lambda n: st.sampled_from(edges) if n == 3 else st.sampled_from([0, 1, 1, 1, 2, 3])
    )


class Requests:
    """Strategies for messages of any type."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._known: dict[str, st.SearchStrategy[Any]] = {}

    def message(self, descriptor: Any, depth: int = 0) -> st.SearchStrategy[Any]:
        """Messages of a type, some fields set."""
        name = f"{descriptor.full_name} {depth}"
        if name not in self._known:
            self._known[name] = self._message(descriptor, depth)
        return self._known[name]

    def _message(self, descriptor: Any, depth: int) -> st.SearchStrategy[Any]:
        made = _class(descriptor)
        fields = {
            one.name: self._field(one, depth)
            for one in descriptor.fields
            if depth < 4 or not one.message_type
        }
        oneofs = [one for one in descriptor.oneofs if not one.name.startswith("_")]

        @st.composite
        def build(draw: st.DrawFn) -> Any:
            skip = {
                one.name
                for oneof in oneofs
                for one in oneof.fields
                if one.name != draw(st.sampled_from([one.name for one in oneof.fields]))
            }
            values = {}
            for name, strategy in fields.items():
                if name not in skip and (name == "command_id" or draw(st.integers(0, 9)) < 8):
                    values[name] = draw(strategy)
            return made(**values)

        return build()

    def _field(self, one: Any, depth: int) -> st.SearchStrategy[Any]:
        value = self._value(one, depth)
        return st.lists(value, max_size=4) if one.is_repeated else value

    def _value(self, one: Any, depth: int) -> st.SearchStrategy[Any]:
        if one.message_type is not None:
            return self.message(one.message_type, depth + 1)
        match one.type:
            case FieldDescriptor.TYPE_STRING:
                return _COMMAND_IDS if one.name == "command_id" else self._words.words(one.name)
            case FieldDescriptor.TYPE_BYTES:
                return _BYTES
            case FieldDescriptor.TYPE_BOOL:
                return st.booleans()
            case FieldDescriptor.TYPE_ENUM:
                return st.sampled_from([0, 1, 2, 99])
            case kind:
                return _numbers(kind)


@st.composite
def mutated(draw: st.DrawFn, messages: st.SearchStrategy[Any]) -> bytes:
    """A message's bytes; one in four times changed, cut, doubled, or replaced by noise."""
    data: bytes = draw(messages).SerializeToString()
    match draw(st.integers(0, 29)):
        case 0 if data:
            at = draw(st.integers(0, len(data) - 1))
            return data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]
        case 1 if data:
            return data[: draw(st.integers(0, len(data) - 1))]
        case 2:
            return data + data
        case 3:
            return draw(st.binary(max_size=200))
        case 4:
            return b"\x0a\x80\x80\x04" + b"a" * 65_536 + data
    return data


def calls(
    words: Vocabulary, callers: Sequence[str], entitled: Callable[[str], Sequence[str]]
) -> st.SearchStrategy[Call]:
    """Calls of any RPC, two in three by somebody who is `entitled` to the method, the others by anybody."""
    requests = Requests(words)

    @st.composite
    def made(draw: st.DrawFn) -> Call:
        method = draw(st.sampled_from(sorted(METHODS)))
        one = mutated(requests.message(METHODS[method].input_type))
        count = draw(st.integers(1, 6)) if METHODS[method].client_streaming else 1
        somebody = callers if draw(st.integers(0, 2)) == 2 else entitled(method)
        return Call(method, draw(st.sampled_from(somebody)), tuple(draw(one) for _ in range(count)))

    return made()


def tokens(inside: Inside, persons: Sequence[str]) -> dict[str, str]:
    """Tokens by caller: good ones of people and services, and forged, expired, foreign ones."""
    place = inside.place
    assert place.keys is not None
    key, stranger, now = signing_key(place.keys), Ed25519PrivateKey.generate(), int(time.time())
    claims = {"sub": persons[0], "aud": "fupan", "iat": now, "exp": now + 600}
    public = (place.keys / "token.pub").read_bytes()
    header = {"kid": identity.key_id(key.public_key())}
    made = {person: mint(key, person, 3600) for person in persons}
    made |= {
        f"service:{name}": identity.mint(
            identity.private_key(place.keys, f"service-{name}"), f"service:{name}", 3600
        )
        for name in SERVICES
    }
    made["nobody"] = ""
    made["rubbish"] = "rubbish"
    made["expired"] = mint(key, persons[0], -60)
    made["signed by a stranger"] = jwt.encode(claims, stranger, "EdDSA", header)
    made["signed with the public key"] = _hmac(claims, public, header)
    made["signed by nobody"] = jwt.encode(claims, "", "none", header)
    made["a person as a service"] = jwt.encode({**claims, "sub": "service:table"}, key, "EdDSA", header)
    made["a service as another"] = identity.mint(
        identity.private_key(place.keys, "service-scoring"), "service:dealer", 3600
    )
    made["for another audience"] = jwt.encode({**claims, "aud": "other"}, key, "EdDSA", header)
    made["not valid yet"] = jwt.encode({**claims, "iat": now + 900, "exp": now + 1200}, key, "EdDSA", header)
    made["for ever"] = jwt.encode({**claims, "exp": float("inf")}, key, "EdDSA", header)
    return made


FORGED = frozenset(
    {
        "rubbish",
        "expired",
        "signed by a stranger",
        "signed with the public key",
        "signed by nobody",
        "a person as a service",
        "a service as another",
        "for another audience",
        "not valid yet",
        "for ever",
    }
)
"""Callers of `tokens` whose token is none."""


def _hmac(claims: dict[str, Any], secret: bytes, header: dict[str, str]) -> str:
    """What passes where the algorithm is taken from the token: the public key used as a shared secret."""
    import hashlib
    import hmac

    parts = [json.dumps({"alg": "HS256", "typ": "JWT", **header}), json.dumps(claims)]
    signed = b".".join(base64.urlsafe_b64encode(part.encode()).rstrip(b"=") for part in parts)
    mac = hmac.new(secret, signed, hashlib.sha256).digest()
    return (signed + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()


@dataclass
class Sender:
    """Makes calls and checks every answer. `secrets`: what no answer may hold."""

    inside: Inside
    championship: str
    tokens: dict[str, str]
    secrets: Sequence[Secret]
    counts: Counter[str] = field(default_factory=Counter)
    """Answers by code."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Refusals by reason."""
    refused_ids: set[str] = field(default_factory=set)
    """Command ids that came in a refused call and in no accepted one."""
    accepted_ids: set[str] = field(default_factory=set)
    _channels: dict[str, grpc.aio.Channel] = field(default_factory=dict)

    async def close(self) -> None:
        """Close the connections."""
        for channel in self._channels.values():
            await channel.close(None)

    async def send(self, call: Call) -> Explained | None:
        """Make the call; the refusal, None for an answer. Raises AssertionError for what must not happen."""
        try:
            answers = await self._made(call)
        except grpc.aio.AioRpcError as error:
            self.counts[error.code().name] += 1
            self.refused_ids |= _command_ids(call)
            return await self._refusal(call, error)
        self.counts["OK"] += 1
        self.accepted_ids |= _command_ids(call)
        await self._tells_nothing(call, b"".join(answers))
        assert call.caller not in FORGED or _public(call.method), call
        return None

    async def _refusal(self, call: Call, error: grpc.aio.AioRpcError) -> Explained | None:
        if error.details() == BROKEN_OFF:
            return None
        told = read_status(error)
        words = f"{error.code().name} {error.details()}"
        assert error.code() not in (StatusCode.INTERNAL, StatusCode.UNKNOWN, StatusCode.DATA_LOSS), (
            words,
            call,
        )
        assert told is not None or error.code() in UNTYPED, (words, call)
        self.reasons[told.reason if told else error.code().name] += 1
        data = str(error.details()).encode() + (told.status().SerializeToString() if told else b"")
        await self._tells_nothing(call, data)
        for word in (b"Traceback", b".py", b"asyncpg", b"postgres", b"nats:", b"0x7f"):
            assert word not in data, (words, call)
        return told

    async def _tells_nothing(self, call: Call, data: bytes) -> None:
        """Nothing secret stands in an answer; a board that was closed everywhere meanwhile is none."""
        for name in found(self.secrets, data):
            assert name.rpartition(" ")[2] in await self._revealed(), (name, call)

    async def _revealed(self) -> set[str]:
        async with self.inside.caller() as anybody:
            request = dealer.GetCommitmentsRequest(championship=self.championship)
            told = await anybody.dealer.GetCommitments(request)
        return {f"{one.path.round}/{one.path.board}/{one.path.attempt}" for one in told.revealed}

    async def _made(self, call: Call) -> list[bytes]:
        method = METHODS[call.method]
        kinds = ("unary", "stream")
        kind = f"{kinds[method.client_streaming]}_{kinds[method.server_streaming]}"
        start = getattr(self._channel(call.service), kind)(call.method)
        token = self.tokens[call.caller]
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        timeout = PATIENCE if method.server_streaming else UNARY_SECONDS
        if method.client_streaming:
            running = start(timeout=timeout, metadata=metadata)
            with suppress(
                grpc.aio.AioRpcError, asyncio.InvalidStateError
            ):  # it may have ended; the reader is told how
                for request in call.requests:
                    await running.write(request)
                await running.done_writing()
        else:
            running = start(call.requests[0], timeout=timeout, metadata=metadata)
        return await _some(running) if method.server_streaming else [await running]

    def _channel(self, service: str) -> grpc.aio.Channel:
        if service not in self._channels:
            address = self.inside.place.services[service]
            limit = [("grpc.max_receive_message_length", 64 * 1024 * 1024)]
            self._channels[service] = grpc.aio.insecure_channel(address, limit)
        return self._channels[service]


async def _some(running: Any) -> list[bytes]:
    """The first answers of a stream, or all that come in time."""
    answers: list[bytes] = []
    try:
        while len(answers) < 3 and isinstance(answer := await running.read(), bytes):
            answers.append(answer)
    except grpc.aio.AioRpcError as error:
        if error.code() is not StatusCode.DEADLINE_EXCEEDED:
            raise
    finally:
        running.cancel()
    return answers


def _public(method: str) -> bool:
    from services.access import PUBLIC, RULES

    return PUBLIC in RULES[method].who


def _command_ids(call: Call) -> set[str]:
    """Command ids of the call's requests that are its own."""
    ids = set()
    for request in call.requests:
        try:
            message = _class(METHODS[call.method].input_type).FromString(request)
        except Exception:
            continue
        for one in (message, getattr(message, "header", None), getattr(message, "answer", None)):
            name = getattr(one, "command_id", "")
            if name.startswith("fuzz-"):
                ids.add(name)
    return ids


async def each(
    strategy: st.SearchStrategy[Call], count: int, send: Callable[[Call], Awaitable[Any]], seed: bool
) -> None:
    """Send `count` calls of a strategy, one after the other; the same ones every time when `seed`."""
    loop = asyncio.get_running_loop()

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=seed,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def one(call: Call) -> None:
        asyncio.run_coroutine_threadsafe(_awaited(send(call)), loop).result(60)

    await asyncio.to_thread(one)


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work
