"""The life of a service: made inside one event loop, started, served, and stopped in order.

A service module `services/<name>/app.py` has `async def build(runtime: Runtime) -> App`. Start: pool, log, directory, `build`,
server (NOT_SERVING), directory and `App.start` (returns when the service has caught up), SERVING. Stop, on SIGTERM, SIGINT or when
background work fails: NOT_SERVING → `stopping` → server → background work → `App.stop` → peers, directory, log → pool. Several
services in one process are as many runtimes, each with its own NATS user, database role and port.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import grpc
import jwt
import prometheus_client
import structlog
from google.protobuf.internal import api_implementation

from fupan.common.v1.log_service_pb2_grpc import add_LogServiceServicer_to_server
from services.access import Access
from services.directory import Directory
from services.domain import C, Decider, E, S
from services.ledger.codec import Codec
from services.ledger.record import Stored, Writer
from services.runtime import garbage
from services.runtime.archive import Archive, keep
from services.runtime.clock import Clock, now_us
from services.runtime.config import Address, Config, ConfigError
from services.runtime.connections import check_streams, close_pool, open_pool, open_store
from services.runtime.forks import own_version
from services.runtime.identity import Identity, identity_of
from services.runtime.interceptors import Gate
from services.runtime.limits import Limits
from services.runtime.log import Log
from services.runtime.logbook import InDoubt, LogApi, Logbook, anybody
from services.runtime.postgres import Database
from services.runtime.projector import Projection, Projector
from services.runtime.server import Peers, Server, Servicers
from services.runtime.store import EventStore, StoreUnavailable
from services.runtime.streams import Epoch, StreamMismatch
from services.runtime.telemetry import Metrics, configure_logging, configure_tracing

GRACE = 5.0
"""Seconds that running calls get when a service stops."""

_APP_STOP = 15.0
_TASKS_STOP = 5.0
_OPEN_CALLS = 64


class StartFailed(Exception):
    """A service could not start; one line says why."""


@dataclass(frozen=True, slots=True)
class App:
    """What a service's `build` returns. `start` returns when everything is caught up and serving may begin; `stop` waits for
    running appends, and must bear that `start` did not get far."""

    servicers: Servicers
    start: Callable[[], Awaitable[object]]
    stop: Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Runtime:
    """What a service is given. `log` is a structlog logger that knows service and replica."""

    config: Config
    name: str
    epoch: Epoch
    writer: Writer
    store: EventStore
    pool: asyncpg.Pool
    clock: Clock
    identity: Identity
    directory: Directory
    access: Access
    metrics: Metrics
    log: Any
    peers: Peers
    fail: Callable[[str, BaseException | None], None]
    """Say that the service cannot go on; the process stops in order and exits with 1."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    @property
    def replica(self) -> str:
        """This process's name in records."""
        return self.config.replica

    def peer(self, service: str) -> grpc.aio.Channel:
        """The channel to another service, with this one's token. Raises ConfigError."""
        return self.peers.channel(service)

    def spawn(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Run background work that ends by itself soon after `stopping` is set. When it raises, the service stops."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._work_ended)
        return task

    def event_log(self, decider: Decider[S, C, E], commands: Codec[C], events: Codec[E]) -> Log[S, C, E]:
        """The log that this service alone writes; the caller starts and stops it."""
        return Log(self.store, self.writer, self.epoch.id, decider, commands, events, self.clock)

    def logbook(
        self,
        subjects: Callable[[], Sequence[str]],
        may_read: Callable[[str], Awaitable[bool]] = anybody,
        projectors: Sequence[tuple[Projection, Projector]] = (),
        on_doubt: InDoubt = lambda subject, version, sequence: None,
    ) -> tuple[Callable[[Any, Any], None], LogApi]:
        """Archive this service's own streams, and serve its log to others: the servicer for `App.servicers`.

        `on_doubt` hears of every record in whose place another one was archived, as soon as archive or reconciliation finds it, and
        again at every start.
        """
        streams = self.epoch.streams_of(self.name)
        database = Database(self.pool)

        def forked(stored: Stored) -> None:
            self.log.error("fork", subject=stored.subject, stream=stored.stream, sequence=stored.sequence)
            on_doubt(stored.subject, own_version(stored), stored.sequence)

        archive = Archive(streams, forked, f"{self.name}_archive")
        self.spawn(keep(self.store, database, archive, self.stopping), "archive")
        book = Logbook(self.store, database, streams, subjects, may_read, projectors, archive, on_doubt)
        return add_LogServiceServicer_to_server, LogApi(book)

    def watch(self, tasks: Iterable[asyncio.Task[Any] | None]) -> None:
        """Stop the service when one of these ends before `stopping`: without it the service would not know what happens."""
        for task in tasks:
            if task is not None:
                task.add_done_callback(self._watched_ended)

    def _work_ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.fail(task.get_name(), error)

    def _watched_ended(self, task: asyncio.Task[Any]) -> None:
        if not self.stopping.is_set():
            self.fail(task.get_name(), None if task.cancelled() else task.exception())

    async def end_work(self) -> None:
        """Tell background work to end, wait, then cancel what does not."""
        self.stopping.set()
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=_TASKS_STOP)
        for task in late:
            self.log.warning("background_work_cancelled", work=task.get_name())
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


Build = Callable[[Runtime], Awaitable[App]]


class Process:
    """Services that run together in this process."""

    def __init__(
        self,
        builds: Mapping[str, Build],
        configs: Mapping[str, Config],
        metrics: Metrics | None = None,
        clock: Clock = now_us,
    ) -> None:
        self.servers: dict[str, Server] = {}
        """By service, once listening."""
        self.stop = asyncio.Event()
        self.failed = False
        self._builds = builds
        self._configs = configs
        self._metrics = metrics or Metrics()
        self._clock = clock
        self._log = structlog.get_logger()

    async def run(self, serving: Callable[[], None] = lambda: None) -> None:
        """Serve until `stop` is set or a service fails (`failed`). `serving` is called when all serve. Raises StartFailed."""
        async with AsyncExitStack() as stack:
            # Each service unwinds its own stack, all at the same time.
            stacks = {name: AsyncExitStack() for name in self._builds}
            stack.push_async_callback(_unwind, stacks)
            if await self._start(stacks):
                self._log.info("serving", ports={name: server.port for name, server in self.servers.items()})
                serving()
                await self.stop.wait()
            self._log.info("stopping")

    async def _start(self, stacks: Mapping[str, AsyncExitStack]) -> bool:
        """Start all at once, since they may need each other. False when told to stop meanwhile."""
        starts = {
            asyncio.create_task(self._start_one(name, stacks[name]), name=name) for name in self._builds
        }
        told = asyncio.create_task(self.stop.wait())
        pending = set(starts)
        try:
            while pending and not told.done():
                done, _ = await asyncio.wait({*pending, told}, return_when=asyncio.FIRST_COMPLETED)
                for task in done & pending:
                    pending.discard(task)
                    task.result()
            return not told.done()
        finally:
            told.cancel()
            for task in pending:
                task.cancel()
            await asyncio.gather(*starts, told, return_exceptions=True)

    async def _start_one(self, name: str, stack: AsyncExitStack) -> None:
        config = self._configs[name]
        try:
            runtime = await self._runtime(config, stack)
            gate = Gate(
                name,
                runtime.access,
                runtime.identity,
                Limits(config.rate, config.burst, _OPEN_CALLS, time.monotonic),
                self._metrics,
                runtime.log,
                proven=config.tls_dir is not None,
            )
            app = await self._builds[name](runtime)
            stack.push_async_callback(_within, _APP_STOP, app.stop, runtime.log)
            stack.push_async_callback(runtime.end_work)
            server = Server(config, gate)
            stack.push_async_callback(_leave, gate, server, runtime)
            await server.start(app.servicers, runtime.access.has_row)
            self.servers[name] = server
            await runtime.directory.start()
            runtime.watch([runtime.directory.task])
            await app.start()
        except Exception as error:
            if not isinstance(error, _FORESEEN):
                self._log.error("start_failed", service=name, exc_info=error)
            raise StartFailed(f"fupan {name}: cannot start: {_line(error)}") from error
        gate.shut = ""
        server.health.serving()

    async def _runtime(self, config: Config, stack: AsyncExitStack) -> Runtime:
        log = self._log.bind(service=config.service, replica=config.replica)
        identity = identity_of(config, self._clock)
        pool = await open_pool(config)
        stack.push_async_callback(close_pool, pool, log)
        store = await open_store(config)
        stack.push_async_callback(store.close)
        epoch = Epoch(config.epoch, config.partitions)
        await check_streams(store, {*epoch.streams_of(config.service), epoch.stream("pairing")})
        directory = Directory(store, epoch)
        stack.push_async_callback(directory.stop)
        peers = Peers(config, identity)
        stack.push_async_callback(peers.close)
        runtime = Runtime(
            config=config,
            name=config.service,
            epoch=epoch,
            writer=Writer(config.service, config.replica, config.build),
            store=store,
            pool=pool,
            clock=self._clock,
            identity=identity,
            directory=directory,
            access=Access(directory, config.operators),
            metrics=self._metrics,
            log=log,
            peers=peers,
            fail=lambda what, error: self._fail(config.service, what, error),
        )
        stack.push_async_callback(runtime.end_work)
        if config.oidc is not None:
            await self._published_keys(runtime)
        return runtime

    async def _published_keys(self, runtime: Runtime) -> None:
        def warn(why: str) -> None:
            runtime.log.warning("issuer_unreachable", why=why)

        verifier = runtime.identity.verifier
        try:
            await verifier.refresh()
        except jwt.PyJWKClientError as error:
            warn(str(error))
        runtime.spawn(verifier.keep_fresh(runtime.stopping, warn), "issuer keys")

    def _fail(self, service: str, what: str, error: BaseException | None) -> None:
        self._log.error("service_failed", service=service, work=what, exc_info=error)
        self.failed = True
        self.stop.set()


# What an operator can mend; anything else is shown with its traceback.
_FORESEEN = (ConfigError, StoreUnavailable, StreamMismatch, asyncpg.PostgresError, OSError)


async def _leave(gate: Gate, server: Server, runtime: Runtime) -> None:
    server.health.stop()
    gate.shut = "STOPPING"
    runtime.stopping.set()
    await server.stop(GRACE)


async def _within(seconds: float, stop: Callable[[], Awaitable[object]], log: Any) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop()
    except TimeoutError:
        log.error("stop_took_too_long", seconds=seconds)


async def _unwind(stacks: Mapping[str, AsyncExitStack]) -> None:
    ends = await asyncio.gather(*(stack.aclose() for stack in stacks.values()), return_exceptions=True)
    for name, error in zip(stacks, ends, strict=True):
        if isinstance(error, BaseException):
            structlog.get_logger().error("stop_failed", service=name, exc_info=error)


def _line(error: BaseException) -> str:
    """An error in one line."""
    text = " ".join(str(error).split())
    return text or type(error).__name__


def main(builds: Mapping[str, Build]) -> None:
    """Run services until told to stop; exits with 1 when one cannot start or fails, and says why in one line."""
    try:
        configs = {name: Config.read(name) for name in builds}
        if api_implementation.Type() != "upb":
            raise ConfigError(
                f"protobuf runs on {api_implementation.Type()!r}: install its compiled wheel (upb)"
            )
        configure_logging(next(iter(configs.values())).log_level)
        tracing = configure_tracing(next(iter(configs.values())).build, os.environ)
        with ExitStack() as pages, asyncio.Runner(loop_factory=_loop_factory()) as runner:
            metrics = Metrics()
            for address in {config.metrics_listen for config in configs.values()} - {None}:
                _serve_metrics(address, metrics, pages)
            failed = runner.run(_until_signalled(builds, configs, metrics))
        if tracing is not None:
            tracing.shutdown()
    except (ConfigError, StartFailed) as error:
        sys.stderr.write(f"{error}\n" if isinstance(error, StartFailed) else f"fupan: {error}\n")
        sys.exit(1)
    sys.exit(1 if failed else 0)


async def _until_signalled(
    builds: Mapping[str, Build], configs: Mapping[str, Config], metrics: Metrics
) -> bool:
    process = Process(builds, configs, metrics)
    loop = asyncio.get_running_loop()

    def told() -> None:
        process.stop.set()
        # Told twice, it ends at once.
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told)
    # What is read while it starts stays; to look for garbage among it takes half the time.
    gc.disable()
    lulls = asyncio.create_task(garbage.collect_in_lulls(), name="garbage")
    try:
        await process.run(garbage.spare)
    finally:
        lulls.cancel()
    return process.failed


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    with suppress(ImportError):
        import uvloop

        return uvloop.new_event_loop
    return None


def _serve_metrics(address: Address | None, metrics: Metrics, pages: ExitStack) -> None:
    assert address is not None
    try:
        page, thread = prometheus_client.start_http_server(address.port, address.host, metrics.registry)
    except OSError as error:
        raise ConfigError(f"FUPAN_METRICS_LISTEN: cannot listen on {address}: {error.strerror}") from error
    pages.callback(thread.join)
    pages.callback(page.server_close)
    pages.callback(page.shutdown)
