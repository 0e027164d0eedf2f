"""What every call passes: deadlines, sizes, rates, ids, errors, and what is told of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import structlog
from grpc import StatusCode
from prometheus_client import generate_latest

from fupan.pairing.v1 import service_pb2 as pairing_pb2
from fupan.table.v1 import service_pb2 as table_pb2
from services.domain import Rejected
from services.runtime.errors import Explained, NotFound, read_status
from services.runtime.identity import caller
from services.runtime.limits import MAX_REQUEST, MAX_TAKEN, Limits
from services.runtime.telemetry import redact
from tests.runtime.serving import Serving, appointed, created, entered, methods, serving
from tests.servers import SECONDS

TABLE = "/fupan.table.v1.TableService"
ALL = methods()


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def lines() -> Iterator[list[Any]]:
    """Log lines as they would be written, after redaction."""
    with structlog.testing.capture_logs(processors=[redact]) as captured:
        yield captured


async def populated(running: Serving) -> str:
    """One championship with one player; its token."""
    await running.log.write("open", created("open"), *entered("i1", {1: ["player"]}))
    return running.token("player")


async def refusal(call: Any) -> Explained:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    told = read_status(refused.value)
    assert told is not None, refused.value
    return told


# Deadlines, sizes, rates


async def test_a_unary_call_needs_a_deadline_and_a_stream_none(keys: Path) -> None:
    async with serving(keys) as running:
        told = await refusal(
            running.call("/fupan.scoring.v1.ScoringService/GetStandings", None, timeout=None)
        )
        assert (told.code, told.reason) == (StatusCode.INVALID_ARGUMENT, "DEADLINE_REQUIRED")
        await running.call("/fupan.scoring.v1.ScoringService/WatchStandings", None, timeout=None)


async def test_a_request_of_more_than_a_mebibyte_is_refused(keys: Path) -> None:
    async with serving(keys) as running:
        token = await populated(running)
        request = table_pb2.CallRefereeRequest(command_id="c", championship="open")
        for size in (MAX_REQUEST + 1, 2 * MAX_REQUEST):
            request.reason = "r" * size
            told = await refusal(running.call(f"{TABLE}/CallReferee", token, request))
            assert (told.code, told.reason) == (StatusCode.INVALID_ARGUMENT, "TOO_LARGE")
            assert str(MAX_REQUEST) in told.message
            assert str(MAX_REQUEST) in told.message_zh
        request.reason = "r" * MAX_TAKEN
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await running.call(f"{TABLE}/CallReferee", token, request)
        assert refused.value.code() is StatusCode.RESOURCE_EXHAUSTED
        request.reason = "r" * 100
        await running.call(f"{TABLE}/CallReferee", token, request)


async def test_a_caller_has_a_rate_of_its_own_and_learns_when_to_come_again(keys: Path) -> None:
    clock = Clock()
    name = "/fupan.pairing.v1.PairingService/ListEntrants"
    async with serving(keys, Limits(rate=2, burst=3, max_open=10, monotonic=clock)) as running:
        token = running.token("eager")
        for _ in range(3):
            await running.call(name, token)
        told = await refusal(running.call(name, token))
        assert (told.code, told.reason) == (StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
        assert (told.retry, told.retry_seconds) == (True, 0.5)
        await running.call(name, running.token("other"))
        clock.now += 0.5
        await running.call(name, token)
        # Without a token callers of one machine share one rate.
        for _ in range(3):
            await running.call("/fupan.scoring.v1.ScoringService/GetStandings", None)
        assert (await refusal(running.call("/fupan.scoring.v1.ScoringService/GetStandings", None))).retry
        # Services answer for their own.
        for _ in range(5):
            await running.call(name, running.token("service:scoring"))


async def test_open_calls_of_a_caller_are_limited(keys: Path) -> None:
    going, asked = asyncio.Event(), asyncio.Semaphore(0)

    async def wait(request: Any, context: Any) -> Any:
        asked.release()
        await going.wait()
        return pairing_pb2.ListEntrantsResponse()

    limits = Limits(1e6, 1e6, 2, Clock())
    async with serving(keys, limits, ListEntrants=wait) as running:
        name, token = "/fupan.pairing.v1.PairingService/ListEntrants", running.token("eager")
        calls = [asyncio.ensure_future(running.call(name, token)) for _ in range(2)]
        await asked.acquire()
        await asked.acquire()
        told = await refusal(running.call(name, token))
        assert (told.code, told.reason, told.facts["limit"]) == (
            StatusCode.RESOURCE_EXHAUSTED,
            "TOO_MANY_CALLS",
            "2",
        )
        going.set()
        await asyncio.gather(*calls)
        await running.call(name, token)


# What a request may hold


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (table_pb2.CallRefereeRequest(championship="open"), "command_id"),
        (table_pb2.CallRefereeRequest(championship="open", command_id="x" * 65), "command_id"),
        (table_pb2.CallRefereeRequest(championship="open", command_id="two words"), "command_id"),
        (table_pb2.CallRefereeRequest(championship="open", command_id="命令"), "command_id"),
        (table_pb2.CallRefereeRequest(championship="open", command_id="c", reason="a\0b"), "reason"),
        (table_pb2.CallRefereeRequest(championship="open", command_id="c", reason="\x1b[2J"), "reason"),
        (table_pb2.CallRefereeRequest(championship="open", command_id="c", reason="r" * 65537), "reason"),
        (table_pb2.CallRefereeRequest(championship="Open", command_id="c"), "championship"),
        (table_pb2.CallRefereeRequest(championship="a.b", command_id="c"), "championship"),
        (table_pb2.CallRefereeRequest(championship="a" * 41, command_id="c"), "championship"),
        (table_pb2.CallRefereeRequest(championship="", command_id="c"), "championship"),
    ],
)
async def test_a_malformed_request_is_told_by_its_field(keys: Path, request_: Any, field: str) -> None:
    async with serving(keys) as running:
        token = await populated(running)
        told = await refusal(running.call(f"{TABLE}/CallReferee", token, request_))
        assert (told.code, told.reason) == (StatusCode.INVALID_ARGUMENT, "MALFORMED")
        assert [one.path for one in told.fields] == [field]


async def test_fields_are_checked_at_any_depth(keys: Path) -> None:
    async with serving(keys) as running:
        token = await populated(running)
        await running.log.write("open", appointed("deputy", "deputy"))
        request = pairing_pb2.OverrideSeatingRequest(command_id="c", championship="open")
        request.tables.add(table="t1")
        request.tables.add(table="No Id")
        told = await refusal(
            running.call("/fupan.pairing.v1.PairingService/OverrideSeating", running.token("deputy"), request)
        )
        assert [one.path for one in told.fields] == ["tables[1].table"]
        act = table_pb2.ActRequest(championship="open", answer=table_pb2.Answer(ask=1))
        told = await refusal(running.call(f"{TABLE}/Act", token, act))
        assert [one.path for one in told.fields] == ["answer.command_id"]


# Streams


GARBAGE = (b"\xff\xff\xff", b"\x0a\x02\xff\xfe", b"\x0a" * 5000)
"""No wire format, a string that is no UTF-8, a length that does not fit."""


@pytest.mark.parametrize("data", GARBAGE)
async def test_what_is_no_message_at_all_is_refused_in_our_own_words(keys: Path, data: bytes) -> None:
    calls = {
        "unary_unary": "/fupan.pairing.v1.PairingService/GetChampionship",
        "unary_stream": "/fupan.pairing.v1.PairingService/WatchRound",
        "stream_unary": "/fupan.pairing.v1.PairingService/ImportEntrants",
        "stream_stream": "/fupan.table.v1.TableService/Play",
    }
    async with serving(keys) as running:
        metadata = (("authorization", f"Bearer {await populated(running)}"),)
        for kind, method in calls.items():
            start = getattr(running.channel, kind)(method)
            sent = iter([data]) if kind.startswith("stream") else data
            call = start(sent, timeout=SECONDS, metadata=metadata)
            told = await refusal(call.read() if kind.endswith("stream") else call)
            assert (told.code, told.reason) == (StatusCode.INVALID_ARGUMENT, "MALFORMED"), method


async def test_a_stream_is_admitted_by_its_first_message_before_its_handler_runs(keys: Path) -> None:
    entered_handler = []

    async def play(messages: Any, context: Any) -> AsyncIterator[Any]:
        entered_handler.append(caller(context).subject)
        async for message in messages:
            yield table_pb2.PlayResponse(
                accepted=table_pb2.Accepted(command_id=str(message.WhichOneof("kind")))
            )

    async with serving(keys, Play=play) as running:
        token = await populated(running)
        hello = table_pb2.PlayRequest(hello=table_pb2.Hello(championship="open"))
        answer = table_pb2.PlayRequest(answer=table_pb2.Answer(command_id="c"))
        told = await refusal(_play(running, running.token("stranger"), [hello]))
        assert told.code is StatusCode.PERMISSION_DENIED
        told = await refusal(_play(running, token, [answer]))
        assert (told.reason, [one.path for one in told.fields]) == ("MALFORMED", ["hello.championship"])
        told = await refusal(_play(running, token, []))
        assert (told.reason, [one.path for one in told.fields]) == ("MALFORMED", ["stream"])
        assert entered_handler == []
        responses = await _play(running, token, [hello, answer])
        assert [one.accepted.command_id for one in responses] == ["hello", "answer"]
        assert entered_handler == ["player"]
        bad = table_pb2.PlayRequest(answer=table_pb2.Answer(command_id=""))
        told = await refusal(_play(running, token, [hello, answer, bad]))
        assert [one.path for one in told.fields] == ["answer.command_id"]


async def test_a_stream_that_never_begins_is_ended(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.runtime.interceptors.FIRST_MESSAGE_SECONDS", 0.01)
    async with serving(keys) as running:
        never = asyncio.Event()

        async def silence() -> AsyncIterator[Any]:
            await never.wait()
            yield None

        told = await refusal(_play(running, await populated(running), silence()))
        assert told.reason == "MALFORMED"
        never.set()


async def test_a_streams_messages_come_no_faster_than_the_rate(
    keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, waits = Clock(), []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock.now += seconds

    monkeypatch.setattr("services.runtime.interceptors.asyncio.sleep", sleep)
    async with serving(keys, Limits(rate=4, burst=3, max_open=10, monotonic=clock)) as running:
        hello = table_pb2.PlayRequest(hello=table_pb2.Hello(championship="open"))
        seen = table_pb2.PlayRequest(delivered=table_pb2.Delivered(cursor=1))
        await _play(running, await populated(running), [hello, seen, seen, seen, seen])
    # One for the call, two messages, then a quarter of a second each.
    assert waits == [0.25, 0.25]


async def test_an_uploads_rows_are_left_to_the_handler(keys: Path) -> None:
    """It can say in which line of the file the bad row stands."""
    async with serving(keys) as running:
        await populated(running)
        header = pairing_pb2.ImportHeader(command_id="c", championship="open")
        row = pairing_pb2.ImportRow(line=2, members=[pairing_pb2.PersonRow(person_id="No Id")])
        start = running.channel.stream_unary(
            "/fupan.pairing.v1.PairingService/ImportEntrants",
            request_serializer=pairing_pb2.ImportEntrantsRequest.SerializeToString,
            response_deserializer=pairing_pb2.ImportEntrantsResponse.FromString,
        )
        requests = [
            pairing_pb2.ImportEntrantsRequest(header=header),
            pairing_pb2.ImportEntrantsRequest(row=row),
        ]
        await start(iter(requests), metadata=_bearer(running.token("organiser")), timeout=SECONDS)


# Errors


async def test_a_rules_no_tells_reason_clause_facts_and_both_languages(keys: Path) -> None:
    async def refuse(request: Any, context: Any) -> Any:
        raise Rejected("MUST_LEAVE_KAN", "P5.6", "a kan must not be broken up", tile="3")

    async with serving(keys, CallReferee=refuse) as running:
        told = await refusal(running.call(f"{TABLE}/CallReferee", await populated(running)))
    assert (told.code, told.reason, told.clause) == (StatusCode.FAILED_PRECONDITION, "MUST_LEAVE_KAN", "P5.6")
    assert told.message == "a kan must not be broken up"
    assert "P5.6" in told.message_zh
    assert told.facts == {"tile": "3"}
    assert not told.retry


async def test_an_error_nobody_foresaw_tells_nothing_but_where_to_find_it(
    keys: Path, lines: list[Any]
) -> None:
    async def break_down(request: Any, context: Any) -> Any:
        raise KeyError("the hand is 1 2 3")

    async with serving(keys, CallReferee=break_down) as running:
        told = await refusal(running.call(f"{TABLE}/CallReferee", await populated(running)))
    assert (told.code, told.reason) == (StatusCode.INTERNAL, "INTERNAL")
    assert "hand" not in told.status().SerializeToString().decode("utf-8", "replace")
    (logged,) = [line for line in lines if line["event"] == "internal_error"]
    assert logged["error_id"] == told.facts["error_id"]
    assert isinstance(logged["exc_info"], KeyError)


async def test_what_a_handler_aborts_itself_stays_as_it_is(keys: Path, lines: list[Any]) -> None:
    async def abort(request: Any, context: Any) -> Any:
        await context.abort(StatusCode.OUT_OF_RANGE, "too far")

    async with serving(keys, CallReferee=abort) as running:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await running.call(f"{TABLE}/CallReferee", await populated(running))
    assert (refused.value.code(), refused.value.details()) == (StatusCode.OUT_OF_RANGE, "too far")
    assert [line["code"] for line in lines if line["event"] == "call"] == ["OUT_OF_RANGE"]


async def test_an_error_in_the_middle_of_a_stream_ends_it_typed(keys: Path) -> None:
    async def watch(request: Any, context: Any) -> AsyncIterator[Any]:
        yield table_pb2.ReplayBoardResponse(step=1)
        raise NotFound("board", 7)

    async with serving(keys, ReplayBoard=watch) as running:
        told = await refusal(running.call(f"{TABLE}/ReplayBoard", None))
    assert (told.code, told.message) == (StatusCode.NOT_FOUND, "there is no board 7")


async def test_a_cancelled_call_ends_its_handler_and_is_no_error(keys: Path, lines: list[Any]) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def wait(request: Any, context: Any) -> AsyncIterator[Any]:
        try:
            yield table_pb2.ReplayBoardResponse(step=1)
            started.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with serving(keys, ReplayBoard=wait) as running:
        call = asyncio.ensure_future(running.call(f"{TABLE}/ReplayBoard", None, timeout=None))
        await started.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await asyncio.wait_for(ended.wait(), SECONDS)
    assert [line["code"] for line in lines if line["event"] == "call"] == ["CANCELLED"]


async def test_while_it_is_shut_it_asks_to_come_again(keys: Path) -> None:
    async with serving(keys) as running:
        running.gate.shut = "STOPPING"
        told = await refusal(running.call(f"{TABLE}/ReplayBoard", None))
        assert (told.code, told.reason, told.retry) == (StatusCode.UNAVAILABLE, "STOPPING", True)


# What is told of a call


async def test_a_call_leaves_one_line_and_one_count_without_any_secret(keys: Path, lines: list[Any]) -> None:
    async with serving(keys) as running:
        token = await populated(running)
        request = table_pb2.CallRefereeRequest(
            championship="open", command_id="c-secret", reason="my hand is bad"
        )
        await running.call(f"{TABLE}/CallReferee", token, request)
        await refusal(running.call(f"{TABLE}/PauseTable", token))
        registry = running.metrics.registry
    told = [line for line in lines if line["event"] == "call"]
    assert [(one["rpc"], one["caller"], one["code"], one["reason"]) for one in told] == [
        (f"{TABLE}/CallReferee", "player", "OK", ""),
        (f"{TABLE}/PauseTable", "player", "PERMISSION_DENIED", "NOT_IN_ROLE"),
    ]
    text = json.dumps(lines, default=str)
    assert not [secret for secret in (token, "c-secret", "my hand") if secret in text]

    def count(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(name, {"service": "table", **labels})

    assert count("fupan_rpc_total", rpc=f"{TABLE}/CallReferee", code="OK") == 1
    assert count("fupan_rpc_total", rpc=f"{TABLE}/PauseTable", code="PERMISSION_DENIED") == 1
    assert count("fupan_refusals_total", reason="NOT_IN_ROLE") == 1
    assert count("fupan_rpc_seconds_count", rpc=f"{TABLE}/CallReferee") == 1
    assert count("fupan_rpc_open", rpc=f"{TABLE}/CallReferee") == 0


async def test_by_which_rule_an_answer_was_refused_is_told_to_nobody_else(
    keys: Path, lines: list[Any]
) -> None:
    """A seat that may not play a tile of its kan holds one: what is tried is as secret as the board."""

    async def refuse(request: Any, context: Any) -> Any:
        raise Rejected("MUST_KEEP_KAN", "P5.6", "the tile is part of a kan")

    async with serving(keys, Act=refuse) as running:
        token = await populated(running)
        request = table_pb2.ActRequest(championship="open", answer=table_pb2.Answer(command_id="c-1"))
        told = await refusal(running.call(f"{TABLE}/Act", token, request))
        shown = await refusal(running.call(f"{TABLE}/Act", running.token("stranger"), request))
        metrics = generate_latest(running.metrics.registry).decode()
    assert (told.reason, told.clause, shown.reason) == ("MUST_KEEP_KAN", "P5.6", "NOT_IN_ROLE")
    assert [(one["code"], one["reason"]) for one in lines if one["event"] == "call"] == [
        ("FAILED_PRECONDITION", ""),
        ("PERMISSION_DENIED", "NOT_IN_ROLE"),
    ]
    assert "KAN" not in json.dumps(lines, default=str) + metrics


async def _play(running: Serving, token: str, messages: Any) -> list[Any]:
    start = running.channel.stream_stream(
        f"{TABLE}/Play",
        request_serializer=table_pb2.PlayRequest.SerializeToString,
        response_deserializer=table_pb2.PlayResponse.FromString,
    )
    call = start(
        messages if hasattr(messages, "__aiter__") else iter(messages),
        metadata=_bearer(token),
        timeout=SECONDS,
    )
    return [one async for one in call]


def _bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)
