from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from clients.cli import refusals
from clients.cli.bearer import patiently
from clients.cli.connection import Fupan
from clients.cli.output import Problem
from clients.cli.places import SERVICES, Place, find
from clients.cli.words import choose
from fupan.common.v1 import log_service_pb2 as log_pb
from fupan.common.v1 import log_service_pb2_grpc
from fupan.pairing.v1 import service_pb2 as pb
from fupan.pairing.v1 import service_pb2_grpc

Refusals = list[grpc.StatusCode]


class Pairing(service_pb2_grpc.PairingServiceServicer):
    """Refuses as often as it is told, and remembers what it was asked."""

    def __init__(self, refused: Refusals) -> None:
        self.refused = refused
        self.asked: list[tuple[Any, str, float]] = []

    async def StartRound(self, request: pb.StartRoundRequest, context: Any) -> pb.StartRoundResponse:
        token = dict(context.invocation_metadata()).get("authorization", "")
        self.asked.append((request, token, context.time_remaining()))
        if self.refused:
            await context.abort(self.refused.pop(0), "not now")
        return pb.StartRoundResponse()


class Logs(log_service_pb2_grpc.LogServiceServicer):
    """A log that breaks off once."""

    def __init__(self, refused: Refusals) -> None:
        self.refused = refused
        self.tokens: list[str] = []

    async def ReadLog(self, request: Any, context: Any) -> AsyncIterator[log_pb.ReadLogResponse]:
        self.tokens.append(dict(context.invocation_metadata()).get("authorization", ""))
        yield log_pb.ReadLogResponse()
        if self.refused:
            await context.abort(self.refused.pop(0), "broken off")


class Platform:
    """A server of the two, and its clients."""

    def __init__(self, *refused: grpc.StatusCode) -> None:
        self.pairing = Pairing(list(refused))  # type: ignore[abstract]  # nothing else is called
        self.logs = Logs(list(refused))  # type: ignore[abstract]

    async def __aenter__(self) -> Platform:
        self._server = aio.server()
        service_pb2_grpc.add_PairingServiceServicer_to_server(self.pairing, self._server)
        log_service_pb2_grpc.add_LogServiceServicer_to_server(self.logs, self._server)
        port = self._server.add_insecure_port("127.0.0.1:0")
        await self._server.start()
        self.place = Place(dict.fromkeys(SERVICES, f"127.0.0.1:{port}"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(None)

    def client(self, patience: float = 20.0) -> Fupan:
        return Fupan(self.place, lambda: "token-of-kai", patience)


START = pb.StartRoundRequest(command_id="c-1", championship="cup", round=1)
AWAY, BUSY, NO = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.FAILED_PRECONDITION,
)


async def test_a_call_carries_token_and_deadline() -> None:
    async with Platform() as platform, platform.client() as fupan:
        await fupan.pairing.StartRound(START)
    ((request, token, seconds),) = platform.pairing.asked
    assert (request, token) == (START, "Bearer token-of-kai")
    assert 0 < seconds < 31  # of 30; the two ends' clocks tick on their own


async def test_a_service_that_is_away_is_asked_again_with_the_same_request() -> None:
    async with Platform(AWAY, BUSY) as platform, platform.client() as fupan:
        await fupan.pairing.StartRound(START)
    assert [request for request, _, _ in platform.pairing.asked] == [START] * 3


async def test_a_rules_no_is_not_asked_again() -> None:
    async with Platform(NO) as platform, platform.client() as fupan:
        with pytest.raises(aio.AioRpcError):
            await fupan.pairing.StartRound(START)
    assert len(platform.pairing.asked) == 1


async def test_patience_ends() -> None:
    async with Platform(*[AWAY] * 9) as platform, platform.client(patience=0.0) as fupan:
        with pytest.raises(aio.AioRpcError):
            await fupan.pairing.StartRound(START)
    assert len(platform.pairing.asked) == 1


async def test_a_stream_that_breaks_off_is_read_again_from_its_start() -> None:
    async with Platform(AWAY) as platform, platform.client() as fupan:

        async def read() -> int:
            request = log_pb.ReadLogRequest(championship="cup")
            return len([one async for one in fupan.log("table").ReadLog(request)])

        assert await patiently(read, fupan.patience) == 1
    assert platform.logs.tokens == ["Bearer token-of-kai"] * 2


async def test_an_upload_whose_refusal_was_lost_is_sent_again() -> None:
    """What the client's side makes of a refusal that comes while rows are still written, now and then."""
    answers = [(grpc.StatusCode.INTERNAL, "Internal error from Core"), (NO, "row 5 is bad")]

    async def upload() -> None:
        code, details = answers.pop(0)
        raise aio.AioRpcError(code, aio.Metadata(), aio.Metadata(), details, None)

    with pytest.raises(aio.AioRpcError, match="row 5 is bad"):
        await patiently(upload, 20.0)


async def test_an_error_inside_a_service_is_not_asked_for_again() -> None:
    async with Platform(grpc.StatusCode.INTERNAL) as platform, platform.client() as fupan:
        with pytest.raises(aio.AioRpcError):
            await patiently(lambda: fupan.pairing.StartRound(START), 20.0)
    assert len(platform.pairing.asked) == 1


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


def test_one_address_stands_for_all_services() -> None:
    assert find("example.org:443").services == dict.fromkeys(SERVICES, "example.org:443")
    assert find("table=a:1, pairing=b:2").services == {"table": "a:1", "pairing": "b:2"}


def test_a_data_directory_says_where_its_platform_is(tmp_path: Path) -> None:
    told = {"services": {"table": "127.0.0.1:5"}, "keys": "/k", "operator": "op", "trust": ["ab"]}
    (tmp_path / "client.json").write_text(json.dumps(told))
    place = find(str(tmp_path))
    assert place == Place({"table": "127.0.0.1:5"}, Path("/k"), "op", ("ab",))


def test_without_a_server_the_platform_started_here_last_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Problem):
        find("")
    for age, name in enumerate((".fupan/demo-x", ".fupan")):
        folder = tmp_path / name
        folder.mkdir(parents=True, exist_ok=True)
        told = {"services": {"table": name}, "keys": "/k", "operator": "op", "trust": []}
        (folder / "client.json").write_text(json.dumps(told))
        assert find("").services == {"table": name}, age


@pytest.mark.parametrize("server", ["nowhere", "host:port", "table=", "cards=a:1"])
def test_a_server_that_is_none_is_refused(server: str) -> None:
    with pytest.raises(Problem):
        find(server)


@pytest.mark.parametrize(
    ("code", "lang", "told"),
    [
        (
            grpc.StatusCode.UNAVAILABLE,
            "en",
            "the platform cannot be reached — is the platform running (fupan up), and is --server right? (refused)",
        ),
        (
            grpc.StatusCode.UNAVAILABLE,
            "zh",
            "连接不上平台 — 请确认平台已启动（fupan up），且 --server 正确 (refused)",
        ),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "zh", "平台未及时应答 — 请重试"),
    ],
)
def test_that_nobody_answers_is_told_in_the_users_language(
    code: grpc.StatusCode, lang: str, told: str
) -> None:
    choose(lang)
    problem = refusals.problem(refusals.Refusal(code, "", "", "refused"))
    choose("en")
    assert (str(problem), problem.code) == (told, 3)
