"""Names and configuration of the log's streams: an epoch, its partitions, its subjects.

| stream | subjects |
|---|---|
| `TABLE-<epoch>-<p>` | `fupan.<epoch>.table.<p>.<championship>.<table>` |
| `DEALER-<epoch>`, `PAIRING-<epoch>`, `SCORING-<epoch>` | `fupan.<epoch>.dealer.<championship>` and so on |
| `APPEALS-<epoch>` | `fupan.<epoch>.appeals.<championship>.<appeal>` |

A stream never loses a record by itself: file storage, limits retention without any limit, `discard: new`, no
deleting, no purging.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nats.errors import Error as NatsError
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError

from services.ledger.record import MAX_RECORD
from services.runtime.store import StoreUnavailable

ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
PARTITIONS = 8

# Room in the stream's message limit, beside a record, for the one header that an append carries.
_HEADER_BYTES = 1024

# Services with one stream an epoch, one subject a championship.
_PLAIN = ("dealer", "pairing", "scoring")


class BadName(ValueError):
    """An id that does not match `[a-z0-9][a-z0-9-]{0,39}`, or a subject that is none of ours."""


class StreamMismatch(Exception):
    """A stream exists with another configuration; `differences` are sentences, one a setting."""

    def __init__(self, stream: str, differences: Sequence[str]) -> None:
        super().__init__(f"stream {stream} is configured otherwise: {'; '.join(differences)}")
        self.stream = stream
        self.differences = tuple(differences)


def checked(name: str) -> str:
    """`name` when it may stand in a subject. Raises BadName."""
    if not ID.fullmatch(name):
        raise BadName(f"{name!r} is no id: 1 to 40 of a-z, 0-9 and '-', not beginning with '-'")
    return name


def partition_of(table: str, partitions: int) -> int:
    """The partition of a table, 0 up to but excluding `partitions`; the same for ever."""
    return int.from_bytes(hashlib.sha256(table.encode()).digest()[:8], "big") % partitions


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """A stream's name and the subjects it takes."""

    name: str
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Epoch:
    """A period of operation. `partitions` is fixed when the epoch begins: it decides where a table lies."""

    id: str
    partitions: int = PARTITIONS

    def __post_init__(self) -> None:
        checked(self.id)
        if self.partitions < 1:
            raise ValueError("an epoch has at least one partition")

    def table_subject(self, championship: str, table: str) -> str:
        """Subject of one table's records."""
        p = partition_of(checked(table), self.partitions)
        return f"fupan.{self.id}.table.{p}.{checked(championship)}.{table}"

    def subject(self, service: str, championship: str) -> str:
        """Subject of the dealer's, pairing's or scoring's records of one championship."""
        if service not in _PLAIN:
            raise BadName(f"{service!r} has no subject of its own a championship")
        return f"fupan.{self.id}.{service}.{checked(championship)}"

    def appeal_subject(self, championship: str, appeal: str) -> str:
        """Subject of one appeal's records."""
        return f"fupan.{self.id}.appeals.{checked(championship)}.{checked(appeal)}"

    def table_streams(self) -> tuple[str, ...]:
        """Names of the table partitions, in order."""
        return tuple(f"TABLE-{self.id}-{p}" for p in range(self.partitions))

    def stream(self, service: str) -> str:
        """The one stream of a service other than table."""
        if service not in (*_PLAIN, "appeals"):
            raise BadName(f"{service!r} has no stream of its own")
        return f"{service.upper()}-{self.id}"

    def streams_of(self, service: str) -> tuple[str, ...]:
        """Every stream that a service writes in this epoch."""
        return self.table_streams() if service == "table" else (self.stream(service),)

    def specs(self) -> tuple[StreamSpec, ...]:
        """Every stream of the epoch."""
        tables = [
            StreamSpec(name, (f"fupan.{self.id}.table.{p}.>",)) for p, name in enumerate(self.table_streams())
        ]
        plain = [StreamSpec(self.stream(s), (f"fupan.{self.id}.{s}.*",)) for s in _PLAIN]
        appeals = StreamSpec(self.stream("appeals"), (f"fupan.{self.id}.appeals.*.*",))
        return (*tables, *plain, appeals)


@dataclass(frozen=True, slots=True)
class Address:
    """A subject taken apart. `item` is the table or appeal, empty elsewhere; `partition` is None outside
    tables."""

    epoch: str
    service: str
    partition: int | None
    championship: str
    item: str

    @property
    def stream(self) -> str:
        """The stream that takes the subject."""
        suffix = "" if self.partition is None else f"-{self.partition}"
        return f"{self.service.upper()}-{self.epoch}{suffix}"


def parse(subject: str) -> Address:
    """Take a subject apart. Raises BadName."""
    match subject.split("."):
        case ["fupan", epoch, "table", p, championship, table] if p.isdecimal() and p == str(int(p)):
            address = Address(epoch, "table", int(p), championship, table)
        case ["fupan", epoch, "appeals", championship, appeal]:
            address = Address(epoch, "appeals", None, championship, appeal)
        case ["fupan", epoch, service, championship] if service in _PLAIN:
            address = Address(epoch, service, None, championship, "")
        case _:
            raise BadName(f"{subject!r} is no subject of the log")
    checked(address.epoch)
    checked(address.championship)
    if address.service not in _PLAIN:
        checked(address.item)
    return address


def stream_of(subject: str) -> str:
    """The stream that takes `subject`, by its name alone. Raises BadName for a subject that is none of
    ours."""
    parts = subject.split(".")
    if len(parts) < 4 or parts[0] != "fupan":
        raise BadName(f"{subject!r} is no subject of the log")
    service = parts[2]
    if service == "table":
        return f"TABLE-{parts[1]}-{parts[3]}"
    return f"{service.upper()}-{parts[1]}"


def stream_config(spec: StreamSpec, replicas: int = 1) -> api.StreamConfig:
    """The configuration every stream of the log has."""
    return api.StreamConfig(
        name=spec.name,
        subjects=list(spec.subjects),
        retention=api.RetentionPolicy.LIMITS,
        storage=api.StorageType.FILE,
        discard=api.DiscardPolicy.NEW,
        max_msgs=-1,
        max_bytes=-1,
        max_age=0,
        max_msgs_per_subject=-1,
        max_msg_size=MAX_RECORD + _HEADER_BYTES,
        num_replicas=replicas,
        deny_delete=True,
        deny_purge=True,
        allow_direct=True,
    )


# Settings compared, and whether the server lets an existing stream be changed to ours without losing a
# record.
_COMPARED = {
    "storage": False,
    "retention": False,
    "sealed": False,
    "subjects": True,
    "discard": True,
    "max_msgs": True,
    "max_bytes": True,
    "max_age": True,
    "max_msgs_per_subject": True,
    "max_msg_size": True,
    "num_replicas": True,
    "deny_delete": True,
    "deny_purge": True,
    "allow_rollup_hdrs": True,
    "allow_direct": True,
}


async def ensure_streams(
    js: JetStreamContext, specs: Sequence[StreamSpec], replicas: int = 1, update: bool = False
) -> None:
    """Create the streams that are missing and compare those that exist.

    A difference raises StreamMismatch and changes nothing; with `update` an operator has it brought to ours
    on purpose, unless the server could only do that by making the stream anew.
    """
    for spec in specs:
        try:
            await _ensure(js, spec, stream_config(spec, replicas), update)
        except NatsError as error:
            raise StoreUnavailable(f"stream {spec.name} could not be made or compared: {error}") from error


async def _ensure(js: JetStreamContext, spec: StreamSpec, wanted: api.StreamConfig, update: bool) -> None:
    try:
        found = (await js.stream_info(spec.name)).config
    except NotFoundError:
        await js.add_stream(wanted)
        return
    differing = [name for name in _COMPARED if _value(found, name) != _value(wanted, name)]
    fixed = [name for name in differing if not _COMPARED[name]]
    if fixed or (differing and not update):
        raise StreamMismatch(
            spec.name,
            [
                f"{name} is {_value(found, name)!r}, must be {_value(wanted, name)!r}"
                for name in fixed or differing
            ],
        )
    if differing:
        await js.update_stream(wanted)


def _value(config: api.StreamConfig, name: str) -> Any:
    """A setting in a form that compares: absent means the server's default, enums are their words."""
    value = getattr(config, name)
    if name == "subjects":
        return sorted(value or ())
    if isinstance(value, bool) or value is None:
        return bool(value)
    return getattr(value, "value", value)
