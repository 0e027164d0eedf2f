"""Case files: assembled by themselves, frozen under a digest in the log, handed out to whom they concern."""

from __future__ import annotations

from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

import asyncpg
import grpc
import pytest

from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import events_pb2 as table_events
from fupan.table.v1 import service_pb2 as table
from fupan.table.v1.service_pb2_grpc import TableServiceServicer, add_TableServiceServicer_to_server
from services.ledger import dealing, merkle
from services.ledger import record as ledger
from tests.cup import ARBITRATORS, CHIEF, Cup
from tests.platform import OPERATOR, Platform, refused

BOARD = events.Contested(board=events.ContestedBoard(table="r1-t1", round=1, board=1, attempt=1))
STEP = table.ReplayBoardResponse(step=1, acted=table_events.Acted(seat=2, thinking_us=7), action="pass")


class Replays(TableServiceServicer):
    """The table service's part: the steps of any board."""

    async def ReplayBoard(self, request: Any, context: Any) -> AsyncIterator[table.ReplayBoardResponse]:
        assert request.all
        yield STEP


@pytest.fixture
async def replays(platform: Platform) -> AsyncIterator[None]:
    server = grpc.aio.server()
    part: Any = Replays
    add_TableServiceServicer_to_server(part(), server)
    server.add_insecure_port(f"127.0.0.1:{platform.ports['table']}")
    await server.start()
    yield
    await server.stop(0)


async def opened(cup: Cup, appeal: str, person: str, command_id: str = "") -> pb.GetCaseResponse:
    request = pb.GetCaseRequest(command_id=command_id or cup.command(), championship=cup.id, appeal=appeal)
    answer: pb.GetCaseResponse = await cup.platform.of(person).appeals.GetCase(request)
    return answer


async def test_a_case_is_assembled_when_it_is_filed(platform: Platform, replays: None) -> None:
    """C10.1, C10.4: with everything in it that a committee judges by."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    stayed = pairing.RecordConductRequest(
        command_id=cup.command(), championship="cup", code="A6", outcome="warning", reason="stayed", entrant=3
    )
    await platform.of(CHIEF).pairing.RecordConduct(stayed)
    filed = await cup.file(1, BOARD)
    stayed.command_id = cup.command()
    await platform.of(CHIEF).pairing.RecordConduct(stayed)
    frozen = await platform.events.wait("case_assembled", edition=1, complete=True)
    answer = await opened(cup, filed.appeal, CHIEF)
    assert sha256(answer.case_file).digest() == answer.assembled.digest == frozen.event.digest
    assert len(answer.case_file) == frozen.event.size
    case = case_pb2.CaseFile.FromString(answer.case_file)
    assert (case.championship, case.appeal, case.contested) == ("cup", filed.appeal, BOARD)
    board = case.board
    # The log slice: from the opening of the board to its result, chained, in the log as it stands there.
    records = [ledger.decode(one.stored) for one in board.records]
    assert [one.sealed for one in records] == [False, True]
    hashes = [
        ledger.record_hash(record.header.prev_hash, one.stored)
        for record, one in zip(records, board.records, strict=True)
    ]
    assert records[1].header.prev_hash == hashes[0]
    assert board.head == hashes[1]
    assert {one.stored for one in board.records} <= {one.data for one in await platform.events.stored()}
    assert list(board.closing.scores) == list(records[1].closing.scores if records[1].closing else ())
    # The deal: its leaf opens the records, and was committed before.
    key = dealing.log_key(board.deal.leaf, "r1-t1", "1/1/1")
    assert ledger.body_of(records[1], key).events
    proof = merkle.entry("1/1/1", board.deal.leaf), board.deal.index, board.deal.size, board.deal.proof
    committed = [one.event.merkle_root for one in await platform.events.of("deals_committed")]
    assert merkle.included(board.deal.merkle_root, *proof)
    assert board.deal.merkle_root in committed
    assert list(board.steps) == [STEP]
    assert [one.table for one in board.traveller] == ["r1-t1", "r1-t2"]
    # Around it: conduct up to the filing (C11.1), rules in force, seats, standings.
    assert [(one.recorded.code, one.recorded.entrant, one.referee) for one in case.conduct] == [
        ("A6", 3, CHIEF)
    ]
    assert (board.opened.ruleset, case.settings.ruleset) == ("paohuzi/competitive-2017",) * 2
    clauses = {one.clause: one.text for one in case.clauses}
    assert "sealed until all are in" in clauses["C10.4"]
    assert "P6.4" in clauses
    assert [one.table for one in case.seating] == ["r1-t1"]
    assert case.standings.publication == 1
    assert {*case.seating[0].entrants} <= {row.entrant for row in case.standings.rows}
    # Its grounds are the appellant's and its panel's alone.
    assert "记分".encode() not in answer.case_file


async def test_referees_acts_during_the_board_are_in_its_case(platform: Platform, replays: None) -> None:
    """C9.4, C11.1."""
    await platform.start()
    cup = await Cup.create(platform, entrants=3, rounds=1, boards_per_round=1)
    await cup.pair()
    await platform.events.wait("round_started")
    tables, name = cup.tables, "r1-t1"
    await tables.open(name, 1, 1, (1, 2, 3), 1)
    begun = await tables.open_board(name, 1)
    leaf = await tables.leaf(name, 1, 1, begun.sequence)
    act = table_events.Event(
        infringement_recorded=table_events.InfringementRecorded(seat=1, code="A3", outcome="warning")
    )
    await tables.write(tables.subject(name), [act], "1/1/1", dealing.log_key(leaf, name, "1/1/1"))
    await tables.close_board(name, 1, 1, leaf, (2, -1, -1))
    await tables.seal(name)
    await platform.events.wait("competition_ended")
    filed = await cup.file(1, BOARD)
    await platform.events.wait("case_assembled", complete=True)
    case = case_pb2.CaseFile.FromString((await opened(cup, filed.appeal, CHIEF)).case_file)
    assert [(one.version, one.event) for one in case.board.acts] == [(3, act)]
    assert len(case.board.records) == 3


async def test_what_referees_did_after_the_board_up_to_the_filing_is_in_its_case(
    platform: Platform, replays: None
) -> None:
    """C9.4, C10.1: a ruling on a board may be given while the next one is played; the file is complete once that is public, too."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    tables, name = cup.tables, "r1-t1"
    seats = await cup.at(name)

    def ruling(number: int) -> Any:
        return table_events.Event(ruling_made=table_events.RulingMade(ruling=f"{name}.{number}", text="so"))

    await tables.open(name, 1, 1, seats, 2)
    await tables.write(tables.subject(name), [ruling(1)])
    leaves = {}
    for board in (1, 2):
        begun = await tables.open_board(name, board)
        leaves[board] = await tables.leaf(name, 1, board, begun.sequence)
        if board == 1:
            await tables.close_board(name, 1, 1, leaves[1], (2, -1, -1))
            await tables.write(tables.subject(name), [ruling(2)])
    key = dealing.log_key(leaves[2], name, "1/2/1")
    await tables.write(tables.subject(name), [ruling(3)], "1/2/1", key)
    filed = await cup.file(seats[0], BOARD)
    await platform.events.wait("case_assembled", edition=1, complete=False)
    await tables.write(tables.subject(name), [ruling(4)], "1/2/1", key)
    # The other table closes the contested board, and with it that is revealed; the next one stays open.
    other = await cup.at("r1-t2")
    await tables.open("r1-t2", 1, 1, other, 2)
    begun = await tables.open_board("r1-t2", 1)
    leaf = await tables.leaf("r1-t2", 1, 1, begun.sequence)
    await tables.close_board("r1-t2", 1, 1, leaf, (1, 1, -2))
    await platform.events.wait("board_revealed")
    assert (await refused(opened(cup, filed.appeal, cup.persons(seats[0])[0]))).reason == "BOARD_OPEN"
    await tables.close_board(name, 1, 2, leaves[2], (2, -1, -1))
    await tables.open_board("r1-t2", 2)
    await tables.close_board("r1-t2", 1, 2, leaves[2], (1, 1, -2))
    await platform.events.wait("case_assembled", edition=2, complete=True)
    case = case_pb2.CaseFile.FromString((await opened(cup, filed.appeal, CHIEF)).case_file)
    assert [one.event for one in case.board.acts] == [ruling(1), ruling(2), ruling(3)]
    assert len(case.board.records) == 2


async def test_who_opens_a_case_is_logged(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1)
    await platform.events.wait("case_assembled", complete=True)
    await cup.pay(filed.appeal)
    await cup.appoint(filed.appeal, ARBITRATORS[:3], ARBITRATORS[3:4])
    for person in ("p-2", ARBITRATORS[4], "nobody", "service:scoring"):
        told = await refused(opened(cup, filed.appeal, person))
        assert told.code is grpc.StatusCode.PERMISSION_DENIED, person
    people = ["p-1", ARBITRATORS[0], ARBITRATORS[3], CHIEF, OPERATOR]
    for person in people:
        answer = await opened(cup, filed.appeal, person, command_id=f"by-{person}")
    assert [one.person_id for one in answer.openings] == people
    assert (await opened(cup, filed.appeal, OPERATOR, command_id=f"by-{OPERATOR}")) == answer
    logged = await platform.events.of("case_opened")
    assert [(one.body.actor, one.header.time_us) for one in logged] == [
        (one.person_id, one.opened_us) for one in answer.openings
    ]
    told = await refused(opened(cup, "none", CHIEF))
    assert told.code is grpc.StatusCode.NOT_FOUND


async def test_a_file_that_is_lost_is_assembled_anew(platform: Platform) -> None:
    """As after a restore of the log alone: the digest says that it is another edition."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1)
    await platform.events.wait("case_assembled", edition=1, complete=True)
    connection = await asyncpg.connect(platform.dsn("appeals"))
    await connection.execute("DELETE FROM appeals.cases")
    await connection.close()
    told = await refused(opened(cup, filed.appeal, CHIEF))
    assert (told.code, told.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "CASE_NOT_READY")
    again = await platform.events.wait("case_assembled", edition=2, complete=True)
    answer = await opened(cup, filed.appeal, CHIEF)
    assert sha256(answer.case_file).digest() == again.event.digest
    assert case_pb2.CaseFile.FromString(answer.case_file).edition == 2
    assert [one.edition for one in answer.openings] == [2]


async def test_a_board_that_others_still_play_is_in_a_later_edition(
    platform: Platform, replays: None
) -> None:
    """C10.1: contested before it is revealed; who plays the event sees nothing of it until then."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play(1, only=[1])
    told = await refused(cup.file((await cup.at("r1-t2"))[0], BOARD))
    assert (told.reason, told.clause) == ("BOARD_OPEN", "C10.1")
    sender = (await cup.at("r1-t1"))[0]
    filed = await cup.file(sender, BOARD)
    await platform.events.wait("case_assembled", edition=1, complete=False)
    first = await opened(cup, filed.appeal, CHIEF, command_id="first")
    case = case_pb2.CaseFile.FromString(first.case_file)
    assert len(case.board.records) == 2
    assert not case.board.HasField("deal")
    assert [*case.board.steps, *case.board.acts, *case.board.traveller] == []
    # A deputy by now, and a substitute at a table that has yet to play it (C1.6).
    given = table_events.Event(seat_replaced=table_events.SeatReplaced(seat=0, person_id="eva"))
    await cup.tables.write(cup.tables.subject("r1-t2"), [given])
    await cup.boss.pairing.AppointOfficial(
        pairing.AppointOfficialRequest(command_id="e", championship="cup", person_id="eva", role="deputy")
    )
    for person in (*cup.persons(sender), "eva"):
        assert (await refused(opened(cup, filed.appeal, person))).reason == "BOARD_OPEN"
    await cup.tables.play(1, only=[2])
    await platform.events.wait("case_assembled", edition=2, complete=True)
    second = await opened(cup, filed.appeal, cup.persons(sender)[0])
    case = case_pb2.CaseFile.FromString(second.case_file)
    path = dealer_events.BoardPath(round=1, board=1, attempt=1)
    revealed = await platform.events.wait("board_revealed", path=path)
    assert case.board.deal.leaf == revealed.event.leaf
    assert [one.table for one in case.board.traveller] == ["r1-t1", "r1-t2"]
    # Who asks again, since no answer came, is given what was logged, and the same once more.
    again = await opened(cup, filed.appeal, CHIEF, command_id="first")
    assert (again.receipt, again.assembled, again.case_file) == (
        first.receipt,
        first.assembled,
        first.case_file,
    )
    assert [one.edition for one in again.openings] == [1, 2]
    # Frozen: the first edition is what it was.
    assert sha256(first.case_file).digest() == first.assembled.digest != second.assembled.digest


async def test_the_records_of_a_case_are_those_that_stand(platform: Platform, replays: None) -> None:
    """C9.2: of a table whose history was decided upon."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    subject = cup.tables.subject("r1-t1")
    written = [one.data for one in await platform.events.stored() if one.subject == subject]
    record = ledger.decode(written[2])
    other = ledger.encode(record._replace(header=record.header._replace(time_us=record.header.time_us + 1)))
    await cup.tables.decide("r1-t1", 3, other)
    await platform.events.wait("fork_decided")
    filed = await cup.file(1, BOARD)
    await platform.events.wait("case_assembled", complete=True)
    case = case_pb2.CaseFile.FromString((await opened(cup, filed.appeal, CHIEF)).case_file)
    assert [one.stored for one in case.board.records] == [written[1], other]
