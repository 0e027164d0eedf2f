from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

import grpc
import pytest
from grpc import aio

from clients.robot.player import MOST_LAPSES, Count, Robot, decide
from clients.robot.seat import Away, Moment, Seat
from fupan.table.v1 import service_pb2 as pb
from fupan.table.v1 import service_pb2_grpc
from services.games.shengji.actions import Play
from services.games.shengji.ruleset import DUPLICATE_2017
from tests.clients.streams import CODEC, MOMENT, RULES, Script, Stream, serving
from tests.clients.test_faces import deal
from tests.servers import SECONDS


async def play(*scripts: Script) -> tuple[Count, list[str], list[bytes]]:
    """Let a robot play against the scripts: what it counted, warned of, and the receipts it got."""
    count, warnings, receipts = Count(), list[str](), list[bytes]()
    async with (
        serving(*scripts) as address,
        aio.insecure_channel(address) as channel,
        asyncio.timeout(SECONDS),
    ):
        stub: Any = service_pb2_grpc.TableServiceStub(channel)
        seat = Seat(stub, "cup", lambda: "token-of-kai", receipts.append)
        await Robot("kai", seat, count, warnings.append).play()
    return count, warnings, receipts


async def test_a_robot_answers_and_keeps_the_receipt() -> None:
    ids: list[str] = []

    async def script(stream: Stream) -> None:
        assert stream.token == "Bearer token-of-kai"
        assert await stream.hello() == pb.Hello(championship="cup")
        await stream.tell(waiting=pb.Waiting(reason="no table yet"))
        await stream.seated()
        await stream.ask(1)
        answer = await stream.answer()
        assert (answer.board, answer.ask) == (1, 1)
        assert CODEC.actions.from_proto(answer.paohuzi) == decide("kai", MOMENT)
        ids.append(answer.command_id)
        await stream.accept(answer)
        await stream.end()

    count, warnings, receipts = await play(script)
    assert (count.answers, warnings) == (1, [])
    assert receipts == [ids[0].encode()]


async def test_nobody_can_guess_the_command_id_of_an_answer() -> None:
    """Whoever sends it first has it: a stranger at the table could take the answer's place."""
    ids: list[str] = []

    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1)
        ids.append((await stream.answer()).command_id)
        await stream.end()

    for _ in range(2):
        await play(script)
    assert ids[0] != ids[1]
    assert all(len(one) >= 16 for one in ids)


def test_players_differ_in_lapses_and_each_is_consistent() -> None:
    moments = [replace(MOMENT, ask=ask) for ask in range(1, 200)]
    policy = RULES.choose(MOMENT.view)
    off = []
    for person in ("player-001", "player-002", "player-003"):
        played = [decide(person, moment) for moment in moments]
        assert played == [decide(person, moment) for moment in moments]
        assert set(played) <= set(MOMENT.view.options)
        off.append(sum(action != policy for action in played))
    assert len(set(off)) == 3
    assert max(off) < (MOST_LAPSES + 0.1) * len(moments)


async def test_a_question_shown_twice_is_answered_once() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1, ask=1)
        await stream.ask(2, ask=1)
        await stream.ask(3, ask=2)
        assert [(await stream.answer()).ask, (await stream.answer()).ask] == [1, 2]
        await stream.end()

    count, _, _ = await play(script)
    assert count.answers == 2


async def test_nothing_is_answered_while_the_table_is_paused() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1, ask=1, paused=True)
        await stream.ask(2, ask=1)
        assert (await stream.answer()).ask == 1
        await stream.end()

    count, _, _ = await play(script)
    assert count.answers == 1


async def test_after_a_break_the_same_answer_goes_out_under_the_same_command_id() -> None:
    sent: list[pb.Answer] = []

    async def broken(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(7)
        sent.append(await stream.answer())
        await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

    async def again(stream: Stream) -> None:
        assert (await stream.hello()).cursor == 7
        await stream.seated()
        await stream.ask(8)
        sent.append(await stream.answer())
        await stream.end()

    await play(broken, again)
    assert sent[0] == sent[1]


async def test_what_ended_while_it_was_away_is_told_once() -> None:
    """After a restart the server tells of every board again (P13)."""

    async def board(stream: Stream, cursor: int, number: int, **more: Any) -> None:
        await stream.tell(update=pb.Update(cursor=cursor, board=number, **more))

    async def ends(stream: Stream, cursor: int, *numbers: int) -> None:
        for at, number in enumerate(numbers, cursor):
            await board(stream, at, number, result=pb.BoardResult(scores=[number, -number, 0]))

    async def first(stream: Stream) -> None:
        await stream.seated()
        await ends(stream, 1, 1)
        await board(stream, 2, 2)
        await stream.end("SHUTTING_DOWN")

    async def second(stream: Stream) -> None:
        assert (await stream.hello()).cursor == 2
        await stream.seated()
        await ends(stream, 3, 1, 2, 3)
        await board(stream, 6, 4)
        await stream.end()

    async with serving(first, second) as address, aio.insecure_channel(address) as channel:
        seat = Seat(cast("Any", service_pb2_grpc.TableServiceStub(channel)), "cup", lambda: "token")
        moments = [one async for one in seat.moments() if isinstance(one, Moment)]
    seen = [(one.board, one.result is not None) for one in moments]
    assert seen == [(1, True), (2, False), (2, True), (3, True), (4, False)]


async def test_a_board_goes_on_after_the_ends_of_earlier_ones() -> None:
    """Of boards at which one sat in another seat there one hears when one is given that back (P13)."""

    async def script(stream: Stream) -> None:
        await stream.seated()
        for cursor, number in enumerate((2, 1, 2), 1):
            ended = {"result": pb.BoardResult(scores=[0, 0, 0])} if number == 1 else {}
            await stream.tell(update=pb.Update(cursor=cursor, board=number, **cast("Any", ended)))
        await stream.tell(update=pb.Update(cursor=4, board=2, result=pb.BoardResult(scores=[0, 0, 0])))
        await stream.end()

    async with serving(script) as address, aio.insecure_channel(address) as channel:
        seat = Seat(cast("Any", service_pb2_grpc.TableServiceStub(channel)), "cup", lambda: "token")
        moments = [one async for one in seat.moments() if isinstance(one, Moment)]
    seen = [(one.board, one.result is not None) for one in moments]
    assert seen == [(2, False), (1, True), (2, False), (2, True)]


@pytest.mark.parametrize("reason", ["SHUTTING_DOWN", "TOKEN_EXPIRED"])
async def test_a_stream_that_the_server_ends_is_begun_again(reason: str) -> None:
    async def first(stream: Stream) -> None:
        await stream.end(reason)

    await play(first, Stream.end)


async def test_an_answer_to_repeat_is_repeated() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1)
        first = await stream.answer()
        refused = pb.Refused(command_id=first.command_id, reason="STORE_UNAVAILABLE", retry=True)
        await stream.tell(refused=refused)
        assert await stream.answer() == first
        await stream.end()

    count, warnings, _ = await play(script)
    assert (count.answers, count.refused, warnings) == (1, 0, [])


async def test_a_question_that_stands_after_a_refusal_is_answered_again() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1)
        first = await stream.answer()
        await stream.tell(refused=pb.Refused(command_id=first.command_id, reason="TABLE_PAUSED"))
        await stream.ask(2, paused=True)
        await stream.ask(3)
        assert await stream.answer() == first
        await stream.end()

    count, warnings, _ = await play(script)
    assert (count.answers, warnings) == (2, [])


async def test_a_refusal_is_told_unless_others_were_only_faster() -> None:
    async def script(stream: Stream) -> None:
        for reason in ("QUESTION_OVER", "NOT_YOUR_TILE"):
            await stream.tell(refused=pb.Refused(command_id="x", reason=reason, clause="P5.6", message="no"))
        await stream.end()

    count, warnings, _ = await play(script)
    assert count.refused == 1
    assert warnings == ["kai: NOT_YOUR_TILE P5.6 no"]


async def test_who_is_replaced_leaves() -> None:
    async def script(stream: Stream) -> None:
        await stream.end("REPLACED")

    _, warnings, _ = await play(script)
    assert warnings == ["kai: another stream took this seat"]


async def test_what_the_server_does_not_know_is_not_tried_for_ever() -> None:
    async def script(stream: Stream) -> None:
        await stream.context.abort(grpc.StatusCode.UNIMPLEMENTED, "no such call")

    with pytest.raises(aio.AioRpcError):
        # A call that ends while its hello is being written may look broken rather than unknown: then it is made again.
        await play(*[script] * 9)


async def test_whoever_is_signed_in_no_more_is_told_another_thing_than_who_has_no_seat() -> None:
    def refusing(code: grpc.StatusCode) -> Script:
        async def script(stream: Stream) -> None:
            await stream.hello()
            await stream.context.abort(code, "the token has expired")

        return script

    expired, unseated = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED
    scripts = [refusing(expired), refusing(expired), refusing(unseated)]
    told: list[Away] = []
    async with (
        serving(*scripts) as address,
        aio.insecure_channel(address) as channel,
        asyncio.timeout(SECONDS),
    ):
        stub: Any = service_pb2_grpc.TableServiceStub(channel)
        async with aclosing(Seat(stub, "cup", lambda: "t").moments()) as moments:
            async for one in moments:
                assert isinstance(one, Away)
                told.append(one)
                if len(told) == 2:
                    break
    # Of the first break nothing is told: a stream that comes back at once was hardly away.
    assert [(one.signed_out, one.refused) for one in told] == [(True, False), (False, True)]


def test_at_shengji_a_lapse_is_a_card_led_or_a_follow_and_never_a_throw_or_a_bid() -> None:
    for state, _ in deal():
        for seat in DUPLICATE_2017.asked(state):
            view = DUPLICATE_2017.view(state, seat)
            for person in ("player-001", "player-002"):
                moment = replace(
                    MOMENT, ruleset=DUPLICATE_2017.id, view=view, seat=seat, ask=1 + sum(view.hand_sizes)
                )
                action = decide(person, moment)
                assert action in view.options
                if action != DUPLICATE_2017.choose(view):
                    assert isinstance(action, Play)
                    assert view.question == "follow" or len(action.cards) == 1
