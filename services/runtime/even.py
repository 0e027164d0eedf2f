"""Answers at even times. A player's command waits while another seat's is written: how long it took would tell that somebody
decides just then, which nobody is to notice (P6.4, P13). So what a player can send as often as it likes is answered so long after
it came. So is what has a table's records read, which takes the longer the more there are.

An answer that is accepted is told at once, the first time: there is one a question, and everybody is shown what comes of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

EVEN_SECONDS = 0.1
"""Longer than a record takes to be written, unless the log itself is slow."""


async def evenly(answer: Awaitable[T], at_once: Callable[[T], bool] = lambda answer: False) -> T:
    """What is awaited, or its refusal, EVEN_SECONDS from now, or twice that, and so on; sooner what may be told `at_once`."""
    loop = asyncio.get_running_loop()
    began, told = loop.time(), False
    try:
        result = await answer
        told = at_once(result)
        return result
    finally:
        if not told:
            await asyncio.sleep((began - loop.time()) % EVEN_SECONDS)
