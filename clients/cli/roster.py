"""The entrants' CSV file: one entrant a row, its persons in numbered columns.

| column | meaning |
|---|---|
| `number` | entrant number; empty or missing: the next free one |
| `person_id`, `unit_id`, `name`, `contact` | the first person; only `person_id` is needed |
| `person_id_2`, `unit_id_2`, … | the second, and so on: pairs and teams |
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clients.cli import files
from clients.cli.words import pick

FIELDS = ("person_id", "unit_id", "name", "contact")
NAMED = 20
"""Bad rows that are named where nobody asks for all."""

_COLUMN = re.compile(rf"({'|'.join(FIELDS)})(?:_([2-9]))?")
ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
"""Ids of people, units and championships, as services take them."""

_NUMBER = re.compile(r"[0-9]{1,7}")


class BadRoster(ValueError):
    """A file that cannot be imported; `lines` say why, row by row."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = tuple(lines)


@dataclass(frozen=True, slots=True)
class Person:
    """One member of an entrant."""

    person_id: str
    unit_id: str = ""
    name: str = ""
    contact: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant. `line`: in the file, from 1; `number` 0: the next free one."""

    line: int
    number: int
    members: tuple[Person, ...]


def read(path: Path) -> list[Row]:
    """The rows of a file. Raises BadRoster naming every bad row, Problem where it cannot be read."""
    reader = csv.reader(io.StringIO(_text(files.read(path)), newline=""))
    try:
        columns = _columns(next(reader, []))
        rows, bad = _rows(((reader.line_num, cells) for cells in reader), columns)
    except csv.Error as error:
        raise BadRoster([_at(reader.line_num + 1, pick(str(error), f"不是 CSV（{error}）"))]) from None
    if bad:
        raise BadRoster(bad)
    return rows


def named(lines: Sequence[str], every: bool) -> list[str]:
    """What is said of bad rows: `every` one, or the first of them and how many more there are."""
    if every or (more := len(lines) - NAMED) <= 0:
        return list(lines)
    return [
        *lines[:NAMED],
        pick(f"and {more} more; --all names them", f"另有 {more} 行；--all 列出全部"),
    ]


def _at(line: int, what: str) -> str:
    return pick(f"line {line}: {what}", f"第 {line} 行：{what}")


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = pick("not UTF-8; save the file as CSV in UTF-8", "不是 UTF-8，请另存为 UTF-8 的 CSV")
        raise BadRoster([_at(line, what)]) from None


def _columns(header: Sequence[str]) -> list[tuple[str, int]]:
    """Field and person (from 0) of every column; `number` belongs to person -1."""
    columns, unknown = [], []
    for title in header:
        name = title.strip().lower()
        found = _COLUMN.fullmatch(name)
        if name == "number":
            columns.append((name, -1))
        elif found:
            columns.append((found[1], int(found[2] or 1) - 1))
        else:
            unknown.append(title)
    if unknown or ("person_id", 0) not in columns or len(set(columns)) < len(columns):
        what = (
            pick(f"unknown column {unknown[0]!r}", f"没有列 {unknown[0]!r}")
            if unknown
            else pick("person_id is needed, and every column once", "须有 person_id，且每列只能有一次")
        )
        listed = f"number, {', '.join(FIELDS)}, person_id_2, …"
        raise BadRoster([_at(1, what + pick(f"; columns are {listed}", f"；可用的列为 {listed}"))])
    return columns


def _rows(
    lines: Iterable[tuple[int, list[str]]], columns: Sequence[tuple[str, int]]
) -> tuple[list[Row], list[str]]:
    rows, bad = [], []
    seen: dict[str, int] = {}
    for line, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        try:
            row = _row(line, cells, columns)
            _only_once(row, seen)
        except ValueError as error:
            bad.append(_at(line, str(error)))
        else:
            rows.append(row)
    return rows, bad


def _only_once(row: Row, seen: dict[str, int]) -> None:
    """Note whom and which number the row has. Raises ValueError for what stands in an earlier line."""
    names = [pick(f"person {member.person_id}", f"人员 {member.person_id} ") for member in row.members]
    for name in names + ([pick(f"number {row.number}", f"编号 {row.number} ")] if row.number else []):
        earlier = seen.setdefault(name, row.line)
        if earlier != row.line:
            raise ValueError(pick(f"{name} stands in line {earlier} already", f"{name}已在第 {earlier} 行"))


def _row(line: int, cells: Sequence[str], columns: Sequence[tuple[str, int]]) -> Row:
    if len(cells) != len(columns):
        have, due = len(cells), len(columns)
        raise ValueError(pick(f"{have} cells where the header has {due}", f"有 {have} 格，而表头有 {due} 格"))
    number, persons = "", dict[int, dict[str, str]]()
    for (name, person), cell in zip(columns, cells, strict=True):
        if name == "number":
            number = cell.strip()
        elif cell.strip():
            persons.setdefault(person, {})[name] = cell.strip()
    if number and (not _NUMBER.fullmatch(number) or not int(number)):
        shown = number[:40]
        raise ValueError(
            pick(f"number {shown!r} is no whole number from 1", f"编号 {shown!r} 不是从 1 起的整数")
        )
    if sorted(persons) != list(range(len(persons))) or not persons:
        raise ValueError(
            pick(
                "the persons of an entrant stand side by side, without a gap",
                "同一参赛者的成员须依次填写，中间不留空",
            )
        )
    for place, member in persons.items():
        _check_ids(place + 1, member)
    return Row(line, int(number or 0), tuple(Person(**persons[place]) for place in sorted(persons)))


def _check_ids(number: int, person: dict[str, str]) -> None:
    """Raises ValueError unless the entrant's person of that number has ids as services take them."""
    if "person_id" not in person:
        raise ValueError(pick(f"person {number} has no person_id", f"第 {number} 名成员缺少 person_id"))
    for name in ("person_id", "unit_id"):
        if name in person and not ID.fullmatch(person[name]):
            shown = person[name][:60]
            raise ValueError(
                pick(
                    f"{name} {shown!r} is not 1 to 40 of a-z, 0-9 and '-'",
                    f"{name} {shown!r} 须为 1 至 40 个 a-z、0-9 或 '-'",
                )
            )
