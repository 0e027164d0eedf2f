"""What may be played to a lead (S7): all legal follows, counted exactly and listed only as far as asked.

`follows` gives a sequence: its length, its n-th play and whether a play is in it are worked out without a list. A play that
stays in the led suit is told by its *pairs*, which alone decide whether it answers the lead (S7.2); the rest are any single
cards. So the sequence runs over the sets of pairs that answer as well as the whole hand could.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, compress
from math import comb

from services.domain import Rejected
from services.games.shengji import runs
from services.games.shengji.cards import Cards, Counts, holds, show
from services.games.shengji.order import Order
from services.games.shengji.runs import Segment, Segments
from services.games.shengji.selections import Picks, Plays
from services.games.shengji.shape import Demand

_NO_PAIRS: tuple[Segments, Segment, int] = ((), (), 0)


@lru_cache(maxsize=1 << 8)
def follows(order: Order, hand: Counts, asked: Demand, *, partial: bool = True) -> Plays:
    """All legal plays from `hand`, which holds at least as many cards as were led, in a fixed order.

    Where fewer cards of the led suit are held than were led, all of them go, filled up with any others (S7.3). `partial`:
    parameter `partial_tractor_follow` (S7.2).
    """
    suit, size = asked.suit, asked.size
    kinds, copies = order.members[suit], order.within(hand, suit)
    held = sum(copies)
    if held <= size:
        kept = [card for card in kinds for _ in range(hand[card])] if held else ()
        return Picks(order.others[suit], order.outside(hand, suit), size - held, tuple(kept))
    if asked.pairs:
        return _Answers(order, dict(compress(zip(kinds, copies, strict=True), copies)), asked, partial)
    return Picks(kinds, copies, size)


def singles(order: Order, hand: Counts, suit: int) -> tuple[int, ...]:
    """The cards that may be played to a single one of an effective suit, in the order of `follows`."""
    own = tuple(compress(order.members[suit], order.within(hand, suit)))
    return own or tuple(compress(order.others[suit], order.outside(hand, suit)))


def check(order: Order, hand: Counts, asked: Demand, played: Cards, *, partial: bool = True) -> None:
    """Raise Rejected, naming the clause, unless `played`, ascending, is a legal follow from `hand`."""
    suit, size, suits = asked.suit, asked.size, order.suits
    if len(played) != size:
        raise _refused("WRONG_NUMBER", "S7.1", played, f"{size} cards were led")
    if not holds(hand, played):
        raise _refused("CARD_NOT_IN_HAND", "S7.1", played, "not all in the hand")
    if order.suit_of(played) != suit:
        if sum([suits[card] == suit for card in played]) < order.size(hand, suit):
            raise _refused("MUST_FOLLOW_SUIT", "S7.1", played, "the led suit is played while there is any")
    elif asked.pairs and played not in follows(order, hand, asked, partial=partial):
        raise _refused(
            "MUST_ANSWER_SHAPE", "S7.2", played, "the hand answers the lead's tractors and pairs better"
        )


def _refused(reason: str, clause: str, played: Cards, detail: str) -> Rejected:
    return Rejected(reason, clause, f"{' '.join(map(show, played))}: {detail}")


class _Answers(Plays):
    """More cards of the led suit than were led, pairs among them: all from that suit, answering as well as any (S7.2)."""

    def __init__(self, order: Order, number: dict[int, int], asked: Demand, partial: bool) -> None:
        self._number, self._order, self._asked, self._partial = number, order, asked, partial
        self._kinds = tuple(self._number)
        by_place: dict[int, list[int]] = {}
        for card in self._kinds:
            if self._number[card] == 2:
                by_place.setdefault(order.places[card], []).append(card)
        self._steps = tuple((place, tuple(kinds)) for place, kinds in by_place.items())
        left = [len(kinds) for _, kinds in self._steps]
        self._left = [sum(left[at:]) for at in range(len(left) + 1)]
        self._tractors = sum(length > 1 for length in asked.pairs)
        self._target = self._answer(_segments(by_place))
        pairs = self._left[0]
        self._fewest = max(min(pairs, sum(asked.pairs)), asked.size - len(self._kinds))
        self._most = min(pairs, asked.size // 2)
        self._memo: dict[tuple[int, Segments, Segment, int], int] = {}

    def __len__(self) -> int:
        return self._ways(0, *_NO_PAIRS)

    def __iter__(self) -> Iterator[Cards]:
        for pairs in self._pairs(0, *_NO_PAIRS):
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
        return (
            sum(map(len, pairs.values())) >= self._fewest and self._answer(_segments(pairs)) == self._target
        )

    def lowest(self) -> Cards:
        pairs = next(pairs for pairs in self._pairs(0, *_NO_PAIRS) if len(pairs) == self._fewest)
        singles = self._rest(pairs)[: self._asked.size - 2 * len(pairs)]
        return tuple(sorted([*pairs, *pairs, *singles]))

    def _nth(self, index: int) -> Cards:
        pairs, looks = list[int](), _NO_PAIRS
        for at, (_, kinds) in enumerate(self._steps):
            ways = number = 0
            for number, after in self._choices(at, *looks):
                ways = self._ways(at + 1, *after)
                if index < ways * comb(len(kinds), number):
                    break
                index -= ways * comb(len(kinds), number)
            chosen, index = divmod(index, ways)
            pairs += _nth_combination(kinds, number, chosen)
            looks = after
        size = self._asked.size - 2 * len(pairs)
        return tuple(sorted([*pairs, *pairs, *_nth_combination(self._rest(pairs), size, index)]))

    def _answer(self, pairs: Segments) -> runs.Answer:
        """How well pairs, which are as many as are asked or held, answer the tractors led."""
        asked = self._asked.pairs
        if self._tractors > 1:
            return runs.best_answer(pairs, asked, self._partial)
        return ((runs.tractor(runs.longest(pairs), asked[0], self._partial), 0),) if self._tractors else ()

    def _rest(self, pairs: Sequence[int]) -> list[int]:
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
            answers = self._answer(self._closed(done, running)) == self._target
            return self._fillings(taken) if answers else 0
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
            done, running = self._closed(done, running), ()
        for number in numbers:
            if number:
                yield number, (done, (*running, number), taken + number)
            else:
                yield number, (self._closed(done, running), (), taken)

    def _closed(self, done: Segments, running: Segment) -> Segments:
        """The segments with the open one among them; of one tractor led, only the longest counts."""
        if not running:
            return done
        if self._tractors == 1:
            return (max(done[0], running, key=len) if done else running,)
        return runs.arranged([*done, running])


def _segments(by_place: dict[int, list[int]]) -> Segments:
    """The segments of pairs given by place."""
    number = [0] * (max(by_place, default=-1) + 1)
    for place, kinds in by_place.items():
        number[place] = len(kinds)
    return runs.segments(number)


def _nth_combination(kinds: Sequence[int], size: int, index: int) -> list[int]:
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
