"""Whether whoever acted by an office held it then, and did not play the event, by pairing's records in the file (C9.1 to C9.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from services.domain import Rejected
from services.games.championship import conduct
from services.games.shengji import infringements
from services.ledger.audit.evidence import Entry, Event, Evidence
from services.ledger.audit.report import Tally
from services.ledger.audit.ruled import COMMITTEE, LATE_US
from services.ledger.seats import sat

SERVICE = "service:"


class Act(NamedTuple):
    """Who may do something: holders of `offices`, with `bystander` none of them who plays the event; with `service` a service
    by itself, too."""

    offices: tuple[str, ...]
    bystander: bool = False
    service: bool = False


_ORGANISER = Act(("organiser",))
_RUNNING = Act(("organiser", "chief_referee", "deputy"), service=True)
_HEADS = Act(("chief_referee", "deputy"), bystander=True)
_REFEREES = Act(("chief_referee", "deputy", "referee"), bystander=True)
_ARBITRATOR = Act(("arbitrator",))
_RULING = Act((), bystander=True)
_SERVICE = Act((), service=True)

ACTS: Mapping[str, Mapping[str, Act]] = {
    "pairing": {
        "entrants_imported": _ORGANISER,
        "entrants_import_closed": _ORGANISER,
        "official_appointed": _ORGANISER,
        "official_suspended": Act(("organiser", "chief_referee")),
        "regulations_published": _ORGANISER,
        "venue_confirmed": Act(_REFEREES.offices),
        "conduct_recorded": _REFEREES,
        "ruling_overturned": _HEADS,
        "round_paired": _RUNNING,
        "round_started": _RUNNING,
        "round_closed": _RUNNING,
        "competition_ended": _RUNNING,
        "seating_overridden": _HEADS._replace(service=True),
        "seal_announced": Act(_HEADS.offices),
        "seal_withdrawn": _SERVICE,
        "championship_sealed": Act(_HEADS.offices),
        "fork_decided": Act(("chief_referee",), bystander=True),
    },
    "dealer": {
        "entropy_named": _ORGANISER._replace(service=True),
        "entropy_drawn": _ORGANISER._replace(service=True),
        "board_revealed": Act(_HEADS.offices, service=True),
    },
    "table": {
        "table_paused": _REFEREES,
        "table_resumed": _REFEREES,
        "infringement_recorded": _REFEREES,
        "ruling_made": _REFEREES,
        "seat_replaced": _REFEREES._replace(service=True),
        "seat_confirmed": _SERVICE,
        "board_closed_unfinished": Act(("organiser", *_REFEREES.offices), bystander=True, service=True),
        "board_entered": _REFEREES,
        "infringement_entered": _REFEREES,
        "infringement_lifted": _REFEREES,
        "sheet_entered": _REFEREES,
        "sheet_signed": _REFEREES,
        "signature_refused": _REFEREES,
        "sheet_disputed": _REFEREES,
        "sheet_decided": _HEADS,
        "sheet_confirmed": _REFEREES,
    },
    "scoring": {
        "result_corrected": _RULING,
        "board_voided": _RULING,
        "percent_assigned": _RULING,
        "penalty_set": _RULING,
        "board_superseded": _RULING,
        "match_corrected": _RULING,
        "ruling_recalculated": _RULING,
        "standings_published": _RUNNING,
        "standings_fixed": _SERVICE,
        "standings_reopened": _SERVICE,
    },
    "appeals": {
        "fee_recorded": _ORGANISER,
        "panel_appointed": Act(("organiser", "arbitrator")),
        "conflict_declared": _ARBITRATOR,
        "ballot_cast": _ARBITRATOR,
        "ruling_settled": _HEADS,
    },
}
"""By service and event. By which office a ruling of scoring's is made, it says itself."""

_ONES_OWN = {"ballot_cast": "member", "conflict_declared": "person_id"}
"""What nobody does for another, and the field that says whose it is."""


def check_offices(evidence: Evidence, tally: Tally) -> None:
    """Every act of an official in the file that can be read."""
    officials = _Officials(evidence)
    if not officials.told:
        tally.missing.append("who held which office is not checked: pairing's records are not in this file")
        return
    for service, acts in ACTS.items():
        for _, _, entries in evidence.of(service, play=False):
            for entry in entries:
                for event in entry.events:
                    if event.kind == "sheet":
                        kind = event.message.WhichOneof("kind") or ""
                        event = Event(kind, getattr(event.message, kind, None))
                    if event.kind in acts and (act := _by(entry, event, acts[event.kind])):
                        tally.done += 1
                        for code, detail in officials.objections(entry, event, act):
                            tally.wrong(
                                entry.stored.subject, entry.version, entry.stored.sequence, code, detail
                            )


def _by(entry: Entry, event: Event, act: Act) -> Act | None:
    """Who may do what this event says; None where it is done for oneself, by no office."""
    message = event.message
    match event.kind:
        case "sheet_signed" | "sheet_disputed" if message.person == entry.actor:
            return None
        case "ruling_made" if message.overturns:
            return _HEADS
        case "round_paired" if message.basis == "playoff":
            return _HEADS
        case "seat_replaced" if message.sits_at:
            return _SERVICE
        case "championship_sealed" if message.announcement:  # by an official, as that says
            return _SERVICE
        case _ if act is _RULING:
            by = message.authority.by
            return _SERVICE if by == COMMITTEE else Act((by,) if by in _HEADS.offices else (), True)
    return act


@dataclass(slots=True)
class _Tenure:
    """An office that somebody was given in one record of pairing's, and lost in another one."""

    office: str
    since: Entry
    until: Entry | None = None


class _Officials:
    """Who held which office when, and who plays since when."""

    def __init__(self, evidence: Evidence) -> None:
        self.told = False
        """Whether the file holds the log that says so."""
        self._held: dict[str, list[_Tenure]] = {}
        self._plays: dict[str, Entry] = {}
        imports: dict[str, list[str]] = {}
        for entry, event in evidence.events("pairing"):
            message = event.message
            match event.kind:
                case "championship_created":
                    self.told = True
                    self._appoint(entry, message.organiser, "organiser")
                case "official_appointed":
                    self._appoint(entry, message.person_id, message.role)
                case "official_suspended":
                    for one in self._held.get(message.person_id, ()):
                        if one.office == message.role and one.until is None:
                            one.until = entry
                case "entrants_imported":
                    people = (member.person_id for one in message.entrants for member in one.members)
                    imports.setdefault(message.import_id, []).extend(people)
                case "entrants_import_closed":
                    self._play(entry, imports.pop(message.import_id, ()))
        for _, _, entries in evidence.of("table", play=False):
            for entry in entries:
                self._play(entry, sat(entry, () if entry.sealed else entry.events))

    def _appoint(self, entry: Entry, person: str, office: str) -> None:
        self._held.setdefault(person, []).append(_Tenure(office, entry))

    def _play(self, entry: Entry, people: Any) -> None:
        for person in people:
            known = self._plays.get(person)
            if known is None or entry.time_us < known.time_us:
                self._plays[person] = entry

    def _tenures(self, person: str, act: Act, entry: Entry) -> list[_Tenure]:
        """Offices that let a person do something, which it may have held when a record was written."""
        return [one for one in self._held.get(person, ()) if one.office in act.offices and _held(one, entry)]

    def objections(self, entry: Entry, event: Event, act: Act) -> Iterator[tuple[str, str]]:
        """What speaks against the actor of an event: codes and sentences."""
        kind, actor = event.kind, entry.actor
        if kind in ("conduct_recorded", "infringement_recorded") and (wrong := _uncatalogued(event)):
            yield "NOT_IN_CATALOGUE", wrong
        if kind in _ONES_OWN and getattr(event.message, _ONES_OWN[kind]) != actor:
            yield (
                "OTHER_ACTOR",
                f"{kind} of {getattr(event.message, _ONES_OWN[kind])} was recorded by {actor}",
            )
        if kind == "panel_appointed":
            for person in (one.person_id for one in (*event.message.members, *event.message.reserves)):
                if not self._tenures(person, _ARBITRATOR, entry):
                    yield "NOT_IN_OFFICE", f"{kind} with {person}, who was no arbitrator then (C10.3)"
        if actor.startswith(SERVICE):
            if not act.service:
                yield "NOT_IN_OFFICE", f"{kind} by {actor}, and no service does that"
            return
        tenures = self._tenures(actor, act, entry)
        if not act.offices:
            yield "NOT_IN_OFFICE", f"{kind} by {actor}, and only a service does that"
        elif not tenures:
            offices = ", ".join(act.offices)
            yield "NOT_IN_OFFICE", f"{kind} by {actor}, who was none of {offices} then (C9.1)"
        else:
            if not _given(entry, tenures):
                yield (
                    "OTHER_AUTHORITY",
                    f"{kind} by {actor} names as its authority what gave no such office (C9.4)",
                )
            since = self._plays.get(actor)
            if act.bystander and since is not None and _before(since, entry):
                yield "PLAYS_THE_EVENT", f"{kind} by {actor}, who plays the event (C9.2)"


def _uncatalogued(event: Event) -> str:
    """Why what a referee recorded is nothing of the catalogues (C11.1, S10); empty if it is."""
    recorded = event.message
    try:
        if recorded.code.startswith("S10."):
            infringements.find(recorded.code)
        else:
            conduct.check(recorded.code)
        conduct.check_outcome(recorded.outcome, getattr(recorded, "fine", 0))
    except Rejected as refused:
        return f"{event.kind} of {recorded.code}, {recorded.outcome}: {refused.detail}"
    return ""


def _held(tenure: _Tenure, entry: Entry) -> bool:
    """Whether an office may have been held when a record was written."""
    ended = tenure.until is not None and _before(tenure.until, entry)
    return not ended and not _before(entry, tenure.since)


def _given(entry: Entry, tenures: list[_Tenure]) -> bool:
    """Whether the authority that a record names, if any, gave one of the offices."""
    return entry.authority in ("", *(f"{one.since.stored.subject}@{one.since.version}" for one in tenures))


def _before(one: Entry, other: Entry) -> bool:
    """Whether a record was written before another one, for certain."""
    if one.stored.subject == other.stored.subject:
        return one.version < other.version
    return one.time_us + LATE_US < other.time_us
