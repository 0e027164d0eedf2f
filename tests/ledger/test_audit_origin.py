"""Whose history it is: signatures, keys trusted from outside, receipts that players kept."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from services.domain import Rejected
from services.ledger import keys, seals
from services.ledger import record as r
from services.ledger.audit.receipts import Receipt, parse_receipts
from services.ledger.audit.report import Status
from services.ledger.audit.verify import verify
from services.ledger.auditfile import About, encode
from tests.ledger import event_log as e
from tests.ledger.test_audit import FINGERPRINT, codes, forged, whole


def test_a_table_signed_with_a_key_that_was_not_announced_is_found() -> None:
    def other_key(sealed: Any) -> None:
        public = keys.signing_public_key(e.OTHER_SIGNER)
        message = seals.table_head(e.table_subject(1), sealed.head_version, sealed.head)
        sealed.signature, sealed.public_key = keys.sign(e.OTHER_SIGNER, message), public
        sealed.key = keys.fingerprint(public)

    assert ("signatures", "KEY_NOT_ANNOUNCED") in codes(forged(table_sealed=other_key))


def test_a_bad_signature_is_found() -> None:
    def spoilt(sealed: Any) -> None:
        sealed.signature = bytes(64)

    assert ("signatures", "BAD_SIGNATURE") in codes(forged(table_sealed=spoilt))


def test_a_signed_head_that_is_not_the_record_before_is_found() -> None:
    def other_head(sealed: Any) -> None:
        sealed.head = bytes(32)

    assert ("signatures", "WRONG_HEAD") in codes(forged(table_sealed=other_head))


def test_a_whole_event_signed_anew_is_consistent_but_not_trusted() -> None:
    file = e.championship(signer=e.OTHER_SIGNER).file()
    assert verify(file).verdict == "consistent, origin unproven"
    report = verify(file, [FINGERPRINT])
    assert codes(report) == {("signatures", "KEY_NOT_TRUSTED")}


def test_with_trust_an_unsigned_file_fails() -> None:
    records = whole().of(e.DEALER)[:5]  # up to the draw
    file = encode(About("championship", e.CUP, e.CUP), records)
    assert verify(file).ok
    assert codes(verify(file, [FINGERPRINT])) == {("signatures", "NOT_SIGNED")}


def test_a_seal_over_other_heads_is_found() -> None:
    log = e.championship(
        forge={
            "standings_published": lambda event: setattr(event, "number", event.number + 1),
            "championship_sealed": lambda event: setattr(event, "publication", 3),
        }
    )
    assert codes(verify(log.file())) == {("signatures", "WRONG_ROOT")}


def receipts_of(log: e.Log) -> list[Receipt]:
    receipts: list[Receipt] = []
    heads: dict[str, bytes] = {}
    for stored in log.records:
        heads[stored.subject] = r.record_hash(heads.get(stored.subject, r.GENESIS), stored.data)
        receipts.append(Receipt(stored.subject, heads[stored.subject]))
    return receipts


def test_receipts_of_this_history_are_all_found() -> None:
    receipts = receipts_of(whole())
    report = verify(whole().file(), receipts=[*receipts, Receipt("", receipts[5].hash)])
    assert report.ok
    assert report.checks[-1].done == len(receipts) + 1


def test_a_history_that_contradicts_receipts_is_found() -> None:
    kept = [receipt for receipt in receipts_of(whole()) if receipt.subject == e.table_subject(1)]
    rewritten = e.championship(seed=2)
    report = verify(rewritten.file(), [FINGERPRINT], kept)
    assert codes(report) == {("receipts", "RECEIPT_CONTRADICTED")}
    # The table was opened and dealt alike in both histories; from the first other move on they differ.
    assert 0 < len(report.findings) < len(kept)


def test_receipts_of_subjects_outside_the_file_are_not_possible() -> None:
    report = verify(whole().file(), receipts=[Receipt("fupan.e1.table.0.cup.r9-t9", bytes(32))])
    assert report.ok
    assert report.checks[-1].status is Status.NOT_POSSIBLE


def test_a_receipt_that_names_no_subject_may_be_of_a_record_that_a_tables_file_has_not() -> None:
    """A player's receipts are of every table that it sat at."""
    stray, own = Receipt("", bytes(32), e.CUP), Receipt("", receipts_of(whole())[0].hash, e.CUP)
    for kind in ("table", "round"):
        report = verify(whole().file(kind), receipts=[stray, own])
        assert report.ok
        assert (report.checks[-1].done, len(report.checks[-1].missing)) == (1, 1)
    assert codes(verify(whole().file(), receipts=[stray, own])) == {("receipts", "RECEIPT_CONTRADICTED")}
    playing = copy.deepcopy(whole())
    playing.records = [one for one in playing.records if one != whole().of(e.PAIRING)[-1]]
    heads, _ = r.verify_chain(playing.of(e.PAIRING))
    playing.heads[e.PAIRING] = heads[e.PAIRING]
    playing.append(e.PAIRING, [e.PairingEvent(round_started={"round": 1})])
    assert verify(playing.file(), receipts=[stray]).ok  # not every table is for everybody yet


def test_receipts_of_another_championship_say_nothing_of_this_one() -> None:
    report = verify(whole().file(), receipts=[Receipt("", bytes(32), "other")])
    assert report.ok
    assert report.checks[-1].missing == ("receipts of championship other are not of this file's",)


def test_receipts_are_read_from_ndjson_and_a_bad_line_is_named() -> None:
    text = '{"hash":"' + "ab" * 32 + '"}\n\n{"subject":"s","hash":"' + "CD" * 32 + '","more":1}\n'
    assert parse_receipts(text) == (Receipt("", b"\xab" * 32), Receipt("s", b"\xcd" * 32))
    text = '{"hash":"' + "ab" * 32 + '","championship":"cup"}'
    assert parse_receipts(text) == (Receipt("", b"\xab" * 32, "cup"),)
    for line in (
        "nonsense",
        "[]",
        "{}",
        '{"hash":"abcd"}',
        '{"hash":5}',
        '{"hash":"' + "ab" * 32 + '","subject":1}',
        '{"hash":"' + "ab" * 32 + '","championship":1}',
    ):
        with pytest.raises(Rejected, match="line 2"):
            parse_receipts("\n" + line)
