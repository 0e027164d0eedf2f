"""Whether scoring carried out what committees ruled, and nobody changed that afterwards (C10.6, C10.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from services.ledger.audit.evidence import Entry, Event, Evidence
from services.ledger.audit.report import Tally

COMMITTEE = "arbitration"

REMEDY_OF: Mapping[str, str] = {
    "result_corrected": "correct_result",
    "board_voided": "void_board",
    "percent_assigned": "assign_percent",
    "penalty_set": "set_penalty",
    "board_superseded": "replay_board",
    "match_corrected": "correct_match",
}
"""Scoring's rulings by kind, and the remedies that they carry out."""


def upheld(evidence: Evidence) -> dict[str, Any]:
    """The decisions of the appeals that were upheld, by appeal."""
    return {
        subject.id: event.message
        for _, subject, entries in evidence.of("appeals")
        for entry in entries
        for event in entry.events
        if event.kind == "appeal_decided" and event.message.upheld
    }


def no_appeal(evidence: Evidence, tally: Tally, entry: Entry, appeal: str) -> None:
    """A record names an appeal that is not in the file: one of a whole championship holds every appeal there was."""
    detail = f"appeal {appeal} is not in this file"
    if evidence.entire:
        tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, "NO_APPEAL", detail)
    else:
        tally.missing.append(detail)


def carries_out(event: Event, remedies: Iterable[Any]) -> bool:
    """Whether a ruling is one of an appeal's remedies. A board may be played again at more tables than the one named: in both rooms
    of a match, and where a table plays a board again already, at the first one."""
    kind = REMEDY_OF[event.kind]
    said = [getattr(remedy, kind) for remedy in remedies if remedy.HasField(kind)]
    if kind == "replay_board":
        at = event.message.round, event.message.board
        return any((one.round, one.board) == at for one in said)
    return any(_told(one) == _told(event.message) for one in said)


def _told(message: Any) -> dict[str, Any]:
    """What a ruling or a remedy says, but for its authority."""
    return {
        field.name: tuple(value) if field.is_repeated else value
        for field, value in message.ListFields()
        if field.name != "authority"
    }


class Final:
    """What committees have ruled so far, by what it is about."""

    def __init__(self) -> None:
        self._ruled: dict[tuple[Any, ...], Event] = {}

    def broken(self, event: Event) -> str:
        """The appeal whose ruling the next one changes, empty if none; a board that was to be played again may be so once more."""
        about, authority = _about(event), event.message.authority
        final = self._ruled.get(about)
        if authority.by == COMMITTEE:
            self._ruled[about] = event
        if final is None or final.message.authority.appeal == authority.appeal:
            return ""
        again = event.kind == final.kind == "board_superseded"
        if again and event.message.attempt >= final.message.by_attempt:
            return ""
        return str(final.message.authority.appeal)


def _about(event: Event) -> tuple[Any, ...]:
    message = event.message
    match event.kind:
        case "percent_assigned":
            return "entrant", message.entrant, message.round, message.board
        case "penalty_set":
            return "penalty", message.penalty
        case "match_corrected":
            return "match", message.round, message.table
        case _:
            return "table", message.round, message.board, message.table
