"""What an audit file says, taken apart once: records decoded, sealed ones opened, the dealer's facts collected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from fupan.appeals.v1 import events_pb2 as appeals_pb
from fupan.dealer.v1 import events_pb2 as dealer_pb
from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.scoring.v1 import events_pb2 as scoring_pb
from fupan.table.v1 import events_pb2 as table_pb
from services.ledger import dealing
from services.ledger.audit.forks import Forks
from services.ledger.audit.report import Tally
from services.ledger.auditfile import About, AuditFile
from services.ledger.codec import Malformed, parse
from services.ledger.record import Body, ChainWalk, Record, Stored, WrongKey, body_of, decode
from services.ledger.replays import superseded

_EVENTS: dict[str, Any] = {
    "dealer": dealer_pb.Event,
    "table": table_pb.Event,
    "pairing": pairing_pb.Event,
    "scoring": scoring_pb.Event,
    "appeals": appeals_pb.Event,
}


_SHORT = 16


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject's name taken apart; `id` is the table or appeal, empty for a championship's own subject."""

    service: str
    championship: str
    id: str


@lru_cache(maxsize=1024)
def parse_subject(text: str) -> Subject:
    """`fupan.<epoch>.table.<p>.<championship>.<table>` and the others (design: Names). Raises ValueError."""
    match text.split("."):
        case ["fupan", _, "table", _, championship, table]:
            return Subject("table", championship, table)
        case ["fupan", _, ("dealer" | "pairing" | "scoring") as service, championship]:
            return Subject(service, championship, "")
        case ["fupan", _, "appeals", championship, appeal]:
            return Subject("appeals", championship, appeal)
    raise ValueError(f"{text} is no subject of a championship's log")


class Event(NamedTuple):
    """One event as stored: the name of its kind and its message."""

    kind: str
    message: Any


@dataclass(slots=True)
class Entry:
    """One record. `body` and `events` are None and empty while it is sealed or cannot be read."""

    stored: Stored
    record: Record
    hash: bytes
    body: Body | None = None
    events: tuple[Event, ...] = ()
    command: Any = None
    """A table's command as its message; None where there is no body."""

    @property
    def version(self) -> int:
        """Version within the subject."""
        return self.record.header.version


@dataclass(slots=True)
class Batch:
    """One commitment of the dealer: its root, its paths in order, and the public entropy, with the versions."""

    number: int
    root: bytes
    paths: tuple[str, ...]
    version: int
    entropy: bytes = b""
    named: int = 0
    drawn: int = 0


@dataclass(frozen=True, slots=True)
class Reveal:
    """A leaf that the dealer made public, and in which record."""

    path: str
    leaf: bytes
    batch: int
    entry: Entry


@dataclass(slots=True)
class Dealings:
    """What the dealer's records say of one championship."""

    commitment: bytes = b""
    demo: bool = False
    batches: dict[int, Batch] = field(default_factory=dict)
    reveals: list[Reveal] = field(default_factory=list)
    master: tuple[bytes, Entry] | None = None
    appeal_keys: dict[str, bytes] = field(default_factory=dict)
    draws: dict[str, bytes] = field(default_factory=dict)
    """Entrant list digest of each revealed draw, by path."""

    def leaves(self) -> dict[str, bytes]:
        """The revealed leaves by path."""
        return {reveal.path: reveal.leaf for reveal in self.reveals}

    def entropies(self) -> dict[str, bytes]:
        """The public entropy of every committed path, empty where none was drawn."""
        return {path: batch.entropy for batch in self.batches.values() for path in batch.paths}


@dataclass(slots=True)
class Evidence:
    """An audit file's records by subject, in order, with everything that could be read of them."""

    about: About
    subjects: dict[str, list[Entry]]
    dealings: Dealings
    chains: Tally
    opening: Tally
    bodies: Tally

    def of(self, service: str) -> Iterator[tuple[str, Subject, list[Entry]]]:
        """Subjects of one service, with their records."""
        for text, entries in self.subjects.items():
            subject = parse_subject(text)
            if subject.service == service:
                yield text, subject, entries

    def events(self, service: str) -> Iterator[tuple[Entry, Event]]:
        """All events of one service that could be read, in order within each subject."""
        for _, _, entries in self.of(service):
            for entry in entries:
                for event in entry.events:
                    yield entry, event


def gather(file: AuditFile) -> Evidence:
    """Decode, chain, open and parse every record of `file`; whatever fails is a finding, never an exception."""
    evidence = Evidence(
        file.about,
        {},
        Dealings(),
        Tally("chain", "records"),
        Tally("sealed records", "records"),
        Tally("bodies", "records"),
    )
    walk, forks = ChainWalk(), Forks(file.records)
    for stored in forks.standing(file.records, evidence.chains):
        _chain(evidence, walk, stored, forks.settled(stored))
    for _, _, entries in evidence.of("dealer"):
        for entry in entries:
            _read(evidence, entry, "dealer", None)
    evidence.dealings = _dealings(evidence)
    leaves = evidence.dealings.leaves()
    for service in ("pairing", "table", "scoring", "appeals"):
        for _, subject, entries in evidence.of(service):
            keys: dict[str, bytes | None] = {}
            for entry in entries:
                _read(evidence, entry, service, _key(entry.record, subject, leaves, keys))
    return evidence


def _chain(evidence: Evidence, walk: ChainWalk, stored: Stored, settled: str) -> None:
    """`settled`: the record by which this one was left to stand, whatever it breaks."""
    chains = evidence.chains
    try:
        record = decode(stored.data)
    except Malformed as error:
        chains.findings += walk.pass_over(stored, str(error))
        return
    findings = walk.follow(stored, record.header)
    if settled:
        chains.settled += [f"{finding}; it stands by {settled}" for finding in findings]
    else:
        chains.findings += findings
    chains.done += 1
    try:
        subject = parse_subject(stored.subject)
    except ValueError as error:
        chains.wrong(stored.subject, record.header.version, stored.sequence, "UNKNOWN_SUBJECT", str(error))
        return
    if subject.championship != evidence.about.championship:
        chains.wrong(
            stored.subject,
            record.header.version,
            stored.sequence,
            "OTHER_CHAMPIONSHIP",
            f"the file is of championship {evidence.about.championship}",
        )
        return
    entry = Entry(stored, record, walk.heads[stored.subject].hash)
    evidence.subjects.setdefault(stored.subject, []).append(entry)


def _key(
    record: Record, subject: Subject, leaves: dict[str, bytes], keys: dict[str, bytes | None]
) -> bytes | None:
    """The key of a sealed record, None where it is not sealed or its board not revealed."""
    if not record.sealed or not record.header.key_ids:
        return None
    path = record.header.key_ids[0]
    if path not in keys:
        leaf = leaves.get(path)
        keys[path] = None if leaf is None else dealing.log_key(leaf, subject.id, path)
    return keys[path]


def _read(evidence: Evidence, entry: Entry, service: str, key: bytes | None) -> None:
    """Open and parse one record's body into `entry`."""
    header, stored = entry.record.header, entry.stored
    if entry.record.sealed:
        if key is None:
            path = ", ".join(header.key_ids) or "without a key id"
            evidence.opening.missing.append(f"board {path} of {stored.subject} is not revealed in this file")
            return
        evidence.opening.done += 1
    try:
        body = body_of(entry.record, key)
        events = tuple(
            [
                _recalled(service, data) if len(data) <= _SHORT else _event(service, data)
                for data in body.events
            ]
        )
        if service == "scoring":
            events = tuple([one for event in events for one in _table_by_table(event)])
        command = parse(table_pb.Command, body.command) if service == "table" else None
    except WrongKey as error:
        where = (stored.subject, header.version, stored.sequence)
        evidence.opening.wrong(*where, "DOES_NOT_OPEN", str(error))
        return
    except Malformed as error:
        evidence.bodies.wrong(stored.subject, header.version, stored.sequence, "UNREADABLE_BODY", str(error))
        return
    evidence.bodies.done += 1
    entry.body = body
    entry.events, entry.command = events, command
    if sha256(body.command).digest() != body.request_digest:
        detail = "request_digest is not the SHA-256 of the command"
        evidence.bodies.wrong(stored.subject, header.version, stored.sequence, "REQUEST_DIGEST", detail)
    for event in events:
        if not event.kind:
            evidence.bodies.missing.append(
                f"{stored.subject} version {header.version}: an event of a newer version"
            )


@lru_cache(maxsize=1 << 13)
def _recalled(service: str, data: bytes) -> Event:
    """A short event, of which a file has few that differ; messages are only read here."""
    return _event(service, data)


def _event(service: str, data: bytes) -> Event:
    message = parse(_EVENTS[service], data)
    kind = message.WhichOneof("kind")
    return Event("", message) if kind is None else Event(kind, getattr(message, kind))


def _table_by_table(event: Event) -> Iterator[Event]:
    """An order to play a board again as it is for each of its tables. Raises Malformed."""
    if event.kind != "replay_ordered":
        yield event
        return
    yield from (Event("board_superseded", one) for one in superseded(event.message))


def _dealings(evidence: Evidence) -> Dealings:
    dealings = Dealings()
    for entry, event in evidence.events("dealer"):
        message = event.message
        match event.kind:
            case "secret_created":
                dealings.commitment, dealings.demo = message.commitment, message.demo
            case "deals_committed":
                paths = [path_of(path) for path in message.boards]
                paths += [dealing.draw_path(name) for name in message.draws]
                dealings.batches[message.batch] = Batch(
                    message.batch, message.merkle_root, tuple(paths), entry.version
                )
            case "entropy_named" if message.batch in dealings.batches:
                dealings.batches[message.batch].named = entry.version
            case "entropy_drawn" if message.batch in dealings.batches:
                batch = dealings.batches[message.batch]
                batch.entropy, batch.drawn = message.value, entry.version
            case "draw_revealed":
                path = dealing.draw_path(message.name)
                dealings.draws[path] = message.entrants_digest
                dealings.reveals.append(Reveal(path, message.leaf, message.batch, entry))
            case "board_revealed":
                path = path_of(message.path)
                dealings.reveals.append(Reveal(path, message.leaf, message.batch, entry))
            case "secret_revealed":
                dealings.master = (message.secret, entry)
            case "appeal_key_released":
                dealings.appeal_keys[message.appeal] = message.private_key
    return dealings


def path_of(message: Any) -> str:
    """The path that a `BoardPath` message says."""
    return dealing.board_path(message.round, message.board, message.attempt, message.match)
