"""Conduct that is recorded at no table: after play, of officials, of spectators (C11.1)."""

from __future__ import annotations

import pytest

from fupan.pairing.v1 import service_pb2 as pb
from services.pairing.model import commands as c
from services.pairing.model import events as e
from tests.cup import CHIEF, Cup
from tests.pairing.given import CLOSED, PAIRING
from tests.platform import OPERATOR, Platform, refused

REFEREE = e.OfficialAppointed("li", "referee", "")
PAST = (*CLOSED, REFEREE)


def order(
    code: str, entrant: int = 0, person: str = "", round_: int = 0, outcome: str = "warning"
) -> c.RecordConduct:
    return c.RecordConduct(code, outcome, "seen", entrant, person, round_)


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
        command.code, command.outcome, "seen", command.entrant, command.person_id, command.round
    )
    past = PAIRING.given(*PAST).when(command, by="wang").then(recorded)
    assert [(one.recorded, one.referee) for one in past.state.conduct] == [(recorded, "wang")]


def test_an_official_whose_commission_has_ended_is_still_one_whose_conduct_is_recorded() -> None:
    ended = e.OfficialSuspended("li", "referee", "biased")
    recorded = e.ConductRecorded("R3", "removal", "seen", 0, "li", 0)
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
        (c.RecordConduct("A6", "warning", " ", 1, "", 0), "REASON_MISSING C9.4"),
    ],
)
def test_what_is_said_of_nobody_or_of_somebody_else(command: c.RecordConduct, reason: str) -> None:
    PAIRING.given(*PAST).when(command).rejected(*reason.split())


async def test_a_referee_records_what_happens_after_the_tables_are_signed(platform: Platform) -> None:
    """C9.3, C9.4: by who does not play; officials read it, and the log keeps who recorded it."""
    await platform.start()
    cup = await Cup.create(
        platform,
        entrants=6,
        rounds=1,
        officials=[(CHIEF, "chief_referee"), ("li", "referee"), ("p-1", "referee")],
    )
    await cup.ended()

    def asked(command_id: str, entrant: int = 3) -> pb.RecordConductRequest:
        return pb.RecordConductRequest(
            command_id=command_id,
            championship="cup",
            code="A6",
            outcome="warning",
            reason="discussed board 2",
            entrant=entrant,
            round=1,
        )

    li, chief = platform.of("li").pairing, platform.of(CHIEF).pairing
    position = (await li.RecordConduct(asked("c1"))).receipt.position
    await li.RecordConduct(asked("c1"))  # sent again
    assert (await refused(li.RecordConduct(asked("c2", entrant=0)))).clause == "C11.1"
    assert (await refused(platform.of("p-1").pairing.RecordConduct(asked("c3")))).reason == "PLAYS_THE_EVENT"
    assert (await refused(platform.of(OPERATOR).pairing.RecordConduct(asked("c4")))).reason == "NOT_IN_ROLE"
    reading = pb.ListConductRequest(championship="cup", min_position=position)
    (one,) = (await chief.ListConduct(reading)).conduct
    assert (one.recorded.code, one.recorded.entrant, one.recorded.round, one.referee) == ("A6", 3, 1, "li")
    assert one.time_us
    assert (await refused(platform.of("p-2").pairing.ListConduct(reading))).reason == "NOT_IN_ROLE"
