"""Work that is due until it is done: keys that want looking at, each looked at again after what stood in its way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import structlog
from grpc import StatusCode
from opentelemetry.context import Context, get_current

from services.runtime.errors import explain
from services.runtime.telemetry import working

K = TypeVar("K", bound=Hashable)

WAITS = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Seconds before work that failed is tried again; the last one for ever."""

_log = structlog.get_logger(__name__)


class Worklist(Generic[K]):
    """Calls `work(key)` for every key that was added, one key at a time of the same, different keys side by side.

    A key that is added while it is worked on is worked on once more. `work` finds out by itself what is due, and does nothing when
    nothing is; it must be idempotent. Whatever it raises, it is called again, later and later.
    """

    def __init__(self, name: str, work: Callable[[K], Awaitable[None]]) -> None:
        self._name = name
        self._work = work
        self._due: dict[K, Context] = {}
        """With the trace of what made it due first."""
        self._busy: set[K] = set()
        self._failures: dict[K, int] = {}
        self._wake = asyncio.Event()

    def add(self, key: K) -> None:
        """Have a look at `key`. May be called before `run`."""
        self._add(key, get_current())

    def _add(self, key: K, due: Context) -> None:
        self._due.setdefault(key, due)
        self._wake.set()

    async def run(self, stopping: asyncio.Event) -> None:
        """Work until `stopping` is set; what has begun is finished."""
        waiting = asyncio.create_task(stopping.wait())
        waiting.add_done_callback(lambda _: self._wake.set())
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    await self._wake.wait()
                    if stopping.is_set():
                        return
                    self._wake.clear()
                    for key in self._due.keys() - self._busy:
                        due = self._due.pop(key)
                        self._busy.add(key)
                        group.create_task(self._try(key, due))
        finally:
            waiting.cancel()

    async def _try(self, key: K, due: Context) -> None:
        try:
            with working(self._name, due):
                await self._work(key)
            self._failures.pop(key, None)
        except Exception as error:  # whatever stood in the way, the work is due until it is done
            failures = self._failures[key] = self._failures.get(key, 0) + 1
            wait = WAITS[min(failures, len(WAITS)) - 1]
            told = explain(error)
            foreseen = told.code is not StatusCode.INTERNAL
            _log.warning(
                "work_waits",
                work=self._name,
                on=str(key),
                why=told.reason,
                seconds=wait,
                exc_info=None if foreseen else error,
            )
            asyncio.get_running_loop().call_later(wait, self._add, key, due)
        finally:
            self._busy.discard(key)
            self._wake.set()
