"""What may be played to a lead (S7): all legal follows, counted exactly and listed only as far as asked.

`follows` gives a sequence: its length, its n-th play and whether a play is in it are worked out without a list. A play that
stays in the led suit is told by its *pairs*, which alone decide whether it answers the lead (S7.2); the rest are any single
cards. So the sequence runs over the sets of pairs that answer as well as the whole hand could.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations
from math import comb
from typing import overload

from services.domain import Rejected
from services.games.shengji import runs
from services.games.shengji.cards import Cards, Counts, holds, show
from services.games.shengji.order import Order
from services.games.shengji.runs import Segment, Segments
from services.games.shengji.shape import Demand


class Follows(Sequence[Cards]):
    """All legal plays to one lead from one hand, each ascending by code, in a fixed order."""

    def lowest(self) -> Cards:
        """The lowest legal play: the fewest pairs that answer, as low as they come, then the lowest cards."""
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Cards: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Cards]: ...
    def __getitem__(self, index: int | slice) -> Cards | Sequence[Cards]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return tuple(sorted(self._nth(index % len(self))))

    def _nth(self, index: int) -> Sequence[int]:
        raise NotImplementedError


def follows(order: Order, hand: Counts, asked: Demand, *, partial: bool = True) -> Follows:
    """The legal plays from `hand`, which holds at least as many cards as were led.

    `partial`: parameter `partial_tractor_follow` (S7.2).
    """
    held = order.within(hand, asked.suit)
    if sum(held) <= asked.size:
        return _Filled(order, hand, asked)
    return _Answers(order, held, asked, partial)


def check(order: Order, hand: Counts, asked: Demand, played: Cards, *, partial: bool = True) -> None:
    """Raise Rejected, naming the clause, unless `played` is a legal follow from `hand`."""
    text = " ".join(map(show, played))
    if len(played) != asked.size:
        raise Rejected("WRONG_NUMBER", "S7.1", f"{text}: {asked.size} cards were led")
    if not holds(hand, played):
        raise Rejected("CARD_NOT_IN_HAND", "S7.1", f"{text}: not all in the hand")
    following = sum([order.suits[card] == asked.suit for card in played])
    if following < min(asked.size, order.size(hand, asked.suit)):
        raise Rejected("MUST_FOLLOW_SUIT", "S7.1", f"{text}: the led suit is played while there is any")
    if tuple(sorted(played)) not in follows(order, hand, asked, partial=partial):
        raise Rejected(
            "MUST_ANSWER_SHAPE", "S7.2", f"{text}: the hand answers the lead's tractors and pairs better"
        )


class _Filled(Follows):
    """No more cards of the led suit than were led: all of them, filled up with any cards (S7.3)."""

    def __init__(self, order: Order, hand: Counts, asked: Demand) -> None:
        suits = order.suits
        self._kept = [card for card in order.members[asked.suit] for _ in range(hand[card])]
        self._size = asked.size - len(self._kept)
        self._number = {
            card: hand[card] for card in _low_first(order) if hand[card] and suits[card] != asked.suit
        }
        self._kinds = tuple(self._number)
        number = [self._number[card] for card in self._kinds]
        self._doubles = [sum(each == 2 for each in number[at:]) for at in range(len(number) + 1)]

    def __len__(self) -> int:
        return self._ways(0, self._size)

    def __iter__(self) -> Iterator[Cards]:
        for rest in self._fill(0, self._size):
            yield tuple(sorted([*self._kept, *rest]))

    def __contains__(self, play: object) -> bool:
        if not isinstance(play, tuple) or len(play) != self._size + len(self._kept):
            return False
        rest = Counter(play)
        rest.subtract(self._kept)
        return all(0 <= number <= self._number.get(card, 0) for card, number in rest.items())

    def lowest(self) -> Cards:
        rest = [card for card in self._kinds for _ in range(self._number[card])]
        return tuple(sorted([*self._kept, *rest[: self._size]]))

    def _fill(self, at: int, size: int) -> Iterator[list[int]]:
        """All ways to take `size` cards of the kinds from `at` on."""
        if not size:
            yield []
            return
        if not self._ways(at, size):
            return
        card = self._kinds[at]
        for number in range(min(size, self._number[card]), -1, -1):
            for rest in self._fill(at + 1, size - number):
                yield [*[card] * number, *rest]

    def _nth(self, index: int) -> list[int]:
        found, size = list(self._kept), self._size
        for at, card in enumerate(self._kinds):
            for number in range(min(size, self._number[card]), -1, -1):
                ways = self._ways(at + 1, size - number)
                if index < ways:
                    found += [card] * number
                    size -= number
                    break
                index -= ways
        return found

    def _ways(self, at: int, size: int) -> int:
        return _multisets(self._doubles[at], len(self._kinds) - at, size)


class _Answers(Follows):
    """More cards of the led suit than were led: all from that suit, answering as well as any (S7.2)."""

    def __init__(self, order: Order, held: tuple[int, ...], asked: Demand, partial: bool) -> None:
        self._suit, self._order, self._asked, self._partial = asked.suit, order, asked, partial
        members = order.members[asked.suit]
        self._number = {card: number for card, number in zip(members, held, strict=True) if number}
        self._kinds = tuple(self._number)
        by_place: dict[int, list[int]] = {}
        for card in self._kinds:
            if self._number[card] == 2:
                by_place.setdefault(order.places[card], []).append(card)
        self._steps = tuple((place, tuple(kinds)) for place, kinds in by_place.items())
        left = [len(kinds) for _, kinds in self._steps]
        self._left = [sum(left[at:]) for at in range(len(left) + 1)]
        self._tractors = bool(asked.pairs) and asked.pairs[0] > 1
        if self._tractors:
            self._target = runs.best_answer(_segments(by_place), asked.pairs, partial)
        pairs = self._left[0]
        self._fewest = max(min(pairs, sum(asked.pairs)), asked.size - len(self._kinds))
        self._most = min(pairs, asked.size // 2)
        self._memo: dict[tuple[int, Segments, Segment, int], int] = {}

    def __len__(self) -> int:
        return self._ways(0, (), (), 0)

    def __iter__(self) -> Iterator[Cards]:
        for pairs in self._pairs(0, (), (), 0):
            for singles in combinations(self._rest(pairs), self._asked.size - 2 * len(pairs)):
                yield tuple(sorted([*pairs, *pairs, *singles]))

    def __contains__(self, play: object) -> bool:
        if not isinstance(play, tuple) or len(play) != self._asked.size:
            return False
        numbers = Counter(play)
        if any(number > self._number.get(card, 0) for card, number in numbers.items()):
            return False
        pairs: dict[int, list[int]] = {}
        for card, number in numbers.items():
            if number == 2:
                pairs.setdefault(self._order.places[card], []).append(card)
        return sum(map(len, pairs.values())) >= self._fewest and self._good(_segments(pairs))

    def lowest(self) -> Cards:
        pairs = next(pairs for pairs in self._pairs(0, (), (), 0) if len(pairs) == self._fewest)
        singles = self._rest(pairs)[: self._asked.size - 2 * len(pairs)]
        return tuple(sorted([*pairs, *pairs, *singles]))

    def _nth(self, index: int) -> list[int]:
        pairs: tuple[int, ...] = ()
        for pairs in self._pairs(0, (), (), 0):
            ways = self._fillings(len(pairs))
            if index < ways:
                break
            index -= ways
        size = self._asked.size - 2 * len(pairs)
        return [*pairs, *pairs, *_nth_combination(self._rest(pairs), size, index)]

    def _good(self, pairs: Segments) -> bool:
        """Whether the pairs, which are as many as are asked or held, answer the tractors led as well as any."""
        return not self._tractors or runs.best_answer(pairs, self._asked.pairs, self._partial) == self._target

    def _rest(self, pairs: tuple[int, ...]) -> list[int]:
        """Kinds that may be played singly beside `pairs`, lowest first."""
        return [card for card in self._kinds if card not in pairs]

    def _fillings(self, pairs: int) -> int:
        """Number of ways to add single cards to `pairs` pairs."""
        return comb(len(self._kinds) - pairs, self._asked.size - 2 * pairs)

    def _ways(self, at: int, done: Segments, running: Segment, taken: int) -> int:
        """Number of legal plays with pairs of the steps before `at` as given: segments closed and the one still open."""
        if taken + self._left[at] < self._fewest:
            return 0
        if at == len(self._steps):
            return self._fillings(taken) if self._good(_closed(done, running)) else 0
        key = (at, done, running, taken)
        ways = self._memo.get(key)
        if ways is None:
            ways = self._memo[key] = sum(
                comb(len(self._steps[at][1]), number) * self._ways(at + 1, *state)
                for number, state in self._choices(at, done, running, taken)
            )
        return ways

    def _pairs(self, at: int, done: Segments, running: Segment, taken: int) -> Iterator[tuple[int, ...]]:
        """The sets of pairs of legal plays, low pairs first."""
        if not self._ways(at, done, running, taken):
            return
        if at == len(self._steps):
            yield ()
            return
        for number, state in self._choices(at, done, running, taken):
            for chosen in combinations(self._steps[at][1], number):
                for rest in self._pairs(at + 1, *state):
                    yield (*chosen, *rest)

    def _choices(
        self, at: int, done: Segments, running: Segment, taken: int
    ) -> Iterator[tuple[int, tuple[Segments, Segment, int]]]:
        """How many pairs step `at` may give, most first, and what the sets of pairs then look like."""
        place, kinds = self._steps[at]
        numbers = range(min(len(kinds), self._most - taken), -1, -1)
        if not self._tractors:
            yield from ((number, ((), (), taken + number)) for number in numbers)
            return
        if running and self._steps[at - 1][0] != place - 1:
            done, running = _closed(done, running), ()
        for number in numbers:
            if number:
                yield number, (done, (*running, number), taken + number)
            else:
                yield number, (_closed(done, running), (), taken)


def _segments(by_place: dict[int, list[int]]) -> Segments:
    """The segments of pairs given by place."""
    number = [0] * (max(by_place, default=-1) + 1)
    for place, kinds in by_place.items():
        number[place] = len(kinds)
    return runs.segments(number)


def _closed(done: Segments, running: Segment) -> Segments:
    return runs.arranged([*done, running]) if running else done


@lru_cache(maxsize=1 << 12)
def _multisets(doubles: int, kinds: int, size: int) -> int:
    """Ways to choose `size` cards of `kinds` kinds, of which `doubles` are there twice and the others once."""
    return sum(
        comb(doubles, twice) * comb(kinds - twice, size - 2 * twice)
        for twice in range(min(doubles, size // 2) + 1)
    )


def _nth_combination(kinds: list[int], size: int, index: int) -> list[int]:
    """The combination at `index` in the order of `itertools.combinations`."""
    found: list[int] = []
    for at, card in enumerate(kinds):
        if len(found) == size:
            break
        with_it = comb(len(kinds) - at - 1, size - len(found) - 1)
        if index < with_it:
            found.append(card)
        else:
            index -= with_it
    return found


@cache
def _low_first(order: Order) -> Cards:
    """All kinds, plain ones by place before trumps by place."""
    plain = sorted(
        [card for kinds in order.members[:-1] for card in kinds], key=lambda card: (order.places[card], card)
    )
    return (*plain, *order.members[-1])
