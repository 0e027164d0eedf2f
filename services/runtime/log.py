"""A service's own streams, folded in memory: the one way to write to them and to know their state.

`Log.handle` is the write path of every service: state → decide → one record → append → evolve. The same fold runs over
records that other replicas wrote, in stream order, so that every replica can serve every subject.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from hashlib import sha256
from typing import Any, Generic, NamedTuple

from services.domain import C, Decider, E, Meta, Rejected, S
from services.ledger import record as ledger
from services.ledger.codec import Codec, Malformed
from services.ledger.record import Body, Head, Header, Record, Stored
from services.runtime.entry import Applied, Entry, Envelope, Framing
from services.runtime.errors import Aborted
from services.runtime.fold import Fold
from services.runtime.following import Following
from services.runtime.forks import Ruled, brought, standing
from services.runtime.positions import position
from services.runtime.store import EVERYTHING, EventStore
from services.runtime.streams import stream_of
from services.runtime.telemetry import following, traced
from services.runtime.writer import Overtaken, append

__all__ = ["Answer", "Applied", "Envelope", "Framing", "Log"]

ATTEMPTS = 8
"""A conflict is decided again at least this often before a command is given up as ABORTED."""

DEADLINE = 10.0
"""Seconds that a command may take, by default."""


class Answer(NamedTuple, Generic[E]):
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


class Log(Fold[S, E], Generic[S, C, E]):
    """All subjects of a service's own streams, kept up to date and written to."""

    def __init__(
        self,
        store: EventStore,
        writer: ledger.Writer,
        epoch: str,
        decider: Decider[S, C, E],
        commands: Codec[C],
        events: Codec[E],
        clock: Callable[[], int],
        framing: Framing[S] | None = None,
    ) -> None:
        super().__init__(decider, events, framing)
        self._store = store
        self._writer = writer
        self._epoch = epoch
        self._commands = commands
        self._clock = clock
        self._followings: dict[str, Following] = {}
        self._running: set[asyncio.Task[Any]] = set()

    # Reading

    async def start(self, streams: Iterable[str]) -> None:
        """Fold `streams` from record 1, return when everything there was is folded, and go on following them."""
        self._followings = {stream: Following(self._store, stream, self._deliver) for stream in streams}
        await asyncio.gather(*(one.start() for one in self._followings.values()))

    async def stop(self) -> None:
        """Wait for running commands, then stop following."""
        if self._running:
            await asyncio.wait(self._running)
        await asyncio.gather(*(one.stop() for one in self._followings.values()))

    @property
    def followers(self) -> Sequence[asyncio.Task[None] | None]:
        """Tasks that must live as long as the service; one that ends took the service's knowledge with it."""
        return [one.task for one in self._followings.values()]

    async def wait_for(self, stream: str, sequence: int) -> None:
        """Return when `stream` is folded up to `sequence`. Bounded by the caller (`asyncio.timeout`)."""
        await self._followings[stream].wait_for(sequence)

    async def catch_up(self) -> None:
        """Return when everything that is in the streams now is folded. Bounded by the caller (`catchup.within`)."""
        await asyncio.gather(*(one.catch_up() for one in self._followings.values()))

    async def read(
        self, subject: str, after: Head = ledger.START, most: int = EVERYTHING
    ) -> AsyncIterator[Stored]:
        """A subject's records after a head, as they stand: where its history was decided upon, those of the one that was chosen.
        At most so many, where nothing was. Raises StoreUnavailable."""
        rulings = self._rulings.get(subject)
        if not rulings:
            async for stored in self._store.read(subject, after.sequence, most):
                yield stored
            return
        whole = standing(self._store.read(subject), rulings, stream_of(subject), subject)
        async for stored in whole:
            if ledger.version_of(stored.data) > after.version:
                yield stored

    async def rule(self, subject: str, ruled: Ruled) -> None:
        """Let a decision on a subject's history stand; returns when the state is what it makes of it. Listeners hear nothing."""
        self._settle(subject, ruled)
        async with self._entry(subject).lock:
            if ruled.records:
                records = [stored async for stored in self._store.read(subject)]
                self._fold_anew(subject, records)

    async def _deliver(self, batch: list[Stored]) -> None:
        if traced():
            for stored in batch:
                with following(stored.trace):
                    self._fold(stored)
        else:
            self._fold_all(batch)

    async def _reload(self, entry: Entry[S]) -> None:
        async for stored in self._store.read(entry.subject, entry.sequence):
            self._fold(stored)

    # Keys

    async def unlock(self, subject: str) -> None:
        """Return when the subject's state is whole and the key of its next record at hand, asking the dealer where needed.

        Raises what `fetch` raises, and Rejected("SUBJECT_SUSPENDED").
        """
        entry = self._entry(subject)
        if self._framing is not None and not entry.whole(self._framing):
            async with entry.lock:
                entry = self._entry(subject)
                await self._have_key(entry, self._framing)
        self._refuse_suspended(entry)

    async def _have_key(self, entry: Entry[S], framing: Framing[S]) -> None:
        while not entry.suspended and not entry.whole(framing):
            if entry.locked:
                await self._ask_key(entry, framing)
            else:
                await framing.fetch(entry.subject, framing.seals(entry.state), entry.opened)

    async def _know_older(self, entry: Entry[S], framing: Framing[S], command: C) -> None:
        """Take in the command ids of skipped boards, for a command that may have been accepted on one of them."""
        if entry.suspended or not entry.skipped or not framing.may_be_older(entry.state, command):
            return
        skipped = dict(entry.skipped)
        keys = {key_id: await framing.fetch(entry.subject, key_id, at) for key_id, at in skipped.items()}
        first = next(iter(skipped.values()))
        async for stored in self.read(entry.subject, first):
            try:
                record = ledger.decode(stored.data)
                key = keys.get(record.header.key_ids[0]) if record.sealed else None
                if key is not None:
                    entry.commands.add(ledger.body_of(record, key).command_id, stored.sequence)
            except Exception as error:  # as in `Fold`
                self._suspend(entry, stored, error)
                return
        for key_id in skipped:
            del entry.skipped[key_id]

    async def _ask_key(self, entry: Entry[S], framing: Framing[S]) -> None:
        try:
            key_id = ledger.outline(entry.locked[0].data).key_id
        except Malformed as error:
            self._suspend(entry, entry.locked[0], error)
            return
        self._open_locked(entry, key_id, await framing.fetch(entry.subject, key_id, entry.opened))

    # Writing

    async def handle(
        self,
        subject: str,
        command: C,
        envelope: Envelope,
        *,
        deadline: float = DEADLINE,
        same: Callable[[C], bool] | None = None,
        still: Callable[[S], None] | None = None,
    ) -> Answer[E]:
        """Decide `command` on the newest state and append its events as one record.

        `deadline` in seconds; `same`: see `repeated`, by default the same bytes; `still` is shown the state that is decided on,
        and raises where what the caller has found out before does not hold for it any more. A cancelled caller loses the answer,
        never the record: the work goes on and a retry with the same id finds it. Raises Rejected, Aborted, StoreUnavailable, and
        what `Framing.fetch` and `still` raise.
        """
        return await asyncio.shield(
            self._begin(self._handle(subject, command, envelope, deadline, same, still))
        )

    def submit(self, subject: str, command: C, envelope: Envelope) -> asyncio.Task[Answer[E]]:
        """`handle` for callers that do not wait: the task it runs in, which must not be cancelled."""
        return self._begin(self._handle(subject, command, envelope, DEADLINE, None, None))

    def _begin(self, work: Coroutine[Any, Any, Answer[E]]) -> asyncio.Task[Answer[E]]:
        task = asyncio.create_task(work)
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

    async def accepted(self, subject: str, command: C, envelope: Envelope) -> bool:
        """Whether this command was accepted before, also on a board that was gone past. Raises as `handle`."""
        until, again = asyncio.get_running_loop().time() + DEADLINE, self._commands.encode(command).__eq__
        async with self._entry(subject).lock:
            return bool(await self._accepted(self._entry(subject), command, envelope, until, again))

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
        still: Callable[[S], None] | None,
    ) -> Answer[E]:
        entry = self._entry(subject)
        until = asyncio.get_running_loop().time() + deadline
        request = self._commands.encode(command)

        def again(data: bytes) -> bool:
            return data == request if same is None else same(self._commands.decode(data))

        async with entry.lock:
            entry, attempt = self._entry(subject), 0  # it may have been folded anew meanwhile
            while True:
                if first := await self._accepted(entry, command, envelope, until, again):
                    return first
                known = entry.sequence
                if still is not None:
                    still(entry.state)
                try:
                    return await self._commit(entry, command, request, envelope, until)
                except Rejected as refusal:
                    if self._framing is not None and self._framing.stands(entry.state, command, refusal):
                        raise
                    # Perhaps only here: another replica has written what its sender relies on, and it was not read yet.
                    await self._reload(entry)
                    if entry.sequence == known:
                        raise
                except Overtaken as overtaken:
                    if not overtaken.record.data:
                        self._fold(overtaken.record)
                    attempt += 1
                    if attempt >= ATTEMPTS and asyncio.get_running_loop().time() >= until:
                        raise Aborted(f"{subject} was changed by others {attempt} times") from None
                    await asyncio.sleep(random.uniform(0, 0.002 * min(attempt, 10)))
                    await self._reload(entry)

    async def _accepted(
        self, entry: Entry[S], command: C, envelope: Envelope, until: float, again: Callable[[bytes], bool]
    ) -> Answer[E] | None:
        """The first answer to a command that was accepted before, once all is at hand to tell that."""
        framing = self._framing
        if framing is not None and (entry.skipped or not entry.whole(framing)):
            async with asyncio.timeout_at(until):
                await self._have_key(entry, framing)
                await self._know_older(entry, framing, command)
        self._refuse_suspended(entry)
        seen = entry.commands.find(envelope.command_id)
        return None if seen is None else await self._first_answer(entry, seen, envelope, again)

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
            stream = stream_of(entry.subject)
            return Answer((), head.version, head.sequence, head.hash, head.time_us, stream)
        after = self._evolve(before, events, meta)
        record = self._record(entry, meta, before, after, request, events)
        data, told = ledger.encode(record), ledger.outlined(record)
        entry.ours = data, told, meta, events, after
        try:
            # In this task, which nobody cancels.
            sequence = await append(self._store, entry.subject, data, head.sequence, until)
        finally:
            entry.ours = None
        stored = Stored(stream_of(entry.subject), sequence, entry.subject, data)
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
        people: tuple[str, ...] = ()
        if framing and key_id:
            people = framing.people(before, after)
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
        return Record(header, content, bool(key_id), closing, people)

    async def _first_answer(
        self, entry: Entry[S], sequence: int, envelope: Envelope, same: Callable[[bytes], bool]
    ) -> Answer[E] | None:
        """The answer a repeated command got, rebuilt from its record; None on a digest collision of ids."""
        async for stored in self._lying_at(entry.subject, sequence):
            record = ledger.decode(stored.data)
            body = await self._open(entry, record)
            if body.command_id == envelope.command_id:
                break
        else:
            return None
        if body.actor != envelope.actor or not same(body.command):
            raise Rejected(
                "COMMAND_ID_REUSED", "", "this command id was used for another command; send a new one"
            )
        header = record.header
        digest = ledger.record_hash(header.prev_hash, stored.data)
        events = tuple(self._events.decode(event) for event in body.events)
        return Answer(events, header.version, sequence, digest, header.time_us, stored.stream, repeated=True)

    async def _lying_at(self, subject: str, sequence: int) -> AsyncIterator[Stored]:
        """The records that stand at a place of the stream: those that a decision brought there, else the stream's."""
        stream = stream_of(subject)
        if decided := brought(self._rulings.get(subject, {}), stream, subject, sequence):
            for stored in decided:
                yield stored
            return
        kept = await self._store.get(stream, sequence)
        if kept is None:
            raise RuntimeError(f"record {sequence} of {subject} is gone")
        yield kept

    async def _open(self, entry: Entry[S], record: Record) -> Body:
        if not record.sealed or self._framing is None:
            return ledger.body_of(record)
        key_id = record.header.key_ids[0]
        key = self._framing.key(entry.subject, key_id)
        if key is None:
            key = await self._framing.fetch(entry.subject, key_id, entry.opened)
        return ledger.body_of(record, key)
