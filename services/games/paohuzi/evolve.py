"""The fold: a state after one event. Events are taken for true; what is legal is `decide`'s affair."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from services.domain import changer
from services.games.paohuzi import melds
from services.games.paohuzi.actions import PASS, PENG, WIN, Action, Eat
from services.games.paohuzi.events import (
    BoardDrawn,
    BrightTilePassed,
    EatClaimed,
    Eaten,
    Event,
    HandDied,
    KindPassed,
    PaoLaid,
    Passed,
    PengClaimed,
    Ponged,
    TiDealt,
    TiLaid,
    TileDied,
    TileDrawn,
    TilePlayed,
    WeiLaid,
    WinClaimed,
    Won,
)
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.state import UNANSWERED, Memo, Seat, State, after_opening

_ALIKE = {
    name: (Meld(name, ()), *(melds.alike(name, kind) for kind in range(1, 21)))
    for name in ("peng", "wei", "chouwei", "ti", "pao")
}

_played = changer(Seat, "hand", "holds", "no_eat", "no_peng", "played")
_gained = changer(Seat, "hand", "melds", "holds")
_touched = changer(Seat, "hand", "melds", "holds", "touched")
_discarded = changer(Seat, "discards")
_barred = changer(Seat, "no_eat", "no_peng", "peng_passed")
_sat = changer(State, "seats", "memo")
_offered = changer(State, "seats", "phase", "actor", "tile", "memo")
_drew = changer(State, "drawn", "phase", "actor", "tile", "memo")
_taken = changer(State, "drawn", "seats", "phase", "actor", "tile", "answers", "memo")
_due = changer(State, "seats", "phase", "tile", "answers", "memo")
_heard = changer(State, "answers", "memo")


def evolve(state: State, event: Event) -> State:
    """The state after `event`; at once if a decision has just made it from this very state."""
    ahead = state.memo.ahead
    if ahead is not None and ahead[0] is event:
        return ahead[1]
    return _EVOLVE[type(event)](state, event)


def _ti_dealt(state: State, event: TiDealt) -> State:
    seat = state.seats[event.seat]
    seats = _seated(
        state,
        event.seat,
        seat._replace(
            hand=_without(seat.hand, (event.tile,) * 4),
            melds=(*seat.melds, _ALIKE["ti"][event.tile]),
            fours=seat.fours + 1,
        ),
    )
    return state._replace(seats=seats, phase=after_opening(state.params, seats), memo=Memo(state.memo))


def _bright_tile_passed(state: State, event: BrightTilePassed) -> State:
    return state._replace(phase="turn", tile=0, answers=UNANSWERED, memo=Memo(state.memo))


def _tile_played(state: State, event: TilePlayed) -> State:
    tile = event.tile
    seat = state.seats[event.seat]
    bit = 1 << tile
    hand = _without(seat.hand, (tile,))
    seat = _played(seat, hand, seat.holds - 1, seat.no_eat | bit, seat.no_peng | bit, seat.played | bit)
    return _offered(state, _seated(state, event.seat, seat), "played", event.seat, tile, Memo(state.memo))


def _tile_drawn(state: State, event: TileDrawn) -> State:
    return _drew(state, state.drawn + 1, "drawn", event.seat, event.tile, Memo(state.memo))


def _wei_laid(state: State, event: WeiLaid) -> State:
    seat = state.seats[event.seat]
    meld = _ALIKE["chouwei" if event.stale else "wei"][event.tile]
    seat = _gained(seat, _without(seat.hand, (event.tile,) * 2), (*seat.melds, meld), seat.holds + 1)
    return _took(state, event.seat, seat, drew=event.tile)


def _ti_laid(state: State, event: TiLaid) -> State:
    return _took(state, event.seat, _four(state.seats[event.seat], "ti", event.tile), drew=event.tile)


def _pao_laid(state: State, event: PaoLaid) -> State:
    return _took(state, event.seat, _four(state.seats[event.seat], "pao", event.tile))


def _ponged(state: State, event: Ponged) -> State:
    seat = state.seats[event.seat]
    laid = (*seat.melds, _ALIKE["peng"][event.tile])
    seat = _touched(seat, _without(seat.hand, (event.tile,) * 2), laid, seat.holds + 1, True)
    return _took(state, event.seat, seat)


def _eaten(state: State, event: Eaten) -> State:
    seat = state.seats[event.seat]
    members = sorted((event.tile, *event.using))
    eaten = Meld("jiao" if melds.is_jiao(members) else "run", tuple(members))
    gone = [*event.using, *(tile for meld in event.along for tile in meld.tiles)]
    laid = (*seat.melds, eaten, *event.along)
    return _took(state, event.seat, _touched(seat, _without(seat.hand, gone), laid, seat.holds + 1, True))


def _passed(state: State, event: Passed) -> State:
    if state.phase == "turn":  # a win not taken, by a seat with nothing to play
        return state._replace(tile=0, memo=Memo(state.memo))
    return _answered(state, event.seat, PASS)


def _win_claimed(state: State, event: WinClaimed) -> State:
    return _answered(state, event.seat, WIN)


def _peng_claimed(state: State, event: PengClaimed) -> State:
    return _answered(state, event.seat, PENG)


def _eat_claimed(state: State, event: EatClaimed) -> State:
    return _answered(state, event.seat, Eat(event.using, event.along))


def _tile_died(state: State, event: TileDied) -> State:
    seat = state.seats[event.seat]
    seats = _seated(state, event.seat, _discarded(seat, (*seat.discards, event.tile)))
    return _due(state, seats, "due", 0, UNANSWERED, Memo(state.memo))


def _kind_passed(state: State, event: KindPassed) -> State:
    seat = state.seats[event.seat]
    bit = 1 << event.tile
    no_eat = seat.no_eat | bit if event.eat else seat.no_eat
    passed = seat.peng_passed | bit if event.peng else seat.peng_passed
    seat = _barred(seat, no_eat, seat.no_peng | bit, passed)
    return _sat(state, _seated(state, event.seat, seat), Memo(state.memo))


def _hand_died(state: State, event: HandDied) -> State:
    seat = state.seats[event.seat]._replace(dead=True)
    return state._replace(seats=_seated(state, event.seat, seat), phase="due", tile=0, memo=Memo(state.memo))


def _over(state: State, event: Won | BoardDrawn) -> State:
    on_offer = state.tile if state.phase == "drawn" else 0
    return state._replace(
        phase="over", tile=on_offer, answers=UNANSWERED, result=event, memo=Memo(state.memo)
    )


def _took(state: State, number: int, seat: Seat, *, drew: int = 0) -> State:
    """A seat has taken a tile, from the stock unseen if `drew`, and it is its turn."""
    seats, drawn = _seated(state, number, seat), state.drawn + 1 if drew else state.drawn
    return _taken(state, drawn, seats, "turn", number, drew, UNANSWERED, Memo(state.memo))


def _answered(state: State, number: int, answer: Action) -> State:
    first, second, third = state.answers
    answers = (
        answer if number == 0 else first,
        answer if number == 1 else second,
        answer if number == 2 else third,
    )
    return _heard(state, answers, Memo(state.memo, state.memo.questions))


def _seated(state: State, number: int, seat: Seat) -> tuple[Seat, Seat, Seat]:
    first, second, third = state.seats
    if number == 0:
        return seat, second, third
    return (first, seat, third) if number == 1 else (first, second, seat)


def _four(seat: Seat, name: str, tile: int) -> Seat:
    """The seat with a fourth tile added to a kan of its hand, or to its peng or wei where that lies."""
    four = _ALIKE[name][tile]
    if seat.hand[tile] == 3:
        hand, laid = _without(seat.hand, (tile,) * 3), (*seat.melds, four)
    else:
        grown = (_ALIKE["peng"][tile], _ALIKE["wei"][tile])
        hand, laid = seat.hand, tuple(four if meld in grown else meld for meld in seat.melds)
    return seat._replace(hand=hand, melds=laid, holds=seat.holds + 1, fours=seat.fours + 1)


def _without(hand: bytes, gone: Iterable[int]) -> bytes:
    left = bytearray(hand)
    for tile in gone:
        left[tile] -= 1
    return bytes(left)


_EVOLVE: dict[type, Callable[[State, Any], State]] = {
    TiDealt: _ti_dealt,
    BrightTilePassed: _bright_tile_passed,
    TilePlayed: _tile_played,
    TileDrawn: _tile_drawn,
    WeiLaid: _wei_laid,
    TiLaid: _ti_laid,
    PaoLaid: _pao_laid,
    Ponged: _ponged,
    Eaten: _eaten,
    Passed: _passed,
    WinClaimed: _win_claimed,
    PengClaimed: _peng_claimed,
    EatClaimed: _eat_claimed,
    TileDied: _tile_died,
    KindPassed: _kind_passed,
    HandDied: _hand_died,
    Won: _over,
    BoardDrawn: _over,
}
