"""Verification: a whole event verifies, and every way of tampering with it is found and named."""

from __future__ import annotations

import dataclasses
import functools
import random
from typing import Any

import pytest

from services.ledger import dealing, keys, merkle
from services.ledger import record as r
from services.ledger.audit.report import Report, Status
from services.ledger.audit.verify import verify
from services.ledger.auditfile import About, Proof, encode
from tests.ledger import event_log as e

FINGERPRINT = keys.fingerprint(keys.signing_public_key(e.SIGNER))


@functools.cache
def whole() -> e.Log:
    return e.championship()


def codes(report: Report) -> set[tuple[str, str]]:
    """(check, code) of everything found."""
    return {(check.name, finding.code) for check in report.checks for finding in check.findings}


def forged(**forge: e.Forge) -> Report:
    """Verification of an event in which these events were forged, everything after them chained and signed anew."""
    return verify(e.championship(forge=forge).file())


def test_a_whole_event_verifies_and_every_check_did_something() -> None:
    report = verify(whole().file())
    assert codes(report) == set()
    assert {check.name: check.status for check in report.checks} == dict.fromkeys(
        [
            "file", "chain", "ends", "signatures", "commitments", "sealed records", "bodies", "deals", "replay", "scores",
            "draw", "offices", "rulings", "standings",
        ],
        Status.OK,
    )  # fmt: skip
    assert all(check.done for check in report.checks)
    assert {check.name: check.missing for check in report.checks if check.missing} == {}
    done = {check.name: check.done for check in report.checks}
    assert (done["signatures"], done["commitments"], done["deals"], done["scores"]) == (3, 3, 4, 4)


def test_without_a_fingerprint_the_origin_stays_unproven() -> None:
    report = verify(whole().file())
    assert (report.ok, report.verdict) == (True, "consistent, origin unproven")


def test_with_the_right_fingerprint_the_verdict_names_it() -> None:
    report = verify(whole().file(), [FINGERPRINT])
    assert (report.ok, report.verdict) == (True, f"consistent and signed by {FINGERPRINT}")


def test_one_byte_is_found_and_its_record_named() -> None:
    file = bytearray(whole().file())
    record = whole().of(e.table_subject(2))[4]
    file[file.index(record.data) + len(record.data) // 2] ^= 1
    report = verify(bytes(file))
    assert [(f.subject, f.version, f.code) for f in report.findings] == [(record.subject, 5, "DAMAGED")]
    assert not report.ok
    assert report.verdict == "inconsistent: 1 finding"


def without(records: list[r.Stored], index: int) -> list[r.Stored]:
    return records[:index] + records[index + 1 :]


def file_of(records: list[r.Stored]) -> bytes:
    return encode(About("championship", e.CUP, e.CUP, (keys.signing_public_key(e.SIGNER),)), records)


def test_a_dropped_record_is_found() -> None:
    records = whole().records
    index = records.index(whole().of(e.table_subject(1))[5])
    report = verify(file_of(without(records, index)))
    assert ("chain", "WRONG_VERSION") in codes(report)
    assert any("version 7 stands where version 6 was due" in str(finding) for finding in report.findings)


def test_a_dropped_last_record_takes_the_signature_with_it() -> None:
    records = whole().records
    index = records.index(whole().of(e.table_subject(1))[-1])
    report = verify(file_of(without(records, index)), [FINGERPRINT])
    assert report.unsigned == (e.table_subject(1),)
    # Nobody seals a championship whose tables have not signed.
    assert codes(report) == {("ends", "CUT_OFF")}
    report = verify(file_of(without(records[:-1], index)), [FINGERPRINT])
    assert report.verdict.endswith("1 tables not sealed yet")


def test_two_swapped_records_are_found() -> None:
    one, other = whole().of(e.table_subject(1))[4:6]
    places = {one.sequence: other, other.sequence: one}
    swapped = [
        places[stored.sequence]._replace(sequence=stored.sequence) if stored in (one, other) else stored
        for stored in whole().records
    ]
    assert ("chain", "WRONG_VERSION") in codes(verify(file_of(swapped)))


def test_a_forged_score_is_found() -> None:
    def more(finished: Any) -> None:
        finished.scores[:] = [2, -1, -1]

    assert ("scores", "OTHER_SCORES") in codes(forged(board_finished=more))


@pytest.mark.parametrize("told", [{"scores": (9, -4, -5)}, {"left": ("nobody",)}], ids=["score", "who left"])
def test_what_is_told_otherwise_in_the_clear_is_found(told: dict[str, Any]) -> None:
    log = e.championship()
    records = [
        stored._replace(data=told_otherwise(stored.data, told)) if closing_of(stored) else stored
        for stored in log.records
    ]
    assert ("scores", "OTHER_CLOSING") in codes(verify(file_of(records)))


def closing_of(stored: r.Stored) -> r.BoardClosing | None:
    return r.decode(stored.data).closing


def told_otherwise(data: bytes, told: dict[str, Any]) -> bytes:
    record = r.decode(data)
    assert record.closing is not None
    return r.encode(record._replace(closing=dataclasses.replace(record.closing, **told)))


def test_forged_thinking_time_is_found() -> None:
    def faster(acted: Any) -> None:
        acted.thinking_us += 1

    assert codes(forged(acted=faster)) == {("scores", "OTHER_TIMES"), ("replay", "OTHER_TIMES")}


def test_a_seat_said_to_be_taken_over_by_house_ai_is_found() -> None:
    def excused(finished: Any) -> None:
        finished.taken_over.append(0)

    assert codes(forged(board_finished=excused)) == {("scores", "OTHER_SEATS")}


def test_an_event_that_the_rules_do_not_give_is_found() -> None:
    def another_tile(event: Any) -> None:
        if event.WhichOneof("kind") == "tile_drawn":
            event.tile_drawn.tile = event.tile_drawn.tile % 20 + 1

    assert ("replay", "OTHER_EVENT") in codes(forged(paohuzi=another_tile))


def test_an_action_of_another_seat_is_found() -> None:
    def neighbour(acted: Any) -> None:
        acted.seat = (acted.seat + 1) % 3

    assert ("replay", "ILLEGAL_ACTION") in codes(forged(acted=neighbour))


def test_a_seat_that_does_not_exist_is_found() -> None:
    def nobody(acted: Any) -> None:
        acted.seat = 77

    assert ("replay", "ILLEGAL_ACTION") in codes(forged(acted=nobody))


def test_a_board_without_its_deal_is_found() -> None:
    def no_cards(dealt: Any) -> None:
        dealt.deal = b""

    assert ("deals", "OTHER_DEAL") in codes(forged(board_dealt=no_cards))


def test_a_deal_from_another_leaf_is_found() -> None:
    report = verify(e.championship(deals_from=bytes(64)).file())
    assert codes(report) == {("deals", "OTHER_DEAL")}
    assert {finding.version for finding in report.findings if finding.subject == e.table_subject(1)} >= {3}


def test_other_parameters_than_announced_are_found() -> None:
    def cheaper(opened: Any) -> None:
        opened.params = opened.params.replace('"min_huxi":15', '"min_huxi":6')

    assert ("replay", "OTHER_PARAMETERS") in codes(forged(table_opened=cheaper))


@pytest.mark.parametrize("params", ["", "[]", "{", '{"nonsense":1}', "{}"])
def test_parameters_that_are_none_are_found(params: str) -> None:
    def spoil(opened: Any) -> None:
        opened.params = params

    assert {code for check, code in codes(forged(table_opened=spoil)) if check == "replay"} & {
        "UNKNOWN_RULES",
        "PARAMETERS",
        "UNPLAYABLE",
    }


def test_a_leaf_that_was_not_committed_to_is_found() -> None:
    def other_leaf(revealed: Any) -> None:
        revealed.leaf = bytes(32)

    found = codes(forged(board_revealed=other_leaf))
    assert ("commitments", "NOT_IN_ROOT") in found
    assert ("commitments", "LEAF_NOT_OF_SECRET") in found
    assert ("sealed records", "DOES_NOT_OPEN") in found


def test_another_secret_than_committed_is_found() -> None:
    def other_secret(revealed: Any) -> None:
        revealed.secret = bytes(64)

    assert codes(forged(secret_revealed=other_secret)) == {("commitments", "WRONG_SECRET")}


def test_a_root_that_is_not_its_leaves_is_found() -> None:
    def other_root(committed: Any) -> None:
        committed.merkle_root = bytes(32)

    found = codes(forged(deals_committed=other_root))
    assert found >= {
        ("commitments", "NOT_IN_ROOT"),
        ("commitments", "WRONG_ROOT"),
        ("commitments", "OTHER_ROOT"),
    }


def test_a_round_paired_on_another_root_is_found() -> None:
    def other_root(paired: Any) -> None:
        paired.deals_root = bytes(32)

    assert codes(forged(round_paired=other_root)) == {("commitments", "OTHER_ROOT")}


def test_a_seating_that_the_draw_does_not_give_is_found() -> None:
    def friends(seated: Any) -> None:
        first, second = seated.tables[0].entrants[:2]
        seated.tables[0].entrants[0], seated.tables[0].entrants[1] = second, first

    assert codes(forged(round_seated=friends)) >= {("draw", "OTHER_SEATING"), ("draw", "SEATING_DIGEST")}


def test_an_entrant_list_changed_after_its_digest_is_found() -> None:
    def stranger(imported: Any) -> None:
        imported.entrants[0].members[0].person_id = "p-99"

    assert ("draw", "ENTRANTS_DIGEST") in codes(forged(entrants_imported=stranger))


def test_unrevealed_boards_are_told_as_not_possible() -> None:
    report = verify(e.championship(reveal=False).file())
    assert report.ok
    status = {check.name: check.status for check in report.checks}
    assert status["sealed records"] is status["replay"] is Status.NOT_POSSIBLE
    assert status["chain"] is status["signatures"] is Status.OK
    sealed = next(check for check in report.checks if check.name == "sealed records")
    assert "board 1/1/1 of fupan.e1.table.1.cup.r1-t1 is not revealed in this file" in sealed.missing
    named = [one for check in report.checks for one in check.missing if one.startswith("board ")]
    assert sorted(named) == sorted(sealed.missing)  # each once


def table_export(**about: Any) -> bytes:
    """One table with the dealer's records up to the first reveal: half a batch."""
    log = whole()
    dealer = log.of(e.DEALER)[:6]
    info = About("table", "r1-t1", e.CUP, **about)
    return encode(info, [*log.of(e.table_subject(1)), *dealer])


def proof_of_board_1() -> Proof:
    paths = ["1/1/1", "1/2/1", "draw/round-1"]
    tree = merkle.Tree(merkle.entry(path, dealing.leaf(e.MASTER, e.CUP, path)) for path in paths)
    return Proof("1/1/1", 1, 0, 3, tree.proof(0))


def test_part_of_a_batch_needs_a_proof() -> None:
    report = verify(table_export())
    assert report.ok
    (missing,) = next(check.missing for check in report.checks if check.name == "commitments")
    assert missing == "batch 1 is not revealed whole and the file has no proof"


def test_a_proof_shows_that_a_leaf_was_committed_to() -> None:
    good = proof_of_board_1()
    report = verify(table_export(proofs=(good,)), [FINGERPRINT])
    assert report.ok
    assert report.verdict == f"consistent and signed by {FINGERPRINT}"
    commitments = next(check for check in report.checks if check.name == "commitments")
    assert commitments.done == 1
    for bad in (
        dataclasses.replace(good, siblings=(bytes(32), *good.siblings[1:])),
        dataclasses.replace(good, index=1),
        dataclasses.replace(good, size=4),
    ):
        assert codes(verify(table_export(proofs=(bad,)))) == {("commitments", "NOT_IN_ROOT")}


def test_records_of_another_championship_or_of_none_are_found() -> None:
    stored = whole().of(e.DEALER)[0]
    about = About("championship", "other", "other")
    assert codes(verify(encode(about, [stored]))) == {("chain", "OTHER_CHAMPIONSHIP")}
    stray = stored._replace(subject="nats.stray")
    assert codes(verify(encode(about, [stray]))) == {("chain", "WRONG_SUBJECT"), ("chain", "UNKNOWN_SUBJECT")}


def test_bytes_that_are_no_record_are_found() -> None:
    junk = whole().of(e.DEALER)[0]._replace(data=b"\xff\xff")
    assert codes(verify(file_of([junk]))) == {("chain", "UNREADABLE")}


def test_a_demo_is_called_one() -> None:
    log = e.championship(forge={"secret_created": lambda event: setattr(event, "demo", True)})
    assert verify(log.file()).demo
    assert not verify(whole().file()).demo


@pytest.mark.parametrize("flips", [1, 7])
def test_no_forged_content_crashes_the_verifier(flips: int) -> None:
    """Bodies garbled before they were sealed and chained: nothing but their content is wrong."""
    rng = random.Random(flips)
    for _ in range(25):
        log = e.Log()
        garble = garbler(rng, flips)
        log.append = functools.partial(garbled_append, log, garble)  # type: ignore[method-assign]
        e._prepare(log, 1, 1, bytes(32), bytes(32), b"")
        e._table(log, 1, 1, e.MASTER, b"", 1)
        e._dealer(
            log,
            board_revealed={"path": e._path(1), "leaf": dealing.leaf(e.MASTER, e.CUP, "1/1/1"), "batch": 1},
        )
        verify(log.file())


def garbler(rng: Any, flips: int) -> Any:
    def garble(data: bytes) -> bytes:
        if not data or rng.random() > 0.1:
            return data
        changed = bytearray(data)
        for _ in range(flips):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)

    return garble


def garbled_append(log: e.Log, garble: Any, subject: str, events: Any, **options: Any) -> r.Head:
    class Garbled:
        def __init__(self, event: Any) -> None:
            self.event = event

        def WhichOneof(self, name: str) -> str | None:
            return None

        def SerializeToString(self) -> bytes:
            return garble(self.event.SerializeToString())  # type: ignore[no-any-return]

    if "command" in options:
        options["command"] = garble(options["command"])
    return e.Log.append(log, subject, [Garbled(event) for event in events], **options)


@pytest.mark.parametrize("kind", ["championship", "table", "round"])
def test_a_file_without_records_is_not_consistent(kind: str) -> None:
    report = verify(encode(About(kind, "r1-t1", e.CUP), ()))
    assert codes(report) == {("file", "EMPTY")}
    assert report.verdict == "inconsistent: 1 finding"


def test_a_tables_file_with_the_dealers_records_alone_is_not_consistent() -> None:
    records = [stored for stored in whole().records if ".dealer." in stored.subject]
    assert ("file", "EMPTY") in codes(verify(encode(About("table", "r1-t1", e.CUP), records)))
