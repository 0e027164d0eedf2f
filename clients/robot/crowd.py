"""Robots for everybody in a championship, in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from grpc import aio

from clients.robot.player import Count, Robot
from clients.robot.seat import Seat
from clients.robot.tokens import Signer
from fupan.table.v1.service_pb2_grpc import TableServiceStub

STREAMS_A_CHANNEL = 100
"""Streams on one connection; servers often let more wait in silence."""

_REFUSED_PAUSE = 5.0
_OPTIONS = (
    # Without it all channels to one address share a connection.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)


async def play_all(
    address: str,
    championship: str,
    signers: Sequence[Signer],
    count: Count,
    warn: Callable[[str], None],
    receipt: Callable[[bytes], None] = lambda _: None,
) -> None:
    """Play for every person of `signers` at the table service of `address` until the championship has ended.

    A robot that the service refuses is warned of and tries again: it never leaves the others alone.
    """
    shares = [signers[i : i + STREAMS_A_CHANNEL] for i in range(0, len(signers), STREAMS_A_CHANNEL)]
    async with asyncio.TaskGroup() as group:
        for share in shares:
            group.create_task(_share(address, championship, share, count, warn, receipt))


async def _share(
    address: str,
    championship: str,
    signers: Sequence[Signer],
    count: Count,
    warn: Callable[[str], None],
    receipt: Callable[[bytes], None],
) -> None:
    async with aio.insecure_channel(address, options=_OPTIONS) as channel, asyncio.TaskGroup() as group:
        stub = TableServiceStub(channel)
        for signer in signers:
            robot = Robot(signer.person, Seat(stub, championship, signer, receipt), count, warn)
            group.create_task(_faithfully(robot, warn), name=signer.person)


async def _faithfully(robot: Robot, warn: Callable[[str], None]) -> None:
    while True:
        try:
            return await robot.play()
        except aio.AioRpcError as error:
            warn(f"{robot.person}: {error.code().name} {error.details()}")
            await asyncio.sleep(_REFUSED_PAUSE)
