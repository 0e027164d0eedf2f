"""Histories between which the chief referee decided: what stands, and what fell with which decision (C9.2, docs/adr/0015)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fupan.pairing.v1 import events_pb2 as pairing_pb
from services.ledger.audit.report import Tally
from services.ledger.codec import Malformed, parse
from services.ledger.record import Stored, body_of, decode, record_hash, version_of


@dataclass(frozen=True, slots=True)
class Decision:
    """From `version` on `records` stand in place of what the stream holds up to sequence `until`; without records the stream's
    own. `place`: the record that says so, who decided, and why. `stands`: the hash of the first record that stands."""

    subject: str
    version: int
    until: int
    stands: bytes
    records: tuple[bytes, ...]
    place: str

    def settles(self, stored: Stored) -> bool:
        """Whether a record of the stream was there when it was decided what became of it."""
        return stored.sequence <= self.until and self.number(stored) >= self.version

    def number(self, stored: Stored) -> int:
        """The version of a record by its own header; what cannot be read stands for the one in doubt."""
        try:
            return version_of(stored.data)
        except Malformed:
            return self.version


class Forks:
    """What was decided, as pairing's log says in an audit file."""

    def __init__(self, records: Sequence[Stored]) -> None:
        self._decided: dict[str, list[Decision]] = defaultdict(list)
        pairing = {
            one for one in {stored.subject for stored in records} if one.split(".")[2:3] == ["pairing"]
        }
        for stored in records:
            if stored.subject in pairing:
                for one in _decided(stored):
                    self._decided[one.subject].append(one)

    @property
    def subjects(self) -> frozenset[str]:
        """Subjects on whose history somebody decided."""
        return frozenset(self._decided)

    def standing(self, records: Sequence[Stored], tally: Tally) -> Iterator[Stored]:
        """The records that stand, in order; each decision brings its own where its history begins, and what fell is named with it.

        That a decision names another record than stands by it is wrong."""
        if not self._decided:
            yield from records
            return
        versions: dict[str, int] = {}
        for stored in records:
            subject = stored.subject
            if subject not in self._decided:
                yield stored
                continue
            if subject not in versions:
                versions[subject] = 0
                yield from self._brought(stored, versions, tally)
            decision = self._of(stored)
            if decision is not None and decision.records:
                number = decision.number(stored)
                tally.settled.append(f"{subject} version {number} fell by {decision.place}")
                continue
            if decision is not None and decision.number(stored) == decision.version:
                _check(decision, stored.data, tally)
            yield stored
            versions[subject] += 1
            yield from self._brought(stored, versions, tally)

    def settled(self, stored: Stored) -> str:
        """The record by which one of the stream was left to stand, whatever it breaks; empty where nobody decided that."""
        decision = self._of(stored) if self._decided else None
        return "" if decision is None or decision.records else decision.place

    def _of(self, stored: Stored) -> Decision | None:
        decided = self._decided.get(stored.subject)
        return next((one for one in decided if one.settles(stored)), None) if decided else None

    def _brought(self, stored: Stored, versions: dict[str, int], tally: Tally) -> Iterator[Stored]:
        """What decisions bring as the next records of a subject."""
        for decision in self._decided[stored.subject]:
            if decision.records and decision.version == versions[stored.subject] + 1:
                _check(decision, decision.records[0], tally)
                versions[stored.subject] += len(decision.records)
                for data in decision.records:
                    yield Stored(stored.stream, decision.until, stored.subject, data)


def _check(decision: Decision, data: bytes, tally: Tally) -> None:
    try:
        found = record_hash(decode(data).header.prev_hash, data)
    except Malformed:
        found = b""
    if found != decision.stands:
        detail = f"another record stands than it brings or the stream holds by {decision.place}"
        tally.wrong(decision.subject, decision.version, decision.until, "OTHER_STANDS", detail)


def _decided(stored: Stored) -> Iterator[Decision]:
    try:
        record = decode(stored.data)
        body = body_of(record)
        events = [parse(pairing_pb.Event, data) for data in body.events]
    except Malformed:  # named where every record is read
        return
    for event in events:
        if event.WhichOneof("kind") == "fork_decided":
            told = event.fork_decided
            version = record.header.version
            place = f"the decision of {body.actor} in {stored.subject} version {version}: {told.reason}"
            yield Decision(told.subject, told.version, told.until, told.stands, tuple(told.records), place)
