"""A match folded over its deals as they are played over: its standings and its end, compared with what was recorded (C8.2-C8.4)."""

from __future__ import annotations

from typing import Any

from services.games.rules import Ruleset
from services.games.shengji import match as matches
from services.games.shengji.match import Match
from services.games.shengji.params import Params
from services.games.shengji.result import SIDES
from services.games.shengji.ruleset import Shengji
from services.games.shengji.state import State


class MatchReplay:
    """One match. What does not fit is returned as text, empty where all does."""

    def __init__(self, params: Params, a_is_a_level: bool) -> None:
        self._match = matches.start(params, 0)
        self._a_is_a_level = a_is_a_level
        self._sure = True
        """Every deal so far could be played over."""

    def lose(self) -> None:
        """A deal could not be played over: what is told of the match next is taken for true."""
        self._sure = False

    def opened(self, told: Any) -> str:
        """A deal is opened under the standing `told`."""
        levels, reached = tuple(told.levels), tuple(told.reached)
        declarer = told.declarer if told.HasField("declarer") else None
        now = self._match
        stands = (levels, reached, declarer, told.first_drawer, told.deals, told.voided)
        folded = (now.levels, now.reached, now.declarer, now.first_drawer, now.deals, now.voided)
        if self._sure and stands != folded:
            return f"the match is told to stand at {stands}, its deals lead to {folded}"
        if not self._sure:
            (one, two), (first, second) = levels, reached
            counts = told.first_drawer, told.deals, told.voided
            self._match = Match(now.params, (one, two), (first, second), declarer, *counts, None)
            self._sure = True
        return ""

    def deal(self, rules: Ruleset, cards: tuple[int, ...], lot: int | None) -> State:
        """A deal of the match; `lot` draws first on its first one (S3.2). Raises Rejected."""
        if lot is not None:
            self._match = self._match._replace(first_drawer=lot)
        assert isinstance(rules, Shengji)
        return rules.deal(self._match.params, self._match.setting, cards)

    def finished(self, deal: State) -> None:
        """A deal was played to its end."""
        self._match = matches.played(self._match, deal)

    def ended(self, told: Any) -> str:
        """The match is over, as `told`. Who wins by the clock alone the records' times say, not the deals."""
        now, winner = self._match, told.winner if told.HasField("winner") else None
        if not self._sure:
            return ""
        if (tuple(told.levels), told.deals) != (now.levels, now.deals):
            return f"the match ended at {list(told.levels)}, its deals lead to {list(now.levels)}"
        if list(told.past_a) != [now.won_by == side for side in SIDES]:
            return "the match is told to be won past A otherwise than its deals say"
        net = 0 if winner is None else matches.net(now, winner, self._a_is_a_level)
        if told.net_levels != net:
            return f"{told.net_levels} net levels were told, the levels give {net}"
        if now.won_by is not None and winner != now.won_by:
            return f"side {now.won_by} has risen past A, and side {winner} is told to have won"
        return ""
