"""`fupan up`: the platform without a demo, until Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from clients.cli.local.stack import Wanted, running
from clients.cli.output import OK, UNAVAILABLE, USAGE, Column, Problem, rows, say
from clients.cli.places import DATA, Place
from clients.cli.words import pick
from services.runtime.embedded.directory import DirectoryInUse, NoPort
from services.runtime.embedded.postgres import PostgresFailed
from services.runtime.embedded.processes import ChildFailed

CANNOT_START = (DirectoryInUse, NoPort, ChildFailed, PostgresFailed)
"""What keeps a platform from starting; each tells what to do."""

_ADDRESSES = (Column("service", "Service", "服务"), Column("address", "gRPC address", "gRPC 地址"))


def up(
    *,
    data: Annotated[Path, Parameter(help="data directory")] = DATA,
    console: Annotated[int | None, Parameter(help="port of the web console", show_default=False)] = None,
    processes: Annotated[bool, Parameter(negative=(), help="one process for each service")] = False,
) -> int:
    """Run NATS, PostgreSQL and all services on a data directory until Ctrl-C; what dies is started again.

    Unfinished demo championships found there are played on.
    """
    no_console(console)
    try:
        return asyncio.run(_up(Wanted(data, apart=processes)))
    except CANNOT_START as error:
        raise Problem(str(error), UNAVAILABLE) from error


def no_console(port: int | None) -> None:
    """Refuse `--console` in plain words. Raises Problem."""
    if port is not None:
        raise Problem(
            pick(
                "the web console is not built yet; leave out --console and use the fupan command",
                "网页控制台尚未建成：请去掉 --console，使用 fupan 命令",
            ),
            USAGE,
        )


async def _up(wanted: Wanted) -> int:
    async with running(wanted, say) as place:
        introduce(place, wanted.data)
        await told_to_stop()
    return OK


def introduce(place: Place, data: Path) -> None:
    """Print the addresses, and how to go on."""
    rows(
        [{"service": name, "address": address} for name, address in place.services.items()],
        _ADDRESSES,
        "table",
    )
    say(
        pick(
            f"The platform runs. In another terminal: fupan --help; --server {data} reaches it from anywhere.\n"
            "Ctrl-C stops it.",
            f"平台已启动。请在另一终端使用 fupan --help；在其他目录请加 --server {data}。\n按 Ctrl-C 停止。",
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
