"""What an audit file says, taken apart once: records decoded, sealed ones opened, the dealer's facts collected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import Any, NamedTuple

from fupan.appeals.v1 import events_pb2 as appeals_pb
from fupan.dealer.v1 import events_pb2 as dealer_pb
from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.scoring.v1 import events_pb2 as scoring_pb
from fupan.table.v1 import events_pb2 as table_pb
from services.ledger import dealing
from services.ledger.audit.forks import Forks
from services.ledger.audit.questions import acted, by_seat
from services.ledger.audit.report import Tally
from services.ledger.auditfile import About, AuditFile
from services.ledger.codec import Malformed, UnknownEvent
from services.ledger.games import GAMES
from services.ledger.oneof import Oneof
from services.ledger.record import (
    BoardClosing,
    Cause,
    ChainWalk,
    Stored,
    WrongKey,
    body_message,
    cause_of,
    closing_of,
    open_sealed,
    whole,
)
from services.ledger.replays import superseded

_EVENTS = {
    "dealer": Oneof(dealer_pb.Event),
    "table": Oneof(table_pb.Event),
    "pairing": Oneof(pairing_pb.Event),
    "scoring": Oneof(scoring_pb.Event),
    "appeals": Oneof(appeals_pb.Event),
}

_COMMAND = Oneof(table_pb.Command)

_DECISION = frozenset({"acted", "asked", "paced", *GAMES})
"""What happens with a decision at a table."""

_KIND = itemgetter(0)
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
    """One event as stored: the name of its kind and its message; a game's event as the game's own, answers as `Acted`,
    questions by seat."""

    kind: str
    message: Any


@dataclass(slots=True)
class Entry:
    """One record: of its header what somebody asks for, of its body what could be read."""

    stored: Stored
    hash: bytes
    version: int
    """Version within the subject."""
    time_us: int
    params_digest: bytes
    key_id: str
    """The first of its key ids, empty without one: the path of a sealed record's board."""
    sealed: bool
    closing: BoardClosing | None
    people: tuple[str, ...]
    """Who sits there from here on, by seat, where a sealed record changes that."""
    build: str
    """Of the program that wrote it."""
    read: bool = False
    """Whether the body could be opened and read; what follows is empty where not."""
    actor: str = ""
    authority: str = ""
    cause: Cause | None = None
    command_id: str = ""
    events: tuple[Event, ...] = ()
    order: str = ""
    """The kind of a table's command."""
    command: Any = None
    """Its message."""
    decision: bool = False
    """Whether a table's record is read and tells of a decision, what came of it and what is asked next, and of nothing else."""


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

    def of(self, service: str, *, play: bool = True) -> Iterator[tuple[str, Subject, list[Entry]]]:
        """Subjects of one service, with their records; without `play` those that tell of nothing but a decision are left out, which
        are nearly all of a table's."""
        for text, entries in self.subjects.items():
            subject = parse_subject(text)
            if subject.service == service:
                yield text, subject, entries if play else [one for one in entries if not one.decision]

    @property
    def entire(self) -> bool:
        """Whether the file is of a whole championship: what is named and not in it has been left out."""
        return self.about.kind == "championship"

    @property
    def playing(self) -> bool:
        """Whether a round or a replay is being played: an appeal on one of its boards, and what the dealer opened to its panel, may
        not be for whoever made the file."""
        running: set[int | str] = set()
        for _, event in self.events("pairing"):
            match event.kind:
                case "round_started":
                    running.add(event.message.round)
                case "round_closed":
                    running.discard(event.message.round)
                case "replay_seated":
                    running.add(event.message.table.table)
                case "board_replayed":
                    running.discard(event.message.table)
                case "championship_sealed":
                    return False
        return bool(running)

    def holds_appeal(self, appeal: str) -> bool:
        """Whether an appeal's records are in the file."""
        return any(subject.id == appeal for _, subject, _ in self.of("appeals"))

    def events(self, service: str, *, play: bool = True) -> Iterator[tuple[Entry, Event]]:
        """All events of one service that could be read, in order within each subject; see `of`."""
        for _, _, entries in self.of(service, play=play):
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
    forks = Forks(file.records)
    standing = [*forks.standing(file.records, evidence.chains)]
    dealers = {one for one in {stored.subject for stored in standing} if one.split(".")[2:3] == ["dealer"]}
    reading = _Reading(evidence)
    for stored in standing:
        if stored.subject in dealers:
            reading.record(stored, forks.settled(stored))
    # Its leaves open the others.
    reading.dealt(_dealings(evidence))
    for stored in standing:
        if stored.subject not in dealers:
            reading.record(stored, forks.settled(stored))
    return evidence


class _Reading:
    """Reads records one after the other, each once: what is not asked for again is not kept."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._walk = ChainWalk()
        self._leaves: dict[str, bytes] = {}
        self._keys: dict[tuple[str, str], bytes | None] = {}

    def dealt(self, dealings: Dealings) -> None:
        """The dealer's records are read."""
        self._evidence.dealings = dealings
        self._leaves = dealings.leaves()

    def record(self, stored: Stored, settled: str) -> None:
        """`settled`: the record by which this one was left to stand, whatever it breaks."""
        chains = self._evidence.chains
        try:
            message = whole(stored.data)
        except Malformed as error:
            chains.findings += self._walk.pass_over(stored, str(error))
            return
        header = message.header
        findings = self._walk.follow(stored, header)
        if settled:
            chains.settled += [f"{finding}; it stands by {settled}" for finding in findings]
        else:
            chains.findings += findings
        chains.done += 1
        try:
            subject = parse_subject(stored.subject)
        except ValueError as error:
            chains.wrong(stored.subject, header.version, stored.sequence, "UNKNOWN_SUBJECT", str(error))
            return
        if subject.championship != self._evidence.about.championship:
            detail = f"the file is of championship {self._evidence.about.championship}"
            chains.wrong(stored.subject, header.version, stored.sequence, "OTHER_CHAMPIONSHIP", detail)
            return
        head, key_ids = self._walk.heads[stored.subject], header.key_ids
        entry = Entry(
            stored,
            head.hash,
            head.version,
            head.time_us,
            header.params_digest,
            key_ids[0] if key_ids else "",
            message.HasField("sealed_body"),
            closing_of(message),
            tuple(message.people[:]),
            header.writer.build,
        )
        self._evidence.subjects.setdefault(stored.subject, []).append(entry)
        content = self._content(message, entry, subject)
        if content is not None:
            self._body(content, entry, subject.service)

    def _content(self, message: Any, entry: Entry, subject: Subject) -> bytes | None:
        """A record's serialised body, opened where it is sealed; None where it cannot be."""
        if not entry.sealed:
            return message.clear_body  # type: ignore[no-any-return]
        opening, stored = self._evidence.opening, entry.stored
        key = self._key(subject.id, entry.key_id)
        if key is None:
            path = ", ".join(message.header.key_ids) or "without a key id"
            opening.missing.append(f"board {path} of {stored.subject} is not revealed in this file")
            return None
        opening.done += 1
        try:
            return open_sealed(key, message.header.subject, entry.version, message.sealed_body)
        except WrongKey as error:
            opening.wrong(stored.subject, entry.version, stored.sequence, "DOES_NOT_OPEN", str(error))
        except Malformed as error:
            self._unreadable(entry, error)
        return None

    def _key(self, table: str, path: str) -> bytes | None:
        """The key that a table's board is sealed with, None where its leaf is not revealed."""
        place = table, path
        if place not in self._keys:
            leaf = self._leaves.get(path)
            self._keys[place] = None if leaf is None else dealing.log_key(leaf, table, path)
        return self._keys[place]

    def _body(self, content: bytes, entry: Entry, service: str) -> None:
        """Parse a record's body into `entry`."""
        try:
            body = body_message(content)
            said = body.command
            events = tuple(
                [
                    _recalled(service, data) if len(data) <= _SHORT else _event(service, data)
                    for data in body.events[:]
                ]
            )
            if service == "table":
                entry.order, entry.command = _COMMAND.read(said)
                told = entry.closing is not None or entry.people
                entry.decision = not told and _DECISION.issuperset(map(_KIND, events))
            elif service == "scoring":
                events = tuple([one for event in events for one in _table_by_table(event)])
        except Malformed as error:
            self._unreadable(entry, error)
            return
        bodies, stored = self._evidence.bodies, entry.stored
        bodies.done += 1
        entry.read, entry.events = True, events
        entry.actor, entry.authority, entry.cause = body.actor, body.authority, cause_of(body)
        entry.command_id = body.command_id
        if sha256(said).digest() != body.request_digest:
            detail = "request_digest is not the SHA-256 of the command"
            bodies.wrong(stored.subject, entry.version, stored.sequence, "REQUEST_DIGEST", detail)
        for event in () if entry.decision else events:
            if not event.kind:
                detail = f"{stored.subject} version {entry.version}: an event of a newer version"
                bodies.missing.append(detail)

    def _unreadable(self, entry: Entry, error: Malformed) -> None:
        where = (entry.stored.subject, entry.version, entry.stored.sequence)
        self._evidence.bodies.wrong(*where, "UNREADABLE_BODY", str(error))


@lru_cache(maxsize=1 << 13)
def _recalled(service: str, data: bytes) -> Event:
    """A short event, of which a file has few that differ; messages are only read here."""
    return _event(service, data)


def _event(service: str, data: bytes) -> Event:
    event: Event = tuple.__new__(Event, _EVENTS[service].read(data))
    if event.kind == "acted":
        return Event(event.kind, acted(event.message))
    if event.kind == "asked":
        return Event(event.kind, by_seat(event.message.questions[:]))
    if event.kind in GAMES:
        with suppress(UnknownEvent):  # then it is not the one that is due
            event = Event(event.kind, GAMES[event.kind].events.from_proto(event.message))
    return event


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
