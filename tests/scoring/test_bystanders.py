"""Who has played in an entrant's place judges nothing, whatever office it is given later (C1.6, C9.2)."""

from __future__ import annotations

from typing import Any

from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as pb
from fupan.table.v1 import events_pb2 as table
from services.runtime.positions import position
from services.runtime.streams import stream_of
from tests.cup import CHIEF
from tests.platform import Platform, refused
from tests.scoring.cups import played, standings
from tests.tables import Event

AT: dict[str, Any] = {"championship": "cup", "round": 1, "table": "r1-t1", "board": 1}


async def test_a_substitute_corrects_no_result_and_seats_nobody(platform: Platform) -> None:
    cup = await played(platform)
    appoint = pairing.AppointOfficialRequest(
        command_id="a", championship="cup", person_id="eva", role="deputy"
    )
    await cup.boss.pairing.AppointOfficial(appoint)
    eva = platform.of("eva")
    correct = pb.CorrectResultRequest(command_id="c", **AT, scores=[2, -1, -1], reason="counted again")
    await eva.scoring.CorrectResult(correct)
    subject = cup.tables.subject("r1-t2")
    given = Event(seat_replaced=table.SeatReplaced(seat=0, person_id="eva", reason="ill"))
    head = await cup.tables.write(subject, [given])
    read = position(stream_of(subject), head.sequence)
    await standings(cup, position=read)
    await eva.pairing.GetRound(pairing.GetRoundRequest(championship="cup", min_position=read))
    calls = (
        eva.scoring.CorrectResult(
            pb.CorrectResultRequest(command_id="d", **AT, scores=[4, -2, -2], reason="counted again")
        ),
        eva.scoring.OrderReplay(pb.OrderReplayRequest(command_id="o", championship="cup", round=1, board=1)),
        eva.pairing.OverrideSeating(
            pairing.OverrideSeatingRequest(command_id="s", championship="cup", round=1)
        ),
        eva.pairing.OrderPlayoff(pairing.OrderPlayoffRequest(command_id="p", championship="cup", rank=1)),
    )
    for call in calls:
        assert (await refused(call)).reason == "PLAYS_THE_EVENT"


async def test_how_many_records_tables_have_written_up_to_now_is_counted_for_nobody_who_plays(
    platform: Platform,
) -> None:
    """A publication's cut is public, and names how many there were."""
    await played(platform)

    async def read(person: str, publication: int) -> int:
        asked = pb.RebuildStandingsRequest(championship="cup", publication=publication)
        told = await platform.of(person).scoring.RebuildStandings(asked)
        assert told.same
        return int(told.records_read)

    everybody = ("p-1", "somebody", CHIEF, "service:pairing")
    assert [await read(person, 0) > 0 for person in everybody] == [False, False, True, True]
    assert len({await read(person, 1) for person in everybody} - {0}) == 1
