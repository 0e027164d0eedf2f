"""What a hand promises its owner: the gain it may expect, judged from one seat's view.

A hand is worth the best of a few plans for it: the chance that as many groups are completed as the seven
melds need, times the gain that their huxi and colours make likely. All numbers marked *tuned* were found by
playing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import exp, log1p
from typing import NamedTuple

from services.games.paohuzi import cuts, fans, melds, reading, tiles
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.params import Params
from services.games.paohuzi.plans import Group, Planner, Wait, groups_in
from services.games.paohuzi.view import SeatView

HORIZON = 0.7
"""Share of the stock that is drawn before somebody wins. Tuned."""
PLAYED = 0.6
"""Tiles the others play for every tile drawn. Tuned."""
DEAD = 0.25
"""What is left of the chances of a dead kind: it may still win (P7.6). Tuned."""
GROUP_PRICE = 0.35
"""What a group must be worth to enter a plan, which has room for few. Tuned."""
GROWTH = 0.5
"""Weight of the huxi that kan, wei and peng may gain by a fourth tile, which asks for a pair too. Tuned."""
MISSING = 0.02
"""Chance of a meld for which the plan has no group at all. Tuned."""
NEARLY_READY = 2
"""Groups that a plan may still need for the hand to be read exactly."""

_OWN_DRAW = 1 / 3
_GROWN_BY_DRAW = 3 + 3 * _OWN_DRAW
"""Huxi a wei or kan gains by a drawn fourth tile: pao 3, ti 6."""
_MELDS = 7
_MOST_RED = sum(kind in tiles.RED for kind in tiles.DECK)


class Taste(NamedTuple):
    """What a plan is drawn to: worth of a huxi, and of a red tile, in melds."""

    huxi: float
    red: float


FAST, RICH = Taste(0.03, 0), Taste(0.09, 0)
PALE, RED = Taste(0.06, -0.8), Taste(0.06, 0.12)
_PALE_REDS, _RED_REDS = 6, 7
"""Red tiles up to which black and one-red hands are tried, and from which red hands are. Tuned."""


class Odds(NamedTuple):
    """Prospects of a group: chance that it becomes a meld, huxi and red tiles it then has on average."""

    group: Group
    chance: float
    huxi: float
    red: float


class Settled(NamedTuple):
    """What of a hand no plan changes."""

    places: int
    """Melds still to come from free tiles."""
    huxi: float
    red: int
    needs_pair: bool
    free: int
    """Free tiles, packed."""


class Outlook:
    """One seat's prospects at one moment; values its hand with any of its tiles taken away or melded."""

    def __init__(self, view: SeatView) -> None:
        self.unseen = unseen(view)
        self._params = view.params
        self._fans = fans_by_red(self._params)
        per_tile = HORIZON * view.stock_left / max(1, sum(self.unseen))
        self._drawn = [number * per_tile for number in self.unseen]
        dead_eat, dead_peng = _dead_after(view)
        self._eaten = [
            rate * (DEAD if kind in dead_eat else 2 / 3 + PLAYED / 2) for kind, rate in enumerate(self._drawn)
        ]
        self._ponged = [
            rate * (DEAD + _OWN_DRAW if kind in dead_peng else 1 + PLAYED)
            for kind, rate in enumerate(self._drawn)
        ]
        self._wei_share = [
            _OWN_DRAW / (DEAD + _OWN_DRAW if kind in dead_peng else 1 + PLAYED) for kind in range(21)
        ]
        self._odds: dict[Group, Odds] = {}
        self._planners = self._prepare(view)

    def plans(self, laid: Sequence[Meld], counts: Sequence[int]) -> Iterator[tuple[list[Group], list[int]]]:
        """The plans for a hand, one for every taste: groups, and kinds left loose."""
        return self._plans(self._settle(laid, counts))

    def value(self, laid: tuple[Meld, ...], counts: Sequence[int]) -> float:
        """Gain to expect of a hand: melds that lie before the seat, counts of what it holds."""
        settled = self._settle(laid, counts)
        best, least = 0.0, _MELDS
        for groups, _ in self._plans(settled):
            value, needed = self._plan_value(settled, groups)
            best, least = max(best, value), min(least, needed)
        if least > NEARLY_READY:
            return best
        chance, gain = self._ready(laid, counts)
        return chance * gain + (1 - chance) * best

    def _prepare(self, view: SeatView) -> list[Planner]:
        """A planner for every taste that suits the hand."""
        assert view.seat is not None
        laid_red = _red(tile for meld in view.fronts[view.seat].melds for tile in meld.tiles)
        held_red = sum(view.hand[kind] for kind in tiles.RED)
        kan_red = sum(view.hand[kind] for kind in tiles.RED if view.hand[kind] > 2)
        tastes = [FAST, RICH]
        if laid_red + kan_red <= 1 and held_red <= _PALE_REDS:
            tastes.append(PALE)
        if laid_red + held_red >= _RED_REDS:
            tastes.append(RED)
        free = cuts.PAIR + sum(
            number * cuts.UNIT[kind] for kind, number in enumerate(view.hand) if 0 < number < 3
        )
        for group in groups_in(free):
            self._odds[group] = self._judge(group)
        return [Planner(self._worths(taste)) for taste in tastes]

    def _worths(self, taste: Taste) -> Iterator[tuple[Group, float]]:
        for group, chance, huxi, red in self._odds.values():
            worth = chance * (1 + taste.huxi * huxi) + taste.red * red - GROUP_PRICE
            if worth > 0:
                yield group, worth

    def _judge(self, group: Group) -> Odds:
        red = _red(group.tiles)
        if not group.waits:
            return Odds(group, 1.0, group.huxi, red)
        rates = [(self._rate(wait), wait) for wait in group.waits]
        total = sum([rate for rate, _ in rates], 0.0)
        if not total:
            return Odds(group, 0.0, 0.0, red)
        huxi = sum([rate * self._huxi(wait) for rate, wait in rates], 0.0) / total
        red_more = sum([rate for rate, wait in rates if wait.kind in tiles.RED], 0.0) / total
        return Odds(group, 1 - exp(-total), huxi, red + red_more)

    def _rate(self, wait: Wait) -> float:
        """How many tiles that complete a group are to be expected."""
        rates = {"eat": self._eaten, "peng": self._ponged, "win": self._drawn}
        return rates[wait.claim][wait.kind]

    def _huxi(self, wait: Wait) -> float:
        if wait.claim != "peng":
            return wait.huxi
        peng, wei = (3, 6) if tiles.is_big(wait.kind) else (1, 3)
        return peng + self._wei_share[wait.kind] * (wei - peng)

    def _settle(self, laid: Sequence[Meld], counts: Sequence[int]) -> Settled:
        bound = [
            melds.alike("kan" if number == 3 else "ti", kind)
            for kind, number in enumerate(counts)
            if number > 2
        ]
        standing = (*laid, *bound)
        huxi = sum([melds.huxi(meld) + GROWTH * self._growth(meld) for meld in standing], 0.0)
        free = sum(number * cuts.UNIT[kind] for kind, number in enumerate(counts) if 0 < number < 3)
        needs_pair = any(meld.name in melds.FOURS for meld in standing)
        red = _red(tile for meld in standing for tile in meld.tiles)
        return Settled(
            _MELDS - len(standing), huxi, red, needs_pair, free | cuts.PAIR if needs_pair else free
        )

    def _growth(self, meld: Meld) -> float:
        """Huxi a meld of three alike may gain by its fourth tile (P4, P9)."""
        kind = meld.tiles[0]
        match meld.name:
            case "wei":
                return self._drawn[kind] * _GROWN_BY_DRAW
            case "kan":
                return self._drawn[kind] * (_GROWN_BY_DRAW + 3 * PLAYED)
            case "peng":
                return self._drawn[kind] * (6 if tiles.is_big(kind) else 5)
            case _:
                return 0.0

    def _plans(self, settled: Settled) -> Iterator[tuple[list[Group], list[int]]]:
        return (planner.plan(settled.free) for planner in self._planners)

    def _plan_value(self, settled: Settled, groups: Sequence[Group]) -> tuple[float, int]:
        """Gain to expect of one plan, and the number of waiting groups it needs completed."""
        needed, huxi, red = settled.places, float(settled.huxi), float(settled.red)
        waiting: list[Odds] = []
        for group in groups:
            odds = self._odds[group]
            if group.waits:
                waiting.append(odds)
            else:
                needed, huxi, red = needed - 1, huxi + odds.huxi, red + odds.red
        if needed <= 0:
            return _pay(huxi - self._params.min_huxi) * fan_by_red(self._fans, red), needed
        missing = max(0, needed - len(waiting))
        if settled.needs_pair and not any(group.pair for group in groups):
            missing += 1
        chance = MISSING**missing
        wanted = min(needed, len(waiting))
        if wanted:
            chance *= at_least(wanted, [odds.chance for odds in waiting])
            total = sum([odds.chance for odds in waiting], 0.0)
            huxi += wanted * sum([odds.chance * odds.huxi for odds in waiting], 0.0) / total
            red += wanted * sum([odds.chance * odds.red for odds in waiting], 0.0) / total
        return chance * _pay(huxi - self._params.min_huxi) * fan_by_red(self._fans, red), needed

    def _ready(self, laid: tuple[Meld, ...], counts: Sequence[int]) -> tuple[float, float]:
        """Chance that the next tile wins before the board ends, and the mean gain; (0, 0) if none does."""
        rate = gain = 0.0
        for kind in tiles.KINDS:
            if self.unseen[kind]:
                found = reading.best(self._params, laid, counts, kind, "other")
                if found:
                    rate += self._drawn[kind]
                    gain += self._drawn[kind] * found.gain
        return (1 - exp(-rate), gain / rate) if rate else (0.0, 0.0)


def unseen(view: SeatView) -> list[int]:
    """Copies of each kind, by code, that the seat has not seen: in the stock, in other hands, or closed."""
    left = [0, *(tiles.COPIES - held for held in view.hand[1:])]
    for front in view.fronts:
        for kind in front.discards:
            left[kind] -= 1
        for meld in front.melds:
            shown = meld.tiles[-1]
            for kind in (shown,) * len(meld.tiles) if meld.name in melds.ALIKE else meld.tiles:
                left[kind] -= 1
    left[view.current] -= 1
    return [0, *(max(0, number) for number in left[1:])]


def at_least(wanted: int, chances: Sequence[float]) -> float:
    """Chance that at least `wanted` of independent events with these chances happen."""
    happened = [1.0] + [0.0] * wanted
    for chance in chances:
        happened[wanted] += happened[wanted - 1] * chance
        for number in range(wanted - 1, 0, -1):
            happened[number] += (happened[number - 1] - happened[number]) * chance
        happened[0] *= 1 - chance
    return happened[wanted]


def _dead_after(view: SeatView) -> tuple[frozenset[int], frozenset[int]]:
    """Kinds dead for eating and for peng once the tile on offer is decided, passed or taken (P7.1, P7.2)."""
    dead_eat, dead_peng = frozenset(view.dead_eat), frozenset(view.dead_peng)
    if not view.current or view.seat is None or view.current_from is None:
        return dead_eat, dead_peng
    from_next_seat = (view.current_from - view.seat) % 3 == 1
    return dead_eat if from_next_seat else dead_eat | {view.current}, dead_peng | {view.current}


def _pay(above: float) -> float:
    """Tun to expect of a hand estimated this far above the minimum; near it the estimate may be wrong."""
    tun = 2 * (above / 3 + 0.5)
    return (log1p(exp(tun)) if tun < 30 else tun) / 2


@lru_cache(maxsize=64)
def fans_by_red(params: Params) -> tuple[float, ...]:
    """Fan that its colours give a hand, by number of red tiles (P10)."""
    return tuple([float(fans.of_colours(params, red)) for red in range(_MOST_RED + 1)])


def fan_by_red(by_red: Sequence[float], red: float) -> float:
    """Fan of a hand that will have about so many red tiles: in between on straight lines."""
    below = min(int(red), len(by_red) - 2)
    return by_red[below] + (by_red[below + 1] - by_red[below]) * (red - below)


def _red(kinds: Iterator[int] | Sequence[int]) -> int:
    return sum(kind in tiles.RED for kind in kinds)
