"""Leaves, reveals and keys on real servers (design: deals nobody can doubt)."""

from __future__ import annotations

import json

from grpc import StatusCode

from fupan.dealer.v1 import events_pb2 as events
from fupan.dealer.v1 import service_pb2 as pb
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import events_pb2 as table_events
from services.ledger import dealing, merkle
from services.ledger.record import BoardClosing
from services.runtime.streams import stream_of
from tests.cup import CHIEF, Cup
from tests.platform import Platform, refused

PATH = events.BoardPath(round=1, board=1, attempt=1)


async def running(platform: Platform) -> Cup:
    """An event whose first round has started."""
    await platform.start()
    cup = await Cup.create(platform)
    await cup.pair()
    await platform.events.wait("round_started")
    return cup


async def test_a_leaf_is_given_out_for_a_board_that_its_table_has_opened(platform: Platform) -> None:
    cup = await running(platform)
    table = platform.of("service:table").dealer
    opening = await cup.tables.open("r1-t1", 1, 1, (1, 2, 3), 2)
    opened = await cup.tables.open_board("r1-t1", 1)
    asked = pb.OpenedBoard(
        championship="cup",
        table="r1-t1",
        path=PATH,
        stream=stream_of(cup.tables.subject("r1-t1")),
        sequence=opened.sequence,
    )
    other = next(
        one.name
        for one in platform.epoch.specs()
        if one.name.startswith("TABLE") and one.name != asked.stream
    )

    def but(**changed: object) -> pb.OpenedBoard:
        copy = pb.OpenedBoard()
        copy.CopyFrom(asked)
        copy.MergeFrom(pb.OpenedBoard(**changed))  # type: ignore[arg-type]
        return copy

    for wrong in (
        but(sequence=opening.sequence),  # another record of the table
        but(sequence=10_000),  # no record
        but(stream=other),
        but(table="r1-t2"),  # another table's record
        but(path=events.BoardPath(board=2)),  # a board it has not opened
        but(path=events.BoardPath(attempt=2)),
        but(path=events.BoardPath(round=2)),  # a round it does not play
    ):
        told = await refused(table.GetDeals(pb.GetDealsRequest(boards=[asked, wrong])))
        assert (told.code, told.reason) == (StatusCode.PERMISSION_DENIED, "BOARD_NOT_OPENED"), wrong
    told = await refused(table.GetDeals(pb.GetDealsRequest(boards=[but(championship="none")])))
    assert told.code is StatusCode.NOT_FOUND
    for malformed in ([], [asked] * 1001, [pb.OpenedBoard(championship="cup")]):
        told = await refused(table.GetDeals(pb.GetDealsRequest(boards=malformed)))
        assert told.code is StatusCode.INVALID_ARGUMENT

    answer = await table.GetDeals(pb.GetDealsRequest(boards=[asked, asked]))
    assert len({leaf.leaf for leaf in answer.leaves}) == 1
    assert len(answer.leaves[0].leaf) == dealing.LEAF


async def test_nobody_but_the_table_service_gets_a_leaf(platform: Platform) -> None:
    await platform.start(["dealer"])
    for who in ("operator", CHIEF, "p-1", "arbiter-1", "service:pairing", "service:scoring", None):
        told = await refused(platform.of(who).dealer.GetDeals(pb.GetDealsRequest()))
        assert told.code in (StatusCode.PERMISSION_DENIED, StatusCode.UNAUTHENTICATED), who


async def test_a_board_is_revealed_when_its_last_table_has_closed_it(platform: Platform) -> None:
    cup = await running(platform)
    await cup.tables.play(1, only=[1, 2])
    chief = platform.of(CHIEF).dealer
    told = await refused(
        chief.RevealBoard(pb.RevealBoardRequest(command_id="r1", championship="cup", path=PATH))
    )
    assert told.reason == "BOARD_OPEN"
    told = await refused(chief.VerifyDeal(pb.VerifyDealRequest(championship="cup", path=PATH)))
    assert told.reason == "BOARD_OPEN"
    assert await platform.events.of("board_revealed") == []

    await cup.tables.play(1, only=[3])
    revealed = await platform.events.wait("board_revealed", count=2)
    assert revealed.body.actor == "service:dealer"
    answer = await platform.of(None).dealer.VerifyDeal(pb.VerifyDealRequest(championship="cup", path=PATH))
    committed = await platform.events.wait("deals_committed")
    assert answer.merkle_root == committed.event.merkle_root
    entry = merkle.entry("1/1/1", answer.leaf)
    assert merkle.included(answer.merkle_root, entry, answer.index, answer.size, answer.proof)
    # Asked again by an official it is revealed already, and nothing is written.
    before = len(await platform.events.of("board_revealed"))
    await chief.RevealBoard(pb.RevealBoardRequest(command_id="r2", championship="cup", path=PATH))
    commitments = await chief.GetCommitments(pb.GetCommitmentsRequest(championship="cup"))
    assert len(commitments.revealed) == before


async def test_what_was_closed_while_the_dealer_was_away_is_revealed_when_it_is_back(
    platform: Platform,
) -> None:
    await platform.start(["pairing", "scoring", "appeals"])
    dealer = await platform.start(["dealer"])
    cup = await Cup.create(platform)
    await cup.pair()
    await platform.events.wait("round_started")
    leaves = {}
    for number, table in enumerate(("r1-t1", "r1-t2", "r1-t3"), 1):
        await cup.tables.open(table, 1, 1, (), 2)
        for board in (1, 2):
            opened = await cup.tables.open_board(table, board)
            leaves[number, board] = await cup.tables.leaf(table, 1, board, opened.sequence)
            if board == 1:
                await cup.tables.close_board(table, 1, board, leaves[number, board], (2, -1, -1))
    await platform.events.wait("board_revealed", count=1)
    await dealer.stop()
    for number, table in enumerate(("r1-t1", "r1-t2", "r1-t3"), 1):
        await cup.tables.close_board(table, 1, 2, leaves[number, 2], (2, -1, -1))
    await platform.events.wait("round_closed")
    assert len(await platform.events.of("board_revealed")) == 1
    await platform.start(["dealer"])
    await platform.events.wait("board_revealed", count=2)


async def test_public_entropy_is_named_before_and_drawn_after_the_entrant_list(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform)
    await platform.events.wait("deals_committed")
    boss = cup.boss.dealer
    await boss.NameEntropy(
        pb.NameEntropyRequest(command_id="n", championship="cup", batch=1, source="lottery of 1 May")
    )
    draw = pb.DrawEntropyRequest(command_id="d", championship="cup", batch=1, value=b"7 13 21")
    told = await refused(boss.DrawEntropy(draw))
    assert (told.reason, told.clause) == ("LIST_NOT_CLOSED", "C6.1")
    # The draw waits: its list is closed now, its entropy still open.
    told = await refused(cup.pair())
    assert told.reason == "ENTROPY_MISSING"
    told = await refused(cup.enter([8]))
    assert (told.reason, told.clause) == ("DRAW_RUNNING", "C1.6")
    await boss.DrawEntropy(draw)
    await cup.pair()
    certified = await cup.boss.pairing.GetSeatingCertificate(
        pairing.GetSeatingCertificateRequest(championship="cup")
    )
    assert bytes.fromhex(json.loads(certified.certificate)["draw"]["entropy"]) == b"7 13 21"
    closed = await platform.events.wait("registration_closed")
    drawn = await platform.events.wait("entropy_drawn")
    assert closed.header.time_us < drawn.header.time_us


async def test_no_entropy_is_named_for_boards_that_are_being_dealt(platform: Platform) -> None:
    """C6.4: whoever is dealt the same board later would get other cards."""
    await platform.start()
    cup = await Cup.create(platform, 2, members=2, game="shengji", format="points", automatic_rounds="false")
    await cup.pair()
    boss = cup.boss.dealer
    (batch,) = {one.event.batch for one in await platform.events.of("deals_committed")} - {1}
    early = pb.NameEntropyRequest(command_id="early", championship="cup", batch=batch, source="lottery")
    named = await boss.NameEntropy(early)
    await cup.boss.pairing.StartRound(pairing.StartRoundRequest(command_id="s", championship="cup", round=1))
    assert await boss.NameEntropy(early) == named
    late = pb.NameEntropyRequest(command_id="late", championship="cup", batch=batch, source="another")
    assert (await refused(boss.NameEntropy(late))).reason == "BATCH_USED"


async def test_no_entropy_is_named_for_a_board_that_is_played_again(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, rounds=1)
    await cup.ended()
    order = scoring.OrderReplayRequest(
        command_id="o", championship="cup", round=1, board=1, tables=["r1-t1", "r1-t2"], reason="a wrong deal"
    )
    await platform.of(CHIEF).scoring.OrderReplay(order)
    seated = await platform.events.wait("replay_seated", count=2)
    late = pb.NameEntropyRequest(
        command_id="late", championship="cup", batch=seated.event.deals_batch, source="lottery"
    )
    told = await refused(cup.boss.dealer.NameEntropy(late))
    assert (told.reason, told.message_zh) == ("BATCH_USED", "本批牌局已开始发牌，或已有公开的种子")


async def test_a_seeded_dealer_exists_in_the_demo_only(platform: Platform) -> None:
    await platform.start()
    told = await refused(Cup.create(platform, demo="{seed: 7}"))
    assert (told.code, told.reason) == (StatusCode.PERMISSION_DENIED, "DEMO_ONLY")


async def test_a_demo_is_marked_in_its_log(platform: Platform) -> None:
    platform.demo = True
    await platform.start()
    await Cup.create(platform, demo="{seed: 7}")
    secret = await platform.events.wait("secret_created")
    assert secret.event.demo
    told = await platform.of(None).dealer.GetCommitments(pb.GetCommitmentsRequest(championship="cup"))
    assert told.demo


async def test_c8_2_deals_of_a_match_are_committed_as_it_goes_on_and_revealed_when_each_ends(
    platform: Platform,
) -> None:
    cup = await running(platform)
    dealer, subject = platform.of("service:table").dealer, cup.tables.subject("r1-t1")
    await cup.tables.open("r1-t1", 1, 1, (1, 2, 3), 2)

    async def leaf_of(deal: int, match: str = "r1-t1") -> bytes:
        opened = await cup.tables.open_board("r1-t1", deal)
        path = events.BoardPath(round=1, board=deal, attempt=1, match=match)
        place = {"stream": stream_of(subject), "sequence": opened.sequence}
        asked = pb.OpenedBoard(championship="cup", table="r1-t1", path=path, **place)  # type: ignore[arg-type]
        answer = await dealer.GetDeals(pb.GetDealsRequest(boards=[asked]))
        found: bytes = answer.leaves[0].leaf
        return found

    async def batches() -> list[tuple[str, list[str]]]:
        asked = pb.GetCommitmentsRequest(championship="cup")
        told = await platform.of(None).dealer.GetCommitments(asked)
        return [(one.purpose, [f"{path.match}/{path.board}" for path in one.boards]) for one in told.batches]

    first = await leaf_of(1)
    ahead = ("match", [f"r1-t1/{deal}" for deal in range(1, 17)])
    assert (await batches())[-1] == ahead
    assert await leaf_of(12) != first
    assert (await batches())[-1] == ahead
    await leaf_of(13)
    assert (await batches())[-1] == ("match", [f"r1-t1/{deal}" for deal in range(17, 33)])
    told = await refused(leaf_of(2, "r1-t2"))
    assert (told.code, told.reason) == (StatusCode.PERMISSION_DENIED, "BOARD_NOT_OPENED")

    path = dealing.board_path(1, 1, 1, "r1-t1")
    closing = BoardClosing(1, 1, 1, False, (0,) * 4, (0,) * 4, (), (0,) * 4)
    finished = table_events.Event(board_finished=table_events.BoardFinished(board=1, attempt=1))
    await cup.tables.write(subject, [finished], path, dealing.log_key(first, "r1-t1", path), closing)
    revealed = (await platform.events.wait("board_revealed")).event
    assert (revealed.path.match, revealed.leaf) == ("r1-t1", first)


async def test_a_board_may_be_opened_by_a_record_that_a_decision_brought(platform: Platform) -> None:
    """C9.2: what the chief referee decided on a table's history is the history that the dealer reads, too."""
    cup = await running(platform)
    await cup.tables.open("r1-t1", 1, 1, (1, 2, 3), 2)
    opened = await cup.tables.open_board("r1-t1", 1)
    kept = await platform.store.last(cup.tables.subject("r1-t1"))
    assert kept is not None
    forged = await cup.tables.open_board("r1-t1", 2)
    assert opened.sequence < forged.sequence
    await cup.tables.decide("r1-t1", 2, kept.data)
    assert await cup.tables.leaf("r1-t1", 1, 1, forged.sequence)
    told = await refused(cup.tables.leaf("r1-t1", 1, 2, forged.sequence))
    assert (told.code, told.reason) == (StatusCode.PERMISSION_DENIED, "BOARD_NOT_OPENED")
