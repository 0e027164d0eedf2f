"""All that lives is looked at for garbage while nobody waits for it."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from services.runtime import garbage


class Ring:
    """Something that only a collector frees."""

    def __init__(self) -> None:
        self.me = self


@pytest.mark.parametrize(
    ("busy", "since", "due"),
    [(0.0, 599, False), (0.0, 600, True), (0.3, 600, False), (0.3, 86_399, False), (0.3, 86_400, True)],
)
def test_in_a_lull_and_once_a_day(busy: float, since: float, due: bool) -> None:
    assert garbage.due(busy, since) is due


async def test_garbage_that_grew_old_goes_in_a_lull_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_WATCHED", 0.01)
    lull, gone = asyncio.Event(), asyncio.Event()
    monkeypatch.setattr(garbage, "due", lambda busy, since: lull.is_set())
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
