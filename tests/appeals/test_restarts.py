"""A crash between any two events of a vote changes nothing (C10.4)."""

from __future__ import annotations

import pytest

from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from tests.cup import ARBITRATORS, Cup
from tests.platform import Platform

CONTESTED = events.Contested(publication=events.ContestedPublication(publication=1))
FINE = scoring_events.Remedy(set_penalty=scoring_events.SetPenalty(penalty="x", entrant=2, tenths=50))
A, B, C, D, _ = ARBITRATORS

VOTE = (
    "case_assembled",
    "fee_recorded",
    "panel_appointed",
    "voting_opened",
    "ballot_cast",
    "conflict_declared",
    "member_replaced",
    "ballot_cast",
    "ballot_cast",
    "voting_closed",
    "appeal_decided",
    "fee_refunded",
)
"""What a vote with one recusal leaves in the log, in this order."""


@pytest.mark.timeout(180)
async def test_a_crash_between_any_two_events_of_a_vote_changes_nothing(platform: Platform) -> None:
    """The service forgets everything after every record; each command is sent again, as a client does that got no answer."""
    replica = await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    others = ["dealer", "pairing", "scoring"]
    await replica.stop()
    await platform.start(others)
    appeals = await platform.start(["appeals"])

    async def anew() -> None:
        nonlocal appeals
        await appeals.stop()
        appeals = await platform.start(["appeals"])

    filed = await cup.file(1, CONTESTED, [FINE], command_id="file")
    await anew()
    assert await cup.file(1, CONTESTED, [FINE], command_id="file") == filed
    await platform.events.wait("case_assembled")
    for _ in range(2):
        await cup.pay(filed.appeal, command_id="pay")
        await anew()
    for _ in range(2):
        await cup.appoint(filed.appeal, (A, B, C), (D,), command_id="panel")
        await anew()
    await cup.vote(filed.appeal, A, uphold=True)
    await anew()
    back = pb.DeclareConflictRequest(command_id="b", championship="cup", appeal=filed.appeal, reason="nephew")
    for _ in range(2):
        await platform.of(B).appeals.DeclareConflict(back)
        await anew()
    await cup.vote(filed.appeal, D, uphold=False)
    await anew()
    await cup.vote(filed.appeal, C, uphold=True)
    await anew()
    await platform.events.wait("fee_refunded")
    await anew()
    published = await platform.events.wait("standings_published", cause="ruling")
    told = [
        one.kind for one in platform.events.all if one.service == "appeals" and one.kind != "appeal_filed"
    ]
    assert sorted(told) == sorted(VOTE)
    assert [kind for kind in told if kind != "case_assembled"] == list(VOTE[1:])
    assert len(platform.events.of("penalty_set")) == 1
    standings = await cup.boss.scoring.GetStandings(
        scoring.GetStandingsRequest(championship="cup", min_position=published.position)
    )
    assert {row.entrant: row.penalty_tenths for row in standings.rows}[2] == 50
