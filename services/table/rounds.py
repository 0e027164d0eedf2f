"""What the table service does when pairing says something: opens a started round's tables, gives withdrawn entrants' seats to
house AI, closes what a closed round left open, lets a decision on a table's history stand, and ends the streams of an ended
championship (C1.5, C1.6, C2.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import structlog
from opentelemetry.context import Context, get_current

from fupan.pairing.v1.events_pb2 import Settings
from services.directory import Championship, Directory, Noticed, Place, Replay, Round
from services.directory import Table as SeatedTable
from services.domain import Cause, Rejected
from services.runtime.errors import AWAY
from services.runtime.forks import Ruled
from services.runtime.log import Envelope
from services.runtime.streams import Epoch
from services.runtime.telemetry import working
from services.table.decider.play import SERVICE
from services.table.hall import Hall
from services.table.model import commands as c
from services.table.model.events import BoardSlot, MatchTerms, Seat, TableOpened
from services.table.model.state import Table

_log = structlog.get_logger(__name__)

AT_ONCE = 64
"""Tables that are opened at the same time."""

RETRY_SECONDS = (0.1, 0.5, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class Due:
    """A table of a round that something is to be done at, by the record at `place`; `limit` is shared by all of the round."""

    championship: Championship
    round: Round
    table: SeatedTable
    place: Place
    limit: asyncio.Semaphore


class Rounds:
    """Reacts to pairing's events. Every reaction is a command whose id is derived from its cause, so reading all of them again
    after a restart changes nothing."""

    def __init__(self, hall: Hall, directory: Directory, epoch: Epoch, stopping: asyncio.Event) -> None:
        self._hall = hall
        self._directory = directory
        self._epoch = epoch
        self._stopping = stopping
        self._todo: asyncio.Queue[tuple[Noticed, Context] | None] = asyncio.Queue()
        """With the trace of who caused it."""
        directory.listen(self._noticed)

    def _noticed(self, noticed: Noticed) -> None:
        if noticed.championship.epoch != self._epoch.id:
            return
        if noticed.kind in _REACTIONS:
            self._todo.put_nowait((noticed, get_current()))

    async def run(self) -> None:
        """React, one event after the other, until the service stops."""
        stop = asyncio.create_task(self._stopping.wait())
        stop.add_done_callback(lambda _: self._todo.put_nowait(None))
        try:
            while (todo := await self._todo.get()) is not None:
                noticed, cause = todo
                with working(noticed.kind, cause):
                    await _REACTIONS[noticed.kind](self, noticed)
        finally:
            stop.cancel()

    async def _round_started(self, noticed: Noticed) -> None:
        # As it is by now: a withdrawal that came meanwhile counts, and a closed round needs no tables.
        championship = self._directory.get(noticed.championship.id)
        round_ = championship.rounds[noticed.event.round]
        if round_.phase != "running":
            return
        limit = asyncio.Semaphore(AT_ONCE)
        due = (Due(championship, round_, table, noticed.place, limit) for table in round_.tables.values())
        await asyncio.gather(*map(self._open, due))

    async def _open(self, due: Due) -> None:
        subject = self._epoch.table_subject(due.championship.id, due.table.table)
        if self._hall.log.head(subject).version:
            return
        command = c.OpenTable(opened(due.championship, due.round, due.table))
        async with due.limit:
            await self._insist(subject, command, f"open {due.place.authority}", due.place)

    async def _replay_seated(self, noticed: Noticed) -> None:
        """A ruling has a board played again, whether its round is closed or not (C10.6)."""
        championship = self._directory.get(noticed.championship.id)
        replay = championship.replays[noticed.event.table.table]
        subject = self._epoch.table_subject(championship.id, replay.table.table)
        if not self._hall.log.head(subject).version:
            command = c.OpenTable(replayed(championship, replay))
            await self._insist(subject, command, f"open {noticed.place.authority}", noticed.place)

    async def _entrant_withdrawn(self, noticed: Noticed) -> None:
        championship, entrant = noticed.championship, noticed.event.entrant
        running = (one.tables.values() for one in championship.rounds.values() if one.phase == "running")
        again = [one.table for one in championship.replays.values() if not championship.over(one)]
        for table in chain(*running, again):
            if entrant in table.entrants:
                subject = self._epoch.table_subject(championship.id, table.table)
                await self._replace(subject, entrant, noticed)

    async def _replace(self, subject: str, entrant: int, noticed: Noticed) -> None:
        """House AI for a withdrawn entrant at a table, wherever it sits there."""
        state = self._hall.log.state(subject)
        if state is None or state.sealed:
            return
        for number, seat in enumerate(state.facts.seats):
            if seat.entrant == entrant:
                command = c.ReplaceSeat(number, "", noticed.event.reason)
                name = f"withdrawn {noticed.place.authority} {number}"
                await self._insist(subject, command, name, noticed.place)

    async def _round_closed(self, noticed: Noticed) -> None:
        """A round that was closed with boards missing has no use for them (C2.2); a table it was closed too early for is opened
        all the same, since others wait for the record that closes each of its boards."""
        championship = self._directory.get(noticed.championship.id)
        round_ = championship.rounds[noticed.event.round]
        limit = asyncio.Semaphore(AT_ONCE)
        due = (
            Due(championship, round_, table, noticed.place, limit)
            for table in round_.tables.values()
            if not self._over(championship, table)
        )
        await asyncio.gather(*map(self._close, due))
        await self._perhaps_played(noticed)

    def _over(self, championship: Championship, table: SeatedTable) -> bool:
        """Whether a table has closed all its boards."""
        state = self._hall.log.state(self._epoch.table_subject(championship.id, table.table))
        return state is not None and state.slot is None

    async def _close(self, due: Due) -> None:
        await self._open(due)
        subject, place = self._epoch.table_subject(due.championship.id, due.table.table), due.place
        state = self._hall.log.state(subject)
        async with due.limit:
            for slot in () if state is None else _missing(state):
                name = f"round closed {place.authority} {slot.board} {slot.attempt}"
                await self._insist(subject, c.CloseBoard("round closed"), name, place)
            if state is not None and state.course is not None and state.course.ended is None:
                name = f"round closed {place.authority}"
                await self._insist(subject, c.EndMatch("round closed"), name, place)

    async def _fork_decided(self, noticed: Noticed) -> None:
        """The chief referee has decided which history of a table stands."""
        event = noticed.event
        ruled = Ruled(event.version, event.until, tuple(event.records))
        await self._insisted(partial(self._hall.rule, event.subject, ruled), event.subject)
        state = self._hall.log.state(event.subject)
        # What was written since then was written after the board was closed.
        closed = self._hall.log.head(event.subject).time_us > noticed.place.time_us
        if event.close_board and not closed and state is not None and state.live is not None:
            name = f"fork decided {noticed.place.authority}"
            await self._insist(event.subject, c.CloseBoard("fork decided"), name, noticed.place)

    async def _perhaps_played(self, noticed: Noticed) -> None:
        if noticed.championship.played:
            self._hall.close("CHAMPIONSHIP_ENDED", noticed.championship.id)

    async def _insist(self, subject: str, command: c.Command, command_id: str, place: Place) -> None:
        """Send a command until it was decided; a reaction never gives up on a fact."""
        envelope = Envelope(SERVICE, command_id, cause=Cause(place.subject, place.version))
        await self._insisted(partial(self._hall.log.handle, subject, command, envelope), subject)

    async def _insisted(self, work: Callable[[], Awaitable[object]], subject: str) -> None:
        tries = 0
        while not self._stopping.is_set():
            try:
                await work()
                return
            except (Rejected, *AWAY) as error:
                if isinstance(error, Rejected) and error.reason != "SEAT_NOT_CONFIRMED":  # it is in a moment
                    _log.warning(
                        "reaction_refused", subject=subject, reason=error.reason, detail=error.detail
                    )
                    return
                wait = RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)]
                _log.warning("reaction_failed", subject=subject, error=type(error).__name__, again=wait)
                tries += 1
                await asyncio.sleep(wait)


_REACTIONS: dict[str, Callable[[Rounds, Noticed], Awaitable[None]]] = {
    "round_started": Rounds._round_started,
    "round_closed": Rounds._round_closed,
    "replay_seated": Rounds._replay_seated,
    "entrant_withdrawn": Rounds._entrant_withdrawn,
    "competition_ended": Rounds._perhaps_played,
    "board_replayed": Rounds._perhaps_played,
    "fork_decided": Rounds._fork_decided,
}


def _missing(state: Table) -> Sequence[BoardSlot]:
    """Boards that a table has not closed; of a match the running deal."""
    if state.course is None:
        return state.facts.boards[state.closed :]
    return () if state.live is None else (state.live.slot,)


def opened(championship: Championship, round_: Round, table: SeatedTable) -> TableOpened:
    """What a table of a round is opened with; nobody sits down at one of a closed round."""
    settings, closed = championship.settings, round_.closed_us > 0
    match = _terms(settings)
    return TableOpened(
        championship=championship.id,
        table=table.table,
        round=round_.number,
        group=table.group,
        seats=tuple(
            [
                Seat(entrant, "" if closed else _person(championship, table, seat))
                for seat, entrant in enumerate(table.entrants)
            ]
        ),
        boards=()
        if match
        else tuple([BoardSlot(board, 1) for board in range(1, settings.boards_per_round + 1)]),
        ruleset=settings.ruleset,
        params=settings.params or "{}",
        play_clock_ms=settings.play_clock_ms,
        claim_clock_ms=settings.claim_clock_ms,
        claim_floor_ms=settings.claim_floor_ms,
        join_wait_ms=settings.join_wait_ms,
        board_pause_ms=settings.board_pause_ms,
        board_deadline_us=round_.board_deadline_us,
        demo=settings.demo,
        demo_seed=settings.demo_seed,
        bury_clock_ms=settings.bury_clock_ms,
        deal_pace_ms=settings.deal_pace_ms,
        bid_clock_ms=settings.bid_clock_ms,
        match=match,
        real_cards=settings.real_cards and match is None,
        tells_seats=True,
        confirms_seats=True,
    )


def replayed(championship: Championship, replay: Replay) -> TableOpened:
    """What the table of a replay is opened with: its one board, in a new attempt, without the round's deadline."""
    running = replace(championship.rounds[replay.round], closed_us=0, board_deadline_us=0)
    table = opened(championship, running, replay.table)
    return replace(table, boards=(BoardSlot(replay.board, replay.attempt),))


def _terms(settings: Settings) -> MatchTerms | None:
    """What ends a match, where matches are played (C8.2)."""
    if settings.format != "points":
        return None
    return MatchTerms(
        settings.match_time_ms, settings.match_deals, settings.a_is_a_level, settings.real_cards
    )


def _person(championship: Championship, table: SeatedTable, seat: int) -> str:
    """Who plays there: nobody but house AI for an entrant that has withdrawn, and for seats that are no entrant's."""
    withdrawn = table.entrants[seat] in championship.withdrawn
    return "" if withdrawn else championship.person_at(table, seat)
