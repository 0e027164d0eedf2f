from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from clients.cli.local import scratch
from clients.cli.output import Problem
from clients.cli.words import choose
from services.runtime.embedded.directory import DataDirectory


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


def killed(folder: Path) -> None:
    """A supervisor of this folder that did not live to give it up."""
    script = (
        "import os, signal, sys, pathlib; from services.runtime.embedded.directory import DataDirectory as D;"
        "D(pathlib.Path(sys.argv[1])).lock(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", script, folder], check=False).returncode == -9


def test_a_demo_leaves_no_folder(tmp_path: Path) -> None:
    with scratch.folder(print, tmp_path) as folder:
        assert folder.parent == tmp_path
        (folder / "something").touch()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_killed_demo_goes_when_the_next_begins(tmp_path: Path) -> None:
    left, said = tmp_path / "demo-killed", list[str]()
    killed(left)
    with scratch.folder(said.append, tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert said == [f"removed {left}, left by a demo that was killed"]


def test_the_folder_of_a_running_demo_and_those_of_others_stay(tmp_path: Path) -> None:
    running = DataDirectory(tmp_path / "demo-running")
    running.lock()
    (tmp_path / "demo-starting").mkdir()
    (tmp_path / "demo-taking").mkdir()
    (tmp_path / "demo-taking" / "lock").touch()
    killed(tmp_path / "cup")
    said = list[str]()
    with scratch.folder(said.append, tmp_path):
        pass
    assert said == []
    assert {path.name for path in tmp_path.iterdir()} == {
        "demo-running",
        "demo-starting",
        "demo-taking",
        "cup",
    }
    running.release()


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Problem, match="file"), scratch.folder(print, tmp_path / "file"):
        pass
