"""The guard of the stored messages, on small protos of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import gen_protos

STORED = 'syntax = "proto3";\npackage fupan.x.v1;\nmessage Moved {\n  string seat = 1;\n}\n'
IMPORTED = 'syntax = "proto3";\npackage fupan.x.v1;\nmessage ShownRequest {\n  string seat = 1;\n}\n'
RPCS = (
    'syntax = "proto3";\npackage fupan.x.v1;\n'
    "service XService {\n  rpc Move(MoveRequest) returns (MoveResponse);\n}\n"
    "message MoveRequest {\n  string seat = 1;\n}\nmessage MoveResponse {}\n"
)


@pytest.fixture
def protos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of protos whose stored messages have been accepted and whose stubs have been generated."""
    folder = tmp_path / "fupan" / "x" / "v1"
    folder.mkdir(parents=True)
    (tmp_path / "buf.yaml").write_bytes((gen_protos.PROTOS / "buf.yaml").read_bytes())
    (folder / "events.proto").write_text(STORED, "utf-8")
    (folder / "service.proto").write_text(RPCS, "utf-8")
    monkeypatch.setattr(gen_protos, "PROTOS", tmp_path)
    monkeypatch.setattr(gen_protos, "GEN", tmp_path / "gen")
    monkeypatch.setattr(gen_protos, "BASELINE", tmp_path / "stored.binpb")
    assert gen_protos.baseline() == 0
    gen_protos.write()
    return folder


def test_what_has_not_changed_passes(protos: Path) -> None:
    assert gen_protos.breaking() == 0
    assert gen_protos.check() == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seat = 1", "seat = 2"),
        ("string seat", "int64 seat"),
        ("  string seat = 1;\n", ""),
        ("seat = 1", "chair = 1"),
    ],
)
def test_a_stored_field_may_not_change(protos: Path, old: str, new: str) -> None:
    (protos / "events.proto").write_text(STORED.replace(old, new), "utf-8")
    assert gen_protos.breaking() != 0


def test_a_stored_message_may_gain_a_field(protos: Path) -> None:
    (protos / "events.proto").write_text(STORED.replace("= 1;", "= 1;\n  int64 tile = 2;"), "utf-8")
    assert gen_protos.breaking() == 0


def test_what_a_stored_message_gained_is_guarded_once_stubs_are_generated(protos: Path) -> None:
    gained = STORED.replace("= 1;", "= 1;\n  int64 tile = 2;")
    (protos / "events.proto").write_text(gained, "utf-8")
    assert "stored.binpb" in gen_protos.check()
    assert gen_protos.main([]) == 0
    assert gen_protos.check() == []
    (protos / "events.proto").write_text(STORED, "utf-8")
    assert gen_protos.main([]) != 0
    assert gen_protos.breaking() != 0


def test_an_rpc_may_change(protos: Path) -> None:
    (protos / "service.proto").write_text(RPCS.replace("string seat = 1", "int64 seat = 3"), "utf-8")
    assert gen_protos.breaking() == 0


def test_what_a_stored_file_imports_is_stored(protos: Path) -> None:
    (protos / "shown_service.proto").write_text(IMPORTED, "utf-8")
    assert [path.name for path in gen_protos.stored_files()] == ["events.proto"]
    importing = STORED.replace("message", 'import "fupan/x/v1/shown_service.proto";\nmessage', 1)
    (protos / "events.proto").write_text(importing, "utf-8")
    assert [path.name for path in gen_protos.stored_files()] == ["events.proto", "shown_service.proto"]


def test_stubs_that_are_stale_missing_or_left_over_are_named(protos: Path) -> None:
    generated = gen_protos.GEN / "fupan" / "x" / "v1"
    (generated / "events_pb2.py").write_text("# edited\n", "utf-8")
    (generated / "service_pb2_grpc.py").unlink()
    (generated / "gone_pb2.py").write_text("", "utf-8")
    wrong = [f"gen/fupan/x/v1/{name}" for name in ("events_pb2.py", "gone_pb2.py", "service_pb2_grpc.py")]
    assert gen_protos.check() == wrong
    gen_protos.write()
    assert gen_protos.check() == []
