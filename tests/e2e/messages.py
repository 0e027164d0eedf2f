"""Random and mutated requests of every RPC, made from its descriptor, by callers of every kind.

Words and numbers come from a vocabulary of what exists beside what does not, so that requests get past the first check often
enough to reach the rules.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf import message_factory
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import strategies as st

from services.runtime.config import SERVICES
from tests.runtime.serving import methods

METHODS = methods()
OWN_LOG = "/fupan.common.v1.LogService/"


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
        return str(message_class(METHODS[method].input_type).FromString(request))[:2000] or "empty"
    except Exception:
        return f"{request[:200]!r} ({len(request)} bytes)"


def message_class(descriptor: Any) -> Any:
    """The class of a message type's messages."""
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
        made = message_class(descriptor)
        fields = {
            one.name: self._field(one, depth)
            for one in descriptor.fields
            if depth < 4 or not one.message_type
        }
        oneofs = [
            [one.name for one in oneof.fields]
            for oneof in descriptor.oneofs
            if not oneof.name.startswith("_")
        ]

        @st.composite
        def build(draw: st.DrawFn) -> Any:
            skip = set()
            for names in oneofs:
                skip |= set(names) - {draw(st.sampled_from(names))}
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
    """A message's bytes; one in six times changed, cut, doubled, or replaced by noise."""
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
