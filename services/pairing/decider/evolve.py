"""What a championship becomes (C1, C6, C9)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from services.domain import Meta
from services.pairing import model as m
from services.pairing.model import Championship, Event, Round


def evolve(state: Championship, event: Event, meta: Meta) -> Championship:
    """The championship after one event."""
    match event:
        case m.ChampionshipCreated():
            return replace(
                state,
                settings=event.settings,
                organiser=event.organiser,
                epoch=event.epoch,
                created_us=meta.time_us,
                officials=(m.OfficialAppointed(event.organiser, "organiser", ""),),
            )
        case m.EntrantsImported():
            chunks = (*state.chunks_of(event.import_id), event.entrants)
            others = tuple(one for one in state.imports if one[0] != event.import_id)
            return replace(state, imports=(*others, (event.import_id, chunks)))
        case m.EntrantsImportClosed():
            return _enter(state, event.import_id)
        case m.EntrantWithdrawn():
            return replace(state, withdrawn=state.withdrawn | {event.entrant})
        case m.OfficialAppointed():
            return replace(state, officials=(*state.officials, event))
        case m.OfficialSuspended():
            kept = tuple(o for o in state.officials if (o.person_id, o.role) != (event.person_id, event.role))
            return replace(state, officials=kept)
        case m.RegulationsPublished():
            return replace(state, regulations=event.version)
        case m.RegistrationClosed():
            return replace(state, registration=event, registered=state.active())
        case m.CompetitionEnded():
            return replace(state, ended_us=meta.time_us)
        case m.ChampionshipSealed():
            return replace(state, seal=event)
        case m.VenueConfirmed():
            return replace(state, venue=event)
        case m.PersonErased():
            return replace(state, erased=state.erased | {event.person_id})
        case m.ForkDecided():
            return state
        case m.ReplaySeated():
            return replace(state, replays=(*state.replays, event))
        case m.BoardReplayed():
            return replace(state, replayed=state.replayed | {event.table})
        case _:
            return _evolve_round(state, event, meta)


def _evolve_round(state: Championship, event: Any, meta: Meta) -> Championship:
    current = state.round(event.round) or Round(event.round)
    match event:
        case m.RoundSeated():
            chunks = (event.tables,) if event.chunk == 0 else (*current.chunks, event.tables)
            changed = replace(current, chunks=chunks)
        case m.RoundPaired():
            tables = tuple(one for chunk in current.chunks for one in chunk)
            changed = replace(current, chunks=(), tables=tables, paired=tables, pairing=event)
        case m.SeatingOverridden():
            changed = replace(current, tables=event.tables)
        case m.RoundStarted():
            changed = replace(current, started_us=meta.time_us, board_deadline_us=event.board_deadline_us)
        case m.RoundClosed():
            changed = replace(current, closed_us=meta.time_us)
        case _:
            return state
    rounds = list(state.rounds)
    rounds[event.round - 1 : event.round] = [changed]
    return replace(state, rounds=tuple(rounds))


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


def _persons(entrants: Iterable[m.Entrant]) -> dict[str, int]:
    return {member.person_id: entrant.number for entrant in entrants for member in entrant.members}
