"""What a service is told from outside: environment variables, read once into one frozen `Config`.

| Variable | Meaning |
|---|---|
| `FUPAN_SERVICE_LISTEN` | `host:port` of the gRPC server; port 0 takes a free one |
| `FUPAN_PEER_LISTEN` | `host:port` for the other services, by mutual TLS; needed with `FUPAN_TLS_DIR`, unused without |
| `FUPAN_HEALTH_LISTEN` | `host:port` of grpc.health in clear, for a kubelet's probes; none by default |
| `FUPAN_METRICS_LISTEN` | `host:port` of Prometheus' page; none by default |
| `FUPAN_PEERS` | where the other services listen, `service=host:port,…` |
| `FUPAN_NATS_URL` | servers of the log, separated by commas |
| `FUPAN_NATS_USER`, `FUPAN_NATS_PASSWORD` | this service's NATS user; may stand in the URL instead |
| `FUPAN_NATS_CREDS` | a NATS credentials file instead of user and password |
| `FUPAN_NATS_REPLICAS` | copies of every stream of an epoch that is made, 1 to 5, default 1 |
| `FUPAN_POSTGRES_DSN` | this service's role and database |
| `FUPAN_EPOCH`, `FUPAN_PARTITIONS` | the epoch that is written, and its number of table streams (default 8) |
| `FUPAN_KEYS_DIR` | folder of keys, see `identity` |
| `FUPAN_OIDC_JWKS`, `FUPAN_OIDC_ISSUER`, `FUPAN_OIDC_AUDIENCE` | an issuer of people's tokens; audience default `fupan` |
| `FUPAN_TLS_DIR` | folder with `tls.crt`, `tls.key`, `ca.crt` |
| `FUPAN_OPERATORS` | person ids that may create championships and run the platform, separated by commas |
| `FUPAN_REPLICA` | name of this process in records, default host name and process id |
| `FUPAN_BUILD` | what runs here, in records, default the package's version |
| `FUPAN_RATE` | calls a second and burst of one caller, `rate:burst`, default 200:400 |
| `FUPAN_MAX_CALLS` | calls one server has open at once, streams included, default 20000 |
| `FUPAN_SPECTATORS_LATE` | seconds after which spectators see what is played in a match, at least 1, default 180 |
| `FUPAN_LOG_LEVEL` | `debug`, `info` (default), `warning` or `error` |
| `FUPAN_DEMO` | `1` only in the embedded demo: seeded deals may exist |

With `FUPAN_CONFIG=FILE` (mode 0600) the same variables come from a JSON object of sections, `all` and one a service, that
lie over the environment; so one process can run five services, each as its own NATS user and database role:

    {"all":   {"FUPAN_EPOCH": "e2026", "FUPAN_NATS_URL": "nats://127.0.0.1:4222", …},
     "table": {"FUPAN_SERVICE_LISTEN": "127.0.0.1:50052", "FUPAN_NATS_USER": "table", …}}
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from services.runtime.streams import ID, PARTITIONS

SERVICES = ("dealer", "pairing", "table", "scoring", "appeals")

_NEEDED = (
    "FUPAN_SERVICE_LISTEN",
    "FUPAN_NATS_URL",
    "FUPAN_POSTGRES_DSN",
    "FUPAN_EPOCH",
    "FUPAN_KEYS_DIR",
)
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_LEVELS = ("debug", "info", "warning", "error")


class ConfigError(Exception):
    """A setting is missing or wrong; one line says which variable and what to set."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; port 0 stands for any free one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in _LOOPBACK


@dataclass(frozen=True, slots=True)
class Oidc:
    """An issuer of people's tokens."""

    jwks: str
    issuer: str
    audience: str


@dataclass(frozen=True, slots=True)
class Config:
    """One service's settings; see the module's table. What is secret stays out of its repr."""

    service: str
    listen: Address
    peer_listen: Address | None
    health_listen: Address | None
    metrics_listen: Address | None
    peers: Mapping[str, Address]
    nats_url: tuple[str, ...] = field(repr=False)
    nats_user: str
    nats_password: str = field(repr=False)
    nats_creds: Path | None
    nats_replicas: int
    postgres_dsn: str = field(repr=False)
    epoch: str
    partitions: int
    keys_dir: Path
    oidc: Oidc | None
    tls_dir: Path | None
    operators: frozenset[str]
    replica: str
    build: str
    rate: float
    burst: float
    max_calls: int
    spectators_late: int
    log_level: str
    demo: bool

    @classmethod
    def read(cls, service: str, environ: Mapping[str, str] | None = None) -> Config:
        """The settings of `service` from `environ` (default: the process's). Raises ConfigError."""
        variables = _Variables(service, os.environ if environ is None else environ)
        variables.require(_NEEDED)
        servers, user, password = variables.nats()
        rate, burst = variables.rate("FUPAN_RATE")
        config = cls(
            service=service,
            listen=variables.address("FUPAN_SERVICE_LISTEN"),
            peer_listen=variables.optional_address("FUPAN_PEER_LISTEN"),
            health_listen=variables.optional_address("FUPAN_HEALTH_LISTEN"),
            metrics_listen=variables.optional_address("FUPAN_METRICS_LISTEN"),
            peers=variables.peers("FUPAN_PEERS"),
            nats_url=servers,
            nats_user=user,
            nats_password=password,
            nats_creds=variables.file("FUPAN_NATS_CREDS"),
            nats_replicas=variables.integer("FUPAN_NATS_REPLICAS", 1, 1, 5),
            postgres_dsn=variables.text("FUPAN_POSTGRES_DSN"),
            epoch=variables.id("FUPAN_EPOCH"),
            partitions=variables.integer("FUPAN_PARTITIONS", PARTITIONS, 1, 1024),
            keys_dir=variables.folder("FUPAN_KEYS_DIR"),
            oidc=variables.oidc(),
            tls_dir=variables.folder("FUPAN_TLS_DIR") if variables.has("FUPAN_TLS_DIR") else None,
            operators=variables.ids("FUPAN_OPERATORS"),
            replica=variables.text("FUPAN_REPLICA", f"{os.uname().nodename}-{os.getpid()}"),
            build=variables.text("FUPAN_BUILD", version("fupan")),
            rate=rate,
            burst=burst,
            max_calls=variables.integer("FUPAN_MAX_CALLS", 20_000, 1, 1_000_000),
            spectators_late=variables.integer("FUPAN_SPECTATORS_LATE", 180, 1, 86_400),
            log_level=variables.choice("FUPAN_LOG_LEVEL", "info", _LEVELS),
            demo=variables.flag("FUPAN_DEMO"),
        )
        _check(config)
        return config


def _check(config: Config) -> None:
    """What no single variable can tell."""
    if config.tls_dir is not None and config.peer_listen is None:
        raise ConfigError(
            "FUPAN_PEER_LISTEN is not set: with FUPAN_TLS_DIR the services need host:port of their own"
        )
    if config.tls_dir is None and not config.listen.loopback and not config.demo:
        # Tokens would cross a network in clear.
        raise ConfigError(
            f"FUPAN_TLS_DIR is not set, so FUPAN_SERVICE_LISTEN must be on 127.0.0.1 and not {config.listen.host}"
        )
    if config.demo and not config.listen.loopback:
        raise ConfigError(
            "FUPAN_DEMO belongs to the embedded demo: FUPAN_SERVICE_LISTEN must be on 127.0.0.1"
        )


class _Variables:
    """The variables of one service, sections laid over the environment, each with a checked reading."""

    def __init__(self, service: str, environ: Mapping[str, str]) -> None:
        if service not in SERVICES:
            raise ConfigError(f"no service is called {service!r}; there are {', '.join(SERVICES)}")
        self._service = service
        self._values = {name: value for name, value in environ.items() if name.startswith("FUPAN_")}
        path = self._values.get("FUPAN_CONFIG")
        if path:
            sections = _sections(Path(path))
            self._values |= sections.get("all", {}) | sections.get(service, {})

    def require(self, names: Iterable[str]) -> None:
        missing = [name for name in names if not self.has(name)]
        if missing:
            raise ConfigError(f"{', '.join(missing)} must be set for the {self._service} service")

    def has(self, name: str) -> bool:
        return bool(self._values.get(name))

    def text(self, name: str, default: str | None = None) -> str:
        value = self._values.get(name) or default  # set to nothing is not set
        if value is None:
            raise ConfigError(f"{name} is not set")
        return value

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        text = self.text(name, str(default))
        if not text.isdecimal() or not low <= int(text) <= high:
            raise ConfigError(f"{name} must be a whole number from {low} to {high}, not {text!r}")
        return int(text)

    def flag(self, name: str) -> bool:
        return self.choice(name, "0", ("0", "1")) == "1"

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        text = self.text(name, default)
        if text not in choices:
            raise ConfigError(f"{name} must be one of {', '.join(choices)}, not {text!r}")
        return text

    def id(self, name: str) -> str:
        return _id(name, self.text(name))

    def ids(self, name: str) -> frozenset[str]:
        return frozenset(_id(name, part) for part in _parts(self._values.get(name, "")))

    def address(self, name: str) -> Address:
        return _address(name, self.text(name))

    def optional_address(self, name: str) -> Address | None:
        return self.address(name) if self.has(name) else None

    def peers(self, name: str) -> dict[str, Address]:
        found = {}
        for part in _parts(self._values.get(name, "")):
            service, equals, address = part.partition("=")
            if service not in SERVICES or not equals:
                raise ConfigError(
                    f"{name} must be service=host:port,… with services {', '.join(SERVICES)}, not {part!r}"
                )
            found[service] = _address(name, address)
        return found

    def folder(self, name: str) -> Path:
        path = Path(self.text(name))
        if not path.is_dir():
            raise ConfigError(f"{name} must be a folder, {path} is none")
        return path

    def file(self, name: str) -> Path | None:
        if not self.has(name):
            return None
        path = Path(self.text(name))
        if not path.is_file():
            raise ConfigError(f"{name} must be a file, {path} is none")
        return path

    def rate(self, name: str) -> tuple[float, float]:
        text = self.text(name, "200:400")
        if (
            not (found := re.fullmatch(r"(\d+(?:\.\d+)?):(\d+)", text))
            or not float(found[1])
            or not int(found[2])
        ):
            raise ConfigError(f"{name} must be calls a second and burst, like 200:400, not {text!r}")
        return float(found[1]), float(found[2])

    def oidc(self) -> Oidc | None:
        if not self.has("FUPAN_OIDC_JWKS"):
            return None
        jwks = self.text("FUPAN_OIDC_JWKS")
        host = urlsplit(jwks).hostname or ""
        if not jwks.startswith("https://") and not (jwks.startswith("http://") and host in _LOOPBACK):
            raise ConfigError("FUPAN_OIDC_JWKS must be an https:// address")
        return Oidc(jwks, self.text("FUPAN_OIDC_ISSUER"), self.text("FUPAN_OIDC_AUDIENCE", "fupan"))

    def nats(self) -> tuple[tuple[str, ...], str, str]:
        """Servers without their user part, user and password; the variables win over the URL's."""
        servers, user, password = [], "", ""
        for url in _parts(self.text("FUPAN_NATS_URL")):
            parts = urlsplit(url)
            if parts.scheme not in ("nats", "tls") or not parts.hostname:
                # The URL may hold a password, so it is not shown.
                raise ConfigError(
                    "FUPAN_NATS_URL must be nats://host:port or tls://host:port, separated by commas"
                )
            user, password = unquote(parts.username or user), unquote(parts.password or password)
            servers.append(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl())
        return tuple(servers), self.text("FUPAN_NATS_USER", user), self.text("FUPAN_NATS_PASSWORD", password)


def _sections(path: Path) -> dict[str, dict[str, str]]:
    """The sections of a FUPAN_CONFIG file."""
    try:
        mode = path.stat().st_mode
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"FUPAN_CONFIG: {path} cannot be read: {error.strerror}") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigError(
            f"FUPAN_CONFIG: {path} holds passwords and must be readable by its owner alone (chmod 600)"
        )
    try:
        sections = msgspec.json.decode(data, type=dict[str, dict[str, str]])
    except msgspec.DecodeError as error:
        raise ConfigError(f"FUPAN_CONFIG: {path} is not an object of sections of strings: {error}") from error
    if unknown := sections.keys() - {"all", *SERVICES}:
        raise ConfigError(f"FUPAN_CONFIG: {path} has unknown sections {', '.join(sorted(unknown))}")
    return sections


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _id(name: str, text: str) -> str:
    if not ID.fullmatch(text):
        raise ConfigError(f"{name} must be 1 to 40 of a-z, 0-9 and '-', not {text!r}")
    return text


def _address(name: str, text: str) -> Address:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"{name} must be host:port, not {text!r}")
    return Address(host.strip("[]"), int(port))
