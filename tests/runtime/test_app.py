"""The life of a service on a real log and a real database."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import StatusCode
from grpc_health.v1 import health_pb2, health_pb2_grpc

from fupan.common.v1 import log_service_pb2, log_service_pb2_grpc
from fupan.scoring.v1 import service_pb2, service_pb2_grpc
from services.runtime import app
from services.runtime.app import App, Process, Runtime, StartFailed
from services.runtime.config import Config, ConfigError
from services.runtime.embedded import nats
from services.runtime.embedded.directory import free_port
from services.runtime.errors import read_status
from services.runtime.identity import caller
from services.runtime.jetstream import JetStreamStore
from services.runtime.streams import Epoch
from services.runtime.telemetry import Metrics
from tests.conftest import NatsServer
from tests.runtime.serving import servicers
from tests.servers import SECONDS

SCORING = "fupan.scoring.v1.service"
LOG = "fupan.common.v1.log_service"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def variables(
    keys: Path, nats_server: NatsServer, log_store: JetStreamStore, database: str, epoch: Epoch
) -> dict[str, str]:
    return {
        "FUPAN_SERVICE_LISTEN": "127.0.0.1:0",
        "FUPAN_NATS_URL": nats_server.url,
        "FUPAN_NATS_USER": nats.OPERATOR,
        "FUPAN_NATS_PASSWORD": nats_server.password,
        "FUPAN_POSTGRES_DSN": database,
        "FUPAN_EPOCH": epoch.id,
        "FUPAN_PARTITIONS": str(epoch.partitions),
        "FUPAN_KEYS_DIR": str(keys),
    }


@dataclass
class Tiny:
    """A service that notes what happens to it."""

    caught_up: asyncio.Event = field(default_factory=asyncio.Event)
    starting: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    notes: list[str] = field(default_factory=list)
    work: Callable[[Runtime], Awaitable[None]] | None = None
    runtime: Runtime | None = None

    async def build(self, runtime: Runtime) -> App:
        self.runtime = runtime
        if self.work is not None:
            runtime.spawn(self.work(runtime), "work")  # type: ignore[arg-type]
        offered = servicers(SCORING, GetStandings=self.get_standings, WatchStandings=self.watch_standings)
        return App(offered, self.start, self.stop)

    async def start(self) -> None:
        self.starting.set()
        await self.caught_up.wait()

    async def stop(self) -> None:
        assert self.runtime is not None
        # Log and database are still there when a service ends.
        await self.runtime.store.last_sequence(self.runtime.epoch.stream("scoring"))
        await self.runtime.pool.fetchval("SELECT 1")
        self.notes.append("app stopped")

    async def get_standings(self, request: Any, context: Any) -> Any:
        self.asked.set()
        await self.let_go.wait()
        self.notes.append("answered")
        return service_pb2.GetStandingsResponse(publication=7)

    async def watch_standings(self, request: Any, context: Any) -> AsyncIterator[Any]:
        assert self.runtime is not None
        yield service_pb2.WatchStandingsResponse()
        await self.runtime.stopping.wait()
        self.notes.append("watch ended")


@asynccontextmanager
async def running(
    service: Tiny, variables: dict[str, str]
) -> AsyncIterator[tuple[Process, asyncio.Task[None]]]:
    """The service, serving."""
    process = Process({"scoring": service.build}, {"scoring": Config.read("scoring", variables)})
    serving = asyncio.Event()
    task = asyncio.create_task(process.run(serving.set))
    try:
        await first(serving.wait(), task)
        yield process, task
    finally:
        service.let_go.set()
        process.stop.set()
        await asyncio.gather(task, return_exceptions=True)


async def first(what: Awaitable[Any], task: asyncio.Task[Any]) -> None:
    """Wait for `what`, unless `task` ends first."""
    waiting = asyncio.ensure_future(what)
    await asyncio.wait({waiting, task}, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        waiting.cancel()
        await task


def channel_of(process: Process) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(f"127.0.0.1:{process.servers['scoring'].port}")


async def test_it_serves_when_it_has_caught_up_and_stops_in_order(variables: dict[str, str]) -> None:
    service = Tiny()
    service.caught_up.set()
    async with running(service, variables) as (process, task), channel_of(process) as channel:
        stub: Any = service_pb2_grpc.ScoringServiceStub(channel)
        health: Any = health_pb2_grpc.HealthStub(channel)
        watch = aiter(health.Watch(health_pb2.HealthCheckRequest()))
        assert (await anext(watch)).status == health_pb2.HealthCheckResponse.SERVING
        standings = aiter(stub.WatchStandings(service_pb2.WatchStandingsRequest(championship="c")))
        await anext(standings)
        asked = asyncio.ensure_future(
            stub.GetStandings(service_pb2.GetStandingsRequest(championship="c"), timeout=SECONDS)
        )
        await service.asked.wait()
        process.stop.set()
        assert [one.status async for one in watch] == [health_pb2.HealthCheckResponse.NOT_SERVING]
        assert [one async for one in standings] == []
        assert service.notes == ["watch ended"]
        service.let_go.set()
        assert (await asked).publication == 7
        await task
    assert service.notes == ["watch ended", "answered", "app stopped"]
    assert not process.failed


async def test_it_answers_not_serving_until_it_has_caught_up(variables: dict[str, str]) -> None:
    service = Tiny()
    process = Process({"scoring": service.build}, {"scoring": Config.read("scoring", variables)})
    task = asyncio.create_task(process.run())
    await first(service.starting.wait(), task)
    async with channel_of(process) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        stub: Any = service_pb2_grpc.ScoringServiceStub(channel)
        not_serving = health_pb2.HealthCheckResponse.NOT_SERVING
        assert (await health.Check(health_pb2.HealthCheckRequest())).status == not_serving
        alive = await health.Check(health_pb2.HealthCheckRequest(service="liveness"))
        assert alive.status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.GetStandings(service_pb2.GetStandingsRequest(championship="c"), timeout=SECONDS)
        told = read_status(refused.value)
        assert told is not None
        assert (told.code, told.reason, told.retry) == (StatusCode.UNAVAILABLE, "STARTING", True)
        request = health_pb2.HealthCheckRequest(service="fupan.scoring.v1.ScoringService")
        watch = aiter(health.Watch(request))
        assert (await anext(watch)).status == not_serving
        service.caught_up.set()
        assert (await anext(watch)).status == health_pb2.HealthCheckResponse.SERVING
        process.stop.set()
        await task


async def test_background_work_that_fails_stops_the_service(variables: dict[str, str]) -> None:
    async def fail(runtime: Runtime) -> None:
        raise LookupError("lost")

    service = Tiny(work=fail)
    service.caught_up.set()
    process = Process({"scoring": service.build}, {"scoring": Config.read("scoring", variables)})
    await process.run()
    assert process.failed
    assert service.notes == ["app stopped"]


async def test_losing_the_directory_stops_the_service(variables: dict[str, str]) -> None:
    service = Tiny()
    service.caught_up.set()
    async with running(service, variables) as (process, task):
        assert service.runtime is not None
        assert service.runtime.directory.task is not None
        service.runtime.directory.task.cancel()
        await task
    assert process.failed


async def test_background_work_that_does_not_end_is_cancelled(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.runtime.app._TASKS_STOP", 0.01)
    ended = []

    async def stay(runtime: Runtime) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    service = Tiny(work=stay)
    service.caught_up.set()
    async with running(service, variables):
        pass
    assert ended == ["cancelled"]


async def test_two_services_in_one_process_call_each_other(variables: dict[str, str]) -> None:
    """Each under its own name: the caller is told by its token."""
    seen: list[str] = []

    async def list_subjects(request: Any, context: Any) -> Any:
        seen.append(caller(context).subject)
        return log_service_pb2.ListSubjectsResponse(subjects=["s"])

    async def nothing() -> None:
        return

    async def dealer(runtime: Runtime) -> App:
        return App(servicers(LOG, ListSubjects=list_subjects), nothing, nothing)

    async def table(runtime: Runtime) -> App:
        async def start() -> None:
            stub: Any = log_service_pb2_grpc.LogServiceStub(runtime.peer("dealer"))
            request = log_service_pb2.ListSubjectsRequest(championship="c")
            # Both start at once, and the dealer may be the slower one.
            answer = await stub.ListSubjects(request, wait_for_ready=True, timeout=SECONDS)
            seen.extend(answer.subjects)

        return App([], start, nothing)

    port = free_port()
    environ = variables | {"FUPAN_PEERS": f"dealer=127.0.0.1:{port}"}
    configs = {
        "dealer": Config.read("dealer", environ | {"FUPAN_SERVICE_LISTEN": f"127.0.0.1:{port}"}),
        "table": Config.read("table", environ),
    }
    process = Process({"dealer": dealer, "table": table}, configs)
    await process.run(process.stop.set)
    assert seen == ["service:table", "s"]


@pytest.mark.parametrize(
    ("variable", "value", "complaint"),
    [
        (
            "FUPAN_POSTGRES_DSN",
            "postgresql://postgres:hidden@127.0.0.1:1/x",
            "FUPAN_POSTGRES_DSN: the database cannot",
        ),
        ("FUPAN_POSTGRES_DSN", "postgresql://u:hidden@h:port/x", "FUPAN_POSTGRES_DSN: the database cannot"),
        (
            "FUPAN_NATS_URL",
            "nats://u:hidden@127.0.0.1:1",
            "FUPAN_NATS_URL: nobody answers at nats://127.0.0.1:1",
        ),
        ("FUPAN_EPOCH", "never-made", "-never-made cannot be read"),
    ],
)
async def test_what_keeps_it_from_starting_is_said_in_one_line(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, variable: str, value: str, complaint: str
) -> None:
    monkeypatch.setattr("services.runtime.connections.CONNECT_SECONDS", 0.5)
    service = Tiny()
    config = Config.read("scoring", variables | {variable: value})
    with pytest.raises(StartFailed) as failed:
        await Process({"scoring": service.build}, {"scoring": config}).run()
    line = str(failed.value)
    assert line.startswith("fupan scoring: cannot start: ")
    assert complaint in line
    assert "\n" not in line
    assert "hidden" not in line


async def test_a_taken_port_is_named(variables: dict[str, str]) -> None:
    service = Tiny()
    service.caught_up.set()
    async with running(service, variables) as (process, _):
        port = process.servers["scoring"].port
        config = Config.read("scoring", variables | {"FUPAN_SERVICE_LISTEN": f"127.0.0.1:{port}"})
        with pytest.raises(StartFailed, match="FUPAN_SERVICE_LISTEN: cannot listen on"):
            await Process({"scoring": Tiny().build}, {"scoring": config}).run()


def test_a_process_without_settings_says_what_is_missing_and_exits_with_1() -> None:
    code = "from services.runtime.app import main; main({'scoring': None})"
    environ = {name: value for name, value in os.environ.items() if not name.startswith("FUPAN_")}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environ, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    needed = "FUPAN_SERVICE_LISTEN, FUPAN_NATS_URL, FUPAN_POSTGRES_DSN, FUPAN_EPOCH, FUPAN_KEYS_DIR"
    assert done.stderr == f"fupan: {needed} must be set for the scoring service\n"


PROGRAM = """
from services.runtime.app import App, main
async def nothing(): pass
async def build(runtime): return App([], nothing, nothing)
main({"scoring": build})
"""


async def test_a_process_serves_until_it_is_told_to_end(variables: dict[str, str]) -> None:
    page, probes = free_port(), free_port()
    more = {
        "FUPAN_METRICS_LISTEN": f"127.0.0.1:{page}",
        "FUPAN_HEALTH_LISTEN": f"127.0.0.1:{probes}",
        "OTEL_TRACES_EXPORTER": "console",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROGRAM,
        cwd=ROOT,
        env={**os.environ, **variables, **more},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        line = json.loads(await process.stderr.readline())
        assert line["event"] == "serving"
        async with grpc.aio.insecure_channel(f"127.0.0.1:{probes}") as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            answer = await health.Check(health_pb2.HealthCheckRequest(), timeout=SECONDS)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        reader, writer = await asyncio.open_connection("127.0.0.1", page)
        writer.write(b"GET /metrics HTTP/1.0\r\n\r\n")
        assert b"fupan_rpc_open" in await reader.read()
        writer.close()
        process.send_signal(signal.SIGTERM)
        assert json.loads(await process.stderr.readline())["event"] == "stopping"
        assert await process.stderr.read() == b""
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def test_an_unknown_service_is_refused() -> None:
    with pytest.raises(ConfigError, match="no service is called 'tables'"):
        Config.read("tables", {})


async def test_garbage_is_not_looked_for_before_all_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    async def run(process: Process, serving: Callable[[], None]) -> None:
        looks.append(gc.isenabled())
        serving()
        looks.append(gc.isenabled())

    monkeypatch.setattr(Process, "run", run)
    before = gc.get_threshold()
    try:
        await app._until_signalled({}, {}, Metrics())
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
        gc.enable()
    assert looks == [False, True]
