"""A service's own streams, folded in memory: the one way to write to them and to know their state.

`Log.handle` is the write path of every service: state → decide → one record → append → evolve. The same fold runs over
records that other replicas wrote, in stream order, so that every replica can serve every subject.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar

import structlog

from services.domain import C, Cause, Decider, E, Meta, Rejected, S
from services.ledger import record as ledger
from services.ledger.codec import Codec, Malformed
from services.ledger.record import BoardClosing, Body, Head, Header, Outline, Record, Stored
from services.runtime.commands import CommandIndex
from services.runtime.forks import Ruled
from services.runtime.positions import position
from services.runtime.store import EventStore
from services.runtime.telemetry import following, traced
from services.runtime.writer import Appender, Overtaken

S_contra = TypeVar("S_contra", contravariant=True)

_log = structlog.get_logger(__name__)

ATTEMPTS = 8
"""A conflict is decided again at least this often before a command is given up as ABORTED."""


class Aborted(Exception):
    """Other writers were faster until the deadline; the command may be sent again with the same id."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """Who sends a command, and by what right; see `Meta`."""

    actor: str
    command_id: str
    on_behalf_of: str = ""
    authority: str = ""
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class Answer(Generic[E]):
    """What a command led to. `events` empty and `repeated` False: it changed nothing and no record was written."""

    events: tuple[E, ...]
    version: int
    sequence: int
    hash: bytes
    time_us: int
    stream: str
    repeated: bool = False

    @property
    def position(self) -> str:
        """The opaque position just after its record."""
        return position(self.stream, self.sequence)


@dataclass(frozen=True, slots=True)
class Applied(Generic[S, E]):
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

    def may_be_older(self, state: S, command: Any) -> bool:
        """Whether a command may be one that was accepted on an earlier board: it is not bound to the open one by what it says."""

    def tells(self, state: S, events: Sequence[Any]) -> bool:
        """Whether clear events after the sealed board of `state` and its closing say all that is needed to go past the board."""

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


class Log(Generic[S, C, E]):
    """All subjects of a service's own streams."""

    def __init__(
        self,
        store: EventStore,
        appender: Appender,
        writer: ledger.Writer,
        epoch: str,
        decider: Decider[S, C, E],
        commands: Codec[C],
        events: Codec[E],
        clock: Callable[[], int],
        stream_of: Callable[[str], str],
        framing: Framing[S] | None = None,
    ) -> None:
        self._store = store
        self._appender = appender
        self._writer = writer
        self._epoch = epoch
        self._decider = decider
        self._commands = commands
        self._events = events
        self._clock = clock
        self._stream_of = stream_of
        self._framing = framing
        self._entries: dict[str, Entry[S]] = {}
        self._listeners: list[Callable[[Applied[S, E]], None]] = []
        self._sequences: dict[str, int] = {}
        self._rulings: dict[str, dict[int, Ruled]] = {}
        """Decisions on histories by subject and first version."""
        self._held: dict[str, set[tuple[int, int]]] = {}
        """Subjects of which another history was archived: versions and stream sequences that nobody has decided on."""
        self._moved = asyncio.Condition()
        self._running: set[asyncio.Task[Any]] = set()
        self._followers: list[asyncio.Task[None]] = []

    # Reading

    async def start(self, streams: Iterable[str]) -> None:
        """Fold `streams` from record 1, return when everything there was is folded, and go on following them."""
        waits = []
        for stream in streams:
            caught_up = asyncio.Event()
            task = asyncio.create_task(
                self._store.follow(stream, 0, self._deliver, caught_up=caught_up.set), name=f"follow {stream}"
            )
            self._followers.append(task)
            waits.append((task, asyncio.create_task(caught_up.wait())))
        for task, wait in waits:
            await asyncio.wait({task, wait}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                wait.cancel()
                await task

    async def stop(self) -> None:
        """Wait for running commands, then stop following."""
        if self._running:
            await asyncio.wait(self._running)
        for task in self._followers:
            task.cancel()
        await asyncio.gather(*self._followers, return_exceptions=True)

    @property
    def followers(self) -> Sequence[asyncio.Task[None]]:
        """Tasks that must live as long as the service; one that ends took the service's knowledge with it."""
        return self._followers

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
        return _head_after(entry.locked[-1]) if entry.locked else entry.head

    def opened(self, subject: str) -> Head:
        """Where the chain stood after the last clear record: the one that opened the board, while one is open."""
        entry = self._entries.get(subject)
        return ledger.START if entry is None else entry.opened

    def locked(self) -> list[tuple[str, str, Head]]:
        """Subjects whose last board is sealed to this replica: subject, key id, head after the clear record before it."""
        return [
            (entry.subject, ledger.outline(entry.locked[0].data).key_id, entry.opened)
            for entry in self._entries.values()
            if entry.locked
        ]

    def listen(self, listener: Callable[[Applied[S, E]], None]) -> None:
        """Call `listener` after every record applied from now on, in the subject's order. It must not raise or block."""
        self._listeners.append(listener)

    def sequence(self, stream: str) -> int:
        """Last sequence of a stream that is folded here."""
        return self._sequences.get(stream, 0)

    async def wait_for(self, stream: str, sequence: int) -> None:
        """Return when `stream` is folded up to `sequence`. Bounded by the caller (`asyncio.timeout`)."""
        if self.sequence(stream) >= sequence:
            return
        async with self._moved:
            await self._moved.wait_for(lambda: self.sequence(stream) >= sequence)

    # Histories that differ

    def hold(self, subject: str, version: int, sequence: int) -> None:
        """Refuse commands on a subject of which another record was archived there than the stream holds, until that is decided."""
        rulings = self._rulings.get(subject, {}).values()
        if not any(ruled.settles(version, sequence) for ruled in rulings):
            self._held.setdefault(subject, set()).add((version, sequence))

    async def rule(self, subject: str, ruled: Ruled) -> None:
        """Let a decision on a subject's history stand; returns when the state is what it makes of it. Listeners hear nothing."""
        self._rulings.setdefault(subject, {})[ruled.version] = ruled
        left = {place for place in self._held.pop(subject, ()) if not ruled.settles(*place)}
        if left:
            self._held[subject] = left
        async with self._entry(subject).lock:
            if ruled.records:
                records = [stored async for stored in self._store.read(subject)]
                self._fold_anew(subject, records)

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
        ruled = self._rulings.get(entry.subject, {}).get(entry.head.version + len(entry.locked) + 1)
        if ruled is not None and not entry.suspended:
            for data in ruled.records:
                self._attempt(entry, Stored(self._stream_of(entry.subject), ruled.until, entry.subject, data))

    # Writing

    async def handle(
        self,
        subject: str,
        command: C,
        envelope: Envelope,
        *,
        deadline: float = 10.0,
        same: Callable[[C], bool] | None = None,
    ) -> Answer[E]:
        """Decide `command` on the newest state and append its events as one record.

        `deadline` in seconds; `same`: see `repeated`, by default the same bytes. A cancelled caller loses the answer, never the
        record: the work goes on and a retry with the same id finds it. Raises Rejected, Aborted, StoreUnavailable, and what
        `Framing.fetch` raises.
        """
        return await asyncio.shield(self.submit(subject, command, envelope, deadline=deadline, same=same))

    def submit(
        self,
        subject: str,
        command: C,
        envelope: Envelope,
        *,
        deadline: float = 10.0,
        same: Callable[[C], bool] | None = None,
    ) -> asyncio.Task[Answer[E]]:
        """`handle` for callers that do not wait: the task it runs in, which must not be cancelled."""
        task = asyncio.create_task(self._handle(subject, command, envelope, deadline, same))
        self._running.add(task)
        task.add_done_callback(self._finished)
        return task

    async def repeated(self, subject: str, envelope: Envelope, same: Callable[[C], bool]) -> Answer[E] | None:
        """The first answer when a command with this id was accepted before, None when it is new here.

        For commands that hold more than the client sent (a deadline, a cut), which another time would come out otherwise: `same`
        says whether the accepted one is what the client asks for again. Raises Rejected("COMMAND_ID_REUSED").
        """
        entry = self._entries.get(subject)
        seen = None if entry is None else entry.commands.find(envelope.command_id)
        if entry is None or seen is None:
            return None
        return await self._first_answer(entry, seen, envelope, lambda data: same(self._commands.decode(data)))

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()

    async def _handle(
        self,
        subject: str,
        command: C,
        envelope: Envelope,
        deadline: float,
        same: Callable[[C], bool] | None,
    ) -> Answer[E]:
        entry = self._entry(subject)
        until = asyncio.get_running_loop().time() + deadline
        request = self._commands.encode(command)

        def again(data: bytes) -> bool:
            return data == request if same is None else same(self._commands.decode(data))

        async with entry.lock:
            entry, attempt = self._entry(subject), 0  # it may have been folded anew meanwhile
            while True:
                if self._framing is not None and not _whole(entry, self._framing):
                    async with asyncio.timeout_at(until):
                        await self._have_key(entry, self._framing)
                if self._framing is not None and entry.skipped:
                    async with asyncio.timeout_at(until):
                        await self._know_older(entry, self._framing, command)
                self._refuse_suspended(entry)
                seen = entry.commands.find(envelope.command_id)
                if seen is not None and (first := await self._first_answer(entry, seen, envelope, again)):
                    return first
                known = _sequence(entry)
                try:
                    return await self._commit(entry, command, request, envelope, until)
                except Rejected:
                    # Perhaps only here: another replica has written what its sender relies on, and it was not read yet.
                    await self._reload(entry)
                    if _sequence(entry) == known:
                        raise
                except Overtaken as overtaken:
                    if not overtaken.record.data:
                        self._fold(overtaken.record)
                    attempt += 1
                    if attempt >= ATTEMPTS and asyncio.get_running_loop().time() >= until:
                        raise Aborted(f"{subject} was changed by others {attempt} times") from None
                    await asyncio.sleep(random.uniform(0, 0.002 * min(attempt, 10)))
                    await self._reload(entry)

    async def _commit(
        self, entry: Entry[S], command: C, request: bytes, envelope: Envelope, until: float
    ) -> Answer[E]:
        head, before = entry.head, entry.state
        meta = Meta(
            entry.subject,
            head.version + 1,
            ledger.record_time(head, self._clock()),
            envelope.actor,
            envelope.command_id,
            envelope.on_behalf_of,
            envelope.authority,
            envelope.cause,
        )
        events = tuple(self._decider.decide(before, command, meta))
        if not events:
            stream = self._stream_of(entry.subject)
            return Answer((), head.version, head.sequence, head.hash, head.time_us, stream)
        after = before
        for event in events:
            after = self._decider.evolve(after, event, meta)
        record = self._record(entry, meta, before, after, request, events)
        data, told = ledger.encode(record), ledger.outlined(record)
        entry.ours = data, told, meta, events, after
        try:
            # In this task, which nobody cancels.
            sequence = await self._appender.append_here(entry.subject, data, head.sequence, until)
        finally:
            entry.ours = None
        stored = Stored(self._stream_of(entry.subject), sequence, entry.subject, data)
        if entry.head.version < meta.version:  # else the follower was faster than the acknowledgement
            self._advance(entry, stored, told, meta, events, after)
        now = entry.head
        digest = now.hash if now.version == meta.version else ledger.record_hash(head.hash, data)
        return Answer(events, meta.version, sequence, digest, meta.time_us, stored.stream)

    def _record(
        self, entry: Entry[S], meta: Meta, before: S, after: S, request: bytes, events: tuple[E, ...]
    ) -> Record:
        framing = self._framing
        ruleset, params = framing.ruleset(after) if framing else ("", b"")
        key_id = framing.seals(before) if framing else ""
        cause = None if meta.cause is None else ledger.Cause(meta.cause.subject, meta.cause.version)
        content = ledger.encode_body(
            Body(
                meta.actor,
                meta.on_behalf_of,
                meta.authority,
                cause,
                meta.command_id,
                sha256(request).digest(),
                request,
                tuple(self._events.encode(event) for event in events),
            )
        )
        closing = framing.closing(before, after) if framing else None
        if framing and key_id:
            key = framing.key(entry.subject, key_id)
            if key is None:
                raise RuntimeError(f"no key {key_id} for an unlocked subject")
            content = ledger.seal(key, os.urandom(ledger.NONCE), entry.subject, meta.version, content)
        header = Header(
            entry.subject,
            meta.version,
            entry.head.hash,
            self._epoch,
            self._writer,
            ruleset,
            params,
            (key_id,) if key_id else (),
            meta.time_us,
        )
        return Record(header, content, bool(key_id), closing)

    async def _first_answer(
        self, entry: Entry[S], sequence: int, envelope: Envelope, same: Callable[[bytes], bool]
    ) -> Answer[E] | None:
        """The answer a repeated command got, rebuilt from its record; None on a digest collision of ids."""
        stored = await self._store.get(self._stream_of(entry.subject), sequence)
        if stored is None:
            raise RuntimeError(f"record {sequence} of {entry.subject} is gone")
        record = ledger.decode(stored.data)
        body = await self._open(entry, record)
        if body.command_id != envelope.command_id:
            return None
        if body.actor != envelope.actor or not same(body.command):
            raise Rejected(
                "COMMAND_ID_REUSED", "", "this command id was used for another command; send a new one"
            )
        header = record.header
        digest = ledger.record_hash(header.prev_hash, stored.data)
        events = tuple(self._events.decode(event) for event in body.events)
        return Answer(events, header.version, sequence, digest, header.time_us, stored.stream, repeated=True)

    async def _open(self, entry: Entry[S], record: Record) -> Body:
        if not record.sealed or self._framing is None:
            return ledger.body_of(record)
        key_id = record.header.key_ids[0]
        key = self._framing.key(entry.subject, key_id)
        if key is None:
            key = await self._framing.fetch(entry.subject, key_id, entry.opened)
        return ledger.body_of(record, key)

    # Folding

    def _entry(self, subject: str) -> Entry[S]:
        entry = self._entries.get(subject)
        if entry is None:
            entry = self._entries[subject] = Entry(subject, self._decider.initial(subject))
        return entry

    async def _deliver(self, batch: list[Stored]) -> None:
        telling = traced()
        for stored in batch:
            with following(stored.trace) if telling else nullcontext():
                self._fold(stored)
        self._sequences[batch[-1].stream] = batch[-1].sequence
        async with self._moved:
            self._moved.notify_all()

    async def _reload(self, entry: Entry[S]) -> None:
        async for stored in self._store.read(entry.subject, _sequence(entry)):
            self._fold(stored)

    def _fold(self, stored: Stored) -> None:
        """Take in one record. What is wrong with it is wrong with its subject alone: the others go on."""
        if not stored.data:
            self._go_past(stored)
            return
        entry = self._entry(stored.subject)
        if self._rulings:
            self._stand_in(entry)
        if not entry.suspended and stored.sequence > _sequence(entry):
            self._attempt(entry, stored)

    def _attempt(self, entry: Entry[S], stored: Stored) -> None:
        try:
            self._take(entry, stored)
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

    def _take(self, entry: Entry[S], stored: Stored) -> None:
        if entry.ours is not None and entry.ours[0] == stored.data:
            self._advance(entry, stored, *entry.ours[1:])
            return
        if entry.locked:
            self._take_behind(entry, stored)
            return
        told = ledger.outline(stored.data)
        _follows(entry, stored, told.version)
        if not told.key_id:
            self._apply(entry, stored, told)
            return
        key = None if self._framing is None else self._framing.key(entry.subject, told.key_id)
        if key is None:
            entry.locked.append(stored)
        else:
            self._apply(entry, stored, told, key)

    def _take_behind(self, entry: Entry[S], stored: Stored) -> None:
        """Take in a record after sealed ones that could not be opened."""
        version, sealed = ledger.glance(stored.data)
        _follows(entry, stored, version)
        if not sealed:
            told = ledger.outline(stored.data)
            if self._tells(entry, told):
                self._skip(entry)
                self._apply(entry, stored, told)
                return
        entry.locked.append(stored)

    def _go_past(self, stored: Stored) -> None:
        """Nobody appended this: the chain goes on from the record before, though the stream counts it."""
        _log.error("not_appended", subject=stored.subject, stream=stored.stream, sequence=stored.sequence)
        entry = self._entries.get(stored.subject)
        if entry is not None and not entry.locked:
            head = entry.head
            entry.head = Head(head.version, max(head.sequence, stored.sequence), head.hash, head.time_us)

    def _apply(self, entry: Entry[S], stored: Stored, told: Outline, key: bytes = b"") -> None:
        body = told.content
        if told.key_id:
            body = ledger.open_sealed(key, entry.subject, told.version, body)
        meta, serialised = ledger.meta_of(entry.subject, told, body)
        decode, evolve, state = self._events.decode, self._decider.evolve, entry.state
        events = tuple([decode(event) for event in serialised])
        for event in events:
            state = evolve(state, event, meta)
        self._advance(entry, stored, told, meta, events, state)

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
        entry.state, entry.head = self._framing.skip(before, told.closing), _head_after(stored)
        entry.skipped[told.key_id] = entry.opened
        self._tell(Applied(stored, told, None, (), before, entry.state))
        for kept in reversed(behind):
            clear = ledger.outline(kept.data)
            self._apply(entry, kept, clear)

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

    async def unlock(self, subject: str) -> None:
        """Return when the subject's state is whole and the key of its next record at hand, asking the dealer where needed.

        Raises what `fetch` raises, and Rejected("SUBJECT_SUSPENDED").
        """
        entry = self._entry(subject)
        if self._framing is not None and not _whole(entry, self._framing):
            async with entry.lock:
                entry = self._entry(subject)
                await self._have_key(entry, self._framing)
        self._refuse_suspended(entry)

    def _refuse_suspended(self, entry: Entry[S]) -> None:
        if entry.suspended or entry.subject in self._held:
            raise Rejected("SUBJECT_SUSPENDED", "", f"{entry.subject} is suspended: its log is not whole")

    async def _have_key(self, entry: Entry[S], framing: Framing[S]) -> None:
        while not entry.suspended and not _whole(entry, framing):
            if entry.locked:
                await self._unlock(entry)
            else:
                await framing.fetch(entry.subject, framing.seals(entry.state), entry.opened)

    async def _know_older(self, entry: Entry[S], framing: Framing[S], command: C) -> None:
        """Take in the command ids of skipped boards, for a command that may have been accepted on one of them."""
        if entry.suspended or not framing.may_be_older(entry.state, command):
            return
        skipped = dict(entry.skipped)
        keys = {key_id: await framing.fetch(entry.subject, key_id, at) for key_id, at in skipped.items()}
        first = next(iter(skipped.values()))
        async for stored in self._store.read(entry.subject, first.sequence):
            try:
                record = ledger.decode(stored.data)
                key = keys.get(record.header.key_ids[0]) if record.sealed else None
                if key is not None:
                    entry.commands.add(ledger.body_of(record, key).command_id, stored.sequence)
            except Exception as error:  # as in `_fold`
                self._suspend(entry, stored, error)
                return
        for key_id in skipped:
            del entry.skipped[key_id]

    async def _unlock(self, entry: Entry[S]) -> None:
        if self._framing is None:
            raise RuntimeError(f"{entry.subject}: sealed records in a log without seals")
        try:
            key_id = ledger.outline(entry.locked[0].data).key_id
        except Malformed as error:
            self._suspend(entry, entry.locked[0], error)
            return
        key = await self._framing.fetch(entry.subject, key_id, entry.opened)
        waiting, entry.locked = entry.locked, []
        for stored in waiting:  # none, when another replica opened the next board while we asked
            try:
                self._apply(entry, stored, ledger.outline(stored.data), key)
            except Exception as error:  # as in `_fold`
                self._suspend(entry, stored, error)
                return


def _follows(entry: Entry[S], stored: Stored, version: int) -> None:
    """Raises RuntimeError for a record that is not the subject's next one."""
    before = entry.head.version + len(entry.locked)
    if version != before + 1:
        raise RuntimeError(f"{stored.subject}: version {version} follows {before} in the stream")


def _sequence(entry: Entry[S]) -> int:
    """Stream sequence of the last record that was read of a subject."""
    return entry.locked[-1].sequence if entry.locked else entry.head.sequence


def _head_after(stored: Stored) -> Head:
    """The head that a record makes, by what stands in it; whether the chain before it is whole is for an audit to tell."""
    header = ledger.decode(stored.data).header
    digest = ledger.record_hash(header.prev_hash, stored.data)
    return Head(header.version, stored.sequence, digest, header.time_us)


def _whole(entry: Entry[S], framing: Framing[S]) -> bool:
    """Whether the subject's state is known and the key of its next record at hand."""
    key_id = framing.seals(entry.state)
    return not entry.locked and (not key_id or framing.key(entry.subject, key_id) is not None)
