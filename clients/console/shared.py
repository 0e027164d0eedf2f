"""What anybody is told is told everybody the same: asked once for all who ask within a second."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

_KEPT = 256


@dataclass(frozen=True, slots=True)
class _Asked:
    answer: asyncio.Task[Any]
    at: float
    """Loop time when it was asked."""


class Shared:
    """The newest answers by key, `kept` of them; `fresh` is how old one may be, in seconds."""

    def __init__(self, fresh: float, kept: int = _KEPT) -> None:
        self._fresh = fresh
        self._kept = kept
        self._asked: OrderedDict[Any, _Asked] = OrderedDict()

    async def get(self, key: Any, ask: Callable[[], Awaitable[Any]]) -> Any:
        """The answer under a key, asked anew where the last one is too old. Raises what `ask` raises; no error is kept."""
        now = asyncio.get_running_loop().time()
        asked = self._asked.get(key)
        if asked is None or now - asked.at >= self._fresh or _failed(asked.answer):
            asked = _Asked(asyncio.ensure_future(_awaited(ask())), now)
            self._asked[key] = asked
            self._asked.move_to_end(key)
            while len(self._asked) > self._kept:
                self._asked.popitem(last=False)
        # Whoever asked first may leave; the others still wait.
        return await asyncio.shield(asked.answer)


def _failed(answer: asyncio.Task[Any]) -> bool:
    return answer.done() and (answer.cancelled() or answer.exception() is not None)


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer
