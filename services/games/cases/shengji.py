"""Cases of Shengji (S1-S9): `order`, `shape`, `follow`, `trick`, `throw`, `bottom`, `result`, `bids`.

Without `ruleset` the defaults of `shengji/duplicate-2017` hold. Where a rule says no, to a parameter that no event may have
or to a play of several suits, only `refused` is found, the clause; malformed input is Rejected and the checker reports it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from services.domain import Rejected
from services.games.shengji import bids as bidding
from services.games.shengji import bottom as at_bottom
from services.games.shengji import cards, params
from services.games.shengji import follow as following
from services.games.shengji import result as results
from services.games.shengji import throw as throws
from services.games.shengji import trick as tricks
from services.games.shengji.bids import DRAWN, Bid, Offer, Setting
from services.games.shengji.cards import RANKS, SUITS, Cards
from services.games.shengji.order import TRUMPS, Order, order_of
from services.games.shengji.params import Params
from services.games.shengji.shape import Component, demand, split

Case = dict[str, Any]
Found = dict[str, Any]
_DEALT = 25


def _ruled(kind: Callable[[Case, Params], Found]) -> Callable[[Case], Found]:
    """A kind of case under the parameters that the case names."""

    @wraps(kind)
    def run(case: Case) -> Found:
        try:
            return kind(case, _params(case))
        except Rejected as refusal:
            if refusal.clause and not refusal.reason.startswith("MALFORMED"):
                return {"refused": refusal.clause}
            raise

    return run


@_ruled
def order(case: Case, resolved: Params) -> Found:
    """`high_to_low`: the cards, trumps first; cards that rank alike, be it in different plain suits, share a list."""
    deal_order = _order(case)
    ranked: dict[tuple[bool, int], list[str]] = {}
    for card in _cards(case, "cards"):
        place = (deal_order.suits[card] == TRUMPS, deal_order.places[card])
        ranked.setdefault(place, []).append(cards.show(card))
    return {"high_to_low": [ranked[place] for place in sorted(ranked, reverse=True)]}


@_ruled
def shape(case: Case, resolved: Params) -> Found:
    """Effective `suit` and `components` of cards of one suit (S6.2, S6.3)."""
    deal_order, played = _order(case), _cards(case, "cards")
    suit = demand(deal_order, played).suit
    return {
        "suit": "trump" if suit == TRUMPS else SUITS[suit],
        "components": [_kind(component) for component in split(deal_order, played)],
    }


@_ruled
def follow(case: Case, resolved: Params) -> Found:
    """All legal `plays` to a lead, where the case expects them, and their `count` (S7)."""
    deal_order = _order(case)
    lead, hand = _cards(case, "lead"), _cards(case, "hand")
    if len(hand) < len(lead):
        raise _malformed("the hand holds at least as many cards as were led")
    asked = demand(deal_order, lead)
    legal = following.follows(deal_order, cards.count(hand), asked, partial=resolved.partial_tractor_follow)
    found: Found = {"count": len(legal)}
    if "plays" in case["expect"]:
        found["plays"] = [_shown(play) for play in legal]
    return found


@_ruled
def trick(case: Case, resolved: Params) -> Found:
    """`winner` and `points` of a trick of four plays, seat 0 leading (S8)."""
    deal_order = _order(case)
    plays = [_parsed(play) for play in _list(case, "plays")]
    if len(plays) != 4:
        raise _malformed("a trick is four plays")
    return {"winner": tricks.winner(resolved, [deal_order] * 4, plays), "points": tricks.points(plays)}


@_ruled
def throw(case: Case, resolved: Params) -> Found:
    """Whether a throw `stands`, the cards it `must_play` if not (else null), and the `fine` (S6.4)."""
    deal_order = _order(case)
    lead, others = _cards(case, "cards"), [_parsed(hand) for hand in _list(case, "others")]
    if len(others) != 3:
        raise _malformed("there are three other hands")
    hands = [(deal_order, cards.count(hand)) for hand in others]
    verdict = throws.judge(resolved, deal_order, lead, hands)
    return {
        "stands": verdict.stands,
        "must_play": None if verdict.stands else _shown(verdict.led),
        "fine": verdict.fine,
    }


@_ruled
def bottom(case: Case, resolved: Params) -> Found:
    """The `bonus` that the bottom brings the defenders (S9.1)."""
    deal_order = _order(case)
    lead, winning, laid = _cards(case, "lead"), _cards(case, "winning_play"), _cards(case, "bottom")
    if case["winner"] not in ("defenders", "declarer") or len(lead) != len(winning):
        raise _malformed("the winner is `defenders` or `declarer`, with as many cards as were led")
    won = case["winner"] == "defenders"
    return {"bonus": at_bottom.bonus(resolved, laid, (deal_order, lead), (deal_order, winning)) if won else 0}


@_ruled
def result(case: Case, resolved: Params) -> Found:
    """`levels` after the deal (absent once won), `next_declarer` and `match_won_by` (S9.3-S9.5, S9.7)."""
    levels = _list(case, "levels")
    if len(levels) != 2:
        raise _malformed("levels are those of seats 0+2 and seats 1+3")
    after = results.settle(
        resolved,
        _whole(case, "points", -1000, 10000),
        (_level(levels[0]), _level(levels[1])),
        _whole(case, "declarer", 0, 3),
    )
    found = {"next_declarer": after.next_declarer, "match_won_by": after.won_by}
    return found if after.won_by is not None else {**found, "levels": list(after.levels)}


@_ruled
def bids(case: Case, resolved: Params) -> Found:
    """`trump`, `declarer`, whether level cards are `demoted`, and the indexes of `refused` bids (S4)."""
    level = _level(case["level"])
    hands, laid = [_in_order(hand) for hand in _list(case, "hands")], _in_order(_list(case, "bottom"))
    if [len(hand) for hand in hands] != [_DEALT] * 4 or len(laid) != at_bottom.SIZE:
        raise _malformed("a deal is four hands of 25 cards and a bottom of 8")
    if sorted([*laid, *(card for hand in hands for card in hand)]) != list(cards.DECK):
        raise _malformed("a deal is the 108 cards")
    declarer = None if case["first_deal"] else _whole(case, "declarer", 0, 3)
    first = case.get("first_drawer")
    if first is None:
        first = 0 if declarer is None else declarer
    elif first not in results.SEATS:
        raise _malformed("first_drawer is a seat")
    setting = Setting(level, declarer, first)
    standing, refused = _auction(resolved, setting, hands, _list(case, "bids"))
    trumps = bidding.settled(resolved, setting, standing, laid)
    return {
        "trump": trumps.suit,
        "declarer": trumps.declarer,
        "refused": refused,
        "demoted": trumps.demoted,
    }


def _auction(
    resolved: Params, setting: Setting, hands: Sequence[Cards], given: list[Case]
) -> tuple[Bid | None, list[int]]:
    """The bid that stands after all `given`, and the indexes of those refused."""
    by_draw: dict[int, list[int]] = {}
    for index, bid in enumerate(given):
        by_draw.setdefault(_whole(bid, "at", 1, DRAWN), []).append(index)
    standing, refused = None, []
    for at in sorted(by_draw):
        offers = [_offer(setting, hands, given[index], at) for index in by_draw[at]]
        made = bidding.decided(resolved, setting, standing, offers, at)
        standing = made[-1][1] if made else standing
        counted = {by_draw[at][index] for index, _ in made}
        refused += [index for index in by_draw[at] if index not in counted]
    return standing, refused


def _offer(setting: Setting, hands: Sequence[Cards], bid: Case, at: int) -> Offer:
    seat = _whole(bid, "seat", 0, 3)
    drawn = hands[seat][: bidding.drawn_by(setting.first_drawer, seat, at)]
    return Offer(seat, _cards(bid, "cards"), cards.count(drawn))


def canonical(key: str, value: Any) -> Any:
    """The value where the order of equal or of all cards does not matter."""
    match key:
        case "high_to_low" | "plays":
            return [sorted(each) for each in value]
        case "must_play":
            return sorted(value or ())
        case "refused" if isinstance(value, list):
            return sorted(value)
        case _:
            return value


def _order(case: Case) -> Order:
    trump, demoted = case["trump"], case.get("demoted", False)
    if not isinstance(trump, str) or len(trump) != 1 or trump not in SUITS:
        raise _malformed(f"trump: {trump!r} is none of {' '.join(SUITS)}")
    if not isinstance(demoted, bool):
        raise _malformed("demoted: true or false")
    return order_of(_level(case["level"]), trump, demoted)


def _params(case: Case) -> Params:
    ruleset, overrides = case.get("ruleset", params.DUPLICATE), case.get("params", {})
    if not isinstance(ruleset, str) or not isinstance(overrides, dict):
        raise _malformed("ruleset: a name, and params: an object")
    return params.resolve(ruleset, overrides)


def _level(value: Any) -> str:
    if not isinstance(value, str) or len(value) != 1 or value not in RANKS:
        raise _malformed(f"{value!r} is none of the levels {' '.join(RANKS)}")
    return value


def _list(case: Case, name: str) -> list[Any]:
    value = case[name]
    if not isinstance(value, list):
        raise _malformed(f"{name}: a list is wanted")
    return value


def _cards(case: Case, name: str) -> Cards:
    return _parsed(_list(case, name))


def _parsed(words: Any) -> Cards:
    """Cards that somebody holds or plays together, ascending."""
    found = tuple(sorted(_in_order(words)))
    if any(number > cards.COPIES for number in Counter(found).values()):
        raise _malformed("there are two of each card")
    return found


def _in_order(words: Any) -> Cards:
    if not isinstance(words, list):
        raise _malformed("cards: a list is wanted")
    return tuple(map(cards.parse, words))


def _kind(component: Component) -> list[Any]:
    if component.pairs > 1:
        return ["tractor", component.pairs]
    return ["pair" if component.pairs else "single"]


def _shown(play: Iterable[int]) -> list[str]:
    return sorted(map(cards.show, play))


def _whole(case: Case, name: str, least: int, most: int) -> int:
    value = case[name]
    if type(value) is not int or not least <= value <= most:
        raise _malformed(f"{name}: {value!r} is not a whole number from {least} to {most}")
    return value


def _malformed(detail: str) -> Rejected:
    return Rejected("MALFORMED_CASE", "", detail)
