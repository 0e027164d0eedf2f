"""A backup holds every record at its place, and says what is wrong with it before anything is restored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.ledger.record import START
from services.runtime import backup
from services.runtime.backup import BadBackup, Manifest
from services.runtime.identity import create_keys
from services.runtime.jetstream import JetStreamStore
from services.runtime.store import Stored
from services.runtime.streams import Epoch, ensure_streams
from tests.runtime.records import begun, grow, moved

SECRET = b"correct horse battery"


async def written(store: JetStreamStore, epoch: Epoch) -> None:
    """Two subjects in one stream, and in between and at the end what nobody appended."""
    first, second = epoch.subject("scoring", "cup"), epoch.subject("scoring", "open")
    head = await begun(store, first, 3)
    place = (await store.js.publish(first, b"forged")).seq
    await grow(store, first, moved(head, place), "after it")
    await begun(store, second, 2)
    await store.js.publish(second, b"forged")
    await begun(store, epoch.subject("dealer", "cup"), 1_200)


async def saved(store: JetStreamStore, epoch: Epoch, folder: Path) -> Manifest:
    keys = folder / "keys"
    create_keys(keys)
    return await backup.save(store, epoch, False, keys, SECRET, folder / "backup")


async def held(store: JetStreamStore, epoch: Epoch) -> list[Stored | None]:
    return [
        await store.get(spec.name, sequence)
        for spec in epoch.specs()
        for sequence in range(1, await store.last_sequence(spec.name) + 1)
    ]


async def emptied(store: JetStreamStore, epoch: Epoch) -> None:
    for spec in epoch.specs():
        await store.js.delete_stream(spec.name)
    await ensure_streams(store.js, epoch.specs())


async def test_every_record_comes_back_to_its_place(
    log_store: JetStreamStore, epoch: Epoch, tmp_path: Path
) -> None:
    await written(log_store, epoch)
    before = await held(log_store, epoch)
    (tmp_path / "backup").mkdir(mode=0o755)
    manifest = await saved(log_store, epoch, tmp_path)
    assert manifest.records == 3 + 1 + 2 + 1_200
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "backup").iterdir()} == {0}
    assert backup.read(tmp_path / "backup") == manifest
    assert backup.check(tmp_path / "backup", manifest) == []
    with pytest.raises(BadBackup, match="not empty"):
        await backup.restore(log_store, tmp_path / "backup", manifest)
    await emptied(log_store, epoch)
    await backup.restore(log_store, tmp_path / "backup", manifest)
    assert await held(log_store, epoch) == before


async def test_what_is_wrong_with_a_chain_is_named_and_kept(
    log_store: JetStreamStore, epoch: Epoch, tmp_path: Path
) -> None:
    subject = epoch.subject("pairing", "cup")
    head = await begun(log_store, subject, 2)
    await grow(log_store, subject, head._replace(hash=START.hash), "of another history")
    manifest = await saved(log_store, epoch, tmp_path)
    (found,) = backup.check(tmp_path / "backup", manifest)
    assert "prev_hash" in found


async def test_a_file_that_ends_early_is_told(
    log_store: JetStreamStore, epoch: Epoch, tmp_path: Path
) -> None:
    await written(log_store, epoch)
    manifest = await saved(log_store, epoch, tmp_path)
    path = tmp_path / "backup" / f"{epoch.stream('scoring')}.records"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(BadBackup, match="not the one"):
        backup.check(tmp_path / "backup", manifest)
    with pytest.raises(BadBackup, match="ends within"):
        list(backup.records_of(tmp_path / "backup", epoch.stream("scoring")))
    with pytest.raises(BadBackup, match="no backup"):
        backup.read(tmp_path)


async def test_keys_open_by_their_passphrase_alone(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    create_keys(keys)
    locked = backup.lock(keys, SECRET)
    with pytest.raises(BadBackup, match="passphrase"):
        backup.unlock(locked, b"another")
    backup.write_keys(backup.unlock(locked, SECRET), tmp_path / "again")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == {
        path.name: path.read_bytes() for path in keys.iterdir()
    }
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "again").iterdir()} == {0}


@pytest.mark.parametrize(
    "changed",
    [
        {"streams": []},
        {"streams": None},
        {"streams": [{"name": "../keys", "records": 0, "last": 0, "sha256": ""}]},
        {"epoch": "../elsewhere"},
        {"partitions": 10**9},
        {"partitions": -1},
        {"demo": "perhaps"},
    ],
)
def test_a_manifest_names_every_stream_of_its_epoch_and_nothing_else(
    changed: dict[str, object], tmp_path: Path
) -> None:
    names = [spec.name for spec in Epoch("e1", 1).specs()]
    streams = [{"name": name, "records": 0, "last": 0, "sha256": ""} for name in names]
    told = {"epoch": "e1", "partitions": 1, "demo": False, "streams": streams}
    (tmp_path / backup.MANIFEST).write_text(json.dumps(told))
    assert [stream.name for stream in backup.read(tmp_path).streams] == names
    for text in (json.dumps(told | changed), "null", '"backup"', "{"):
        (tmp_path / backup.MANIFEST).write_text(text)
        with pytest.raises(BadBackup):
            backup.read(tmp_path)
