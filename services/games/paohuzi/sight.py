"""The view of a seat, built by allow-list: what is not named here, nobody is shown (P13)."""

from __future__ import annotations

from functools import lru_cache

from services.games.paohuzi import questions
from services.games.paohuzi.actions import Action
from services.games.paohuzi.events import Won
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.params import DEFAULT, Params
from services.games.paohuzi.state import Seat, State, owes
from services.games.paohuzi.view import Fans, Front, NamedHand, SeatView


def view(state: State, seat: int | None) -> SeatView:
    """The view of `seat`, or of a spectator (None)."""
    on_offer = state.tile if state.phase in ("played", "drawn", "over") else 0
    hand: tuple[int, ...] = ()
    options: tuple[Action, ...] = ()
    dead_eat: tuple[int, ...] = ()
    dead_peng: tuple[int, ...] = ()
    dead_hand = False
    if seat is not None:
        own = state.seats[seat]
        hand, options = tuple(own.hand), questions.put(state, seat)
        dead_eat, dead_peng, dead_hand = kinds(own.no_eat), kinds(own.no_peng), own.dead
    return SeatView(
        seat,
        state.dealer,
        state.bright,
        state.stock_left,
        hand,
        _fronts(state, seat),
        on_offer,
        state.actor if on_offer else None,
        on_offer > 0 and state.phase != "played",
        owes(state),
        options,
        dead_eat,
        dead_peng,
        dead_hand,
        state.params.min_huxi,
        state.phase == "over",
        state.result if isinstance(state.result, Won) else None,
        _fans(state.params),
    )


@lru_cache(maxsize=64)
def _fans(params: Params) -> Fans | None:
    if (params.fan, params.red_step, params.fan_combine) == (
        DEFAULT.fan,
        DEFAULT.red_step,
        DEFAULT.fan_combine,
    ):
        return None
    return Fans(tuple(NamedHand(*one) for one in params.fan), params.red_step, params.fan_combine)


def _fronts(state: State, viewer: int | None) -> tuple[Front, ...]:
    """What lies in front of the seats, worked out anew only for a seat that has changed; own melds are open."""
    seats, memo = state.seats, state.memo
    if memo.fronts_of is not seats:
        known = dict(zip(map(id, memo.fronts_of), memo.fronts, strict=True))
        memo.fronts = tuple([known.get(id(seat)) or _front(seat) for seat in seats])
        memo.fronts_of = seats
    fronts = memo.fronts
    if viewer is None or fronts[viewer].melds is seats[viewer].melds:
        return fronts
    shown = fronts[viewer]
    own = Front(seats[viewer].melds, shown.discards, shown.hand_size, shown.played)
    return (*fronts[:viewer], own, *fronts[viewer + 1 :])


def _front(seat: Seat) -> Front:
    """What the others see of a seat."""
    melds = seat.melds
    for meld in melds:
        if meld.name in _MASKED:
            melds = tuple([_MASKED.get(meld.name, _open)(meld) for meld in melds])
            break
    return Front(melds, seat.discards, sum(seat.hand), kinds(seat.played))


def _open(meld: Meld) -> Meld:
    return meld


def _closed(meld: Meld) -> Meld:
    return Meld(meld.name, (0,) * len(meld.tiles))


def _one_shown(meld: Meld) -> Meld:
    return Meld(meld.name, (*(0,) * (len(meld.tiles) - 1), meld.tiles[0]))


_MASKED = {"wei": _closed, "chouwei": _one_shown, "ti": _one_shown}


@lru_cache(maxsize=1 << 14)
def kinds(mask: int) -> tuple[int, ...]:
    """The kinds of a bit mask, ascending."""
    return tuple(kind for kind in range(21) if mask >> kind & 1)
