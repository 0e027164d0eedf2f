"""`fupan up`: the platform without a demo, until Ctrl-C."""

from __future__ import annotations

import asyncio
import shlex
import signal
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from clients.cli.connection import Fupan
from clients.cli.local import web
from clients.cli.local.hosting import host, unfinished
from clients.cli.local.stack import Wanted, running
from clients.cli.output import OK, Column, rows, say
from clients.cli.places import DATA, Place
from clients.cli.tokens import signing_key
from clients.cli.words import pick
from clients.robot.player import Count
from clients.robot.tokens import Signer

HOST_PATIENCE = 180.0
"""Seconds a call waits for a service that was killed and reads its log again."""

_ADDRESSES = (Column("service", "Service", "服务"), Column("address", "gRPC address", "gRPC 地址"))


def up(
    *,
    data: Annotated[Path, Parameter(help="data directory")] = DATA,
    console: web.Port = None,
    processes: Annotated[bool, Parameter(negative=(), help="one process for each service")] = False,
) -> int:
    """Run NATS, PostgreSQL and all services on a data directory until Ctrl-C; what dies is started again.

    Unfinished demo championships found there are played on.
    """
    return asyncio.run(_up(Wanted(data, apart=processes, console=console)))


async def _up(wanted: Wanted) -> int:
    async with running(wanted, say) as place:
        introduce(place, wanted.data)
        robots = asyncio.create_task(_host_unfinished(place))
        await told_to_stop()
        robots.cancel()
        await asyncio.gather(robots, return_exceptions=True)
    return OK


async def _host_unfinished(place: Place) -> None:
    """Play demo championships on that an earlier run of the platform left unfinished."""
    assert place.keys is not None
    operator = Signer(signing_key(place.keys), place.operator)
    async with Fupan(place, operator, HOST_PATIENCE) as fupan, asyncio.TaskGroup() as group:
        for championship in await unfinished(fupan):
            say(pick(f"demo {championship} is played on", f"演示赛 {championship} 继续进行"))
            group.create_task(host(fupan, championship, Count(), say))


def introduce(place: Place, data: Path) -> None:
    """Print the addresses, and how to go on."""
    rows(
        [{"service": name, "address": address} for name, address in place.services.items()],
        _ADDRESSES,
        "table",
    )
    signers = "".join(f"\n  {one}" for one in place.trust)
    say(
        pick(
            "Keys that sign; fupan audit verify takes --trust for each:",
            "签名密钥；fupan audit verify 对每一个各用一次 --trust：",
        )
        + signers
    )
    shown = shlex.quote(str(data.resolve()))
    say(
        pick(
            f"The platform runs. In another terminal: export FUPAN_SERVER={shown}; fupan --help\n"
            "Ctrl-C stops it.",
            f"平台已启动。请在另一终端运行 export FUPAN_SERVER={shown}，再用 fupan --help 查看命令。\n按 Ctrl-C 停止。",
        )
    )


async def told_to_stop() -> None:
    """Return at Ctrl-C or SIGTERM."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    try:
        await told.wait()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
