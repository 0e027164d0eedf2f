"""A small championship with an appeal; its files checked as an outsider would. `test_kill` plays it in five processes."""

from __future__ import annotations

import asyncio
import csv
import io
from hashlib import sha256
from pathlib import Path

import pytest

from services.ledger.audit.verify import verify
from tests.e2e import history
from tests.e2e.command import fupan
from tests.e2e.conftest import Played

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_appeal_changes_the_ranking_and_the_log_verifies(played: Played) -> None:
    told = played.told
    assert [row["entrant"] for row in told["standings"]] != [row["entrant"] for row in told["rebuilt"]]
    assert {row["entrant"] for row in told["standings"]} == set(range(1, 7))
    assert told["appeal"]["phase"] == "upheld"
    assert told["rebuilt_same"]
    assert told["log"]["verified"]
    assert len(told["log"]["head"]) == 64


async def test_the_audit_folder_holds_a_file_a_table_and_one_for_the_championship(played: Played) -> None:
    names = sorted(path.name for path in played.audit.iterdir())
    assert names == ["demo-1.fupan", "r1-t1.fupan", "r1-t2.fupan", "r2-t1.fupan", "r2-t2.fupan"]
    evidence = history.read(played.audit / "demo-1.fupan")
    history.nothing_twice(evidence)
    assert history.boards_finished(evidence) == 4


async def test_what_is_exported_is_what_the_demo_wrote(played: Played, tmp_path: Path) -> None:
    for name, wanted in (("r1-t1", ("--table", "r1-t1")), ("demo-1", ())):
        out = tmp_path / f"{name}.fupan"
        assert (await played.fupan("audit", "export", *wanted, "--out", out)).code == 0
        assert out.read_bytes() == (played.audit / out.name).read_bytes()
    missing = await played.fupan("audit", "export", "--table", "r9-t9", "--out", tmp_path / "none")
    assert missing.code == 1
    assert "r9-t9" in missing.err


async def test_a_round_verifies_without_any_service(played: Played, tmp_path: Path) -> None:
    out = tmp_path / "round.fupan"
    assert (await played.fupan("audit", "export", "--round", 2, "--out", out)).code == 0
    done = fupan("audit", "verify", out)
    assert done.code == 0
    assert done.out.strip().endswith("consistent, origin unproven")
    tables = [subject.id for _, subject, _ in history.read(out).of("table")]
    assert sorted(tables) == ["r2-t1", "r2-t2"]


async def test_origin_is_proven_by_a_fingerprint_from_outside_alone(played: Played) -> None:
    (trusted,) = [one for one in played.inside.place.trust if one in _signers(played.audit / "r1-t1.fupan")]
    for name in ("r1-t1", "demo-1"):
        done = fupan("audit", "verify", played.audit / f"{name}.fupan", "--trust", trusted)
        assert done.code == 0, done.out
        assert f"consistent and signed by {trusted}" in done.out
    stranger = "-".join(reversed(trusted.split("-")))
    done = fupan("audit", "verify", played.audit / "r1-t1.fupan", "--trust", stranger)
    assert done.code == 1
    assert "KEY_NOT_TRUSTED" in done.out
    assert fupan("audit", "verify", played.audit / "r1-t1.fupan", "--trust", "rubbish").code == 2


async def test_receipts_of_the_robots_are_all_in_the_log(played: Played, tmp_path: Path) -> None:
    whole = played.audit / "demo-1.fupan"
    assert history.nothing_lost(history.read(whole), played.receipts) > 50
    assert fupan("audit", "verify", whole, "--receipts", played.receipts).code == 0
    foreign = tmp_path / "foreign.ndjson"
    foreign.write_text(played.receipts.read_text() + f'{{"hash": "{"0" * 64}"}}\n')
    done = fupan("audit", "verify", whole, "--receipts", foreign)
    assert done.code == 1
    assert "history was rewritten" in done.out


async def test_any_flipped_byte_is_refused(played: Played, tmp_path: Path) -> None:
    data = (played.audit / "r1-t1.fupan").read_bytes()
    for at in range(0, len(data), len(data) // 40):
        assert not verify(_flipped(data, at)).ok, at
    record = history.read(played.audit / "r1-t1.fupan").of("table").__next__()[2][5]
    bad = tmp_path / "bad.fupan"
    bad.write_bytes(_flipped(data, data.index(record.stored.data) + 40))
    done = fupan("audit", "verify", bad)
    assert done.code == 1
    assert f"{record.stored.subject} version {record.version}" in done.out


async def test_the_archive_agrees_with_the_log(played: Played) -> None:
    done = await played.fupan("audit", "reconcile")
    assert done.code == 0, done.out
    assert "0 findings" in done.err


async def test_human_against_machine(tmp_path: Path) -> None:
    few = ("--machine", "--entrants", 4, "--rounds", 1, "--boards", 2, "--seed", 7, "--json", "--exit")
    told = (await asyncio.to_thread(fupan, "demo", *few, "--audit-out", tmp_path)).told
    assert len(told["standings"]) == 4
    assert told["log"]["verified"]
    evidence = history.read(tmp_path / "demo-1.fupan")
    assert history.boards_finished(evidence) == 4 * 2
    seats = {
        tuple(seat.entrant > 0 for seat in event.message.seats)
        for _, event in evidence.events("table")
        if event.kind == "table_opened"
    }
    assert seats == {(True, False, False)}


async def test_the_case_file_of_the_appeal_is_checked_and_its_opening_logged(
    played: Played, tmp_path: Path
) -> None:
    """C10.1: everything that the committee judged by, from the real services; and its fee, for the treasurer."""
    appeal, out = played.told["appeal"]["appeal"], tmp_path / "case"
    opened = await played.fupan("appeal", "show", appeal, "--case", "--out", out, "--json")
    assert opened.code == 0, opened.err
    told = opened.told
    assert told["checked"] == ["file", "chain", "deals"]
    assert sha256(out.read_bytes()).hexdigest() == told["digest"]
    board = told["case"]["board"]
    assert len(board["records"]) > len(board["steps"]) > 10
    assert len(board["steps"][-1]["seats"]) == 3
    assert any("thinking_us" in step.get("acted", {}) for step in board["steps"])
    assert len(board["traveller"]) == 2
    again = await played.fupan("appeal", "show", appeal, "--case")
    assert "operator, operator" in again.out
    fees = await played.fupan("appeal", "fees", "--output", "csv")
    (fee,) = csv.DictReader(io.StringIO(fees.out))
    assert (fee["appeal"], fee["state"]) == (appeal, "refunded")


def _signers(path: Path) -> tuple[str, ...]:
    return verify(path.read_bytes()).signers


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


async def test_what_the_appeal_changed_is_linked_to_its_ruling_and_the_publication_stays(
    played: Played,
) -> None:
    """C10.6, C10.8."""
    first = (await played.fupan("standings", "--as-of", 2, "--json")).told
    told = (await played.fupan("standings", "--since", 2, "--lines", 1, "--json")).told
    assert [step["cause"] for step in told["steps"]] == ["ruling"]
    assert told["steps"][0]["ruled"][0]["remedy"] == "correct_result"
    assert ".scoring." in told["steps"][0]["record"]
    published = {row["entrant"]: row for row in first}
    known = {row["entrant"]: row for row in (await played.fupan("standings", "--json")).told}
    assert told["before"] == [
        row for row in first if row["entrant"] in {one["entrant"] for one in told["after"]}
    ]
    assert all(known[row["entrant"]] == row != published[row["entrant"]] for row in told["after"])
    shown = await played.fupan("standings", "--since", 2)
    assert told["steps"][0]["record"] in shown.err
    # By its number and by its own cut, though the ruling came after it.
    cut = (await played.fupan("score", "publications", "--json")).told[1]["cut"]
    assert (await played.fupan("standings", "--as-of", 2)) == await played.fupan("standings", "--as-of", cut)
    assert (await played.fupan("standings", "--as-of", 2, "--json")).told == first
