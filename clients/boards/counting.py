"""What counts of a board for a seat where a ruling or a correction changed it, as scoring or an audit file tells (C9.2, C10.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fupan.scoring.v1 import service_pb2 as pb
from services.ledger.audit.evidence import Event, Evidence

_KINDS = {
    "result_corrected": "corrected",
    "board_voided": "voided",
    "board_superseded": "replayed",
    "percent_assigned": "assigned",
}


@dataclass(frozen=True, slots=True)
class Now:
    """What counts instead of what was scored: a `score`, or a share in `tenths` of a percent; neither where another board counts,
    or where a void one brings nothing."""

    ruling: pb.BoardRuling
    score: int | None = None
    tenths: int | None = None


def now(result: pb.BoardResult, seat: int, scored: int | None) -> Now | None:
    """What counts for a seat instead of what it `scored`; None where nothing changed it."""
    about = [one for one in result.rulings if one.entrant in (0, result.entrants[seat])]
    if not about:
        return None
    last = about[-1]
    if last.kind == "corrected":
        return None if result.scores[seat] == scored else Now(last, score=result.scores[seat])
    share = result.percent_tenths[seat] if seat < len(result.percent_tenths) else None
    return Now(last) if last.kind == "replayed" else Now(last, tenths=share)


@dataclass(frozen=True, slots=True)
class _Ruled:
    event: Event
    figures: tuple[int, ...]
    ruling: pb.BoardRuling


def of_audit(evidence: Evidence, round_: int, board: int) -> dict[tuple[str, int], pb.BoardResult]:
    """By table and attempt, what scoring's log in an audit file decided about a board. Of figures a result has those that were
    ruled: scores that were corrected, shares of a void board or that were assigned."""
    last: dict[str | int, _Ruled] = {}
    played = [*_played(evidence, round_, board)]
    seated = {table: entrants for table, _, entrants in played}
    for ruled in _rulings(evidence):
        message = ruled.event.message
        if (message.round, message.board) != (round_, board):
            continue
        if ruled.event.kind == "percent_assigned":
            last[message.entrant] = ruled
            continue
        last[message.table] = ruled
        for entrant in seated.get(message.table, ()):  # whose percentages it lifts
            last.pop(entrant, None)
    results = {}
    for table, attempt, entrants in played:
        on_table = last.get(table)
        assigned = [last[one] for one in entrants if one in last]
        told = [one for one in (on_table, *assigned) if one is not None]
        result = pb.BoardResult(table=table, attempt=attempt, entrants=entrants)
        result.rulings.extend(one.ruling for one in told)
        shares = [0] * len(entrants)
        if on_table is not None and on_table.event.kind == "result_corrected":
            result.scores.extend(on_table.figures)
        elif on_table is not None and on_table.event.kind == "board_voided" and on_table.figures:
            shares = list(on_table.figures)
        for one in assigned:
            shares[entrants.index(one.ruling.entrant)] = one.figures[0]
        if any(one.event.kind != "result_corrected" and one.figures for one in told):
            result.percent_tenths.extend(shares)
        results[table, attempt] = result
    return results


def _rulings(evidence: Evidence) -> Iterator[_Ruled]:
    """Decisions on boards in the order of the log, those with figures put right as they are meant (C10.7)."""
    made: list[_Ruled] = []
    publications = 0
    for _, event in evidence.events("scoring"):
        message = event.message
        if event.kind == "standings_published":
            publications += 1
        elif event.kind == "ruling_recalculated" and 0 < message.ruling <= len(made):
            meant = made[message.ruling - 1]
            made.append(
                _Ruled(meant.event, tuple(message.figures), _told(meant.event, message, publications))
            )
        elif event.kind in _KINDS or event.kind in ("penalty_set", "match_corrected"):
            made.append(_Ruled(event, _figures(event), _told(event, message, publications)))
    yield from (one for one in made if one.event.kind in _KINDS)


def _figures(event: Event) -> tuple[int, ...]:
    match event.kind:
        case "result_corrected":
            return tuple(event.message.scores)
        case "board_voided":
            return tuple(event.message.tenths)
        case "percent_assigned":
            return (event.message.tenths,)
    return ()


def _told(event: Event, decision: Any, publications: int) -> pb.BoardRuling:
    authority = decision.authority
    return pb.BoardRuling(
        kind=_KINDS.get(event.kind, ""),
        by=authority.by,
        appeal=authority.appeal,
        publication=publications,
        entrant=event.message.entrant if event.kind == "percent_assigned" else 0,
    )


def _played(evidence: Evidence, round_: int, board: int) -> Iterator[tuple[str, int, Sequence[int]]]:
    """Tables that opened a board of a round, with the attempt and the entrants by seat."""
    seats: dict[str, list[int]] = {}
    for _, subject, entries in evidence.of("table"):
        for event in (event for entry in entries for event in entry.events):
            if event.kind == "table_opened" and event.message.round == round_:
                seats[subject.id] = [one.entrant for one in event.message.seats]
            elif event.kind == "board_opened" and event.message.board == board and subject.id in seats:
                yield subject.id, event.message.attempt, seats[subject.id]
