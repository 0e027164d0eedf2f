"""What a championship may do next, and what it becomes. Pure: time and ids come in with the command."""

from services.pairing.decider.decisions import (
    check_entry,
    check_turn,
    decide,
    initial,
    too_many_seats,
)
from services.pairing.decider.evolve import evolve
from services.pairing.decider.playoffs import due as playoff_due
from services.pairing.decider.replays import check_free
from services.pairing.decider.sealing import check_window

__all__ = [
    "check_entry",
    "check_free",
    "check_turn",
    "check_window",
    "decide",
    "evolve",
    "initial",
    "playoff_due",
    "too_many_seats",
]
