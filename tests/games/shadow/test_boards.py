"""The engine and the shadow referee play the same boards; after every act they must say the same (P1-P11)."""

from __future__ import annotations

from collections import Counter

import pytest

from services.games.paohuzi.actions import PASS
from services.games.shadow import hands as shadow
from tests.games.shadow.boards import Dealing, played
from tests.games.shadow.deals import DEALS
from tests.games.shadow.duel import Deal, Duel

HAPPENINGS = """is dealt ti, plays, draws, dies, wei, chouwei, ti, pao, pengs, eats, lays along, passes, hand is dead,
wins, nobody wins"""


@pytest.mark.parametrize("dealing", DEALS, ids=lambda dealing: dealing.__name__)
def test_both_say_the_same_after_every_act(dealing: Dealing) -> None:
    for seed in range(40):
        played(seed, dealing)


def seven_kan(min_huxi: int) -> Duel:
    """A dealer of seven kan worth 30 huxi, the bright tile in the last: a tile is owed and none can be played."""
    kan = ["s1", "s2", "s3", "s4", "b1", "b2", "b3"]
    rest = [tile for tile in shadow.DECK if tile not in kan]
    hands = [[kind for kind in kan for _ in range(3)][:20], rest[:20], rest[20:40]]
    return Duel(Deal(0, hands, "b3", [*rest[40:], *kan]), {"min_huxi": min_huxi})


def test_p5_7_a_dealt_hand_that_can_neither_win_nor_play_is_dead_from_the_start() -> None:
    board = seven_kan(min_huxi=31).board
    assert board.dead == [True, False, False]
    dead = board.facts.index(("hand is dead", 0, None))
    assert board.facts[dead + 1][:2] == ("draws", 1)


def test_p5_7_the_same_hand_is_dead_once_it_has_passed_its_win() -> None:
    duel = seven_kan(min_huxi=30)
    assert duel.board.options() == {0: ["win", "pass"]}
    duel.act(0, PASS)
    assert duel.board.dead == [True, False, False]


@pytest.mark.chaos
@pytest.mark.parametrize("dealing", DEALS, ids=lambda dealing: dealing.__name__)
@pytest.mark.parametrize("thousand", range(1, 5))
def test_both_say_the_same_for_long(dealing: Dealing, thousand: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(1000 * thousand, 1000 * thousand + 1000):
        seen += played(seed, dealing).seen
    rare = {"hand is dead"} if dealing.__name__ != "unplayable" else set()
    assert {word.strip() for word in HAPPENINGS.replace("\n", " ").split(",")} - rare <= set(seen)
