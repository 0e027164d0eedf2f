"""The gRPC server of a service, and its channels to the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha._async import ReflectionServicer

from services.runtime.config import Address, Config, ConfigError
from services.runtime.identity import Identity
from services.runtime.limits import MAX_TAKEN
from services.runtime.telemetry import outgoing_trace, traced

Servicers = Sequence[tuple[Callable[[Any, Any], None], Any]]
"""(generated `add_…_to_server`, servicer) pairs."""

LIVENESS = "liveness"
"""Health name of the process itself, beside "" for readiness: a service that waits for its log must not be killed for it."""

PEER_SECONDS = 10.0
"""Deadline of a unary call to a peer that sets none."""

_KEEPALIVE = [
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
]
_SERVER_OPTIONS = [
    *_KEEPALIVE,
    # Clients may ping as often as our own do.
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", MAX_TAKEN),
    ("grpc.max_metadata_size", 16 * 1024),
    # Otherwise two servers on one port share its calls in silence.
    ("grpc.so_reuseport", 0),
]
_CHANNEL_OPTIONS = [
    *_KEEPALIVE,
    ("grpc.http2.max_pings_without_data", 0),
    # A peer that comes back is found soon, not after the two minutes of the default.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # Standings of a large field are one message.
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
]


class Health(health_pb2_grpc.HealthServicer):  # type: ignore[misc]  # its package has no types
    """grpc.health.v1: "" and every service name are readiness, `liveness` is the process. Watches end when serving ends."""

    def __init__(self) -> None:
        self._names = {"", LIVENESS}
        self._serving = False
        self._stopped = False
        self._changed = asyncio.Event()

    def add(self, names: Sequence[str]) -> None:
        """Answer for these services too."""
        self._names |= set(names)

    def serving(self) -> None:
        """Ready from now on."""
        self._serving = True
        self._notify()

    def stop(self) -> None:
        """NOT_SERVING from now on, and no watch stays open."""
        self._serving, self._stopped = False, True
        self._notify()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _response(self, name: str) -> health_pb2.HealthCheckResponse:
        statuses = health_pb2.HealthCheckResponse
        if name not in self._names:
            return statuses(status=statuses.SERVICE_UNKNOWN)
        ready = self._serving or name == LIVENESS
        return statuses(status=statuses.SERVING if ready else statuses.NOT_SERVING)

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802  # grpc names it
        """See grpc.health.v1."""
        if request.service not in self._names:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such service here")
        return self._response(request.service)

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802  # grpc names it
        """See grpc.health.v1."""
        last = None
        while True:
            changed = self._changed
            response = self._response(request.service)
            if response != last:
                yield response
            last = response
            if self._stopped:
                return
            await changed.wait()


class Server:
    """A service's server: made, then `start`ed in a running loop, and `stop`ped."""

    def __init__(self, config: Config, gate: grpc.aio.ServerInterceptor[Any, Any]) -> None:
        self.health = Health()
        self.port = 0
        """Port of the clients' side, once started."""
        self._config = config
        self._server = grpc.aio.server(
            interceptors=[gate], options=_SERVER_OPTIONS, maximum_concurrent_rpcs=config.max_calls
        )
        self._probes: grpc.aio.Server | None = None

    async def start(self, servicers: Servicers, has_row: Callable[[str], bool]) -> None:
        """Listen. Raises ConfigError for an address that cannot be had, RuntimeError for an RPC without a row of access."""
        names = _Names(self._server)
        for adder, servicer in servicers:
            adder(servicer, names)
        missing = [method for name in names.names for method in methods_of(name) if not has_row(method)]
        if missing:
            raise RuntimeError(f"no row of the access table for {', '.join(missing)}")
        self.health.add(names.names)
        health_pb2_grpc.add_HealthServicer_to_server(self.health, self._server)
        shown = (
            *names.names,
            "grpc.health.v1.Health",
            reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"].full_name,
        )
        reflection_pb2_grpc.add_ServerReflectionServicer_to_server(ReflectionServicer(shown), self._server)
        self._listen()
        await self._server.start()
        if self._config.health_listen is not None:
            self._probes = grpc.aio.server(options=_SERVER_OPTIONS, maximum_concurrent_rpcs=100)
            health_pb2_grpc.add_HealthServicer_to_server(self.health, self._probes)
            _bind(self._probes, "FUPAN_HEALTH_LISTEN", self._config.health_listen, None)
            await self._probes.start()

    def _listen(self) -> None:
        config = self._config
        if config.tls_dir is None:
            self.port = _bind(self._server, "FUPAN_SERVICE_LISTEN", config.listen, None)
            return
        key, certificate, authority = read_tls(config.tls_dir)
        for_clients = grpc.ssl_server_credentials([(key, certificate)])
        self.port = _bind(self._server, "FUPAN_SERVICE_LISTEN", config.listen, for_clients)
        if config.peer_listen is not None:
            for_peers = grpc.ssl_server_credentials([(key, certificate)], authority, require_client_auth=True)
            _bind(self._server, "FUPAN_PEER_LISTEN", config.peer_listen, for_peers)

    async def stop(self, grace: float) -> None:
        """Take no more calls, give running ones `grace` seconds, and end."""
        await self._server.stop(grace)
        if self._probes is not None:
            await self._probes.stop(0)


class Peers:
    """Channels to the other services, made at first use, carrying this service's own token."""

    def __init__(self, config: Config, identity: Identity) -> None:
        self._config = config
        self._interceptors: Any = [kind(identity) for kind in (_OneOne, _OneMany, _ManyOne, _ManyMany)]
        self._channels: dict[str, grpc.aio.Channel] = {}

    def channel(self, service: str) -> grpc.aio.Channel:
        """The channel to a service. Raises ConfigError when FUPAN_PEERS does not name it."""
        if service not in self._channels:
            address = self._config.peers.get(service)
            if address is None:
                raise ConfigError(f"FUPAN_PEERS does not say where {service} is; add {service}=host:port")
            self._channels[service] = self._open(str(address))
        return self._channels[service]

    def _open(self, target: str) -> grpc.aio.Channel:
        if self._config.tls_dir is None:
            return grpc.aio.insecure_channel(target, _CHANNEL_OPTIONS, interceptors=self._interceptors)
        key, certificate, authority = read_tls(self._config.tls_dir)
        credentials = grpc.ssl_channel_credentials(authority, key, certificate)
        return grpc.aio.secure_channel(target, credentials, _CHANNEL_OPTIONS, interceptors=self._interceptors)

    async def close(self) -> None:
        """Close them all."""
        await asyncio.gather(*(channel.close(None) for channel in self._channels.values()))


class _Outgoing:
    """Adds token and trace to a call, and a deadline to a unary one that has none."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    def details(self, details: Any, deadline: float | None) -> Any:
        metadata = grpc.aio.Metadata(*(details.metadata or ()))
        metadata.add("authorization", f"Bearer {self._identity.token()}")
        if traced():
            for name, value in outgoing_trace():
                metadata.add(name, value)
        timeout = deadline if details.timeout is None else details.timeout
        return grpc.aio.ClientCallDetails(
            details.method, timeout, metadata, details.credentials, details.wait_for_ready
        )


class _OneOne(_Outgoing, grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg]
    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await continuation(self.details(client_call_details, PEER_SECONDS), request)


class _OneMany(_Outgoing, grpc.aio.UnaryStreamClientInterceptor):  # type: ignore[type-arg]
    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await continuation(self.details(client_call_details, None), request)


class _ManyOne(_Outgoing, grpc.aio.StreamUnaryClientInterceptor):  # type: ignore[type-arg]
    async def intercept_stream_unary(
        self, continuation: Any, client_call_details: Any, request_iterator: Any
    ) -> Any:
        return await continuation(self.details(client_call_details, None), request_iterator)


class _ManyMany(_Outgoing, grpc.aio.StreamStreamClientInterceptor):  # type: ignore[type-arg]
    async def intercept_stream_stream(
        self, continuation: Any, client_call_details: Any, request_iterator: Any
    ) -> Any:
        return await continuation(self.details(client_call_details, None), request_iterator)


def methods_of(service: str) -> list[str]:
    """Full names of a service's RPCs, `/fupan.table.v1.TableService/Join`, by its descriptor."""
    descriptor: Any = descriptor_pool.Default().FindServiceByName(service)
    return [f"/{service}/{method.name}" for method in descriptor.methods]


def read_tls(folder: Path) -> tuple[bytes, bytes, bytes]:
    """Key, certificate chain and authority of a FUPAN_TLS_DIR. Raises ConfigError."""
    try:
        key, certificate, authority = (
            (folder / name).read_bytes() for name in ("tls.key", "tls.crt", "ca.crt")
        )
    except OSError as error:
        raise ConfigError(f"FUPAN_TLS_DIR: {error.filename} cannot be read: {error.strerror}") from error
    return key, certificate, authority


def _bind(
    server: grpc.aio.Server, variable: str, address: Address, credentials: grpc.ServerCredentials | None
) -> int:
    try:
        if credentials is None:
            return server.add_insecure_port(str(address))
        return server.add_secure_port(str(address), credentials)
    except RuntimeError as error:
        raise ConfigError(f"{variable}: cannot listen on {address}; is something else there?") from error


class _Names:
    """Stands for a server while servicers are added, and notes the services' names."""

    def __init__(self, server: grpc.aio.Server) -> None:
        self.names: list[str] = []
        self._server: Any = server

    def add_generic_rpc_handlers(self, handlers: Sequence[Any]) -> None:
        self.names += [handler.service_name() for handler in handlers]
        self._server.add_generic_rpc_handlers(handlers)

    def add_registered_method_handlers(self, service_name: str, method_handlers: Any) -> None:
        self._server.add_registered_method_handlers(service_name, method_handlers)
