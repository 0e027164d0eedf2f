"""All that lives is looked at for garbage while nobody waits for it."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from services.runtime import garbage
from services.runtime.garbage import Since


class Ring:
    """Something that only a collector frees."""

    def __init__(self) -> None:
        self.me = self


@pytest.mark.parametrize(
    ("since", "due"),
    [
        (Since(599, 0.0, 1.0), False),
        (Since(600, 0.0, 1.0), True),
        (Since(86_399, 0.3, 1.49), False),
        (Since(10, 0.3, 1.5), True),
        (Since(86_400, 0.3, 1.0), True),
    ],
)
def test_in_a_lull_and_where_none_comes_as_memory_grows_and_once_a_day(since: Since, due: bool) -> None:
    assert garbage.due(since) is due


async def test_garbage_that_grew_old_goes_in_a_lull_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_WATCHED", 0.01)
    lull, gone = asyncio.Event(), asyncio.Event()
    monkeypatch.setattr(garbage, "due", lambda since: lull.is_set())
    before = gc.get_threshold()
    gc.disable()
    try:
        garbage.spare()
        ring = Ring()
        last = weakref.ref(ring, lambda _: gone.set())
        gc.collect(1)
        del ring
        made = [[number] for number in range(1_000_000)]
        lulls = asyncio.create_task(garbage.collect_in_lulls())
        await asyncio.sleep(0.1)
        assert last() is not None, f"looked for among {len(made)} objects"
        lull.set()
        async with asyncio.timeout(10):
            await gone.wait()
        lulls.cancel()
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
        gc.enable()


def test_where_hardly_any_is_made_it_goes_after_so_many_answers() -> None:
    def answers() -> Iterator[int]:
        for number in range(7):
            weakref.finalize(Ring(), gone.append, number)
            made.append([[each] for each in range(10_000)])
            yield number

    gone, made = list[int](), list[list[list[int]]]()
    try:
        assert [(answer, len(gone)) for answer in garbage.rarely(answers(), every=3)] == [
            *((0, 0), (1, 0), (2, 0)),
            *((3, 3), (4, 3), (5, 3)),
            (6, 6),
        ]
    finally:
        gc.unfreeze()
        gc.enable()
