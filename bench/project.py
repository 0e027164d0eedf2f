"""One projection of all table streams into PostgreSQL, in a process of its own: `python -m bench.project JSON` prints the seconds.

`ours` is the archive's projector. `bare` is what anybody would write: nats-py's ordered consumers with a callback, and a loop that
decodes what came, writes it by `unnest` and moves the checkpoint in the same transaction.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

import asyncpg
import nats
import uvloop
from nats.aio.msg import Msg

from bench.servers import EPOCH
from fupan.common.v1.record_pb2 import Record
from services.runtime.archive import Archive
from services.runtime.jetstream import JetStreamStore
from services.runtime.postgres import Database
from services.runtime.projector import Projector

_PENDING = 1 << 30
_BATCH = 1000
_TABLES = """
CREATE TABLE records (stream text, sequence bigint, subject text, version bigint, data bytea, PRIMARY KEY (stream, sequence));
CREATE UNIQUE INDEX ON records (subject, version);
CREATE TABLE checkpoints (stream text PRIMARY KEY, sequence bigint);
"""
_INSERT = "INSERT INTO records SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bytea[])"
_CHECKPOINT = (
    "INSERT INTO checkpoints VALUES ($1, $2) ON CONFLICT (stream) DO UPDATE SET sequence = excluded.sequence"
)


async def ours(url: str, user: str, password: str, dsn: str, schema: str, records: int) -> None:
    """Project until everything is there."""
    store = await JetStreamStore.connect(url, name="bench", user=user, password=password)
    database = await Database.connect(dsn)
    projector = Projector(store, database, Archive(EPOCH.table_streams(), print, schema))
    await projector.prepare()
    stopping = asyncio.Event()
    running = asyncio.create_task(projector.run(stopping))
    await projector.caught_up.wait()
    stopping.set()
    await running
    await store.close()


async def bare(url: str, user: str, password: str, dsn: str, schema: str, records: int) -> None:
    """Read and write until everything is there."""
    client = await nats.connect(url, user=user, password=password, inbox_prefix=f"_INBOX.{user}".encode())
    js = client.jetstream()
    connection = await asyncpg.connect(dsn)
    await connection.execute(f"CREATE SCHEMA {schema}; SET search_path TO {schema}; {_TABLES}")
    came: asyncio.Queue[tuple[str, Msg]] = asyncio.Queue()
    for stream in EPOCH.table_streams():

        async def take(message: Msg, stream: str = stream) -> None:
            came.put_nowait((stream, message))

        await js.subscribe(
            "",
            stream=stream,
            ordered_consumer=True,
            cb=take,
            pending_msgs_limit=_PENDING,
            pending_bytes_limit=_PENDING,
        )
    while records:
        batch = [await came.get()]
        while len(batch) < _BATCH and not came.empty():
            batch.append(came.get_nowait())
        await _write(connection, batch)
        records -= len(batch)
    await connection.close()
    await client.close()


async def _write(connection: asyncpg.Connection, batch: list[tuple[str, Msg]]) -> None:
    streams = [stream for stream, _ in batch]
    sequences = [message.metadata.sequence.stream for _, message in batch]
    versions = [Record.FromString(message.data).header.version for _, message in batch]
    async with connection.transaction():
        await connection.execute(
            _INSERT,
            streams,
            sequences,
            [one.subject for _, one in batch],
            versions,
            [one.data for _, one in batch],
        )
        await connection.executemany(_CHECKPOINT, list(dict(zip(streams, sequences, strict=True)).items()))


async def main(mode: str, records: int, **where: str) -> None:
    """See the module."""
    began = time.perf_counter()
    await (ours if mode == "ours" else bare)(records=records, **where)
    print(json.dumps({"seconds": time.perf_counter() - began}), flush=True)


if __name__ == "__main__":
    uvloop.run(main(**json.loads(sys.argv[1])))
