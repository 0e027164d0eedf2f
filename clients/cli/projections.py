"""`fupan projections rebuild`: tables of Postgres made anew from record 1, beside the live ones, and swapped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import Column, rows
from clients.cli.places import SERVICES, Service
from clients.cli.words import pick

if TYPE_CHECKING:
    from clients.cli.connection import Fupan

_COLUMNS = (
    Column("service", "Service", "服务"),
    Column("projection", "Projection", "投影"),
    Column("records", "Records", "记录数", right=True),
    Column("swapped", "Swapped", "已切换", lambda yes: pick("yes", "是") if yes else pick("no", "否")),
)


def rebuild(
    services: Annotated[list[Service] | None, Parameter(help="services; default all")] = None,
    /,
    *,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Rebuild projections from the log and swap them for the live ones."""
    from clients.cli.connection import run

    async def work(fupan: Fupan) -> list[dict[str, Any]]:
        rebuilt = await asyncio.gather(*(_rebuilt(fupan, service) for service in services or SERVICES))
        return [one for lines in rebuilt for one in lines]

    rows(run(link, work), _COLUMNS, show.form)


async def _rebuilt(fupan: Fupan, service: str) -> list[dict[str, Any]]:
    from fupan.common.v1 import log_service_pb2 as pb

    newest: dict[str, dict[str, Any]] = {}
    async for one in fupan.log(service).RebuildProjections(pb.RebuildProjectionsRequest()):
        newest[one.projection] = {
            "service": service,
            "projection": one.projection,
            "records": one.records,
            "swapped": one.swapped,
        }
    return list(newest.values())
