"""Whole boards of random legal play, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from services.domain import fold
from services.games.paohuzi import tiles
from services.games.paohuzi.actions import PASS, Action
from services.games.paohuzi.events import Event
from services.games.paohuzi.ruleset import COMPETITIVE_2017 as RULES
from services.games.paohuzi.state import SEATS, State


class Step(NamedTuple):
    before: State
    seat: int
    action: Action
    events: tuple[Event, ...]
    after: State


def shuffled(rng: random.Random) -> tuple[int, ...]:
    deal = list(tiles.DECK)
    rng.shuffle(deal)
    return tuple(deal)


def lively(rng: random.Random) -> tuple[int, ...]:
    """A deal of many pairs and kan: kinds fall together, so that rare rules get their turn."""
    kinds = list(tiles.KINDS)
    rng.shuffle(kinds)
    hands: list[list[int]] = [[], [], []]
    rest: list[int] = []
    for kind in kinds:
        seat, number = rng.randrange(3), rng.choice((2, 3, 3, 4))
        together = min(number, 20 - len(hands[seat]))
        hands[seat] += [kind] * together
        rest += [kind] * (4 - together)
    rng.shuffle(rest)
    for hand in hands:
        while len(hand) < 20:
            hand.append(rest.pop())
    return (*(hands[place % 3][place // 3] for place in range(60)), *rest)


def opened(seed: int, **params: Any) -> tuple[State, tuple[Event, ...], State]:
    """A dealt board, what follows the deal by itself, and the board after it."""
    rng = random.Random(seed)
    deal = lively(rng) if seed % 3 == 0 else shuffled(rng)
    board = RULES.start(RULES.resolve({"min_huxi": 6 + seed % 10, **params}), seed % 3 + 1, deal)
    events = RULES.opening(board)
    return board, events, fold(RULES.evolve, board, events)


def play(seed: int, **params: Any) -> Iterator[Step]:
    """A board played to its end, every claim taken or passed by chance."""
    rng = random.Random(~seed)
    eager = rng.choice((0.3, 0.8))
    _, _, board = opened(seed, **params)
    while asked := RULES.asked(board):
        seat = rng.choice(asked)
        choice = RULES.options(board, seat)
        claims = [action for action in choice if action != PASS]
        action = rng.choice(claims) if claims and (PASS not in choice or rng.random() < eager) else PASS
        events = RULES.decide(board, seat, action)
        after = fold(RULES.evolve, board, events)
        yield Step(board, seat, action, events, after)
        board = after


def afresh(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The same events as other objects, as a log gives them back: `evolve` has to work."""
    return tuple(replace(event) for event in events)


def everywhere(board: State) -> list[int]:
    """Every tile wherever it lies, ascending."""
    found = list(board.stock[board.drawn :])
    for seat in board.seats:
        found += tiles.expand(seat.hand)
        found += seat.discards
        found += [tile for meld in seat.melds for tile in meld.tiles]
    if board.tile and board.phase in ("played", "drawn", "over"):
        found.append(board.tile)
    return sorted(found)


def fours(board: State) -> list[int]:
    """Ti and pao by seat, counted on the table."""
    return [sum(len(meld.tiles) == 4 for meld in board.seats[seat].melds) for seat in SEATS]
