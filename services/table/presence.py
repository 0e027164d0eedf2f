"""Which replicas live, and who of them acts first for a table (design: replicas).

Each says so twice a second on a core subject outside the log; one that is silent for `SILENCE` seconds is gone. The owner of a
table is the live replica with the highest hash of both names, so that few tables change hands when one comes or goes. Replicas
also tell each other when a player's stream begins, since that ends an older one elsewhere.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import Protocol

import structlog

_log = structlog.get_logger(__name__)

BEAT = 0.5
SILENCE = 2.0
CENSUS = 0.3
"""Seconds that a starting replica waits for others to answer."""

STALL = 3.0
"""A heart that beat so late was ours standing still, with everything else here."""


class Talk(Protocol):
    """Messages between replicas that may be lost."""

    async def say(self, subject: str, data: bytes) -> None:
        """Send to all, ourselves included."""

    async def hear(self, subject: str, hearer: Callable[[bytes], Awaitable[None]]) -> None:
        """Call `hearer` with whatever is said on a subject from now on."""


class Presence:
    """This replica among the others. Without `talk` it is alone."""

    def __init__(
        self,
        epoch: str,
        replica: str,
        talk: Talk | None,
        monotonic: Callable[[], float] = time.monotonic,
        census: float = CENSUS,
    ) -> None:
        self.on_change: Callable[[], None] = lambda: None
        """Called when a replica has come or gone."""
        self.on_stall: Callable[[float], Awaitable[None]] = _nothing
        """Called with the seconds that this process stood still."""
        self.on_attached: Callable[[str, str], None] = lambda championship, person: None
        """Called when a person's stream began at another replica."""
        self._replica = replica
        self._talk = talk
        self._monotonic = monotonic
        self._census = census
        self._heard: dict[str, float] = {}
        self._beats = f"fupan.live.table.{epoch}.beat"
        self._streams = f"fupan.live.table.{epoch}.stream"

    @property
    def alone(self) -> bool:
        """Whether no other replica lives."""
        return not self._heard

    def owns(self, subject: str) -> bool:
        """Whether this replica acts first for a table."""
        if not self._heard:
            return True
        own = _weight(self._replica, subject)
        return all(own > _weight(other, subject) for other in self._heard)

    async def start(self) -> None:
        """Listen, and ask who is there; returns when who lives has had time to say so."""
        if self._talk is None:
            return
        await self._talk.hear(self._beats, self._on_beat)
        await self._talk.hear(self._streams, self._on_stream)
        await self._talk.say(self._beats, f"? {self._replica}".encode())
        await asyncio.sleep(self._census)

    async def run(self, stopping: asyncio.Event) -> None:
        """Beat, until the service stops; then say goodbye."""
        last = self._monotonic()
        while not stopping.is_set():
            await self._say(self._beats, f"+ {self._replica}")
            try:
                async with asyncio.timeout(BEAT):
                    await stopping.wait()
            except TimeoutError:
                pass
            now = self._monotonic()
            if now - last - BEAT > STALL:
                _log.warning("stood_still", seconds=round(now - last, 1))
                await self.on_stall(now - last)
            last = now
            self.bury(now)
        await self._say(self._beats, f"- {self._replica}")

    def bury(self, now: float) -> None:
        """Forget who has been silent for too long."""
        gone = [replica for replica, heard in self._heard.items() if now - heard > SILENCE]
        for replica in gone:
            del self._heard[replica]
        if gone:
            _log.info("replicas_gone", replicas=gone)
            self.on_change()

    async def attached(self, championship: str, person: str) -> None:
        """A person's stream began here."""
        await self._say(self._streams, f"{self._replica} {championship} {person}")

    async def _say(self, subject: str, words: str) -> None:
        if self._talk is not None:
            try:
                await self._talk.say(subject, words.encode())
            except Exception as error:  # a beat that is lost is followed by the next
                _log.warning("not_heard", error=type(error).__name__)

    async def _on_beat(self, data: bytes) -> None:
        kind, _, replica = data.decode(errors="replace").partition(" ")
        if replica == self._replica or not replica:
            return
        if kind == "-":
            if self._heard.pop(replica, None) is not None:
                self.on_change()
            return
        new = replica not in self._heard
        self._heard[replica] = self._monotonic()
        if kind == "?":
            await self._say(self._beats, f"+ {self._replica}")
        if new:
            self.on_change()

    async def _on_stream(self, data: bytes) -> None:
        replica, _, whose = data.decode(errors="replace").partition(" ")
        championship, _, person = whose.partition(" ")
        if replica != self._replica and person:
            self.on_attached(championship, person)


async def _nothing(seconds: float) -> None:
    return None


def _weight(replica: str, subject: str) -> bytes:
    return blake2b(f"{replica} {subject}".encode(), digest_size=8).digest()
