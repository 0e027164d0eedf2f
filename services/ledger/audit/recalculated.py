"""Arithmetic of committees' rulings that was put right: worked out over again (C9.2, C10.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from services.domain import Rejected
from services.games.championship import arithmetic
from services.games.championship import contest as c
from services.games.championship import results as r
from services.ledger.audit.evidence import Event

Ruling = r.Ruling | c.Match
"""A match ruled on replaces what its table said."""

OFFICES = ("chief_referee", "deputy")
WHOLE = 1000
"""Tenths of a percent that can be had."""


def refigured(rulings: Sequence[Ruling], recalculated: Any) -> Ruling:
    """The ruling that is meant, with its new figures, as the next of all rulings. Raises Rejected for one that has none."""
    number, figures = len(rulings) + 1, tuple(recalculated.figures)
    ruled = rulings[recalculated.ruling - 1] if 0 < recalculated.ruling < number else None
    match ruled:
        case r.Corrected():
            return replace(ruled, number=number, scores=figures)
        case r.Voided():
            return replace(ruled, number=number, tenths=figures)
        case r.Assigned() | r.Penalised() if len(figures) == 1:
            return replace(ruled, number=number, tenths=figures[0])
    raise Rejected("NOT_ARITHMETIC", "C10.7", f"ruling {recalculated.ruling} has no such figures")


def objection(ruled: Sequence[Event], recalculated: Any) -> str:
    """What is wrong with putting the arithmetic of one of the rulings so far right; empty if nothing is."""
    if not 0 < recalculated.ruling <= len(ruled):
        return f"there is no ruling {recalculated.ruling}"
    event, authority = ruled[recalculated.ruling - 1], recalculated.authority
    committee = event.kind != "ruling_recalculated" and event.message.authority.by == "arbitration"
    if not committee or event.message.authority.appeal != authority.appeal or authority.by not in OFFICES:
        return f"ruling {recalculated.ruling} is no committee's in appeal {authority.appeal}, or not the referee's to work out"
    try:
        figures = _worked(event, recalculated.working)
    except Rejected as refused:
        return f"ruling {recalculated.ruling} worked out anew: {refused}"
    told = tuple(recalculated.figures)
    if figures != told:
        return f"the workings of ruling {recalculated.ruling} do not come to {told}"
    sound = sum(told) == 0 if event.kind == "result_corrected" else max(told) <= WHOLE
    return (
        ""
        if sound
        else f"ruling {recalculated.ruling} cannot come to {told}: scores sum to zero, 100 % is all there is"
    )


def _worked(event: Event, working: Sequence[str]) -> tuple[int, ...]:
    message = event.message
    match event.kind:
        case "result_corrected":
            return arithmetic.scores(message.scores, working)
        case "board_voided":
            return arithmetic.shares(message.tenths, working)
        case "percent_assigned":
            return arithmetic.shares((message.tenths,), working)
        case "penalty_set":
            return arithmetic.percents((message.tenths,), working)
    raise Rejected("NOT_ARITHMETIC", "C10.7", "there are no figures in it")
