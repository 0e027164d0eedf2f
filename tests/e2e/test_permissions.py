"""What each service could do if it were taken over: its NATS user and its database role reach what their rows say, no more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import nats
import pytest
from nats.aio.client import Client

from clients.cli.local.access import ACCESS
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.common.v1 import log_service_pb2 as log
from services.runtime.config import SERVICES
from services.runtime.embedded import postgres
from services.runtime.embedded.nats import Access
from tests.e2e import scratch
from tests.e2e.directory import Inside, moves
from tests.e2e.scene import CUP, Scene
from tests.servers import SECONDS

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Refusals:
    """What the server says that a user may not do."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._moved = asyncio.Condition()

    async def note(self, error: Exception) -> None:
        """The client's error callback."""
        async with self._moved:
            self.words.append(str(error).lower())
            self._moved.notify_all()

    async def count(self, number: int) -> None:
        """Return when so many were heard."""
        async with asyncio.timeout(SECONDS), self._moved:
            await self._moved.wait_for(lambda: len(self.words) >= number)


@asynccontextmanager
async def connected(inside: Inside, user: str, refusals: Refusals) -> AsyncIterator[Client]:
    """A service's NATS user."""
    directory = inside.directory
    client = await nats.connect(
        f"nats://127.0.0.1:{directory.port('nats')}",
        user=user,
        password=directory.secret(f"nats/{user}"),
        inbox_prefix=f"_INBOX.{user}".encode(),
        error_cb=refusals.note,
        allow_reconnect=False,
    )
    yield client
    await client.close()


def subjects(inside: Inside, service: str) -> list[str]:
    """A subject of each stream that a service writes."""
    epoch = inside.epoch
    match service:
        case "table":
            return [f"fupan.{epoch.id}.table.{p}.{CUP}.forged" for p in range(epoch.partitions)]
        case "appeals":
            return [epoch.appeal_subject(CUP, "forged")]
        case _:
            return [epoch.subject(service, CUP)]


def forbidden(inside: Inside, row: Access) -> list[str]:
    """Everything a service must not publish to: others' records, streams it need not read, what changes streams."""
    epoch = inside.epoch
    foreign = [one for one in SERVICES if one not in row.writes]
    unread = [one for one in foreign if one not in row.reads]
    published = [subject for one in foreign for subject in subjects(inside, one)]
    for stream in (stream for one in unread for stream in epoch.streams_of(one)):
        published += [
            f"$JS.API.STREAM.INFO.{stream}",
            f"$JS.API.STREAM.MSG.GET.{stream}",
            f"$JS.API.DIRECT.GET.{stream}",
            f"$JS.API.DIRECT.GET.{stream}.fupan.x",
            f"$JS.API.CONSUMER.CREATE.{stream}",
            f"$JS.API.CONSUMER.CREATE.{stream}.c.fupan.x",
            f"$JS.API.CONSUMER.DURABLE.CREATE.{stream}.c",
        ]
    for stream in (spec.name for spec in epoch.specs()):
        published += [f"$JS.API.STREAM.{verb}.{stream}" for verb in ("CREATE", "UPDATE", "DELETE", "PURGE")]
        published += [f"$JS.API.STREAM.{verb}.{stream}" for verb in ("MSG.DELETE", "RESTORE", "SNAPSHOT")]
        published.append(f"$JS.API.CONSUMER.DELETE.{stream}.c")
    others = [one for one in SERVICES if one != row.service]
    published += [f"_INBOX.{one}.x" for one in others] + [
        "$JS.API.STREAM.CREATE.MINE",
        "$SYS.REQ.SERVER.PING",
    ]
    return published


@pytest.mark.parametrize("row", ACCESS, ids=lambda row: row.service)
async def test_a_service_publishes_nothing_that_its_row_does_not_say(scene: Scene, row: Access) -> None:
    refusals, tried = Refusals(), forbidden(scene.inside, row)
    async with connected(scene.inside, row.service, refusals) as client:
        for subject in tried:
            await client.publish(subject, b"{}")
        await refusals.count(len(tried))
    words = "\n".join(refusals.words)
    assert [subject for subject in tried if f'publish to "{subject.lower()}"' not in words] == []


@pytest.mark.parametrize("row", ACCESS, ids=lambda row: row.service)
async def test_a_service_hears_nothing_that_its_row_does_not_say(scene: Scene, row: Access) -> None:
    refusals = Refusals()
    others = [one for one in SERVICES if one != row.service]
    tried = [">", "fupan.>", "$JS.>", "$SYS.>", "_INBOX.>", *(f"_INBOX.{one}.>" for one in others)]
    if not row.talks:
        tried += ["fupan.live.>", "fupan.live.table.>"]
    async with connected(scene.inside, row.service, refusals) as client:
        for subject in tried:
            await client.subscribe(subject)
        await refusals.count(len(tried))


async def test_what_a_service_makes_the_server_write_for_it_is_believed_by_nobody(scene: Scene) -> None:
    """The answer to a question goes wherever the question says, rights or not (`services.runtime.provenance`)."""
    epoch = scene.inside.epoch
    victims = [epoch.appeal_subject(CUP, f"forged-{number}") for number in (1, 2)]
    async with (
        connected(scene.inside, "scoring", Refusals()) as client,
        moves(scene.inside, [epoch.stream("appeals")]) as counted,
    ):
        await client.publish(f"$JS.API.DIRECT.GET.{epoch.stream('pairing')}", b'{"seq": 1}', reply=victims[0])
        await client.publish(f"$JS.API.STREAM.INFO.{epoch.stream('pairing')}", b"", reply=victims[1])
        await counted.reach(2)
    async with scene.inside.caller(scratch.OPERATOR) as operator:
        told = await operator.appeals.ListAppeals(appeals.ListAppealsRequest(championship=CUP))
        assert not told.appeals
        listed = await operator.log("appeals").ListSubjects(log.ListSubjectsRequest(championship=CUP))
        assert not listed.subjects
        findings = [
            one.finding.kind
            async for one in operator.log("appeals").Reconcile(log.ReconcileRequest())
            if one.HasField("finding")
        ]
    assert findings == ["NOT_APPENDED"] * 2


@pytest.mark.parametrize("service", SERVICES)
async def test_a_role_reaches_no_other_services_schema(scene: Scene, service: str) -> None:
    directory = scene.inside.directory
    port = directory.port("postgres")
    superuser = await asyncpg.connect(scene.inside.dsn())
    tables = await superuser.fetch("SELECT schemaname, tablename, tableowner FROM pg_tables")
    await superuser.close()
    foreign = [one for one in tables if one["tableowner"] in SERVICES and one["tableowner"] != service]
    assert len({one["tableowner"] for one in foreign}) == len(SERVICES) - 1
    connection = await asyncpg.connect(postgres.dsn(directory, port, service))
    for one in foreign:
        name = f'"{one["schemaname"]}"."{one["tablename"]}"'
        for statement in (f"SELECT * FROM {name}", f"DELETE FROM {name}", f"DROP TABLE {name}"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    for statement in (
        "SELECT pg_read_file('postgresql.conf')",
        "CREATE ROLE mine",
        "SELECT * FROM pg_authid",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    await connection.close()
