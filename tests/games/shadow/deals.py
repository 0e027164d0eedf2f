"""Deals, parameters and players that bring rare rules about; each the same for the same random generator."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from services.games.paohuzi import policy, ruleset
from services.games.paohuzi.actions import PASS, WIN, Action, Play
from services.games.paohuzi.params import FAN_CODES
from services.games.paohuzi.state import State
from services.games.shadow import hands as shadow
from tests.games.shadow.duel import Deal

RULES = ruleset.COMPETITIVE_2017
Pool = Counter[str]


def uniform(rng: random.Random) -> Deal:
    """As a dealer deals."""
    deck = list(shadow.DECK)
    rng.shuffle(deck)
    return Deal(rng.randrange(3), [deck[:20], deck[20:40], deck[40:60]], deck[60], deck[61:])


def alike(rng: random.Random) -> Deal:
    """Hands of fours, kan and pairs: ti, wei, pao, 八块 and hands that die."""
    kinds = list(shadow.KINDS)
    rng.shuffle(kinds)
    pool: Pool = Counter(shadow.DECK)
    hands: list[list[str]] = [[], [], []]
    weights = rng.choice([(1, 8, 4), (4, 6, 2), (0, 10, 1), (1, 2, 10)])
    order = rng.choice([(0, 1, 2), (2, 2, 2, 0, 1), (1, 1, 1)])
    for kind in kinds:
        hand = hands[rng.choice(order)]
        number = rng.choices((4, 3, 2), weights)[0]
        if len(hand) + number <= 20:
            hand += [kind] * number
            pool[kind] -= number
    return _dealt(rng, hands, pool)


def unplayable(rng: random.Random) -> Deal:
    """A hand of kan, next to nothing to play, and what makes them grow in the stock: hands that die (P5.7)."""
    kinds = list(shadow.KINDS)
    rng.shuffle(kinds)
    pool: Pool = Counter(shadow.DECK)
    hands: list[list[str]] = [[], [], []]
    first = []
    for hand in rng.sample(hands, rng.choice((1, 1, 2, 3))):
        for number in rng.choice(
            [(3,) * 6 + (2,), (3,) * 6, (3,) * 5 + (2, 2), (4, 3, 3, 3, 3, 2), (4, 4, 3, 3, 3)]
        ):
            kind = kinds.pop() if kinds else ""
            if kind:
                hand += [kind] * number
                pool[kind] -= number
                if number in (2, 3) and rng.random() < 0.7:
                    first.append(kind)
                    pool[kind] -= 1
    rng.shuffle(first)
    return _dealt(rng, hands, pool, first=first[:12], back=first[12:])


def nearly_won(rng: random.Random) -> Deal:
    """Hands one tile short of seven melds, the missing tiles among the first to come."""
    pool: Pool = Counter(shadow.DECK)
    hands: list[list[str]] = [[], [], []]
    missing = []
    taste = rng.choice([shadow.KINDS, BLACK, RED, BIG, SMALL])
    for hand in rng.sample(hands, rng.choice((1, 2, 3))):
        seven = _seven(rng, pool, taste)
        rng.shuffle(seven)
        missing.append(seven.pop())
        hand += seven
    return _dealt(rng, hands, pool, first=missing)


BLACK = tuple(kind for kind in shadow.KINDS if not shadow.is_red(kind))
RED = tuple(kind for kind in shadow.KINDS if shadow.is_red(kind))
BIG = tuple(kind for kind in shadow.KINDS if kind[0] == "b")
SMALL = tuple(kind for kind in shadow.KINDS if kind[0] == "s")


def _seven(rng: random.Random, pool: Pool, taste: tuple[str, ...]) -> list[str]:
    """21 tiles of the pool that are seven melds, taken from it: six threes and what completes them."""
    found: list[str] = []
    melds = list(THREES)
    rng.shuffle(melds)
    melds.sort(key=lambda meld: -sum(tile in taste for tile in meld) - 2 * rng.random())
    if rng.random() < 0.3:
        four = rng.choice([kind for kind in shadow.KINDS if pool[kind] == 4] or [""])
        pair = rng.choice([kind for kind in shadow.KINDS if pool[kind] >= 2 and kind != four])
        if four:
            found += [four] * 4 + [pair] * 2
            pool.subtract(found)
    for meld in melds * 3:
        needed = Counter(meld)
        if len(found) <= 18 and all(pool[tile] >= number for tile, number in needed.items()):
            found += meld
            pool.subtract(needed)
    return found[:21]


THREES: tuple[tuple[str, ...], ...] = (
    *((kind,) * 3 for kind in shadow.KINDS),
    *(
        (a, b, c)
        for number, a in enumerate(shadow.KINDS)
        for place, b in enumerate(shadow.KINDS[number:], number)
        for c in shadow.KINDS[place:]
        if shadow.three_meld((a, b, c))
    ),
)


def _dealt(
    rng: random.Random,
    hands: list[list[str]],
    pool: Pool,
    first: Sequence[str] = (),
    back: Sequence[str] = (),
) -> Deal:
    """Hands filled up from the pool and `back`; the stock begins with `first`, or often with what makes four."""
    coming = list(first)
    rest = [*pool.elements(), *back]
    rng.shuffle(rest)
    for hand in hands:
        while len(hand) < 20:
            hand.append(rest.pop())
        pool_over = hand[20:]
        del hand[20:]
        rest += pool_over
    if rng.random() < 0.5:
        held = Counter(tile for hand in hands for tile, number in Counter(hand).items() if number >= 2)
        rest.sort(key=lambda tile: (held[tile] > 0) + rng.random())
    stock = [*coming, *reversed(rest)]
    at = rng.choice((0, len(coming), len(stock) - 1))
    bright = stock.pop(min(at, len(stock) - 1))
    if rng.random() < 0.1:
        stock.reverse()
    return Deal(rng.randrange(3), hands, bright, stock)


DEALS: tuple[Callable[[random.Random], Deal], ...] = (uniform, alike, unplayable, nearly_won)


def parameters(rng: random.Random) -> dict[str, Any]:
    """Overrides an event may have: minima, both profiles, random fan tables."""
    found: dict[str, Any] = {"min_huxi": rng.choice([6, rng.randint(6, 21), rng.randint(6, 40)])}
    if rng.random() < 0.4:
        found["profile"] = rng.choice(["duohongdui", "competitive-2017"])
    if rng.random() < 0.5:
        found["fan"] = {
            code: rng.choice([None, rng.randint(0, 9)]) for code in FAN_CODES if rng.random() < 0.5
        }
    if rng.random() < 0.3:
        found["fan_combine"] = rng.choice(["add", "max", "multiply"])
    if rng.random() < 0.2:
        found["red_step"] = rng.randint(0, 3)
    if rng.random() < 0.3:
        found["dihu_on_bright_tile"] = rng.random() < 0.8
    return found


def at_random(rng: random.Random, board: State, seat: int, options: tuple[Action, ...]) -> Action:
    """Anything."""
    return rng.choice(options)


def greedy(rng: random.Random, board: State, seat: int, options: tuple[Action, ...]) -> Action:
    """Wins and takes whatever it can."""
    return options[0] if options[0] == WIN else rng.choice([each for each in options if each != PASS])


def reluctant(rng: random.Random, board: State, seat: int, options: tuple[Action, ...]) -> Action:
    """Never wins while it can do anything else, and takes much: boards grow old, hands small."""
    takes = [each for each in options if each not in (WIN, PASS)]
    return rng.choice(takes) if takes and rng.random() < 0.8 else options[-1]


def passing(rng: random.Random, board: State, seat: int, options: tuple[Action, ...]) -> Action:
    """Takes nothing."""
    return PASS if PASS in options else rng.choice([each for each in options if isinstance(each, Play)])


def house(rng: random.Random, board: State, seat: int, options: tuple[Action, ...]) -> Action:
    """House AI."""
    return policy.choose(RULES.view(board, seat))


def late(rng: random.Random, board: State, seat: int, options: tuple[Action, ...]) -> Action:
    """What is played for a seat whose clock runs out."""
    return RULES.fallback(board, seat)


PLAYERS = (at_random, greedy, reluctant, passing, house, late)
