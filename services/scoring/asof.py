"""What `as_of` says: a publication's number, a time, or a cut."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from services.runtime.errors import Malformed, NotFound
from services.scoring import model as m

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def publication_of(ledger: m.Ledger, text: str) -> m.Published:
    """The publication of a number, or the last one at or before an RFC 3339 time. Raises Malformed, NotFound."""
    if re.fullmatch(r"[0-9]{1,9}", text):
        found = ledger.publication(int(text))
    else:
        found = ledger.published_at(_time_us(text))
    if found is None:
        raise NotFound("publication", text)
    return found


def _time_us(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Malformed("as_of", "must be a publication number, an RFC 3339 time or a cut") from None
    if moment.tzinfo is None:
        raise Malformed("as_of", "must say its time zone, for example 2026-05-01T12:00:00+08:00")
    return (moment - _EPOCH) // timedelta(microseconds=1)


def completed(published: m.Published, stream: str, stored: Mapping[int, int]) -> m.Published:
    """A publication whose cut names scoring's own `stream`, too.

    Older ones do not: they have every record before their own in them, `stored` being the stream sequences by version.
    """
    event = published.event
    if event.cut.at(stream) is not None:
        return published
    whole = event.cut.upto(stream, stored.get(published.version - 1, 0))
    return replace(published, event=replace(event, cut=whole))


def read_cut(text: str, streams: Sequence[str]) -> m.Cut:
    """A cut as text, `STREAM@SEQUENCE,STREAM@SEQUENCE…`, its streams in the order given. Raises Malformed, NotFound.

    It names every input stream once: where one is left out, what counts of it is another thing every time it is asked.
    """
    positions: dict[str, int] = {}
    for part in text.split(","):
        found = re.fullmatch(r"([A-Z]+-[a-z0-9-]+)@([0-9]{1,18})", part.strip())
        if found is None:
            raise Malformed("as_of", "must be STREAM@SEQUENCE,… where it is a cut")
        if found[1] not in streams:
            raise NotFound("stream", found[1])
        if found[1] in positions:
            raise Malformed("as_of", f"must name {found[1]} once")
        positions[found[1]] = int(found[2])
    for stream in streams:
        if stream not in positions:
            raise Malformed("as_of", f"must name every input stream, also {stream}")
    return m.Cut(tuple(m.StreamPosition(one, positions[one]) for one in streams))


def capped(cut: m.Cut, now: m.Cut) -> m.Cut:
    """A cut no further than streams are read `now`."""
    known = {one.stream: one.sequence for one in now.positions}
    return m.Cut(
        tuple(m.StreamPosition(one.stream, min(one.sequence, known[one.stream])) for one in cut.positions)
    )
