"""What the console is told from outside: `FUPAN_CONSOLE_…` variables.

| Variable | Meaning |
|---|---|
| `FUPAN_CONSOLE_LISTEN` | `host:port` to listen on; default `127.0.0.1:8080` |
| `FUPAN_CONSOLE_SERVICES` | `pairing=host:port,dealer=…,table=…,scoring=…,appeals=…` |
| `FUPAN_CONSOLE_TOKEN_FILE` | file with the console's bearer token, read for every call that needs it; without it, ids are shown |
| `FUPAN_TLS_CA` | file of issuers whom services elsewhere are trusted by; default the system's |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SERVICES = ("pairing", "dealer", "table", "scoring", "appeals")


class BadSetting(Exception):
    """A variable that is missing or makes no sense; the message names it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the console listens, where the services are (`host:port` by name), and who it is there."""

    host: str
    port: int
    services: Mapping[str, str]
    token_file: Path | None = None
    issuers: Path | None = None
    fresh_seconds: float = 1.0
    """How old an answer may be that serves more than one visitor."""

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Settings:
        """The settings that variables say. Raises BadSetting."""
        host, port = _address("FUPAN_CONSOLE_LISTEN", environ.get("FUPAN_CONSOLE_LISTEN") or "127.0.0.1:8080")
        return cls(
            host,
            port,
            _services(environ.get("FUPAN_CONSOLE_SERVICES", "")),
            _file(environ, "FUPAN_CONSOLE_TOKEN_FILE"),
            _file(environ, "FUPAN_TLS_CA"),
        )


def _services(listed: str) -> dict[str, str]:
    found = dict(part.strip().split("=", 1) for part in listed.split(",") if "=" in part)
    missing = [name for name in SERVICES if name not in found]
    if missing:
        raise BadSetting(f"FUPAN_CONSOLE_SERVICES must give the address of {', '.join(missing)}")
    for address in found.values():
        _address("FUPAN_CONSOLE_SERVICES", address)
    return {name: found[name] for name in SERVICES}


def _address(variable: str, text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not (port.isdecimal() and int(port[:6]) < 65536):
        raise BadSetting(f"{variable}: {text!r} is not host:port")
    return host.strip("[]"), int(port)


def _file(environ: Mapping[str, str], variable: str) -> Path | None:
    named = environ.get(variable)
    return Path(named) if named else None
