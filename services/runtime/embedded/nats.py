"""nats-server from its wheel: JetStream on disk with every message synced, loopback only, a user a service.

What a user may do follows from a table of `Access`: it publishes to the streams it writes, and reads those it
may read. Permissions name streams in full (a NATS wildcard stands for a whole token), so a new epoch means a new
configuration file and a SIGHUP.
"""

from __future__ import annotations

import asyncio
import json
import os
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.runtime.embedded.directory import DataDirectory
from services.runtime.embedded.processes import Child
from services.runtime.streams import Epoch

SERVER = Path(sysconfig.get_path("scripts")) / "nats-server"
# Makes streams and closes epochs; the supervisor's own.
OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Access:
    """What a service may do with the log: services whose streams it writes and reads, and core subjects (outside
    the log, wildcards allowed) that it both publishes to and listens to."""

    service: str
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    talks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A server's place in a cluster: its own route port and everybody's."""

    name: str
    port: int
    routes: tuple[int, ...]


def permissions(access: Access, epochs: Iterable[Epoch]) -> dict[str, Any]:
    """The NATS permissions of a service: subjects it may publish to and listen to."""
    epochs = tuple(epochs)
    publish = list(access.talks)
    for epoch in epochs:
        publish += [f"fupan.{epoch.id}.{service}.>" for service in access.writes]
        for service in dict.fromkeys(access.writes + access.reads):
            for stream in epoch.streams_of(service):
                publish += _reading(stream)
    return {
        "publish": {"allow": publish},
        "subscribe": {"allow": [f"_INBOX.{access.service}.>", *access.talks]},
    }


def write_config(
    directory: DataDirectory,
    name: str,
    port: int,
    access: Sequence[Access],
    epochs: Sequence[Epoch],
    cluster: Cluster | None = None,
) -> Path:
    """Write the configuration of the server `name` (mode 0600: it holds the passwords) and return its path."""
    users = [_user(directory, one.service, permissions(one, epochs)) for one in access]
    everything = {"publish": {"allow": [">"]}, "subscribe": {"allow": [f"_INBOX.{OPERATOR}.>"]}}
    config: dict[str, Any] = {
        "server_name": name,
        "listen": f"127.0.0.1:{port}",
        "max_payload": 1024 * 1024,
        "jetstream": {"store_dir": str(directory.path / name), "sync_interval": "always"},
        "authorization": {"users": [*users, _user(directory, OPERATOR, everything)]},
    }
    if cluster is not None:
        config["cluster"] = {
            "name": cluster.name,
            "listen": f"127.0.0.1:{cluster.port}",
            "routes": [f"nats://127.0.0.1:{route}" for route in cluster.routes],
        }
    path = directory.path / f"{name}.conf"
    # JSON is a subset of the configuration's own notation.
    with os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        # But for \u: a folder's name stands there as it is.
        json.dump(config, file, indent=2, ensure_ascii=False)
    return path


def server(name: str, config: Path, port: int) -> Child:
    """The server as a child process."""

    async def ready() -> bool:
        return await _greets(port)

    return Child(name, (str(SERVER), "-c", str(config)), ready, ports=(port,))


def _user(directory: DataDirectory, name: str, allowed: dict[str, Any]) -> dict[str, Any]:
    return {"user": name, "password": directory.secret(f"nats/{name}"), "permissions": allowed}


def _reading(stream: str) -> list[str]:
    """What one publishes to in order to read a stream: gets, one's own consumers, flow control."""
    return [
        f"$JS.API.STREAM.INFO.{stream}",
        f"$JS.API.STREAM.MSG.GET.{stream}",
        f"$JS.API.DIRECT.GET.{stream}",
        f"$JS.API.DIRECT.GET.{stream}.>",
        f"$JS.API.CONSUMER.CREATE.{stream}.>",
        f"$JS.FC.{stream}.>",
    ]


async def _greets(port: int) -> bool:
    """Whether the server sends its INFO with JetStream enabled; it listens last of all."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    try:
        async with asyncio.timeout(2):
            line = await reader.readline()
    except (OSError, TimeoutError):
        return False
    finally:
        writer.close()
    return line.startswith(b"INFO ") and bool(json.loads(line[5:]).get("jetstream"))
