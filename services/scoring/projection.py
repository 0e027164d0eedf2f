"""Facts in Postgres: written in batches, asked for by championship and cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from services.ledger.record import Stored
from services.runtime.postgres import Database
from services.scoring import facts as f
from services.scoring.field import Field, PlayedBoard

SCHEMA = "scoring_facts"


class FactsProjection:
    """Writes facts. Implements `runtime.projector.Projection`."""

    schema = SCHEMA
    migrations = Path(__file__).parent / "migrations"

    def __init__(self, streams: Sequence[str]) -> None:
        self.streams = streams

    async def apply(self, connection: asyncpg.Connection, records: Sequence[Stored]) -> int:
        """Write the facts of some records of one stream, in order."""
        reader = f.Reader()
        boards: list[f.BoardClosed] = []
        for stored in records:
            for fact in reader.read(stored):
                if isinstance(fact, f.BoardClosed):
                    boards.append(fact)
                else:
                    await _write(connection, fact)
        await _write_boards(connection, boards)
        return reader.skipped


async def _write_boards(connection: asyncpg.Connection, boards: Sequence[f.BoardClosed]) -> None:
    if boards:
        await connection.executemany(
            "INSERT INTO results VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING",
            [
                (
                    b.championship,
                    b.round,
                    b.board,
                    b.attempt,
                    b.table,
                    b.stream,
                    b.sequence,
                    b.time_us,
                    list(b.scores),
                    list(b.thinking_us),
                    list(b.playing_us),
                    list(b.taken_over),
                )
                for b in boards
            ],
        )


async def _write(connection: asyncpg.Connection, fact: f.Fact) -> None:
    match fact:
        case f.EntrantsGiven():
            await connection.execute(
                "INSERT INTO entrants SELECT $1, number, $2, NULL FROM unnest($3::int[]) AS number ON CONFLICT DO NOTHING",
                fact.championship,
                fact.import_id,
                fact.numbers,
            )
        case f.ImportClosed():
            await connection.execute(
                "UPDATE entrants SET sequence = $3 WHERE championship = $1 AND import_id = $2",
                fact.championship,
                fact.import_id,
                fact.sequence,
            )
        case f.TablesSeated():
            if fact.chunk == 0:
                await _unseat(connection, fact.championship, fact.round)
            await _seat(connection, fact.championship, fact.round, fact.chunk, None, fact.tables)
        case f.RoundPaired():
            await connection.execute(
                "UPDATE seats SET sequence = $3 WHERE championship = $1 AND round = $2",
                fact.championship,
                fact.round,
                fact.sequence,
            )
        case f.SeatingReplaced():
            await _unseat(connection, fact.championship, fact.round)
            await _seat(connection, fact.championship, fact.round, 0, fact.sequence, fact.tables)
        case _:
            raise TypeError(type(fact))


async def _unseat(connection: asyncpg.Connection, championship: str, round_: int) -> None:
    await connection.execute("DELETE FROM seats WHERE championship = $1 AND round = $2", championship, round_)


async def _seat(
    connection: asyncpg.Connection,
    championship: str,
    round_: int,
    chunk: int,
    sequence: int | None,
    tables: Iterable[tuple[str, int, tuple[int, ...]]],
) -> None:
    await connection.executemany(
        "INSERT INTO seats VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        [
            (championship, round_, chunk, table, group, list(entrants), sequence)
            for table, group, entrants in tables
        ],
    )


@dataclass(slots=True)
class FactsQuery:
    """Reads facts."""

    database: Database

    async def field(self, championship: str, cut: Mapping[str, int], pairing_stream: str) -> Field:
        """Everything that counts of a championship within `cut` (stream → last sequence)."""
        streams, sequences = list(cut), list(cut.values())
        until = cut.get(pairing_stream, 0)
        async with self.database.transaction(SCHEMA, readonly=True) as connection:
            entrants = await connection.fetch(
                "SELECT number FROM entrants WHERE championship = $1 AND sequence <= $2", championship, until
            )
            seats = await connection.fetch(
                "SELECT round, tbl, grp, entrants FROM seats WHERE championship = $1 AND sequence <= $2",
                championship,
                until,
            )
            boards = await connection.fetch(
                "SELECT r.* FROM results r JOIN unnest($2::text[], $3::bigint[]) AS c(stream, until)"
                " ON r.stream = c.stream AND r.sequence <= c.until WHERE championship = $1",
                championship,
                streams,
                sequences,
            )
        return Field(
            tuple(sorted(row["number"] for row in entrants)),
            {(row["round"], row["tbl"]): (row["grp"], tuple(row["entrants"])) for row in seats},
            tuple(_board(row) for row in boards),
        )


def _board(row: Any) -> PlayedBoard:
    return PlayedBoard(
        row["round"],
        row["board"],
        row["attempt"],
        row["tbl"],
        tuple(row["scores"]),
        tuple(row["thinking_us"]),
        tuple(row["playing_us"]),
        tuple(row["taken_over"]),
    )
