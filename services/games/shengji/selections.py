"""Ways to take cards from a hand, as sequences that are counted and indexed without being listed.

They are the follows, leads and bottoms of a hand: there may be millions, and all are legal.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress
from math import comb
from typing import TypeVar, overload

from services.games.shengji.cards import Cards, Counts
from services.games.shengji.order import Order

T = TypeVar("T")


class Lazy(Sequence[T]):
    """A sequence whose items are worked out when asked for; a slice is a list."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self._nth(each) for each in range(*index.indices(len(self)))]
        length = len(self)
        if not -length <= index < length:
            raise IndexError(index)
        return self._nth(index % length)

    @abstractmethod
    def _nth(self, index: int) -> T:
        """The item at `index`, which is one of 0 … length − 1."""


class Plays(Lazy[Cards]):
    """Ways to take cards of a hand for one purpose, each ascending by code, in a fixed order."""

    @abstractmethod
    def lowest(self) -> Cards:
        """The way that gives least: the lowest pairs where there must be any, as few as can be, then the lowest cards."""


class Picks(Plays):
    """All ways to take `size` cards of a hand, besides those `kept` in any case; ascending by code.

    `kinds`: what may be taken; `copies`: how many of each the hand holds.
    """

    def __init__(self, kinds: Iterable[int], copies: Iterable[int], size: int, kept: Cards = ()) -> None:
        self._size, self._kept = size, kept
        self._kinds = tuple(compress(kinds, copies))
        self._copies = tuple(filter(None, copies))
        self._twice: list[int] | None = None

    def __len__(self) -> int:
        return self._ways(0, self._size)

    def __iter__(self) -> Iterator[Cards]:
        for rest in self._fill(0, self._size):
            yield tuple(sorted([*self._kept, *rest]))

    def __contains__(self, play: object) -> bool:
        if not isinstance(play, tuple) or len(play) != self._size + len(self._kept):
            return False
        rest, held = Counter(play), dict(zip(self._kinds, self._copies, strict=True))
        rest.subtract(self._kept)
        return all(0 <= number <= held.get(card, 0) for card, number in rest.items())

    def lowest(self) -> Cards:
        """What is kept, and the first kinds beside it."""
        low = [card for card, copies in zip(self._kinds, self._copies, strict=True) for _ in range(copies)]
        return tuple(sorted([*self._kept, *low[: self._size]]))

    def _nth(self, index: int) -> Cards:
        if self._size == 1:
            return tuple(sorted((*self._kept, self._kinds[index])))
        found, size = list(self._kept), self._size
        for at, card in enumerate(self._kinds):
            if not size:
                break
            for number in range(min(size, self._copies[at]), -1, -1):
                ways = self._ways(at + 1, size - number)
                if index < ways:
                    found += [card] * number
                    size -= number
                    break
                index -= ways
        return tuple(sorted(found))

    def _fill(self, at: int, size: int) -> Iterator[list[int]]:
        """All ways to take `size` cards of the kinds from `at` on."""
        if not size:
            yield []
        elif self._ways(at, size):
            card = self._kinds[at]
            for number in range(min(size, self._copies[at]), -1, -1):
                for rest in self._fill(at + 1, size - number):
                    yield [*[card] * number, *rest]

    def _ways(self, at: int, size: int) -> int:
        if size < 2:
            return len(self._kinds) - at if size else 1
        return _multisets(self._doubles()[at], len(self._kinds) - at, size)

    def _doubles(self) -> list[int]:
        """How many kinds from each one on are there twice."""
        if self._twice is None:
            doubles = [0]
            for copies in reversed(self._copies):
                doubles.append(doubles[-1] + (copies == 2))
            self._twice = doubles[::-1]
        return self._twice


class Leads(Lazy[Cards]):
    """All leads of a hand (S6.2): any cards of one effective suit, ascending by code; single cards and throws alike."""

    def __init__(self, order: Order, hand: Counts) -> None:
        self._order, self._hand = order, hand
        self._sizes = [2 ** held.count(1) * 3 ** held.count(2) - 1 for held in order.by_suit(hand)]
        self._length: int = sum(self._sizes)

    def __len__(self) -> int:
        return self._length

    def __contains__(self, play: object) -> bool:
        if not isinstance(play, tuple) or self._order.suit_of(play) is None:
            return False
        return all(number <= self._hand[card] for card, number in Counter(play).items())

    def _nth(self, index: int) -> Cards:
        for suit, size in enumerate(self._sizes):
            if index < size:
                return self._subset(self._order.members[suit], index + 1)
            index -= size
        raise IndexError(index)

    def _subset(self, kinds: tuple[int, ...], code: int) -> Cards:
        """The cards that `code` spells in digits, one for each kind: how many of it are led."""
        found: list[int] = []
        for card in kinds:
            if copies := self._hand[card]:
                code, number = divmod(code, copies + 1)
                found += [card] * number
        return tuple(sorted(found))


@lru_cache(maxsize=1 << 12)
def _multisets(doubles: int, kinds: int, size: int) -> int:
    """Ways to choose `size` cards of `kinds` kinds, of which `doubles` are there twice and the others once."""
    most = min(doubles, size // 2)
    return sum(comb(doubles, twice) * comb(kinds - twice, size - 2 * twice) for twice in range(most + 1))
