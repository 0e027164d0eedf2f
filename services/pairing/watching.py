"""How far rounds are: in full for officials who do not play, for everybody else what all tables have closed (P13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fupan.pairing.v1 import events_pb2
from fupan.pairing.v1 import service_pb2 as pb
from services.pairing.desk import Desk
from services.pairing.model import events as e
from services.pairing.model.state import Championship, Round
from services.runtime.errors import NotFound


class Watching:
    """Says how far the rounds of a desk's championships are."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._watched: dict[tuple[str, int, bool], tuple[Any, pb.WatchRoundResponse]] = {}
        """The last message of every watched round, in full and for everybody, and what it was made from."""

    def tables(
        self, championship: str, state: Championship, current: Round, full: bool
    ) -> list[pb.TableProgress]:
        """The tables of a round."""
        shown = self._progress if full or _in_the_open(state) else self._everywhere
        return shown(championship, state, current, current.tables)

    def watch(self, championship: str, number: int, full: bool) -> pb.WatchRoundResponse:
        """How far a round is; the same object to all who watch, until something changes."""
        state = self._desk.rounds.state(championship)
        current = current_of(state, number) if state.rounds else None
        closed = matches = 0
        full = full or _in_the_open(state)
        if current is not None:
            played = self._desk.progress.of(championship, current.number)
            closed = played.boards_closed if full else played.everywhere(len(current.tables))
            matches = played.matches_ended
        made_from, key = (current, closed, matches, state.phase), (championship, number, full)
        seen = self._watched.get(key)
        if seen is None or seen[0] != made_from:
            watchable = self._in_full if full else self._for_everybody
            message = pb.WatchRoundResponse(phase="unpaired", championship_phase=state.phase)
            if current is not None:
                message = watchable(championship, state, current, closed)
            seen = self._watched[key] = made_from, message
        return seen[1]

    def _in_full(
        self, championship: str, state: Championship, current: Round, closed: int
    ) -> pb.WatchRoundResponse:
        assert state.settings is not None
        boards = state.settings.boards_per_round
        behind, slowest = self._desk.progress.of(championship, current.number).behind(current.tables, boards)
        return pb.WatchRoundResponse(
            round=current.number,
            phase=current.phase,
            tables=len(current.tables),
            tables_done=len(current.tables) - behind,
            boards_closed=closed,
            boards=len(current.tables) * boards,
            slowest=self._progress(championship, state, current, slowest),
            championship_phase=state.phase,
        )

    def _for_everybody(
        self, championship: str, state: Championship, current: Round, closed: int
    ) -> pb.WatchRoundResponse:
        """Without what would tell how a board went at a table while another still plays it; `closed` are boards."""
        assert state.settings is not None
        boards, tables = state.settings.boards_per_round, len(current.tables)
        return pb.WatchRoundResponse(
            round=current.number,
            phase=current.phase,
            tables=tables,
            tables_done=tables if closed >= boards else 0,
            boards_closed=tables * closed,
            boards=tables * boards,
            championship_phase=state.phase,
        )

    def _everywhere(
        self, championship: str, state: Championship, current: Round, tables: Sequence[e.SeatedTable]
    ) -> list[pb.TableProgress]:
        """Of every table the boards that all tables have closed."""
        assert state.settings is not None
        played = self._desk.progress.of(championship, current.number)
        told = played.boards_everywhere(len(current.tables))
        return [
            pb.TableProgress(
                table=_seated(one),
                boards_closed=len(told),
                boards=state.settings.boards_per_round,
                done=len(told) >= state.settings.boards_per_round,
                given=_given(state, one, [sat for sat in played.of(one.table).people if sat[0] in told]),
            )
            for one in tables
        ]

    def _progress(
        self, championship: str, state: Championship, current: Round, tables: Sequence[e.SeatedTable]
    ) -> list[pb.TableProgress]:
        assert state.settings is not None
        boards, played = state.settings.boards_per_round, self._desk.progress.of(championship, current.number)
        return [
            pb.TableProgress(
                table=_seated(one),
                boards_closed=len(progress.boards),
                boards=boards,
                last_closed_us=progress.last_us,
                done=progress.done(boards),
                given=_given(state, one, progress.people),
            )
            for one, progress in ((one, played.of(one.table)) for one in tables)
        ]


def _in_the_open(state: Championship) -> bool:
    """Whether anybody may know how far tables are: in matches with deals of their own no other table plays the same."""
    return state.settings is not None and state.settings.boards_per_round == 0


def current_of(state: Championship, number: int) -> Round:
    """The round of that number, of 0 the newest. Raises NotFound."""
    current = state.round(number) if number else state.rounds[-1] if state.rounds else None
    if current is None:
        raise NotFound("round", number or 1)
    return current


def changes_of(current: Round) -> Iterator[pb.SeatsChanged]:
    """What of a round was seated otherwise than it was paired (C9.2, C10.6)."""
    for one in current.changes:
        before = [_seated(table) for table in one.before]
        yield pb.SeatsChanged(time_us=one.time_us, reason=one.reason, before=before, ruled=one.ruled)


def _given(
    state: Championship, seated: e.SeatedTable, sat: Sequence[tuple[int, tuple[str, ...]]]
) -> Iterator[pb.GivenSeat]:
    """Seats of a table that others had than were paired, by who sat there at the end of its boards (C1.6)."""
    before: Sequence[str] = [
        state.entrants[number].members[member].person_id if number else ""
        for number, member in zip(seated.entrants, seated.members or (0,) * len(seated.entrants), strict=True)
    ]
    for board, people in sat:
        for seat, (last, person) in enumerate(zip(before, people, strict=True)):
            if person != last:
                yield pb.GivenSeat(seat=seat, person_id=person, board=board)
        before = people


def _seated(one: e.SeatedTable) -> events_pb2.SeatedTable:
    return events_pb2.SeatedTable(
        table=one.table, group=one.group, entrants=one.entrants, members=one.members
    )
