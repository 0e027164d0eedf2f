"""While a board is open anywhere, nobody learns a hidden tile of it from the log, the database, the wire, or any page or file.

Everything that can be read is searched for what the test knows of the deals; once the boards are revealed the same search finds
them, which proves that it can.
"""

from __future__ import annotations

import json
import urllib.request
from base64 import b64encode

import pytest

from fupan.table.v1 import events_pb2 as table_pb
from services.games.paohuzi import tiles
from services.ledger import record as ledger
from tests.e2e.canary import Secret, found, of_bytes, of_tiles
from tests.e2e.scene import BOARDS, DONE, OPEN, SECRET_FILES, Scene, files, of_this_moment, records, rows

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_search_would_find_what_a_key_opens(scene: Scene) -> None:
    path = BOARDS[0]
    dealt = next(
        ledger.open_sealed(
            scene.seeded.log_key(OPEN, path), one.subject, record.header.version, record.content
        )
        for one in await records(scene.inside)
        if one.subject.endswith(f".{OPEN}") and (record := ledger.decode(one.data)).sealed
    )
    assert f"deal of {path}" in found(scene.secrets, dealt)


async def test_the_search_would_find_any_notation() -> None:
    notations = {
        "bytes": bytes(range(32)),
        "hexadecimal": bytes(range(32)).hex().encode(),
        "base64": b64encode(b"abc" + bytes(range(32)) + b"d"),
        "json": json.dumps({"deal": list(range(1, 21))}).encode(),
        "words": " ".join(tiles.show(kind) for kind in range(1, 21)).encode(),
    }
    secrets = [of_bytes("bytes", bytes(range(32))), of_tiles("tiles", range(1, 21))]
    assert [name for name, data in notations.items() if not found(secrets, data)] == []


async def test_the_log_tells_nothing(scene: Scene) -> None:
    stored = await records(scene.inside)
    secrets = scene.secrets + of_this_moment(scene, stored)
    assert [(one.stream, one.sequence, hit) for one in stored if (hit := found(secrets, one.data))] == []
    for one in stored:
        record = ledger.decode(one.data)
        if ".table." not in one.subject:
            assert not record.sealed
        elif record.sealed:
            assert record.header.key_ids[0] in BOARDS
            assert len(record.content) % ledger.PAD == 12 + 16
        elif f".{scene.cup.id}." in one.subject:  # others play other events on this platform
            kinds = {
                table_pb.Event.FromString(event).WhichOneof("kind") for event in ledger.body_of(record).events
            }
            assert kinds <= {"table_opened", "seat_joined", "board_opened", "table_sealed"}, one


async def test_the_wire_of_the_log_tells_nothing(scene: Scene) -> None:
    stored = await records(scene.inside)
    secrets = scene.secrets + of_this_moment(scene, stored)
    subjects = {subject.split(".")[0] for subject, _ in scene.heard}
    assert subjects >= {"fupan", "_INBOX", "$JS"}, "the spy heard too little"
    assert any(data.endswith(stored[-1].data) for _, data in scene.heard)
    assert [(subject, hit) for subject, data in scene.heard if (hit := found(secrets, data))] == []


async def test_the_database_tells_nothing(scene: Scene) -> None:
    stored = await records(scene.inside)
    secrets = scene.secrets + of_this_moment(scene, stored)
    read = [one async for one in rows(scene.inside)]
    assert any(name.startswith("table_archive.records") and stored[0].data in data for name, data in read)
    assert [(name, hit) for name, data in read if (hit := found(secrets, data))] == []


async def test_logs_traces_and_metrics_tell_nothing(scene: Scene) -> None:
    secrets = scene.secrets + of_this_moment(scene, await records(scene.inside))
    logs = {path.name: path.read_bytes() for path in (scene.inside.data / "logs").iterdir()}
    assert (
        b'"name": "fupan.table.v1.TableService/Play"' in logs["services.log"]
        or b"trace_id" in logs["services.log"]
    )
    with urllib.request.urlopen(f"http://127.0.0.1:{scene.page}/metrics") as response:  # noqa: ASYNC210
        logs["metrics"] = response.read()
    assert b"fupan_rpc_total" in logs["metrics"]
    assert [(name, hit) for name, data in logs.items() if (hit := found(secrets, data))] == []


async def test_no_file_holds_what_only_the_keys_may_open(scene: Scene) -> None:
    keys = [of_bytes("master secret", scene.seeded.master)]
    for path in BOARDS:
        keys.append(of_bytes(f"leaf of {path}", scene.seeded.leaf(path)))
        keys.append(of_bytes(f"deal of {path}", bytes(scene.seeded.deal(path))))
        keys += [of_bytes("log key", scene.seeded.log_key(table, path)) for table in (OPEN, DONE)]
    plain = [Secret(one.name, one.forms[:2]) for one in keys]
    checked = list(files(scene.inside))
    assert len(checked) > 100
    assert [(str(path), hit) for path in checked if (hit := found(plain, path.read_bytes()))] == []


async def test_secret_files_are_their_owners_alone(scene: Scene) -> None:
    private = [scene.inside.data / name for name in SECRET_FILES] + list(
        (scene.inside.data / "keys").iterdir()
    )
    assert [path.name for path in private if path.stat().st_mode & 0o077] == []
