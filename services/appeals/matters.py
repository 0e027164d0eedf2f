"""What an appeal is about, in whatever words it is contested: a committee rules on it once (C10.7). Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from services.appeals.conflicts import seated_at
from services.appeals.model import events as e
from services.directory import Championship
from services.games.championship.tables import POINTS

Matters = frozenset[tuple[object, ...]]
"""Results of entrants on boards, matches, penalties, pairings, referees' rulings."""

FIRST_ATTEMPT = 1


def about(known: Championship, contested: e.Contested, sought: Iterable[e.Remedy]) -> Matters:
    """Everything that an appeal is about. Of a publication that is what is sought."""
    return _contested(known, contested).union(*(_sought(known, one) for one in sought))


def settled_by(known: Championship, filed: e.AppealFiled, ruled: Collection[e.AppealFiled]) -> str:
    """Which of the appeals that were ruled on leaves nothing to be judged in this one, empty where none does: what is contested
    here is ruled on, or everything that is sought."""
    touching = ""
    for one in ruled:
        final = about(known, one.contested, one.sought)
        if final & _contested(known, filed.contested):
            return one.appeal
        if final & about(known, filed.contested, filed.sought):
            touching = touching or one.appeal
    return "" if touching and open_remedies(known, filed, ruled) else touching


def open_remedies(
    known: Championship, filed: e.AppealFiled, ruled: Collection[e.AppealFiled]
) -> tuple[e.Remedy, ...]:
    """The remedies sought on which no committee has ruled."""
    final = frozenset[tuple[object, ...]]().union(*(about(known, one.contested, one.sought) for one in ruled))
    return tuple(one for one in filed.sought if not final & _sought(known, one))


def _contested(known: Championship, contested: e.Contested) -> Matters:
    match contested:
        case e.ContestedBoard():
            return _board(known, contested.round, contested.board, contested.table)
        case e.ContestedRuling():
            return frozenset({("ruling", contested.ruling)})
        case e.ContestedPairing():
            return frozenset({("pairing", contested.round)})
        case e.ContestedPublication():
            return frozenset()


def _sought(known: Championship, remedy: e.Remedy) -> Matters:
    match remedy:
        case e.CorrectResult() | e.VoidBoard() | e.ReplayBoard():
            return _board(known, remedy.round, remedy.board, remedy.table)
        case e.CorrectMatch():
            return frozenset({("match", remedy.round, remedy.table)})
        case e.SetPenalty():
            return frozenset({("penalty", remedy.penalty)})
        case e.ReseatRound():
            return frozenset({("pairing", remedy.round)})
        case e.AssignPercent():
            # Of whichever attempt counts.
            again = (one for one in known.replays.values() if (one.round, one.board) == _at(remedy))
            own = {one.attempt for one in again if remedy.entrant in one.table.entrants}
            return frozenset(_result(remedy.entrant, *_at(remedy), one) for one in {FIRST_ATTEMPT} | own)


def attempt_at(known: Championship, table: str) -> int:
    """The attempt at a board that is played at a table."""
    replay = known.replays.get(table)
    return FIRST_ATTEMPT if replay is None else replay.attempt


def _at(remedy: e.AssignPercent) -> tuple[int, int]:
    return remedy.round, remedy.board


def _board(known: Championship, round_: int, board: int, table: str) -> Matters:
    """A table's board is a result of each of its entrants; a deal of the points format is its match (C8.2)."""
    if known.settings.format == POINTS:
        return frozenset({("match", round_, table)})
    attempt = attempt_at(known, table)
    seated = seated_at(known, round_, table)
    return frozenset(_result(entrant, round_, board, attempt) for entrant in seated if entrant)


def _result(entrant: int, round_: int, board: int, attempt: int) -> tuple[object, ...]:
    return "result", entrant, round_, board, attempt
