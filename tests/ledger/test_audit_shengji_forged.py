"""Every way of tampering with a table of Shengji is found and named."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import pytest

from services.ledger import dealing, keys
from services.ledger.audit.receipts import Receipt
from services.ledger.audit.report import Report
from services.ledger.audit.verify import verify
from services.ledger.auditfile import About, encode
from services.ledger.record import GENESIS, Stored, record_hash
from services.table.model.events import TableOpened
from tests.ledger import event_log as e
from tests.ledger.test_audit import codes
from tests.ledger.test_audit_shengji import OPENED, SUBJECT, TABLE, recorded, verified

BOARDS, MATCH = dataclasses.replace(OPENED["boards"], boards=OPENED["boards"].boards[:1]), OPENED["match"]
FINGERPRINT = keys.fingerprint(keys.signing_public_key(e.SIGNER))


@functools.cache
def whole() -> e.Log:
    return recorded(BOARDS, 0)[0]


def forged(opened: TableOpened, **forge: e.Forge) -> set[tuple[str, str]]:
    """What is found where events were forged, everything after them chained and signed anew."""
    return codes(verified(recorded(opened, 0, forge=forge)[0]))


def checked(records: list[Stored]) -> Report:
    about = About("table", TABLE, e.CUP, (keys.signing_public_key(e.SIGNER),))
    return verify(encode(about, records))


def test_one_byte_is_found_and_its_record_named() -> None:
    file = bytearray(whole().file("table", TABLE))
    record = whole().of(SUBJECT)[9]
    file[file.index(record.data) + len(record.data) // 2] ^= 1
    findings = verify(bytes(file)).findings
    assert [(one.subject, one.version, one.code) for one in findings] == [(SUBJECT, 10, "DAMAGED")]


def test_a_dropped_record_is_found() -> None:
    gone = whole().of(SUBJECT)[9]
    report = checked([stored for stored in whole().records if stored != gone])
    assert ("chain", "WRONG_VERSION") in codes(report)
    assert any("version 11 stands where version 10 was due" in str(finding) for finding in report.findings)


def test_two_swapped_records_are_found() -> None:
    one, other = whole().of(SUBJECT)[9:11]
    swapped = {
        one: other._replace(sequence=one.sequence),
        other: one._replace(sequence=other.sequence),
    }
    report = checked([swapped.get(stored, stored) for stored in whole().records])
    assert ("chain", "WRONG_VERSION") in codes(report)


def test_s9_6_a_forged_score_is_found() -> None:
    def more(finished: Any) -> None:
        finished.scores[:] = [score + (5 if seat % 2 else -5) for seat, score in enumerate(finished.scores)]

    assert ("scores", "OTHER_SCORES") in forged(BOARDS, board_finished=more)


def test_a_deal_from_another_leaf_is_found() -> None:
    def dealt_otherwise(dealt: Any) -> None:
        dealt.deal = bytes(dealing.shuffle(bytes(32), sorted(dealt.deal)))

    assert ("deals", "OTHER_DEAL") in forged(BOARDS, board_dealt=dealt_otherwise)


def test_s3_2_another_lot_than_the_leaf_gives_is_found() -> None:
    def next_seat(dealt: Any) -> None:
        if dealt.HasField("first_drawer"):
            dealt.first_drawer = (dealt.first_drawer + 1) % 4

    assert ("deals", "OTHER_LOT") in forged(MATCH, board_dealt=next_seat)


def test_a_leaf_that_was_not_committed_to_is_found() -> None:
    def other_leaf(revealed: Any) -> None:
        revealed.leaf = bytes(32)

    assert ("commitments", "NOT_IN_ROOT") in forged(BOARDS, board_revealed=other_leaf)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("buried", "cards", [1] * 8),
        ("trick_won", "points", 200),
        ("deal_ended", "points", 315),
        ("trumps_set", "suit", "C"),
    ],
)
def test_an_event_that_the_rules_do_not_give_is_found(kind: str, name: str, value: Any) -> None:
    def change(event: Any) -> None:
        if event.WhichOneof("kind") == kind:
            message = getattr(event, kind)
            if isinstance(value, list):
                getattr(message, name)[:] = value
            else:
                setattr(message, name, value if getattr(message, name) != value else "D")

    assert ("replay", "OTHER_EVENT") in forged(BOARDS, shengji=change)


def test_an_event_of_the_game_that_nobody_knows_is_found() -> None:
    def newer(event: Any) -> None:
        if event.WhichOneof("kind") == "trick_won":
            event.ClearField("kind")

    assert ("replay", "OTHER_EVENT") in forged(BOARDS, shengji=newer)


def test_an_answer_of_another_seat_is_found() -> None:
    def neighbour(acted: Any) -> None:
        acted.seat = (acted.seat + 1) % 4

    assert ("replay", "ILLEGAL_ACTION") in forged(BOARDS, acted=neighbour)


def test_a_table_signed_anew_is_consistent_but_not_trusted() -> None:
    file = recorded(BOARDS, 0, signer=e.OTHER_SIGNER)[0].file("table", TABLE)
    assert verify(file).verdict == "consistent, origin unproven"
    assert codes(verify(file, [FINGERPRINT])) == {("signatures", "KEY_NOT_TRUSTED")}


def test_a_history_that_contradicts_receipts_is_found() -> None:
    kept, head = [], GENESIS
    for stored in whole().of(SUBJECT):
        head = record_hash(head, stored.data)
        kept.append(Receipt(SUBJECT, head))
    assert verify(whole().file("table", TABLE), [FINGERPRINT], kept).ok
    rewritten = recorded(BOARDS, 1)[0].file("table", TABLE)
    assert codes(verify(rewritten, [FINGERPRINT], kept)) == {("receipts", "RECEIPT_CONTRADICTED")}
