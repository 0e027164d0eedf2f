"""Standings once more, slow and clause by clause, for small fields: what the vector code must agree with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

from services.games.championship.params import Params
from services.games.championship.results import Settled, TableResult


@dataclass
class Card:
    """Everything one entrant's place depends on."""

    entrant: int
    ratios: list[Fraction] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    beaten: list[int] = field(default_factory=list)
    penalty: int = 0

    @property
    def result(self) -> Fraction:
        if not self.ratios:
            return Fraction(0)
        return max(
            sum(self.ratios, Fraction(0)) / len(self.ratios) - Fraction(self.penalty, 1000), Fraction(0)
        )

    @property
    def tenths(self) -> int:
        return floor(self.result * 1000 + Fraction(1, 2))

    @property
    def trimmed(self) -> Fraction | None:
        if len(self.times) < 3:
            return None
        return Fraction(sum(self.times) - max(self.times) - min(self.times), len(self.times) - 2)


@dataclass(frozen=True)
class Line:
    """One seat of one result."""

    entrant: int
    seat: int
    result: TableResult

    @property
    def score(self) -> int:
        return self.result.scores[self.seat]


def cards(settled: Settled, entrants: tuple[int, ...], params: Params) -> dict[int, Card]:
    lines = [
        Line(entrant, seat, result)
        for result in settled.results
        for seat, entrant in enumerate(result.seats)
        if entrant is not None
    ]
    names = {*entrants, *(line.entrant for line in lines), *(entrant for entrant, _, _ in settled.assigned)}
    held = {name: Card(name, penalty=settled.penalties.get(name, 0)) for name in sorted(names)}
    for line in lines:
        times = line.result.play_micros if params.thinking_time == "plays" else line.result.micros
        held[line.entrant].times.append(times[line.seat])
    _compare(lines, settled, params, held)
    _beat(lines, params, held)
    return held


def _compare(lines: list[Line], settled: Settled, params: Params, held: dict[int, Card]) -> None:
    boards = params.boards_per_session if params.mp_unit == "session" else 1
    played: dict[Any, list[Line]] = {}
    for line in lines:
        session = line.result.round, (line.result.board - 1) // boards
        played.setdefault((line.entrant, session), []).append(line)
    given: dict[Any, list[int]] = {}
    for (entrant, in_round, board), tenths in settled.assigned.items():
        given.setdefault((entrant, (in_round, (board - 1) // boards)), []).append(tenths)
    for (entrant, _), tenths_of in given.items():
        held[entrant].ratios.append(Fraction(sum(tenths_of), 1000 * len(tenths_of)))
    units = []
    for (entrant, session), own in played.items():
        everybodys = {
            line.result.board for (_, other), unit in played.items() if other == session for line in unit
        }
        if (entrant, session) in given or {line.result.board for line in own} != everybodys:
            continue
        deals = frozenset((line.result.board, line.result.attempt) for line in own)
        group = own[0].result.group if params.compare_within == "group" else 0
        units.append((entrant, (session, deals, own[0].seat, group), sum(line.score for line in own)))
    for entrant, place, score in units:
        others = [theirs for other, where, theirs in units if where == place and other != entrant]
        points = sum(2 * (theirs < score) + (theirs == score) for theirs in others)
        held[entrant].ratios.append(Fraction(points, 2 * len(others)) if others else Fraction(1, 2))
        held[entrant].ranks.append(1 + len({theirs for theirs in others if theirs > score}))


def _beat(lines: list[Line], params: Params, held: dict[int, Card]) -> None:
    raw: dict[tuple[int, int], int] = {}
    for line in lines:
        raw[line.entrant, line.result.round] = raw.get((line.entrant, line.result.round), 0) + line.score
    beaten = set()
    for mine in lines:
        for theirs in lines:
            if mine.result is not theirs.result or mine.seat == theirs.seat:
                continue
            if len(mine.result.seats) == 4 and (mine.seat - theirs.seat) % 2 == 0:
                continue
            in_round, board = mine.result.round, mine.result.board
            if params.beaten_scope == "board" and mine.score > theirs.score:
                beaten.add((mine.entrant, theirs.entrant, in_round, board))
            elif (
                params.beaten_scope == "round" and raw[mine.entrant, in_round] > raw[theirs.entrant, in_round]
            ):
                beaten.add((mine.entrant, theirs.entrant, in_round, 0))
    for winner, loser, _, _ in beaten:
        held[winner].beaten.append(held[loser].tenths)


def order(held: dict[int, Card], params: Params) -> list[list[Card]]:
    """Groups of entrants that share a rank, best first."""

    def counts(card: Card) -> list[int]:
        last = max((rank for other in held.values() for rank in other.ranks), default=0)
        return [-card.ranks.count(rank) for rank in range(1, last + 1)]

    clauses: list[Callable[[Card], Any]] = [
        lambda card: (not card.ratios, -(card.result if params.tie_on == "exact" else card.tenths)),
        lambda card: -Fraction(sum(card.beaten), max(len(card.beaten), 1)),
        counts,
        lambda card: sum(card.times),
    ]
    groups = [list(held.values())] if held else []
    for clause in clauses:
        groups = [part for group in groups for part in _split(group, clause)]
    return [
        part
        for group in groups
        for part in (
            [group] if any(card.trimmed is None for card in group) else _split(group, lambda c: c.trimmed)
        )
    ]


def _split(group: list[Card], clause: Callable[[Card], Any]) -> list[list[Card]]:
    parts: list[list[Card]] = []
    for card in sorted(group, key=clause):
        if parts and clause(parts[-1][0]) == clause(card):
            parts[-1].append(card)
        else:
            parts.append([card])
    return parts
