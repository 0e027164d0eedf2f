"""Which card is the newest while cards are drawn at a pace (S3.1). Times are microseconds since 1970."""

from __future__ import annotations

from typing import NamedTuple

from services.games.shengji.bids import DRAWN


class Dealing(NamedTuple):
    """A card is drawn every `pace_us` from `start_us` on."""

    start_us: int
    pace_us: int

    def newest(self, at_us: int) -> int:
        """Number of the newest card at a time, 1 to 100; 0 before the first."""
        return 0 if at_us < self.start_us else min((at_us - self.start_us) // self.pace_us + 1, DRAWN)

    def drawn_us(self, number: int) -> int:
        """When a card is drawn."""
        return self.start_us + (number - 1) * self.pace_us

    def later(self, by_us: int) -> Dealing:
        """The dealing after `by_us` that did not count."""
        return self._replace(start_us=self.start_us + by_us)
