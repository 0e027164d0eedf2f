"""Facts in Postgres: written in batches, asked for by championship and cut."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from services.ledger.record import Stored
from services.runtime.postgres import Database
from services.runtime.streams import parse
from services.scoring import facts as f
from services.scoring.field import EndedMatch, Field, PlayedBoard

SCHEMA = "scoring_facts"


class FactsProjection:
    """Writes facts. Implements `runtime.projector.Projection`."""

    schema = SCHEMA
    migrations = Path(__file__).parent / "migrations"

    def __init__(self, streams: Sequence[str], plays: Callable[[str, str], bool]) -> None:
        """`plays` says who is a member of an entrant: anybody else who sits at a table is a substitute."""
        self.streams = streams
        self._plays = plays

    async def apply(self, connection: asyncpg.Connection, records: Sequence[Stored]) -> int:
        """Write the facts of some records of one stream, in order."""
        reader = f.Reader()
        writer = _Writer(connection, parse(records[0].subject).epoch)
        boards: list[f.BoardClosed] = []
        sat: set[tuple[str, str]] = set()
        for stored in records:
            for fact in reader.read(stored):
                match fact:
                    case f.BoardClosed():
                        boards.append(fact)
                    case f.Sat():
                        sat.update((fact.championship, person) for person in fact.people)
                    case _:
                        await writer.write(fact)
        if boards:
            await writer.write_boards(boards)
        if given := sorted(one for one in sat if not self._plays(*one)):
            await writer.write_substitutes(given)
        return reader.skipped


_BOARDS = """
WITH new AS (
    INSERT INTO results
    SELECT $1, c, r, b, a, t, s, q, scores::int[], thinking::bigint[], playing::bigint[], taken_over::int[]
    FROM unnest($2::text[], $3::int[], $4::int[], $5::int[], $6::text[], $7::text[], $8::bigint[],
                $9::text[], $10::text[], $11::text[], $12::text[])
        AS x(c, r, b, a, t, s, q, scores, thinking, playing, taken_over)
    ON CONFLICT (epoch, championship, round, board, attempt, tbl) DO UPDATE SET
        stream = excluded.stream, sequence = excluded.sequence, scores = excluded.scores,
        thinking_us = excluded.thinking_us, playing_us = excluded.playing_us, taken_over = excluded.taken_over
        WHERE starts_with(results.stream, 'PAIRING-') AND NOT starts_with(excluded.stream, 'PAIRING-')
    RETURNING championship, round, board, attempt, xmax = 0 AS added
)
INSERT INTO closings
SELECT $1, championship, round, board, count(*) FROM new WHERE attempt = 1 AND added
GROUP BY championship, round, board ORDER BY championship, round, board
ON CONFLICT (epoch, championship, round, board) DO UPDATE SET closed = closings.closed + excluded.closed
"""
# Streams are written side by side: one order of rows for all, lest two transactions wait for each other.
# What a table's own stream says comes before what a decision brought, in whichever order they are read (`facts.brought`).

_MATCH = """
INSERT INTO matches VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (epoch, championship, round, tbl) DO UPDATE SET
    stream = excluded.stream, sequence = excluded.sequence, winner = excluded.winner, levels = excluded.levels,
    clause = excluded.clause, deals = excluded.deals
    WHERE starts_with(matches.stream, 'PAIRING-') AND NOT starts_with(excluded.stream, 'PAIRING-')
"""


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes facts of one epoch."""

    connection: asyncpg.Connection
    epoch: str

    async def write_boards(self, boards: Sequence[f.BoardClosed]) -> None:
        """Write closed boards of one stream, and count them; of one that is told twice the first counts."""
        told = {(one.championship, one.round, one.board, one.attempt, one.table): one for one in boards[::-1]}
        boards = [*told.values()][::-1]
        await self.connection.execute(
            _BOARDS,
            self.epoch,
            *(
                [getattr(board, name) for board in boards]
                for name in ("championship", "round", "board", "attempt", "table", "stream", "sequence")
            ),
            # Arrays of arrays cannot be unnested.
            *(
                [_array(getattr(board, name)) for board in boards]
                for name in ("scores", "thinking_us", "playing_us", "taken_over")
            ),
        )

    async def write_substitutes(self, given: Sequence[tuple[str, str]]) -> None:
        """Write who was given a seat: championship and person."""
        await self.connection.execute(
            "INSERT INTO substitutes SELECT $1, c, p FROM unnest($2::text[], $3::text[]) AS x(c, p)"
            " ON CONFLICT DO NOTHING",
            *(self.epoch, [championship for championship, _ in given], [person for _, person in given]),
        )

    async def write(self, fact: f.Fact) -> None:
        """Write one fact of pairing's stream."""
        match fact:
            case f.EntrantsGiven():
                await self.connection.execute(
                    "INSERT INTO entrants SELECT $1, $2, number, $3, NULL FROM unnest($4::int[]) AS number"
                    " ON CONFLICT DO NOTHING",
                    *(self.epoch, fact.championship, fact.import_id, fact.numbers),
                )
            case f.ImportClosed():
                await self.connection.execute(
                    "UPDATE entrants SET sequence = $4 WHERE epoch = $1 AND championship = $2 AND import_id = $3",
                    *(self.epoch, fact.championship, fact.import_id, fact.sequence),
                )
                await self._changed(fact.championship, fact.sequence)
            case f.TablesSeated():
                if fact.chunk == 0:
                    await self._unseat(fact.championship, fact.round)
                await self._seat(fact.championship, fact.round, None, fact.tables)
            case f.RoundPaired():
                await self._pair(fact)
            case f.SeatingReplaced():
                await self._unseat(fact.championship, fact.round)
                await self._seat(fact.championship, fact.round, fact.sequence, fact.tables)
                await self._changed(fact.championship, fact.sequence)
            case f.MatchEnded():
                await self.connection.execute(
                    _MATCH,
                    *(self.epoch, fact.championship, fact.round, fact.table, fact.stream, fact.sequence),
                    *(fact.winner, fact.levels, fact.clause, fact.deals),
                )
            case f.BoardReplayed():
                await self._changed(fact.championship, fact.sequence)
            case _:
                raise TypeError(type(fact))

    async def _pair(self, fact: f.RoundPaired) -> None:
        round_ = self.epoch, fact.championship, fact.round
        await self.connection.execute(
            "UPDATE seats SET sequence = $4 WHERE epoch = $1 AND championship = $2 AND round = $3",
            *(*round_, fact.sequence),
        )
        await self.connection.execute(
            "INSERT INTO rounds SELECT epoch, championship, round, count(*) FROM seats"
            " WHERE epoch = $1 AND championship = $2 AND round = $3 GROUP BY 1, 2, 3"
            " ON CONFLICT DO NOTHING",
            *round_,
        )
        await self.connection.execute(
            "INSERT INTO byes SELECT $1, $2, $3, entrant, $4 FROM unnest($5::int[]) AS entrant"
            " ON CONFLICT DO NOTHING",
            *(*round_, fact.sequence, fact.byes),
        )
        await self._changed(fact.championship, fact.sequence)

    async def _changed(self, championship: str, sequence: int) -> None:
        await self.connection.execute(
            "INSERT INTO fields VALUES ($1, $2, $3)"
            " ON CONFLICT (epoch, championship) DO UPDATE SET sequence = excluded.sequence",
            *(self.epoch, championship, sequence),
        )

    async def _unseat(self, championship: str, round_: int) -> None:
        await self.connection.execute(
            "DELETE FROM seats WHERE epoch = $1 AND championship = $2 AND round = $3",
            *(self.epoch, championship, round_),
        )

    async def _seat(
        self,
        championship: str,
        round_: int,
        sequence: int | None,
        tables: Iterable[tuple[str, int, tuple[int, ...]]],
    ) -> None:
        listed = list(tables)
        await self.connection.execute(
            "INSERT INTO seats SELECT $1, $2, $3, tbl, grp, entrants::int[], $4"
            " FROM unnest($5::text[], $6::int[], $7::text[]) AS x(tbl, grp, entrants) ON CONFLICT DO NOTHING",
            *(self.epoch, championship, round_, sequence),
            [table for table, _, _ in listed],
            [group for _, group, _ in listed],
            [_array(entrants) for _, _, entrants in listed],
        )


def _array(values: Iterable[int]) -> str:
    return f"{{{','.join(map(str, values))}}}"


@dataclass(frozen=True, slots=True)
class Marks:
    """What tells whether standings may have changed: boards closed everywhere, the last record of pairing that matters, (round,
    table) of ended matches, and how many boards tables have played again."""

    shown: frozenset[tuple[int, int]]
    sequence: int
    ended: frozenset[tuple[int, str]] = frozenset()
    replays: int = 0

    def hold(self, other: Marks) -> bool:
        """Whether all that counted of tables' records elsewhere does here."""
        return other.shown <= self.shown and other.ended <= self.ended and other.replays <= self.replays


@dataclass(frozen=True, slots=True)
class Only:
    """Some boards of one round."""

    round: int
    boards: tuple[int, ...]


@dataclass(slots=True)
class FactsQuery:
    """Reads facts of an epoch."""

    database: Database
    epoch: str
    pairing_stream: str

    async def marks(self, championship: str) -> Marks:
        """How far the facts are; asks a few rows whatever the field's size."""
        async with self.database.transaction(SCHEMA, readonly=True) as connection:
            sequence = await connection.fetchval(
                "SELECT sequence FROM fields WHERE epoch = $1 AND championship = $2", self.epoch, championship
            )
            shown = await connection.fetch(
                "SELECT round, board FROM closings JOIN rounds USING (epoch, championship, round)"
                " WHERE epoch = $1 AND championship = $2 AND closed = tables",
                *(self.epoch, championship),
            )
            ended = await connection.fetch(
                "SELECT round, tbl FROM matches WHERE epoch = $1 AND championship = $2",
                *(self.epoch, championship),
            )
            replays = await connection.fetchval(
                "SELECT count(*) FROM results WHERE epoch = $1 AND championship = $2 AND attempt > 1",
                *(self.epoch, championship),
            )
        return Marks(
            frozenset((row["round"], row["board"]) for row in shown),
            sequence or 0,
            frozenset((row["round"], row["tbl"]) for row in ended),
            replays,
        )

    async def read_until(self) -> Mapping[str, int]:
        """How far the facts are, by input stream."""
        async with self.database.transaction(SCHEMA, readonly=True) as connection:
            rows = await connection.fetch("SELECT stream, sequence FROM checkpoints")
        return {row["stream"]: row["sequence"] for row in rows}

    async def substituted(self, championship: str, person: str) -> bool:
        """Whether a person who is of no entrant was given a seat (C1.6)."""
        async with self.database.transaction(SCHEMA, readonly=True) as connection:
            found = await connection.fetchval(
                "SELECT 1 FROM substitutes WHERE epoch = $1 AND championship = $2 AND person = $3",
                *(self.epoch, championship, person),
            )
        return found is not None

    async def field(self, championship: str, cut: Mapping[str, int], only: Only | None = None) -> Field:
        """Everything that counts of a championship within `cut` (stream → last sequence), or of some boards of it."""
        until = cut.get(self.pairing_stream, 0)
        rounds, boards = (None, None) if only is None else (only.round, list(only.boards))
        async with self.database.transaction(SCHEMA, readonly=True) as connection:
            changed = await connection.fetchval(
                "SELECT sequence FROM fields WHERE epoch = $1 AND championship = $2 AND sequence <= $3",
                *(self.epoch, championship, until),
            )
            entrants = await connection.fetch(
                "SELECT number, sequence FROM entrants WHERE epoch = $1 AND championship = $2 AND sequence <= $3",
                *(self.epoch, championship, until),
            )
            seats = await connection.fetch(
                "SELECT round, tbl, grp, entrants, sequence FROM seats"
                " WHERE epoch = $1 AND championship = $2 AND sequence <= $3 AND ($4::int IS NULL OR round = $4)",
                *(self.epoch, championship, until, rounds),
            )
            results = await connection.fetch(
                "SELECT round, board, attempt, tbl, scores, thinking_us, playing_us, taken_over"
                " FROM results JOIN unnest($3::text[], $4::bigint[]) AS c(stream, until)"
                " ON results.stream = c.stream AND results.sequence <= c.until"
                " WHERE epoch = $1 AND championship = $2 AND ($5::int IS NULL OR round = $5)"
                " AND ($6::int[] IS NULL OR board = ANY($6))",
                *(self.epoch, championship, list(cut), list(cut.values()), rounds, boards),
            )
            byes = await connection.fetch(
                "SELECT round, entrant, tables IS NULL AS alone FROM byes LEFT JOIN rounds"
                " USING (epoch, championship, round)"
                " WHERE epoch = $1 AND championship = $2 AND sequence <= $3 AND ($4::int IS NULL OR round = $4)",
                *(self.epoch, championship, until, rounds),
            )
            matches = await connection.fetch(
                "SELECT round, tbl, winner, levels, clause, deals"
                " FROM matches JOIN unnest($3::text[], $4::bigint[]) AS c(stream, until)"
                " ON matches.stream = c.stream AND matches.sequence <= c.until"
                " WHERE epoch = $1 AND championship = $2 AND ($5::int IS NULL OR round = $5)",
                *(self.epoch, championship, list(cut), list(cut.values()), rounds),
            )
        # Of a large field that is a million rows, for which nobody else shall wait.
        return await asyncio.to_thread(_field, entrants, seats, results, byes, matches, changed or 0)


def _field(
    entrants: Sequence[Any],
    seats: Sequence[Any],
    results: Sequence[Any],
    byes: Sequence[Any],
    matches: Sequence[Any],
    changed: int,
) -> Field:
    return Field(
        tuple(sorted(row["number"] for row in entrants)),
        {(row["round"], row["tbl"]): (row["grp"], tuple(row["entrants"])) for row in seats},
        tuple(map(_board, results)),
        max([changed, *(row["sequence"] for row in (*entrants, *seats))]),
        tuple((row["round"], row["entrant"]) for row in byes),
        tuple(map(_match, matches)),
        frozenset(row["round"] for row in byes if row["alone"]),
    )


def _board(row: Any) -> PlayedBoard:
    round_, board, attempt, table, scores, thinking, playing, taken_over = row.values()
    return PlayedBoard(
        round_, board, attempt, table, tuple(scores), tuple(thinking), tuple(playing), tuple(taken_over)
    )


def _match(row: Any) -> EndedMatch:
    round_, table, winner, levels, clause, deals = row.values()
    return EndedMatch(round_, table, winner, tuple(levels), clause, deals)
