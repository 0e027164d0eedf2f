"""An audit file of a table whose history was decided upon: the decision is followed, and what fell is named with it (C9.2)."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from clients.cli import words
from clients.cli.main import run
from services.ledger import record as r
from services.ledger.audit.report import Report
from services.ledger.audit.verify import verify
from tests.ledger import event_log as e

SUBJECT = e.table_subject(1)
DECIDED = "the decision of p-org in fupan.e1.pairing.cup version 8: rewritten by somebody"


def tampered() -> tuple[e.Log, int, r.Stored]:
    """An event in whose stream a record in the middle of a board is another than was written: where it lies, and the true one."""
    log = e.championship()
    at = log.records.index(log.of(SUBJECT)[4])
    true = log.records[at]
    record = r.decode(true.data)
    writer = dataclasses.replace(record.header.writer, replica="somebody")
    header = record.header._replace(writer=writer)
    log.records[at] = true._replace(data=r.encode(record._replace(header=header)))
    return log, at, true


def decided(log: e.Log, stored: r.Stored, *records: bytes, **other: Any) -> Report:
    """Verification once the chief referee has decided that `records` stand instead, or the stream's own."""
    header = r.decode(records[0] if records else stored.data).header
    told = {
        "subject": SUBJECT,
        "version": header.version,
        "until": stored.sequence,
        "stands": r.record_hash(header.prev_hash, records[0] if records else stored.data),
        "records": records,
        "reason": "rewritten by somebody",
    }
    log.append(e.PAIRING, [e.PairingEvent(fork_decided=told | other)])
    return verify(log.file())


def chain(report: Report) -> tuple[set[str], tuple[str, ...]]:
    """Codes of what is wrong with the chains, and what was settled."""
    (check,) = [one for one in report.checks if one.name == "chain"]
    return {finding.code for finding in check.findings}, check.settled


def test_an_undecided_fork_is_a_broken_chain() -> None:
    log, _, _ = tampered()
    assert chain(verify(log.file())) == ({"BROKEN_CHAIN"}, ())


def test_where_the_archives_record_stands_all_is_well_and_what_fell_is_named() -> None:
    log, at, true = tampered()
    report = decided(log, log.records[at], true.data)
    assert [str(finding) for finding in report.findings] == []
    assert chain(report) == (set(), (f"{SUBJECT} version 5 fell by {DECIDED}",))
    assert report.ok


def test_where_the_streams_record_stands_the_break_after_it_is_settled_as_far_as_was_decided() -> None:
    log, at, _ = tampered()
    broken = log.records[log.records.index(log.of(SUBJECT)[5])]
    stands = r.decode(log.records[at].data).header
    told = {"version": stands.version, "stands": r.record_hash(stands.prev_hash, log.records[at].data)}
    codes, settled = chain(decided(log, broken, **told))
    assert codes == set()
    (note,) = settled
    assert note.startswith(f"{SUBJECT} version 6: ")
    assert note.endswith(f"; it stands by {DECIDED}")


@pytest.mark.parametrize("brings", [True, False], ids=["the archive's", "the stream's"])
def test_a_decision_that_names_another_record_than_stands_by_it_is_found(brings: bool) -> None:
    log, at, true = tampered()
    records = (true.data,) if brings else ()
    assert "OTHER_STANDS" in chain(decided(log, log.records[at], *records, stands=bytes(32)))[0]


def test_a_record_that_is_gone_from_the_stream_comes_with_the_decision() -> None:
    """The records after it lie where they lay; what the decision brings comes before them."""
    log, at, true = tampered()
    lost = log.records[at]
    log.records[at] = lost._replace(data=b"no record at all")
    report = decided(log, lost, true.data)
    assert report.ok
    assert chain(report)[1] == (f"{SUBJECT} version 5 fell by {DECIDED}",)


def test_a_decision_may_bring_a_whole_branch() -> None:
    """Its records share the place where the history that fell ends; in a stream no two have one."""
    log, _, true = tampered()
    later = log.of(SUBJECT)[5:]
    report = decided(log, later[-1], true.data, *(one.data for one in later))
    assert [str(finding) for finding in report.findings] == []
    assert len(chain(report)[1]) == 1 + len(later)


@pytest.mark.parametrize("brings", [True, False], ids=["the archive's", "the stream's"])
def test_who_decided_and_why_is_said_in_either_language(
    brings: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """C9.2, C9.4: the break is not all that is shown of a table on which the chief referee has decided."""
    log, at, true = tampered()
    if brings:
        decided(log, log.records[at], true.data)
    else:
        broken = log.records[log.records.index(log.of(SUBJECT)[5])]
        stands = r.decode(log.records[at].data).header
        told = {
            "version": stands.version,
            "stands": r.record_hash(stands.prev_hash, log.records[at].data),
        }
        decided(log, broken, **told)
    file = tmp_path / "cup.fupan"
    file.write_bytes(log.file())
    # The forged record is not the one that its table's seal was made for; that is another matter.
    run(["audit", "verify", str(file), "--output", "csv"])
    english = capsys.readouterr().out
    assert DECIDED in english
    run(["audit", "verify", str(file), "--output", "csv", "--lang", "zh"])
    chinese = capsys.readouterr().out
    words.choose(None)
    ruling = " fupan.e1.pairing.cup 第 8 条 p-org 的裁定（rewritten by somebody）"
    assert (f"因{ruling}而作废" if brings else f"依{ruling}仍然有效") in chinese
