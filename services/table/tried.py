"""What seats tried and which clause refused it: beside the log, sealed with the board's key, kept for a month, proved by nothing.

It lies in PostgreSQL, outside chain and state: losing it changes no board. It is shown with a board's replay, never before that.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import structlog

from services.domain import Rejected
from services.games.rules import Ruleset
from services.ledger.record import WrongKey, open_sealed, seal
from services.runtime.postgres import TRANSIENT, Database, migrate

_log = structlog.get_logger(__name__)

SCHEMA = "table"
MIGRATIONS = Path(__file__).parent / "migrations"

DAYS = 30
"""How long it is kept."""

_TOO_OLD = f"tried_at < now() - make_interval(days => {DAYS})"
"""What is shown to nobody any more, whether or not it is deleted already."""

MOST = 50
"""Tries of one seat on one board that are kept; who sends more learns nothing by it, and shall fill no disk."""

WAITING = 1000
"""Tries that may wait to be written; while the database is away the rest is let go."""

GATHER = 1.0
"""Seconds that a try waits for others, to be written together with them."""

FORGET = 3600.0
"""Seconds between two looks for what is too old."""

PATIENCE = 2.0
"""Seconds that writing the last ones may take when the service stops."""

COUNTED = 10_000
"""Seats of boards whose tries are counted at a time."""

_ANY_VERSION = 0
"""A try is no record of the log and has no version there."""


@dataclass(frozen=True, slots=True)
class Tried:
    """An action that was refused: its text, why, and when (microseconds since 1970)."""

    seat: int
    action: str
    reason: str
    clause: str
    time_us: int


def is_action(rules: Ruleset, text: str) -> bool:
    """Whether a text is an action of a game, as whoever is shown it reads it."""
    try:
        rules.parse(text)
    except Rejected:
        return False
    return True


class Tries:
    """Writes tries in the background and reads them back. `note` never waits and never fails."""

    def __init__(self, database: Database, gather: float = GATHER, forget: float = FORGET) -> None:
        self._database = database
        self._gather = gather
        self._forget_every = forget
        self._waiting: asyncio.Queue[tuple[str, str, bytes]] = asyncio.Queue(WAITING)
        self._noted: Counter[tuple[str, str, int]] = Counter()
        self._work: asyncio.Task[None] | None = None
        self._ready = False
        self._forget_at = 0.0

    def start(self) -> None:
        """Write from here on."""
        self._work = asyncio.create_task(self._write(), name="refused tries")

    async def stop(self) -> None:
        """Write what waits, if that can be done soon, and end."""
        if self._work is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await self.idle()
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    def note(self, subject: str, path: str, key: bytes, tried: Tried) -> None:
        """Keep a try on a board, sealed with the board's key."""
        place = subject, path, tried.seat
        if len(self._noted) > COUNTED:
            self._noted.clear()
        self._noted[place] += 1
        if self._noted[place] > MOST or self._waiting.full():
            return
        body = json.dumps(asdict(tried), ensure_ascii=False).encode()
        self._waiting.put_nowait(
            (subject, path, seal(key, os.urandom(12), _place(subject, path), _ANY_VERSION, body))
        )

    async def of(self, subject: str, path: str, key: bytes) -> list[Tried]:
        """The tries on a board, oldest first; none while the database is away."""
        try:
            await self._prepare()
            async with self._database.transaction(SCHEMA, readonly=True) as connection:
                rows = await connection.fetch(
                    f"SELECT sealed FROM tried WHERE subject = $1 AND path = $2 AND NOT {_TOO_OLD}",
                    subject,
                    path,
                )
        except TRANSIENT as error:
            _log.warning("tries_unread", subject=subject, error=type(error).__name__)
            return []
        found = []
        for row in rows:
            try:
                body = open_sealed(key, _place(subject, path), _ANY_VERSION, row["sealed"])
            except WrongKey:
                continue  # somebody wrote into the table
            found.append(Tried(**json.loads(body)))
        return sorted(found, key=lambda tried: tried.time_us)

    async def idle(self) -> None:
        """Return when everything noted is written or given up."""
        await self._waiting.join()

    async def _write(self) -> None:
        while True:
            if time.monotonic() >= self._forget_at:
                await self._forget()
                self._forget_at = time.monotonic() + self._forget_every
            tries = [await self._waiting.get()]
            await asyncio.sleep(self._gather)
            while not self._waiting.empty():
                tries.append(self._waiting.get_nowait())
            try:
                await self._prepare()
                async with self._database.transaction(SCHEMA) as connection:
                    await connection.executemany(
                        "INSERT INTO tried (subject, path, sealed) VALUES ($1, $2, $3)", tries
                    )
            except Exception as error:
                _log.warning("tries_lost", tries=len(tries), error=type(error).__name__)
            finally:
                for _ in tries:
                    self._waiting.task_done()

    async def _forget(self) -> None:
        """What is too old goes: when the service starts, and now and then while something new is written."""
        try:
            await self._prepare()
            async with self._database.transaction(SCHEMA) as connection:
                await connection.execute(f"DELETE FROM tried WHERE {_TOO_OLD}")
        except Exception as error:
            _log.warning("tries_not_forgotten", error=type(error).__name__)

    async def _prepare(self) -> None:
        if not self._ready:
            await migrate(self._database, SCHEMA, MIGRATIONS)
            self._ready = True


def _place(subject: str, path: str) -> str:
    """What a sealed try is bound to: no record's place."""
    return f"{subject} {path} tried"
