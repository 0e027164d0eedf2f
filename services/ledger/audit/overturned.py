"""Whether a referee's ruling was still the chief referee's to overturn: once, at its table or after its round, and what a committee
has ruled on stays (C9.2, C10.7)."""

from __future__ import annotations

from services.ledger.audit.evidence import Evidence
from services.ledger.audit.report import Tally
from services.ledger.audit.ruled import LATE_US

_OVERTURNING = ("ruling_made", "ruling_overturned")


def check_overturned(evidence: Evidence, tally: Tally) -> None:
    """Every overturning in the file that can be read: at tables, and after their rounds; each ruling falls once."""
    judged, fallen = _judged(evidence), dict[str, str]()
    for service in ("table", "pairing"):
        for entry, event in evidence.events(service, play=False):
            if event.kind not in _OVERTURNING or not event.message.overturns:
                continue
            tally.done += 1
            ruling, at = event.message.overturns, entry.stored
            first = fallen.setdefault(ruling, event.message.ruling)
            if first != event.message.ruling:
                detail = f"overturns {ruling}, which ruling {first} had overturned"
                tally.wrong(at.subject, entry.version, at.sequence, "OVERTURNED_TWICE", detail)
            appeal, decided_us = judged.get(ruling, ("", 0))
            if appeal and entry.time_us > decided_us + LATE_US:
                detail = f"overturns {ruling}, on which the committee ruled in appeal {appeal}"
                tally.wrong(at.subject, entry.version, at.sequence, "RULING_FINAL", detail)


def _judged(evidence: Evidence) -> dict[str, tuple[str, int]]:
    """By contested ruling of a referee, the appeal in which a committee ruled on it, and when."""
    judged: dict[str, tuple[str, int]] = {}
    for _, subject, entries in evidence.of("appeals"):
        contested = ""
        for entry in entries:
            for event in entry.events:
                if event.kind == "appeal_filed":
                    contested = event.message.contested.ruling.ruling
                elif event.kind == "appeal_decided" and contested:
                    judged.setdefault(contested, (subject.id, entry.time_us))
    return judged
