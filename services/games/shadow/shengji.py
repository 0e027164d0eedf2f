"""A referee of whole Shengji deals, written from the rule pages and for reading beside them.

`Deal` is a sheet of paper: it is told trumps, the bottom and every play, and keeps what lies where. It knows the default
parameters and those of `TOLD_APART`; who bids when is not its business, only whether the trumps are such as may be set (`Bidding`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from services.domain import Rejected

Card = str
"""Suit and rank, `SA`, `HT`; the jokers `jo` and `JO` (S1.1)."""

SUITS, RANKS, JOKERS = "SHCD", "23456789TJQKA", ("jo", "JO")
DECK: tuple[Card, ...] = tuple(
    card for card in (*(suit + rank for suit in SUITS for rank in RANKS), *JOKERS) for _ in range(2)
)
TRUMPS = "trumps"
WORTH = {"5": 5, "T": 10, "K": 10}

TOLD_APART = ("throw_fine", "tractor_over_pairs", "partial_tractor_follow", "demote")
"""Parameters whose options are known here; `demote` only `all_eight` and `none`."""

Pairs = Counter[int]
"""How many pairs lie at each place of a suit's order; there may be several only at the place of the other level cards."""


def side(seat: int) -> int:
    """Partners sit opposite (S2.1)."""
    return seat % 2


def points(cards: Iterable[Card]) -> int:
    """Points of cards (S1.1)."""
    return sum(WORTH.get(card[1], 0) for card in cards if card not in JOKERS)


class Order:
    """Effective suits and places of cards, low to high; neighbours in a tractor's chain differ by one (S1.3, S1.4, S6.3)."""

    def __init__(self, level: str, trump: str, demoted: bool) -> None:
        plain = [rank for rank in RANKS if rank != level]
        others = [suit + level for suit in SUITS if suit != trump]
        levels = [others, [trump + level]]
        suit = [[trump + rank] for rank in plain]
        chain = [*levels, *suit] if demoted else [*suit, *levels]  # S4.6
        places = [*chain, ["jo"], ["JO"]]
        self.suit = {card: TRUMPS for place in places for card in place}
        self.place = {card: number for number, place in enumerate(places) for card in place}
        for other in SUITS:
            if other != trump:
                self.suit |= dict.fromkeys((other + rank for rank in plain), other)
                self.place |= {other + rank: number for number, rank in enumerate(plain)}

    def pairs(self, cards: Sequence[Card]) -> Pairs:
        """The pairs among cards of one suit, by place."""
        return Counter([self.place[card] for card in set(cards) if cards.count(card) == 2])

    def split(self, cards: Sequence[Card]) -> list[list[Card]]:
        """A lead's components: tractors, the longest first, then pairs, then singles (S6.2)."""
        if len(cards) == 1:
            return [list(cards)]
        left = Counter(cards)
        parts = []
        while run := longest(self.pairs([*left.elements()])):
            tractor = [self._pair_at(left, place) for place in run]
            parts.append([card for card in tractor for _ in range(2)])
            left -= Counter(parts[-1])
        parts += [[card] * 2 for card, copies in left.items() if copies == 2]
        return parts + [[card] for card, copies in left.items() if copies == 1]

    def _pair_at(self, left: Counter[Card], place: int) -> Card:
        """Of equal level pairs the last in ♠ ♥ ♣ ♦ goes into the tractor."""
        found = [card for card, copies in left.items() if copies == 2 and self.place[card] == place]
        return max(found, key=lambda card: SUITS.find(card[0]))

    def top(self, cards: Iterable[Card]) -> int:
        """The highest place."""
        return max(self.place[card] for card in cards)


def runs(pairs: Pairs, length: int) -> list[range]:
    """Every tractor of so many pairs that can be cut out, as its places."""
    return [
        range(low, low + length)
        for low in sorted(place for place, number in pairs.items() if number)
        if all(pairs[place] for place in range(low, low + length))
    ]


def longest(pairs: Pairs) -> range | None:
    """The longest tractor, the highest of them; None where no two pairs are neighbours."""
    for length in range(pairs.total(), 1, -1):
        if found := runs(pairs, length):
            return found[-1]
    return None


class Shape:
    """What a lead asks for: the lengths of its tractors, longest first, and its further pairs."""

    def __init__(self, parts: Sequence[Sequence[Card]]) -> None:
        self.tractors = sorted((len(part) // 2 for part in parts if len(part) > 2), reverse=True)
        self.pairs = sum(len(part) == 2 for part in parts)
        self.single = not self.tractors and not self.pairs
        """Whether it asks for nothing but cards of its suit."""


def answer(pairs: Pairs, shape: Shape, partial: bool) -> list[tuple[int, int]]:
    """How well these pairs answer a lead, component by component, biggest first: the best there is (S7.2)."""
    if not shape.tractors:
        return [(0, min(pairs.total(), shape.pairs))]
    k, rest = shape.tractors[0], Shape([])
    rest.tractors, rest.pairs = shape.tractors[1:], shape.pairs
    number = min(pairs.total(), k)
    if found := runs(pairs, k):
        worth, ways = k, [Counter(run) for run in found]
    else:
        worth = len(longest(pairs) or ()) if partial else 0
        bases = [Counter(run) for run in runs(pairs, worth)] if worth else [Counter()]
        ways = [base + Counter(more) for base in bases for more in _picks(pairs - base, number - worth)]
    return [(worth, number), *max(answer(pairs - way, rest, partial) for way in ways)]


def _picks(pairs: Pairs, number: int) -> Iterator[tuple[int, ...]]:
    return iter(set(combinations(sorted(pairs.elements()), number)))


def height(order: Order, cards: Sequence[Card], shape: Shape) -> int | None:
    """The highest component of the lead's greatest kind, in the best cutting that fits; None where none fits (S8.1)."""
    if shape.tractors:
        return _tractor_height(order.pairs(cards), shape.tractors, shape.pairs, shape.tractors[0])
    if shape.pairs:
        pairs = order.pairs(cards)
        return max(pairs) if pairs.total() >= shape.pairs else None
    return order.top(cards)


def _tractor_height(pairs: Pairs, tractors: Sequence[int], more: int, greatest: int) -> int | None:
    if not tractors:
        return -1 if pairs.total() >= more else None
    best: int | None = None
    for run in runs(pairs, tractors[0]):
        rest = _tractor_height(pairs - Counter(run), tractors[1:], more, greatest)
        if rest is not None:
            top = max(run[-1], rest) if tractors[0] == greatest else rest
            best = top if best is None else max(best, top)
    return best


class Deal:
    """One deal from the moment trumps are set. `hands` by seat, `facts` what has happened, in the words of the events."""

    def __init__(
        self,
        params: Mapping[str, Any],
        hands: Sequence[Sequence[Card]],
        bottom: Sequence[Card],
        order: Order,
        declarer: int,
    ) -> None:
        self.params = params
        self.order = order
        self.declarer = declarer
        self.hands = [list(hand) for hand in hands]
        self.hands[declarer] += bottom  # S5.1
        self.bottom: list[Card] = []
        self.turn = declarer  # S6.1
        self.trick: list[tuple[int, list[Card]]] = []
        self.shape = Shape([])  # what the lead of the trick asks for
        self.points = 0  # the defenders'
        self.over = False
        self.facts: list[tuple[Any, ...]] = []

    def bury(self, seat: int, cards: Sequence[Card]) -> None:
        """The declarer lays the bottom. Raises Rejected."""
        if seat != self.declarer or self.bottom or len(cards) != 8 or not self._holds(seat, cards):
            raise Rejected("REFUSED", "S5.1")
        self._lay(seat, cards)
        self.bottom = list(cards)
        self._tell("buried", seat, *sorted(cards))

    def play(self, seat: int, cards: Sequence[Card]) -> None:
        """A lead or a follow. Raises Rejected."""
        if not self.may_play(seat, cards):
            raise Rejected("REFUSED", "S7.1" if self.trick else "S6.2")
        led = list(cards)
        if not self.trick:
            led = self._stands(seat, cards)
            self.shape = Shape(self.order.split(led))
        self._lay(seat, led)
        self.trick.append((seat, led))
        self._tell("cards_played", seat, *sorted(led))
        self.turn = (seat + 1) % 4
        if len(self.trick) == 4:
            self._sweep()

    def may_play(self, seat: int, cards: Sequence[Card]) -> bool:
        """Whether a seat may play these cards now."""
        if self.over or seat != self.turn or not self.bottom or not cards or not self._holds(seat, cards):
            return False
        suits = {self.order.suit[card] for card in cards}
        if not self.trick:
            return len(suits) == 1  # S6.2
        lead = self.trick[0][1]
        suit = self.order.suit[lead[0]]
        held = [card for card in self.hands[seat] if self.order.suit[card] == suit]
        played = [card for card in cards if self.order.suit[card] == suit]
        if len(cards) != len(lead) or len(played) != min(len(held), len(lead)):  # S7.1, S7.3
            return False
        shape, partial = self.shape, self.params["partial_tractor_follow"]
        if len(held) <= len(lead) or shape.single:
            return True
        best = answer(self.order.pairs(held), shape, partial)
        return answer(self.order.pairs(played), shape, partial) == best

    def _holds(self, seat: int, cards: Sequence[Card]) -> bool:
        return all(cards.count(card) <= self.hands[seat].count(card) for card in cards)

    def _lay(self, seat: int, cards: Sequence[Card]) -> None:
        for card in cards:
            self.hands[seat].remove(card)

    def _stands(self, seat: int, cards: Sequence[Card]) -> list[Card]:
        """What is led: the cards, or of a throw that fails the smallest component that is beaten, and a fine (S6.4)."""
        parts = self.order.split(cards)
        if len(parts) == 1:  # no throw
            return list(cards)
        beaten = [
            part for part in parts if any(self._beats(other, part) for other in range(4) if other != seat)
        ]
        if not beaten:
            return list(cards)
        fine = self.params["throw_fine"] * sum(map(len, beaten))
        self._fine(seat, fine)
        self._tell("throw_failed", seat, *sorted(cards), fine)
        return min(beaten, key=lambda part: (self.order.top(part), len(part), SUITS.find(part[0][0])))

    def _beats(self, seat: int, part: Sequence[Card]) -> bool:
        suit, top = self.order.suit[part[0]], self.order.top(part)
        held = [card for card in self.hands[seat] if self.order.suit[card] == suit]
        if len(part) == 1:
            return any(self.order.place[card] > top for card in held)
        return any(run[-1] > top for run in runs(self.order.pairs(held), len(part) // 2))

    def _fine(self, seat: int, fine: int) -> None:
        """S9.2."""
        self.points += fine if side(seat) == side(self.declarer) else -fine

    def _sweep(self) -> None:
        """S8: the trick to its winner; after the last one the bottom (S9.1)."""
        best = max(range(4), key=lambda at: (self._value(at), -at))
        seat, cards = self.trick[best]
        won = points(card for _, played in self.trick for card in played)
        defenders = side(seat) != side(self.declarer)
        if defenders:
            self.points += won
        self._tell("trick_won", seat, won)
        self.trick, self.turn = [], seat
        if any(self.hands):
            return
        bonus = 0
        if defenders:
            run = longest(self.order.pairs(cards))
            pair = max(Counter(cards).values()) == 2
            bonus = points(self.bottom) * (2 ** (len(run) + 1) if run else 4 if pair else 2)
        self.points += bonus
        self.over = True
        self._tell("deal_ended", self.points, bonus)

    def _value(self, at: int) -> tuple[Any, ...]:
        """What a play of the trick counts; plays of equal value lose to the earlier one (S8.1, S8.3a)."""
        lead, cards = self.trick[0][1], self.trick[at][1]
        shape, suits = self.shape, {self.order.suit[card] for card in cards}
        if len(suits) > 1 or not suits <= {TRUMPS, self.order.suit[lead[0]]}:
            return (-1,)
        top = height(self.order, cards, shape)
        if top is None:
            return (-1,)
        connected = 0
        if self.params["tractor_over_pairs"] and not shape.tractors and shape.pairs > 1:
            connected = min(len(longest(self.order.pairs(cards)) or ()), shape.pairs)
        return (connected, suits == {TRUMPS}, top)

    def _tell(self, *fact: Any) -> None:
        self.facts.append(fact)


class Bidding:
    """The cards as dealt, and the bids that came to stand (S3, S4)."""

    def __init__(self, level: str, first_drawer: int, deal: Sequence[Card]) -> None:
        self.level = level
        self.hands = [list(deal[(seat - first_drawer) % 4 : 100 : 4]) for seat in range(4)]
        self.bottom = list(deal[100:])
        self.standing: tuple[int, list[Card]] | None = None

    def bid(self, seat: int, cards: Sequence[Card]) -> None:
        """A bid comes to stand. Raises Rejected."""
        before = self.standing
        level = len(set(cards)) == 1 and cards[0] in {suit + self.level for suit in SUITS}  # S4.1, S4.3
        if not level or Counter(cards) - Counter(self.hands[seat]):
            raise Rejected("REFUSED", "S4.1")
        if before is not None:
            own = seat == before[0]
            if len(before[1]) == 2 or len(cards) != 2 or own != (cards[0] == before[1][0]):  # S4.2, S4.5
                raise Rejected("REFUSED", "S4.2")
        self.standing = seat, list(cards)

    def trump(self) -> tuple[str, list[Card]]:
        """The suit that is set, and the bottom cards that were turned for it (S4.6)."""
        if self.standing is not None:
            return self.standing[1][0][0], []
        at = next(number for number in range(2, 8) if self.bottom[number] not in JOKERS)
        return self.bottom[at][0], self.bottom[: at + 1]
