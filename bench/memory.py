"""What a table and a connected seat cost the table service in memory."""

from __future__ import annotations

import asyncio

import psutil

from bench.measure import table
from bench.servers import Pairing, Program, dealer, servers

ABOUT = "bytes a table in the middle of a board, and a connected seat, of the table service's process"

ANSWERS = 6
TABLE_LIMIT, SEAT_LIMIT = 30, 40
"""KiB that a table's state and a connected seat may take."""


def used(pid: int) -> float:
    """KiB that are the process's alone."""
    return float(psutil.Process(pid).memory_full_info().uss) / 1024


async def measure(tables: int) -> None:
    async with servers() as on, dealer() as port:
        address = await on.start_table(port)
        store = await on.store("pairing")
        pid = on.pid("table")
        kib, playing = {}, []
        for name, size in (("warm", 200), ("cup", tables)):
            # The first one loads code and caches, and stays: what it gave back would be used again.
            before = used(pid)
            await Pairing(store).begin(name, size, 8)
            sitters = await Program.start(
                "bench.sitters",
                address=address,
                keys=str(on.keys),
                championship=name,
                tables=size,
                answers=ANSWERS,
            )
            assert await sitters.line() == "seated"
            seated = used(pid)
            sitters.go_on()
            assert await sitters.line() == "connected"
            connected = used(pid)
            kib = {"table": (seated - before) / size, "connected seat": (connected - seated) / size / 3}
            playing.append(sitters)
        for sitters in playing:
            await sitters.stop()
        await store.close()
        limits = {"table": TABLE_LIMIT, "connected seat": SEAT_LIMIT}
        print(f"{tables} tables in the middle of a board, no stream yet; then {3 * tables} streams")
        table(
            ("", "KiB each", "limit"),
            [(name, f"{size:.1f}", str(limits[name])) for name, size in kib.items()],
        )


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(200 if quick else 800))
