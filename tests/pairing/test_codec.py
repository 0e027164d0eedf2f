from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.pairing.codec import COMMANDS, EVENTS
from services.pairing.model import commands as c
from services.pairing.model import events as e
from tests.stored import comes_back, members, values


@pytest.mark.parametrize("cls", members(e.Event))
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_every_event_comes_back_from_its_stored_form(cls: type, data: st.DataObject) -> None:
    assert comes_back(EVENTS, data.draw(values(cls)))


@pytest.mark.parametrize("cls", members(c.Command))
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_every_command_comes_back_from_its_stored_form(cls: type, data: st.DataObject) -> None:
    assert comes_back(COMMANDS, data.draw(values(cls)))
