"""One reading of table streams from record 1, in a process of its own: `python -m bench.fold JSON` prints the seconds it took.

| mode | what |
|---|---|
| `bare` | nats-py's ordered consumer with a callback that counts |
| `cold` | the table service's log as at its start: chains followed, closed boards passed over by their closings |
| `full` | the same log with every key at hand: every record opened, decoded and folded |
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import nats
import uvloop
from nats.aio.msg import Msg

from bench.history import Open, a_log
from bench.servers import EPOCH
from services.runtime.errors import Unavailable
from services.runtime.jetstream import JetStreamStore
from services.table.leaves import Leaf, Leaves

_PENDING = 1 << 30


class Nothing(Leaves):
    """No leaf is known, as after a restart."""

    def __init__(self) -> None:
        super().__init__(self._none)

    async def _none(self, _: Any) -> list[Leaf]:
        raise Unavailable("PEER_UNAVAILABLE")


async def bare(url: str, user: str, password: str, streams: Sequence[str], records: int) -> None:
    """Count every record. Each stream has a connection of its own: what several have on their way is more than the server lets wait
    for one connection, which it then cuts off."""
    done, left = asyncio.Event(), records

    async def count(_: Msg) -> None:
        nonlocal left
        left -= 1
        if not left:
            done.set()

    clients = [
        await nats.connect(url, user=user, password=password, inbox_prefix=f"_INBOX.{user}".encode())
        for _ in streams
    ]
    for client, stream in zip(clients, streams, strict=True):
        await client.jetstream().subscribe(
            "",
            stream=stream,
            ordered_consumer=True,
            cb=count,
            pending_msgs_limit=_PENDING,
            pending_bytes_limit=_PENDING,
        )
    await done.wait()
    for client in clients:
        await client.close()


async def fold(url: str, user: str, password: str, streams: Sequence[str], leaves: Leaves) -> None:
    """Fold every record."""
    gc.disable()  # as the service does until all is read
    store = await JetStreamStore.connect(url, name="bench", user=user, password=password)
    log = a_log(store, leaves)
    await log.start(streams)
    await log.stop()
    await store.close()


async def main(mode: str, records: int, part: int, parts: int, **where: str) -> None:
    """See the module; `part` of `parts` shares of the streams."""
    streams = EPOCH.table_streams()[part::parts]
    began = time.perf_counter()
    if mode == "bare":
        await bare(streams=streams, records=records, **where)
    else:
        await fold(streams=streams, leaves=Open() if mode == "full" else Nothing(), **where)
    print(json.dumps({"seconds": time.perf_counter() - began}), flush=True)


if __name__ == "__main__":
    uvloop.run(main(**json.loads(sys.argv[1])))
