"""Ways to take cards from a hand, as sequences that are counted and indexed without being listed.

They are the follows, leads and bottoms of a hand: there may be millions, and all are legal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import comb, prod
from typing import Generic, TypeVar, overload

from services.games.shengji.cards import Cards, Counts
from services.games.shengji.order import Order

T = TypeVar("T")
U = TypeVar("U")


class Lazy(Sequence[T]):
    """A sequence whose items are worked out when asked for; a slice is a list."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self._nth(each) for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._nth(index % len(self))

    def _nth(self, index: int) -> T:
        """The item at `index`, 0 … length − 1."""
        raise NotImplementedError


class Made(Sequence[T], Generic[U, T]):
    """What `make` makes of the items of a sequence; `take` is its inverse, None for what it does not make."""

    def __init__(
        self, items: Sequence[U], make: Callable[[U], T], take: Callable[[object], U | None]
    ) -> None:
        self._items, self._make, self._take = items, make, take

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return list(map(self._make, self._items[index]))
        return self._make(self._items[index])

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._items)

    def __contains__(self, item: object) -> bool:
        taken = self._take(item)
        return taken is not None and taken in self._items


class Picks(Lazy[Cards]):
    """All ways to take `size` cards of the kinds of `number`, besides those `kept` in any case; ascending by code."""

    def __init__(self, number: dict[int, int], size: int, kept: Cards = ()) -> None:
        self._number, self._size, self._kept = number, size, kept
        self._kinds = tuple(number)
        self._twice: list[int] | None = None

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

    def _nth(self, index: int) -> Cards:
        if self._size == 1:
            return tuple(sorted((*self._kept, self._kinds[index])))
        found, size = list(self._kept), self._size
        for at, card in enumerate(self._kinds):
            if not size:
                break
            for number in range(min(size, self._number[card]), -1, -1):
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
            for number in range(min(size, self._number[card]), -1, -1):
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
            for copies in reversed(self._number.values()):
                doubles.append(doubles[-1] + (copies == 2))
            self._twice = doubles[::-1]
        return self._twice


class Leads(Lazy[Cards]):
    """All leads of a hand (S6.2): any cards of one effective suit, ascending by code; single cards and throws alike."""

    def __init__(self, order: Order, hand: Counts) -> None:
        self._order, self._hand = order, hand
        held = [[card for card in kinds if hand[card]] for kinds in order.members]
        self._suits = [kinds for kinds in held if kinds]
        self._sizes = [prod(hand[card] + 1 for card in kinds) - 1 for kinds in self._suits]

    def __len__(self) -> int:
        return sum(self._sizes)

    def __contains__(self, play: object) -> bool:
        if not isinstance(play, tuple) or self._order.suit_of(play) is None:
            return False
        return all(number <= self._hand[card] for card, number in Counter(play).items())

    def _nth(self, index: int) -> Cards:
        for kinds, size in zip(self._suits, self._sizes, strict=True):
            if index < size:
                return self._subset(kinds, index + 1)
            index -= size
        raise IndexError(index)

    def _subset(self, kinds: list[int], code: int) -> Cards:
        """The cards that `code` spells in digits, one for each kind: how many of it are led."""
        found: list[int] = []
        for card in kinds:
            code, number = divmod(code, self._hand[card] + 1)
            found += [card] * number
        return tuple(sorted(found))


@lru_cache(maxsize=1 << 12)
def _multisets(doubles: int, kinds: int, size: int) -> int:
    """Ways to choose `size` cards of `kinds` kinds, of which `doubles` are there twice and the others once."""
    most = min(doubles, size // 2)
    return sum(comb(doubles, twice) * comb(kinds - twice, size - 2 * twice) for twice in range(most + 1))
