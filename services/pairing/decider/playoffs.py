"""When a shared rank may be played off (C4.5), and what that makes of a championship."""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Meta, Rejected
from services.games.championship.contest import BY_POINTS
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.digests import seating_digest
from services.pairing.model.events import Event
from services.pairing.model.state import Championship

BASIS = "playoff"


def due(state: Championship) -> int:
    """The number of the next play-off: rounds after the last that the event has. Raises Rejected while none may be ordered."""
    settings = state.settings
    assert settings is not None
    if settings.format in BY_POINTS:
        detail = f"no rank is shared in the format {settings.format}: the entrant number decides last"
        raise Rejected("PLAYOFF_NOT_IN_FORMAT", "C8.5", detail)
    if settings.real_cards:
        raise Rejected("PLAYOFF_NOT_IN_FORMAT", "C1.3", "house AI sits at no table with real cards")
    if not state.ended_us:
        raise Rejected("COMPETITION_RUNNING", "C4.5", "ranks are played off once the competition has ended")
    newest = state.newest
    if newest is not None and not newest.closed_us:
        raise Rejected("ROUND_RUNNING", "C4.5", f"round {newest.number} is {newest.phase}; close it first")
    return 1 + max(settings.rounds, newest.number if newest else 0)


def decide(state: Championship, command: c.OrderPlayoff, meta: Meta) -> Sequence[Event]:
    """The play-off's tables, and that they count. Raises Rejected."""
    if not command.reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
    number = due(state)
    if number != command.round:
        raise Rejected("WRONG_ROUND", "C4.5", f"the next play-off is round {number}")
    playing = {entrant for one in command.tables for entrant in one.entrants if entrant}
    if playing & state.withdrawn or not state.withdrawn.issuperset(command.absent):
        raise Rejected("SEATING_OVERTAKEN", "C4.5", "somebody has withdrawn meanwhile; order it again")
    if len(playing) < 2:
        detail = f"fewer than two of those who share rank {command.rank} play on: they go on sharing it"
        raise Rejected("NOBODY_TO_PLAY_OFF", "C4.5", detail)
    return [
        e.RoundSeated(number, 0, command.tables),
        e.RoundPaired(
            number,
            len(command.tables),
            seating_digest(command.tables),
            BASIS,
            command.publication,
            command.standings_digest,
            command.deals_batch,
            command.deals_root,
            command.absent,
            command.rank,
            command.reason,
        ),
    ]
