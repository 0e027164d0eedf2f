"""What a championship's seal is made over, collected from everybody's logs, and whether the time for it has come (C10.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from services.domain import Cause, Rejected
from services.ledger import keys, seals
from services.ledger.record import record_hash
from services.pairing.model import commands as c
from services.pairing.model.state import Championship
from services.runtime.follower import Read
from services.runtime.streams import parse

_OVER = ("appeal_lapsed", "appeal_decided", "appeal_withdrawn", "appeal_dismissed")
_RULINGS = (
    "result_corrected",
    "board_voided",
    "percent_assigned",
    "penalty_set",
    "board_superseded",
    "replay_ordered",
    "match_corrected",
    "ruling_recalculated",
)


Told = tuple[Read, str, Any]
"""An event, with its kind, and the record that it stands in."""


@dataclass(slots=True)
class Evidence:
    """One championship. Heads are (version, hash) by subject."""

    tables: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """What TableSealed says of the record before it, of every table whose log has ended with one."""
    decided: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """The records with the rulings of appeals."""
    open: set[str] = field(default_factory=set)
    """Appeals that wait for something."""
    upheld: set[str] = field(default_factory=set)
    """Appeals that bring remedies."""
    applied: set[str] = field(default_factory=set)
    """Appeals whose remedies scoring has taken up. A set of its own, since the two streams are read in any order."""
    publications: list[tuple[int, bytes]] = field(default_factory=list)
    """Number and digest."""
    after_round: int = 0
    """The last round in the newest publication."""
    unpublished: bool = False
    """Whether a ruling is younger than the newest publication."""
    fixed: tuple[int, Cause | None] = 0, None
    """The announcement of the seal for which scoring has fixed the standings last, and its record that says so."""
    replayed: int = 0
    """Pairing's last record that says that a board was played again, and how far the newest publication has read pairing."""
    covered: int = 0


class Sealing:
    """Evidence of all championships, and the key that signs."""

    def __init__(self, private: bytes) -> None:
        self._private = private
        self._evidence: dict[str, Evidence] = {}
        self._signed: dict[str, int] = {}
        """By subject of a table whose log has ended, the place in the stream of the record that says so."""

    def seal(self, state: Championship, subject: str, tables: Iterable[str]) -> c.SealChampionship:
        """The command that seals what was announced, `tables` being the subjects of all tables. Raises Rejected."""
        assert state.settings is not None
        evidence = self.of(state.settings.championship)
        if any(one not in evidence.tables for one in tables):
            # How many would tell who plays how far a board is that is played again.
            raise Rejected("TABLES_NOT_SEALED", "C10.8", "not all tables are finished and signed yet")
        if evidence.open:
            count = len(evidence.open)
            raise Rejected("APPEALS_OPEN", "C10.8", f"{count} appeals are not decided yet")
        if (
            evidence.after_round < (state.newest.number if state.newest else 0)
            or evidence.unpublished
            or not self.published(state.settings.championship)
            or evidence.upheld - evidence.applied
            or not evidence.publications
        ):
            raise Rejected(
                "STANDINGS_NOT_PUBLISHED",
                "C10.8",
                "standings with every round and ruling are not published yet",
            )
        heads = evidence.tables | evidence.decided
        root = seals.championship_root(
            ((name, version, head) for name, (version, head) in heads.items()), evidence.publications
        )
        public = keys.signing_public_key(self._private)
        return c.SealChampionship(
            root,
            keys.sign(self._private, seals.championship_seal(subject, root)),
            keys.fingerprint(public),
            evidence.publications[-1][0],
            public,
            state.sealing,
        )

    def published(self, championship: str) -> bool:
        """Whether what boards came to that were played again is in the newest publication."""
        evidence = self.of(championship)
        return evidence.covered >= evidence.replayed

    def of(self, championship: str) -> Evidence:
        """What is known of a championship."""
        return self._evidence.setdefault(championship, Evidence())

    def ended(self, table: str) -> bool:
        """Whether a table's log has ended, by its subject."""
        return table in self._signed

    def read_tables(self, reads: Iterable[Read], told: Iterable[Told]) -> None:
        """Tables' records and their events: signed heads. Where others stand there or later in the stream, a decision has brought
        them, and the history that was signed fell (C9.2)."""
        signed = {id(read): event for read, kind, event in told if kind == "table_sealed"}
        for read in reads:
            subject, sequence, event = read.stored.subject, read.stored.sequence, signed.get(id(read))
            if event is not None:
                self._signed[subject] = sequence
                self._tables(subject)[subject] = event.head_version, event.head
            elif subject in self._signed and sequence >= self._signed[subject]:
                del self._signed[subject], self._tables(subject)[subject]

    def _tables(self, subject: str) -> dict[str, tuple[int, bytes]]:
        return self.of(parse(subject).championship).tables

    def read_appeals(self, told: Iterable[Told]) -> None:
        """Appeals' events: which wait, which are decided."""
        for read, kind, event in told:
            subject = read.stored.subject
            evidence, appeal = self.of(parse(subject).championship), parse(subject).item
            if kind == "appeal_filed":
                evidence.open.add(subject)
            elif kind in _OVER:
                evidence.open.discard(subject)
            if kind == "appeal_decided":
                header = read.record.header
                evidence.decided[subject] = header.version, record_hash(header.prev_hash, read.stored.data)
                # Seats of a round that has not begun are pairing's own to change; all else is scoring's.
                if any(one.WhichOneof("kind") != "reseat_round" for one in event.remedies):
                    evidence.upheld.add(appeal)

    def read_scoring(self, told: Iterable[Told]) -> None:
        """Scoring's events: publications, and rulings that must be in them."""
        for read, kind, event in told:
            evidence = self.of(parse(read.stored.subject).championship)
            if kind == "standings_published":
                evidence.publications.append((event.number, event.digest))
                evidence.after_round, evidence.unpublished = event.after_round, False
                own = (at.sequence for at in event.cut.positions if at.stream.startswith("PAIRING-"))
                evidence.covered = max(own, default=0)
            elif kind == "standings_fixed":
                evidence.fixed = event.announcement, Cause(read.stored.subject, read.record.header.version)
            elif kind in _RULINGS:
                evidence.unpublished = True
                evidence.applied.add(event.authority.appeal)
            elif kind == "correction_refused":
                evidence.applied.add(event.appeal)


def events_of(reads: Iterable[Read], message: Any) -> Iterator[Told]:
    """Events of records that can be read, with their kinds."""
    for read in reads:
        for data in read.body.events if read.body else ():
            event = message.FromString(data)
            kind = event.WhichOneof("kind")
            if kind is not None:
                yield read, kind, getattr(event, kind)
