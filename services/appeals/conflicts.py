"""Who may not sit on a panel (C10.3), read off the event's entrants and seats."""

from __future__ import annotations

from services.appeals import model as m
from services.directory import Championship


def conflicts(known: Championship, filed: m.AppealFiled, person: str) -> list[str]:
    """Why `person` may not judge this appeal; empty when it may."""
    concerned = parties(known, filed)
    own = known.entrant_of.get(person)
    found = []
    if own is not None and own in concerned:
        found.append("is a party")
    if own is not None and isinstance(filed.contested, m.ContestedBoard):
        contested = known.rounds.get(filed.contested.round)
        if contested is not None and own in contested.table_of:
            found.append("played the contested board")
    if own is not None and _met(known, own, concerned):
        found.append("played at a table with a party")
    if _units(known, person) & _party_units(known, concerned):
        found.append("shares a unit with a party")
    return found


def parties(known: Championship, filed: m.AppealFiled) -> frozenset[int]:
    """The appellant, and everybody at the contested table."""
    concerned = {filed.entrant}
    if isinstance(filed.contested, m.ContestedBoard):
        contested = known.rounds.get(filed.contested.round)
        table = contested.tables.get(filed.contested.table) if contested else None
        concerned.update(number for number in (table.entrants if table else ()) if number)
    return frozenset(concerned)


def _met(known: Championship, own: int, concerned: frozenset[int]) -> bool:
    for played in known.rounds.values():
        table = played.table_of.get(own)
        if table is not None and concerned.difference({own}).intersection(played.tables[table].entrants):
            return True
    return False


def _units(known: Championship, person: str) -> set[str]:
    units = {official.unit_id for official in known.officials.values() if official.person_id == person}
    own = known.entrant_of.get(person)
    if own is not None:
        units |= {member.unit_id for member in known.entrants[own].members if member.person_id == person}
    return units - {""}


def _party_units(known: Championship, concerned: frozenset[int]) -> set[str]:
    return {
        member.unit_id
        for number in concerned
        if number in known.entrants
        for member in known.entrants[number].members
    } - {""}
