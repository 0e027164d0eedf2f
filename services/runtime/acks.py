"""Publishing to JetStream with one reply inbox for all publishes, an answer matched to its question by a
number.

Many times the throughput of a request each (`nats.js.publish`) on the same socket: no id to draw, no task, no
timer a publish.
"""

from __future__ import annotations

import asyncio

import msgspec
from nats.errors import Error as NatsError

from services.runtime.store import Conflict, StoreUnavailable
from services.runtime.wire import Wire

# "wrong last sequence" of a single server, and the same found while the record was already in flight in a
# cluster.
_CONFLICTS = frozenset({10071, 10164})
_SWEEP_SECONDS = 0.25


class _Error(msgspec.Struct):
    err_code: int = 0
    description: str = ""


class _Answer(msgspec.Struct):
    seq: int = 0
    error: _Error | None = None


_decode = msgspec.json.Decoder(_Answer).decode


class Acks:
    """Publishes and waits for the answer; `timeout` seconds without one is StoreUnavailable."""

    def __init__(self, nc: Wire, timeout: float) -> None:
        self._nc = nc
        self._timeout = timeout
        self._inbox = ""
        self._waiting: dict[int, tuple[asyncio.Future[int], float]] = {}
        self._number = 0
        self._sweeper: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Subscribe to the inbox; after connecting, before the first publish."""
        self._inbox = self._nc.new_inbox() + "."
        await self._nc.listen(self._inbox + "*", self._on_answer)

    async def publish(self, subject: str, data: bytes, headers: bytes) -> int:
        """The new record's stream sequence; `headers` as they go over the wire. Raises Conflict, StoreUnavailable."""
        if not self._nc.is_connected:
            # Never into the client's buffer: what is sent later than its caller waits would surprise
            # everybody.
            raise StoreUnavailable("not connected to the log")
        loop = asyncio.get_running_loop()
        self._number = number = self._number + 1
        future: asyncio.Future[int] = loop.create_future()
        self._waiting[number] = (future, loop.time() + self._timeout)
        if self._sweeper is None:
            self._sweeper = loop.call_later(_SWEEP_SECONDS, self._sweep)
        try:
            self._nc.send(subject, f"{self._inbox}{number}", data, headers)
            return await future
        except NatsError as error:
            raise StoreUnavailable(f"publish failed: {error}") from error
        finally:
            self._waiting.pop(number, None)

    def fail_all(self, reason: str) -> None:
        """Give up on every answer still out, at once: the connection they would have come by is gone."""
        for future, _ in self._waiting.values():
            if not future.done():
                future.set_exception(StoreUnavailable(reason))

    def close(self) -> None:
        """Fail what is out and stop the timer."""
        self.fail_all("closed")
        if self._sweeper is not None:
            self._sweeper.cancel()

    def _on_answer(self, subject: bytes, reply: bytes, headers: bytes, data: bytes) -> None:
        self._take(int(subject[len(self._inbox) :]), data)

    def _take(self, number: int, data: bytes) -> None:
        entry = self._waiting.get(number)
        if entry is None or entry[0].done():
            return
        future = entry[0]
        if not data:
            # A status instead of an answer: 503, no stream listens to the subject or it has no leader.
            future.set_exception(StoreUnavailable("no stream takes this subject now"))
            return
        try:
            answer = _decode(data)
        except msgspec.DecodeError as error:
            future.set_exception(StoreUnavailable(f"unreadable answer: {error}"))
            return
        if answer.error is None:
            future.set_result(answer.seq)
        elif answer.error.err_code in _CONFLICTS:
            future.set_exception(Conflict(answer.error.description))
        else:
            future.set_exception(StoreUnavailable(f"{answer.error.description} ({answer.error.err_code})"))

    def _sweep(self) -> None:
        """Fail what waited too long. One timer for all; the dict is in order of age."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for future, until in self._waiting.values():
            if until > now:
                break
            if not future.done():
                future.set_exception(StoreUnavailable(f"no answer within {self._timeout} s"))
        self._sweeper = loop.call_later(_SWEEP_SECONDS, self._sweep) if self._waiting else None
