"""Standings of a championship: computed from facts inside a cut, kept while nothing changes."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from services.directory import Directory
from services.games import registry
from services.games.championship import contest as c
from services.games.championship import explain as x
from services.games.championship.meetings import Round
from services.games.championship.tables import MEETING
from services.games.scales import sides
from services.runtime.projector import Projector
from services.runtime.store import EventStore
from services.scoring import coming, materiality
from services.scoring import model as m
from services.scoring.field import Field, contest, rulings_on_boards, with_replays
from services.scoring.projection import FactsQuery, Marks, Only
from services.scoring.refold import refolded
from services.scoring.since import Step, steps

T = TypeVar("T")

Key = tuple[str, m.Cut, int]
"""Championship, cut, and number of rulings: all that standings depend on."""

KEPT_ROWS = 250_000
"""Rows of computed standings that are kept, all together."""

KEPT_SEATS = 3_000_000
"""Seats on boards in kept reckonings, all together: one of 30,000 entrants on 24 boards is 720,000 of them."""

CATCH_UP_SECONDS = 5.0
HEAVY = 2
"""Computations over a whole field that run side by side."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What standings inside a cut are made of but for rulings on boards, which `boards` is reckoned under."""

    cut: m.Cut
    made_of: Marks
    boards: c.Contest


@dataclass(frozen=True, slots=True)
class Computed:
    """Standings inside a cut, with their digest and what they were made of."""

    rows: c.Order
    digest: bytes
    cut: m.Cut
    made_of: Marks


class Tables:
    """Everything that is computed about a championship's results."""

    def __init__(
        self,
        store: EventStore,
        directory: Directory,
        projector: Projector,
        query: FactsQuery,
        streams: Sequence[str],
    ) -> None:
        self._store = store
        self._directory = directory
        self._projector = projector
        self._query = query
        self.streams = streams
        """What facts come from: tables' streams and pairing's."""
        self._kept: OrderedDict[Key, Computed] = OrderedDict()
        self._reckoned: OrderedDict[Key, c.Reckoned] = OrderedDict()
        """What kept standings were read from, the newest of them at least."""
        self._live: dict[str, m.Cut] = {}
        """The cut of the last live standings, by championship."""
        self._counted: dict[str, Marks] = {}
        """What counted of tables' records when that cut was taken, by championship."""
        self._facts: OrderedDict[str, _Facts] = OrderedDict()
        """Those of the last live standings, where rulings can be laid over them without asking for them again."""
        self._heavy = asyncio.Semaphore(HEAVY)
        self._rebuilding = asyncio.Lock()
        self._locks: dict[str, asyncio.Lock] = {}

    async def now(self) -> m.Cut:
        """How far the input streams are projected, whichever replica did it: not behind what was asked of the facts before."""
        read = await self._query.read_until()
        return m.Cut(tuple(m.StreamPosition(one, read[one]) for one in self.streams))

    async def catch_up(self) -> None:
        """Return when everything that is in the input streams now is projected. Raises TimeoutError."""
        async with asyncio.timeout(CATCH_UP_SECONDS):
            for stream in self.streams:
                await self._projector.wait_for(stream, await self._store.last_sequence(stream))

    async def shown(self, championship: str) -> frozenset[tuple[int, int]]:
        """(round, board) of every board that all tables of its round have closed: only these count and are shown."""
        return (await self._query.marks(championship)).shown

    async def played(self, championship: str, round_: int) -> bool:
        """Whether every table of a round has closed all its boards, or ended its match."""
        marks, known = await self._query.marks(championship), self._directory.get(championship)
        if not known.rounds[round_].tables:  # of byes alone
            return True
        if boards := known.settings.boards_per_round:
            return {(round_, board) for board in range(1, boards + 1)} <= marks.shown
        return {(round_, table) for table in known.rounds[round_].tables} <= marks.ended

    async def ended(self, championship: str) -> frozenset[tuple[int, str]]:
        """(round, table) of every match that has ended."""
        return (await self._query.marks(championship)).ended

    async def substituted(self, championship: str, person: str) -> bool:
        """Whether a person has played in an entrant's place (C1.6), as far as is projected."""
        return await self._query.substituted(championship, person)

    async def field(self, championship: str, cut: m.Cut, only: Only | None = None) -> Field:
        """Facts within a cut, all or those of some boards."""
        positions = {one.stream: one.sequence for one in cut.positions}
        return await self._query.field(championship, positions, only)

    # Standings

    async def live(self, championship: str, rulings: tuple[m.Ruled, ...]) -> Computed:
        """Standings as they are: the last ones, unless a board was closed everywhere since, or pairing or a ruling changed them."""
        # One after the other, so that all who wait for the same compute it once.
        async with self._locks.setdefault(championship, asyncio.Lock()):
            marks = await self._query.marks(championship)
            cut = self._live.get(championship)
            if cut is not None:
                last = self._kept.get((championship, cut, len(rulings)))
                if last is not None and last.made_of == marks:
                    return last
            facts = self._facts.get(championship)
            if facts is None or facts.made_of != marks or with_replays(rulings):
                self._live[championship] = await self._until(championship, marks)
            computed = await self.compute(championship, self._live[championship], rulings)
            if not computed.made_of.hold(marks):  # a decision on a table's history has moved what counts
                self._live[championship] = await self.now()
                computed = await self.compute(championship, self._live[championship], rulings)
            return computed

    async def _until(self, championship: str, marks: Marks) -> m.Cut:
        """How far live standings reach: in tables' streams as far as when something of them counted last. A cut is published, and
        whoever has that done shall not learn how many records open tables have written."""
        now, before = await self.now(), self._live.get(championship)
        counted = replace(marks, sequence=0)
        if before is None or self._counted.get(championship) != counted:
            self._counted[championship] = counted
            return now
        return m.Cut(
            tuple(
                replace(one, sequence=before.at(one.stream) or 0) if one.stream.startswith("TABLE-") else one
                for one in now.positions
            )
        )

    async def compute(
        self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...], keep: bool = True
    ) -> Computed:
        """Standings within a cut under rulings; not to `keep` are those under rulings that nobody made."""
        key = (championship, cut, len(rulings))
        if keep and key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        facts = self._facts.get(championship)
        if facts is None or facts.cut != cut or with_replays(rulings):
            facts = await self._read(championship, cut, rulings)
        computed, reckoned = await self._aside(partial(_reckoned, facts, rulings))
        if keep:
            self._kept[key] = computed
            while len(self._kept) > 1 and sum(len(one.rows) for one in self._kept.values()) > KEPT_ROWS:
                self._kept.popitem(last=False)
            self._keep_reckoned(key, reckoned)
        return computed

    def _keep_reckoned(self, key: Key, reckoned: c.Reckoned) -> None:
        self._reckoned[key] = reckoned
        self._reckoned.move_to_end(key)
        while len(self._reckoned) > 1 and sum(one.size for one in self._reckoned.values()) > KEPT_SEATS:
            self._reckoned.popitem(last=False)

    async def _read(self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...]) -> _Facts:
        """Facts within a cut; those of live standings are kept, where they stay the same under whatever is ruled."""
        field, terms = await self.field(championship, cut), self._terms(championship)
        facts = await self._aside(lambda: _facts(field, cut, rulings, terms))
        if not with_replays(rulings):
            facts = replace(facts, boards=await self._aside(partial(c.reading, facts.boards)))
        if facts.boards.read is not None and self._live.get(championship) == cut:
            self._facts.pop(championship, None)
            self._facts[championship] = facts
            while len(self._facts) > 1 and sum(one.boards.size for one in self._facts.values()) > KEPT_SEATS:
                self._facts.popitem(last=False)
        return facts

    async def rebuild(
        self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...]
    ) -> tuple[Computed, int]:
        """Standings from facts folded again from record 1 of the streams, kept ones left aside; how many records were read."""
        async with self._rebuilding:
            field, read = await refolded(self._store, championship, cut)
        terms = self._terms(championship)
        computed, _ = await self._aside(lambda: _reckoned(_facts(field, cut, rulings, terms), rulings))
        return computed, read

    # What changed, what would change

    async def since(
        self, championship: str, published: Computed, before: tuple[m.Ruled, ...], since: Sequence[m.Ruled]
    ) -> list[tuple[Step, c.Order]]:
        """What changed standings that were `published` under the rulings `before`, with the standings after each step."""
        then, now = (
            await self.field(championship, published.cut),
            await self.field(championship, await self.now()),
        )
        terms = self._terms(championship)
        return [
            (step, await self._aside(partial(_order, step, terms)))
            for step in steps(then, now, before, since)
        ]

    async def tried(
        self, championship: str, ledger: m.Ledger, about: materiality.About, lines: Sequence[int]
    ) -> list[materiality.Tried]:
        """What rulings of a case would change, the least of each kind. Raises NotFound."""
        field, terms = await self.field(championship, await self.now()), self._terms(championship)
        board = about.board if isinstance(about, materiality.Contested) else 0
        allowed = sides(self.params(championship), board) if board else ()
        return await self._aside(lambda: materiality.tried(field, ledger, terms, about, lines, allowed))

    async def met(self, championship: str, form: str) -> tuple[Round, ...]:
        """Who has met whom in the rounds that are paired; nobody, in a format where nobody meets."""
        if form not in MEETING:
            return ()
        return coming.met(await self.field(championship, await self.now()), form)

    # One entrant, one board

    async def explain(
        self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...], entrant: int
    ) -> tuple[x.Explanation | c.Played, tuple[int, ...]]:
        """Every term of an entrant's standing, and the rounds of its byes: read from what the standings were, while it is kept."""
        key = (championship, cut, len(rulings))
        reckoned = self._reckoned.get(key)
        if reckoned is None:
            field, terms = await self.field(championship, cut), self._terms(championship)
            reckoned = await self._aside(lambda: c.reckon(contest(field, rulings, terms)))
            self._keep_reckoned(key, reckoned)
        else:
            self._reckoned.move_to_end(key)
        return await asyncio.to_thread(reckoned.explained, entrant), reckoned.byes_of(entrant)

    async def matches(
        self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...]
    ) -> tuple[c.Encounter, ...]:
        """Matches that count, by round and table."""
        field, terms = await self.field(championship, cut), self._terms(championship)
        return await self._aside(lambda: c.matches(contest(field, rulings, terms)))

    async def traveller(
        self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...], round_: int, board: int
    ) -> tuple[Field, tuple[x.UnitTerm, ...]]:
        """What everybody made of a board (or of its session), with the facts it came from."""
        terms = self._terms(championship)
        params = terms.params
        boards = params.boards_per_session if params.mp_unit == "session" else 1
        unit = (board - 1) // boards
        only = Only(round_, tuple(range(unit * boards + 1, (unit + 1) * boards + 1)))
        field = await self.field(championship, cut, only)
        return field, await self._aside(lambda: c.traveller(contest(field, rulings, terms), round_, board))

    # How

    def params(self, championship: str) -> Any:
        """The resolved parameters of a championship's game."""
        settings = self._directory.settings(championship)
        return registry.find(settings.ruleset).resolve(json.loads(settings.params or "{}"))

    def _terms(self, championship: str) -> c.Terms:
        """How a championship is reckoned."""
        settings = self._directory.settings(championship)
        return c.terms(registry.find(settings.ruleset).game, settings)

    async def _aside(self, work: Callable[[], T]) -> T:
        """The result of work that takes long, done off the event loop."""
        async with self._heavy:
            return await asyncio.to_thread(work)


def _facts(field: Field, cut: m.Cut, rulings: tuple[m.Ruled, ...], terms: c.Terms) -> _Facts:
    ended = frozenset((one.round, one.table) for one in field.matches)
    replays = sum(one.attempt > 1 for one in field.boards)
    made_of = Marks(field.closed_everywhere(), field.sequence, ended, replays)
    return _Facts(cut, made_of, contest(field, rulings, terms))


def _reckoned(facts: _Facts, rulings: tuple[m.Ruled, ...]) -> tuple[Computed, c.Reckoned]:
    reckoned = c.reckon(c.under(facts.boards, rulings_on_boards(rulings)))
    return Computed(reckoned.order, c.digest(reckoned.order), facts.cut, facts.made_of), reckoned


def _order(step: Step, terms: c.Terms) -> c.Order:
    return c.order(contest(step.field, step.rulings, terms))
