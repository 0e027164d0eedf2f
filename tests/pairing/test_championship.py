"""A championship from its file to its last round, over gRPC on real servers."""

from __future__ import annotations

from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring
from tests.platform import OPERATOR, Platform
from tests.tables import Tables

DOCUMENT = """
championship: cup
name: 测试杯
rounds: 2
boards_per_round: 2
"""


async def test_a_championship(platform: Platform) -> None:
    await platform.start()
    boss = platform.of(OPERATOR)
    created = await boss.pairing.CreateChampionship(
        pb.CreateChampionshipRequest(command_id="c1", document=DOCUMENT)
    )
    rows = [
        pb.ImportEntrantsRequest(
            row=pb.ImportRow(line=n + 1, members=[pb.PersonRow(person_id=f"p-{n}", name=f"选手{n}")])
        )
        for n in range(1, 11)
    ]
    header = pb.ImportEntrantsRequest(header=pb.ImportHeader(command_id="i1", championship="cup"))
    imported = await boss.pairing.ImportEntrants(iter([header, *rows]))
    assert imported.imported == 10
    paired = await boss.pairing.PairRound(pb.PairRoundRequest(command_id="pair", championship="cup"))
    assert paired.tables == 4
    tables = Tables(platform, "cup")
    await platform.events.wait("round_started", round=1)
    await tables.play(1)
    await platform.events.wait("round_closed", round=1)
    await platform.events.wait("standings_published", number=1)
    await platform.events.wait("round_started", round=2)
    await tables.play(2)
    await platform.events.wait("competition_ended")
    await platform.events.wait("standings_published", number=2)
    await platform.events.wait("board_revealed", count=4)
    told = await boss.scoring.GetStandings(scoring.GetStandingsRequest(championship="cup"))
    assert len(told.rows) == 10
    rebuilt = await boss.scoring.RebuildStandings(
        scoring.RebuildStandingsRequest(championship="cup", publication=2)
    )
    assert rebuilt.same
    await boss.dealer.GetCommitments(dealer.GetCommitmentsRequest(championship="cup"))
    await boss.pairing.GetSeatingCertificate(pb.GetSeatingCertificateRequest(championship="cup"))
    assert created
