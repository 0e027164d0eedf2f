"""A person is erased: its name and writings are gone for ever, and every chain stays whole."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from fupan.appeals.v1 import service_pb2 as appeals
from fupan.pairing.v1 import service_pb2 as pb
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from tests.cup import CHIEF, Cup
from tests.platform import Caller, Platform, refused
from tests.servers import SECONDS

NAME, GROUNDS = "韩梅梅", "第一副记错了"


async def erase(pairing: Caller, person: str, command_id: str = "erase") -> pb.ErasePersonResponse:
    request = pb.ErasePersonRequest(command_id=command_id, championship="cup", person_id=person)
    response: pb.ErasePersonResponse = await pairing.ErasePerson(request)
    return response


async def names(cup: Cup) -> list[str]:
    listed = await cup.boss.pairing.ListEntrants(pb.ListEntrantsRequest(championship="cup"))
    return [one.names[0] for one in listed.entrants]


async def grounds(cup: Cup, number: int, appeal: str) -> str:
    """What an appellant reads of its own appeal."""
    request = appeals.GetAppealRequest(championship="cup", appeal=appeal)
    told = await cup.platform.of(f"p-{number}").appeals.GetAppeal(request)
    return str(told.appeal.grounds)


async def entered(platform: Platform) -> Cup:
    """Six persons with names."""
    cup = await Cup.create(platform, entrants=0, rounds=1)
    rows = [
        pb.ImportRow(line=n, members=[pb.PersonRow(person_id=f"p-{n}", name=f"{NAME}{n}", contact="138")])
        for n in range(1, 7)
    ]
    await cup.boss.pairing.ImportEntrants(cup.importing(rows, "i"))
    return cup


async def test_name_and_writings_are_gone_and_the_log_is_whole(platform: Platform) -> None:
    await platform.start()
    cup = await entered(platform)
    await cup.ended()
    filed = [await cup.file(number, grounds=GROUNDS) for number in (1, 2)]
    await erase(cup.boss.pairing, "p-1")
    assert await names(cup) == ["", *(f"{NAME}{n}" for n in range(2, 7))]
    async with asyncio.timeout(SECONDS):
        while await grounds(cup, 1, filed[0].appeal):  # noqa: ASYNC110  # another service's reaction
            await asyncio.sleep(0.05)
    assert await grounds(cup, 2, filed[1].appeal) == GROUNDS
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    checks = {check.name: check for check in verify_file(file, ()).checks}
    assert checks["chain"].done
    assert checks["chain"].findings == checks["standings"].findings == ()


async def test_what_somebody_writes_that_was_erased_is_erased_when_that_is_asked_for_again(
    platform: Platform,
) -> None:
    await platform.start()
    cup = await entered(platform)
    await cup.ended()
    await erase(cup.boss.pairing, "p-1")
    filed = await cup.file(1, grounds=GROUNDS)
    assert await grounds(cup, 1, filed.appeal) == GROUNDS
    await erase(cup.boss.pairing, "p-1", "again")
    async with asyncio.timeout(SECONDS):
        while await grounds(cup, 1, filed.appeal):  # noqa: ASYNC110  # another service's reaction
            await asyncio.sleep(0.05)


async def test_it_is_said_once_an_order_and_done_again_by_whoever_starts(platform: Platform) -> None:
    first = await platform.start()
    cup = await entered(platform)
    rows = await _rows(platform.dsn("pairing"), "p-3")
    told = await erase(cup.boss.pairing, "p-3")
    assert await erase(cup.boss.pairing, "p-3") == told
    assert len(await platform.events.of("person_erased")) == 1
    await first.stop()
    await _restore(platform.dsn("pairing"), rows)
    await platform.start()
    async with asyncio.timeout(SECONDS):
        while (await names(cup))[2]:  # noqa: ASYNC110  # it is done beside everything else
            await asyncio.sleep(0.05)


_TABLES = {"person_keys": "key", "persons": "sealed"}


async def _rows(dsn: str, person: str) -> dict[str, tuple[str, str, bytes]]:
    """What the database holds of a person, by table."""
    connection = await asyncpg.connect(dsn)
    rows = {
        table: tuple(
            await connection.fetchrow(
                f"SELECT championship, person_id, {column} FROM pairing.{table} WHERE person_id = $1", person
            )
        )
        for table, column in _TABLES.items()
    }
    await connection.close()
    return rows


async def _restore(dsn: str, rows: dict[str, tuple[str, str, bytes]]) -> None:
    """What a stop between the log and the database leaves: the rows of who is erased."""
    connection = await asyncpg.connect(dsn)
    for table, row in rows.items():
        await connection.execute(f"INSERT INTO pairing.{table} VALUES ($1, $2, $3)", *row)
    await connection.close()


async def test_nobody_but_an_operator_erases_and_only_who_was_entered(platform: Platform) -> None:
    await platform.start()
    cup = await entered(platform)
    for person in (CHIEF, "p-1", None):
        told = await refused(erase(platform.of(person).pairing, "p-1"))
        assert told.reason in ("NOT_IN_ROLE", "TOKEN_MISSING"), person
    assert (await refused(erase(cup.boss.pairing, "p-9"))).reason == "NO_SUCH_PERSON"
    assert await names(cup) == [f"{NAME}{n}" for n in range(1, 7)]


async def known(dsn: str) -> set[str]:
    """Persons of whom the database holds anything."""
    connection = await asyncpg.connect(dsn)
    rows = await connection.fetch(" UNION ".join(f"SELECT person_id FROM pairing.{one}" for one in _TABLES))
    await connection.close()
    return {row["person_id"] for row in rows}


@pytest.mark.parametrize("asked_first", [True, False])
async def test_an_import_that_is_refused_leaves_nothing_behind(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, asked_first: bool
) -> None:
    """Neither when it could not have been accepted from the first, nor when something else came in between."""
    await platform.start()
    cup = await entered(platform)
    await cup.ended()
    before = await known(platform.dsn("pairing"))
    if not asked_first:
        monkeypatch.setattr("services.pairing.decider.check_entry", lambda state: None)
    late = [pb.ImportRow(line=1, members=[pb.PersonRow(person_id="p-9", name=NAME, contact="138")])]
    told = await refused(cup.boss.pairing.ImportEntrants(cup.importing(late, "late")))
    assert (told.reason, told.clause) == ("COMPETITION_ENDED", "C1.6")
    assert await known(platform.dsn("pairing")) == before == {f"p-{n}" for n in range(1, 7)}


async def test_what_an_import_that_broke_off_left_is_erased_on_request(platform: Platform) -> None:
    await platform.start()
    cup = await entered(platform)
    rows = await _rows(platform.dsn("pairing"), "p-3")
    await _restore(platform.dsn("pairing"), {t: (row[0], "p-9", row[2]) for t, row in rows.items()})
    assert "p-9" in await known(platform.dsn("pairing"))
    assert (await refused(erase(cup.boss.pairing, "p-9"))).reason == "NO_SUCH_PERSON"
    assert await known(platform.dsn("pairing")) == {f"p-{n}" for n in range(1, 7)}


async def test_what_a_process_kept_that_died_before_the_record_vanishes_and_nothing_else(
    platform: Platform,
) -> None:
    first = await platform.start()
    texts = [Texts(platform, *one) for one in (("appeals", "grounds"), ("pairing", "reasons"))]
    for one in texts:  # other tests' events have the same name
        await one.execute("DELETE FROM {}")
    cup = await entered(platform)
    await cup.officials(("li", "referee"))
    await cup.ended()
    filed = await cup.file(1, grounds=GROUNDS)
    conduct = pb.RecordConductRequest(
        command_id="c", championship="cup", code="A6", outcome="warning", entrant=3, reason=GROUNDS
    )
    li = platform.of("li").pairing
    await li.RecordConduct(conduct)
    await first.stop()
    for one in texts:
        await one.execute("INSERT INTO {} SELECT championship, 'left', digest, key, sealed FROM {}")
        await one.execute("UPDATE {} SET since = now() - interval '2 hours'")
        assert await one.count("since IS NOT NULL") == 2
    await platform.start()
    for one in texts:
        async with asyncio.timeout(SECONDS):
            while await one.count("since IS NOT NULL"):  # noqa: ASYNC110  # done beside everything else
                await asyncio.sleep(0.05)
        assert await one.count("true") == 1
    assert await grounds(cup, 1, filed.appeal) == GROUNDS
    (told,) = (await li.ListConduct(pb.ListConductRequest(championship="cup"))).conduct
    assert told.reason == GROUNDS


class Texts:
    """What the database of a service holds of what was written."""

    def __init__(self, platform: Platform, service: str, kind: str) -> None:
        self._dsn, self._table = platform.dsn(service), f"{service}.{kind}"

    async def execute(self, sql: str) -> list[asyncpg.Record]:
        """Run a statement on `{}`."""
        connection = await asyncpg.connect(self._dsn)
        try:
            return list(await connection.fetch(sql.replace("{}", self._table)))
        finally:
            await connection.close()

    async def count(self, which: str) -> int:
        """How many texts there are of which something is true."""
        return len(await self.execute(f"SELECT FROM {{}} WHERE {which}"))
