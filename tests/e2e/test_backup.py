"""A platform is lost, and goes on from its backup: the same log, byte for byte and place for place."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from clients.cli.local.stack import new_log
from services.runtime.streams import Epoch
from tests.e2e.command import Ended, Running, folder, fupan

pytestmark = pytest.mark.asyncio(loop_scope="module")

TINY = ("--entrants", 3, "--rounds", 1, "--boards", 1, "--seed", 7, "--json")


@dataclass(frozen=True)
class Saved:
    """A championship's audit file, and the backup of the platform that it was played on, which is gone."""

    place: Path
    audit: Path
    backup: Path
    passphrase: Path


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def saved() -> AsyncIterator[Saved]:
    with folder() as place:
        made = Saved(place, place / "audit" / "demo-1.fupan", place / "backup", place / "passphrase")
        made.passphrase.write_text("correct horse battery\n")
        async with Running("demo", *TINY, "--data", place / "lost", "--audit-out", made.audit.parent) as demo:
            await demo.prints()
            done = await backup(made, place / "lost")
            assert done.code == 0, done.err
            assert (await backup(made, place / "lost")).code == 2, "a backup is overwritten"
            await demo.interrupt()
        yield made


async def backup(saved: Saved, data: Path) -> Ended:
    secret = ("--passphrase-file", saved.passphrase)
    return await asyncio.to_thread(fupan, "backup", saved.backup, "--data", data, *secret)


async def restore(
    saved: Saved, data: Path, source: Path | None = None, passphrase: Path | None = None
) -> Ended:
    secret = ("--passphrase-file", passphrase or saved.passphrase)
    return await asyncio.to_thread(fupan, "restore", source or saved.backup, "--data", data, *secret)


async def test_what_was_restored_goes_on_as_it_was(saved: Saved, tmp_path: Path) -> None:
    data = saved.place / "restored"
    done = await restore(saved, data)
    assert done.code == 0, done.err
    out = tmp_path / "again.fupan"
    async with Running("up", "--data", data) as up:
        await up.says("The platform runs")
        where = ("--server", data)
        exported = await asyncio.to_thread(fupan, "audit", "export", "--out", out, *where)
        reconciled = await asyncio.to_thread(fupan, "audit", "reconcile", *where)
    assert exported.code == 0, exported.err
    assert out.read_bytes() == saved.audit.read_bytes()
    assert reconciled.code == 0, reconciled.out


async def test_no_key_lies_in_the_clear(saved: Saved) -> None:
    keys = [path.read_bytes() for path in (saved.place / "lost" / "keys").iterdir() if path.suffix != ".pub"]
    held = b"".join(path.read_bytes() for path in saved.backup.iterdir())
    assert len(keys) > 5
    assert not [key for key in keys if key in held]
    assert {path.stat().st_mode & 0o077 for path in saved.backup.iterdir() if path.name == "keys.locked"} == {
        0
    }


async def test_another_passphrase_opens_nothing(saved: Saved, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("incorrect horse battery")
    done = await restore(saved, saved.place / "wrong", passphrase=wrong)
    assert (done.code, "passphrase" in done.err) == (2, True)
    # The same command with the right one finds nothing in its way.
    assert not (saved.place / "wrong").exists()


async def test_a_changed_backup_is_not_restored(saved: Saved, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in saved.backup.iterdir():
        data = path.read_bytes()
        if path.name.startswith("PAIRING"):
            data = data[:-1] + bytes([data[-1] ^ 1])
        (copy / path.name).write_bytes(data)
    done = await restore(saved, saved.place / "changed", copy)
    assert (done.code, "PAIRING" in done.err) == (1, True)
    (copy / "manifest.json").unlink()
    assert (await restore(saved, saved.place / "none", copy)).code == 2


async def test_nothing_is_overwritten(saved: Saved) -> None:
    assert (await restore(saved, saved.place / "lost")).code == 2


async def test_only_a_running_platform_is_saved(saved: Saved) -> None:
    done = await backup(saved, saved.place / "lost")
    assert (done.code, done.err) == (
        3,
        f"fupan: no platform runs on {saved.place / 'lost'}: fupan up --data {saved.place / 'lost'} starts it\n",
    )


async def test_a_platform_is_restored_with_as_many_partitions_as_it_had() -> None:
    with folder() as place:
        data, epoch = place / "restored", Epoch("e2030", 3)
        async with new_log(data, epoch, False, lambda keys: None) as store:
            made = {info.config.name for info in await store.js.streams_info()}
        assert made == {spec.name for spec in epoch.specs()}
        told = json.loads((data / "services.json").read_text())
        assert (told["all"]["FUPAN_EPOCH"], told["all"]["FUPAN_PARTITIONS"]) == ("e2030", "3")
