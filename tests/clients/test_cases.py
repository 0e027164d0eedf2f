"""What the command checks in a case file, and what it tells of fees."""

from __future__ import annotations

from hashlib import sha256
from zoneinfo import ZoneInfo

import pytest

from clients.cli.cases import check, fee_record, record
from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.common.v1 import record_pb2
from fupan.dealer.v1 import service_pb2 as dealer
from services.ledger import merkle
from services.ledger import record as ledger

SHANGHAI = ZoneInfo("Asia/Shanghai")
PATHS, LEAF = ("1/1/1", "1/2/1", "1/3/1"), b"leaf" * 8


def chained(count: int) -> tuple[list[record_pb2.StoredRecord], bytes]:
    """Records that follow each other somewhere in a chain, and the hash of the last."""
    found, before = [], b"b" * 32
    for version in range(7, 7 + count):
        header = ledger.Header("s", version, before, "e1", ledger.Writer("", "", ""), "", b"", (), version)
        data = ledger.encode(ledger.Record(header, b"body", False))
        found.append(record_pb2.StoredRecord(stored=data))
        before = ledger.record_hash(before, data)
    return found, before


def case() -> case_pb2.CaseFile:
    """The file of a revealed board."""
    records, head = chained(4)
    tree = merkle.Tree(merkle.entry(path, LEAF) for path in PATHS)
    deal = dealer.VerifyDealResponse(
        leaf=LEAF, index=1, size=tree.size, proof=tree.proof(1), merkle_root=tree.root
    )
    board = events.ContestedBoard(table="r1-t1", round=1, board=2, attempt=1)
    return case_pb2.CaseFile(
        appeal="a-1",
        edition=1,
        contested=events.Contested(board=board),
        board=case_pb2.CaseBoard(records=records, head=head, deal=deal),
    )


def handed(file: case_pb2.CaseFile) -> pb.GetCaseResponse:
    """The file as it is handed out."""
    data = file.SerializeToString()
    assembled = events.CaseAssembled(edition=1, digest=sha256(data).digest(), size=len(data), complete=True)
    opening = pb.CaseOpening(person_id="chief", opened_us=1, edition=1)
    return pb.GetCaseResponse(assembled=assembled, case_file=data, openings=[opening])


def test_a_case_file_is_checked() -> None:
    file = case()
    answer = handed(file)
    assert check(answer, file) == (["file", "chain", "deals"], [])
    told = record(answer, file, SHANGHAI)
    assert (told["records"], told["opened"], told["complete"]) == (4, ["chief"], True)


def test_what_concerns_no_board_has_no_chain_and_no_deal() -> None:
    file = case_pb2.CaseFile(contested=events.Contested(pairing=events.ContestedPairing(round=1)))
    assert check(handed(file), file) == (["file"], [])


def test_a_file_that_was_changed_is_not_the_one_frozen() -> None:
    answer, file = handed(case()), case()
    answer.case_file += b"\x18\x02"
    right, wrong = check(answer, file)
    assert ("file" in right, len(wrong)) == (False, 1)


@pytest.mark.parametrize("at", range(4))
def test_a_record_that_was_changed_breaks_the_chain(at: int) -> None:
    file = case()
    stored = bytearray(file.board.records[at].stored)
    stored[-1] ^= 1
    file.board.records[at].stored = bytes(stored)
    assert check(handed(file), file)[0] == ["file", "deals"]


def test_a_record_that_is_missing_breaks_the_chain() -> None:
    file = case()
    del file.board.records[2]
    assert "chain" not in check(handed(file), file)[0]
    file.board.records[0].stored = b"no record"
    assert "chain" not in check(handed(file), file)[0]


def test_a_deal_that_was_not_committed_is_told() -> None:
    file = case()
    file.board.deal.leaf = bytes(32)
    assert check(handed(file), file)[0] == ["file", "chain"]


FEE = events.FeeRecorded(amount=50_000, currency="CNY", reference="receipt 7")


@pytest.mark.parametrize(
    ("appeal", "state"),
    [
        (pb.Appeal(phase="filed"), "due"),
        (pb.Appeal(phase="lapsed"), "unpaid"),
        (pb.Appeal(phase="withdrawn"), "unpaid"),
        (pb.Appeal(phase="voting", fee=FEE), "paid"),
        (pb.Appeal(phase="upheld", fee=FEE, fee_outcome="refunded"), "refunded"),
        (pb.Appeal(phase="rejected", fee=FEE, fee_outcome="kept"), "kept"),
    ],
)
def test_what_became_of_a_fee(appeal: pb.Appeal, state: str) -> None:
    """C10.2, C10.6."""
    appeal.filed.CopyFrom(events.AppealFiled(entrant=3, fee_amount=50_000, fee_currency="CNY"))
    told = fee_record(appeal, SHANGHAI)
    assert (told["state"], told["amount"], told["currency"], told["entrant"]) == (state, "500.00", "CNY", 3)
