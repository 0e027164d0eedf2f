"""Winning hands clause by clause (P4, P8, P9–P11); `test_reading_laws` compares with a slow reader."""

from __future__ import annotations

from typing import Any

import pytest

from services.games.paohuzi import melds, params, reading, tiles
from services.games.paohuzi.reading import Reading


def read(
    table: str,
    hand: str,
    tile: str | None,
    drawn: str,
    *position: str,
    **overrides: Any,
) -> Reading | None:
    """Melds parted by commas, tiles by blanks."""
    laid = tuple(melds.parse(words.split()) for words in table.split(",") if words)
    counts = tiles.count(map(tiles.parse, hand.split()))
    winning = None if tile is None else tiles.parse(tile)
    return reading.best(params.resolve(overrides), laid, counts, winning, drawn, frozenset(position))


def won(*args: Any, **kwargs: Any) -> Reading:
    found = read(*args, **kwargs)
    assert found is not None
    return found


def shown(found: Reading) -> set[str]:
    return {" ".join(melds.show(meld)) for meld in found.melds}


TABLE = "run s1 s2 s3,peng b5,wei b8"
HAND = "s9 s9 s9 s4 s5 s6 b1 b2 b6 b6 s6"
"""Wins on b3 with 21 huxi: 3 + 3 + 6 on the table, kan 3, run 6."""


def test_p8_1_seven_melds_without_a_pair() -> None:
    found = won(TABLE, HAND, "b3", "other")
    assert (found.huxi, found.names, found.fan, found.scores) == (21, ("plain",), 1, (6, -3, -3))
    assert shown(found) >= {"kan s9", "run s4 s5 s6", "run b1 b2 b3", "jiao s6 b6 b6"}


@pytest.mark.parametrize("fewer", ["s9 s9 s9 s4 s5 s6 b1 b2", HAND + " s4 s5 s6"])
def test_p8_1_six_or_eight_melds_do_not_win(fewer: str) -> None:
    assert read(TABLE, fewer, "b3", "other") is None


def test_p8_1_a_pair_without_a_four_does_not_win() -> None:
    assert read("run s1 s2 s3,peng b5,wei b8", "s9 s9 s9 s4 s5 s6 b1 b2 b6 b6", "b3", "other") is None


def test_p8_1_a_four_needs_exactly_one_pair() -> None:
    table = "run s1 s2 s3,pao b5,wei b3"
    assert read(table, "s4 s5 s6 b6 b6 s6 s8 s9 b8 b9", "b10", "own") is None
    assert "pair s8" in shown(won(table, "s4 s5 s6 b6 b6 s6 s8 s8 b8 b9", "b10", "own"))


def test_p8_1_two_fours_still_take_one_pair() -> None:
    found = won("ti s1,pao b5,wei b3", "s4 s5 s6 b6 b6 s6 s8 s8 b8 b9", "b10", "own")
    assert shown(found) >= {"ti s1", "pao b5", "pair s8"}
    assert found.huxi == 9 + 9 + 6
    assert read("ti s1,pao b5,wei b3", "s4 s5 s6 s4 s4 s8 s8 b8 b9", "b10", "own") is None


def test_p8_1_the_pair_may_be_what_the_winning_tile_makes() -> None:
    assert "pair s8" in shown(won("ti s1,pao b5,wei b3", "s4 s5 s6 b6 b6 s6 b8 b9 b10 s8", "s8", "other"))


def test_p8_1_the_tile_that_makes_a_second_four_does_not_win() -> None:
    """Seven melds with two fours hold 22 tiles, and a seat with one four had 20 before the tile (P5.4)."""
    table, hand = "ti s1,run s2 s3 s4,run b1 b2 b3", "b4 b4 b4 b6 b7 b8 s5 s5 b9 b10"
    assert read(table, hand, "b4", "own") is None
    assert read(table, hand, "b8", "other") is not None


@pytest.mark.parametrize(("least", "wins"), [(21, True), (22, False)])
def test_p8_2_huxi_reach_the_minimum_of_the_event(least: int, wins: bool) -> None:
    assert (read(TABLE, HAND, "b3", "other", min_huxi=least) is not None) is wins


def test_p8_3_a_played_tile_never_wins() -> None:
    assert read(TABLE, HAND, "b3", "discard") is None


DEALT = "b1 b1 b1 s9 s9 s9 b2 b7 b10 s1 s2 s3 b4 b5 b6 b5 s5 s5 s6 s7 s8"


def test_p8_3_the_dealer_wins_with_the_hand_dealt() -> None:
    found = won("", DEALT, None, "dealt")
    assert (found.huxi, found.names, found.scores) == (18, ("plain",), (4, -2, -2))


def test_p8_3_a_dealt_hand_that_wins_is_heaven_and_untouched_where_they_are_on() -> None:
    assert won("", DEALT, None, "dealt", fan={"heaven": 4}).names == ("heaven",)
    assert won("", DEALT, None, "dealt", fan={"heaven": 4, "untouched": 4}).names == ("heaven",)
    assert won("", DEALT, None, "dealt", fan={"untouched": 4}).names == ("untouched",)
    assert won("", DEALT, None, "dealt", fan={"own_draw": 1, "earth": 1}).names == ("plain",)


def test_p5_1_a_dealt_ti_counts_the_same_in_hand_and_on_the_table() -> None:
    rest = "b1 b1 b1 s2 s7 s10 b4 b5 b6 s5 s6 s7 b8 b9 b10 s3 s3"
    in_hand = won("", "s9 s9 s9 s9 " + rest, None, "dealt")
    on_table = won("ti s9", rest, None, "dealt")
    assert set(in_hand.melds) == set(on_table.melds)
    assert in_hand.huxi == on_table.huxi == 18


def test_p4_four_alike_dealt_are_always_a_ti() -> None:
    """As a kan and a run this hand would need no pair and win."""
    assert read("", "s3 s3 s3 s3 s4 s5 b1 b2 b3 b1 b2 b3 b2 b7 b10 b4 b5 b6 b7 b8 b9", None, "dealt") is None


def test_p8_3_others_win_on_the_bright_tile_only_with_dihu() -> None:
    hand = DEALT.removesuffix(" s8")
    assert read("", hand, "s8", "dealt") is None
    assert won("", hand, "s8", "dealt", dihu_on_bright_tile=True).names == ("plain",)
    found = won("", hand, "s8", "dealt", dihu_on_bright_tile=True, fan={"earth": 4, "heaven": 4})
    assert (found.names, found.fan) == (("earth",), 4)


def test_p8_4_own_draw_of_a_kan_is_a_ti() -> None:
    table, hand = "peng s10,wei b6,run b1 b2 b3", "b4 b4 b4 s1 s2 s3 s6 s7 s8 b9 b9"
    own, other = won(table, hand, "b4", "own"), won(table, hand, "b4", "other")
    assert ("ti b4" in shown(own), own.huxi) == (True, 28)
    assert ("pao b4" in shown(other), other.huxi) == (True, 25)


def test_p8_4_own_draw_is_bound_in_the_ti_even_if_only_another_reading_wins() -> None:
    """A ti needs a pair, and there is none; another's b2 leaves the kan and makes the run 贰柒拾."""
    table, hand = "wei s8,run b4 b5 b6", "b2 b2 b2 b3 b4 b5 b7 b10 s4 s5 s6 s7 s8 s9"
    assert read(table, hand, "b2", "own", min_huxi=6) is None
    assert shown(won(table, hand, "b2", "other")) >= {"kan b2", "run b2 b7 b10"}


def test_p8_4_own_draw_of_a_pair_is_a_wei_and_binds_all_three() -> None:
    table, hand = TABLE, "s9 s9 s9 s4 s5 s6 b3 b3 b6 b6 s6"
    own, other = won(table, hand, "b3", "own"), won(table, hand, "b3", "other")
    assert ("wei b3" in shown(own), own.huxi) == (True, 21)
    assert ("peng b3" in shown(other), other.huxi) == (True, 18)


def test_p8_4_a_pair_needed_elsewhere_does_not_win_with_its_wei() -> None:
    """Two of three b3 in runs: another's draw wins, one's own does not."""
    table, hand = "peng b5,wei b8,run s1 s2 s3", "s9 s9 s9 b1 b2 b1 b2 b3 b3 s3 s4"
    assert read(table, hand.replace("s3 s4", "b4 b5"), "b3", "other") is not None
    assert read(table, hand.replace("s3 s4", "b4 b5"), "b3", "own") is None


def test_p8_4_own_draw_of_a_table_wei_is_a_ti() -> None:
    table, hand = "peng b4,wei s5,run b1 b2 b3", "s1 s2 s3 s7 s8 s9 b6 b6 b8 b9 b10"
    own, other = won(table, hand, "s5", "own"), won(table, hand, "s5", "other")
    assert ("ti s5" in shown(own), own.huxi) == (True, 21)
    assert ("pao s5" in shown(other), other.huxi) == (True, 18)
    without_pair = hand.replace("b6 b6", "s6 s7")
    assert read(table, without_pair, "s5", "own", min_huxi=6) is None
    assert "run s5 s6 s7" in shown(won(table, without_pair, "s5", "other", min_huxi=6))


def test_p8_4_own_draw_of_a_table_peng_leaves_both_readings_open() -> None:
    table = "peng b4,wei s5,run b1 b2 b3"
    as_pao = won(table, "s1 s2 s3 s7 s8 s9 b6 b6 b8 b9 b10", "b4", "own")
    assert ("pao b4" in shown(as_pao), as_pao.huxi) == (True, 21)
    elsewhere = won(table, "s1 s2 s3 s7 s8 s9 b5 b6 b8 b9 b10", "b4", "own")
    assert shown(elsewhere) >= {"peng b4", "run b4 b5 b6"}


@pytest.mark.parametrize("drawn", ["own", "other"])
def test_p4_a_chouwei_never_grows(drawn: str) -> None:
    table, hand = "chouwei s5,peng b4,run b1 b2 b3", "s1 s2 s3 s7 s8 s9 b6 b6 b8 b9 b10"
    assert read(table, hand, "s5", drawn) is None
    assert shown(won(table, hand.replace("b6 b6", "s6 s7"), "s5", drawn)) >= {"chouwei s5", "run s5 s6 s7"}


def test_p4_a_kan_is_never_broken() -> None:
    """Three runs s3 s4 s5 would do; the three s3 are one kan."""
    assert read("wei b1,peng b10,run b2 b7 b10", "s3 s3 s3 s4 s4 s4 s5 s5 s6 s7 b8", "s5", "other") is None


def test_p4_three_alike_of_pair_and_tile_may_be_cut_otherwise() -> None:
    """Only a dealt three is a kan: with another's draw the three may go into runs and jiao."""
    found = won("wei b1,peng b10,run b2 b7 b10,peng s8", "s3 s3 s4 s4 s5 s5 b4 b5", "b3", "other")
    assert shown(found) >= {"run s3 s4 s5", "run b3 b4 b5"}
    found = won("wei b1,peng b10,run b2 b7 b10,peng s8", "s3 s3 b3 s4 s5 s4 b4 b4", "s3", "other")
    assert shown(found) >= {"jiao s3 s3 b3", "run s3 s4 s5", "jiao s4 b4 b4"}


def test_p8_6_the_reading_that_scores_most() -> None:
    """Kan and run 贰柒拾 (15 huxi) beat pao (12 huxi, no win)."""
    found = won("wei s8,run b4 b5 b6", "b2 b2 b2 b3 b4 b5 b7 b8 b9 b10 b10 s4 s5 s6", "b2", "other")
    assert (found.huxi, found.scores) == (15, (2, -1, -1))
    assert "run b2 b7 b10" in shown(found)


def test_p8_6_fan_may_outweigh_huxi() -> None:
    """Peng 壹 has three huxi more, but here a plain hand is worth more than all triplets."""
    table, hand = "pao s8,wei s2,wei s5,wei s6,wei s9", "b1 b1 s1 s1"
    fans = {"all_triplets": 1, "plain": 5}
    found = won(table, hand, "b1", "other", fan=fans)
    assert (shown(found) >= {"jiao s1 s1 b1", "pair b1"}, found.huxi, found.scores) == (
        True,
        18,
        (20, -10, -10),
    )
    assert shown(won(table, hand, "b1", "other")) >= {"peng b1", "pair s1"}


def test_p8_6_of_equal_scores_the_most_huxi() -> None:
    """Peng and pair have one huxi more than jiao and pair, within the same tun."""
    found = won("pao s8,wei s3,wei s5,run s2 s7 s10,run b4 b5 b6", "s4 s4 b4 b4", "s4", "other")
    assert (found.huxi, found.scores) == (16, (2, -1, -1))
    assert shown(found) >= {"peng s4", "pair b4"}


def test_p8_8_three_ti_or_five_kan_do_not_win_by_themselves() -> None:
    assert read("ti s1,ti b1,ti b5", "s2 s4 s6 s8 s10 b3 b7 b9 b10", None, "dealt") is None
    assert read("", "s1 s1 s1 s3 s3 s3 b1 b1 b1 b5 b5 b5 b9 b9 b9 s5 s7 s9 b3 b7 b10", None, "dealt") is None


def test_p10_last_tile_and_untouched_come_from_the_position() -> None:
    on = {"last_tile": 2, "untouched": 4}
    found = won(TABLE, HAND, "b3", "other", "last_tile", "untouched", fan=on)
    assert (found.names, found.fan) == (("last_tile", "untouched"), 6)
    assert won(TABLE, HAND, "b3", "other", "last_tile", "untouched").names == ("plain",)
    assert won(TABLE, HAND, "b3", "other", fan=on).names == ("plain",)


def test_p10_own_draw_is_the_winners_own() -> None:
    assert won(TABLE, HAND, "b3", "own", fan={"own_draw": 1}).names == ("own_draw",)
    assert won(TABLE, HAND, "b3", "other", fan={"own_draw": 1}).names == ("plain",)


def test_p10_all_tiles_count_pair_and_winning_tile_included() -> None:
    """The only red tiles are the pair 七七, then the winning 柒 instead of one more black."""
    table = "ti s1,wei b1,wei s9"
    assert won(table, "s4 s5 s6 b4 b5 b6 s3 s4 s7 s7", "s5", "other").names == ("plain",)
    assert won(table, "s4 s5 s6 b5 b6 s3 s4 s5 s8 s8", "b7", "other").names == ("one_red",)
    assert won(table, "s4 s5 s6 b5 b6 s3 s4 s5 s8 s8", "b4", "other").names == ("black",)


def test_p8_4_a_draw_already_laid_is_read_without_a_tile() -> None:
    """At the table the compulsory meld lies before the win is asked for; both ways of asking agree."""
    raw = won(
        "peng s10,wei b6,run b1 b2 b3", "b4 b4 b4 s1 s2 s3 s6 s7 s8 b9 b9", "b4", "own", fan={"own_draw": 1}
    )
    laid = won(
        "peng s10,wei b6,run b1 b2 b3,ti b4", "s1 s2 s3 s6 s7 s8 b9 b9", None, "own", fan={"own_draw": 1}
    )
    assert raw == laid
