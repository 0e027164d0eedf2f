"""The fold: a state after one event. Events are taken for true; what is legal is `decide`'s affair."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

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
    seat = seat._replace(
        hand=_without(seat.hand, (tile,)),
        holds=seat.holds - 1,
        played=seat.played | bit,
        no_eat=seat.no_eat | bit,
        no_peng=seat.no_peng | bit,
    )
    return state._replace(
        seats=_seated(state, event.seat, seat),
        phase="played",
        actor=event.seat,
        tile=tile,
        memo=Memo(state.memo),
    )


def _tile_drawn(state: State, event: TileDrawn) -> State:
    return state._replace(
        drawn=state.drawn + 1, phase="drawn", actor=event.seat, tile=event.tile, memo=Memo(state.memo)
    )


def _wei_laid(state: State, event: WeiLaid) -> State:
    seat = state.seats[event.seat]
    meld = _ALIKE["chouwei" if event.stale else "wei"][event.tile]
    seat = seat._replace(
        hand=_without(seat.hand, (event.tile,) * 2), melds=(*seat.melds, meld), holds=seat.holds + 1
    )
    return _took(state, event.seat, seat, drew=event.tile)


def _ti_laid(state: State, event: TiLaid) -> State:
    return _took(state, event.seat, _four(state.seats[event.seat], "ti", event.tile), drew=event.tile)


def _pao_laid(state: State, event: PaoLaid) -> State:
    return _took(state, event.seat, _four(state.seats[event.seat], "pao", event.tile))


def _ponged(state: State, event: Ponged) -> State:
    seat = state.seats[event.seat]
    seat = seat._replace(
        hand=_without(seat.hand, (event.tile,) * 2),
        melds=(*seat.melds, _ALIKE["peng"][event.tile]),
        holds=seat.holds + 1,
        touched=True,
    )
    return _took(state, event.seat, seat)


def _eaten(state: State, event: Eaten) -> State:
    seat = state.seats[event.seat]
    members = sorted((event.tile, *event.using))
    eaten = Meld("jiao" if melds.is_jiao(members) else "run", tuple(members))
    gone = [*event.using, *(tile for meld in event.along for tile in meld.tiles)]
    seat = seat._replace(
        hand=_without(seat.hand, gone),
        melds=(*seat.melds, eaten, *event.along),
        holds=seat.holds + 1,
        touched=True,
    )
    return _took(state, event.seat, seat)


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
    seat = seat._replace(discards=(*seat.discards, event.tile))
    return state._replace(
        seats=_seated(state, event.seat, seat), phase="due", tile=0, answers=UNANSWERED, memo=Memo(state.memo)
    )


def _kind_passed(state: State, event: KindPassed) -> State:
    seat = state.seats[event.seat]
    bit = 1 << event.tile
    seat = seat._replace(
        no_eat=seat.no_eat | bit if event.eat else seat.no_eat,
        no_peng=seat.no_peng | bit,
        peng_passed=seat.peng_passed | bit if event.peng else seat.peng_passed,
    )
    return state._replace(seats=_seated(state, event.seat, seat), memo=Memo(state.memo))


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
    return state._replace(
        drawn=state.drawn + 1 if drew else state.drawn,
        seats=_seated(state, number, seat),
        phase="turn",
        actor=number,
        tile=drew,
        answers=UNANSWERED,
        memo=Memo(state.memo),
    )


def _answered(state: State, number: int, answer: Action) -> State:
    first, second, third = state.answers
    answers = (
        answer if number == 0 else first,
        answer if number == 1 else second,
        answer if number == 2 else third,
    )
    return state._replace(answers=answers, memo=Memo(state.memo, state.memo.questions))


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
