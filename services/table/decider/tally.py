"""Whether the deals of a score sheet add up: declarer, level, fines, points and rises from deal to deal (S9.2-S9.5, S10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.domain import Rejected
from services.games.championship.points import Due
from services.games.championship.sheet import DealLine
from services.games.shengji import infringements, result
from services.games.shengji.cards import RANKS
from services.games.shengji.params import Params
from services.games.shengji.result import SEATS, SIDES, Levels, held, side
from services.table.model.sheets import InfringementEntered, SheetDeal, SheetFigures

DUE: Mapping[str, Due | None] = {
    "": None,
    "finish_deal": Due.FINISH_DEAL,
    "one_more_deal": Due.ONE_MORE_DEAL,
}
"""Why the last deal was still played (C8.3), as it is stored."""

POINTS = 5
"""What cards count is a multiple of it."""


def lines(figures: SheetFigures) -> tuple[DealLine, ...]:
    """The deals as the championship's arithmetic takes them."""
    return tuple(
        DealLine(deal.declarer, deal.level, deal.points, _two(deal.fines), _two(deal.rises))
        for deal in figures.deals
    )


def add_up(params: Params, deals: Sequence[SheetDeal], found: Sequence[InfringementEntered]) -> Levels:
    """Levels of both sides after the deals.

    Raises Rejected("SHEET_DOES_NOT_ADD_UP"), saying which deal, what is wrong and what it should be; MALFORMED_SHEET;
    NO_SUCH_DEAL for an infringement in a deal that was not begun.
    """
    levels: Levels = (RANKS[0], RANKS[0])
    declarer: int | None = None
    for number, deal in enumerate(deals, 1):
        if deal.declarer not in SEATS or len(deal.fines) != len(SIDES) or len(deal.rises) != len(SIDES):
            raise Rejected(
                "MALFORMED_SHEET",
                "C8.6",
                f"deal {number}: a declarer in seat 0 to 3, fines and rises by side",
            )
        _check_turn(number, deal, levels, declarer)
        _check_points(number, deal, [one for one in found if one.deal == number])
        levels, declarer = _risen(params, number, deal, levels)
    for one in found:
        if one.deal > len(deals) + 1:
            raise Rejected(
                "NO_SUCH_DEAL", "C8.6", f"an infringement in deal {one.deal}, of {len(deals)} deals"
            )
    return levels


def _check_turn(number: int, deal: SheetDeal, levels: Levels, declarer: int | None) -> None:
    """Declarer and level follow from the deal before."""
    if declarer is not None and deal.declarer != declarer:
        raise _wrong(number, "S9.4", "the declarer", f"seat {declarer}", f"seat {deal.declarer}")
    level = levels[side(deal.declarer)]
    if deal.level != level:
        raise _wrong(number, "S2.2", "the level", level, deal.level)


def _check_points(number: int, deal: SheetDeal, found: Sequence[InfringementEntered]) -> None:
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
    cards = deal.points + deal.fines[1 - declaring] - deal.fines[declaring]
    if cards < 0 or cards % POINTS:
        raise Rejected(
            "SHEET_DOES_NOT_ADD_UP",
            "S9.2",
            f"deal {number}: P {deal.points} leaves {cards} points of cards without the fines; cards count 5 and 10",
            deal=str(number),
        )


def _fixed(declaring: int, found: Sequence[InfringementEntered]) -> int | None:
    """What the deal counts by an infringement that says so itself; the last one decides."""
    fixed = None
    for one in found:
        outcome = infringements.find(one.code).outcomes[one.finding]
        says = outcome.declarer if side(one.seat) == declaring else outcome.defender
        fixed = fixed if says is None else says
    return fixed


def _risen(params: Params, number: int, deal: SheetDeal, levels: Levels) -> tuple[Levels, int]:
    """Levels and declarer after the deal, whose rises must be those of the rules."""
    after = result.settle(params, deal.points, levels, deal.declarer)
    kept = held(deal.points)
    winners = side(deal.declarer) if kept else 1 - side(deal.declarer)
    rise = RANKS.index(after.levels[winners]) - RANKS.index(levels[winners])
    if after.won_by is not None:
        rise = result.steps(params, deal.points)
    due = [0, 0]
    due[winners] = rise
    if list(deal.rises) != due:
        raise _wrong(number, "S9.3", "the rises", _text(due), _text(deal.rises))
    return after.levels, after.next_declarer


def _wrong(number: int, clause: str, what: str, should: object, entered: object) -> Rejected:
    return Rejected(
        "SHEET_DOES_NOT_ADD_UP",
        clause,
        f"deal {number}: {what} should be {should}, not {entered}",
        deal=str(number),
        expected=str(should),
    )


def _text(rises: Sequence[int]) -> str:
    return f"{rises[0]} and {rises[1]}"


def _two(figures: Sequence[int]) -> tuple[int, int]:
    one, two = figures
    return one, two
