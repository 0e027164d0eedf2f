from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.ledger.codec import Malformed
from services.ledger.record import MAX_RECORD
from services.ledger.replays import superseded
from services.scoring import decider
from services.scoring import model as m
from services.scoring.api import MAX_TABLES
from services.scoring.codec import COMMANDS, EVENTS
from tests.scoring.given import CHIEF, SCORING
from tests.stored import comes_back, members, values


@pytest.mark.parametrize("cls", members(m.Event))
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_every_event_comes_back_from_its_stored_form(cls: type, data: st.DataObject) -> None:
    assert comes_back(EVENTS, data.draw(values(cls)))


@pytest.mark.parametrize("cls", members(m.Command))
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_every_command_comes_back_from_its_stored_form(cls: type, data: st.DataObject) -> None:
    assert comes_back(COMMANDS, data.draw(values(cls)))


def test_a_whole_field_plays_a_board_again_on_one_record() -> None:
    """C9.2: all or nobody, with one deal, also where there are thousands of tables."""
    tables = tuple(f"r10-t{number}" for number in range(1, MAX_TABLES + 1))
    order = m.OrderReplay(10, 1, tables, CHIEF)
    past = SCORING.given(m.PenaltySet("late", 5, 20, CHIEF))
    (event,) = decider.decide(past.state, order, past.when(order).meta)
    assert len(COMMANDS.encode(order)) + len(EVENTS.encode(event)) < MAX_RECORD - 4096
    assert isinstance(event, m.ReplayOrdered)
    ordered = decider.evolve(past.state, event, past.when(order).meta)
    assert [one.number for one in ordered.rulings] == list(range(1, MAX_TABLES + 2))
    assert ordered.attempt(tables[-1], 10, 1) == 2
    assert ordered.replay(f"{tables[-1]}-a2") == event.boards[-1]


def test_everybody_reads_the_same_in_an_order() -> None:
    """What scoring makes of it, and pairing and an outsider who know its stored form."""
    order = m.ReplayOrdered(1, 2, 3, ("r1-t1", "r1-t2"), (1, 2), CHIEF)
    stored = EVENTS.to_proto(order).replay_ordered
    assert list(superseded(stored)) == [EVENTS.to_proto(one).board_superseded for one in order.boards]
    stored.instead_of.pop()
    with pytest.raises(Malformed):
        list(superseded(stored))
