"""The data folder of a demo that was given none: new, removed at its end; one that a killed demo left goes when the next begins."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from clients.cli.output import USAGE, Problem, in_words
from clients.cli.places import DATA
from clients.cli.words import pick
from services.runtime.embedded import postgres
from services.runtime.embedded.directory import DataDirectory, DirectoryInUse

_PREFIX = "demo-"


@contextmanager
def folder(say: Callable[[str], None], parent: Path = DATA) -> Iterator[Path]:
    """A new folder below `parent` until the end of the block. Raises Problem where there can be none."""
    make(parent)
    for left in _left_behind(parent):
        say(pick(f"removed {left}, left by a demo that was killed", f"已删除被强行中止的演示留下的 {left}"))
    made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    # Root's PostgreSQL runs as another user, who must pass through.
    made.chmod(0o711)
    try:
        yield made
    finally:
        _remove(DataDirectory(made))


def make(path: Path) -> None:
    """Make a folder unless it is there. Raises Problem."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(in_words(error), USAGE) from None


def _left_behind(parent: Path) -> Iterator[Path]:
    """Remove every demo's folder that nobody holds any more, and name it."""
    for lock in sorted(parent.glob(f"{_PREFIX}*/lock")):
        directory = DataDirectory(lock.parent)
        # A lock without a process id in it is just being taken; what cannot be removed is somebody else's.
        with suppress(DirectoryInUse, OSError):
            if lock.stat().st_size:
                directory.lock()
                _remove(directory)
                directory.release()
                yield lock.parent


def _remove(directory: DataDirectory) -> None:
    # A platform that could not start may have left no data yet.
    with suppress(FileNotFoundError):
        postgres.remove(directory)
    shutil.rmtree(directory.path)
