"""House AI in its own process."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator

import pytest

from services.runtime.errors import Unavailable
from services.table import thinking
from services.table.house import House
from tests.table.given import RULES, Script


@pytest.fixture
async def house() -> AsyncIterator[House]:
    house = House()
    yield house
    await house.stop()


async def test_its_answers_are_those_of_the_rules_and_in_the_order_of_the_questions(house: House) -> None:
    views = []
    for number in range(4):
        script = Script().dealt(number)
        while not script.board.closed:
            seat = RULES.asked(script.board.game)[0]
            views.append(RULES.view(script.board.game, seat))
            script.answer(seat, script.choose(seat))
    answers = await asyncio.gather(*(house.choose(RULES, view) for view in views))
    assert answers == [RULES.choose(view) for view in views]


async def test_when_it_dies_the_question_fails_and_the_next_one_finds_it_alive(house: House) -> None:
    view = RULES.view(Script().dealt(1).board.game, 0)
    await house.choose(RULES, view)
    process = house._process
    assert process is not None
    process.kill()
    with pytest.raises(Unavailable):
        await house.choose(RULES, view)
    assert await house.choose(RULES, view) == RULES.choose(view)


def test_the_process_answers_until_its_input_ends() -> None:
    view = RULES.view(Script().dealt(1).board.game, 0)
    out = io.BytesIO()
    thinking.serve(io.BytesIO(2 * thinking.request(RULES, view)), out)
    answer = thinking.frame(thinking.answer(thinking.request(RULES, view)[thinking.LENGTH :]))
    assert out.getvalue() == 2 * answer
