"""Whole subjects left out of a file: what others name of them is missed, and what nobody names is said to be absent."""

from __future__ import annotations

import copy

import pytest

from services.ledger.audit.report import Report, Status
from services.ledger.audit.verify import verify
from services.ledger.auditfile import About, encode
from services.ledger.record import Stored
from tests.ledger import event_log as e
from tests.ledger.test_audit import FINGERPRINT, codes, whole


def without(*subjects: str, kind: str = "championship", log: e.Log | None = None) -> Report:
    """Verification of a championship, not sealed yet, without these subjects."""
    records = [stored for stored in (log or whole()).records if stored.subject not in subjects]
    if kind == "championship":
        records = [stored for stored in records if not _seals(stored)]
    return verify(encode(About(kind, e.CUP, e.CUP), records), [FINGERPRINT])


def _seals(stored: Stored) -> bool:
    return stored == whole().of(e.PAIRING)[-1]


def of(report: Report, check: str) -> tuple[Status, tuple[str, ...]]:
    (found,) = (one for one in report.checks if one.name == check)
    return found.status, found.missing


def test_a_file_without_its_seal_is_whole() -> None:
    report = without()
    assert codes(report) == set()
    assert report.verdict.startswith("consistent and signed")


def test_C10_6_an_upheld_appeal_left_out_is_found_by_the_ruling_and_by_its_key() -> None:
    report = without(e.APPEAL)
    assert codes(report) == {("standings", "NO_APPEAL"), ("rulings", "NO_APPEAL")}
    assert {str(one.detail) for one in report.findings} == {"appeal a-1 is not in this file"}
    assert not report.ok


def test_an_appeal_on_a_board_that_is_played_may_not_be_for_whoever_made_the_file() -> None:
    """C10.1: until the board is closed everywhere only officials who do not play read its records, and that the dealer opened it to
    a panel."""
    log = copy.deepcopy(whole())
    seated = {"round": 1, "board": 1, "attempt": 2, "table": {"table": "r1-t1-a2"}}
    replayed = {"replay_seated": seated}, {"board_replayed": {"table": "r1-t1-a2"}}
    for begins, ends in (({"round_started": {"round": 1}}, {"round_closed": {"round": 1}}), replayed):
        log.append(e.PAIRING, [e.PairingEvent(**begins)])
        report = without(e.APPEAL, log=log)
        assert ("rulings", "NO_APPEAL") not in codes(report)
        assert "appeal a-1 is not in this file" in of(report, "rulings")[1]
        dealt = of(without(e.DEALER, log=log), "commitments")
        assert dealt == (Status.NOT_POSSIBLE, ("the dealer's records are not in this file",))
        log.append(e.PAIRING, [e.PairingEvent(**ends)])
        assert ("rulings", "NO_APPEAL") in codes(without(e.APPEAL, log=log))
        assert ("commitments", "NO_DEALINGS") in codes(without(e.DEALER, log=log))


def test_a_ruling_of_an_appeal_that_never_was_is_found() -> None:
    def invented(voided: object) -> None:
        voided.authority.appeal = "a-7"  # type: ignore[attr-defined]

    assert ("standings", "NO_APPEAL") in codes(
        verify(e.championship(forge={"board_voided": invented}).file())
    )


@pytest.mark.parametrize("kind", ["championship", "round", "table"])
def test_the_dealers_records_left_out_are_found_where_boards_were_dealt(kind: str) -> None:
    report = without(e.DEALER, kind=kind)
    assert codes(report) == {("commitments", "NO_DEALINGS")}
    assert report.verdict == "inconsistent: 1 finding"


@pytest.mark.parametrize(
    ("subject", "found"),
    [
        (e.PAIRING, {("standings", "NO_STANDINGS")}),
        (e.table_subject(1), {("standings", "OTHER_STANDINGS")}),
    ],
)
def test_pairings_records_and_tables_left_out_are_found(subject: str, found: set[tuple[str, str]]) -> None:
    assert codes(without(subject)) >= found


def test_tables_of_a_round_that_is_played_may_not_be_for_whoever_made_the_file() -> None:
    """C9.3: a publication counts its boards that are closed everywhere; who may not read the tables yet cannot compute it."""
    log = copy.deepcopy(whole())
    log.append(e.PAIRING, [e.PairingEvent(round_started={"round": 1})])
    report = without(e.table_subject(1), log=log)
    assert ("standings", "OTHER_STANDINGS") not in codes(report)
    status, missing = of(report, "standings")
    assert (status, len(missing)) == (Status.NOT_POSSIBLE, 2)
    assert "publication 1 may count a round that is played, of which this file lacks tables" in missing
    assert of(without(log=log), "standings") == (Status.OK, ())
    log.append(e.PAIRING, [e.PairingEvent(round_closed={"round": 1})])
    assert ("standings", "OTHER_STANDINGS") in codes(without(e.table_subject(1), log=log))


def test_without_scorings_records_standings_cannot_be_checked() -> None:
    status, missing = of(without(e.SCORING), "standings")
    assert (status, missing) == (Status.NOT_POSSIBLE, ("scoring's records are not in this file",))


def test_a_rounds_file_without_rulings_says_that_it_cannot_tell() -> None:
    report = without(e.SCORING, e.APPEAL, kind="round")
    assert report.ok
    assert of(report, "standings")[0] is of(report, "rulings")[0] is Status.NOT_POSSIBLE
    assert "the appeals' records are not in this file" in of(report, "rulings")[1]


@pytest.mark.parametrize("kind", ["table", "round"])
def test_a_rounds_file_that_a_ruling_names_an_appeal_of_is_no_finding(kind: str) -> None:
    report = without(e.APPEAL, kind=kind)
    assert report.ok
    assert of(report, "rulings") == (Status.NOT_POSSIBLE, ("appeal a-1 is not in this file",))


def test_a_round_that_sits_by_a_publication_which_is_left_out_is_found() -> None:
    def ranked(paired: object) -> None:
        paired.basis, paired.publication = "standings", 1  # type: ignore[attr-defined]

    log = e.championship(forge={"round_paired": ranked})
    assert ("draw", "NO_PUBLICATION") in codes(without(e.SCORING, log=log))
