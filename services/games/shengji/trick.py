"""Who wins a trick, and what it is worth (S8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from services.domain import Rejected
from services.games.shengji import runs
from services.games.shengji.cards import POINTS, Cards
from services.games.shengji.order import TRUMPS, Order
from services.games.shengji.params import Params
from services.games.shengji.shape import Demand, demand

Places = tuple[int, ...]
"""Number of pairs, or of single cards, by place."""
Cutting = tuple[tuple[int, ...], ...]
"""Heights of a play's components cut up as the lead is: one descending list for each length of pairs led, one for singles."""

_PLACES = 16


def winner(params: Params, orders: Sequence[Order], plays: Sequence[Cards]) -> int:
    """The index of the winning play among `plays`, the lead first; `orders` are those of their players.

    They differ only where one side's level cards have fallen and the other's have not (S4.6). Raises Rejected for a lead of
    several suits (S6.2) and for plays of another size than the lead (S7.1).
    """
    asked = demand(orders[0], plays[0])
    if {*map(len, plays)} != {asked.size}:
        raise Rejected("WRONG_NUMBER", "S7.1", f"{asked.size} cards were led, and as many are played to them")
    if asked.size == 1:
        led = asked.suit
        heights = [order.strengths[led][play[0]] for order, play in zip(orders, plays, strict=True)]
        return heights.index(max(heights))
    best = 0
    standing = challenger(params, orders[0], asked, plays[0])
    for index in range(1, len(plays)):
        challenge = challenger(params, orders[index], asked, plays[index])
        if challenge and standing and challenge.beats(standing):
            best, standing = index, challenge
    return best


def points(plays: Sequence[Cards]) -> int:
    """Points of the cards in a trick (S8.4)."""
    return sum([POINTS[card] for play in plays for card in play])


def challenger(params: Params, order: Order, asked: Demand, play: Cards) -> Standing | None:
    """`play` as one that may win: all of the led suit or all trumps, answering component by component; else None."""
    suit = order.suits[play[0]]
    if suit not in (asked.suit, TRUMPS) or any(order.suits[card] != suit for card in play):
        return None
    if asked.size == 2 and asked.pairs:
        return _Pair(order, suit, play) if play[0] == play[1] else None
    standing = _Cut(params, order, asked, suit, play)
    return standing if standing.answers() else None


class Standing:
    """A play of one suit that answers the lead (S8.1)."""

    rank: tuple[int, bool]
    """What goes before height: the tractor in place of unconnected pairs (S8.3a), then trumps over plain cards."""
    height: int
    """Of the highest component of the lead's greatest kind, in the best cutting."""

    def beats(self, best: Standing) -> bool:
        """Whether the play takes the trick from the best so far."""
        return (self.rank, self.height) > (best.rank, best.height)


class _Pair(Standing):
    """A pair where one was led."""

    def __init__(self, order: Order, suit: int, play: Cards) -> None:
        self.rank = (0, suit == TRUMPS)
        self.height = order.height(suit, order.places[play[0]])


class _Cut(Standing):
    """A play that has to be cut up into the lead's components."""

    def __init__(self, params: Params, order: Order, asked: Demand, suit: int, play: Cards) -> None:
        self._params, self._order, self._asked, self._suit = params, order, asked, suit
        self._pairs, self._singles = _by_place(order, play)
        self._segments = runs.segments(self._pairs)

    def answers(self) -> bool:
        """Whether the play can be cut up as the lead is; if so its rank and height are worked out (S8.2)."""
        if not runs.fits(self._segments, self._asked.pairs):
            return False
        self.rank = (self._tractor(), self._suit == TRUMPS)
        self.height = self._order.height(self._suit, self._greatest())
        return True

    def beats(self, best: Standing) -> bool:
        if self._params.overruff == "largest" or self.rank != best.rank or not isinstance(best, _Cut):
            return super().beats(best)
        return all(any(_all_higher(mine, theirs) for mine in self._cuttings()) for theirs in best._cuttings())

    def _tractor(self) -> int:
        """Pairs of its longest tractor that stand for unconnected pairs led; 0 where that makes no difference (S8.3a)."""
        pairs = self._asked.pairs
        if not self._params.tractor_over_pairs or len(pairs) < 2 or pairs[0] > 1:
            return 0
        longest = min(runs.longest(self._segments), len(pairs))
        return longest if longest > 1 else 0

    def _greatest(self) -> int:
        """The highest place that a component of the lead's greatest kind can have."""
        if not self._asked.pairs:
            return max(place for place in range(_PLACES) if self._singles[place] or self._pairs[place])
        length, *others = self._asked.pairs
        tractors = [*_taken_out(self._pairs, length)]
        return next(top for top, rest in reversed(tractors) if runs.fits(runs.segments(rest), tuple(others)))

    def _cuttings(self) -> set[Cutting]:
        """Every way to cut the play up as the lead is."""
        led = self._asked.pairs
        lengths = sorted(set(led), reverse=True)
        found = set()
        for tops, left in _cut(self._pairs, led):
            by_length = [
                [top for top, length in zip(tops, led, strict=True) if length == each] for each in lengths
            ]
            singles = [
                place for place in range(_PLACES) for _ in range(self._singles[place] + 2 * left[place])
            ]
            found.add(tuple(self._heights(places) for places in (*by_length, singles)))
        return found

    def _heights(self, places: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted([self._order.height(self._suit, place) for place in places], reverse=True))


def _all_higher(mine: Cutting, theirs: Cutting) -> bool:
    return all(
        one > two
        for ours, others in zip(mine, theirs, strict=True)
        for one, two in zip(ours, others, strict=True)
    )


def _by_place(order: Order, play: Cards) -> tuple[Places, Places]:
    """The pairs and the single cards of a play."""
    pairs, singles = [0] * _PLACES, [0] * _PLACES
    for card, number in Counter(play).items():
        (pairs if number == 2 else singles)[order.places[card]] += 1
    return tuple(pairs), tuple(singles)


def _taken_out(pairs: Places, length: int) -> Iterator[tuple[int, Places]]:
    """The top place of every tractor of `length` pairs (1: pair) in `pairs`, ascending, and what is left without it."""
    for low in range(len(pairs) - length + 1):
        high = low + length
        if all(pairs[low:high]):
            yield high - 1, (*pairs[:low], *[number - 1 for number in pairs[low:high]], *pairs[high:])


@lru_cache(maxsize=1 << 12)
def _cut(pairs: Places, asked: tuple[int, ...]) -> frozenset[tuple[Places, Places]]:
    """All ways to cut the components `asked` out of `pairs`: their top places, and the pairs that are left."""
    if not asked:
        return frozenset({((), pairs)})
    return frozenset(
        ((top, *tops), left)
        for top, rest in _taken_out(pairs, asked[0])
        for tops, left in _cut(rest, asked[1:])
    )
