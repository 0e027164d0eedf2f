"""The fold: a state after one event. Events are taken for true; what is legal is `decide`'s affair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from services.games.shengji import cards
from services.games.shengji.bids import DRAWN, Bid, Trumps
from services.games.shengji.events import (
    BidMade,
    BidOffered,
    BidPassed,
    BottomTaken,
    BottomTurned,
    Buried,
    CardsDrawn,
    CardsPlayed,
    DealEnded,
    DealVoided,
    Event,
    Penalised,
    RevoltPassed,
    ThrowFailed,
    TrickWon,
    TrumpsSet,
)
from services.games.shengji.result import SEATS
from services.games.shengji.shape import demand
from services.games.shengji.state import UNANSWERED, Phase, State, in_play, orders

T = TypeVar("T")


def evolve(state: State, event: Event) -> State:
    """The state after `event`; at once if a decision has just made it from this very state."""
    for before, known, after in state.memo.ahead:
        if known is event and before is state:
            return after
    return worked_out(state, event)


def worked_out(state: State, event: Event) -> State:
    """The state after `event`, whether it is known already or not."""
    return _EVOLVE[type(event)](state, event)


def _cards_drawn(state: State, event: CardsDrawn) -> State:
    phase: Phase = "drawing"
    if event.number == DRAWN:
        phase = "ask" if state.standing else "call"
    return state._replace(drawn=event.number, phase=phase, answers=UNANSWERED)


def _bid_offered(state: State, event: BidOffered) -> State:
    return state._replace(answers=_with(state.answers, event.seat, event.cards))


def _bid_passed(state: State, event: BidPassed) -> State:
    return state._replace(answers=_with(state.answers, event.seat, "pass"))


def _bid_made(state: State, event: BidMade) -> State:
    phase: Phase = "ask" if state.drawn == DRAWN else "drawing"
    return state._replace(phase=phase, answers=UNANSWERED, standing=Bid(event.seat, event.cards))


def _bottom_turned(state: State, event: BottomTurned) -> State:
    return state._replace(turned=event.cards)


def _trumps_set(state: State, event: TrumpsSet) -> State:
    trumps = Trumps(event.suit, event.declarer, event.demoted)
    return state._replace(
        phase="bury", answers=UNANSWERED, trumps=trumps, orders=orders(state, trumps), turn=event.declarer
    )


def _bottom_taken(state: State, event: BottomTaken) -> State:
    hand = bytearray(state.hands[event.seat])
    for card in state.bottom:
        hand[card] += 1
    one, two, three, four = (state.params.revolution and state.defends(seat) for seat in SEATS)
    return state._replace(
        hands=_with(state.hands, event.seat, bytes(hand)), bottom=(), undecided=(one, two, three, four)
    )


def _revolt_passed(state: State, event: RevoltPassed) -> State:
    undecided = _with(state.undecided, event.seat, False)
    return state._replace(undecided=undecided, phase=_after_bury(state.buried, undecided))


def _buried(state: State, event: Buried) -> State:
    hand = cards.without(state.hands[event.seat], event.cards)
    return state._replace(
        hands=_with(state.hands, event.seat, hand),
        bottom=event.cards,
        buried=True,
        phase=_after_bury(True, state.undecided),
    )


def _after_bury(buried: bool, undecided: tuple[bool, ...]) -> Phase:
    """The declarer leads once it has buried and no defender may revolt any more."""
    return "play" if buried and True not in undecided else "bury"


def _throw_failed(state: State, event: ThrowFailed) -> State:
    fine = -event.fine if state.defends(event.seat) else event.fine
    return state._replace(thrown=event.cards, points=state.points + fine)


def _cards_played(state: State, event: CardsPlayed) -> State:
    seat, shown = event.seat, event.cards
    hands = _with(state.hands, seat, cards.without(state.hands[seat], shown))
    asked, voids = state.demand, state.voids
    if not state.trick:
        asked = demand(state.orders[seat], shown)
    elif asked and state.orders[seat].suit_of(shown) != asked.suit:
        voids = _with(voids, seat, voids[seat] | 1 << asked.suit)
    trick, turn = (*state.trick, shown), (seat + 1) % 4
    return in_play(state, hands, turn, trick, asked, state.thrown, state.points, state.played, voids)


def _trick_won(state: State, event: TrickWon) -> State:
    played = bytearray(state.played)
    for play in state.trick:
        for card in play:
            played[card] += 1
    points = state.points + (event.points if state.defends(event.seat) else 0)
    return in_play(state, state.hands, event.seat, (), None, (), points, bytes(played), state.voids)


def _penalised(state: State, event: Penalised) -> State:
    return state._replace(points=event.points)


def _deal_ended(state: State, event: DealEnded) -> State:
    return state._replace(phase="over", points=event.points, result=event)


def _deal_voided(state: State, event: DealVoided) -> State:
    return state._replace(phase="over", result=event)


def _with(four: tuple[T, T, T, T], seat: int, value: T) -> tuple[T, T, T, T]:
    one, two, three, last = four
    if seat == 0:
        return value, two, three, last
    if seat == 1:
        return one, value, three, last
    return (one, two, value, last) if seat == 2 else (one, two, three, value)


_EVOLVE: dict[type, Callable[[State, Any], State]] = {
    CardsDrawn: _cards_drawn,
    BidOffered: _bid_offered,
    BidPassed: _bid_passed,
    BidMade: _bid_made,
    BottomTurned: _bottom_turned,
    TrumpsSet: _trumps_set,
    BottomTaken: _bottom_taken,
    RevoltPassed: _revolt_passed,
    DealVoided: _deal_voided,
    Buried: _buried,
    ThrowFailed: _throw_failed,
    CardsPlayed: _cards_played,
    TrickWon: _trick_won,
    Penalised: _penalised,
    DealEnded: _deal_ended,
}
