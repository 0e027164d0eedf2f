"""Somebody with the operator's rights over NATS rewrites streams: `fupan audit reconcile` tells what, and where."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from services.ledger import record as ledger
from services.runtime.config import SERVICES
from services.runtime.jetstream import JetStreamStore
from services.runtime.store import Stored
from services.runtime.streams import stream_config
from tests.e2e.command import Ended, Running, folder, fupan
from tests.e2e.directory import Inside
from tests.servers import SECONDS

pytestmark = pytest.mark.asyncio(loop_scope="module")

TINY = ("--entrants", 3, "--rounds", 1, "--boards", 1, "--seed", 7, "--json")

AWAY = 3
"""The command's exit code where nobody answers."""

Rewrite = Callable[[Sequence[Stored]], Sequence[Stored]]


@dataclasses.dataclass(frozen=True)
class Platform:
    """A platform whose championship is over, its archive complete."""

    inside: Inside
    demo: Running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    with folder() as place:
        inside = Inside(place / "data")
        async with Running("demo", *TINY, "--data", inside.data) as demo:
            await demo.prints()
            async with asyncio.timeout(SECONDS):
                while await unarchived(inside):  # noqa: ASYNC110  # another process's progress
                    await asyncio.sleep(0.05)
            yield Platform(inside, demo)


async def unarchived(inside: Inside) -> list[str]:
    """Streams whose archive is behind: it gathers records for a moment."""
    store, connection = await inside.log(), await asyncpg.connect(inside.dsn())
    behind = []
    for service in SERVICES:
        for stream in inside.epoch.streams_of(service):
            archived = await connection.fetchval(
                f"SELECT sequence FROM {service}_archive.checkpoints WHERE stream = $1", stream
            )
            if archived != await store.last_sequence(stream):
                behind.append(stream)
    await connection.close()
    await store.close()
    return behind


async def reconciled(inside: Inside, *services: str) -> Ended:
    """What the command found. Services whose stream went back start anew, and are asked again once they serve."""
    where = ("--server", inside.data, "--output", "json")
    async with asyncio.timeout(SECONDS):
        while (done := await asyncio.to_thread(fupan, "audit", "reconcile", *services, *where)).code == AWAY:
            pass
    return done


async def rewritten(inside: Inside, stream: str, rewrite: Rewrite, removed: int = 0) -> None:
    """The stream made anew, every record at its place again but for what `rewrite` changes and the one `removed`."""
    spec = next(one for one in inside.epoch.specs() if one.name == stream)
    store = await inside.log()
    last = await store.last_sequence(stream)
    records = [await _got(store, stream, sequence) for sequence in range(1, last + 1)]
    await store.js.delete_stream(stream)
    await store.js.add_stream(stream_config(spec).evolve(deny_delete=False))
    heads: dict[str, int] = {}
    for record in rewrite(records):
        heads[record.subject] = await store.append(record.subject, record.data, heads.get(record.subject, 0))
    if removed:
        await store.js.delete_msg(stream, removed)
    await store.js.update_stream(stream_config(spec))
    await store.close()


async def _got(store: JetStreamStore, stream: str, sequence: int) -> Stored:
    record = await store.get(stream, sequence)
    assert record is not None
    return record


@pytest.fixture
def inside(platform: Platform) -> Inside:
    return platform.inside


async def longest_table_stream(inside: Inside) -> str:
    store = await inside.log()
    found = [(await store.last_sequence(name), name) for name in inside.epoch.table_streams()]
    await store.close()
    return max(found)[1]


def findings(done: Ended) -> list[tuple[str, int, int]]:
    """Kind, sequence and version of everything found."""
    return [(one["kind"], one["sequence"], one["version"]) for one in _told(done)]


def _told(done: Ended) -> Any:
    return done.told


async def test_nothing_is_found_before(inside: Inside) -> None:
    done = await reconciled(inside, "table")
    assert (done.code, findings(done)) == (0, [])


async def test_a_removed_record_is_named(inside: Inside) -> None:
    stream = await longest_table_stream(inside)
    await rewritten(inside, stream, lambda records: records, removed=7)
    done = await reconciled(inside, "table")
    assert done.code == 1
    assert findings(done) == [("REMOVED", 7, 7)]
    assert _told(done)[0]["stream"] == stream


async def test_a_changed_byte_is_named(inside: Inside) -> None:
    def changed(records: Sequence[Stored]) -> list[Stored]:
        second = records[1]
        at = second.data.rindex(b"boards")
        data = second.data[:at] + b"bOards" + second.data[at + 6 :]
        return [records[0], second._replace(data=data), *records[2:]]

    await rewritten(inside, inside.epoch.stream("dealer"), changed)
    done = await reconciled(inside, "dealer")
    assert done.code == 1
    assert findings(done) == [("CHANGED", 2, 2)]


async def test_another_history_is_a_fork(inside: Inside) -> None:
    def forked(records: Sequence[Stored]) -> list[Stored]:
        """The last record replaced by one that fits the chain as well, with other words."""
        last = records[-1]
        record = ledger.decode(last.data)
        body = ledger.body_of(record)._replace(command_id="another history")
        data = ledger.encode(record._replace(content=ledger.encode_body(body)))
        return [*records[:-1], last._replace(data=data)]

    await rewritten(inside, inside.epoch.stream("scoring"), forked)
    done = await reconciled(inside, "scoring")
    assert done.code == 1
    (found,) = findings(done)
    assert found[0] == "FORK"


async def test_a_stream_cut_back_has_lost_what_the_archive_has(inside: Inside) -> None:
    await rewritten(inside, inside.epoch.stream("appeals"), lambda records: records[:3])
    done = await reconciled(inside, "appeals")
    assert done.code == 1
    kinds = findings(done)
    assert {kind for kind, _, _ in kinds} == {"REMOVED"}
    assert kinds[0][1:] == (4, 4)


async def test_a_restart_is_possible_and_hides_nothing(platform: Platform) -> None:
    assert (await platform.demo.interrupt()).code == 0
    async with Running("up", "--data", platform.inside.data) as up:
        await up.says("The platform runs")
        done = await reconciled(platform.inside)
    assert {kind for kind, _, _ in findings(done)} == {"REMOVED", "CHANGED", "FORK"}
