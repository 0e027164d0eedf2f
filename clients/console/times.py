"""Times as fields of forms hold them: without a zone, which is the event's."""

from __future__ import annotations

from datetime import datetime, tzinfo

from starlette.exceptions import HTTPException


def micros(text: str, here: tzinfo) -> int:
    """A local time of a form in microseconds since 1970; 0 for none. Raises HTTPException."""
    if not text:
        return 0
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        raise HTTPException(400) from None
    return round((told if told.tzinfo else told.replace(tzinfo=here)).timestamp() * 1_000_000)


def local(time_us: int, here: tzinfo) -> str:
    """A time as such a form holds it, to the millisecond; empty for none."""
    if not time_us:
        return ""
    moment = datetime.fromtimestamp(time_us // 1_000_000, here).replace(microsecond=time_us % 1_000_000)
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds")
