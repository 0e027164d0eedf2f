"""How long a query waits, and for what."""

from __future__ import annotations

import asyncio

import pytest

from services.domain import Rejected
from services.runtime import catchup
from services.runtime.answers import reached
from services.runtime.errors import Unavailable
from services.runtime.positions import position


class Stream:
    """Waited for up to `at`, for ever beyond it."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.asked: list[int] = []

    async def wait_for(self, sequence: int) -> None:
        self.asked.append(sequence)
        if sequence > self.at:
            await asyncio.Event().wait()


async def test_a_query_waits_for_the_position_it_names() -> None:
    stream = Stream(at=7)
    await reached(position("PAIRING-e1", 7), {"PAIRING-e1": stream.wait_for})
    assert stream.asked == [7]


async def test_what_is_not_reached_in_time_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catchup, "PATIENCE", 0.01)
    with pytest.raises(Unavailable, match="POSITION_NOT_REACHED"):
        await reached(position("PAIRING-e1", 8), {"PAIRING-e1": Stream(at=7).wait_for})


async def test_nobody_learns_how_far_a_table_is_by_waiting_for_it() -> None:
    stream = Stream(at=7)
    waits = {"TABLE-e1-0": stream.wait_for}
    await reached(position("TABLE-e1-0", 10**6), waits)
    assert stream.asked == []
    await reached(position("TABLE-e1-0", 7), waits, tables=True)
    assert stream.asked == [7]


async def test_no_position_and_a_foreign_streams_are_not_waited_for() -> None:
    await reached("", {})
    await reached(position("APPEALS-e1", 9), {})


@pytest.mark.parametrize("text", ["?", "UEFJ", position("S", 1)[:-2], "=" * 60_000])
async def test_a_position_that_nobody_gave_out_is_refused(text: str) -> None:
    with pytest.raises(Rejected, match="MALFORMED_POSITION"):
        await reached(text, {})
