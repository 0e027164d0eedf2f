"""Actions and their text, and what is no action at all."""

from __future__ import annotations

from typing import Any

import pytest

from services.domain import Rejected
from services.games import registry
from services.games.paohuzi.actions import PASS, PENG, WIN, Action, Eat, Play, canonical, parse, show
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.ruleset import COMPETITIVE_2017 as RULES
from tests.games.paohuzi.given import drawn, seat

ALONG = (Meld("jiao", (6, 6, 16)), Meld("run", (4, 5, 6)))


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("play s5", Play(5)),
        ("play b10", Play(20)),
        ("eat s7 s8", Eat((7, 8))),
        ("eat s7 s8 + s6 s6 b6 + s4 s5 s6", Eat((7, 8), ALONG)),
        ("peng", PENG),
        ("win", WIN),
        ("pass", PASS),
    ],
)
def test_text_and_action_are_one(text: str, action: Action) -> None:
    assert parse(text) == action
    assert show(action) == text


def test_tile_and_meld_order_of_an_eat_do_not_matter() -> None:
    assert parse("eat s8 s7 + s6 s4 s5 + b6 s6 s6") == Eat((7, 8), ALONG)
    assert canonical(Eat((8, 7), (Meld("", (6, 5, 4)), Meld("?", (16, 6, 6))))) == Eat((7, 8), ALONG)
    board = drawn("s6", 0, {1: seat("s4 s5 s6 s7 s8 b1")})
    assert RULES.decide(board, 1, Eat((8, 7), (Meld("", (6, 5, 4)),)))


@pytest.mark.parametrize(
    "text",
    ["", "play", "play s11", "play s5 s6", "eat s5", "eat s5 s6 s7", "eat s5 s6 +", "eat s5 s6 + s7", "dance", None, 7],
)  # fmt: skip
def test_what_is_no_action_is_malformed(text: Any) -> None:
    with pytest.raises(Rejected) as refusal:
        parse(text)
    assert refusal.value.reason == "MALFORMED_ACTION"


@pytest.mark.parametrize(
    "action",
    [
        None,
        "win",
        Play(0),
        Play(21),
        Play(-1),
        Eat(()),
        Eat((5,)),
        Eat((5, 99)),
        Eat((4, 6, 7)),
        Eat((4, 6), (Meld("run", (0, 0, 0)),)),
        Eat((4, 6), (Meld("run", ()), Meld("nonsense", (5,) * 40))),
    ],
)
def test_what_no_client_of_ours_sends_is_refused(action: Any) -> None:
    board = drawn("s5", 0, {1: seat("s4 s6 b1")})
    with pytest.raises(Rejected):
        RULES.decide(board, 1, action)


@pytest.mark.parametrize("number", [-1, 3, 99])
def test_p2_there_are_three_seats(number: int) -> None:
    with pytest.raises(Rejected) as refusal:
        RULES.decide(drawn("s5", 0, {1: seat("s4 s6 b1")}), number, PASS)
    assert refusal.value.clause == "P2"


def test_the_registry_finds_a_ruleset_by_its_id() -> None:
    assert registry.find("paohuzi/competitive-2017") is RULES
    for unknown in ("paohuzi/other", "", None, 7):
        with pytest.raises(Rejected) as refusal:
            registry.find(unknown)
        assert refusal.value.reason == "UNKNOWN_RULESET"
