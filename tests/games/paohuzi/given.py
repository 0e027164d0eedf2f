"""Boards in the middle of play, written in a few words: who holds what, what lies on offer, who does what.

Hands may be partial: a seat counts as holding twenty tiles unless a test says otherwise (`holds`), so that a
hand of a few tiles shows one rule and cannot win by accident.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from services.domain import Rejected, fold
from services.games.paohuzi import actions, melds, questions, state, tiles
from services.games.paohuzi.decide import decide, opening
from services.games.paohuzi.events import Event, Won
from services.games.paohuzi.evolve import evolve
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.params import Params, resolve
from services.games.paohuzi.state import SEATS, UNANSWERED, Memo, Phase, Seat, State

BYSTANDER = "b1 b4 b9"
"""A hand that takes no small tile."""


def kind(text: str) -> int:
    return tiles.parse(text)


def mask(text: str) -> int:
    return sum(1 << kind(word) for word in text.split())


def meld(text: str) -> Meld:
    return melds.parse(text.split())


def seat(
    hand: str = BYSTANDER,
    laid: Iterable[str] = (),
    *,
    holds: int = 20,
    no_eat: str = "",
    no_peng: str = "",
    peng_passed: str = "",
    dead: bool = False,
) -> Seat:
    """A seat with `hand` and `laid` melds; its ti and pao are counted."""
    table = tuple(meld(text) for text in laid)
    return Seat(
        hand=bytes(tiles.count(kind(word) for word in hand.split())),
        melds=table,
        holds=holds,
        fours=sum(each.name in melds.FOURS for each in table),
        no_eat=mask(no_eat),
        no_peng=mask(no_peng),
        peng_passed=mask(peng_passed),
        dead=dead,
    )


def _board(
    phase: Phase, actor: int, tile: str, seats: dict[int, Seat], stock: str, overrides: dict[str, Any]
) -> State:
    first, second, third = (seats.get(number, seat()) for number in SEATS)
    coming = tuple(kind(word) for word in stock.split())
    return State(
        params=resolve(overrides),
        dealer=0,
        bright=kind("b10"),
        stock=(kind("b10"), *coming),  # one tile has been drawn, so that this is not the opening
        drawn=1,
        seats=(first, second, third),
        phase=phase,
        actor=actor,
        tile=kind(tile) if tile else 0,
        answers=UNANSWERED,
        result=None,
        memo=Memo(),
    )


def played(tile: str, by: int, seats: dict[int, Seat], stock: str = "b2 b3", **params: Any) -> State:
    """A tile that `by` has just played."""
    return _board("played", by, tile, seats, stock, params)


def drawn(tile: str, by: int, seats: dict[int, Seat], stock: str = "b2 b3", **params: Any) -> State:
    """A tile that `by` has just drawn and shown."""
    return _board("drawn", by, tile, seats, stock, params)


def draws(tile: str, by: int, seats: dict[int, Seat], stock: str = "b2 b3", **params: Any) -> State:
    """`by` draws `tile`, and what follows by itself has followed."""
    return settled(_board("due", (by + 2) % 3, "", seats, f"{tile} {stock}", params))


def settled(board: State) -> State:
    """What follows by itself has followed."""
    return fold(evolve, board, opening(board))


def turn(by: int, seats: dict[int, Seat], stock: str = "b2 b3", **params: Any) -> State:
    """`by` has taken a tile."""
    return _board("turn", by, "", seats, stock, params)


def dealt(
    hands: dict[int, str],
    bright: str,
    *,
    dealer: int = 0,
    stock: str = "",
    seed: int = 1,
    **overrides: Any,
) -> State:
    """An opened board of 80 tiles in which seats hold at least `hands`; the rest falls by `seed`.

    What falls by chance gives nobody three of a kind, but for the kinds a seat is given that often.
    """
    rest = list(tiles.DECK)
    given = {number: [kind(word) for word in hands.get(number, "").split()] for number in SEATS}
    first = [kind(word) for word in stock.split()]
    for tile in (kind(bright), *first, *(tile for hand in given.values() for tile in hand)):
        rest.remove(tile)
    rng = random.Random(seed)
    for _ in range(1000):
        rng.shuffle(rest)
        cards = iter(rest)
        full = [given[number] + [next(cards) for _ in range(20 - len(given[number]))] for number in SEATS]
        asked_for = [given[number] + [kind(bright)] * (number == dealer) for number in SEATS]
        if all(
            (full[number] + [kind(bright)] * (number == dealer)).count(tile) < 3
            or asked_for[number].count(tile) >= 3
            for number in SEATS
            for tile in set(full[number])
        ):
            board = state.start(resolve(overrides), dealer, full, kind(bright), (*first, *cards))
            return settled(board)
    raise AssertionError("no such deal")


def act(board: State, *acts: str) -> State:
    """The board after acts like `1 eat s6 s7`, in order."""
    for text in acts:
        board = fold(evolve, board, happens(board, text))
    return board


def happens(board: State, text: str) -> tuple[Event, ...]:
    """The events of an act like `1 eat s6 s7`."""
    number, _, action = text.partition(" ")
    return decide(board, int(number), actions.parse(action))


def open_to(board: State) -> dict[int, list[str]]:
    """What each asked seat may do."""
    return {
        number: [actions.show(action) for action in questions.options(board, number)]
        for number in questions.asked(board)
    }


def refusal(board: State, text: str) -> str:
    """The clause that refuses an act, which must change nothing."""
    before = board
    try:
        happens(board, text)
    except Rejected as refused:
        assert board == before
        return refused.clause
    raise AssertionError(f"{text} was accepted")


def won(board: State) -> Won:
    """How the board was won."""
    assert isinstance(board.result, Won)
    return board.result


def table(board: State, number: int) -> list[str]:
    """A seat's melds, in the order laid."""
    return [" ".join(melds.show(each)) for each in board.seats[number].melds]


def default() -> Params:
    return resolve({})
