"""From facts and rulings to standings: which boards count, and the arithmetic's own types (C2.2, C3, C4). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from services.games.championship import results as r
from services.scoring import model as m


@dataclass(frozen=True, slots=True)
class PlayedBoard:
    """One closed board of one table; no scores when it was closed unfinished."""

    round: int
    board: int
    attempt: int
    table: str
    scores: tuple[int, ...]
    thinking_us: tuple[int, ...]
    playing_us: tuple[int, ...]
    taken_over: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A championship's entrants (ascending), seats by (round, table) as (group, entrants by seat), and closed boards.

    `sequence` is that of the last record of pairing in it.
    """

    entrants: tuple[int, ...]
    seats: Mapping[tuple[int, str], tuple[int, tuple[int, ...]]]
    boards: tuple[PlayedBoard, ...]
    sequence: int = 0

    def closed_everywhere(self) -> frozenset[tuple[int, int]]:
        """(round, board) of every board that all tables of its round have closed: only these count and are shown."""
        tables = Counter(round_ for round_, _ in self.seats)
        closed = Counter(
            (one.round, one.board) for one in self.boards if (one.round, one.table) in self.seats
        )
        return frozenset(key for key, count in closed.items() if count == tables[key[0]])

    def played_by(self, round_: int, table: str) -> frozenset[int]:
        """The entrants of a table."""
        _, entrants = self.seats.get((round_, table), (0, ()))
        return frozenset(entrants) - {0}


def facts(played: Field, rulings: Iterable[m.Ruled]) -> r.Facts:
    """What standings are made of: boards closed everywhere, with rulings laid over them."""
    shown = played.closed_everywhere()
    results = tuple(
        _result(one, played)
        for one in played.boards
        if (one.round, one.board) in shown and (one.round, one.table) in played.seats
    )
    return r.Facts(results, tuple(map(_ruling, rulings)), played.entrants)


def _result(one: PlayedBoard, played: Field) -> r.TableResult:
    group, entrants = played.seats[one.round, one.table]
    return r.TableResult(
        round=one.round,
        group=group,
        board=one.board,
        table=one.table,
        seats=tuple(number or None for number in entrants),
        scores=one.scores,
        micros=one.thinking_us,
        play_micros=one.playing_us,
        attempt=one.attempt,
        taken_over=one.taken_over,
    )


def _ruling(ruled: m.Ruled) -> r.Ruling:
    event = ruled.event
    match event:
        case m.ResultCorrected():
            return r.Corrected(ruled.number, event.round, event.board, event.table, event.scores)
        case m.BoardVoided():
            return r.Voided(ruled.number, event.round, event.board, event.table, event.tenths)
        case m.PercentAssigned():
            return r.Assigned(ruled.number, event.entrant, event.round, event.board, event.tenths)
        case m.PenaltySet():
            return r.Penalised(ruled.number, event.penalty, event.entrant, event.tenths)
        case m.BoardSuperseded():
            return r.Voided(ruled.number, event.round, event.board, event.table)
