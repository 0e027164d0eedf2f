"""The compiled rules are the rules: boards played act by act and the published cases come out as they do in plain Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.imports import ROOT

TREE = ROOT / "build/compiled"
COMPILER = str(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
HEADERS = Path(sysconfig.get_path("include"), "Python.h")


def run(*arguments: str, **environment: str) -> str:
    """What a program of ours prints; it may take long, and fails the test when it fails."""
    command, given = [sys.executable, *arguments], {**os.environ, **environment}
    result = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def journal(**environment: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(run("-m", "tests.games.journal", **environment))
    return found


@pytest.mark.skipif(
    not (shutil.which(COMPILER) and HEADERS.exists()), reason="there is no C compiler, or no Python.h"
)
@pytest.mark.timeout(1200)
def test_every_act_and_every_case_is_as_in_plain_python() -> None:
    with ThreadPoolExecutor() as beside:
        waiting = beside.submit(journal, PYTHONPATH=str(ROOT), PYTHONSAFEPATH="")
        run("scripts/compile.py")
        compiled, plain = journal(PYTHONPATH=str(TREE), PYTHONSAFEPATH="1"), waiting.result()
    assert (plain["compiled"], compiled["compiled"]) == (False, True)
    assert len(plain["played"]) > 1000
    assert compiled["played"] == plain["played"]


def test_without_a_compiler_it_is_said_what_is_missing() -> None:
    command = [sys.executable, str(ROOT / "scripts/compile.py")]
    given = {**os.environ, "CC": "no-such-compiler"}
    result = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "compiling needs a C compiler (no-such-compiler)" in result.stderr


def test_nothing_is_put_beside_the_sources() -> None:
    assert [*(ROOT / "services").rglob("*.so")] == []
