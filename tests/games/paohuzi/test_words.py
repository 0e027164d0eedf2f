"""Events as one line of text."""

from __future__ import annotations

import pytest

from services.games.paohuzi.events import BoardDrawn, EatClaimed, Event, TilePlayed, WeiLaid, Won
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.ruleset import COMPETITIVE_2017

RUN = Meld("run", (1, 2, 3))


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (TilePlayed(0, 5), "tile_played 0 s5"),
        (WeiLaid(1, 20, True), "wei_laid 1 b10 stale"),
        (WeiLaid(1, 20, False), "wei_laid 1 b10"),
        (EatClaimed(2, (1, 2), (RUN,)), "eat_claimed 2 s1 s2 + run s1 s2 s3"),
        (Won(1, 3, (RUN,), 15, ("red",), 2, (-2, 4, -2)), "won 1 s3 + run s1 s2 s3 15 red 2 -2 4 -2"),
        (BoardDrawn(), "board_drawn"),
    ],
)
def test_an_event_is_told_in_one_line(event: Event, text: str) -> None:
    assert COMPETITIVE_2017.tell(event) == text
