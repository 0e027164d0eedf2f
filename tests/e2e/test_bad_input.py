"""Whatever anybody sends: a typed refusal or an answer, nothing half done, nothing told, and the services go on.

`tests/chaos/test_messages.py` sends many times as many random messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
from grpc import StatusCode

from clients.cli.connection import Fupan
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table
from services.games import registry
from services.ledger.games import GAMES
from services.runtime.errors import Explained, read_status
from services.runtime.limits import MAX_REQUEST
from tests.e2e import scratch
from tests.e2e import stage as staging
from tests.e2e.callers import FORGED
from tests.e2e.messages import METHODS, Call, calls
from tests.e2e.scene import Scene
from tests.e2e.sender import each
from tests.e2e.stage import OPEN, Stage
from tests.runtime.serving import request_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

MESSAGES = 400
GAME = GAMES["paohuzi"]
RULES = registry.find("paohuzi/competitive-2017")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stage(scene: Scene) -> AsyncIterator[Stage]:
    async with staging.set_up(scene.inside, "fuzz") as made:
        yield made
        await staging.unharmed(made)


async def refused(call: Any) -> Explained:
    """What a call was refused with."""
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    told = read_status(raised.value)
    assert told is not None, raised.value
    return told


async def seen(player: Fupan, stage: Stage) -> table.Update:
    """What a player sees now."""
    told = await player.table.GetView(table.GetViewRequest(championship=stage.cup.id))
    return told.update


def answer(stage: Stage, update: table.Update, command_id: str, **changes: Any) -> table.ActRequest:
    """The first legal answer to the question of an update, changed."""
    view = GAME.views.from_proto(update.view.paohuzi)
    made: dict[str, Any] = {"board": update.board, "ask": update.ask, "command_id": command_id}
    if view.options:
        made["paohuzi"] = GAME.actions.to_proto(view.options[-1])
    return table.ActRequest(championship=stage.cup.id, answer=table.Answer(**made | changes))


async def asked(stage: Stage) -> tuple[str, str]:
    """Who is asked at the open table, and somebody who is not."""
    found: dict[bool, str] = {}
    for person in stage.seated[OPEN]:
        async with stage.inside.caller(person) as player:
            found[(await seen(player, stage)).ask > 0] = person
    return found[True], found[False]


async def test_forged_and_expired_tokens_open_nothing_anywhere(stage: Stage) -> None:
    before = await staging.positions(stage.inside)
    for method, descriptor in METHODS.items():
        request = request_of(method, descriptor, stage.cup.id).SerializeToString()
        # A stream is refused before it has said anything.
        requests = () if descriptor.client_streaming else (request,)
        for caller in sorted(FORGED):
            told = await stage.sender.send(Call(method, caller, requests))
            assert told is not None, (method, caller)
            assert told.code is StatusCode.UNAUTHENTICATED, (method, caller, told)
    assert await staging.positions(stage.inside) == before


async def test_oversized_requests_and_metadata_are_refused(stage: Stage) -> None:
    before = await staging.positions(stage.inside)
    async with stage.inside.caller(scratch.OPERATOR, patience=0) as operator:
        large = pairing.CreateChampionshipRequest(command_id="x", document="a" * MAX_REQUEST)
        told = await refused(operator.pairing.CreateChampionship(large))
        assert (told.code, told.reason) == (StatusCode.INVALID_ARGUMENT, "TOO_LARGE")
        request = pairing.GetChampionshipRequest(championship=stage.cup.id)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await operator.pairing.GetChampionship(request, metadata=(("x", "a" * 100_000),))
        assert raised.value.code() is StatusCode.RESOURCE_EXHAUSTED
        assert (await operator.pairing.GetChampionship(request)).entrants == 6
    assert await staging.positions(stage.inside) == before


async def test_who_is_not_asked_cannot_answer(stage: Stage) -> None:
    asked_one, other = await asked(stage)
    before = await staging.positions(stage.inside)
    async with stage.inside.caller(asked_one) as player, stage.inside.caller(other) as third:
        update = await seen(player, stage)
        told = await refused(third.table.Act(answer(stage, update, "out-of-turn")))
        assert (told.code, told.reason) == (StatusCode.FAILED_PRECONDITION, "QUESTION_OVER")
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"ask": update.ask + 1}, "QUESTION_OVER"),
            ({"ask": 0}, "QUESTION_OVER"),
            ({"ask": 2**32 - 1}, "QUESTION_OVER"),
            ({"board": update.board + 1}, "QUESTION_OVER"),
            ({"paohuzi": GAME.actions.to_proto(_impossible(update))}, ""),
        ]
        for number, (changes, reason) in enumerate(wrong):
            told = await refused(player.table.Act(answer(stage, update, f"wrong-{number}", **changes)))
            assert told.code is StatusCode.FAILED_PRECONDITION, (changes, told)
            assert not reason or told.reason == reason, (changes, told)
        assert await seen(player, stage) == update
    assert await staging.positions(stage.inside) == before


def _impossible(update: table.Update) -> Any:
    """An action that the rules do not offer: to play a tile that the hand does not hold."""
    hand = GAME.views.from_proto(update.view.paohuzi).hand
    kind = next(number for number in range(1, 21) if not hand[number])
    return RULES.parse(f"play {'s' if kind <= 10 else 'b'}{(kind - 1) % 10 + 1}")


async def test_what_was_answered_is_replayed_for_nothing_and_for_nobody_else(stage: Stage) -> None:
    asked_one, other = await asked(stage)
    async with stage.inside.caller(asked_one) as player, stage.inside.caller(other) as third:
        update = await seen(player, stage)
        request = answer(stage, update, "once")
        first = await player.table.Act(request)
        after = await staging.positions(stage.inside)
        assert (await player.table.Act(request)).receipt == first.receipt
        told = await refused(third.table.Act(request))
        assert told.reason == "COMMAND_ID_REUSED"
        other_action = answer(stage, update, "once", paohuzi=GAME.actions.to_proto(RULES.parse("win")))
        assert (await refused(player.table.Act(other_action))).reason == "COMMAND_ID_REUSED"
        late = answer(stage, update, "late")
        assert (await refused(player.table.Act(late))).reason == "QUESTION_OVER", "the tile is gone"
        assert await staging.positions(stage.inside) == after


async def test_a_command_id_is_one_persons_everywhere(stage: Stage) -> None:
    penalty: dict[str, Any] = {"championship": stage.cup.id, "entrant": 1, "tenths": 5, "reason": "late"}
    async with stage.inside.caller(scratch.CHIEF) as chief:
        request = scoring.SetPenaltyRequest(command_id="penalty", penalty="p-1", **penalty)
        first = await chief.scoring.SetPenalty(request)
        listed = scoring.ListPublicationsRequest(championship=stage.cup.id)
        # C9.2: the penalty is published at once, after its answer.
        while not (await chief.scoring.ListPublications(listed)).publications:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        after = await staging.positions(stage.inside)
        assert (await chief.scoring.SetPenalty(request)).receipt.hash == first.receipt.hash
        other = scoring.SetPenaltyRequest(command_id="penalty", penalty="p-2", **penalty)
        assert (await refused(chief.scoring.SetPenalty(other))).reason == "COMMAND_ID_REUSED"
    pause: dict[str, Any] = {"championship": stage.cup.id, "table": OPEN}
    async with stage.inside.caller(scratch.REFEREE) as referee:
        await referee.table.PauseTable(table.PauseTableRequest(command_id="pause", reason="rest", **pause))
    async with stage.inside.caller(scratch.CHIEF) as chief:
        again = table.PauseTableRequest(command_id="pause", reason="rest", **pause)
        assert (await refused(chief.table.PauseTable(again))).reason == "COMMAND_ID_REUSED"
        await chief.table.ResumeTable(table.ResumeTableRequest(command_id="resume", **pause))
    assert {name: count for name, count in after.items() if name.startswith("SCORING")}.items() <= (
        await staging.positions(stage.inside)
    ).items()


async def test_a_stream_begins_anywhere_and_nothing_it_says_ends_the_service(stage: Stage) -> None:
    person, _ = await asked(stage)
    most = 2**64 - 1
    openings = [
        [table.PlayRequest(hello=table.Hello(championship=stage.cup.id, cursor=most))],
        [table.PlayRequest(delivered=table.Delivered(cursor=1))],
        [table.PlayRequest()],
        [_hello(stage), _hello(stage)],
        [_hello(stage), table.PlayRequest(delivered=table.Delivered(cursor=most))],
        [_hello(stage), table.PlayRequest(renewal=table.TokenRenewal(token="x" * 60_000))],
        [_hello(stage), table.PlayRequest(answer=table.Answer(command_id="nothing"))],
        [
            _hello(stage),
            *[table.PlayRequest(answer=table.Answer(command_id=f"n-{n}", ask=n)) for n in range(50)],
        ],
    ]
    before = await staging.positions(stage.inside)
    for messages in openings:
        sent = tuple(message.SerializeToString() for message in messages)
        await stage.sender.send(Call("/fupan.table.v1.TableService/Play", person, sent))
    assert await staging.positions(stage.inside) == before


def _hello(stage: Stage) -> table.PlayRequest:
    return table.PlayRequest(hello=table.Hello(championship=stage.cup.id))


async def test_random_and_mutated_messages(stage: Stage) -> None:
    made = calls(stage.vocabulary, stage.callers, stage.entitled)
    await each(made, MESSAGES, stage.sender.send, seed=True)
    assert stage.sender.counts["OK"] > MESSAGES / 20
    assert len(stage.sender.reasons) > 10
    await staging.unharmed(stage)
