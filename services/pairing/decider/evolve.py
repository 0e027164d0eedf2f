"""What a championship becomes (C1, C6, C9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from services.domain import Meta
from services.pairing.model import events as e
from services.pairing.model.digests import conduct_name
from services.pairing.model.events import Event
from services.pairing.model.state import (
    SERVICE,
    Again,
    Championship,
    Conduct,
    Regulations,
    Round,
    SeatsChanged,
)

K = TypeVar("K")
V = TypeVar("V")


def evolve(state: Championship, event: Event, meta: Meta) -> Championship:
    """The championship after one event."""
    match event:
        case e.ChampionshipCreated():
            return replace(
                state,
                settings=event.settings,
                organiser=event.organiser,
                epoch=event.epoch,
                created_us=meta.time_us,
                officials=(e.OfficialAppointed(event.organiser, "organiser", ""),),
            )
        case e.EntrantsImported():
            chunks = (*state.chunks_of(event.import_id), event.entrants)
            others = tuple(one for one in state.imports if one[0] != event.import_id)
            return replace(state, imports=(*others, (event.import_id, chunks)))
        case e.EntrantsImportClosed():
            return _enter(state, event.import_id)
        case e.EntrantWithdrawn():
            return replace(state, withdrawn=state.withdrawn | {event.entrant})
        case e.OfficialAppointed():
            commissioned = state.commissioned | {event.person_id}
            return replace(state, officials=(*state.officials, event), commissioned=commissioned)
        case e.OfficialSuspended():
            kept = tuple(o for o in state.officials if (o.person_id, o.role) != (event.person_id, event.role))
            return replace(state, officials=kept)
        case e.RegulationsPublished():
            published = Regulations(event, meta.actor, meta.time_us)
            return replace(state, regulations=(*state.regulations, published))
        case e.RegistrationClosed():
            return replace(state, registration=event, registered=state.active())
        case e.CompetitionEnded():
            return replace(state, ended_us=meta.time_us)
        case e.SealAnnounced():
            return replace(state, announced=event.number)
        case e.SealWithdrawn():
            return replace(state, seals_withdrawn=(*state.seals_withdrawn, event))
        case e.ChampionshipSealed():
            return replace(state, seal=event)
        case e.VenueConfirmed():
            return replace(state, venue=event)
        case e.PersonErased():
            said = state.said_of(event.person_id)
            conduct = (replace(one, erased=True) if one in said else one for one in state.conduct)
            return replace(state, erased=state.erased | {event.person_id}, conduct=tuple(conduct))
        case e.ConductRecorded():
            recorded = Conduct(event, meta.actor, meta.time_us, conduct_name(meta.actor, meta.command_id))
            return replace(state, conduct=(*state.conduct, recorded))
        case e.RulingOverturned():
            return replace(state, overturned=state.overturned | {event.overturns})
        case e.ForkDecided() | e.ReseatingRefused():
            return state
        case e.ReplaySeated():
            return _again(state, event)
        case e.BoardReplayed():
            deal = state.replays[event.table]
            again = replace(state.again[deal], closed=state.again[deal].closed + 1)
            return replace(
                state,
                again=_with(state.again, deal, again),
                replayed=state.replayed | {event.table},
                replayed_us=meta.time_us,
            )
        case _:
            return _evolve_round(state, event, meta)


def _again(state: Championship, event: e.ReplaySeated) -> Championship:
    deal = event.round, event.board, event.attempt
    before = state.again.get(deal) or Again(event.tables or 1)
    again = replace(before, seated=(*before.seated, event.table))
    return replace(
        state,
        again=_with(state.again, deal, again),
        replays=_with(state.replays, event.table.table, deal),
    )


def _with(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    assert isinstance(mapping, MappingProxyType)  # copied at once, not key by key
    return MappingProxyType(mapping | {key: value})


def _evolve_round(state: Championship, event: Any, meta: Meta) -> Championship:
    current = state.round(event.round) or Round(event.round)
    match event:
        case e.RoundSeated():
            chunks = (event.tables,) if event.chunk == 0 else (*current.chunks, event.tables)
            changed = replace(current, chunks=chunks)
        case e.RoundPaired():
            tables = tuple(one for chunk in current.chunks for one in chunk)
            changed = replace(current, chunks=(), tables=tables, paired=tables, pairing=event)
        case e.SeatingOverridden():
            seated = set(event.tables).difference(current.tables) if meta.actor == SERVICE else ()
            ruled = current.ruled.union(one.table for one in seated)
            before = tuple(one for one in current.tables if one not in event.tables)
            change = SeatsChanged(meta.time_us, event.reason, before, meta.actor == SERVICE)
            changes = (*current.changes, change)
            changed = replace(current, tables=event.tables, ruled=ruled, changes=changes)
        case e.SeatsConfirmed():
            changed = replace(current, ruled=current.ruled.union(event.tables))
        case e.RoundStarted():
            changed = replace(current, started_us=meta.time_us, board_deadline_us=event.board_deadline_us)
        case e.RoundClosed():
            changed = replace(current, closed_us=meta.time_us)
        case _:
            return state
    others = (one for one in state.rounds if one.number != event.round)
    return replace(state, rounds=tuple(sorted((*others, changed), key=lambda one: one.number)))


def _enter(state: Championship, import_id: str) -> Championship:
    new = [entrant for chunk in state.chunks_of(import_id) for entrant in chunk]
    entrants = {**state.entrants, **{entrant.number: entrant for entrant in new}}
    persons = {**state.persons, **_persons(new)}
    return replace(
        state,
        entrants=MappingProxyType(entrants),
        persons=MappingProxyType(persons),
        imports=tuple(one for one in state.imports if one[0] != import_id),
        imported=state.imported | {import_id},
    )


def _persons(entrants: Iterable[e.Entrant]) -> dict[str, int]:
    return {member.person_id: entrant.number for entrant in entrants for member in entrant.members}
