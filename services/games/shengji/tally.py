"""Whether the deals of a score sheet add up: declarer, level, fines, points and rises from deal to deal (C8.6, S9.2-S9.5, S10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from services.domain import Rejected
from services.games.championship.sheet import DealLine
from services.games.shengji import infringements, result
from services.games.shengji.cards import RANKS
from services.games.shengji.infringements import Outcome
from services.games.shengji.params import Params
from services.games.shengji.result import LOST, SEATS, SIDES, Levels, held, side

POINTS = 5
"""What cards count is a multiple of it."""


class Found(NamedTuple):
    """An infringement that was found in a deal (from 1), with the points its fine moves."""

    deal: int
    seat: int
    code: str
    finding: str
    fine: int


def add_up(params: Params, deals: Sequence[DealLine], found: Sequence[Found]) -> Levels:
    """Levels of both sides after the deals.

    Raises Rejected("SHEET_DOES_NOT_ADD_UP"), saying which deal, what is wrong and what it should be; NO_SUCH_DEAL for an
    infringement in a deal that was not begun; NO_SUCH_SEAT for a declarer.
    """
    levels: Levels = (RANKS[0], RANKS[0])
    declarer: int | None = None
    for number, deal in enumerate(deals, 1):
        if deal.declarer not in SEATS:
            raise Rejected("NO_SUCH_SEAT", "S2.1", f"deal {number}: the declarer sits in seat 0 to 3")
        _check_turn(number, deal, levels, declarer)
        _check_points(number, deal, [one for one in found if one.deal == number])
        levels, declarer = _risen(params, number, deal, levels)
    for one in found:
        if one.deal > len(deals) + 1:
            raise Rejected(
                "NO_SUCH_DEAL", "C8.6", f"an infringement in deal {one.deal}, of {len(deals)} deals"
            )
    return levels


def _check_turn(number: int, deal: DealLine, levels: Levels, declarer: int | None) -> None:
    """Declarer and level follow from the deal before."""
    if declarer is not None and deal.declarer != declarer:
        raise _wrong(number, "S9.4", "the declarer", f"seat {declarer}", f"seat {deal.declarer}")
    level = levels[side(deal.declarer)]
    if deal.level != level:
        raise _wrong(number, "S2.2", "the level", level, deal.level)


def _check_points(number: int, deal: DealLine, found: Sequence[Found]) -> None:
    """Fines are those of the infringements, and points what cards and fines can make."""
    declaring = side(deal.declarer)
    for one in SIDES:
        fines = sum(each.fine for each in found if side(each.seat) == one)
        if deal.fines[one] != fines:
            raise _wrong(number, "S9.2", f"fines of side {one}", fines, deal.fines[one])
    fixed = _fixed(declaring, found)
    if fixed is not None:
        if deal.points != fixed:
            raise _wrong(number, "S10", "P", fixed, deal.points)
        return
    lost_by = {side(one.seat) for one in found if _outcome(one).forfeits}
    if lost_by:
        if declaring in lost_by and deal.points < LOST:
            raise _wrong(number, "S10.0", "P of a forfeited deal", f"{LOST} or more", deal.points)
        if declaring not in lost_by and deal.points > 0:
            raise _wrong(number, "S10.0", "P of a forfeited deal", "0 or less", deal.points)
        return
    cards = deal.points + deal.fines[1 - declaring] - deal.fines[declaring]
    if cards < 0 or cards % POINTS:
        raise Rejected(
            "SHEET_DOES_NOT_ADD_UP",
            "S9.2",
            f"deal {number}: P {deal.points} leaves {cards} points of cards without the fines; cards count 5 and 10",
            deal=str(number),
        )


def _fixed(declaring: int, found: Sequence[Found]) -> int | None:
    """What the deal counts by an infringement that says so itself; the last one decides."""
    fixed = None
    for one in found:
        outcome = _outcome(one)
        says = outcome.declarer if side(one.seat) == declaring else outcome.defender
        fixed = fixed if says is None else says
    return fixed


def _outcome(one: Found) -> Outcome:
    return infringements.find(one.code).outcomes[one.finding]


def _risen(params: Params, number: int, deal: DealLine, levels: Levels) -> tuple[Levels, int]:
    """Levels and declarer after the deal, whose rises must be those of the rules."""
    after = result.settle(params, deal.points, levels, deal.declarer)
    winners = side(deal.declarer) if held(deal.points) else 1 - side(deal.declarer)
    rise = RANKS.index(after.levels[winners]) - RANKS.index(levels[winners])
    if after.won_by is not None:
        rise = result.steps(params, deal.points)
    due = (rise, 0) if winners == 0 else (0, rise)
    if deal.rise != due:
        raise _wrong(number, "S9.3", "the rises", _text(due), _text(deal.rise))
    return after.levels, after.next_declarer


def _wrong(number: int, clause: str, what: str, should: object, entered: object) -> Rejected:
    return Rejected(
        "SHEET_DOES_NOT_ADD_UP",
        clause,
        f"deal {number}: {what} should be {should}, not {entered}",
        deal=str(number),
        expected=str(should),
    )


def _text(rises: tuple[int, int]) -> str:
    return f"{rises[0]} and {rises[1]}"
