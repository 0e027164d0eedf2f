"""`python -m clients.robot`: AI players for many people at once, for load.

    python -m clients.robot --server 127.0.0.1:50052 --keys KEYS --championship ID --persons FILE

`--server` is the table service, `--keys` a local platform's key folder, FILE has a person id a line. Ends with the championship.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from grpc import aio

from clients.robot.player import Count, Robot
from clients.robot.seat import Seat
from clients.robot.tokens import Signer, signing_key
from fupan.table.v1.service_pb2_grpc import TableServiceStub

STREAMS_A_CHANNEL = 100
"""A connection carries so many streams; more wait in silence at most servers."""

_OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_reconnect_backoff_ms", 1_000))


async def play(server: str, keys: Path, championship: str, persons: Sequence[str]) -> Count:
    """Play for everybody until the championship has ended."""
    count, key = Count(), signing_key(keys)
    shares = [persons[i : i + STREAMS_A_CHANNEL] for i in range(0, len(persons), STREAMS_A_CHANNEL)]
    async with asyncio.TaskGroup() as group:
        for share in shares:
            group.create_task(_share(server, championship, [Signer(key, person) for person in share], count))
    return count


async def _share(server: str, championship: str, signers: Sequence[Signer], count: Count) -> None:
    async with aio.insecure_channel(server, options=_OPTIONS) as channel, asyncio.TaskGroup() as group:
        stub = TableServiceStub(channel)
        for signer in signers:
            robot = Robot(signer.person, Seat(stub, championship, signer), count, _warn)
            group.create_task(robot.play(), name=signer.person)


def _warn(line: str) -> None:
    print(line, file=sys.stderr)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m clients.robot", description=__doc__)
    parser.add_argument("--server", required=True, help="host:port of the table service")
    parser.add_argument("--keys", required=True, type=Path, help="folder of keys that sign tokens")
    parser.add_argument("--championship", required=True)
    parser.add_argument("--persons", required=True, type=Path, help="file with a person id a line")
    given = parser.parse_args()
    persons = given.persons.read_text().split()
    count = asyncio.run(play(given.server, given.keys, given.championship, persons))
    print(f"{count.answers} answers, {count.refused} refused")


if __name__ == "__main__":
    main()
