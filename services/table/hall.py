"""The hall: every table that is not finished, who is connected to it, and what it shows them.

The log tells of every record, own or another replica's (`_applied`); a table it concerns is looked at once in the same turn of
the loop (`_look`): frames that are due are shown, first to who waits for a receipt, and the steward sees to its next duty.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress

from services.domain import Rejected
from services.runtime.forks import Ruled
from services.runtime.log import Applied, Log
from services.runtime.streams import parse
from services.table import views
from services.table.desk import Desk
from services.table.ends import Told, show
from services.table.line import Line
from services.table.messages import seated
from services.table.model import commands as c
from services.table.model.events import BoardOpened, Event, SeatReplaced
from services.table.model.state import Table
from services.table.seating import Place, Seating
from services.table.stage import newest
from services.table.steward import Steward
from services.table.timekeeper import Timekeeper
from services.table.views import Frame
from services.table.watch import Seen, Watcher

TableLog = Log[Table, c.Command, Event]


class Hall:
    """Tables, players' lines and watchers of this replica."""

    def __init__(self, log: TableLog, steward: Steward, time: Timekeeper) -> None:
        self.log = log
        self.seating = Seating(log.state)
        self._steward = steward
        self._time = time
        self._desks: dict[str, Desk] = {}
        self._lines: dict[tuple[str, str], Line] = {}
        self._told = Told()
        self._open = False
        self.on_sealed: Callable[[Desk], None] = lambda desk: None
        """Called when another replica has opened a board whose key this one needs, to follow it."""
        self.on_attached: Callable[[str, str], None] = lambda championship, person: None
        """Called when a person's stream begins here."""
        self.on_unread: Callable[[str], None] = lambda subject: None
        """Called when somebody sits down at a table of whose last board nothing was read."""
        self.last: Callable[[str], Awaitable[Frame | None]] = _nothing
        """Reads the last frame of such a board. May raise Unavailable."""
        self.on_given: Callable[[Place], None] = lambda place: None
        """Called when a seat was given, and it is not confirmed yet."""
        log.listen(self._applied)
        log.look_on(self.seating.overheard)
        steward.again = self.nudge

    # Tables

    def open(self) -> list[Desk]:
        """Begin to look after tables, once the log is folded; returns those whose board is sealed to this replica."""
        for subject in self.log.subjects():
            table = self.log.state(subject)
            if table is None or table.opened is None or table.sealed:
                self._desks.pop(subject, None)
                continue
            desk = self._desks.setdefault(subject, Desk(subject, table))
            desk.locked = not self.log.whole(subject)
            if not desk.locked:
                desk.stage.restart(table)
            self.nudge(desk)
        self._open = True
        return [desk for desk in self._desks.values() if desk.locked]

    async def unlock(self, championship: str = "") -> None:
        """Return when no table's board is sealed to this replica any more, or none of a championship. Raises Unavailable."""
        locked = (desk for desk in self.desks() if self._locked(desk))
        wanted = [one for one in locked if championship in ("", parse(one.subject).championship)]
        await asyncio.gather(*map(self._unlock, wanted))

    async def _unlock(self, desk: Desk) -> None:
        with suppress(Rejected):  # a table whose log is not whole stays as it is
            await self.log.unlock(desk.subject)

    def _locked(self, desk: Desk) -> bool:
        """Whether a table's records are sealed to this replica; also of a board that this one was to deal, and another one has."""
        return desk.locked or self.log.waits(desk.subject)

    def unlocked(self, desk: Desk) -> None:
        """The table's sealed board was opened: it is looked after from here on."""
        desk.locked = False
        desk.stage.restart(self.table(desk.subject))
        self.nudge(desk)

    async def rule(self, subject: str, ruled: Ruled) -> None:
        """Go on with a table as a decision on its history says. Raises StoreUnavailable."""
        before = self.log.state(subject) or Table()
        await self.log.rule(subject, ruled)
        after = self.log.state(subject)
        if after is None:
            return
        moved = self._noted(subject, before, after, self.log.head(subject).time_us)
        self._seat_anew(after.facts.championship, moved)
        if after.sealed and subject not in self._desks:
            return
        desk = self._desks.setdefault(subject, Desk(subject, after))
        desk.stage.forget()
        desk.locked = not self.log.whole(subject)
        if desk.locked:
            self.on_sealed(desk)
        else:
            self.unlocked(desk)

    def table(self, subject: str) -> Table:
        """The newest state of a table that exists."""
        table = self.log.state(subject)
        if table is None:
            raise Rejected("NO_SUCH_TABLE", "", "the table was never opened")
        return table

    def desk(self, subject: str) -> Desk | None:
        """A table that is not sealed."""
        return self._desks.get(subject)

    def desks(self) -> Iterator[Desk]:
        """Every table that is not sealed."""
        return iter(tuple(self._desks.values()))

    def nudge(self, desk: Desk) -> None:
        """Look at a table in this turn of the loop, once."""
        if not desk.nudged:
            desk.nudged = True
            asyncio.get_running_loop().call_soon(self._look, desk)

    def _applied(self, applied: Applied[Table, Event]) -> None:
        subject, before, after = applied.stored.subject, applied.before, applied.after
        moved: tuple[str, ...] = ()
        if before.people is not after.people or before.given_us is not after.given_us:
            counted = not any(isinstance(one, SeatReplaced) and one.sits_at for one in applied.events)
            moved = self._noted(subject, before, after, applied.record.time_us, counted)
        desk = self._desks.get(subject)
        if desk is None:
            if after.sealed:
                return
            desk = self._desks[subject] = Desk(subject, before if before.people else after)
        if not self._open:
            if after.sealed:
                del self._desks[subject]
            else:
                desk.stage.note(applied)
            return
        if desk.locked:
            desk.stage.note(applied)
        else:
            desk.stage.take(applied)
            if any(isinstance(event, BoardOpened) for event in applied.events):
                self._opened(desk)
        self._seat_anew(after.facts.championship, moved)
        self.nudge(desk)

    def _noted(
        self, subject: str, before: Table, after: Table, time_us: int, counted: bool = True
    ) -> tuple[str, ...]:
        """Take in who sits at a table from here on; returns whose place that may change."""
        for seat, given_us in enumerate(after.given_us):
            if given_us:
                self.on_given(Place(subject, seat))
        return self.seating.note(subject, before, after, time_us, counted)

    def waits(self, place: Place) -> bool:
        """Whether a seat that somebody was given is not confirmed yet: nothing is shown there before (C6.4)."""
        table = self.table(place.subject)
        return bool(table.given_us[place.seat]) and not table.sealed

    def waiting(self, championship: str, person: str) -> Place | None:
        """A seat that a person was given and that is not confirmed yet."""
        for subject in self.seating.given(championship, person):
            people = self.table(subject).people
            if person in people and self.waits(place := Place(subject, people.index(person))):
                return place
        return None

    def _opened(self, desk: Desk) -> None:
        """A board was opened: its owner fetches the leaf to deal it, others to read on."""
        if not self._steward.owns(desk.subject):
            desk.locked = True
            self.on_sealed(desk)

    def _look(self, desk: Desk) -> None:
        desk.nudged = False
        if desk.locked:
            return
        # First who waits for a receipt: it goes with the view, and all else takes the loop a while.
        first = [line for line in desk.lines if line is not None and line.unanswered]
        desk.advance(self._time.now_us())
        if first:
            self._show(desk, first)
            asyncio.get_running_loop().call_soon(self._look_on, desk, first)
        else:
            self._look_on(desk)

    def _look_on(self, desk: Desk, shown: Sequence[Line] = ()) -> None:
        """Show a table to everybody else, and see to what it waits for."""
        if desk.locked:
            return
        table = self.table(desk.subject)
        self._show(desk, [line for line in desk.lines if line is not None and line not in shown])
        if desk.watchers:
            frame = desk.stage.frame
            seen = views.seat(table, frame, None), views.status(table), self.connected(desk.subject)
            for watcher in desk.watchers:
                watcher.show(seen)
        self._steward.see_to(desk, table)
        if table.sealed and not desk.next_us:
            self._desks.pop(desk.subject, None)
            for watcher in desk.watchers:
                watcher.close()

    def _show(self, desk: Desk, lines: Sequence[Line]) -> None:
        table, frame = self.table(desk.subject), desk.stage.frame
        for line in lines:
            show(line, table, frame, desk.stage.ended)

    def connected(self, subject: str) -> tuple[bool, ...]:
        """Which seats of a table have a stream here; of one with real cards nothing: nobody plays it over a stream (C1.3)."""
        desk = self._desks.get(subject)
        if desk is None or self.table(subject).real_cards:
            return ()
        return tuple([line is not None for line in desk.lines])

    # Players

    def attach(self, line: Line) -> None:
        """A player's stream begins; an older one of the same person ends."""
        key = line.championship, line.person
        older = self._lines.get(key)
        if older is not None:
            self.detach(older)
            older.close("REPLACED")
        self._lines[key] = line
        self._seat(line)
        self.on_attached(line.championship, line.person)

    def attached_elsewhere(self, championship: str, person: str) -> None:
        """A person's stream began at another replica; one here ends."""
        line = self._lines.get((championship, person))
        if line is not None:
            self.detach(line)
            line.close("REPLACED")

    def nudge_all(self) -> None:
        """Look at every table: who acts first for it may have changed."""
        for desk in self.desks():
            self.nudge(desk)

    def detach(self, line: Line) -> None:
        """A stream is over."""
        key = line.championship, line.person
        if self._lines.get(key) is line:
            del self._lines[key]
        self._unseat(line)

    def close(self, reason: str, championship: str = "") -> None:
        """End all streams, or those of one championship."""
        for line in tuple(self._lines.values()):
            if championship in ("", line.championship):
                self._show_end(line)
                self._unseat(line)
                line.close(reason)
        if championship:
            self._told.forget(championship)
        for desk in self.desks() if not championship else ():
            for watcher in desk.watchers:
                watcher.close()

    def _seat_anew(self, championship: str, people: Sequence[str]) -> None:
        """Let those who have a line here follow to where they sit now."""
        for person in people:
            line = self._lines.get((championship, person))
            if line is not None:
                self._seat(line)

    def _seat(self, line: Line) -> None:
        place = self.seating.place(line.championship, line.person)
        if line.subject and place == (line.subject, line.seat):
            return
        self._show_end(line)
        self._unseat(line)
        if place is None:
            line.rise("NO_TABLE")
            return
        table = self.table(place.subject)
        told = self._told.seen(line, place.subject)
        line.sit(place.subject, place.seat, table.rules.game, seated(table, place.seat), told)
        desk = self._desks.get(place.subject)
        if self.unread(place.subject):
            self.on_unread(place.subject)
        if desk is None:  # finished and sealed; there is nothing to wait for but the next round
            show(line, table, newest(table))
            return
        desk.lines[place.seat] = line
        desk.reconnects[place.seat] += 1
        if not table.joined[place.seat] and table.slot is not None:
            self._steward.join(desk, place.seat, line.person)
        self.nudge(desk)

    def unread(self, subject: str) -> bool:
        """Whether a table has closed a board and has nothing to show of any."""
        table, desk = self.table(subject), self._desks.get(subject)
        if not table.closed or table.real_cards or (desk is not None and desk.locked):
            return False
        return (newest(table) if desk is None else desk.stage.frame) is None

    def recall(self, subject: str, frame: Frame) -> None:
        """Show the last frame of a board that was not read, where there is nothing newer."""
        if not self.unread(subject):
            return
        desk = self._desks.get(subject)
        if desk is not None:
            desk.stage.show(frame)
            self.nudge(desk)
            return
        table = self.table(subject)
        for line in self._lines.values():
            if line.subject == subject:
                show(line, table, frame)

    def _unseat(self, line: Line) -> None:
        if line.subject:
            self._told.keep(line)
        desk = self._desks.get(line.subject)
        if desk is not None and desk.lines[line.seat] is line:
            desk.lines[line.seat] = None
            self.nudge(desk)

    def _show_end(self, line: Line) -> None:
        """Its board's end may be due to be shown in a moment (claim floor): who is led away from its table would never see it."""
        desk = self._desks.get(line.subject)
        if desk is not None and desk.lines[line.seat] is line and not desk.locked:
            table = self.table(desk.subject)
            if table.board is not None and table.board.closed:
                line.show(views.seat(table, newest(table), line.seat))

    def when_shown(self, subject: str, at_us: int, tell: Callable[[], None]) -> None:
        """Call `tell` in the turn in which a table shows what is due at a time, just before that; at once where it has passed."""
        desk = self._desks.get(subject)
        if desk is None or self._time.now_us() >= at_us:
            tell()
            return
        desk.held = (*desk.held, (at_us, tell))
        self.nudge(desk)

    async def place(self, championship: str, person: str) -> Place | None:
        """Where somebody sits, once no board that may tell otherwise is sealed to this replica: its records may give that seat
        away, or another one to this person. Raises Unavailable while the key cannot be had."""
        place, told = self.seating.place(championship, person), self.seating.substituted(championship, person)
        for subject in told if place is None else told | {place.subject}:
            await self.read(subject)
        return self.seating.place(championship, person)

    async def read(self, subject: str) -> None:
        """Return when no board of a table is sealed to this replica. Raises Unavailable."""
        desk = self._desks.get(subject)
        if desk is not None and self._locked(desk):
            await self.log.unlock(subject)
            desk.stage.restart(self.table(subject))

    async def view(self, place: Place) -> views.Shown:
        """What a seat sees now. Raises Unavailable."""
        desk = self._desks.get(place.subject)
        if desk is not None:
            desk.stage.advance(self._time.now_us())
        table = self.table(place.subject)
        frame = newest(table) if desk is None else desk.stage.frame
        if self.unread(place.subject):
            frame = await self.last(place.subject)
        return views.seat(table, frame, place.seat)

    # Officials

    def watch(self, subject: str, watcher: Watcher[Seen]) -> None:
        """Show a table to an official from here on. Raises Rejected for one that is finished."""
        desk = self._desks.get(subject)
        if desk is None:
            raise Rejected("TABLE_SEALED", "C9.4", "the table is finished and sealed")
        desk.watchers = (*desk.watchers, watcher)
        self.nudge(desk)

    def unwatch(self, subject: str, watcher: Watcher[Seen]) -> None:
        """The official has gone."""
        desk = self._desks.get(subject)
        if desk is not None:
            desk.watchers = tuple([other for other in desk.watchers if other is not watcher])


async def _nothing(_: str) -> Frame | None:
    return None
