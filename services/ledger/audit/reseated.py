"""Seats that pairing changed by itself: a committee must have ruled them (C10.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.ledger.audit.evidence import Entry, Evidence, parse_subject

PAIRING = "service:pairing"

Seated = tuple[str, int, tuple[int, ...], tuple[int, ...]]
"""Id, group, entrants and members by seat."""


def by_ruling(entry: Entry) -> bool:
    """Whether seats were changed by pairing itself, and not by an official (C9.2)."""
    return entry.actor == PAIRING


def appeal_of(entry: Entry) -> str:
    """The appeal that is named as the cause."""
    return parse_subject(entry.cause.subject).id if entry.cause is not None else ""


def ruled(
    evidence: Evidence, entry: Entry, round_: int, before: Sequence[Seated], after: Sequence[Seated]
) -> bool | None:
    """Whether the record that is named as the cause upholds an appeal and makes of the seats `before` those `after`; None where it
    is not in the file."""
    cause = entry.cause
    if cause is None:
        return False
    records = evidence.subjects.get(cause.subject)
    if records is None:
        return None
    return any(
        remedy.reseat_round.round == round_ and _exchanged(before, remedy.reseat_round) == list(after)
        for record in records
        if record.version == cause.version
        for event in record.events
        if event.kind == "appeal_decided" and event.message.upheld
        for remedy in event.message.remedies
        if remedy.HasField("reseat_round")
    )


def _exchanged(before: Sequence[Seated], remedy: Any) -> list[Seated]:
    """A round's tables with those that a remedy names seated as it says."""
    named = {one.table: tuple(one.entrants) for one in remedy.tables}
    return [(table, group, named.get(table, who), members) for table, group, who, members in before]
