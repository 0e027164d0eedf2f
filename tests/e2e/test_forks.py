"""Somebody rewrites the stream of a table that is being played: it is suspended, the chief referee decides, play goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import asyncpg

from services.ledger import record as ledger
from services.runtime.store import Stored
from services.runtime.streams import stream_of
from tests.e2e import scratch
from tests.e2e.canary import Seeded
from tests.e2e.command import Ended, folder, fupan
from tests.e2e.directory import Inside
from tests.e2e.scratch import CHIEF, Cup
from tests.e2e.test_reconcile import rewritten
from tests.servers import SECONDS

TABLE = "r1-t1"


async def archived(inside: Inside, stream: str) -> None:
    """Return when the archive has all of a stream."""
    store, connection = await inside.log(), await asyncpg.connect(inside.dsn())
    question = "SELECT true FROM table_archive.records WHERE stream = $1 AND sequence = $2"
    last = await store.last_sequence(stream)
    async with asyncio.timeout(SECONDS):
        while not await connection.fetchval(question, stream, last):  # noqa: ASYNC110  # another process's work
            await asyncio.sleep(0.1)
    await connection.close()
    await store.close()


def decide(cup: Cup, version: int, stands: str) -> Ended:
    """The chief referee's decision, by the command."""
    where = ("--server", cup.inside.data, "--championship", cup.id, "--as", CHIEF)
    return fupan("table", "decide", TABLE, version, stands, "--reason", "the stream was written anew", *where)


async def test_a_table_goes_on_once_the_chief_referee_has_decided() -> None:
    with folder() as place:
        async with scratch.platform(place) as inside:
            cup = await scratch.found(inside, "cup", entrants=3, boards=1)
            await cup.pair()
            seats = (await cup.tables())[TABLE]
            await _played(cup, seats, asks=4)
            subject = inside.epoch.table_subject(cup.id, TABLE)
            stream = stream_of(subject)
            await archived(inside, stream)
            last = await _forked(inside, cup, subject)
            found = await asyncio.to_thread(fupan, "audit", "reconcile", "table", "--server", inside.data)
            assert found.code == 1
            refused = await asyncio.to_thread(
                fupan, "table", "close", TABLE, "--reason", "x", "--server", inside.data, "--as", CHIEF
            )
            assert "SUBJECT_SUSPENDED" in refused.err
            assert "NO_FORK" in (await asyncio.to_thread(decide, cup, last - 1, "archive")).err
            done = await asyncio.to_thread(decide, cup, last, "archive")
            assert done.code == 0, done.err
            players = [asyncio.create_task(cup.play(person)) for person in seats]
            # Pairing's log, which the file brings along, is everybody's from then on.
            await cup.until(lambda told: told.phase == "closed")
            for one in players:
                one.cancel()
            await asyncio.gather(*players, return_exceptions=True)
            file = inside.data.parent / f"{TABLE}.fupan"
            await asyncio.to_thread(_exported, cup, file)
            verified = await asyncio.to_thread(fupan, "audit", "verify", file, "--json")
            assert verified.code == 0, verified.out
            settled = next(one["settled"] for one in verified.told["checks"] if one["check"] == "chain")
            assert [note.partition(" fell by ")[0] for note in settled] == [f"{subject} version {last}"]


def _exported(cup: Cup, file: Path) -> None:
    done = fupan(
        *("audit", "export", "--table", TABLE, "--out", file),
        *("--server", cup.inside.data, "--championship", cup.id),
    )
    assert done.code == 0, done.err


async def _played(cup: Cup, persons: Sequence[str], asks: int) -> None:
    """Play until somebody has answered so many questions; then all leave."""
    players = [asyncio.create_task(cup.play(one, lambda moment: moment.ask <= asks)) for one in persons]
    await asyncio.wait(players, return_when=asyncio.FIRST_COMPLETED)
    for one in players:
        one.cancel()
    await asyncio.gather(*players, return_exceptions=True)


async def _forked(inside: Inside, cup: Cup, subject: str) -> int:
    """Another record in the place of the table's last one, which fits as well; its version."""
    version = 0

    def forged(records: Sequence[Stored]) -> list[Stored]:
        nonlocal version
        last = records[-1]
        record = ledger.decode(last.data)
        version = record.header.version
        key = Seeded(cup.id, cup.seed).log_key(TABLE, record.header.key_ids[0])
        plain = ledger.encode_body(ledger.body_of(record, key))
        content = ledger.seal(key, bytes(ledger.NONCE), subject, version, plain)
        data = ledger.encode(record._replace(content=content))
        return [*records[:-1], last._replace(data=data)]

    await rewritten(inside, stream_of(subject), forged)
    return version
