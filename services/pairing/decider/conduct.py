"""Conduct that a referee records at no table: after play, of officials, of spectators (C11.1)."""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Meta, Rejected
from services.games.championship import conduct
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.state import Championship


def decide(state: Championship, command: c.RecordConduct, meta: Meta) -> Sequence[e.Event]:
    """ConductRecorded of whom the row of the catalogue is about. Raises Rejected."""
    if not command.reason_digest:
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
    conduct.check(command.code)
    conduct.check_outcome(command.outcome, 0)
    if command.round and state.round(command.round) is None:
        raise Rejected("NO_SUCH_ROUND", "C1.1", f"round {command.round} does not exist yet")
    _check_who(state, command)
    return [
        e.ConductRecorded(
            command.code,
            command.outcome,
            "",
            command.entrant,
            command.person_id,
            command.round,
            command.reason_digest,
        )
    ]


def _check_who(state: Championship, command: c.RecordConduct) -> None:
    """A player is its entrant's, an official one of this event, and a spectator neither."""
    entrant, person = command.entrant, command.person_id
    who = conduct.CATALOGUE[command.code].who
    if entrant and entrant not in state.entrants:
        raise Rejected("NO_SUCH_ENTRANT", "C1.2", f"there is no entrant {entrant}")
    if who == "player" and not entrant:
        raise Rejected("WHO_MISSING", "C11.1", f"{command.code} is of players; name the entrant")
    if who == "referee" and (entrant or not person):
        raise Rejected("WHO_MISSING", "C11.1", f"{command.code} is of referees; name the official")
    if who == "spectator" and (entrant or person):
        raise Rejected(
            "WHO_MISSING", "C11.1", f"{command.code} is of spectators, who are nobody of the event"
        )
    if person and entrant and state.persons.get(person) != entrant:
        raise Rejected("NO_SUCH_PERSON", "C11.1", f"{person} is not of entrant {entrant}")
    if person and not entrant and person not in _officials(state):
        raise Rejected("NO_SUCH_PERSON", "C11.1", f"{person} is not an official of this event")


def _officials(state: Championship) -> frozenset[str]:
    """Whoever holds or held an office."""
    return state.commissioned | {state.organiser}
