"""The view of a seat, built by allow-list: what is not named here, nobody is shown (S10)."""

from __future__ import annotations

from services.games.shengji import bids, cards, questions
from services.games.shengji.actions import Action
from services.games.shengji.bids import DRAWN
from services.games.shengji.cards import Cards
from services.games.shengji.events import DealEnded, DealVoided
from services.games.shengji.questions import Question
from services.games.shengji.result import SEATS
from services.games.shengji.state import State, drawn_cards
from services.games.shengji.view import Laid, Remembering


def view(state: State, seat: int | None) -> Remembering:
    """The view of `seat`, or of a spectator (None)."""
    played_on = state.phase in ("play", "over") and not _before_first_lead(state)
    question: Question = ""
    hand: Cards = ()
    bottom: Cards = ()
    offers: tuple[Action, ...] = ()
    if seat is not None:
        question = questions.put(state, seat)
        hand = cards.expand(drawn_cards(state, seat))
        if state.buried and seat == state.declarer and not played_on:
            bottom = state.bottom
        if question in ("bid", "revolt") or state.phase == "drawing":
            offers = tuple(questions.options(state, seat))
    result, standing = state.result, state.standing
    return Remembering(
        seat,
        state.setting.level,
        state.setting.first_drawer,
        state.declarer,
        state.drawn,
        hand,
        _hand_sizes(state),
        Laid(standing.seat, standing.cards) if standing else None,
        () if played_on else state.turned,
        state.trumps.suit if state.trumps else "",
        tuple([order.demoted for order in state.orders]),
        bottom,
        state.turn if state.phase == "play" else None,
        tuple([Laid((state.leader + at) % 4, play) for at, play in enumerate(state.trick)]),
        state.thrown,
        state.points,
        question,
        offers,
        state.params.partial_tractor_follow,
        state.phase == "over",
        result if isinstance(result, DealEnded) else None,
        result.seat if isinstance(result, DealVoided) else None,
        state.played,
        state.bottom if state.buried and seat == state.declarer else (),
        state.voids,
    )


def _before_first_lead(state: State) -> bool:
    return not state.trick and not any(state.played)


def _hand_sizes(state: State) -> tuple[int, ...]:
    if state.drawn < DRAWN:
        return tuple([bids.drawn_by(state.setting.first_drawer, seat, state.drawn) for seat in SEATS])
    return tuple([len(cards.expand(hand)) for hand in state.hands])
