"""What the rules make of any match adds up on its sheet, and no other figure does (C8.6, S9.2-S9.5, S10)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Rejected
from services.games.championship.sheet import DealLine
from services.games.shengji import result
from services.games.shengji.params import XIAMEN, Params, resolve
from services.games.shengji.result import Levels, side
from services.games.shengji.tally import MOST, Found, add_up
from services.runtime.errors import explain

PARAMS = [
    resolve(XIAMEN, {}),
    resolve(XIAMEN, {"profile": "steps40", "must_play": ["5", "T", "J", "K"]}),
    resolve(XIAMEN, {"declarer_rotation": "clockwise_always", "must_play": ["A"]}),
]


@st.composite
def sheets(draw: st.DrawFn) -> tuple[Params, list[DealLine], list[Found], Levels]:
    """A match as its deals were settled, with fines for exposed cards, and the levels it came to."""
    params = draw(st.sampled_from(PARAMS))
    levels: Levels = ("2", "2")
    declarer = draw(st.integers(0, 3))
    deals: list[DealLine] = []
    found: list[Found] = []
    for number in range(1, draw(st.integers(1, 12)) + 1):
        cards = draw(st.integers(0, 60)) * 5
        seats = draw(st.lists(st.integers(0, 3), max_size=2))
        found += [Found(number, seat, "S10.11", "found", 10) for seat in seats]
        fines = tuple(10 * sum(side(seat) == one for seat in seats) for one in (0, 1))
        declaring = side(declarer)
        points = cards + fines[declaring] - fines[1 - declaring]
        after = result.settle(params, points, levels, declarer)
        deals.append(_line(params, declarer, levels, points, (fines[0], fines[1]), after))
        levels, declarer = after.levels, after.next_declarer
        if after.won_by is not None:
            break
    return params, deals, found, levels


def _line(
    params: Params, declarer: int, levels: Levels, points: int, fines: tuple[int, int], after: result.Result
) -> DealLine:
    ranks = "23456789TJQKA"
    one, two = (ranks.index(now) - ranks.index(then) for now, then in zip(after.levels, levels, strict=True))
    if after.won_by is not None:
        steps = result.steps(params, points)
        one, two = (steps, 0) if after.won_by == 0 else (0, steps)
    return DealLine(declarer, levels[side(declarer)], points, fines, (one, two))


@given(sheets())
def test_C8_6_what_was_settled_adds_up(made: tuple[Params, list[DealLine], list[Found], Levels]) -> None:
    params, deals, found, levels = made
    assert add_up(params, deals, found) == levels


@given(sheets(), st.data())
def test_C8_6_a_figure_that_was_misread_does_not(
    made: tuple[Params, list[DealLine], list[Found], Levels], data: st.DataObject
) -> None:
    params, deals, found, _ = made
    number = data.draw(st.integers(0, len(deals) - 1))
    deal = deals[number]
    (one, two), (rise, other) = deal.fines, deal.rise
    wrong = [
        replace(deal, level="3" if deal.level == "2" else "2"),
        replace(deal, points=deal.points + 1),
        replace(deal, fines=(one + 10, two)),
        replace(deal, fines=(one, two + 10)),
        replace(deal, rise=(rise + 1, other)),
        replace(deal, rise=(rise, other + 1)),
    ]
    if number:
        wrong.append(replace(deal, declarer=(deal.declarer + 2) % 4))
    misread = data.draw(st.sampled_from(wrong))
    with pytest.raises(Rejected, match="SHEET_DOES_NOT_ADD_UP") as refused:
        add_up(params, [*deals[:number], misread, *deals[number + 1 :]], found)
    told = explain(refused.value)
    deal_no = refused.value.facts["deal"]
    assert f"deal {deal_no}: " in told.message
    assert f"第 {deal_no} 副" in told.message_zh


@pytest.mark.parametrize("found", [[], [Found(1, 0, "S10.16", "forfeit", 0)]])
def test_s9_1_no_sheet_has_more_points_than_two_packs_can_make(found: list[Found]) -> None:
    params, declarer = PARAMS[0], 2
    for points, fits in ((MOST, True), (MOST + 5, False)):
        after = result.settle(params, points, ("2", "2"), declarer)
        line = _line(params, declarer, ("2", "2"), points, (0, 0), after)
        if fits:
            assert add_up(params, [line], found) == after.levels
        else:
            with pytest.raises(Rejected, match=f"P should be {MOST} or less") as refused:
                add_up(params, [line], found)
            assert refused.value.clause == "S9.1"


@pytest.mark.parametrize(
    ("seat", "points", "fits"),
    [
        (0, 80, True),
        (0, 115, True),
        (0, 75, False),
        (0, 0, False),
        (1, 0, True),
        (1, -20, True),
        (1, 5, False),
    ],
)
def test_s10_0_a_forfeited_deal_is_lost_on_a_sheet_too(seat: int, points: int, fits: bool) -> None:
    params, declarer = PARAMS[0], 2
    after = result.settle(params, points, ("2", "2"), declarer)
    line = _line(params, declarer, ("2", "2"), points, (0, 0), after)
    found = [Found(1, seat, "S10.16", "forfeit", 0)]
    if fits:
        assert add_up(params, [line], found) == after.levels
    else:
        with pytest.raises(Rejected) as refused:
            add_up(params, [line], found)
        assert refused.value.clause == "S10.0"
