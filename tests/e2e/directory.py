"""A running platform from the inside: its processes, its log as the operator user, its database as the superuser."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from clients.cli import places
from clients.cli.connection import Fupan
from clients.robot.tokens import Signer, signing_key
from services.runtime.embedded import nats, postgres
from services.runtime.embedded.directory import DataDirectory
from services.runtime.jetstream import JetStreamStore
from services.runtime.store import Stored
from services.runtime.streams import Epoch
from tests.e2e.command import SECONDS


@dataclass(frozen=True)
class Inside:
    """The data directory of a platform that runs, or ran."""

    data: Path

    @property
    def place(self) -> places.Place:
        """What its clients are told."""
        return places.read(self.data / places.CLIENT_FILE)

    @property
    def epoch(self) -> Epoch:
        """The epoch that is written."""
        told = json.loads((self.data / "services.json").read_text())["all"]
        return Epoch(told["FUPAN_EPOCH"], int(told["FUPAN_PARTITIONS"]))

    @property
    def directory(self) -> DataDirectory:
        """Its ports and secrets."""
        return DataDirectory(self.data)

    def caller(self, person: str = "", patience: float = 10.0) -> Fupan:
        """The services as a person sees them, or as somebody without a token."""
        place = self.place
        assert place.keys is not None
        return Fupan(place, Signer(signing_key(place.keys), person) if person else str, patience)

    def pid(self, name: str) -> int:
        """Process id of a child that runs. Raises LookupError while it is down."""
        children = json.loads((self.data / "children.json").read_text())
        if name not in children or not psutil.pid_exists(children[name][0]):
            raise LookupError(f"{name} is down")
        pid: int = children[name][0]
        return pid

    async def kill(self, name: str) -> None:
        """SIGKILL a child: at once, or as soon as it has come back from the last time."""
        async with asyncio.timeout(SECONDS):
            while True:
                try:
                    return os.kill(self.pid(name), signal.SIGKILL)
                except (LookupError, ProcessLookupError):
                    await asyncio.sleep(0.05)

    async def log(self, user: str = nats.OPERATOR) -> JetStreamStore:
        """The log as a user of NATS."""
        directory = self.directory
        url = f"nats://127.0.0.1:{directory.port('nats')}"
        return await JetStreamStore.connect(
            url, name="test", user=user, password=directory.secret(f"nats/{user}")
        )

    def dsn(self, database: str = postgres.DATABASE) -> str:
        """The superuser's address of a database."""
        directory = self.directory
        return postgres.superuser_dsn(directory, directory.port("postgres"), database)


class Moves:
    """Counts what comes into some streams, so that a test can act in the middle of things without a clock."""

    def __init__(self) -> None:
        self.count = 0
        self.longest = 0.0
        """Seconds of the longest silence between two of them."""
        self._last = 0.0
        self._moved = asyncio.Condition()

    async def deliver(self, batch: list[Stored]) -> None:
        """More records came."""
        now = asyncio.get_running_loop().time()
        async with self._moved:
            self.longest = max(self.longest, now - self._last) if self.count else 0.0
            self._last = now
            self.count += len(batch)
            self._moved.notify_all()

    async def reach(self, count: int) -> None:
        """Return when so many records have come."""
        async with asyncio.timeout(SECONDS), self._moved:
            await self._moved.wait_for(lambda: self.count >= count)


@asynccontextmanager
async def moves(inside: Inside, streams: Sequence[str] = ()) -> AsyncIterator[Moves]:
    """Records of the tables, or of the streams given, counted from the first."""
    store, counted = await inside.log(), Moves()
    names = streams or inside.epoch.table_streams()
    tasks = [asyncio.create_task(store.follow(name, 0, counted.deliver)) for name in names]
    try:
        yield counted
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(OSError):  # the platform may have gone meanwhile
            await store.close()
