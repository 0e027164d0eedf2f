"""Seats that pairing changed by itself: a committee must have ruled them (C10.6)."""

from __future__ import annotations

from typing import Any

from services.ledger.audit.evidence import Entry, Evidence

PAIRING = "service:pairing"


def by_ruling(entry: Entry) -> bool:
    """Whether seats were changed by pairing itself, and not by an official (C9.2)."""
    return entry.body is not None and entry.body.actor == PAIRING


def ruled(evidence: Evidence, entry: Entry, overridden: Any) -> bool | None:
    """Whether the record that is named as the cause upholds an appeal and says these seats; None where it is not in the file."""
    cause = entry.body.cause if entry.body is not None else None
    if cause is None:
        return False
    records = evidence.subjects.get(cause.subject)
    if records is None:
        return None
    seats = {one.table: tuple(one.entrants) for one in overridden.tables}
    return any(
        remedy.reseat_round.round == overridden.round
        and all(seats.get(one.table) == tuple(one.entrants) for one in remedy.reseat_round.tables)
        for record in records
        if record.version == cause.version
        for event in record.events
        if event.kind == "appeal_decided" and event.message.upheld
        for remedy in event.message.remedies
        if remedy.HasField("reseat_round")
    )
