"""`fupan rules check`: position and action cases on the engine, without any server."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from clients.cli.files import read
from clients.cli.options import SHOW, Show
from clients.cli.output import FAILED, OK, USAGE, Problem
from clients.cli.words import pick, sentence
from services.games.cases import Verdict, check_text, has_cases

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
    paths = (file, *files)
    _check_names(paths)
    failed = passed = 0
    for text in list(map(_text, paths)):
        for verdict in map(_spoken, check_text(text)):
            passed, failed = passed + verdict.ok, failed + (not verdict.ok)
            if show.form == "json":
                # Escaped to ASCII: an id may hold what no encoding can print, and must come back as it was.
                print(json.dumps({"id": verdict.id, "ok": verdict.ok, "message": verdict.message}))
            else:
                print(replace(verdict, id=sentence(verdict.id)).show())
    if show.form != "json":
        print(pick(f"{passed} passed, {failed} failed", f"通过 {passed}，未通过 {failed}"))
    return FAILED if failed else OK


def _check_names(files: Sequence[Path]) -> None:
    """Refuse what was meant for an option, and a stdin that would have been read to its end already. Raises Problem."""
    names = [str(path) for path in files]
    for name in names:
        if name.startswith("-") and name != "-":
            raise Problem(pick(f"Unknown option: {name}.", f"没有选项 {name}"), USAGE)
    if names.count("-") > 1:
        raise Problem(pick("- (stdin) can be read once", "-（标准输入）只能读一次"), USAGE)


def _text(path: Path) -> str:
    """What is in a file of cases. Raises Problem for one that has none."""
    piped = str(path) == "-"
    data = sys.stdin.buffer.read() if piped else read(path)
    # What is no UTF-8 becomes a character no case holds, so that the line fails and not the command.
    text = data.decode("utf-8-sig", "surrogateescape")
    if not has_cases(text):
        name = pick("stdin", "标准输入") if piped else path
        raise Problem(
            pick(
                f"{name}: not a file of cases: none of its lines is a JSON object with an id, one case a line",
                f"{name}：不是用例文件：没有一行是带 id 的 JSON 对象（每行一例）",
            ),
            USAGE,
        )
    return text


def _spoken(verdict: Verdict) -> Verdict:
    return replace(verdict, parts=tuple(map(sentence, verdict.parts)))
