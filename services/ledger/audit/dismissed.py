"""Whether what an appeal or its panel gave way to was there before: a ruling on the same thing, or another panel (C10.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from services.games.championship.tables import POINTS
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.report import Tally
from services.ledger.audit.ruled import About, about_of, no_appeal, seats_of

Seats = Mapping[tuple[int, str], tuple[int, ...]]


def check_dismissed(evidence: Evidence, tally: Tally) -> None:
    """Every appeal in the file that was dismissed, every panel that was dissolved for another."""
    filed: dict[str, Any] = {}
    since: dict[tuple[str, str], int] = {}
    """By appeal and what happened in it, the first record; all appeals are of one stream."""
    gave_way: list[tuple[Entry, str, str, str]] = []
    for _, subject, entries in evidence.of("appeals"):
        for entry in entries:
            for kind, message in entry.events:
                since.setdefault((subject.id, kind), entry.stored.sequence)
                match kind:
                    case "appeal_filed":
                        filed.setdefault(subject.id, message)
                    case "appeal_dismissed":
                        gave_way.append((entry, subject.id, message.ruled_in, "appeal_decided"))
                    case "panel_dissolved":
                        gave_way.append((entry, subject.id, message.judged_in, "panel_appointed"))
    if not gave_way:
        return
    seats = seats_of(evidence)
    points = any(
        event.kind == "championship_created" and event.message.settings.format == POINTS
        for _, event in evidence.events("pairing")
    )
    for entry, appeal, other, kind in gave_way:
        if other not in filed:
            no_appeal(evidence, tally, entry, other)
            continue
        own, theirs = (_about(filed.get(one), seats, points) for one in (appeal, other))
        if other == appeal or since.get((other, kind), entry.stored.sequence) >= entry.stored.sequence:
            detail = (
                f"appeal {appeal} gave way to {other}, in which nothing was ruled or judged before (C10.7)"
            )
        elif seats and not own & theirs:
            detail = f"appeal {appeal} gave way to {other}, which is about something else (C10.7)"
        else:
            continue
        tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, "OTHER_RULING", detail)


def _about(filed: Any, seats: Seats, points: bool) -> frozenset[About]:
    """All that an appeal is about, in whatever words; of a match of many deals any of them."""
    if filed is None:
        return frozenset()
    found = {one for one in about_of(filed, filed.sought, seats) if points or one[0] != "match"}
    match filed.contested.WhichOneof("kind"):
        case "ruling":
            found.add(("ruling", filed.contested.ruling.ruling))
        case "pairing":
            found.add(("pairing", filed.contested.pairing.round))
    found.update(("pairing", one.reseat_round.round) for one in filed.sought if one.HasField("reseat_round"))
    return frozenset(found)
