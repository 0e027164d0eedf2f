"""What scoring is told to decide. Names and fields as in `protos/fupan/scoring/v1/events.proto`."""

from __future__ import annotations

from dataclasses import dataclass

from services.scoring.model.events import Authority, Confirmed, Cut


@dataclass(frozen=True, slots=True)
class CorrectResult:
    """Correct raw scores; they sum to zero."""

    table: str
    round: int
    board: int
    attempt: int
    scores: tuple[int, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class VoidBoard:
    """Void a table's board."""

    table: str
    round: int
    board: int
    attempt: int
    tenths: tuple[int, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class AssignPercent:
    """Assign a percentage."""

    entrant: int
    round: int
    board: int
    tenths: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class SetPenalty:
    """Set or lift a penalty."""

    penalty: str
    entrant: int
    tenths: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class PublishStandings:
    """Fix standings the service computed inside a cut."""

    cause: str
    after_round: int
    cut: Cut
    digest: bytes
    entrants: int
    rulings: int


@dataclass(frozen=True, slots=True)
class SupersedeBoard:
    """Let a replayed attempt count."""

    table: str
    round: int
    board: int
    attempt: int
    by_table: str
    by_attempt: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class ReplayBoard:
    """Have a board played again; that attempt counts instead."""

    table: str
    round: int
    board: int
    attempt: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class OrderReplay:
    """Have a board played again at some tables, with one new deal for all of them (C9.2).

    `after`: the newest attempt at it that they have played, 1 where none was played again. What was ordered since comes first.
    """

    round: int
    board: int
    tables: tuple[str, ...]
    authority: Authority
    after: int = 1


@dataclass(frozen=True, slots=True)
class RecalculateRuling:
    """Put the arithmetic of a committee's ruling right: which of the remedies it ruled in an appeal, from 1, and the workings."""

    appeal: str
    remedy: int
    working: tuple[str, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class FixStandings:
    """Decide nothing any more while the announced seal is made (C10.8)."""

    announcement: int


@dataclass(frozen=True, slots=True)
class ReopenStandings:
    """Go on: the announced seal was withdrawn."""

    announcement: int


@dataclass(frozen=True, slots=True)
class SealStandings:
    """Make a publication final."""

    publication: int


@dataclass(frozen=True, slots=True)
class CorrectMatch:
    """Correct the winner of a match, a side, and the levels."""

    table: str
    round: int
    winner: int
    levels: tuple[str, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class TableSeats:
    """Entrants of a table by seat, 0 for house AI."""

    table: str
    entrants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReseatRound:
    """Seat a round that has not begun otherwise: pairing's to carry out, and no ruling of ours."""

    round: int
    tables: tuple[TableSeats, ...]
    authority: Authority


Result = CorrectResult | VoidBoard | AssignPercent | SetPenalty | CorrectMatch
Remedy = Result | ReplayBoard
Correction = Result | SupersedeBoard
Order = Correction | OrderReplay | RecalculateRuling
"""What a chief referee commands (C9.2)."""


@dataclass(frozen=True, slots=True)
class ApplyRuling:
    """All remedies of an upheld appeal at once; `refused`: why they do not fit the facts, empty where they do, as was found out
    when there were so many `rulings`; with its clause and English sentence."""

    appeal: str
    remedies: tuple[Remedy, ...]
    refused: str
    rulings: int = 0
    clause: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ConfirmResults:
    """Leave what a rejected appeal was about as it is."""

    appeal: str
    confirmed: tuple[Confirmed, ...]


Command = (
    Order | ApplyRuling | ConfirmResults | PublishStandings | FixStandings | ReopenStandings | SealStandings
)
