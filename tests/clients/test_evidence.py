"""Files of a table, a round and a championship, cut from one log."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from clients.cli.evidence import Collected, NotInLog, collect
from clients.cli.places import Place
from fupan.common.v1 import log_service_pb2 as log_pb
from fupan.common.v1 import record_pb2
from services.ledger import auditfile
from services.ledger.audit.draw import check_draw
from services.ledger.audit.evidence import gather, parse_subject
from services.ledger.audit.ranking import Standings
from services.ledger.audit.report import Report, Status, Tally
from services.ledger.audit.verify import verify
from services.ledger.auditfile import AuditFile
from services.ledger.digests import canonical_json
from services.ledger.record import Stored
from tests.ledger import event_log as log_of
from tests.ledger import test_audit_forks as forks

GOLDEN = Path(__file__).parents[1] / "golden" / "paohuzi-2026-11.fupan"


@functools.cache
def collected() -> Collected:
    file = auditfile.parse(GOLDEN.read_bytes())
    proofs = {proof.path: proof for proof in file.about.proofs}
    return Collected(file.about.championship, by_service(file.records), proofs, file.about.keys)


def by_service(stored: Sequence[Stored]) -> dict[str, list[Stored]]:
    records: dict[str, list[Stored]] = defaultdict(list)
    for one in stored:
        records[parse_subject(one.subject).service].append(one)
    return records


def report(file: AuditFile) -> Report:
    return verify(auditfile.encode(file.about, file.records))


@pytest.mark.parametrize(
    ("cut", "boards"),
    [
        (lambda log: log.whole(), 4),
        (lambda log: log.round(1), 2),
        (lambda log: log.round(2), 2),
        (lambda log: log.table("r1-t1"), 1),
    ],
)
def test_every_kind_of_file_verifies_and_holds_its_boards(
    cut: Callable[[Collected], AuditFile], boards: int
) -> None:
    checked = report(cut(collected()))
    assert [str(finding) for finding in checked.findings] == []
    assert {check.name: check.done for check in checked.checks}["deals"] == boards


@pytest.mark.parametrize("cut", [lambda log: log.round(1), lambda log: log.table("r1-t1")])
def test_the_file_of_a_round_brings_seats_rulings_standings_and_appeals(
    cut: Callable[[Collected], AuditFile],
) -> None:
    """C10.6: nobody reads a contested round's scores without what was ruled."""
    log = log_of.championship()
    file = cut(Collected(log_of.CUP, by_service(log.records), {}, ()))
    subjects = {stored.subject for stored in file.records}
    assert subjects >= {log_of.PAIRING, log_of.DEALER, log_of.SCORING, log_of.APPEAL}
    checked = report(file)
    assert checked.ok
    checks = {check.name: check for check in checked.checks}
    assert (checks["rulings"].done, checks["draw"].done) == (1, 1)
    assert checks["offices"].done
    # Of the two publications the second is the last after the round, and the newest.
    assert [ranking.number for ranking in file.about.rankings] == [2]
    assert (checks["standings"].status, checks["standings"].done) == (Status.OK, 1)
    (how,) = checks["standings"].missing
    assert how.endswith("fupan audit export without --table and --round")


def test_a_rounds_file_shows_that_it_sits_by_the_standings_that_were_published() -> None:
    file = collected().round(2)
    checks = {check.name: check for check in report(file).checks}
    assert (checks["draw"].done, checks["draw"].missing) == (2, ())
    without = replace(file, about=replace(file.about, rankings=()))
    checks = {check.name: check for check in report(without).checks}
    assert checks["draw"].missing == ("round 2 sits by publication 1, which this file does not give",)
    assert checks["standings"].status is Status.NOT_POSSIBLE


def test_another_ranking_than_the_published_one_is_found() -> None:
    file = collected().round(2)
    first, *others = file.about.rankings
    rows = json.loads(first.canonical)
    rows[0], rows[1] = rows[1], rows[0]
    forged = replace(first, canonical=canonical_json(rows))
    found = report(replace(file, about=replace(file.about, rankings=(forged, *others))))
    assert [one.detail for one in found.findings] == [
        f"the ranking of publication {first.number} in the file is not the one that was published"
    ]
    stray = replace(first, number=99)
    found = report(replace(file, about=replace(file.about, rankings=(*file.about.rankings, stray))))
    assert [one.code for one in found.findings] == ["NO_PUBLICATION"]


def test_the_published_digest_is_compared_whatever_else_the_file_lacks() -> None:
    file = collected().round(2)
    records = tuple(one for one in file.records if parse_subject(one.subject).service != "pairing")
    checks = {check.name: check for check in report(replace(file, records=records)).checks}
    assert (checks["standings"].status, checks["standings"].done) == (Status.OK, 2)


def test_a_round_that_sits_otherwise_than_the_published_ranking_gives_is_found() -> None:
    """The digests fit, whoever forged both: the seats do not."""
    file = collected().round(2)
    evidence = gather(file)
    (paired,) = (
        event.message
        for _, event in evidence.events("pairing")
        if event.kind == "round_paired" and event.message.round == 2
    )
    (told,) = (one for one in file.about.rankings if one.number == paired.publication)
    rows = json.loads(told.canonical)
    turned = canonical_json(rows[::-1])
    for _, event in evidence.events("scoring"):
        if event.kind == "standings_published" and event.message.number == paired.publication:
            event.message.digest = sha256(turned).digest()
    paired.standings_digest = sha256(turned).digest()
    evidence.about = replace(file.about, rankings=(replace(told, canonical=turned),))
    tally = Tally("draw", "rounds")
    check_draw(evidence, Standings(evidence), tally)
    assert [finding.code for finding in tally.findings] == ["OTHER_SEATING"]


def test_what_cannot_be_computed_over_again_is_not_in_a_rounds_file() -> None:
    """Whoever cannot read every table yet."""
    whole = collected()
    tables = [one for one in whole.records["table"] if not one.subject.endswith("r1-t2")]
    short = Collected(whole.championship, {**whole.records, "table": tables}, whole.proofs, whole.keys)
    assert short.round(2).about.rankings == ()
    assert collected().round(2).about.rankings


def test_the_file_of_a_table_that_was_decided_upon_brings_the_decision() -> None:
    log, at, true = forks.tampered()
    forks.decided(log, log.records[at], true.data)
    file = Collected(log_of.CUP, by_service(log.records), {}, ()).table("r1-t1")
    assert [str(finding) for finding in report(file).findings] == []


def test_a_championships_file_is_the_one_it_was_cut_from() -> None:
    file = collected().whole()
    assert auditfile.encode(file.about, file.records) == GOLDEN.read_bytes()


@pytest.mark.parametrize("cut", [lambda log: log.round(9), lambda log: log.table("r9-t1")])
def test_what_is_not_in_the_log_is_told(cut: Callable[[Collected], AuditFile]) -> None:
    with pytest.raises(NotInLog):
        cut(collected())


class _Platform:
    """What `collect` asks; the dealer reveals boards when its log is read for the second time."""

    def __init__(self, log: log_of.Log) -> None:
        self.place, self.patience = Place({}), 1.0
        self.read: list[str] = []
        self._records = by_service(log.records)

    def log(self, service: str) -> _Platform:
        self.read.append(service)
        return self

    async def ReadLog(self, request: object) -> AsyncIterator[Any]:
        records = self._records[self.read[-1]]
        if self.read[-1] == "dealer" and self.read.count("dealer") == 1:
            records = records[:5]  # up to the draw
        yield log_pb.ReadLogResponse(
            records=[
                record_pb2.StoredRecord(
                    stream=one.stream, sequence=one.sequence, subject=one.subject, stored=one.data
                )
                for one in records
            ]
        )


async def test_whoever_exports_a_log_waits_for_what_is_closed_everywhere_to_be_revealed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("clients.cli.evidence.PAUSE", 0)
    log = log_of.championship()
    log.append(log_of.PAIRING, [log_of.PairingEvent(round_closed={"round": 1})])
    platform: Any = _Platform(log)
    collected = await collect(platform, log_of.CUP)
    assert platform.read == ["pairing", "scoring", "table", "appeals", "dealer", "dealer"]
    assert report(collected.whole()).ok
