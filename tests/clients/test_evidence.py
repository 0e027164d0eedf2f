"""Files of a table, a round and a championship, cut from one log."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from clients.cli.evidence import Collected, NotInLog
from services.ledger import auditfile
from services.ledger.audit.evidence import parse_subject
from services.ledger.audit.report import Report, Status
from services.ledger.audit.verify import verify
from services.ledger.auditfile import AuditFile
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
    assert checks["standings"].status is Status.NOT_POSSIBLE


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
