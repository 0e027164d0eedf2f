"""Conduct that is recorded at no table: after play, of officials, of spectators (C11.1)."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from fupan.pairing.v1 import service_pb2 as pb
from fupan.pairing.v1.events_pb2 import ConductRecorded, Event
from fupan.table.v1 import events_pb2 as table
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.digests import conduct_name
from tests.cup import CHIEF, Cup
from tests.pairing.given import CLOSED, PAIRING
from tests.platform import OPERATOR, Platform, refused
from tests.servers import SECONDS

REFEREE = e.OfficialAppointed("li", "referee", "")
PAST = (*CLOSED, REFEREE)
DIGEST = b"of the reason"


def order(
    code: str, entrant: int = 0, person: str = "", round_: int = 0, outcome: str = "warning"
) -> c.RecordConduct:
    return c.RecordConduct(code, outcome, "", entrant, person, round_, DIGEST)


@pytest.mark.parametrize(
    "command",
    [
        order("A6", 1, round_=1),
        order("A6", 1, "p-1"),
        order("V3", outcome="removal"),
        order("V1", person="li"),
        order("R3", person="li"),
        order("R1", person="boss"),
        order("S4"),
    ],
)
def test_of_whom_a_row_is(command: c.RecordConduct) -> None:
    recorded = e.ConductRecorded(
        command.code, command.outcome, "", command.entrant, command.person_id, command.round, DIGEST
    )
    past = PAIRING.given(*PAST).when(command, by="wang").then(recorded)
    assert [(one.recorded, one.referee) for one in past.state.conduct] == [(recorded, "wang")]


def test_an_official_whose_commission_has_ended_is_still_one_whose_conduct_is_recorded() -> None:
    ended = e.OfficialSuspended("li", "referee", "biased")
    recorded = e.ConductRecorded("R3", "removal", "", 0, "li", 0, DIGEST)
    PAIRING.given(*PAST, ended).when(order("R3", person="li", outcome="removal")).then(recorded)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (order("A6"), "WHO_MISSING C11.1"),
        (order("A6", person="p-1"), "WHO_MISSING C11.1"),
        (order("R1", 1, "p-1"), "WHO_MISSING C11.1"),
        (order("R1"), "WHO_MISSING C11.1"),
        (order("S1", 1), "WHO_MISSING C11.1"),
        (order("S1", person="li"), "WHO_MISSING C11.1"),
        (order("A6", 7), "NO_SUCH_ENTRANT C1.2"),
        (order("A6", 1, "p-2"), "NO_SUCH_PERSON C11.1"),
        (order("V1", person="p-1"), "NO_SUCH_PERSON C11.1"),
        (order("R1", person="nobody"), "NO_SUCH_PERSON C11.1"),
        (order("A6", 1, round_=2), "NO_SUCH_ROUND C1.1"),
        (order("A9", 1), "UNKNOWN_INFRINGEMENT C11.1"),
        (order("S10.15", 1), "UNKNOWN_INFRINGEMENT C11.1"),
        (order("A6", 1, outcome="prison"), "UNKNOWN_OUTCOME C11.1"),
        (c.RecordConduct("A6", "warning", entrant=1), "REASON_MISSING C9.4"),
    ],
)
def test_what_is_said_of_nobody_or_of_somebody_else(command: c.RecordConduct, reason: str) -> None:
    PAIRING.given(*PAST).when(command).rejected(*reason.split())


def test_what_is_said_of_a_person_goes_with_it_and_what_is_said_later_may_go_too() -> None:
    """Of its entrant where nobody is named; what is said of somebody else stays."""
    team = e.EntrantsImported("b", 0, (e.Entrant(9, (e.Member("an", ""), e.Member("bo", ""))),))
    said = [e.ConductRecorded("A6", "warning", "", 9, person, 0, DIGEST) for person in ("an", "bo", "")]
    other = e.ConductRecorded("A6", "warning", "", 1, "", 0, DIGEST)
    past = PAIRING.given(*PAST, team, e.EntrantsImportClosed("b", 1, b""), *said, other)
    gone = past.when(c.ErasePerson("an")).then(e.PersonErased("an"))
    assert [one.erased for one in gone.state.conduct] == [True, False, True, False]
    again = e.ConductRecorded("A6", "warning", "", 9, "an", 0, DIGEST)
    PAIRING.given(*PAST, team, e.EntrantsImportClosed("b", 1, b""), e.PersonErased("an"), again).when(
        c.ErasePerson("an")
    ).then(e.PersonErased("an"))


REASON = "discussed board 2"


async def recorded_after_play(platform: Platform) -> tuple[Cup, str]:
    """An event that has ended, A6 of entrant 3, recorded by a referee; the record's position."""
    await platform.start()
    officials = [(CHIEF, "chief_referee"), ("li", "referee"), ("p-1", "referee")]
    cup = await Cup.create(platform, entrants=6, rounds=1, officials=officials)
    await cup.ended()
    return cup, (await platform.of("li").pairing.RecordConduct(asked("c1"))).receipt.position


def asked(command_id: str, entrant: int = 3, reason: str = REASON) -> pb.RecordConductRequest:
    return pb.RecordConductRequest(
        command_id=command_id,
        championship="cup",
        code="A6",
        outcome="warning",
        reason=reason,
        entrant=entrant,
        round=1,
    )


async def listed(platform: Platform, person: str, position: str = "") -> list[pb.Conduct]:
    request = pb.ListConductRequest(championship="cup", min_position=position)
    return list((await platform.of(person).pairing.ListConduct(request)).conduct)


async def test_a_referee_records_what_happens_after_the_tables_are_signed(platform: Platform) -> None:
    """C9.3, C9.4: by who does not play; the log keeps who recorded it."""
    _, position = await recorded_after_play(platform)
    li = platform.of("li").pairing
    await li.RecordConduct(asked("c1"))  # sent again
    assert (await refused(li.RecordConduct(asked("c1", reason="other")))).reason == "COMMAND_ID_REUSED"
    assert (await refused(li.RecordConduct(asked("c2", entrant=0)))).clause == "C11.1"
    told = await refused(li.RecordConduct(asked("c2", reason=" ")))
    assert (told.reason, told.clause) == ("REASON_MISSING", "C9.4")
    assert (await refused(platform.of("p-1").pairing.RecordConduct(asked("c3")))).reason == "PLAYS_THE_EVENT"
    assert (await refused(platform.of(OPERATOR).pairing.RecordConduct(asked("c4")))).reason == "NOT_IN_ROLE"
    (one,) = await listed(platform, CHIEF, position)
    assert (one.recorded.code, one.recorded.entrant, one.recorded.round, one.referee) == ("A6", 3, 1, "li")
    assert one.time_us
    assert one.reason == REASON
    assert await reasons(platform) == 1, "of what was refused nothing stays"


async def test_of_two_sent_at_once_under_one_id_the_reason_of_the_recorded_one_stays(
    platform: Platform,
) -> None:
    await recorded_after_play(platform)
    calls = [platform.of("li").pairing.RecordConduct(asked("once", entrant)) for entrant in (1, 2, 4, 5)]
    told = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(not isinstance(one, BaseException) for one in told) == 1
    assert [one.reason for one in await listed(platform, CHIEF)] == [REASON, REASON]


async def test_why_is_told_to_officials_who_do_not_play_and_to_whom_it_concerns(platform: Platform) -> None:
    cup, position = await recorded_after_play(platform)
    for person in (OPERATOR, CHIEF, "li", "p-3"):
        assert [one.reason for one in await listed(platform, person, position)] == [REASON], person
    given = table.Event(seat_replaced=table.SeatReplaced(seat=0, person_id="eva"))
    await cup.tables.write(cup.tables.subject("r1-t1"), [given])
    await cup.officials(("eva", "referee"))
    # A referee who plays, somebody else's opponent, and a referee who has played in another's place.
    for person in ("p-1", "p-2", "eva"):
        assert await listed(platform, person, position) == []
    # Anybody reads the log, and an audit all that is in it.
    for stored in await platform.events.stored():
        assert REASON.encode() not in stored.data
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    checks = {check.name: check for check in verify_file(file, ()).checks}
    assert checks["chain"].findings == checks["offices"].findings == ()


async def test_what_an_older_version_recorded_is_read_still(platform: Platform) -> None:
    cup, _ = await recorded_after_play(platform)
    older = Event(conduct_recorded=ConductRecorded(code="S3", outcome="removal", reason="loud"))
    await cup.tables.pairing(older)
    async with asyncio.timeout(SECONDS):
        while len(told := await listed(platform, CHIEF)) < 2:  # noqa: ASYNC110  # it is read beside everything else
            await asyncio.sleep(0.02)
    assert [one.reason for one in told] == [REASON, "loud"]


async def test_what_was_written_of_a_person_is_erased_with_it(platform: Platform) -> None:
    cup, position = await recorded_after_play(platform)
    request = pb.ErasePersonRequest(command_id="erase", championship="cup", person_id="p-3")
    await cup.boss.pairing.ErasePerson(request)
    (one,) = await listed(platform, CHIEF, position)
    assert (one.recorded.code, one.reason) == ("A6", "")
    assert await reasons(platform) == 0


async def reasons(platform: Platform) -> int:
    """How many reasons the database holds of what these tests have Li record."""
    names = [conduct_name("li", f"c{number}") for number in range(1, 5)]
    connection = await asyncpg.connect(platform.dsn("pairing"))
    try:
        found = "SELECT count(*) FROM pairing.reasons WHERE championship = 'cup' AND conduct = ANY($1)"
        return int(await connection.fetchval(found, names))
    finally:
        await connection.close()
