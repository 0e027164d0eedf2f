"""A match that counts by its score sheet is contested as any board is (C8.6, C10.1)."""

from __future__ import annotations

from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger import record as ledger
from services.pairing.model.events import VENUE_ITEMS
from tests.cup import CHIEF, Cup
from tests.platform import Platform, refused

MATCH = events.Contested(board=events.ContestedBoard(table="r1-t1", round=1, board=9, attempt=1))
WON_BY_OTHERS = scoring_events.Remedy(
    correct_match=scoring_events.CorrectMatch(table="r1-t1", round=1, winner=1, levels=["7", "A"])
)


async def test_C8_6_a_confirmed_sheet_is_contested_its_records_in_the_case_and_the_match_corrected(
    platform: Platform,
) -> None:
    """C10.1, C10.6: a sheet opens and closes no board; that its match has ended is what can be contested."""
    await platform.start()
    cup = await Cup.create(
        platform,
        entrants=2,
        members=2,
        game="shengji",
        format="points",
        rounds=1,
        venue="onsite",
        appeals="{final_authority: arbitration}",
    )
    venue = pairing.ConfirmVenueRequest(command_id="v", championship="cup", items=VENUE_ITEMS)
    await platform.of(CHIEF).pairing.ConfirmVenue(venue)
    await cup.pair()
    await platform.events.wait("round_started")
    told = await refused(cup.file(1, MATCH, [WON_BY_OTHERS]))
    assert (told.reason, told.clause) == ("BOARD_OPEN", "C10.1")
    await cup.tables.play_matches(1)
    await platform.events.wait("standings_published", after_round=1)
    no_deal = events.ContestedBoard(table="r1-t1", round=1, board=10, attempt=1)
    assert (
        await refused(cup.file(1, events.Contested(board=no_deal), [WON_BY_OTHERS]))
    ).reason == "BOARD_OPEN"
    filed = await cup.file(1, MATCH, [WON_BY_OTHERS])
    await platform.events.wait("case_assembled", edition=1, complete=True)
    request = pb.GetCaseRequest(command_id="case", championship="cup", appeal=filed.appeal)
    answer = await platform.of(CHIEF).appeals.GetCase(request)
    case = case_pb2.CaseFile.FromString(answer.case_file)
    # Everything that the table wrote of the match: when it was opened, and how it ended.
    written = [
        one.data for one in await platform.events.stored() if one.subject == cup.tables.subject("r1-t1")
    ]
    assert [one.stored for one in case.board.records] == written[:2]
    first = ledger.decode(written[0])
    head = ledger.record_hash(first.header.prev_hash, written[0])
    assert case.board.head == ledger.record_hash(head, written[1])
    assert case.board.opened.table == case.seating[0].table == "r1-t1"
    assert not case.board.HasField("closing")
    await cup.panel(filed.appeal)
    corrected = await platform.events.wait("match_corrected")
    matches = await cup.boss.scoring.ListMatches(
        scoring.ListMatchesRequest(championship="cup", min_position=corrected.position)
    )
    (played,) = matches.matches
    assert list(played.points) == [0, 3]
