"""Appending by the append rule, fsync on; beside `eventsourcing` on PostgreSQL with fsync on."""

from __future__ import annotations

import asyncio
import itertools
import os
import time

from bench import peers
from bench.measure import Case, Run, Watch, cores, interleaved, table
from bench.servers import EPOCH, Servers, servers
from services.ledger.record import START, Header, Record, Writer, encode, next_head
from services.runtime.jetstream import JetStreamStore
from services.runtime.writer import append

ABOUT = "appends/s of sealed records beside `eventsourcing` on PostgreSQL, both with fsync"

BODY = 284
"""Bytes of a sealed move: nonce, 256 bytes, tag."""


class Writing:
    """Appends chained records of the size of a move to many tables, one in flight a table."""

    def __init__(self, store: JetStreamStore) -> None:
        self._store = store
        self._numbers = itertools.count()
        self.appends = 0
        self.taken: list[float] = []

    async def table(self, until: float) -> None:
        """Write one table until a time of the loop's clock."""
        loop = asyncio.get_running_loop()
        subject, head = EPOCH.table_subject("append", f"t{next(self._numbers)}-{os.getpid()}"), START
        writer = Writer("table", "bench", "0")
        while loop.time() < until:
            header = Header(
                subject,
                head.version + 1,
                head.hash,
                EPOCH.id,
                writer,
                "",
                bytes(32),
                ("1/1/1",),
                head.time_us + 1,
            )
            data = encode(Record(header, bytes(BODY), True))
            began = time.perf_counter()
            sequence = await append(self._store, subject, data, head.sequence, loop.time() + 10)
            self.taken.append(time.perf_counter() - began)
            head = next_head(head, data, sequence, head.time_us + 1)
            self.appends += 1


async def writing(on: Servers, seconds: float, in_flight: int) -> Run:
    """One run of ours."""
    store = await on.store("table")
    work = Writing(store)
    watch = Watch(nats=on.pid("nats"))
    began = time.perf_counter()
    until = asyncio.get_running_loop().time() + seconds
    await asyncio.gather(*(work.table(until) for _ in range(in_flight)))
    window = watch.end()
    await store.close()
    taken = sorted(work.taken)
    return Run(
        {"appends": work.appends / (time.perf_counter() - began), "p50": 1000 * taken[len(taken) // 2]},
        window,
    )


async def measure(quick: bool) -> None:
    seconds = 2.0 if quick else 6.0
    async with servers() as on:
        cases: dict[str, Case] = {
            f"Fupan, {many} in flight": lambda many=many: writing(on, seconds, many)  # type: ignore[misc]
            for many in (256, 1)
        }
        if peers.environment() is None:
            peers.missing()
        else:
            where = {
                "host": "127.0.0.1",
                "port": on.directory.port("postgres"),
                "user": "postgres",
                "password": on.directory.secret("postgres"),
                "dbname": "postgres",
            }
            for threads in (1, 8):
                cases[f"eventsourcing, {threads} threads"] = peers.case(
                    "eventsourcing_append", threads=threads, seconds=seconds, **where
                )
        results = await interleaved(cases)
        best = max((one["appends"] for name, one in results.items() if name[0] == "e"), default=0.0)
        print(f"records of {BODY} sealed bytes; medians of 3 runs of {seconds:g} s")
        table(
            ("", "appends/s", "of the best peer", "cores"),
            [
                (name, f"{one['appends']:.0f}", f"{one['appends'] / best:.2f}" if best else "", cores(one))
                for name, one in results.items()
            ],
        )


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(quick))
