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
_IN_BOTTOM = 80
"""Of the 200 points of two packs as many as the bottom's eight cards can hold."""
_PAIRS = 12
"""No hand of 25 has a longer tractor."""
MOST = 200 - _IN_BOTTOM + _IN_BOTTOM * 2 ** (_PAIRS + 1)
"""Points that cards can make: all of the tricks, and the richest bottom by the largest play (S9.1)."""


class _Both(NamedTuple):
    """The same in both languages."""

    english: str
    chinese: str


_DECLARER = _Both("the declarer", "庄家")
_LEVEL, _RISES = _Both("the level", "级"), _Both("the rises", "升级")
_POINTS, _FORFEITED = _Both("P", "得分 P"), _Both("P of a forfeited deal", "判负，得分 P ")
_FINES = (_Both("fines of side 0", "0、2 座罚分"), _Both("fines of side 1", "1、3 座罚分"))


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
        raise _wrong(number, "S9.4", _DECLARER, _seat(declarer), _seat(deal.declarer))
    level = levels[side(deal.declarer)]
    if deal.level != level:
        raise _wrong(number, "S2.2", _LEVEL, level, deal.level)


def _check_points(number: int, deal: DealLine, found: Sequence[Found]) -> None:
    """Fines are those of the infringements, and points what cards and fines can make."""
    declaring = side(deal.declarer)
    for one in SIDES:
        fines = sum(each.fine for each in found if side(each.seat) == one)
        if deal.fines[one] != fines:
            raise _wrong(number, "S9.2", _FINES[one], fines, deal.fines[one])
    fixed = _fixed(declaring, found)
    if fixed is not None:
        if deal.points != fixed:
            raise _wrong(number, "S10", _POINTS, fixed, deal.points)
        return
    cards = deal.points + deal.fines[1 - declaring] - deal.fines[declaring]
    if cards > MOST:
        most = deal.points - cards + MOST
        raise _wrong(number, "S9.1", _POINTS, _Both(f"{most} or less", f"不多于 {most}"), deal.points)
    lost_by = {side(one.seat) for one in found if _outcome(one).forfeits}
    if lost_by:
        if declaring in lost_by and deal.points < LOST:
            raise _wrong(number, "S10.0", _FORFEITED, _Both(f"{LOST} or more", f"不少于 {LOST}"), deal.points)
        if declaring not in lost_by and deal.points > 0:
            raise _wrong(number, "S10.0", _FORFEITED, _Both("0 or less", "不多于 0"), deal.points)
        return
    if cards < 0 or cards % POINTS:
        raise Rejected(
            "SHEET_DOES_NOT_ADD_UP",
            "S9.2",
            f"deal {number}: P {deal.points} leaves {cards} points of cards without the fines; cards count 5 and 10",
            detail_zh=f"第 {number} 副得分 P {deal.points} 除去罚分，牌分为 {cards}；牌只计 5 分和 10 分",
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
        raise _wrong(number, "S9.3", _RISES, _rises(due), _rises(deal.rise))
    return after.levels, after.next_declarer


def _wrong(
    number: int, clause: str, what: _Both, should: _Both | int | str, entered: _Both | int | str
) -> Rejected:
    due, given = _both(should), _both(entered)
    return Rejected(
        "SHEET_DOES_NOT_ADD_UP",
        clause,
        f"deal {number}: {what.english} should be {due.english}, not {given.english}",
        detail_zh=f"第 {number} 副{what.chinese}应为 {due.chinese}，填的是 {given.chinese}",
        deal=str(number),
        expected=due.english,
    )


def _both(value: _Both | int | str) -> _Both:
    return value if isinstance(value, _Both) else _Both(str(value), str(value))


def _seat(seat: int) -> _Both:
    return _Both(f"seat {seat}", f"{seat} 座")


def _rises(rises: tuple[int, int]) -> _Both:
    return _Both(f"{rises[0]} and {rises[1]}", f"{rises[0]} 和 {rises[1]}")
