"""Times of an event. People see them in the event's zone, data (JSON, CSV) has them in UTC; both say so by their offset."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fupan.pairing.v1 import service_pb2 as pb

if TYPE_CHECKING:
    from clients.cli.connection import Fupan


def moment(microseconds: int, zone: tzinfo) -> datetime | None:
    """A time given in microseconds since 1970, in the event's zone; None for 0."""
    return datetime.fromtimestamp(microseconds / 1_000_000, zone) if microseconds else None


def micros(time: datetime | None, here: tzinfo) -> int:
    """Microseconds since 1970, 0 for None; a time without an offset is one of the event's zone."""
    if time is None:
        return 0
    return round((time if time.tzinfo else time.replace(tzinfo=here)).timestamp() * 1_000_000)


def zone(name: str) -> tzinfo:
    """The zone of that IANA name; UTC where this machine does not know it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


async def zone_of(fupan: Fupan, championship: str) -> tzinfo:
    """The zone of a championship. Raises AioRpcError."""
    request = pb.GetChampionshipRequest(championship=championship)
    return zone((await fupan.pairing.GetChampionship(request)).settings.time_zone)
