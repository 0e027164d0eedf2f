"""A match as spectators see it: its table's records folded once more, each a while after it was written (design: views).

The deals of a match are played at no other table, so what lies open on this one can be shown to anybody; late, so that nobody in
the room can tell a player what somebody watching sees in the same moment. A table is read once for all who watch it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

import structlog

from services.domain import Rejected
from services.ledger import record as ledger
from services.ledger.record import START, Head, Stored
from services.runtime.errors import Limited, Unavailable
from services.runtime.store import StoreUnavailable
from services.table import views
from services.table.framing import TableFraming
from services.table.hall import Hall
from services.table.leaves import Leaves
from services.table.model.events import BoardOpened
from services.table.model.state import Table
from services.table.replay import taken
from services.table.stage import newest
from services.table.timekeeper import Timekeeper
from services.table.views import Shown
from services.table.watch import Watcher

LOOK_US = 5_000_000
"""How often the log is looked at for what was written since, at the least; no later than that is to be shown."""
AT_ONCE = 64
"""Tables that are shown at the same time."""

_log = structlog.get_logger(__name__)


class Gallery:
    """The matches that spectators watch. `late_us`: how long after it was written a record is shown."""

    def __init__(self, hall: Hall, leaves: Leaves, time: Timekeeper, late_us: int) -> None:
        self.late_us = late_us
        self._hall = hall
        self._leaves = leaves
        self._time = time
        self._screenings: dict[str, _Screening] = {}

    def check(self, subject: str) -> None:
        """Raise Rejected for a table that is not for spectators, Limited where too many are watched."""
        table = self._hall.table(subject)
        if table.real_cards:
            raise Rejected(
                "PLAYED_WITH_REAL_CARDS", "C1.3", "nothing is dealt at this table, and no clock runs"
            )
        if table.course is None:
            detail = "others play the same boards: once every table has closed one, it can be replayed"
            raise Rejected("BOARD_OPEN", "C6.4", detail)
        if subject not in self._screenings and len(self._screenings) >= AT_ONCE:
            raise Limited("TOO_MANY_CALLS", limit=str(AT_ONCE))

    async def watch(self, subject: str) -> AsyncIterator[Shown]:
        """What a spectator sees of a match, from where it stood `late_us` ago to its end. Raises as `check` does."""
        self.check(subject)
        screening = self._screenings.get(subject)
        if screening is None:
            screening = self._screenings[subject] = _Screening()
            screening.task = asyncio.create_task(self._show(subject, screening), name="spectators")
        watcher = screening.join()
        try:
            async for shown in watcher.changes():
                yield shown
        finally:
            screening.watchers.remove(watcher)
            if not screening.watchers and self._screenings.get(subject) is screening:
                del self._screenings[subject]
                screening.task.cancel()

    async def stop(self) -> None:
        """End all streams."""
        tasks = [screening.task for screening in self._screenings.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _show(self, subject: str, screening: _Screening) -> None:
        """Show one match until it is over or cannot be read."""
        try:
            async for shown in self._late(subject):
                screening.show(shown)
        except Exception as error:  # play and other tables go on, whatever is wrong with this one's log
            _log.warning("match_not_shown", subject=subject, error=type(error).__name__)
        finally:
            if self._screenings.get(subject) is screening:
                del self._screenings[subject]
            screening.close()

    async def _late(self, subject: str) -> AsyncIterator[Shown]:
        """What is to be seen, `late_us` after it came to be, to the end of the match; of the history that stands, once that is
        decided."""
        log = self._hall.log
        fold, coming, read = _Fold(subject, self._leaves), deque[Stored](), START
        decided = log.rulings(subject)
        while not fold.over:
            due_us = self._time.now_us() + min(LOOK_US, self.late_us)
            if decided != log.rulings(subject):
                decided = log.rulings(subject)
                fold, coming, read = _Fold(subject, self._leaves), deque[Stored](), START
            try:
                async for stored in log.read(subject, read):
                    coming.append(stored)
                    read = Head(ledger.version_of(stored.data), stored.sequence, b"", 0)
                while coming and (at_us := written_us(coming[0]) + self.late_us) <= self._time.now_us():
                    await fold.take(coming[0])
                    coming.popleft()
                if coming:
                    due_us = min(due_us, at_us)
            except (StoreUnavailable, Unavailable):
                pass  # what is away comes back; spectators see a little later what they came for
            if fold.table.opened is not None:
                yield fold.shown()
            await self._until(due_us)

    async def _until(self, at_us: int) -> None:
        due = asyncio.Event()
        alarm = self._time.alarm(at_us, due.set)
        try:
            await due.wait()
        finally:
            alarm.cancel()


def written_us(stored: Stored) -> int:
    """When a record was written, in microseconds since 1970."""
    return ledger.outline(stored.data).time_us


class _Screening:
    """One match and those who watch it."""

    task: asyncio.Task[None]

    def __init__(self) -> None:
        self.watchers: list[Watcher[Shown]] = []
        self._shown: Shown | None = None

    def join(self) -> Watcher[Shown]:
        """One more who watches, from what the others see now."""
        watcher = Watcher[Shown]()
        self.watchers.append(watcher)
        if self._shown is not None:
            watcher.show(self._shown)
        return watcher

    def show(self, shown: Shown) -> None:
        """What all see from here on."""
        self._shown = shown
        for watcher in self.watchers:
            watcher.show(shown)

    def close(self) -> None:
        """End all streams."""
        for watcher in self.watchers:
            watcher.close()


class _Fold:
    """A table as far as its records were taken, every board opened with its key."""

    def __init__(self, subject: str, leaves: Leaves) -> None:
        self.table = Table()
        self._subject = subject
        self._framing = TableFraming(leaves)
        self._opened = START
        """The record that opened the last board."""

    async def take(self, stored: Stored) -> None:
        """Go on by one record. Raises Unavailable while the dealer is away."""
        record = ledger.decode(stored.data)
        read = taken(self.table, record, await self._key(record.header.key_ids[0]) if record.sealed else None)
        if any(isinstance(event, BoardOpened) for event in read.events):
            header = record.header
            self._opened = Head(header.version, stored.sequence, b"", header.time_us)
        self.table = read.table

    async def _key(self, path: str) -> bytes:
        known = self._framing.key(self._subject, path)
        return known or await self._framing.fetch(self._subject, path, self._opened)

    @property
    def over(self) -> bool:
        """Whether the match has ended and its table is sealed."""
        return self.table.opened is not None and self.table.slot is None

    def shown(self) -> Shown:
        """What a spectator sees now."""
        return views.seat(self.table, newest(self.table), None)
