"""What people read is in the language they chose: help, wrong command lines, rosters."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clients.cli import manual
from clients.cli.commands import COMMANDS
from clients.cli.main import application, run
from clients.cli.roster import BadRoster, read
from clients.cli.rounds import progress_line
from clients.cli.words import choose
from fupan.pairing.v1 import service_pb2 as pb
from fupan.pairing.v1.events_pb2 import SeatedTable

GOLDEN = Path(__file__).parents[1] / "golden" / "paohuzi-2026-11.fupan"


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    choose("zh")
    yield
    choose("en")


def _commands() -> list[list[str]]:
    return [
        [group, *sub]
        for group, target in COMMANDS.items()
        for sub in ([[]] if isinstance(target, str) else [[name] for name in target])
    ]


def _arguments(words: list[str]) -> Any:
    _, apps, _ = application().parse_commands(words)
    return apps[-1].assemble_argument_collection(parse_docstring=True)


@pytest.mark.parametrize("words", _commands(), ids=" ".join)
def test_every_help_text_has_its_chinese(words: list[str]) -> None:
    for argument in _arguments(words):
        text = argument.parameter.help or ""
        assert not text or text.strip() in manual.ZH, text
        assert not [name for name in argument.names if name.startswith(("--no-", "--empty-"))], argument.names
        for group in argument.parameter.group or ():
            assert group.name in manual.ZH, group.name


@pytest.mark.parametrize("words", _commands(), ids=" ".join)
def test_no_name_shows_the_underscore_that_python_wants(words: list[str]) -> None:
    assert not [one.name for one in _arguments(words) if one.name.endswith("_")]


def test_an_audit_is_told_in_chinese_and_its_verdict_in_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "verify", str(GOLDEN)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "一致，来源未经证明（consistent, origin unproven）"
    assert not [line for line in told[:-1] if any(char.isascii() and char.isalpha() for char in line)]
    assert f"已核验 {GOLDEN.stat().st_size} 字节" in "".join(told)


def test_progress_is_told_with_chinese_marks() -> None:
    slow = [pb.TableProgress(table=SeatedTable(table="r1-t1"), boards_closed=1)]
    told = progress_line(pb.WatchRoundResponse(round=1, phase="running", tables=2, boards=4, slowest=slow))
    assert told.startswith("第 1 轮进行中：0/2 桌，0/4 副；最慢 r1-t1")


def test_no_translation_is_left_of_a_text_that_is_gone() -> None:
    used = {
        (argument.parameter.help or "").strip() for words in _commands() for argument in _arguments(words)
    }
    used |= {
        group.name
        for words in _commands()
        for one in _arguments(words)
        for group in one.parameter.group or ()
    }
    # What the parser itself says.
    used |= {
        "Commands",
        "Parameters",
        "Arguments",
        "Display this message and exit.",
        "Display application version.",
    }
    assert manual.ZH.keys() <= used


def test_help_is_chinese_from_the_first_line_to_the_last() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clients.cli", "round", "status", "--help", "--lang", "zh"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "用法" in done.stdout
    assert "轮次；缺省为最新一轮" in done.stdout
    assert "环境变量：FUPAN_SERVER" in done.stdout
    for english in ("Usage", "Parameters", "Platform", "default", "choices", "env var"):
        assert english not in done.stdout


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["venue", "nonsense"], "没有命令 nonsense；可用的有 check"),
        (["standing", "x"], "没有命令 standing；是否指 standings？"),
        (["rules", "check"], "缺少 FILE；用法见 fupan rules check --help"),
        (["rules", "check", "--bogus", "x"], "没有选项 --bogus"),
        (["demo", "--entrants", "1"], "--entrants 的值无效：须 >= 2"),
        (
            ["demo", "--format", "singles"],
            "--format 的值 'singles' 无效；可用的有 individual、machine、pairs、teams、points",
        ),
        (["demo", "--format", "pairs"], "paohuzi 没有 pairs 赛制，--format 可为 individual, machine"),
        (["demo", "--seed", "1", "--seed", "2"], "--seed 只能给一次"),
        (["score", "explain", "x"], "ENTRANT 的值 'x' 无效，须为整数"),
        (["standings", "more"], "多余的参数：more"),
        (
            ["audit", "reconcile", "bogus"],
            "SERVICES 的值 'bogus' 无效；可用的有 pairing、dealer、table、scoring、appeals",
        ),
        (["rules", "check", "/no/such"], "/no/such: 没有这个文件或目录"),
        (["audit", "verify", "/"], "/: 是目录，不是文件"),
    ],
)
def test_a_wrong_command_line_is_told_in_chinese(
    line: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line) == 2
    assert capsys.readouterr().err == f"fupan: {told}\n"


def test_bad_rows_are_told_in_chinese(tmp_path: Path) -> None:
    path = tmp_path / "entrants.csv"
    path.write_text("number,person_id,person_id_2\n1,,kai\nx,bo,\n2,Bo,\n3,li\n4,lu,\n4,hu,\n")
    with pytest.raises(BadRoster) as bad:
        read(path)
    assert bad.value.lines == (
        "第 2 行：同一参赛者的成员须依次填写，中间不留空",
        "第 3 行：编号 'x' 不是从 1 起的整数",
        "第 4 行：person_id 'Bo' 须为 1 至 40 个 a-z、0-9 或 '-'",
        "第 5 行：有 2 格，而表头有 3 格",
        "第 7 行：编号 4 已在第 6 行",
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "第 1 行：须有 person_id，且每列只能有一次"),
        ("person_id,shoe", "第 1 行：没有列 'shoe'"),
    ],
)
def test_a_header_that_is_none_is_told_in_chinese(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "entrants.csv"
    path.write_text(f"{text}\nkai\n")
    with pytest.raises(BadRoster) as bad:
        read(path)
    (line,) = bad.value.lines
    assert line.startswith(told)
