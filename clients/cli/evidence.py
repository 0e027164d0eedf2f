"""A championship's log as the services hand it out, and the audit files cut from it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from clients.cli.bearer import patiently
from clients.cli.places import Place
from clients.cli.words import pick
from fupan.common.v1 import log_service_pb2 as log_pb
from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer_pb
from fupan.pairing.v1 import service_pb2 as pairing_pb
from services.domain import Rejected
from services.games.championship import contest
from services.ledger import dealing
from services.ledger.audit.ends import lacking
from services.ledger.audit.evidence import Batch, Evidence, gather, parse_subject
from services.ledger.audit.ranking import Standings
from services.ledger.auditfile import About, AuditFile, Proof, Ranking
from services.ledger.record import Stored

if TYPE_CHECKING:
    from clients.cli.connection import Fupan

DRAW = dealing.draw_path("round-1")

IN_ORDER = ("pairing", "scoring", "table", "appeals", "dealer")
"""As services are read, one after the other: what one names the next ones have, so that a running event's file lacks nothing."""

TRIES, PAUSE = 20, 0.5
"""How often a log is read again, and after how many seconds, while others say that it goes on."""


class NotInLog(LookupError):
    """There is no such table or round in the log that was read."""


@dataclass(frozen=True)
class Collected:
    """A championship's records by service, and by path the proofs of leaves whose batch is not revealed whole."""

    championship: str
    records: Mapping[str, Sequence[Stored]]
    proofs: Mapping[str, Proof]
    keys: tuple[bytes, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        """Ids of all tables, by round and number as far as their names say."""
        ids = {parse_subject(stored.subject).id for stored in self.records["table"]}
        return tuple(sorted(ids, key=lambda one: (len(one), one)))

    def table(self, table: str) -> AuditFile:
        """The file of one table: its records, those that no table has alone, and standings. Raises NotInLog."""
        return self._file("table", table, frozenset({table}))

    def round(self, number: int) -> AuditFile:
        """The file of a round: its tables' records, those that no table has alone, and standings. Raises NotInLog."""
        tables = frozenset(table for table, played in self._rounds.items() if played == number)
        return self._file("round", str(number), tables)

    def whole(self) -> AuditFile:
        """The file of the championship: every record of every service. Raises NotInLog."""
        records = tuple(stored for records in self.records.values() for stored in records)
        if not records:
            raise NotInLog(
                pick(
                    f"there is no championship {self.championship} in the log",
                    f"日志中没有赛事 {self.championship}",
                )
            )
        about = About(
            "championship", self.championship, self.championship, self.keys, tuple(self.proofs.values())
        )
        return AuditFile(about, records)

    def _file(self, kind: str, name: str, tables: Collection[str]) -> AuditFile:
        records = [one for one in self.records["table"] if parse_subject(one.subject).id in tables]
        if not records:
            raise NotInLog(
                pick(
                    f"there is no {kind} {name} in the log of {self.championship}",
                    f"{self.championship} 的日志中没有{f'第 {name} 轮' if kind == 'round' else f'牌桌 {name}'}",
                )
            )
        rankings = tuple(self._rankings({self._rounds[one] for one in tables if one in self._rounds}))
        about = About(kind, name, self.championship, self.keys, tuple(self.proofs.values()), rankings)
        return AuditFile(about, (*records, *self._shared()))

    def _shared(self) -> Iterator[Stored]:
        """What is no table's own: seats and offices, deals, rulings and standings, appeals."""
        return (one for service, read in self.records.items() if service != "table" for one in read)

    def _rankings(self, rounds: Collection[int]) -> Iterator[Ranking]:
        """Of the publications that these rounds sit by, of the last one after each of them, and of the newest: those that are what
        the records of all tables give."""
        published = {
            event.message.number: event.message
            for _, event in self._clear.events("scoring")
            if event.kind == "standings_published"
        }
        wanted = {
            event.message.publication
            for _, event in self._clear.events("pairing")
            if event.kind == "round_paired" and event.message.round in rounds
        }
        last = {one.after_round: number for number, one in published.items()}
        wanted |= {last[one] for one in rounds if one in last} | set(sorted(published)[-1:])
        for number in sorted(wanted & published.keys()):
            try:
                order = self._standings.order(number)
            except Rejected:
                continue
            if order is not None and contest.digest(order) == published[number].digest:
                yield Ranking(number, contest.canonical(order))

    @cached_property
    def _clear(self) -> Evidence:
        return clear(self.championship, self.records)

    @cached_property
    def _standings(self) -> Standings:
        return Standings(self._clear)

    @cached_property
    def _rounds(self) -> dict[str, int]:
        """By table the round it plays."""
        return {
            event.message.table: event.message.round
            for _, event in self._clear.events("table")
            if event.kind == "table_opened"
        }


async def collect(fupan: Fupan, championship: str) -> Collected:
    """Read what the services have of a championship, and the proofs it needs. Raises AioRpcError.

    What a round sits by was published before, what a publication is made of was played, what a ruling names was filed, and what all
    of it rests on was committed or revealed.
    """
    records = {service: await _read(fupan, service, championship) for service in IN_ORDER}
    evidence, dealt = _evidence(championship, records)
    for _ in range(TRIES):
        if not (again := lacking(evidence)):
            break
        # One service learns from the log of another what happened, as we do.
        await asyncio.sleep(PAUSE)
        records |= {
            service: await _read(fupan, service, championship) for service in IN_ORDER if service in again
        }
        evidence, dealt = _evidence(championship, records)
    proofs = {
        path: proof
        for batch, path in _unproven(dealt)
        if (proof := await _proof(fupan, championship, batch, path)) is not None
    }
    return Collected(championship, records, proofs, public_keys(fupan.place))


def _evidence(championship: str, records: Mapping[str, Sequence[Stored]]) -> tuple[Evidence, Evidence]:
    """All that was read but what is sealed, and what the dealer's log says."""
    about = About("championship", championship, championship)
    dealt = gather(AuditFile(about, tuple(records["dealer"])))
    evidence = clear(championship, records)
    evidence.subjects |= dealt.subjects
    evidence.dealings = dealt.dealings
    return evidence, dealt


def clear(championship: str, records: Mapping[str, Sequence[Stored]]) -> Evidence:
    """All that is in the clear: how boards ended is, and the dealer's leaves would open the rest, which takes long."""
    about = About("championship", championship, championship)
    read = (told for service, told in records.items() if service != "dealer")
    return gather(AuditFile(about, tuple(chain.from_iterable(read))))


async def _read(fupan: Fupan, service: str, championship: str) -> list[Stored]:
    async def read() -> list[Stored]:
        return [
            Stored(one.stream, one.sequence, one.subject, one.stored)
            async for response in fupan.log(service).ReadLog(request)
            for one in response.records
        ]

    request = log_pb.ReadLogRequest(championship=championship)
    return await patiently(read, fupan.patience)


def _unproven(evidence: Evidence) -> list[tuple[int, str]]:
    """Batch and path of every revealed leaf that only a proof can show to be under its root."""
    revealed = {reveal.path for reveal in evidence.dealings.reveals}

    def whole(batch: Batch) -> bool:
        return all(path in revealed for path in batch.paths)

    batches = evidence.dealings.batches
    partial = {number for number, batch in batches.items() if not whole(batch)}
    return [(reveal.batch, reveal.path) for reveal in evidence.dealings.reveals if reveal.batch in partial]


async def _proof(fupan: Fupan, championship: str, batch: int, path: str) -> Proof | None:
    """The proof of a revealed leaf; None of a draw that pairing gives no certificate of."""
    if path == DRAW:
        certificate = await fupan.pairing.GetSeatingCertificate(
            pairing_pb.GetSeatingCertificateRequest(championship=championship)
        )
        draw = json.loads(certificate.certificate)["draw"]
        siblings = tuple(bytes.fromhex(one) for one in draw["proof"])
        return Proof(path, batch, draw["index"], draw["size"], siblings)
    if path.startswith(dealing.draw_path("")):
        return None
    place = dealer_events.BoardPath(**dealing.parse_board_path(path)._asdict())
    request = dealer_pb.VerifyDealRequest(championship=championship, path=place)
    answer = await fupan.dealer.VerifyDeal(request)
    return Proof(path, batch, answer.index, answer.size, tuple(answer.proof))


def public_keys(place: Place) -> tuple[bytes, ...]:
    """Raw public keys of a local platform's signers; a table's seal brings its own."""
    if place.keys is None:
        return ()
    found = (load_pem_public_key(path.read_bytes()) for path in sorted(place.keys.glob("sign-*.pub")))
    return tuple(key.public_bytes_raw() for key in found if isinstance(key, Ed25519PublicKey))
