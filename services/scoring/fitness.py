"""Whether a correction fits the event's format, the table it is about, and what is final already (C7, C8, C10.6, C10.7). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

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
    if form == POINTS and isinstance(command, m.SupersedeBoard):
        _refuse(
            "C8.2",
            "no deal of a match is played again, since the next ones followed on it: correct the match as a whole,"
            " its winner and levels, once it has ended",
        )
    if (form == POINTS) != isinstance(command, m.CorrectMatch):
        _refuse("C8.2", "a match is corrected as a whole, boards in every other format")
    in_percent = isinstance(command, m.AssignPercent | m.SetPenalty) or (
        isinstance(command, m.VoidBoard) and command.tenths
    )
    if form == TEAMS and in_percent:
        _refuse("C7.2", "teams have no percentages: correct the board's result, or void it without any")
    figures = _figures(command)
    if form in (PAIRS, TEAMS) and len(figures) == 4:
        halved(figures)


def _refuse(clause: str, why: str) -> None:
    raise Rejected("RULING_OF_OTHER_FORMAT", clause, why)


def with_rooms(known: Championship, round_: int, tables: Iterable[str]) -> tuple[str, ...]:
    """The tables at which a board is played again with those named: of teams both rooms of a match, in the order of the round."""
    named = tuple(dict.fromkeys(tables))
    played = known.rounds.get(round_)
    if known.settings.format != TEAMS or played is None:
        return named
    again = [known.replays[one] for one in named if one in known.replays]
    own = [known.replays[table].table for one in again for table in sorted(known.playing_again(*one.deal))]
    rooms = own or played.tables.values()
    asked = set(named)
    meetings = {frozenset(one.entrants) for one in rooms if one.table in asked}
    return tuple(one.table for one in rooms if frozenset(one.entrants) in meetings) or named


def with_all_rooms(known: Championship, remedies: Iterable[m.Remedy]) -> tuple[m.Remedy, ...]:
    """Remedies, of which a replay in one room of a match of teams is one in the other, too."""
    found: list[m.Remedy] = []
    for one in remedies:
        if isinstance(one, m.ReplayBoard):
            found += [replace(one, table=table) for table in with_rooms(known, one.round, [one.table])]
        else:
            found.append(one)
    return tuple(dict.fromkeys(found))


def may_close(known: Championship, command: BoardCorrection) -> bool:
    """Whether a correction is about a board that its table plays, or will."""
    played = known.rounds.get(command.round)
    if played is None or not 1 <= command.board <= known.settings.boards_per_round:
        return False
    return isinstance(command, m.AssignPercent) or command.table in played.tables


def over(known: Championship, command: BoardCorrection, ledger: m.Ledger) -> bool:
    """Whether nobody plays the deal that a correction is about, where it is a replay's."""
    if isinstance(command, m.AssignPercent | m.SupersedeBoard):
        return True
    return _played(known, ledger.replay(command.table))


def running(known: Championship, command: BoardCorrection, ledger: m.Ledger) -> m.BoardSuperseded | None:
    """The order, whoever's, by which a table that is to play a board again has it to play again already (C9.2, C10.6)."""
    if not isinstance(command, m.SupersedeBoard):
        return None
    newest = ledger.again(command.table, command.round, command.board)
    return None if _played(known, newest) else newest


def _played(known: Championship, order: m.BoardSuperseded | None) -> bool:
    """Whether all that play a replay's deal have, where there is one."""
    return order is None or (order.by_table in known.replays and known.over(known.replays[order.by_table]))


def check_table(field: Field, command: BoardCorrection, form: str, ledger: m.Ledger) -> None:
    """Whether a correction fits the table it is about, which may be a replay's. Raises Rejected, NotFound."""
    if isinstance(command, m.AssignPercent):
        return
    order = ledger.replay(command.table)
    seats = field.seats.get((command.round, _first(command.table, ledger)))
    if seats is None or (order is not None and order.board != command.board):
        raise NotFound("table", command.table)
    if isinstance(command, m.SupersedeBoard) or (isinstance(command, m.VoidBoard) and form == TEAMS):
        return
    if len(_figures(command)) != len(seats[1]):
        raise Rejected(
            "RULING_OF_WRONG_LENGTH", "C10.6", f"this table has {len(seats[1])} seats: a figure for each"
        )


def check_final(field: Field, command: BoardCorrection, ledger: m.Ledger) -> None:
    """What is corrected at a table changes what was assigned to its entrants, and the other way round (C10.7). Raises Rejected."""
    touched = _touched(field, decider.ruling(command), ledger)
    for ruled in ledger.final(command.authority.appeal):
        changed = not decider.carries_out(command, ruled.event, ledger)
        if changed and touched & _touched(field, ruled.event, ledger):
            raise decider.is_final(ruled.event.authority.appeal)
    for left in ledger.confirmed:
        kept = (one for one in left.confirmed if not decider.came_later(command, one, ledger))
        if any(touched & _left(field, one, ledger) for one in kept):
            raise decider.is_final(left.appeal)


def _figures(command: m.Correction) -> tuple[int, ...]:
    """What it says by seat."""
    match command:
        case m.CorrectResult():
            return command.scores
        case m.VoidBoard():
            return command.tenths
        case _:
            return ()


def _first(table: str, ledger: m.Ledger) -> str:
    """The table of the round whose seats a table has."""
    order = ledger.replay(table)
    return table if order is None else order.table


def _left(field: Field, one: m.Confirmed, ledger: m.Ledger) -> set[tuple[int, int, int]]:
    """(entrant, round, board) of every result that a committee left as it is."""
    if not one.board:
        return set()
    played = [one.entrant] if one.entrant else field.played_by(one.round, _first(one.table, ledger))
    return {(entrant, one.round, one.board) for entrant in played}


def _touched(field: Field, event: m.Ruling, ledger: m.Ledger) -> set[tuple[int, int, int]]:
    """(entrant, round, board) of every result that a ruling decides; of tables of the field's rounds."""
    match event:
        case m.PenaltySet() | m.MatchCorrected():
            return set()
        case m.PercentAssigned():
            return {(event.entrant, event.round, event.board)}
        case _:
            played = field.played_by(event.round, _first(event.table, ledger))
            return {(entrant, event.round, event.board) for entrant in played}
