"""The fold of a log: every subject's state in memory, as its records make it, whichever replica wrote them.

A sealed record whose key is not at hand waits, and with it its subject: until the key comes, or until clear records tell what the
sealed ones led to. Where a subject's history is in doubt it waits for a decision, which may put other records in its place.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple

import structlog

from services.domain import Decider, E, Meta, Rejected, S
from services.ledger import record as ledger
from services.ledger.codec import Codec
from services.ledger.record import Head, Outline, Stored
from services.runtime.entry import Applied, Entry, Framing, head_after
from services.runtime.forks import Ruled, Rulings
from services.runtime.streams import stream_of

_log = structlog.get_logger(__name__)


AT_ONCE = 100
"""So many records are read before they are folded."""


class Read(NamedTuple, Generic[E]):
    """A record opened and decoded."""

    told: Outline
    meta: Meta
    events: tuple[E, ...]


class Fold(Generic[S, E]):
    """All subjects of some streams. Nothing here waits for anything."""

    def __init__(
        self,
        decider: Decider[S, Any, E],
        events: Codec[E],
        framing: Framing[S] | None,
    ) -> None:
        self._decider = decider
        self._evolve: Callable[[S, Iterable[E], Meta], S]
        self._evolve = getattr(decider, "evolve_record", self._one_by_one)
        self._events = events
        self._framing = framing
        self._entries: dict[str, Entry[S]] = {}
        self._listeners: list[Callable[[Applied[S, E]], None]] = []
        self._onlookers: list[Callable[[str, S, tuple[str, ...]], None]] = []
        self._rulings: dict[str, dict[int, Ruled]] = {}
        """Decisions on histories by subject and first version."""
        self._held: dict[str, set[tuple[int, int]]] = {}
        """Subjects of which another history was archived: versions and stream sequences that nobody has decided on."""

    # What is known

    def subjects(self) -> list[str]:
        """All subjects that have a record, in the order they were first seen."""
        return [subject for subject, entry in self._entries.items() if entry.head.version]

    def state(self, subject: str) -> S | None:
        """The newest state of a subject, None when it has no record (a locked board's records excepted)."""
        entry = self._entries.get(subject)
        return None if entry is None or not entry.head.version else entry.state

    def head(self, subject: str) -> Head:
        """Where the subject's chain stands."""
        entry = self._entries.get(subject)
        if entry is None:
            return ledger.START
        return head_after(entry.locked[-1]) if entry.locked else entry.head

    def opened(self, subject: str) -> Head:
        """Where the chain stood after the last clear record: the one that opened the board, while one is open."""
        entry = self._entries.get(subject)
        return ledger.START if entry is None else entry.opened

    def waits(self, subject: str) -> bool:
        """Whether sealed records of a subject wait for their key."""
        entry = self._entries.get(subject)
        return entry is not None and bool(entry.locked)

    def whole(self, subject: str) -> bool:
        """Whether the state of a subject is known, and the key of its next record at hand."""
        return self._framing is None or self._entry(subject).whole(self._framing)

    def listen(self, listener: Callable[[Applied[S, E]], None]) -> None:
        """Call `listener` after every record applied from now on, in the subject's order. It must not raise or block."""
        self._listeners.append(listener)

    def look_on(self, onlooker: Callable[[str, S, tuple[str, ...]], None]) -> None:
        """Call `onlooker` with a subject, its state and the people of a record there that tells them in the clear and waits for its
        key. It must not raise or block."""
        self._onlookers.append(onlooker)

    def _entry(self, subject: str) -> Entry[S]:
        entry = self._entries.get(subject)
        if entry is None:
            entry = self._entries[subject] = Entry(subject, self._decider.initial(subject))
        return entry

    def _refuse_suspended(self, entry: Entry[S]) -> None:
        if entry.suspended or entry.subject in self._held:
            raise Rejected("SUBJECT_SUSPENDED", "", f"{entry.subject} is suspended: its log is not whole")

    # Records

    def _fold_all(self, batch: Sequence[Stored]) -> None:
        """Take in records in their order. Some are read, then folded, then the next: a processor does one thing over and over
        faster than two in turn."""
        for start in range(0, len(batch), AT_ONCE):
            some = batch[start : start + AT_ONCE]
            for stored, read in zip(some, list(map(self._read_ahead, some)), strict=True):
                self._fold(stored, read)

    def _read_ahead(self, stored: Stored) -> Read[E] | None:
        """What a record says, before its turn has come; None: it is one of ours, has to wait for its key, or is not sound."""
        entry = self._entries.get(stored.subject)
        if entry is not None and (
            entry.ours is not None or entry.locked or stored.sequence <= entry.sequence
        ):
            return None
        try:
            told = ledger.outline(stored.data)
            key = self._key(stored.subject, told)
            return None if key is None else self._read(stored, told, key)
        except Exception:  # it will come again in its turn
            return None

    def _fold(self, stored: Stored, read: Read[E] | None = None) -> None:
        """Take in one record. What is wrong with it is wrong with its subject alone: the others go on."""
        if not stored.data:
            self._go_past(stored)
            return
        entry = self._entry(stored.subject)
        if self._rulings:
            self._stand_in(entry)
        if not entry.suspended and stored.sequence > entry.sequence:
            self._attempt(entry, stored, read)

    def _attempt(self, entry: Entry[S], stored: Stored, read: Read[E] | None = None) -> None:
        try:
            self._take(entry, stored, read)
        except Exception as error:  # whatever it is
            self._suspend(entry, stored, error)

    def _suspend(self, entry: Entry[S], stored: Stored, error: Exception) -> None:
        entry.suspended, entry.locked = True, []
        _log.error(
            "subject_suspended",
            subject=entry.subject,
            stream=stored.stream,
            sequence=stored.sequence,
            why=f"{type(error).__name__}: {error}",
        )

    def _take(self, entry: Entry[S], stored: Stored, read: Read[E] | None) -> None:
        if entry.ours is not None and entry.ours[0] == stored.data:
            self._advance(entry, stored, *entry.ours[1:])
            return
        if entry.locked:
            self._take_behind(entry, stored)
            return
        told = ledger.outline(stored.data) if read is None else read.told
        if told.version != entry.head.version + 1:
            raise _gap(entry, stored, told.version)
        if read is None:
            key = self._key(entry.subject, told)
            if key is None:
                self._lock(entry, stored, told.people)
                return
            read = self._read(stored, told, key)
        self._apply(entry, stored, read)

    def _key(self, subject: str, told: Outline) -> bytes | None:
        """What opens a record, empty for a clear one; None: it is not at hand."""
        if not told.key_id:
            return b""
        return None if self._framing is None else self._framing.key(subject, told.key_id)

    def _take_behind(self, entry: Entry[S], stored: Stored) -> None:
        """Take in a record after sealed ones that could not be opened."""
        version, sealed, people = ledger.glance(stored.data)
        if version != entry.version + 1:
            raise _gap(entry, stored, version)
        if not sealed:
            told = ledger.outline(stored.data)
            if self._tells(entry, told):
                self._skip(entry)
                self._apply(entry, stored, self._read(stored, told))
                return
        self._lock(entry, stored, people)

    def _lock(self, entry: Entry[S], stored: Stored, people: tuple[str, ...]) -> None:
        """Let a record wait for its key; who sits there from it on is told all the same."""
        entry.locked.append(stored)
        if people:
            for onlooker in self._onlookers:
                onlooker(entry.subject, entry.state, people)

    def _go_past(self, stored: Stored) -> None:
        """Nobody appended this: the chain goes on from the record before, though the stream counts it."""
        _log.error("not_appended", subject=stored.subject, stream=stored.stream, sequence=stored.sequence)
        entry = self._entries.get(stored.subject)
        if entry is not None and not entry.locked:
            head = entry.head
            entry.head = Head(head.version, max(head.sequence, stored.sequence), head.hash, head.time_us)

    def _read(self, stored: Stored, told: Outline, key: bytes = b"") -> Read[E]:
        """What a record says, opened with `key` where it is sealed."""
        body = told.content
        if told.key_id:
            body = ledger.open_sealed(key, stored.subject, told.version, body)
        meta, serialised = ledger.meta_of(stored.subject, told, body)
        decode = self._events.decode
        return Read(told, meta, tuple([decode(event) for event in serialised]))

    def _apply(self, entry: Entry[S], stored: Stored, read: Read[E]) -> None:
        told, meta, events = read
        self._advance(entry, stored, told, meta, events, self._evolve(entry.state, events, meta))

    def _one_by_one(self, state: S, events: Iterable[E], meta: Meta) -> S:
        for event in events:
            state = self._decider.evolve(state, event, meta)
        return state

    def _tells(self, entry: Entry[S], told: Outline) -> bool:
        """Whether a clear record tells enough to go past the sealed board before it."""
        _, serialised = ledger.meta_of(entry.subject, told, told.content)
        events = [self._events.decode(event) for event in serialised]
        return self._framing is None or self._framing.tells(entry.state, events)

    def _skip(self, entry: Entry[S]) -> None:
        """Go past a sealed board by the closing of its last record, and take in the clear ones that were kept behind it."""
        behind = list(
            itertools.takewhile(lambda kept: not ledger.glance(kept.data)[1], reversed(entry.locked))
        )
        stored = entry.locked[-1 - len(behind)]
        told = ledger.outline(stored.data)
        if self._framing is None or told.closing is None:
            raise RuntimeError(
                f"{stored.subject}: a clear record after version {told.version}, which is sealed"
            )
        before, entry.locked = entry.state, []
        entry.state, entry.head = self._framing.skip(before, told.closing), head_after(stored)
        entry.skipped[told.key_id] = entry.opened
        self._tell(Applied(stored, told, None, (), before, entry.state))
        for kept in reversed(behind):
            self._apply(entry, kept, self._read(kept, ledger.outline(kept.data)))

    def _advance(
        self,
        entry: Entry[S],
        stored: Stored,
        told: Outline,
        meta: Meta,
        events: tuple[E, ...],
        state: S,
    ) -> None:
        before = entry.state
        entry.state = state
        entry.head = ledger.next_head(entry.head, stored.data, stored.sequence, told.time_us)
        if not told.key_id:
            entry.opened = entry.head
        entry.commands.add(meta.command_id, stored.sequence)
        if self._listeners:
            self._tell(Applied(stored, told, meta, events, before, state))

    def _tell(self, applied: Applied[S, E]) -> None:
        for listener in self._listeners:
            listener(applied)

    def _open_locked(self, entry: Entry[S], key_id: str, key: bytes) -> None:
        """Take in the sealed records that waited for their key: none, or those of another key, when another replica opened the next
        board while this one was asked for."""
        if not entry.locked or ledger.outline(entry.locked[0].data).key_id != key_id:
            return
        waiting, entry.locked = entry.locked, []
        for stored in waiting:
            try:
                self._apply(entry, stored, self._read(stored, ledger.outline(stored.data), key))
            except Exception as error:  # as in `_attempt`
                self._suspend(entry, stored, error)
                return

    # Histories that differ

    def hold(self, subject: str, version: int, sequence: int) -> None:
        """Refuse commands on a subject of which another record was archived there than the stream holds, until that is decided."""
        rulings = self._rulings.get(subject, {}).values()
        if not any(ruled.settles(version, sequence) for ruled in rulings):
            self._held.setdefault(subject, set()).add((version, sequence))

    def rulings(self, subject: str) -> Rulings:
        """What was decided on a subject's history so far."""
        return dict(self._rulings.get(subject, {}))

    def _settle(self, subject: str, ruled: Ruled) -> None:
        """A decision on a subject's history stands from here on."""
        self._rulings.setdefault(subject, {})[ruled.version] = ruled
        left = {place for place in self._held.pop(subject, ()) if not ruled.settles(*place)}
        if left:
            self._held[subject] = left

    def _fold_anew(self, subject: str, records: Iterable[Stored]) -> None:
        fresh = Entry(subject, self._decider.initial(subject))
        fresh.lock, listeners = self._entry(subject).lock, self._listeners
        self._entries[subject], self._listeners = fresh, []
        try:
            for stored in records:
                self._fold(stored)
            self._stand_in(fresh)
        finally:
            self._listeners = listeners

    def _stand_in(self, entry: Entry[S]) -> None:
        """Take in the records that were decided to stand where a history in doubt begins; the stream's own are passed over."""
        ruled = self._rulings.get(entry.subject, {}).get(entry.version + 1)
        if ruled is not None and not entry.suspended:
            for data in ruled.records:
                self._attempt(entry, Stored(stream_of(entry.subject), ruled.until, entry.subject, data))


def _gap(entry: Entry[Any], stored: Stored, version: int) -> Exception:
    """Why a record is not the subject's next one."""
    return RuntimeError(f"{stored.subject}: version {version} follows {entry.version} in the stream")
