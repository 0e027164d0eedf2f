"""One subject of a log in memory, who sends it commands, what is told of each record that changes it, and how a service frames its
records."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Protocol

from services.domain import Cause, E, Meta, Rejected, S
from services.ledger import record as ledger
from services.ledger.record import BoardClosing, Head, Outline, Stored
from services.runtime.commands import CommandIndex


class Envelope(NamedTuple):
    """Who sends a command, and by what right; see `Meta`."""

    actor: str
    command_id: str
    on_behalf_of: str = ""
    authority: str = ""
    cause: Cause | None = None


class Applied(NamedTuple, Generic[S, E]):
    """One record after it changed a state. `meta` None: sealed and not opened, only `record.closing` was applied."""

    stored: Stored
    record: Outline
    meta: Meta | None
    events: tuple[E, ...]
    before: S
    after: S


class Framing(Protocol[S]):
    """How a service's records are framed beside their events: rulesets and seals. Only the table service needs one."""

    def ruleset(self, state: S) -> tuple[str, bytes]:
        """Ruleset id and parameter digest of the next record's header."""

    def seals(self, state: S) -> str:
        """Id of the key that seals the next record; empty: the record is clear."""

    def key(self, subject: str, key_id: str) -> bytes | None:
        """The key, when this replica holds it."""

    async def fetch(self, subject: str, key_id: str, opened: Head) -> bytes:
        """The key, asked from the dealer. Raises Unavailable while it cannot be had."""

    def closing(self, before: S, after: S) -> BoardClosing | None:
        """The clear result, when the record that leads from `before` to `after` ends a board."""

    def people(self, before: S, after: S) -> tuple[str, ...]:
        """Who sits at the table from a sealed record on, in the clear, where it leads to others than `before`."""

    def may_be_older(self, state: S, command: Any) -> bool:
        """Whether a command may be one that was accepted on an earlier board: it is not bound to the open one by what it says."""

    def tells(self, state: S, events: Sequence[Any]) -> bool:
        """Whether clear events after the sealed board of `state` and its closing say all that is needed to go past the board."""

    def stands(self, state: S, command: Any, refusal: Rejected) -> bool:
        """Whether a command is refused for good, whatever other replicas may have written that was not read yet."""

    def skip(self, state: S, closing: BoardClosing) -> S:
        """The state after a sealed board of which only the closing was read."""


class Entry(Generic[S]):
    """One subject in memory."""

    __slots__ = (
        "commands",
        "head",
        "lock",
        "locked",
        "opened",
        "ours",
        "skipped",
        "state",
        "subject",
        "suspended",
    )

    def __init__(self, subject: str, state: S) -> None:
        self.subject = subject
        self.state = state
        self.head: Head = ledger.START
        self.commands = CommandIndex()
        self.lock = asyncio.Lock()
        self.locked: list[Stored] = []
        """Sealed records read without a key, in order; `state` and `head` stand before them.

        They are kept, and not even decoded, until the key comes, or a clear record that tells enough: by then their board is
        closed, and its closing says the rest. Clear records that do not are kept behind them.
        """
        self.opened: Head = ledger.START
        """Head after the last clear record: the one that opened the sealed board."""
        self.skipped: dict[str, Head] = {}
        """By key id, in order: sealed boards that were gone past, and are not in `commands`; with the head that opened each."""
        self.ours: tuple[bytes, Outline, Meta, tuple[Any, ...], S] | None = None
        """The record that is being appended, with what it leads to: when it is read back there is nothing left to work out."""
        self.suspended = False
        """A record could not be folded: `state` is the one before it, and stays."""

    @property
    def sequence(self) -> int:
        """Stream sequence of the last record that was read."""
        return self.locked[-1].sequence if self.locked else self.head.sequence

    @property
    def version(self) -> int:
        """Version of the last record that was read."""
        return self.head.version + len(self.locked)

    def whole(self, framing: Framing[S]) -> bool:
        """Whether the state is known and the key of the next record at hand."""
        key_id = framing.seals(self.state)
        return not self.locked and (not key_id or framing.key(self.subject, key_id) is not None)


def head_after(stored: Stored) -> Head:
    """The head that a record makes, by what stands in it; whether the chain before it is whole is for an audit to tell."""
    header = ledger.decode(stored.data).header
    digest = ledger.record_hash(header.prev_hash, stored.data)
    return Head(header.version, stored.sequence, digest, header.time_us)
