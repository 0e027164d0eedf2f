"""What scoring may decide (C2.2, C9.2, C10.6, C10.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.domain import Meta, Rejected
from services.scoring import model as m
from services.scoring.model import Command, Event, Ledger

INITIAL = Ledger()
MAX_TENTHS = 1000
MAX_SCORE = 1_000_000


def initial(subject: str) -> Ledger:
    """A championship about which nothing was decided."""
    return INITIAL


def decide(state: Ledger, command: Command, meta: Meta) -> Sequence[Event]:
    """Events of an accepted command. Raises Rejected."""
    if state.sealed is not None:
        raise Rejected("STANDINGS_SEALED", "C10.8", "the final result is sealed; nothing changes any more")
    match command:
        case m.PublishStandings():
            return _publish(state, command)
        case m.SealStandings():
            return _seal(state, command)
        case _:
            check(state, command)
            return [ruling(command)]


def check(state: Ledger, command: m.Correction) -> None:
    """Whether a correction makes sense in itself and may come from its authority. Raises Rejected."""
    authority = command.authority
    if authority.by not in m.AUTHORITIES:
        raise Rejected("WRONG_AUTHORITY", "C9.2", f"a result is corrected by {' or '.join(m.AUTHORITIES)}")
    if not authority.reason:
        raise Rejected("REASON_MISSING", "C9.4", "every correction states its reason")
    if authority.by != "arbitration" and (ruled := _ruled_by_committee(state, command)):
        raise Rejected("RULING_FINAL", "C10.7", f"the committee's ruling in appeal {ruled} is final")
    match command:
        case m.CorrectResult():
            if sum(command.scores) != 0:
                raise Rejected(
                    "SCORES_NOT_ZERO", "P11.1", f"scores sum to zero, these to {sum(command.scores)}"
                )
            if any(abs(score) > MAX_SCORE for score in command.scores):
                raise Rejected("SCORE_OUT_OF_RANGE", "P11.1", f"a score lies within ±{MAX_SCORE}")
        case m.VoidBoard():
            for tenths in command.tenths:
                _percent(tenths)
        case m.AssignPercent() | m.SetPenalty():
            _percent(command.tenths)
        case _:
            pass


def _percent(tenths: int) -> None:
    if not 0 <= tenths <= MAX_TENTHS:
        raise Rejected("PERCENT_OUT_OF_RANGE", "C2.2", "a percentage lies within 0 and 100")


def _ruled_by_committee(state: Ledger, command: m.Correction) -> str:
    """The appeal whose ruling settled what `command` would change, empty if none."""
    for ruled in reversed(state.rulings):
        event = ruled.event
        if event.authority.by == "arbitration" and target(event) == target(ruling(command)):
            return event.authority.appeal
    return ""


def target(event: m.Ruling) -> tuple[object, ...]:
    """What a ruling is about; a later one on the same replaces it."""
    match event:
        case m.PercentAssigned():
            return "entrant", event.entrant, event.round, event.board
        case m.PenaltySet():
            return "penalty", event.penalty
        case _:
            return "table", event.round, event.board, event.table


def ruling(command: m.Correction) -> m.Ruling:
    """The ruling that an accepted correction becomes."""
    c = command
    match c:
        case m.CorrectResult():
            return m.ResultCorrected(c.table, c.round, c.board, c.attempt, c.scores, c.authority)
        case m.VoidBoard():
            return m.BoardVoided(c.table, c.round, c.board, c.attempt, c.tenths, c.authority)
        case m.AssignPercent():
            return m.PercentAssigned(c.entrant, c.round, c.board, c.tenths, c.authority)
        case m.SetPenalty():
            return m.PenaltySet(c.penalty, c.entrant, c.tenths, c.authority)
        case m.SupersedeBoard():
            return m.BoardSuperseded(
                c.table, c.round, c.board, c.attempt, c.by_table, c.by_attempt, c.authority
            )


def _publish(state: Ledger, command: m.PublishStandings) -> Sequence[Event]:
    if command.rulings != len(state.rulings):
        raise Rejected(
            "PUBLICATION_OVERTAKEN", "C10.6", "a ruling came in while these standings were computed"
        )
    if state.publications and command.after_round < state.publications[-1].event.after_round:
        raise Rejected("PUBLICATION_OVERTAKEN", "C6.2", "standings of a later round are published already")
    number = len(state.publications) + 1
    return [
        m.StandingsPublished(
            number, command.after_round, command.cut, command.digest, command.entrants, command.cause
        )
    ]


def _seal(state: Ledger, command: m.SealStandings) -> Sequence[Event]:
    newest = state.publications[-1] if state.publications else None
    if newest is None or newest.event.number != command.publication or state.unpublished:
        raise Rejected(
            "NOT_THE_NEWEST", "C10.8", "only the newest publication, with every ruling in it, is sealed"
        )
    return [m.StandingsSealed(command.publication, newest.event.digest)]


def evolve(state: Ledger, event: Event, meta: Meta) -> Ledger:
    """The decisions after one more."""
    match event:
        case m.StandingsPublished():
            return replace(
                state, publications=(*state.publications, m.Published(meta.version, meta.time_us, event))
            )
        case m.StandingsSealed():
            return replace(state, sealed=event)
        case m.CorrectionRefused():
            return state
        case _:
            return replace(state, rulings=(*state.rulings, m.Ruled(meta.version, meta.time_us, event)))
