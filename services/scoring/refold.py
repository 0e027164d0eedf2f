"""The facts of one championship folded again from record 1 of the log, without the projection."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from services.runtime.store import EventStore, Stored, follow_until
from services.scoring import facts as f
from services.scoring import model as m
from services.scoring.field import EndedMatch, Field, PlayedBoard


async def refolded(store: EventStore, championship: str, cut: m.Cut) -> tuple[Field, int]:
    """Facts within a cut, and how many records were read."""
    folded = Folded(championship)
    read = 0
    for position in cut.positions:
        if position.sequence:
            read += await _fold(store, position, folded)
    return folded.field(), read


async def _fold(store: EventStore, position: m.StreamPosition, folded: Folded) -> int:
    """Fold a stream up to a position; the number of its records."""
    read, done = 0, asyncio.Event()

    async def deliver(batch: list[Stored]) -> None:
        nonlocal read
        for stored in batch:
            if stored.sequence <= position.sequence:
                read += 1
                folded.take(stored)
        if batch[-1].sequence >= position.sequence:
            done.set()

    await follow_until(store.follow(position.stream, 0, deliver), done)
    return read


class Folded:
    """Facts of one championship, as far as records were taken."""

    def __init__(self, championship: str) -> None:
        self._championship = championship
        self._reader = f.Reader()
        self._boards: dict[tuple[int, int, int, str], PlayedBoard] = {}
        self._imports: dict[str, list[int]] = {}
        self._entrants: set[int] = set()
        self._seating: dict[int, list[f.Seated]] = {}
        self._seats: dict[tuple[int, str], tuple[int, tuple[int, ...]]] = {}
        self._byes: list[tuple[int, int]] = []
        self._alone: set[int] = set()
        self._matches: dict[tuple[int, str], EndedMatch] = {}
        self._brought: set[tuple[Any, ...]] = set()
        """Keys of boards and matches that a decision on a table's history brought."""
        self._sequence = 0

    def take(self, stored: Stored) -> None:
        """Fold one record."""
        for fact in self._reader.read(stored):
            if fact.championship == self._championship:
                self._take(fact)

    def _take(self, fact: f.Fact) -> None:
        match fact:
            case f.BoardClosed():
                key = (fact.round, fact.board, fact.attempt, fact.table)
                times = fact.thinking_us, fact.playing_us
                if self._counts(fact, key, self._boards):
                    self._boards[key] = PlayedBoard(*key, fact.scores, *times, fact.taken_over)
            case f.EntrantsGiven():
                self._imports.setdefault(fact.import_id, []).extend(fact.numbers)
            case f.ImportClosed():
                self._entrants.update(self._imports.get(fact.import_id, ()))
                self._sequence = fact.sequence
            case f.TablesSeated():
                before = self._seating.get(fact.round, []) if fact.chunk else []
                self._seating[fact.round] = [*before, *fact.tables]
            case f.RoundPaired():
                self._seat(fact.round, self._seating.get(fact.round, []), fact.sequence)
                self._byes += [(fact.round, entrant) for entrant in fact.byes]
                if not self._seating.get(fact.round):
                    self._alone.add(fact.round)
            case f.MatchEnded():
                ended = EndedMatch(fact.round, fact.table, fact.winner, fact.levels, fact.clause, fact.deals)
                if self._counts(fact, (fact.round, fact.table), self._matches):
                    self._matches[fact.round, fact.table] = ended
            case f.BoardReplayed():
                self._sequence = fact.sequence
            case f.SeatingReplaced():
                self._seats = {key: one for key, one in self._seats.items() if key[0] != fact.round}
                self._seat(fact.round, list(fact.tables), fact.sequence)

    def _counts(
        self, fact: f.BoardClosed | f.MatchEnded, key: tuple[Any, ...], known: Mapping[Any, Any]
    ) -> bool:
        """Whether a fact is the one that counts so far: the first that the table's own stream says, before what was brought."""
        counts = key not in known or (key in self._brought and not f.brought(fact))
        if counts:
            (self._brought.add if f.brought(fact) else self._brought.discard)(key)
        return counts

    def _seat(self, round_: int, tables: list[f.Seated], sequence: int) -> None:
        for table, group, entrants in tables:
            self._seats[round_, table] = (group, entrants)
        self._sequence = sequence

    def field(self) -> Field:
        """What was folded."""
        return Field(
            tuple(sorted(self._entrants)),
            dict(self._seats),
            tuple(self._boards.values()),
            self._sequence,
            tuple(self._byes),
            tuple(self._matches.values()),
            frozenset(self._alone),
        )
