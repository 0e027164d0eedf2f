"""What one caller may use, and what a request may hold: rates, open calls, ids, text."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from services.runtime.errors import Limited, Malformed, Refusal
from services.runtime.streams import ID

MAX_REQUEST = 1024 * 1024
"""Bytes a request, or a message of a stream, may have."""

MAX_TAKEN = 4 * MAX_REQUEST
"""Bytes of one that gRPC takes in, so that it is refused in our words; of what is larger it says so itself, in its own."""

MAX_TEXT = 64 * 1024
"""Characters a text field may have."""

_CALLERS = 100_000
_ID_FIELDS = frozenset({"championship", "table", "appeal", "person_id", "unit_id", "by_table", "penalty"})
_ID_LISTS = frozenset({"members", "reserves", "panel"})
_COMMAND_ID = re.compile(r"[\x21-\x7e]{1,64}")
STEERING = r"\x7f-\x9f\u202a-\u202e\u2066-\u2069"
"""As a part of a pattern, what steers a terminal or a page beyond C0: C1, and marks that turn the direction of what is written."""

# Control characters other than tab and line ends; Postgres takes no NUL, and no log or terminal wants the rest.
_CONTROL = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f{STEERING}]")


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled: float
    open: int = 0


class Limits:
    """A token bucket and a number of open calls for every caller. `monotonic` gives seconds."""

    def __init__(self, rate: float, burst: float, max_open: int, monotonic: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._max_open = max_open
        self._monotonic = monotonic
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, caller: str) -> float:
        """Count one call or message. 0.0, or the seconds after which there is room again; it does not count then."""
        bucket = self._bucket(caller)
        now = self._monotonic()
        bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.filled) * self._rate)
        bucket.filled = now
        if bucket.tokens < 1:
            return (1 - bucket.tokens) / self._rate
        bucket.tokens -= 1
        return 0.0

    @contextmanager
    def call(self, caller: str) -> Iterator[None]:
        """Hold one open call. Raises Limited when the caller comes too often or has too many open."""
        wait = self.take(caller)
        if wait:
            raise Limited("RATE_LIMITED", wait)
        bucket = self._bucket(caller)
        if bucket.open >= self._max_open:
            raise Limited("TOO_MANY_CALLS", limit=str(self._max_open))
        bucket.open += 1
        try:
            yield
        finally:
            bucket.open -= 1

    def _bucket(self, caller: str) -> _Bucket:
        bucket = self._buckets.get(caller)
        if bucket is not None:
            self._buckets.move_to_end(caller)
            return bucket
        bucket = self._buckets[caller] = _Bucket(self._burst, self._monotonic())
        if len(self._buckets) > _CALLERS:
            # A caller that comes back finds a full bucket; it has been away for a while.
            self._buckets.popitem(last=False)
        return bucket


def check_size(data: bytes) -> None:
    """Raises Refusal for a request that is too large."""
    if len(data) > MAX_REQUEST:
        raise Refusal("TOO_LARGE", limit=str(MAX_REQUEST))


def check_request(message: Any) -> None:
    """Refuse ids that are none, command ids that are missing, and text that nothing downstream could take.

    Ids match `[a-z0-9][a-z0-9-]{0,39}` where they are set; command ids are 1 to 64 visible ASCII characters. Raises Malformed.
    """
    found = _checks(message.DESCRIPTOR)(message)
    if found is not None:
        raise Malformed(*found)


Problem = tuple[str, str]
"""Where something is wrong, and what."""


@cache
def _checks(descriptor: Any) -> Callable[[Any], Problem | None]:
    """The check of one message type, made once: a walk over exactly those fields that hold text, to the first problem."""
    texts = [field for field in descriptor.fields if field.type == FieldDescriptor.TYPE_STRING]
    rules = [(field.name, field.is_repeated, _text_check(field)) for field in texts]
    speaking = [
        (field.name, field.is_repeated, field.message_type)
        for field in descriptor.fields
        if field.message_type is not None and _speaks(field.message_type, frozenset())
    ]

    def check(message: Any) -> Problem | None:
        for name, repeated, problem in rules:
            for text in getattr(message, name) if repeated else (getattr(message, name),):
                if why := problem(text):
                    return name, why
        for name, repeated, kind in speaking:
            # Looked up here and not outside: message types may contain themselves.
            if repeated:
                for index, item in enumerate(getattr(message, name)):
                    if found := _checks(kind)(item):
                        return f"{name}[{index}].{found[0]}", found[1]
            elif message.HasField(name) and (found := _checks(kind)(getattr(message, name))):
                return f"{name}.{found[0]}", found[1]
        return None

    return check


def _speaks(descriptor: Any, above: frozenset[str]) -> bool:
    """Whether a message of this type can hold text, at any depth."""
    within = above | {descriptor.full_name}
    return any(
        field.type == FieldDescriptor.TYPE_STRING
        or (
            field.message_type is not None
            and field.message_type.full_name not in within
            and _speaks(field.message_type, within)
        )
        for field in descriptor.fields
    )


def _text_check(field: Any) -> Callable[[str], str]:
    if field.name == "command_id":
        return _bad_command_id
    if field.name in _ID_FIELDS or (field.is_repeated and field.name in _ID_LISTS):
        return _bad_id
    return _bad_text


def _bad_id(text: str) -> str:
    return (
        ""
        if not text or ID.fullmatch(text)
        else "must be 1 to 40 of a-z, 0-9 and '-', not beginning with '-'"
    )


def _bad_command_id(text: str) -> str:
    return (
        ""
        if _COMMAND_ID.fullmatch(text)
        else "must be 1 to 64 visible ASCII characters; send a fresh one with every command"
    )


def _bad_text(text: str) -> str:
    if len(text) > MAX_TEXT:
        return f"must have at most {MAX_TEXT} characters"
    return "must not hold control characters" if _CONTROL.search(text) else ""
