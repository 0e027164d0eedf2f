"""`fupan backup` and `fupan restore`: an epoch and its keys in a folder, and back into a data directory that holds none yet."""

from __future__ import annotations

import asyncio
import getpass
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from clients.cli import files
from clients.cli.local.stack import CANNOT_START, cannot_start, log_of, new_log
from clients.cli.output import FAILED, OK, USAGE, Problem, in_words, say
from clients.cli.places import DATA
from clients.cli.words import pick, sentence
from services.runtime import backup as copies
from services.runtime.streams import Epoch

SHORTEST = 12
"""Characters a passphrase has at least."""

Secret = Annotated[
    Path | None,
    Parameter(
        name="--passphrase-file",
        help="file with the passphrase of the keys; default: ask",
    ),
]
Data = Annotated[Path, Parameter(help="data directory")]


def backup(out: Path, /, *, data: Data = DATA, passphrase_file: Secret = None) -> int:
    """Save every stream of a running platform's epoch, and its keys under a passphrase, into a new folder.

    Names, contacts and written grounds are not in it: they are in PostgreSQL alone, so that they can be erased.

    Parameters
    ----------
    out
        Folder to write.
    """
    passphrase = _passphrase(passphrase_file)
    try:
        manifest = asyncio.run(_backup(out, data, passphrase))
    except copies.BadBackup as error:
        raise Problem(in_words(error), USAGE) from None
    found = copies.check(out, manifest)
    for line in found:
        say(sentence(line))
    say(
        pick(
            f"{out}: {manifest.records} records of epoch {manifest.epoch}, and the keys",
            f"{out}：赛期 {manifest.epoch} 的 {manifest.records} 条记录及密钥",
        )
    )
    return FAILED if found else OK


async def _backup(out: Path, data: Path, passphrase: bytes) -> copies.Manifest:
    try:
        async with log_of(data) as (store, epoch, demo):
            return await copies.save(store, epoch, demo, data / "keys", passphrase, out)
    except CANNOT_START as error:
        raise cannot_start(error) from error


def restore(folder: Path, /, *, data: Data, passphrase_file: Secret = None) -> int:
    """Restore a backup into a new data directory, every record at its place again; `fupan up` then goes on with it.

    Parameters
    ----------
    folder
        The backup.
    """
    if data.exists() and any(data.iterdir()):
        raise Problem(pick(f"{data} is not empty", f"{data} 不是空目录"), USAGE)
    passphrase = _passphrase(passphrase_file)
    try:
        manifest = copies.read(folder)
        found = copies.check(folder, manifest)
        asyncio.run(_restore(folder, manifest, data, passphrase))
    except copies.Unusable as error:
        raise Problem(in_words(error), USAGE) from None
    except copies.BadBackup as error:
        raise Problem(in_words(error), FAILED) from None
    for line in found:
        say(sentence(line))
    say(
        pick(
            f"{manifest.records} records of epoch {manifest.epoch} are restored; go on with: fupan up --data {data}",
            f"已恢复赛期 {manifest.epoch} 的 {manifest.records} 条记录；请运行 fupan up --data {data} 继续",
        )
    )
    return FAILED if found else OK


async def _restore(folder: Path, manifest: copies.Manifest, data: Path, passphrase: bytes) -> None:
    try:
        keys = copies.unlock((folder / copies.LOCKED).read_bytes(), passphrase)
        epoch = Epoch(manifest.epoch, manifest.partitions)
        async with new_log(data, epoch, manifest.demo, partial(copies.write_keys, keys)) as store:
            await copies.restore(store, folder, manifest)
    except CANNOT_START as error:
        raise cannot_start(error) from error


def _passphrase(path: Path | None) -> bytes:
    if path is None and not sys.stdin.isatty():
        raise Problem(
            pick(
                "there is no terminal to ask for the passphrase at: give --passphrase-file",
                "没有终端可询问口令，请用 --passphrase-file 给出",
            ),
            USAGE,
        )
    text = getpass.getpass(pick("passphrase: ", "口令：")) if path is None else files.read_text(path).strip()
    if len(text) < SHORTEST:
        raise Problem(
            pick(f"a passphrase has at least {SHORTEST} characters", f"口令至少 {SHORTEST} 个字符"), USAGE
        )
    return text.encode()
