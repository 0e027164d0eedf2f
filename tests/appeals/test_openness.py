"""What an appeal is about is told to nobody who could still use it (C9.3, C10.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from grpc import StatusCode

from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.common.v1 import log_service_pb2 as log
from fupan.common.v1.log_service_pb2_grpc import LogServiceStub
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring
from services.runtime.even import EVEN_SECONDS
from tests.appeals.courts import BOARD, WORSE
from tests.cup import ARBITRATORS, CHIEF, Cup
from tests.platform import Caller, Platform, refused
from tests.tables import lines

PAIRING = events.Contested(pairing=events.ContestedPairing(round=1))


async def listed(platform: Platform, person: str | None, position: str = "") -> list[Any]:
    request = pb.ListAppealsRequest(championship="cup", min_position=position)
    told = await platform.of(person).appeals.ListAppeals(request)
    return list(told.appeals)


def read(platform: Platform, person: str | None, of: str = "appeals", **asked: str) -> Any:
    """Records of appeals, or of another service, as somebody is given them."""
    channel = platform._channel(platform.ports[of])
    token = None if person is None else platform.token(person)
    return Caller(LogServiceStub(channel), token).ReadLog(log.ReadLogRequest(**asked))


async def readable(platform: Platform, person: str | None) -> set[str]:
    """The appeals whose records somebody is given who asks for those of the championship."""
    answers = [one async for one in read(platform, person, championship="cup")]
    return {record.subject.rpartition(".")[2] for one in answers for record in one.records}


async def test_an_appeal_on_a_board_that_others_still_play_is_not_told_to_them(platform: Platform) -> None:
    await platform.start()
    people = [(CHIEF, "chief_referee"), *((one, "arbitrator") for one in ARBITRATORS)]
    cup = await Cup.create(platform, entrants=9, rounds=1, officials=people)
    await cup.pair()
    await platform.events.wait("round_started")
    own, other = (await cup.at("r1-t1"))[0], (await cup.at("r1-t2"))[0]
    clerk = pairing.AppointOfficialRequest(
        command_id="clerk", championship="cup", person_id=f"p-{other}", role="referee"
    )
    await cup.boss.pairing.AppointOfficial(clerk)
    await cup.tables.play(1, only=[1])
    filed = await cup.file(own, BOARD, [WORSE])
    public = await cup.file(other, PAIRING)
    await cup.pay(filed.appeal)
    await cup.appoint(filed.appeal)
    subject = platform.epoch.appeal_subject("cup", filed.appeal)
    # Whoever plays at another table, a referee who does so, and everybody who says no name.
    for person in (f"p-{other}", None):
        hidden, told = await listed(platform, person)
        assert (hidden.appeal, hidden.phase) == (filed.appeal, "voting")
        assert hidden.filed == events.AppealFiled(appeal=filed.appeal, fee_amount=50_000, fee_currency="CNY")
        assert hidden.window_ends_us == 0
        assert not hidden.HasField("case_file")
        assert (told.filed.contested, told.filed.entrant) == (PAIRING, other)
        asked = pb.GetAppealRequest(championship="cup", appeal=filed.appeal)
        assert (await platform.of(person).appeals.GetAppeal(asked)).appeal.filed == hidden.filed
        assert await readable(platform, person) == {public.appeal}
        denied = await refused(anext(aiter(read(platform, person, subject=subject))))
        assert (denied.code, denied.reason) == (StatusCode.PERMISSION_DENIED, "LOG_NOT_OPEN")
    for person in (f"p-{own}", CHIEF, ARBITRATORS[0], "operator", "service:scoring"):
        shown, _ = await listed(platform, person)
        assert (shown.filed.contested, shown.filed.entrant) == (BOARD, own), person
        assert shown.filed.sought[0].correct_result.scores == WORSE.correct_result.scores
        assert await readable(platform, person) == {filed.appeal, public.appeal}
    # Once all tables have closed the board it is everybody's.
    await cup.tables.play(1, only=[2, 3])
    revealed = await platform.events.wait("board_revealed", lambda one: one.event.path.board == 1)
    for person in (f"p-{other}", None):
        shown, _ = await listed(platform, person, revealed.position)
        assert (shown.filed.contested, shown.filed.entrant) == (BOARD, own)
        assert await readable(platform, person) == {filed.appeal, public.appeal}


async def test_which_board_a_panel_judges_is_read_in_the_dealers_log_once_all_have_played_it(
    platform: Platform,
) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    own, other = (await cup.at("r1-t1"))[0], (await cup.at("r1-t2"))[0]

    async def dealings(person: str | None) -> set[str]:
        answers = [one async for one in read(platform, person, "dealer", championship="cup")]
        return {record.subject for one in answers for record in one.records}

    subject = {platform.epoch.subject("dealer", "cup")}
    await cup.tables.play(1, only=[1])
    filed = await cup.file(own, BOARD, [WORSE])
    await cup.pay(filed.appeal)
    assert await dealings(None) == subject
    await cup.appoint(filed.appeal)
    await platform.events.wait("board_opened_to_panel")
    for person in (f"p-{other}", None):
        assert await dealings(person) == set(), person
        denied = await refused(anext(aiter(read(platform, person, "dealer", subject=min(subject)))))
        assert denied.reason == "LOG_NOT_OPEN"
    for person in (CHIEF, "operator", "service:table"):
        assert await dealings(person) == subject, person
    await cup.tables.play(1, only=[2, 3])
    await platform.events.wait("board_revealed", lambda one: one.event.path.board == 1)
    assert await dealings(None) == subject


async def test_a_member_of_the_panel_who_comes_to_play_reads_grounds_when_everybody_may_know(
    platform: Platform,
) -> None:
    await platform.start()
    judge = "p-10"
    people = [(CHIEF, "chief_referee"), *((one, "arbitrator") for one in (*ARBITRATORS, judge))]
    cup = await Cup.create(platform, entrants=9, officials=people)
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play(1, only=[1])
    filed = await cup.file((await cup.at("r1-t1"))[0], BOARD, [WORSE], grounds="第一副记错了")
    await cup.pay(filed.appeal)
    await cup.appoint(filed.appeal, (*ARBITRATORS[:2], judge))
    asked = pb.GetAppealRequest(championship="cup", appeal=filed.appeal)
    assert (await platform.of(judge).appeals.GetAppeal(asked)).appeal.grounds == "第一副记错了"
    asked.min_position = (await cup.enter([10])).receipt.position
    told = (await platform.of(judge).appeals.GetAppeal(asked)).appeal
    assert judge in told.members
    assert (told.grounds, told.filed.entrant) == ("", 0)


async def test_a_ruling_on_a_board_that_others_still_play_is_told_to_nobody_who_files(
    platform: Platform,
) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    own, other = (await cup.at("r1-t1"))[0], (await cup.at("r1-t2"))[0]
    await cup.tables.play(1, only=[1])
    filed = await cup.file(own, BOARD, [WORSE])
    await cup.panel(filed.appeal, (False, False, False))
    await platform.events.wait("appeal_decided")
    half = scoring.Remedy(assign_percent=scoring.AssignPercent(entrant=own, round=1, board=1, tenths=500))
    assert (await refused(cup.file(other, PAIRING, [half]))).reason == "BOARD_OPEN"
    # Nor to who contests the same board at its own table, which has closed it.
    await cup.tables.play(1, only=[2])
    at_own = events.Contested(board=events.ContestedBoard(table="r1-t2", round=1, board=1, attempt=1))
    assert (await refused(cup.file(other, at_own, [half]))).reason == "BOARD_OPEN"
    await cup.tables.play(1, only=[3])
    await platform.events.wait("board_revealed", lambda one: one.event.path.board == 1)
    assert (await refused(cup.file(other, PAIRING, [half]))).reason == "RULING_FINAL"


async def test_who_may_not_know_what_an_appeal_is_about_is_told_nothing_of_it_by_refusals(
    platform: Platform,
) -> None:
    """C10.3: an arbitrator who plays the event appoints a panel once everybody has played what it is about."""
    await platform.start()
    people = [(CHIEF, "chief_referee"), *((one, "arbitrator") for one in ARBITRATORS)]
    cup = await Cup.create(platform, entrants=9, rounds=1, officials=people)
    await cup.pair()
    await platform.events.wait("round_started")
    first, second = (await cup.at("r1-t1"))[:2]
    player = f"p-{(await cup.at('r1-t2'))[0]}"
    await cup.officials((player, "arbitrator"), (f"p-{first}", "arbitrator"))
    await cup.tables.play(1, only=[1])
    one, other = [(await cup.file(entrant, BOARD, [WORSE])).appeal for entrant in (first, second)]
    for appeal in (one, other):
        await cup.pay(appeal)

    def appoint(appeal: str, *members: str) -> pb.AppointPanelRequest:
        return pb.AppointPanelRequest(
            command_id=cup.command(), championship="cup", appeal=appeal, members=members
        )

    async def why(person: str, appeal: str, *members: str) -> str:
        told = await refused(platform.of(person).appeals.AppointPanel(appoint(appeal, *members)))
        return f"{told.reason}: {told.message}"

    judges = ARBITRATORS[:3]
    in_conflict = (*judges[:2], f"p-{first}")
    assert "is a party and played the contested board" in await why("operator", one, *in_conflict)
    hidden = "PLAYS_THE_EVENT: who plays this event may not see or do this, whatever office they hold"
    assert await why(player, one, *in_conflict) == await why(player, one, *judges) == hidden
    await cup.appoint(one, judges)
    sits = f"PANEL_SITS: a panel judges this already, in appeal {one}"
    assert await why("operator", other, *judges) == sits
    assert await why(player, other, *judges) == hidden
    # Nor does it step back from what it knows nothing of.
    back = pb.DeclareConflictRequest(command_id="back", championship="cup", appeal=other, reason="a friend")
    assert (await refused(platform.of(player).appeals.DeclareConflict(back))).reason == "PLAYS_THE_EVENT"
    await cup.tables.play(1, only=[2, 3])
    await platform.events.wait("board_revealed", lambda one: one.event.path.board == 1)
    assert await why(player, other, *judges) == sits
    await platform.of(player).appeals.DeclareConflict(back)


async def test_a_window_that_begins_with_a_match_tells_nobody_when_another_table_was_done(
    platform: Platform,
) -> None:
    """C10.1, P13: a board that is closed everywhere may be contested while its round goes on."""
    await platform.start()
    cup = await Cup.create(
        platform, entrants=9, rounds=1, boards_per_round=2, appeals="{window_starts: match}"
    )
    await cup.pair()
    await platform.events.wait("round_started")
    tables, names = cup.tables, ["r1-t1", "r1-t2", "r1-t3"]
    for name in names:
        await tables.open(name, 1, 1, await cup.at(name), 2)

    async def play(board: int, *where: str) -> None:
        for name in where:
            leaf = await tables.leaf(name, 1, board, (await tables.open_board(name, board)).sequence)
            await tables.close_board(name, 1, board, leaf, (-6, 12, -6))

    await play(1, *names)
    await platform.events.wait("board_revealed")
    other = (await cup.at("r1-t2"))[0]
    filed = await cup.file(other, BOARD, [WORSE])
    await play(2, "r1-t1", "r1-t3")
    (told,) = await listed(platform, f"p-{other}")
    assert (told.filed.contested, told.window_ends_us, told.phase) == (BOARD, 0, "filed")
    third = (await cup.at("r1-t3"))[0]
    assert filed.window_ends_us == (await cup.file(third, BOARD, [WORSE])).window_ends_us == 0
    fee = pb.RecordFeeRequest(command_id="x", championship="cup", appeal=filed.appeal, currency="EUR")
    wrong = await refused(platform.of("operator").appeals.RecordFee(fee))
    assert (wrong.reason, "deadline_us" in wrong.facts) == ("WRONG_FEE", False)
    await play(2, "r1-t2")
    revealed = await platform.events.wait("board_revealed", count=2)
    (told, _) = await listed(platform, f"p-{other}", revealed.position)
    assert told.window_ends_us > revealed.header.time_us


async def test_of_a_team_those_in_the_other_room_are_told_nothing_of_a_board_that_they_still_play(
    platform: Platform,
) -> None:
    """C7.2: both rooms of a match play the same boards."""
    await platform.start()
    cup = await Cup.create(platform, 2, members=4, game="shengji", format="teams", rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    told = await cup.boss.pairing.GetRound(pairing.GetRoundRequest(championship="cup"))
    rooms = [one.table for one in told.tables]
    number = rooms[0].entrants[0]
    here, there = (
        [f"p-{number}-{room.members[seat] + 1}" for seat, one in enumerate(room.entrants) if one == number]
        for room in rooms
    )
    assert not {*here} & {*there}
    await cup.tables.play(1, lines, only=[1])
    await platform.events.wait("table_sealed")
    board = events.Contested(board=events.ContestedBoard(table=rooms[0].table, round=1, board=1, attempt=1))
    void = scoring.Remedy(void_board=scoring.VoidBoard(table=rooms[0].table, round=1, board=1, attempt=1))

    async def file(person: str, sought: Sequence[Any]) -> Any:
        asked = pb.FileAppealRequest(
            command_id=f"by-{person}-{len(sought)}",
            championship="cup",
            contested=board,
            grounds="记分有误",
            sought=sought,
        )
        return await platform.of(person).appeals.FileAppeal(asked)

    # Neither whether that table has closed the board, nor what is wrong with an appeal about it.
    for sought in ([void], []):
        assert (await refused(file(there[0], sought))).reason == "BOARD_OPEN"
    filed = await file(here[0], [void])
    subject = platform.epoch.appeal_subject("cup", filed.appeal)
    for person in there:
        (hidden,) = await listed(platform, person)
        assert hidden.filed == events.AppealFiled(appeal=filed.appeal, fee_amount=50_000, fee_currency="CNY")
        denied = await refused(anext(aiter(read(platform, person, subject=subject))))
        assert denied.reason == "LOG_NOT_OPEN"

    async def case(person: str) -> str:
        asked = pb.GetCaseRequest(command_id=f"case-{person}", championship="cup", appeal=filed.appeal)
        return (await refused(platform.of(person).appeals.GetCase(asked))).reason

    # Nor whose appeal it is: the other entrant's people are refused alike.
    assert {await case(person) for person in (*there, *cup.persons(rooms[0].entrants[1]))} == {"NOT_IN_ROLE"}
    assert {await case(person) for person in here} == {"BOARD_OPEN"}
    for person in here:
        (shown,) = await listed(platform, person)
        assert (shown.filed.contested, shown.filed.entrant) == (board, number)
    await cup.tables.play(1, lines, only=[2])
    revealed = await platform.events.wait("board_revealed", lambda one: one.event.path.board == 1)
    for person in there:
        (shown,) = await listed(platform, person, revealed.position)
        assert shown.filed.contested == board


async def test_how_long_an_appeal_takes_to_be_refused_tells_no_player_that_a_table_writes(
    platform: Platform,
) -> None:
    """P13: it has all tables' streams read up to now."""
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    loop = asyncio.get_running_loop()
    began = loop.time()
    assert (await refused(cup.file((await cup.at("r1-t1"))[0], BOARD))).reason == "BOARD_OPEN"
    assert loop.time() - began >= EVEN_SECONDS
