"""What `as_of` says: a publication's number, a time, or a cut."""

from __future__ import annotations

import re
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


def read_cut(text: str, now: m.Cut, scoring_stream: str) -> tuple[m.Cut, int | None]:
    """A cut as text, `STREAM@SEQUENCE,STREAM@SEQUENCE…`, and the sequence of scoring's own stream if it is named.

    Streams left out count as far as they are known `now`, and none further. Raises Malformed, NotFound.
    """
    positions = {one.stream: one.sequence for one in now.positions}
    scoring = None
    for part in text.split(","):
        found = re.fullmatch(r"([A-Z]+-[a-z0-9-]+)@([0-9]{1,18})", part.strip())
        if found is None:
            raise Malformed("as_of", "must be STREAM@SEQUENCE,… where it is a cut")
        stream, sequence = found[1], int(found[2])
        if stream in positions:
            positions[stream] = min(sequence, positions[stream])
        elif stream == scoring_stream:
            scoring = sequence
        else:
            raise NotFound("stream", stream)
    return m.Cut(tuple(m.StreamPosition(*one) for one in positions.items())), scoring
