"""Shengji's messages: every event, action and view of whole deals comes back as it was."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import given, settings
from hypothesis import strategies as st

from fupan.table.v1 import shengji_pb2 as pb
from services.games.shengji import actions, events
from services.games.shengji.cards import KINDS
from services.games.shengji.cards import show as card
from services.games.shengji.result import SEATS
from services.games.shengji.sight import view
from services.games.shengji.view import SeatView
from services.ledger.shengji_codec import ACTIONS, EVENTS, VIEWS
from tests.games.shengji.boards import play


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_what_is_stored_and_shown_comes_back(seed: int) -> None:
    for step in play(seed):
        for event in step.events:
            assert EVENTS.decode(EVENTS.encode(event)) == event
        if step.action is not None:
            assert ACTIONS.decode(ACTIONS.encode(step.action)) == step.action
        for viewer in (*SEATS, None):
            seen = view(step.after, viewer)
            back = VIEWS.decode(VIEWS.encode(seen))
            assert type(back) is SeatView
            assert all(getattr(back, field.name) == getattr(seen, field.name) for field in fields(SeatView))


def test_every_event_and_action_has_its_place() -> None:
    assert EVENTS.members == set(events.Event.__args__)
    assert ACTIONS.members == set(actions.Action.__args__)


def test_cards_are_named_by_their_code() -> None:
    suits = {"S": "SPADE", "H": "HEART", "C": "CLUB", "D": "DIAMOND"}
    ranks = {"T": "10", "J": "JACK", "Q": "QUEEN", "K": "KING", "A": "ACE"}
    jokers = {"jo": "CARD_SMALL_JOKER", "JO": "CARD_BIG_JOKER"}
    for kind in KINDS:
        text = card(kind)
        name = jokers.get(text) or f"CARD_{suits[text[0]]}_{ranks.get(text[1], text[1])}"
        assert pb.Card.Value(name) == kind
