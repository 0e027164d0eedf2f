"""`fupan rules check`: position and action cases on the engine, without any server."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from clients.cli.files import read
from clients.cli.options import SHOW, Show
from clients.cli.output import FAILED, OK, USAGE, Problem
from clients.cli.words import pick
from services.games.cases import Verdict, check_text

Case = Annotated[Path, Parameter(allow_leading_hyphen=True)]
"""A file; - is stdin, which the parser would take for an option."""


def check(file: Case, /, *files: Case, show: Show = SHOW) -> int:
    """Print the verdict on every case: `ok ID` or `FAIL ID: expected …, got …`; exit 1 if one failed.

    Parameters
    ----------
    file
        File of cases, one JSON object a line; - is stdin.
    files
        More files.
    """
    _check_names((file, *files))
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


def _check_names(files: Sequence[Path]) -> None:
    """Refuse what was meant for an option, and a stdin that would have been read to its end already. Raises Problem."""
    names = [str(path) for path in files]
    for name in names:
        if name.startswith("-") and name != "-":
            raise Problem(pick(f"Unknown option: {name}.", f"没有选项 {name}"), USAGE)
    if names.count("-") > 1:
        raise Problem(pick("- (stdin) can be read once", "-（标准输入）只能读一次"), USAGE)


def _verdicts(path: Path) -> Iterator[Verdict]:
    data = sys.stdin.buffer.read() if str(path) == "-" else read(path)
    # What is no UTF-8 becomes a character no case holds, so that the line fails and not the command.
    yield from check_text(data.decode("utf-8", "surrogateescape"))
