"""A deal of Shengji that was played elsewhere, put before the shadow referee: trumps, bottom, plays, tricks, points, the end.

Not looked at are which of several bids came first, and what a referee finds: its points are taken as told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from services.domain import Rejected
from services.games.shadow.check import Difference, Told
from services.games.shadow.shengji import Bidding, Card, Deal, Order, side

ONLY = {"no_bid_rule": "third_card", "overruff": "largest", "bottom_shape": "winner", "score": "points"}
"""Parameters of which the shadow knows the default alone."""

FACTS = ("buried", "throw_failed", "cards_played", "trick_won")
"""Events that the shadow tells too, besides the end of a deal."""


def judges(params: Mapping[str, Any]) -> bool:
    """Whether the shadow knows these parameters, as the ruleset describes them."""
    return all(params[name] == value for name, value in ONLY.items()) and params["demote"] in (
        "all_eight",
        "none",
    )


def check(
    params: Mapping[str, Any],
    level: str,
    declarer: int | None,
    first_drawer: int,
    deal: Sequence[Card],
    told: Iterable[Told],
) -> Difference | None:
    """The first difference; None where the shadow says the same throughout, or does not know the parameters.

    `declarer` None: whoever sets trumps (S4.7); `deal` in the order the cards are drawn (S3.1).
    """
    if not judges(params):
        return None
    table = _Table(params, declarer, first_drawer, Bidding(level, first_drawer, deal))
    for number, step in enumerate(told, 1):
        try:
            if not table.follows(step):
                return Difference(number, "happened")
        except (Rejected, AssertionError):
            return Difference(number, "refused")
        if table.ended:
            return None
        if step.scores != table.scores:
            return Difference(number, "scores")
    return None


class _Table:
    """The sheet of a deal from its first bid on."""

    def __init__(
        self, params: Mapping[str, Any], declarer: int | None, first_drawer: int, bidding: Bidding
    ) -> None:
        self._params = params
        self._declarer = declarer
        self._first_drawer = first_drawer
        self._bidding = bidding
        self._sheet: Deal | None = None
        self._points = 0
        self.ended = False
        """It was voided, or a referee has ended it: there is nothing more to compare."""

    @property
    def scores(self) -> tuple[int, ...] | None:
        """By seat once the deal is over (S9.6)."""
        sheet = self._sheet
        if sheet is None or not sheet.over:
            return None
        above = sheet.points - 80
        return tuple(-above if side(seat) == side(sheet.declarer) else above for seat in range(4))

    def follows(self, step: Told) -> bool:
        """Do what a step says; whether just that happens. Raises Rejected for what the rules do not allow."""
        seen = 0 if self._sheet is None else len(self._sheet.facts)
        verb, *cards = step.do.split() or [""]
        if verb in ("bury", "play"):
            assert self._sheet is not None
            assert step.seat is not None
            (self._sheet.bury if verb == "bury" else self._sheet.play)(step.seat, cards)
        lines = [event.split() for event in step.events]
        if not all(self._told(*line) for line in lines):
            return False
        if self.ended:
            return True
        facts = [] if self._sheet is None else self._sheet.facts[seen:]
        return facts == [fact(line) for line in lines if line[0] in FACTS or line[0] == "deal_ended"]

    def _told(self, name: str, *words: str) -> bool:
        """Note what only is told; whether it may be so."""
        match name:
            case "bid_made":
                self._bidding.bid(int(words[0]), words[1:])
            case "bottom_turned":
                return self._bidding.standing is None and list(words) == self._bidding.trump()[1]
            case "trumps_set":
                return self._trumps(words[0], int(words[1]), "demoted" in words)
            case "penalised":
                self._points = int(words[-1])
                if self._sheet is not None:
                    self._sheet.points = self._points
            case "deal_voided":
                self.ended = True
            case "deal_ended":
                self.ended = self._sheet is None or not self._sheet.over
        return True

    def _trumps(self, suit: str, declarer: int, demoted: bool) -> bool:
        bidding, bid = self._bidding, self._bidding.standing
        first = self._first_drawer if bid is None else bid[0]
        due = first if self._declarer is None else self._declarer
        fallen = bid is None and self._params["demote"] == "all_eight"
        order = Order(bidding.level, suit, demoted)
        self._sheet = Deal(self._params, bidding.hands, bidding.bottom, order, declarer)
        self._sheet.points = self._points
        return (suit, declarer, demoted) == (bidding.trump()[0], due, fallen)


def fact(line: Sequence[str]) -> tuple[Any, ...]:
    """An event's words as the shadow tells it."""
    name, first, *words = line
    match name:
        case "trick_won":
            return name, int(first), int(words[0])
        case "throw_failed":
            return name, int(first), *sorted(words[:-1]), int(words[-1])
        case "deal_ended":
            return name, int(first), int(words[0])
    return name, int(first), *sorted(words)
