"""Standings of a championship at a cut: computed from facts, kept while nothing moves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from services.directory import Directory
from services.games import registry
from services.games.championship import explain as x
from services.games.championship.params import Params, resolve
from services.games.championship.standings import Standing, digest, standings
from services.ledger.record import Stored
from services.runtime.projector import Projector
from services.runtime.store import EventStore
from services.scoring import facts as f
from services.scoring import model as m
from services.scoring.field import Field, PlayedBoard, facts
from services.scoring.projection import FactsQuery

KEPT = 64
"""Computed standings that are kept."""


@dataclass(frozen=True, slots=True)
class Computed:
    """Standings inside a cut, with their digest."""

    rows: tuple[Standing, ...]
    digest: bytes
    cut: m.Cut


def params_of(directory: Directory, championship: str) -> Params:
    """The arithmetic's parameters of a championship."""
    settings = directory.settings(championship)
    game = registry.find(settings.ruleset).game
    names = (
        "mp_unit",
        "boards_per_session",
        "compare_within",
        "tie_on",
        "beaten_scope",
        "thinking_time",
        "layout",
    )
    return resolve(game, {name: getattr(settings, name) for name in names})


class Tables:
    """Everything that is computed about a championship's results."""

    def __init__(
        self,
        store: EventStore,
        directory: Directory,
        projector: Projector,
        query: FactsQuery,
        streams: Sequence[str],
        pairing_stream: str,
    ) -> None:
        self._store = store
        self._directory = directory
        self._projector = projector
        self._query = query
        self._streams = streams
        self._pairing = pairing_stream
        self._kept: dict[tuple[str, m.Cut, int], Computed] = {}

    def now(self) -> m.Cut:
        """How far the input streams are projected."""
        return m.Cut(tuple(m.StreamPosition(one, self._projector.sequence(one)) for one in self._streams))

    async def wait_for(self, stream: str, sequence: int) -> None:
        """Wait until an input stream is projected up to `sequence`; other streams are never waited for."""
        if stream in self._streams:
            await self._projector.wait_for(stream, sequence)

    async def catch_up(self, timeout: float = 5.0) -> None:
        """Wait until everything that is in the input streams now is projected. Raises TimeoutError."""
        async with asyncio.timeout(timeout):
            for stream in self._streams:
                await self._projector.wait_for(stream, await self._store.last_sequence(stream))

    async def field(self, championship: str, cut: m.Cut) -> Field:
        """Facts within a cut."""
        positions = {one.stream: one.sequence for one in cut.positions}
        return await self._query.field(championship, positions, self._pairing)

    async def compute(self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...]) -> Computed:
        """Standings within a cut under rulings."""
        key = (championship, cut, len(rulings))
        found = self._kept.get(key)
        if found is None:
            found = await self.compute_of(championship, await self.field(championship, cut), rulings, cut)
            while len(self._kept) >= KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = found
        return found

    async def compute_of(
        self, championship: str, field: Field, rulings: tuple[m.Ruled, ...], cut: m.Cut
    ) -> Computed:
        """Standings of given facts; large fields are computed off the event loop."""
        params = params_of(self._directory, championship)

        def work() -> Computed:
            rows = standings(facts(field, rulings), params)
            return Computed(rows, digest(rows), cut)

        return await asyncio.to_thread(work)

    async def explain(
        self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...], entrant: int
    ) -> x.Explanation:
        """Every term of an entrant's standing."""
        field = await self.field(championship, cut)
        params = params_of(self._directory, championship)
        return await asyncio.to_thread(x.explain, facts(field, rulings), params, entrant)

    async def traveller(
        self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...], round_: int, unit: int
    ) -> tuple[Field, tuple[x.UnitTerm, ...]]:
        """What everybody made of a board (or session), with the facts it came from."""
        field = await self.field(championship, cut)
        params = params_of(self._directory, championship)
        return field, await asyncio.to_thread(x.traveller, facts(field, rulings), params, round_, unit)

    async def rebuild(self, championship: str, cut: m.Cut) -> tuple[Field, int]:
        """Facts folded again from record 1 of the streams, Postgres left aside; and how many records were read."""
        folded = Folded(championship)
        read = 0
        for position in cut.positions:
            if not position.sequence:
                continue
            done = asyncio.Event()

            async def deliver(
                batch: list[Stored], until: int = position.sequence, end: asyncio.Event = done
            ) -> None:
                nonlocal read
                for stored in batch:
                    if stored.sequence <= until:
                        read += 1
                        folded.take(stored)
                if batch[-1].sequence >= until:
                    end.set()

            following = asyncio.create_task(self._store.follow(position.stream, 0, deliver))
            waiting = asyncio.create_task(done.wait())
            try:
                await asyncio.wait({following, waiting}, return_when=asyncio.FIRST_COMPLETED)
                if following.done():
                    following.result()
            finally:
                following.cancel()
                waiting.cancel()
                await asyncio.gather(following, waiting, return_exceptions=True)
        return folded.field(), read


class Folded:
    """Facts of one championship folded in memory."""

    def __init__(self, championship: str) -> None:
        self._championship = championship
        self._reader = f.Reader()
        self._boards: dict[tuple[int, int, int, str], PlayedBoard] = {}
        self._incoming: dict[str, list[int]] = {}
        self._entrants: set[int] = set()
        self._seated: dict[int, list[tuple[str, int, tuple[int, ...]]]] = {}
        self._seats: dict[tuple[int, str], tuple[int, tuple[int, ...]]] = {}

    def take(self, stored: Stored) -> None:
        """Fold one record."""
        for fact in self._reader.read(stored):
            if fact.championship == self._championship:
                self._take(fact)

    def _take(self, fact: f.Fact) -> None:
        match fact:
            case f.BoardClosed():
                key = (fact.round, fact.board, fact.attempt, fact.table)
                self._boards.setdefault(
                    key,
                    PlayedBoard(*key, fact.scores, fact.thinking_us, fact.playing_us, fact.taken_over),
                )
            case f.EntrantsGiven():
                self._incoming.setdefault(fact.import_id, []).extend(fact.numbers)
            case f.ImportClosed():
                self._entrants.update(self._incoming.get(fact.import_id, ()))
            case f.TablesSeated():
                if fact.chunk == 0:
                    self._seated[fact.round] = []
                self._seated.setdefault(fact.round, []).extend(fact.tables)
            case f.RoundPaired():
                self._seat(fact.round, self._seated.get(fact.round, []))
            case f.SeatingReplaced():
                self._seats = {key: one for key, one in self._seats.items() if key[0] != fact.round}
                self._seat(fact.round, list(fact.tables))

    def _seat(self, round_: int, tables: list[tuple[str, int, tuple[int, ...]]]) -> None:
        for table, group, entrants in tables:
            self._seats[round_, table] = (group, entrants)

    def field(self) -> Field:
        """What was folded."""
        return Field(tuple(sorted(self._entrants)), dict(self._seats), tuple(self._boards.values()))
