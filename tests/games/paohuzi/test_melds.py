"""Tiles (P1) and melds: what P4 knows, what P9 pays."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from services.domain import Rejected
from services.games.paohuzi import melds, tiles
from services.games.paohuzi.melds import Meld


def meld(words: str) -> Meld:
    """`"run s1 s2 s3"` as a meld."""
    return melds.parse(words.split())


def test_p1_1_eighty_tiles_four_of_each_of_twenty_kinds() -> None:
    assert len(tiles.DECK) == 80
    assert set(Counter(tiles.DECK).values()) == {4}
    assert [tiles.chinese(kind) for kind in tiles.KINDS] == list("一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾")


def test_p1_1_red_are_two_seven_ten_of_either_size() -> None:
    assert "".join(tiles.chinese(kind) for kind in sorted(tiles.RED)) == "二七十贰柒拾"


def test_p1_2_point_ignores_size() -> None:
    for kind in tiles.KINDS:
        assert tiles.rank(kind) == tiles.rank(tiles.twin(kind))
        assert tiles.is_big(kind) != tiles.is_big(tiles.twin(kind))
        assert tiles.twin(tiles.twin(kind)) == kind


def test_p1_1_tile_text_round_trips() -> None:
    assert [tiles.parse(tiles.show(kind)) for kind in tiles.KINDS] == list(tiles.KINDS)
    assert tiles.show(tiles.HIDDEN) not in map(tiles.show, tiles.KINDS)


@pytest.mark.parametrize("text", ["", "s0", "s11", "b", "c5", "S5", "s05", " s5", "??", 5, None, ["s5"]])
def test_p1_1_what_is_no_tile_is_refused(text: object) -> None:
    with pytest.raises(Rejected, match="MALFORMED_TILE"):
        tiles.parse(text)


def test_p1_1_counting_and_expanding_are_inverse() -> None:
    assert tiles.expand(tiles.count(tiles.DECK)) == tiles.DECK
    assert tiles.count([]) == (0,) * 21


@pytest.mark.parametrize(
    ("words", "huxi"),
    [
        ("ti s5", 9),
        ("ti b5", 12),
        ("pao s5", 6),
        ("pao b5", 9),
        ("wei s5", 3),
        ("wei b5", 6),
        ("chouwei s5", 3),
        ("chouwei b5", 6),
        ("kan s5", 3),
        ("kan b5", 6),
        ("peng s5", 1),
        ("peng b5", 3),
        ("run s1 s2 s3", 3),
        ("run b1 b2 b3", 6),
        ("run s2 s7 s10", 3),
        ("run b2 b7 b10", 6),
        ("run s2 s3 s4", 0),
        ("run b8 b9 b10", 0),
        ("jiao s2 s2 b2", 0),
        ("jiao s1 b1 b1", 0),
        ("pair s2", 0),
        ("pair b10", 0),
    ],
)
def test_p9_huxi_of_every_meld(words: str, huxi: int) -> None:
    assert melds.legal(meld(words))
    assert melds.huxi(meld(words)) == huxi


def test_p4_runs_are_the_eight_sequences_and_2_7_10_of_each_size() -> None:
    runs = {three for three in itertools.combinations(tiles.KINDS, 3) if melds.legal(Meld("run", three))}
    small = {(low, low + 1, low + 2) for low in range(1, 9)} | {(2, 7, 10)}
    assert runs == small | {(a + 10, b + 10, c + 10) for a, b, c in small}


def test_p4_jiao_are_two_and_one_of_a_point_in_mixed_size() -> None:
    threes = itertools.combinations_with_replacement(tiles.KINDS, 3)
    jiao = {three for three in threes if melds.legal(Meld("jiao", three))}
    expected = {(k, k, k + 10) for k in range(1, 11)} | {(k, k + 10, k + 10) for k in range(1, 11)}
    assert jiao == expected


@pytest.mark.parametrize(
    "words",
    [
        "run s9 s10 b1",
        "run s10 b1 b2",
        "run s2 s7 b10",
        "run s1 s2",
        "run s1 s2 s3 s4",
        "run s5 s5 s5",
        "jiao s6 s6 s6",
        "jiao s6 b6",
        "jiao s6 s6 b6 b6",
        "kan s5 s5",
        "kan s5 s5 s5 s5",
        "ti s5 s5 s5",
        "pao b5 b5 b5 s5",
        "peng s5 s5 b5",
        "pair s5 b5",
    ],
)
def test_p4_nothing_else_is_a_meld(words: str) -> None:
    assert not melds.legal(meld(words))


def test_p4_tile_order_inside_a_meld_does_not_matter() -> None:
    assert meld("run s10 s2 s7") == meld("run s2 s7 s10")
    assert meld("jiao b6 s6 b6") == meld("jiao s6 b6 b6")
    assert meld("peng s5 s5 s5") == meld("peng s5")


@pytest.mark.parametrize(
    "words", [[], ["run"], ["gang", "s5"], "run", ["peng", "x5"], ["run", "s1", "s2", 3]]
)
def test_p4_malformed_melds_are_refused(words: list[str]) -> None:
    with pytest.raises(Rejected, match="MALFORMED_"):
        melds.parse(words)


def test_p4_meld_text_round_trips() -> None:
    for words in ("run s1 s2 s3", "jiao s6 s6 b6", "chouwei b9", "ti s2", "pair s5"):
        assert melds.show(meld(words)) == words.split()


def test_p13_face_down_melds_are_worth_what_they_show_at_least() -> None:
    """A ti shows one tile (P4); a wei shows none, so that others can only count the small one's three."""
    assert melds.huxi(Meld("ti", (0, 0, 0, 15))) == 12
    assert melds.huxi(Meld("wei", (0, 0, 0))) == 3
    assert not melds.legal(Meld("wei", (0, 0, 0)))
