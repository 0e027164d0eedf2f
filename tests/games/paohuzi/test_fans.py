"""Hands with a name (P10)."""

from __future__ import annotations

from typing import Any

import pytest

from services.games.paohuzi import fans, melds, params, tiles
from services.games.paohuzi.fans import WonHand

BLACK_RUNS = ("run s4 s5 s6", "run b4 b5 b6", "run s3 s4 s5", "run b3 b4 b5")
"""No red tile, six big and six small."""
ALL_ON = {code: index + 1 for index, code in enumerate(params.FAN_CODES)}


def hand(*words: str, **circumstances: bool) -> WonHand:
    return WonHand(tuple(melds.parse(each.split()) for each in words), **circumstances)


def red(number: int) -> WonHand:
    """A hand of seven melds with `number` red tiles: 二七十 and tiles of one red each."""
    threes, ones = divmod(number, 3)
    melds_of_three = ("run s2 s7 s10", "run b2 b7 b10", "run s2 s7 s10", "run b2 b7 b10", "run s2 s7 s10")
    return hand(
        *melds_of_three[:threes], *(("run s1 s2 s3", "run b1 b2 b3")[:ones]), *BLACK_RUNS[: 7 - threes - ones]
    )


def named(won: WonHand, **overrides: Any) -> tuple[list[str], int]:
    resolved = params.resolve(overrides)
    codes = fans.names(resolved, won)
    return list(codes), fans.fan(resolved, won, codes)


@pytest.mark.parametrize(
    ("number", "codes", "fan"),
    [
        (0, ["black"], 5),
        (1, ["one_red"], 3),
        (2, ["plain"], 1),
        (9, ["plain"], 1),
        (10, ["red"], 2),
        (12, ["red"], 2),
        (13, ["great_red"], 4),
        (15, ["great_red"], 4),
    ],
)
def test_p10_names_by_number_of_red_tiles(number: int, codes: list[str], fan: int) -> None:
    assert named(red(number)) == (codes, fan)


@pytest.mark.parametrize(("number", "fan"), [(10, 2), (11, 3), (13, 5), (15, 7)])
def test_p10_duohongdui_red_grows_with_every_red_tile_and_has_no_great_red(number: int, fan: int) -> None:
    assert named(red(number), profile="duohongdui") == (["red"], fan)


@pytest.mark.parametrize(
    ("number", "codes", "fan"), [(0, ["black"], 6), (1, ["one_red"], 4), (5, ["plain"], 1)]
)
def test_p10_duohongdui_other_colours(number: int, codes: list[str], fan: int) -> None:
    assert named(red(number), profile="duohongdui") == (codes, fan)


def test_p10_great_red_replaces_red_only_where_it_is_on() -> None:
    assert named(red(13), fan={"great_red": None}) == (["red"], 2)
    assert named(red(13), fan={"red": None}) == (["great_red"], 4)
    assert named(red(13), fan={"red": None, "great_red": None}) == (["plain"], 1)


def test_p10_all_triplets_has_no_run_and_no_jiao() -> None:
    triplets = hand("kan s1", "kan b1", "peng s3", "wei s4", "pao s5", "chouwei s6", "pair b2")
    assert named(triplets) == (["plain"], 1)
    assert named(triplets, fan={"all_triplets": 4}) == (["all_triplets"], 4)
    with_run = WonHand((*triplets.melds[:-1], melds.parse("run b1 b2 b3".split())))
    assert named(with_run, fan={"all_triplets": 4}) == (["one_red"], 3)
    with_jiao = WonHand((*triplets.melds[:-1], melds.parse("jiao s2 s2 b2".split())))
    assert named(with_jiao, fan={"all_triplets": 4}) == (["plain"], 1)


@pytest.mark.parametrize(("number", "is_named"), [(17, False), (18, True), (21, True)])
def test_p10_eighteen_of_a_size(number: int, is_named: bool) -> None:
    threes, two_more = divmod(number, 3)
    jiao = ["jiao s5 b5 b5"] if two_more else []
    big = hand(*["run b3 b4 b5"] * threes, *jiao, *["run s1 s2 s3"] * (7 - threes - len(jiao)))
    small = WonHand(tuple(melds.of(each.name, map(tiles.twin, each.tiles)) for each in big.melds))
    for code, won, other in (("eighteen_big", big, small), ("eighteen_small", small, big)):
        assert (code in named(won, fan={code: 6})[0]) is is_named
        assert code not in named(other, fan={code: 6})[0]
        assert code not in named(won)[0]


def test_p10_eighteen_small_with_a_pair() -> None:
    won = hand("ti s1", "kan s2", "kan s3", "run s4 s5 s6", "run s7 s8 s9", "run b4 b5 b6", "pair s8")
    assert named(won, fan={"eighteen_small": 6}) == (["eighteen_small"], 6)


@pytest.mark.parametrize("code", ["heaven", "earth", "last_tile", "untouched", "own_draw"])
def test_p10_circumstances_count_only_where_their_name_is_on(code: str) -> None:
    won = hand(*BLACK_RUNS, "run s2 s7 s10", **{code: True})
    assert named(won) == (["plain"], 1)
    assert named(won, fan={code: 4}) == ([code], 4)


def test_p10_heaven_includes_untouched_and_does_not_add_it() -> None:
    won = hand(*BLACK_RUNS, "run s2 s7 s10", heaven=True, untouched=True)
    assert named(won, fan={"heaven": 4, "untouched": 3}) == (["heaven"], 4)
    assert named(won, fan={"untouched": 3}) == (["untouched"], 3)
    assert named(won, profile="duohongdui") == (["heaven"], 4)


@pytest.mark.parametrize(("combine", "fan"), [("add", 8), ("max", 5), ("multiply", 15)])
def test_p10_names_combine_by_fan_combine(combine: str, fan: int) -> None:
    won = hand(*BLACK_RUNS, own_draw=True)
    assert named(won, fan={"own_draw": 3}, fan_combine=combine) == (["black", "own_draw"], fan)


def test_p10_a_hand_without_a_name_counts_one() -> None:
    assert named(red(5), fan={"plain": None}) == ([], 1)
    assert named(red(5), fan={"plain": 2}) == (["plain"], 2)


@pytest.mark.parametrize("combine", params.FAN_COMBINE)
def test_p10_a_name_of_no_fan_is_shown_and_counts_nothing(combine: str) -> None:
    won = hand(*BLACK_RUNS, own_draw=True)
    assert named(won, fan={"own_draw": 0}, fan_combine=combine) == (["black", "own_draw"], 5)
    without = hand(*BLACK_RUNS, "run s2 s7 s10", own_draw=True)
    assert named(without, fan={"own_draw": 0}, fan_combine=combine) == (["own_draw"], 1)


def test_p10_plain_is_none_of_the_names_that_are_on() -> None:
    won = hand(*BLACK_RUNS, "run s2 s7 s10", last_tile=True, untouched=True)
    assert named(won, fan=ALL_ON)[0] == ["last_tile", "untouched"]
    assert named(won, fan={code: None for code in ALL_ON if code != "plain"}) == (["plain"], 1)


def test_p10_names_are_sorted() -> None:
    won = hand(*BLACK_RUNS, last_tile=True, untouched=True, own_draw=True)
    codes, _ = named(won, fan=ALL_ON)
    assert codes == sorted(codes) == ["black", "last_tile", "own_draw", "untouched"]
