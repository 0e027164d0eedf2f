"""What the house AI counts on: plans for a hand, chances, tiles it has not seen."""

from __future__ import annotations

import itertools
from math import prod
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.games.paohuzi import cuts, melds, outlook, plans, tiles
from services.games.paohuzi.outlook import Outlook
from services.games.paohuzi.params import DEFAULT, resolve
from services.games.paohuzi.plans import Group, Planner
from services.games.paohuzi.ruleset import COMPETITIVE_2017 as RULES
from services.games.paohuzi.state import SEATS
from tests.games.paohuzi import boards
from tests.games.paohuzi.given import meld, seat, turn

STOCK = "b2 b3 s7 b8 s1 s10 b2 b3 s7 b8 s1 s10"
HANDS = st.lists(st.sampled_from([kind for kind in tiles.DECK if kind % 10 in (1, 2, 3, 7, 0)]), max_size=7)


def most(free: int, worths: dict[Group, float]) -> float:
    """The greatest sum of worths by trying every group first."""
    fitting = [group for group in plans.groups_in(free) if group in worths]
    return max((worths[group] + most(free - group.take, worths) for group in fitting), default=0.0)


@settings(max_examples=60, deadline=None)
@given(HANDS, st.booleans(), st.randoms(use_true_random=False))
def test_no_plan_is_worth_more_than_the_one_found(held: list[int], pair: bool, rng: Random) -> None:
    counts = [min(2, number) for number in tiles.count(held)]
    free = cuts.pack(counts) + cuts.PAIR * pair
    worths = {group: rng.randint(1, 9) / 8 for group in plans.groups_in(free)}
    groups, loose = Planner(worths.items()).plan(free)
    assert sum(worths[group] for group in groups) == most(free, worths)
    planned = [*(tile for group in groups for tile in group.tiles), *loose]
    assert sorted(planned) == list(tiles.expand(counts))
    assert sum(group.pair for group in groups) <= pair


def test_p4_a_group_waits_for_what_makes_it_a_meld() -> None:
    groups = {group.tiles: group for row in plans.GROUPS for group in row if group.waits and not group.pair}
    waits = {
        " ".join(map(tiles.show, held)): {tiles.show(wait.kind): wait.huxi for wait in group.waits}
        for held, group in groups.items()
    }
    assert waits["s1 s2"] == {"s3": 3}
    assert waits["b2 b3"] == {"b1": 6, "b4": 0}
    assert waits["b7 b10"] == {"b2": 6}
    assert waits["s6 b6"] == {"s6": 0, "b6": 0}
    assert waits["s5 s5"] == {"s5": 0, "b5": 0}
    for held, group in groups.items():
        for wait in group.waits:
            three = tuple(sorted((*held, wait.kind)))
            assert melds.is_run(three) or melds.is_jiao(three) or wait.claim == "peng"


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=5), st.integers(1, 5))
def test_the_chance_that_enough_of_several_things_happen(chances: list[float], wanted: int) -> None:
    expected = sum(
        prod(chance if happens else 1 - chance for chance, happens in zip(chances, world, strict=True))
        for world in itertools.product([True, False], repeat=len(chances))
        if sum(world) >= wanted
    )
    assert outlook.at_least(wanted, chances) == pytest.approx(expected)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_p13_unseen_are_the_stock_the_other_hands_and_closed_tiles(seed: int) -> None:
    for step in boards.play(seed):
        for number in SEATS:
            seen = RULES.view(step.before, number)
            others = [front for each, front in enumerate(seen.fronts) if each != number]
            closed_wei = sum(each.name == "wei" for front in others for each in front.melds)
            hidden = seen.stock_left + sum(front.hand_size for front in others) + 3 * closed_wei
            assert sum(outlook.unseen(seen)) == hidden


def value(hand: str, laid: tuple[str, ...] = (), **more: str) -> float:
    board = turn(0, {0: seat(hand, laid, holds=20, **more)}, stock=STOCK)  # type: ignore[arg-type]
    seen = RULES.view(board, 0)
    return Outlook(seen).value(seen.melds[0], seen.hand)


HAND = "b1 b1 b1 s9 s9 s9 b4 b5 b6 s5 s5 b5 s6 s7"
LAID = ("run s1 s2 s3", "run b2 b7 b10")
"""Ready on s5 and s8."""


def test_p8_2_a_hand_with_more_huxi_is_worth_more() -> None:
    assert value(HAND, LAID) > value(HAND.replace("b1 b1 b1", "s1 s1 s1"), LAID) > 0


def test_a_ready_hand_is_worth_more_than_one_that_lacks_a_group() -> None:
    assert value(HAND, LAID) > value(HAND.replace("s6 s7", "s6 b9"), LAID)


def test_p7_1_a_dead_kind_lowers_what_waits_for_it() -> None:
    waiting = "b1 b1 b1 s9 s9 s9 s4 s5 s6 s7 b4 b5 b8 b10"
    assert value(waiting, LAID, no_eat="b3 b6 b9") < value(waiting, LAID)
    assert value(waiting, LAID, no_eat="s2") == value(waiting, LAID)


@pytest.mark.parametrize(
    ("red", "fan"), [(0, 5), (1, 3), (2, 1), (9, 1), (9.5, 1.5), (10, 2), (13, 4), (21, 4)]
)
def test_p10_fan_by_red_tiles(red: float, fan: float) -> None:
    assert outlook.fan_by_red(outlook.fans_by_red(DEFAULT), red) == fan


@pytest.mark.parametrize(("red", "fan"), [(0, 6), (1, 4), (9, 1), (10, 2), (13, 5), (20.5, 12.5)])
def test_p10_fan_by_red_tiles_where_every_red_tile_counts(red: float, fan: float) -> None:
    assert outlook.fan_by_red(outlook.fans_by_red(resolve({"profile": "duohongdui"})), red) == fan


ALL_BLACK = "b1 b1 b1 s9 s9 s9 b4 b5 b6 s4 s5 s6 s8 s8", ("run s3 s4 s5", "run b3 b4 b5")
ALL_RED = "s2 s2 s2 b2 b2 b2 s7 s7 s7 b10 b10 b10 s10 s10", ("run b2 b7 b10", "run s2 s7 s10")


@pytest.mark.parametrize(("hand", "laid"), [ALL_BLACK, ALL_RED])
def test_p10_a_hand_is_worth_what_its_profile_pays_for_its_colours(hand: str, laid: tuple[str, ...]) -> None:
    values = []
    for profile in ("competitive-2017", "duohongdui"):
        board = turn(0, {0: seat(hand, laid, holds=20)}, stock=STOCK, profile=profile, min_huxi=8)
        seen = RULES.view(board, 0)
        values.append(Outlook(seen).value(seen.melds[0], seen.hand))
    assert 0 < values[0] < values[1]


def test_p4_melds_of_three_may_grow() -> None:
    """A 臭偎 never does; the rest is alike."""
    grows = value(HAND.removeprefix("b1 b1 b1 "), (*LAID, "wei b1"))
    assert grows > value(HAND.removeprefix("b1 b1 b1 "), (*LAID, "chouwei b1"))
    assert meld("chouwei b1").tiles == meld("wei b1").tiles
