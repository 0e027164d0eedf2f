"""Whole deals of random legal play, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from services.domain import fold
from services.games.shengji import cards
from services.games.shengji.actions import PASS, REVOLT, Action, Bid
from services.games.shengji.bids import Setting
from services.games.shengji.cards import RANKS, Cards
from services.games.shengji.events import Event
from services.games.shengji.result import SEATS
from services.games.shengji.ruleset import DUPLICATE_2017, XIAMEN_2015, Shengji
from services.games.shengji.state import State

CHOICES = {
    "demote": ("all_eight", "all_eight", "declaring_side_held", "none"),
    "bid_phase": ("while_drawing", "while_drawing", "after_deal"),
    "partial_tractor_follow": (True, False),
    "overruff": ("largest", "all"),
    "tractor_over_pairs": (True, False),
    "bottom_shape": ("winner", "lead"),
    "throw_fine": (10, 0),
    "score": ("points", "levels"),
}


class Step(NamedTuple):
    """One decision; `seat` is None where cards were drawn."""

    before: State
    seat: int | None
    action: Action | None
    events: tuple[Event, ...]
    after: State


def shuffled(rng: random.Random) -> Cards:
    deal = list(cards.DECK)
    rng.shuffle(deal)
    return tuple(deal)


def lively(rng: random.Random) -> Cards:
    """A deal of many pairs: most kinds fall together, neighbours often to one seat, so that rare rules get their turn."""
    hands: list[list[int]] = [[], [], [], []]
    rest: list[int] = []
    seat = 0
    for kind in cards.KINDS:
        seat = rng.randrange(4) if rng.random() < 0.4 else seat
        together = rng.random() < 0.8 and len(hands[seat]) < 24
        (hands[seat] if together else rest).extend((kind, kind))
    rng.shuffle(rest)
    for hand in hands:
        while len(hand) < 25:
            hand.append(rest.pop())
        rng.shuffle(hand)
    return (*(hands[place % 4][place // 4] for place in range(100)), *rest)


def rules_of(seed: int) -> Shengji:
    return DUPLICATE_2017 if seed % 2 else XIAMEN_2015


def dealt(seed: int) -> State:
    """A deal under some ruleset, parameters and setting, before the first card is drawn."""
    rng = random.Random(seed)
    rules = rules_of(seed)
    params = rules.resolve({name: rng.choice(values) for name, values in CHOICES.items()})
    deal = lively(rng) if rng.random() < 0.6 else shuffled(rng)
    if rules is DUPLICATE_2017:
        return rules.start(params, rng.randint(1, 60), deal)
    seat = rng.randrange(4)
    first = rng.random() < 0.4
    return rules.deal(
        params, Setting("2" if first else rng.choice(RANKS), None if first else seat, seat), deal
    )


def play(seed: int, *, bidding: float | None = None, revolts: float = 0.15) -> Iterator[Step]:
    """A deal played to its end; `bidding`, `revolts`: how often what may be bid or voided is."""
    rng = random.Random(~seed)
    eager = rng.choice((0.0, 0.1, 0.5)) if bidding is None else bidding
    rules, board = rules_of(seed), dealt(seed)
    paced = rng.random() < 0.3
    while board.phase == "drawing":
        for seat in SEATS:
            offers = rules.options(board, seat)
            if offers and rng.random() < eager / 4:
                yield (step := _step(rules, board, seat, rng.choice(offers)))
                board = step.after
        number = min(board.drawn + rng.randint(1, 8), 100) if paced else 100
        events = rules.draw(board, number)
        after = fold(rules.evolve, board, events)
        yield Step(board, None, None, events, after)
        board = after
    while asked := rules.asked(board):
        seat = rng.choice(asked)
        yield (step := _step(rules, board, seat, _action(rng, rules, board, seat, eager, revolts)))
        board = step.after


def _step(rules: Shengji, board: State, seat: int, action: Action) -> Step:
    events = rules.decide(board, seat, action)
    return Step(board, seat, action, events, fold(rules.evolve, board, events))


def _action(
    rng: random.Random, rules: Shengji, board: State, seat: int, eager: float, revolts: float
) -> Action:
    options = rules.options(board, seat)
    if REVOLT in options:
        return REVOLT if rng.random() < revolts else PASS
    if board.phase in ("call", "ask"):
        bids = [option for option in options if isinstance(option, Bid)]
        return rng.choice(bids) if bids and rng.random() < eager else PASS
    by_chance = rng.random()
    if by_chance < 0.2:
        return rules.fallback(board, seat)
    return rules.choose(rules.view(board, seat)) if by_chance < 0.6 else rng.choice(options)


def afresh(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The same events as other objects, as a log gives them back: `evolve` has to work."""
    return tuple(replace(event) for event in events)


def everywhere(board: State) -> list[int]:
    """Every card wherever it lies, ascending."""
    found = [*cards.expand(board.played), *board.bottom]
    found += [card for hand in board.hands for card in cards.expand(hand)]
    found += [card for play in board.trick for card in play]
    return sorted(found)
