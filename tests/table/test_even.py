"""How long a player's answer takes tells nothing of what others decide just then (P6.4, P13)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any

import pytest

from fupan.table.v1 import service_pb2 as pb
from services.games.paohuzi.actions import PASS
from services.ledger import record as ledger
from services.ledger.dealing import log_key
from services.ledger.games import GAMES
from services.ledger.record import Stored
from services.runtime import even
from services.runtime.clock import now_us
from services.runtime.even import EVEN_SECONDS
from services.table import ear
from services.table.answering import Answers
from services.table.ear import UNANSWERED
from services.table.model.events import Seat
from services.table.replay import steps
from tests.servers import SECONDS
from tests.table.given import facts
from tests.table.halls import Room
from tests.table.logs import StandInDealer
from tests.table.serving import CUP, PEOPLE, Service, Stream, play_board, refused, seated
from tests.table.test_service_replays import replayed, reveal

NOT_ASKED = 99


def answer(command_id: str) -> pb.Answer:
    """An answer to a question that nobody put."""
    action = GAMES["paohuzi"].actions.to_proto(PASS)
    return pb.Answer(command_id=command_id, board=1, ask=NOT_ASKED, paohuzi=action)


async def seconds(call: Awaitable[Any]) -> float:
    """How long a call takes."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    await call
    return loop.time() - began


async def test_what_can_be_sent_at_any_time_is_answered_at_even_times(service: Service) -> None:
    await seated(service)
    anna: Any = service.auth("anna")
    join = pb.JoinRequest(command_id="again", championship=CUP)
    call = pb.CallRefereeRequest(command_id="call", championship=CUP, reason="a question")
    act = pb.ActRequest(championship=CUP, answer=answer("unasked"))
    assert await seconds(service.stub.Join(join, **anna)) >= EVEN_SECONDS
    assert await seconds(service.stub.CallReferee(call, **anna)) >= EVEN_SECONDS
    assert await seconds(refused(service.stub.Act(act, **anna))) >= EVEN_SECONDS


async def test_how_long_rulings_take_to_be_read_does_not_count_a_tables_records(service: Service) -> None:
    """Whoever asks: a service asks for a player who contests one, too (C10.1)."""
    await seated(service)
    asked = pb.ListRulingsRequest(championship=CUP, table="t1")
    for person in ("anna", "stranger", "ref"):
        assert await seconds(service.stub.ListRulings(asked, **service.auth(person))) >= EVEN_SECONDS


async def test_a_replay_reads_no_record_after_the_boards_last_and_is_told_at_an_even_time(
    service: Service,
) -> None:
    """A table whose first board is revealed plays the next one."""
    room = await Room().start()
    house = tuple(Seat(0, "") for _ in PEOPLE)
    subject = await room.open(facts(seats=house, claim_floor_ms=0, board_pause_ms=0))
    await room.until(lambda: room.table(subject).sealed)
    read: list[Stored] = []

    class Records:
        async def read(self, subject: str, /) -> AsyncIterator[Stored]:
            async for stored in room.store.read(subject):
                read.append(stored)
                yield stored

    path = "1/1/1"
    key = log_key(StandInDealer.leaf(CUP, path), "t1", path)
    played = [step async for step in steps(Records(), subject, path, key)]
    await room.stop()
    assert played[-1].seen_by(0).view.over
    closing = ledger.decode(read[-1].data).closing
    assert closing is not None
    assert closing.board == 1

    streams = await seated(service, boards_per_round=2)
    await play_board(streams)
    await reveal(service, path)
    replay = pb.ReplayBoardRequest(championship=CUP, table="t1", board=1, attempt=1, all=True)
    assert await replayed(service, replay)
    assert await seconds(service.stub.ReplayBoard(replay, timeout=SECONDS).read()) >= EVEN_SECONDS


async def test_whoever_has_all_tables_streams_read_is_answered_at_an_even_time(service: Service) -> None:
    """What somebody is, and may not do, is told by what is written up to now: no table's writing shows by how long that takes."""
    await seated(service)
    roles = pb.GetRolesRequest(championship=CUP)
    pause = pb.PauseTableRequest(command_id="pause", championship=CUP, table="t1", reason="a pause")
    for person in ("anna", "stranger"):
        assert await seconds(service.stub.GetRoles(roles, **service.auth(person))) >= EVEN_SECONDS
        assert await seconds(refused(service.stub.PauseTable(pause, **service.auth(person)))) >= EVEN_SECONDS


async def test_what_takes_longer_is_told_at_the_next_even_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(even, "EVEN_SECONDS", 0.2)
    assert await seconds(even.evenly(asyncio.sleep(0.25))) >= 0.4


def refusals(stream: Stream, reason: str) -> Iterator[str]:
    for one in stream.got:
        if one.HasField("refused") and one.refused.reason == reason:
            yield one.refused.command_id


async def test_a_stream_tells_refusals_at_even_times_and_reads_no_faster(service: Service) -> None:
    """A token that is none is refused when it is read: after answers as many as may be under way."""
    anna, *_ = await seated(service)
    began = asyncio.get_running_loop().time()
    for number in range(UNANSWERED):
        await anna.send(answer=answer(f"unasked-{number}"))
    await anna.send(renewal=pb.TokenRenewal(token="none"))
    await anna.until(lambda: list(refusals(anna, "TOKEN_INVALID")))
    assert asyncio.get_running_loop().time() - began >= EVEN_SECONDS
    await anna.until(lambda: len(list(refusals(anna, "QUESTION_OVER"))) == UNANSWERED)


@pytest.mark.parametrize("way", ["call", "stream"])
async def test_an_answer_is_accepted_at_once_and_its_repetition_at_an_even_time(
    service: Service, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    streams = await seated(service)
    anna = next(stream for stream in streams if stream.last("update").ask)
    answer = anna.answer(anna.last("update"))

    async def accepted() -> None:
        before = len(anna.receipts)
        if way == "stream":
            await anna.send(answer=answer)
            await anna.until(lambda: len(anna.receipts) > before)
        else:
            call: Any = service.stub.Act
            await call(pb.ActRequest(championship=CUP, answer=answer), **service.auth(anna.person))

    with monkeypatch.context() as changed:
        for module in (even, ear):
            changed.setattr(module, "EVEN_SECONDS", 3600.0)
        await accepted()
    assert await seconds(accepted()) >= EVEN_SECONDS


@pytest.mark.parametrize("way", ["call", "stream"])
async def test_what_others_are_asked_too_is_answered_when_that_can_be_shown_accepted_or_not(
    service: Service, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """P6.4: see `Stage.told_us`; here of every question."""
    streams = await seated(service)
    anna = next(stream for stream in streams if stream.last("update").ask)
    told, over = anna.answer(anna.last("update")), answer("over")
    wait = 3 * EVEN_SECONDS
    monkeypatch.setattr(Answers, "told_us", lambda *_: now_us() + wait * 1e6)

    async def sent(one: pb.Answer) -> None:
        if way == "stream":
            await anna.send(answer=one)
            await anna.until(lambda: anna.receipts if one is told else list(refusals(anna, "QUESTION_OVER")))
            return
        act: Any = service.stub.Act(pb.ActRequest(championship=CUP, answer=one), **service.auth(anna.person))
        await (act if one is told else refused(act))

    assert await seconds(sent(told)) >= wait
    assert await seconds(sent(over)) >= wait
