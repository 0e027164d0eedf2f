"""Two tables in the middle of the same two boards, and whatever could be read of them by whoever can read everything.

One table has finished both boards, the other stands in the middle of the first, so that none is revealed.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from clients.robot.seat import Moment
from fupan.table.v1 import service_pb2 as table
from services.domain import Meta
from services.ledger import record as ledger
from services.runtime.embedded.directory import free_port
from services.runtime.store import Stored
from services.table.codec import EVENTS
from services.table.decider import TableDecider
from tests.e2e import scratch
from tests.e2e.canary import Secret, Seeded, of_counts
from tests.e2e.command import folder
from tests.e2e.directory import Inside
from tests.e2e.scratch import Cup
from tests.servers import SECONDS

CUP = "canary"
OPEN, DONE = "r1-t2", "r1-t1"
BOARDS = ("1/1/1", "1/2/1")
SUBSTITUTE = "eva"
STALLS_AT = 5
"""The question of its own that a player at the open table leaves unanswered."""

SECRET_FILES = frozenset({"services.json", "secrets.json", "client.json", "nats.conf"})
"""Mode 0600, and so are the files in `keys`: they hold passwords and keys by design."""


@dataclass
class Scene:
    """The platform at the moment of the search."""

    inside: Inside
    cup: Cup
    page: int
    """Port of the services' metrics."""
    seated: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Persons by seat of both tables."""
    heard: list[tuple[str, bytes]] = field(default_factory=list)
    """Subject, and headers and payload, of every message that went over NATS."""

    @property
    def seeded(self) -> Seeded:
        return Seeded(CUP, self.cup.seed)

    @property
    def secrets(self) -> list[Secret]:
        """All of both boards and of a later round's."""
        return [one for path in (*BOARDS, "2/1/1") for one in self.seeded.secrets(path, (OPEN, DONE))]


@asynccontextmanager
async def set_up() -> AsyncIterator[Scene]:
    """The scene, on a platform that tells all it can."""
    page = free_port()
    talkative = {
        "FUPAN_METRICS_LISTEN": f"127.0.0.1:{page}",
        "FUPAN_LOG_LEVEL": "debug",
        "FUPAN_RATE": "100000:100000",
        "OTEL_TRACES_EXPORTER": "console",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    with folder() as place:
        async with scratch.platform(place, talkative) as inside:
            cup = await scratch.found(inside, CUP, entrants=6, rounds=2)
            made = Scene(inside, cup, page)
            spy = await _spy(inside, made)
            await cup.pair()
            made.seated = await cup.tables()
            done = [asyncio.create_task(cup.play(person)) for person in made.seated[DONE]]
            open_ = [asyncio.create_task(cup.play(person, _until_it_stalls)) for person in made.seated[OPEN]]
            await asyncio.wait(open_, return_when=asyncio.FIRST_COMPLETED)
            await cup.until(lambda told: told.tables_done == 1)
            await _given_away(made)
            yield made
            for task in (*done, *open_):
                task.cancel()
            await asyncio.gather(*done, *open_, return_exceptions=True)
            await spy.close()


async def _given_away(scene: Scene) -> None:
    """Somebody sits at the open table for a while, and is a deputy afterwards; so is one of those who play there."""
    back = scene.seated[OPEN][0]
    async with scene.inside.caller(scratch.REFEREE) as referee:
        for person in (SUBSTITUTE, back):
            given = table.ReplaceSeatRequest(
                command_id=f"to-{person}",
                championship=CUP,
                table=OPEN,
                seat=0,
                person_id=person,
                reason="unwell",
            )
            await referee.table.ReplaceSeat(given)
    async with scene.inside.caller(scratch.OPERATOR) as operator:
        for person in (SUBSTITUTE, scene.seated[OPEN][2]):
            await scratch.appoint(operator, CUP, person, "deputy")


def _until_it_stalls(moment: Moment) -> bool:
    return moment.ask < STALLS_AT


async def _spy(inside: Inside, scene: Scene) -> Client:
    """Somebody who hears everything on NATS: a user that no configuration of ours knows."""
    path = inside.data / "nats.conf"
    config = json.loads(path.read_text())
    everything = {"publish": {"deny": [">"]}, "subscribe": {"allow": [">"]}}
    config["authorization"]["users"].append({"user": "spy", "password": "spy", "permissions": everything})
    path.write_text(json.dumps(config))
    os.kill(inside.pid("nats"), signal.SIGHUP)
    url = f"nats://127.0.0.1:{inside.directory.port('nats')}"

    async def hear(message: Msg) -> None:
        scene.heard.append((message.subject, json.dumps(message.headers or {}).encode() + message.data))

    async with asyncio.timeout(SECONDS):
        while True:
            try:
                spy = await nats.connect(url, user="spy", password="spy", allow_reconnect=False)
                break
            except (nats.errors.Error, OSError):
                await asyncio.sleep(0.05)
    await spy.subscribe(">", cb=hear)
    await spy.flush()
    return spy


async def records(inside: Inside) -> list[Stored]:
    """Every record of every stream there is, as the operator user."""
    store = await inside.log()
    listed = [info.config.name for info in await store.js.streams_info()]
    assert sorted(name for name in listed if name) == sorted(spec.name for spec in inside.epoch.specs())
    read = [
        stored
        for spec in inside.epoch.specs()
        for sequence in range(1, await store.last_sequence(spec.name) + 1)
        if (stored := await store.get(spec.name, sequence)) is not None
    ]
    await store.close()
    return read


async def rows(inside: Inside) -> AsyncIterator[tuple[str, bytes]]:
    """Every table of every schema, as text and in binary."""
    connection = await asyncpg.connect(inside.dsn())
    listed = await connection.fetch(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
    )
    schemas = {row["schemaname"] for row in listed}
    assert {"table_archive", "pairing", "appeals"} <= schemas, schemas
    for schema, name in listed:
        for form in ("text", "binary"):
            out = io.BytesIO()
            await connection.copy_from_table(name, schema_name=schema, output=out, format=form)
            yield f"{schema}.{name} ({form})", out.getvalue()
    await connection.close()


def files(inside: Inside) -> Iterator[Path]:
    """Every file of the data directory but those that hold secrets by design."""
    for path in inside.data.rglob("*"):
        if path.is_file() and path.name not in SECRET_FILES and path.parent.name != "keys":
            yield path


def of_this_moment(scene: Scene, stored: list[Stored]) -> list[Secret]:
    """The hands at the open table as they are now: the log says so to who has the key."""
    path, decider = BOARDS[0], TableDecider()
    key = scene.seeded.log_key(OPEN, path)
    subject = next(one.subject for one in stored if one.subject.endswith(f".{OPEN}"))
    state = decider.initial(subject)
    for one in stored:
        if one.subject != subject:
            continue
        record = ledger.decode(one.data)
        body = ledger.body_of(record, key if record.sealed else None)
        meta = Meta(subject, record.header.version, record.header.time_us, body.actor, body.command_id)
        for event in body.events:
            state = decider.evolve(state, EVENTS.decode(event), meta)
    assert state.board is not None
    views = [state.rules.view(state.board.game, seat) for seat in range(3)]
    return [of_counts(f"hand of seat {seat} now", view.hand) for seat, view in enumerate(views)]
