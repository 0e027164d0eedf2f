"""House AI in its own process."""

from __future__ import annotations

import asyncio
import io
import signal
import subprocess
import sys
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


def test_a_question_that_breaks_off_is_the_end() -> None:
    asked = thinking.request(RULES, RULES.view(Script().dealt(1).board.game, 0))
    whole = asked[thinking.LENGTH :]
    for cut in (b"", asked[:3], asked[:-1]):
        assert list(thinking.frames(io.BytesIO(2 * asked + cut))) == [whole, whole]


@pytest.mark.parametrize("module", ["services.table.thinking", "services.table.shadowing"])
@pytest.mark.parametrize("cut", [1, None], ids=["asking", "waiting for the answer"])
def test_when_who_asked_is_killed_the_process_ends_without_a_word(module: str, cut: int | None) -> None:
    """It is killed in the middle of a question, or before the answer is written."""
    asked = thinking.request(RULES, RULES.view(Script().dealt(1).board.game, 0))
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-m", module], stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(asked[:-cut] if cut else asked)
    process.stdin.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == (0 if cut else -signal.SIGPIPE)
