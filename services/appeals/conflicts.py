"""Who may not sit on a panel (C10.3), read off the event's entrants and seats."""

from __future__ import annotations

from collections.abc import Collection

from services.appeals.model import events as e
from services.directory import Championship, Table


def conflicts(
    known: Championship, filed: e.AppealFiled, person: str, substituted: Collection[tuple[int, str]]
) -> list[str]:
    """Why `person` may not judge this appeal; empty when it may.

    `substituted`: round and table of the seats that it was given in an entrant's place (C1.6).
    """
    concerned = parties(known, filed)
    own = known.entrant_of.get(person)
    found = []
    if own is not None and own in concerned:
        found.append("is a party")
    rounds = _rounds(filed)
    seated = any(own in known.rounds[one].table_of for one in rounds if one in known.rounds)
    if seated or any(round_ in rounds for round_, _ in substituted):
        found.append("played the contested board")
    met = own is not None and _met(known, own, concerned)
    if met or any(concerned.intersection(seated_at(known, *place)) for place in substituted):
        found.append("played at a table with a party")
    if _units(known, person) & _party_units(known, concerned):
        found.append("shares a unit with a party")
    return found


def parties(known: Championship, filed: e.AppealFiled) -> frozenset[int]:
    """The appellant, everybody at a table that is contested or that a remedy is asked for, and whom a remedy names."""
    concerned = {filed.entrant}
    for one in (e.board_of(filed.contested), *filed.sought):
        match one:
            case e.ContestedBoard() | e.CorrectResult() | e.VoidBoard() | e.ReplayBoard() | e.CorrectMatch():
                concerned.update(seated_at(known, one.round, one.table))
            case e.AssignPercent() | e.SetPenalty():
                concerned.add(one.entrant)
            case e.ReseatRound():
                concerned.update(number for table in one.tables for number in table.entrants)
    return frozenset(concerned - {0})


def _rounds(filed: e.AppealFiled) -> frozenset[int]:
    """Rounds of the boards that are contested, or that a remedy is asked for: who was seated in one played its boards."""
    boards = e.ContestedBoard | e.CorrectResult | e.VoidBoard | e.AssignPercent | e.ReplayBoard
    places = (e.board_of(filed.contested), *filed.sought)
    return frozenset(one.round for one in places if isinstance(one, boards))


def _met(known: Championship, own: int, concerned: frozenset[int]) -> bool:
    for played in known.rounds.values():
        table = played.table_of.get(own)
        if table is not None and concerned.difference({own}).intersection(played.tables[table].entrants):
            return True
    return False


def seated_at(known: Championship, round_: int, table: str) -> tuple[int, ...]:
    """Who plays at a table, of a replay too."""
    found = _table(known, round_, table)
    return () if found is None else found.entrants


def sits_at(known: Championship, person: str, round_: int, table: str) -> bool:
    """Whether a person is seated at a table, of a replay too: a team has two members there, and two in its other room (C7.2)."""
    found = _table(known, round_, table)
    if found is None or not person:
        return False
    return person in (known.person_at(found, seat) for seat in range(len(found.entrants)))


def _table(known: Championship, round_: int, table: str) -> Table | None:
    played, replay = known.rounds.get(round_), known.replays.get(table)
    found = played.tables.get(table) if played else None
    return replay.table if found is None and replay is not None else found


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
