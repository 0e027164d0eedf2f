"""`fupan rules check`: position and action cases on the engine, without any server."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from clients.cli.files import read
from clients.cli.options import SHOW, Show
from clients.cli.output import FAILED, OK
from services.games.cases import Verdict, check_text


def check(file: Path, /, *files: Path, show: Show = SHOW) -> int:
    """Print the verdict on every case: `ok ID` or `FAIL ID: expected …, got …`; exit 1 if one failed.

    Parameters
    ----------
    file
        File of cases, one JSON object a line; - is stdin.
    files
        More files.
    """
    failed = passed = 0
    for path in (file, *files):
        for verdict in _verdicts(path):
            passed, failed = passed + verdict.ok, failed + (not verdict.ok)
            if show.form == "json":
                # Escaped to ASCII: an id may hold what no encoding can print, and must come back as it was.
                print(json.dumps({"id": verdict.id, "ok": verdict.ok, "message": verdict.message}))
            else:
                print(verdict.show())
    if show.form != "json":
        print(f"{passed} passed, {failed} failed")
    return FAILED if failed else OK


def _verdicts(path: Path) -> Iterator[Verdict]:
    data = sys.stdin.buffer.read() if str(path) == "-" else read(path)
    # What is no UTF-8 becomes a character no case holds, so that the line fails and not the command.
    yield from check_text(data.decode("utf-8", "surrogateescape"))
