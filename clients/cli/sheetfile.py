"""The deals of a match as a referee writes them down, in a CSV file (C8.6)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clients.cli import files
from clients.cli.output import FAILED, USAGE, Problem, say
from clients.cli.words import pick
from fupan.table.v1 import sheet_pb2

DEALS = ("declarer", "level", "points", "fines_02", "fines_13", "rises_02", "rises_13")
"""Columns of a file of deals: seat, level of the deal, the defenders' P, then by side (seats 0+2, seats 1+3) fines and rises."""

LARGEST = 64 * 1024
"""Bytes of a file of deals."""

_WHOLE, _SIGNED, _OR_NONE = map(re.compile, (r"\d{1,7}", r"-?\d{1,7}", r"\d{0,7}"))
"""Figures of a deal; fines and rises may be left empty for 0."""


def read_deals(path: Path) -> list[sheet_pb2.SheetDeal]:
    """The deals of a CSV file, a row each, in the order they were played. Raises Problem, naming every bad row."""
    reader = csv.DictReader(io.StringIO(files.read_text(path, LARGEST)), skipinitialspace=True)
    if missing := set(DEALS) - set(reader.fieldnames or ()):
        names = ", ".join(sorted(missing))
        raise Problem(pick(f"{path}: no column {names}", f"{path}：缺少列 {names}"), USAGE)
    deals, bad = [], 0
    for row in reader:
        try:
            deals.append(_deal(row))
        except _Unfit as unfit:
            bad += 1
            say(pick(f"{path}, line {reader.line_num}: {unfit}", f"{path} 第 {reader.line_num} 行：{unfit}"))
    if bad:
        raise Problem(pick("nothing was entered; mend these rows", "未登记任何内容，请修正以上各行"), FAILED)
    return deals


class _Unfit(Exception):
    """A row that is no deal; what is wrong with it, in the reader's language."""


def _deal(row: Mapping[str | None, Any]) -> sheet_pb2.SheetDeal:
    if None in row or None in row.values():
        raise _Unfit(pick("other cells than columns", "格数与列数不符"))
    return sheet_pb2.SheetDeal(
        declarer=_figure(row, "declarer", _WHOLE),
        level=row["level"].strip().upper().replace("10", "T"),
        points=_figure(row, "points", _SIGNED),
        fines=[_figure(row, "fines_02"), _figure(row, "fines_13")],
        rises=[_figure(row, "rises_02"), _figure(row, "rises_13")],
    )


def _figure(row: Mapping[str | None, Any], name: str, form: re.Pattern[str] = _OR_NONE) -> int:
    """A figure of a row. Raises _Unfit."""
    written = row[name].strip()
    if not form.fullmatch(written):
        raise _Unfit(pick(f"{name}: {written!r} is no such figure", f"{name}：{written!r} 不是此列的数字"))
    return int(written or 0)
