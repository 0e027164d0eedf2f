"""Whether a correction fits the event's format, the table it is about, and what is final already (C7, C8, C10.6, C10.7). Pure."""

from __future__ import annotations

from services.directory import Championship
from services.domain import Rejected
from services.games.championship.pairs import halved
from services.games.championship.tables import PAIRS, POINTS, TEAMS
from services.runtime.errors import NotFound
from services.scoring import decider
from services.scoring import model as m
from services.scoring.field import Field

BoardCorrection = m.CorrectResult | m.VoidBoard | m.AssignPercent | m.SupersedeBoard


def check_format(form: str, command: m.Correction) -> None:
    """Whether a format knows such a correction. Raises Rejected.

    Matches of the points format are corrected as a whole; teams know no percentages, so a void board is not compared and that is
    all; partners have figures in common.
    """
    if (form == POINTS) != isinstance(command, m.CorrectMatch):
        _refuse("C8.2", "a match is corrected as a whole, boards in every other format")
    in_percent = isinstance(command, m.AssignPercent | m.SetPenalty) or (
        isinstance(command, m.VoidBoard) and command.tenths
    )
    if form == TEAMS and in_percent:
        _refuse("C7.2", "teams have no percentages: correct the board's result, or void it without any")
    if form == TEAMS and isinstance(command, m.SupersedeBoard):
        _refuse(
            "C7.2", "both rooms of a match play the same deals: a board is not played again in one of them"
        )
    figures = _figures(command)
    if form in (PAIRS, TEAMS) and len(figures) == 4:
        halved(figures)


def _refuse(clause: str, why: str) -> None:
    raise Rejected("RULING_OF_OTHER_FORMAT", clause, why)


def may_close(known: Championship, command: BoardCorrection) -> bool:
    """Whether a correction is about a board that its table plays, or will."""
    played = known.rounds.get(command.round)
    if played is None or not 1 <= command.board <= known.settings.boards_per_round:
        return False
    return isinstance(command, m.AssignPercent) or command.table in played.tables


def check_table(field: Field, command: BoardCorrection, form: str) -> None:
    """Whether a correction fits the table it is about. Raises Rejected, NotFound."""
    if isinstance(command, m.AssignPercent):
        return
    seats = field.seats.get((command.round, command.table))
    if seats is None:
        raise NotFound("table", command.table)
    if isinstance(command, m.SupersedeBoard) or (isinstance(command, m.VoidBoard) and form == TEAMS):
        return
    if len(_figures(command)) != len(seats[1]):
        raise Rejected("RULING_OF_WRONG_LENGTH", "C10.6", f"this table has {len(seats[1])} seats")


def check_final(field: Field, command: BoardCorrection, ledger: m.Ledger) -> None:
    """What is corrected at a table changes what was assigned to its entrants, and the other way round (C10.7). Raises Rejected."""
    touched = _touched(field, decider.ruling(command))
    for ruled in ledger.final(command.authority.appeal):
        if touched & _touched(field, ruled.event):
            appeal = ruled.event.authority.appeal
            raise Rejected("RULING_FINAL", "C10.7", f"the committee's ruling in appeal {appeal} is final")


def _figures(command: m.Correction) -> tuple[int, ...]:
    """What it says by seat."""
    match command:
        case m.CorrectResult():
            return command.scores
        case m.VoidBoard():
            return command.tenths
        case _:
            return ()


def _touched(field: Field, event: m.Ruling) -> set[tuple[int, int, int]]:
    """(entrant, round, board) of every result that a ruling decides; of tables of the field's rounds."""
    match event:
        case m.PenaltySet() | m.MatchCorrected():
            return set()
        case m.PercentAssigned():
            return {(event.entrant, event.round, event.board)}
        case _:
            played = field.played_by(event.round, event.table)
            return {(entrant, event.round, event.board) for entrant in played}
