from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clients.cli.main import run
from services.ledger import keys
from services.ledger.record import decode, record_hash
from tests.ledger import event_log as e
from tests.ledger.test_audit import whole

FINGERPRINT = keys.fingerprint(keys.signing_public_key(e.SIGNER))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cup.fupan"
    path.write_bytes(whole().file())
    return path


def verified(capsys: pytest.CaptureFixture[str], *line: str) -> tuple[int, Any]:
    code = run(["audit", "verify", *line, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_without_a_fingerprint_the_origin_stays_unproven(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", "verify", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "consistent, origin unproven"


@pytest.mark.parametrize("spelling", [FINGERPRINT, FINGERPRINT.replace("-", "").upper()])
def test_a_trusted_signer_is_named(file: Path, spelling: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = verified(capsys, str(file), "--trust", spelling)
    assert (code, told["ok"], told["signers"]) == (0, True, [FINGERPRINT])


def test_another_signer_than_the_trusted_one_fails(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = verified(capsys, str(file), "--trust", "00" * 32)
    assert (code, told["ok"]) == (1, False)


def test_a_flipped_byte_is_told_with_its_record(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = whole().of(e.table_subject(2))[4]
    data = bytearray(file.read_bytes())
    data[data.index(record.data) + 40] ^= 1
    file.write_bytes(data)
    assert run(["audit", "verify", str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(f"{record.subject} version 5" in line for line in lines)
    assert lines[-1].startswith("inconsistent")


@pytest.mark.parametrize(("kept", "code"), [(None, 0), ("00" * 32, 1)])
def test_receipts_must_be_in_the_file(file: Path, kept: str | None, code: int, tmp_path: Path) -> None:
    known = whole().of(e.table_subject(1))[1]
    digest = kept or record_hash(decode(known.data).header.prev_hash, known.data).hex()
    (tmp_path / "receipts").write_text(json.dumps({"hash": digest}) + "\n")
    assert run(["audit", "verify", str(file), "--receipts", str(tmp_path / "receipts")]) == code


@pytest.mark.parametrize("options", [["--trust", "abc"], ["--receipts", "/no/such/file"]])
def test_what_cannot_be_read_is_a_usage_error(file: Path, options: list[str]) -> None:
    assert run(["audit", "verify", str(file), *options]) == 2


def test_a_file_that_is_none_fails(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no")
    assert run(["audit", "verify", str(tmp_path / "x")]) == 1
    assert run(["audit", "verify", str(tmp_path / "y")]) == 2


@pytest.mark.parametrize("name", ["paohuzi-2026-11", "shengji-board-2026-11", "shengji-match-timed-2026-11"])
def test_the_second_referees_are_asked_on_demand(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    golden = Path(__file__).parents[1] / "golden" / f"{name}.fupan"
    code, told = verified(capsys, str(golden), "--shadow")
    assert code == (
        "timed" in name
    )  # which no service wrote: in its records one person answers for all seats
    checks = {check["check"]: check["status"] for check in told["checks"]}
    assert checks["shadow referee"] == "ok"
