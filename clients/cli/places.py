"""Where the services are: addresses given, or those that a local platform wrote into its data directory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from clients.cli.output import UNAVAILABLE, USAGE, Problem, reason
from clients.cli.words import pick

Service = Literal["pairing", "dealer", "table", "scoring", "appeals"]
SERVICES: tuple[str, ...] = get_args(Service)
DATA = Path(".fupan")
"""Where `fupan up` and `fupan demo` keep their data unless told otherwise."""

CLIENT_FILE = "client.json"
"""What a running local platform writes for its clients, mode 0600."""


@dataclass(frozen=True, slots=True)
class Place:
    """Address (`host:port`) of every service; of a local platform its key folder, operator and signers too."""

    services: Mapping[str, str]
    keys: Path | None = None
    operator: str = ""
    trust: tuple[str, ...] = field(default=())
    """Fingerprints of the keys that may sign tables and the seal."""


def find(server: str) -> Place:
    """The place that `--server` names; empty: the platform that was started here last. Raises Problem."""
    if not server:
        return read(_latest() / CLIENT_FILE)
    if "=" in server:
        return Place(_listed(server))
    if (Path(server) / CLIENT_FILE).is_file():
        return read(Path(server) / CLIENT_FILE)
    if Path(server).is_dir():
        raise at_rest(server)
    host, _, port = server.rpartition(":")
    if not host or not (port.isdecimal() and 0 < int(port[:6]) < 65536):
        raise Problem(
            pick(
                f"--server {server}: neither the directory of a local platform nor host:port",
                f"--server {server}：既不是本地平台的目录，也不是 host:port",
            ),
            USAGE,
        )
    return Place(dict.fromkeys(SERVICES, server))


def at_rest(data: str | Path) -> Problem:
    """That no platform runs on a data directory."""
    return Problem(
        pick(
            f"no platform runs on {data}: fupan up --data {data} starts it",
            f"{data} 上没有正在运行的平台：可用 fupan up --data {data} 启动",
        ),
        UNAVAILABLE,
    )


def read(path: Path) -> Place:
    """What stands in a client file. Raises Problem."""
    try:
        told = json.loads(path.read_text())
        return Place(told["services"], Path(told["keys"]), told["operator"], tuple(told["trust"]))
    except OSError as error:
        raise Problem(f"{path}: {reason(error)}", USAGE) from None
    except (ValueError, KeyError, TypeError):
        raise Problem(
            pick(f"{path} is not what a platform writes for its clients", f"{path} 不是平台为客户端写的文件"),
            USAGE,
        ) from None


def _latest() -> Path:
    found = [
        path.parent for path in (DATA / CLIENT_FILE, *DATA.glob(f"demo-*/{CLIENT_FILE}")) if path.is_file()
    ]
    if not found:
        raise Problem(
            pick(
                "no platform runs here: start one with `fupan up`, or give --server",
                "此处没有运行中的平台：请用 fupan up 启动，或用 --server 指定",
            ),
            UNAVAILABLE,
        )
    return max(found, key=lambda folder: (folder / CLIENT_FILE).stat().st_mtime)


def _listed(server: str) -> dict[str, str]:
    found = {}
    for part in server.split(","):
        service, _, address = part.strip().partition("=")
        if service not in SERVICES or not address:
            names = ", ".join(SERVICES)
            raise Problem(
                pick(
                    f"--server: {part!r} is not service=host:port ({names})",
                    f"--server：{part!r} 不是 服务=host:port（{names}）",
                ),
                USAGE,
            )
        found[service] = address
    return found
