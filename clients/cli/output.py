"""What the command prints: data on stdout as table, JSON or CSV, messages on stderr."""

from __future__ import annotations

import csv
import errno
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Literal

from clients.cli.words import pick, sentence
from services.domain import Rejected

OK, FAILED, USAGE, UNAVAILABLE = 0, 1, 2, 3
"""Exit codes: done, a check or a command failed, the command line is wrong, the platform cannot be reached."""

Record = Mapping[str, Any]


class Problem(Exception):
    """Why the command ends early: one line for stderr and an exit code."""

    def __init__(self, line: str, code: int = FAILED) -> None:
        super().__init__(line)
        self.code = code


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `key` of the record and of JSON and CSV, titles of the table, and how the table shows a value."""

    key: str
    en: str
    zh: str
    show: Callable[[Any], str] = str
    right: bool = False


def say(text: str) -> None:
    """A message for the person at the terminal."""
    print(text, file=sys.stderr, flush=True)


_SYSTEM_ZH = {
    errno.ENOENT: "没有这个文件或目录",
    errno.EACCES: "没有权限",
    errno.EPERM: "不允许此操作",
    errno.EEXIST: "已经存在",
    errno.ENOTDIR: "不是目录",
    errno.EISDIR: "是目录，不是文件",
    errno.ENOSPC: "磁盘已满",
    errno.EROFS: "文件系统只读",
}
"""What the system says in English only, as far as it concerns files that people name."""


def in_words(error: Exception) -> str:
    """An error in a line: the system's own without its number, a rule's without its reason."""
    if isinstance(error, Rejected):
        return sentence(error.detail)
    if not isinstance(error, OSError) or error.strerror is None:
        return sentence(str(error))
    return f"{error.filename}: {reason(error)}" if error.filename else reason(error)


def reason(error: OSError) -> str:
    """What the system says of a file, without the file."""
    english = error.strerror or str(error)
    return pick(english, _SYSTEM_ZH.get(error.errno or 0, english))


def rows(records: Iterable[Record], columns: Sequence[Column], output: str) -> None:
    """Records, one a row. JSON and CSV have every value as it is, the table as its column shows it."""
    if output == "json":
        _json([dict(record) for record in records])
    elif output == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow([column.key for column in columns])
        writer.writerows([cell(record.get(column.key)) for column in columns] for record in records)
    else:
        _table(records, columns)


def fields(record: Record, columns: Sequence[Column], output: str) -> None:
    """One record: an object in JSON, a row in CSV, a line a field in the table."""
    if output == "json":
        _json(dict(record))
    elif output == "csv":
        rows([record], columns, output)
    else:
        names = (Column("field", "Field", "项目"), Column("value", "Value", "内容"))
        lines = [
            {"field": pick(column.en, column.zh), "value": _shown(column, record)}
            for column in columns
            if _shown(column, record)
        ]
        rows(lines, names, output)


_RECEIPT = (
    Column("imported", "Imported", "导入数"),
    Column("round", "Round", "轮次"),
    Column("tables", "Tables", "桌数"),
    Column("entrants", "Entrants", "参赛者", lambda numbers: " ".join(map(str, numbers))),
    Column("scores", "Scores", "得分", lambda scores: " ".join(f"{score:+d}" for score in scores)),
    Column("version", "Version", "版本"),
    Column("ruling", "Ruling", "判罚编号"),
    Column("number", "Publication", "公布序号"),
    Column("attempt", "Attempt", "第几次"),
    Column("after_round", "Played after round", "在此轮结束后进行"),
    Column("figures", "Figures", "数值", lambda figures: " ".join(map(str, figures))),
    Column("appeal", "Appeal", "申诉"),
    Column("window_ends", "Window ends", "申诉截止"),
    Column("fee", "Fee", "申诉费"),
    Column("answer_due", "Answer due", "答复期限"),
    Column("ballot_key", "Ballot key", "选票密钥"),
    Column("voting_deadline", "Voting until", "投票截止"),
    Column("root", "Sealed root", "封存根"),
    Column("key", "Signed by", "签名密钥"),
    Column("hash", "Record", "记录哈希"),
    Column("position", "Position", "位置"),
)


def accepted(receipt: Any, output: str, **facts: Any) -> None:
    """The receipt of an accepted command, with what else came of it."""
    told = {**facts, "hash": receipt.hash.hex(), "position": receipt.position}
    fields(told, [column for column in _RECEIPT if column.key in told], output)


def written(time: datetime | None) -> str:
    """A time for people: RFC 3339 in its own zone, to the second."""
    return "" if time is None else time.isoformat(timespec="seconds")


def percent(tenths: int) -> str:
    """Tenths of a percent as text, `66.7`."""
    return f"{tenths // 10}.{tenths % 10}"


def seconds(microseconds: int) -> str:
    """A duration in seconds with one decimal."""
    return f"{microseconds / 1_000_000:.1f}"


def exact_seconds(microseconds: str) -> str:
    """A mean of durations, an exact fraction of microseconds, in seconds as far as a microsecond."""
    return f"{float(Fraction(microseconds)) / 1_000_000:.6f}".rstrip("0").rstrip(".")


def as_json(value: Any) -> str:
    """A value as JSON in one line; times are in UTC."""
    return json.dumps(value, ensure_ascii=False, default=_utc)


def _json(value: Any) -> None:
    print(as_json(value), flush=True)


def _utc(value: Any) -> str:
    if not isinstance(value, datetime):
        raise TypeError(f"{type(value).__name__} is no value of JSON")
    return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def cell(value: Any) -> Any:
    """A value as CSV has it: a list stands in one cell, yes, no and times as in JSON."""
    if isinstance(value, datetime):
        return _utc(value)
    return as_json(value) if isinstance(value, (list, tuple, dict, bool)) else value


def _shown(column: Column, record: Record) -> str:
    value = record.get(column.key)
    if isinstance(value, datetime):
        return written(value)
    return "" if value is None else column.show(value)


def _table(records: Iterable[Record], columns: Sequence[Column]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines = [[_shown(column, record) for column in columns] for record in records]
    # A column in which nothing stands tells nothing.
    kept = [at for at in range(len(columns)) if not lines or any(line[at] for line in lines)]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for at in kept:
        column = columns[at]
        justify: Literal["right", "left"] = "right" if column.right else "left"
        table.add_column(pick(column.en, column.zh), justify=justify, overflow="fold")
    for line in lines:
        table.add_row(*[Text(line[at]) for at in kept])
    console = Console(file=sys.stdout, highlight=False)
    if not console.is_terminal:
        # A pipe has no width: a row stays on its line.
        console = Console(file=sys.stdout, highlight=False, width=240)
    console.print(table)
