"""Answers at even times. A player's command waits while another seat's is written: how long it took would tell that somebody
decides just then, which nobody is to notice (P6.4, P13). So what a player can send as often as it likes is answered so long after
it came.

On a stream that holds for refusals: a question is answered once, and everybody is shown what comes of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")

EVEN_SECONDS = 0.1
"""Longer than a record takes to be written, unless the log itself is slow."""


async def evenly(answer: Awaitable[T]) -> T:
    """What is awaited, or its refusal, EVEN_SECONDS from now."""
    loop = asyncio.get_running_loop()
    even = loop.time() + EVEN_SECONDS
    try:
        return await answer
    finally:
        await asyncio.sleep(even - loop.time())
