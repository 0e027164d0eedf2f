"""The deals of a match as a referee writes them down, in a CSV file (C8.6)."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from clients.cli import files
from clients.cli.output import FAILED, USAGE, Problem, say
from clients.cli.words import pick
from fupan.table.v1 import sheet_pb2

DEALS = ("declarer", "level", "points", "fines_02", "fines_13", "rises_02", "rises_13")
"""Columns of a file of deals: seat, level of the deal, the defenders' P, then by side (seats 0+2, seats 1+3) fines and rises."""

LARGEST = 64 * 1024
"""Bytes of a file of deals."""


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
        except (ValueError, TypeError) as error:
            bad += 1
            say(pick(f"{path}, line {reader.line_num}: {error}", f"{path} 第 {reader.line_num} 行：{error}"))
    if bad:
        raise Problem(pick("nothing was entered; mend these rows", "未登记任何内容，请修正以上各行"), FAILED)
    return deals


def _deal(row: Mapping[str, str]) -> sheet_pb2.SheetDeal:
    level = (row["level"] or "").strip().upper().replace("10", "T")
    return sheet_pb2.SheetDeal(
        declarer=int(row["declarer"]),
        level=level,
        points=int(row["points"]),
        fines=[int(row["fines_02"] or 0), int(row["fines_13"] or 0)],
        rises=[int(row["rises_02"] or 0), int(row["rises_13"] or 0)],
    )
