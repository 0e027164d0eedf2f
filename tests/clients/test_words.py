"""What checks find, and what keeps a platform from starting, is said in Chinese where Chinese is spoken."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.cli import words
from services.words import WORDS, templates
from tests.sentences import Source, sources

ROOT = Path(__file__).resolve().parents[2]
ROWS = tomllib.loads((ROOT / "clients/cli/sentences.toml").read_text("utf-8"))

SAID = (
    "services/ledger/audit",
    "services/ledger/auditfile.py",
    "services/ledger/keys.py",
    "services/ledger/record.py",
    "services/runtime/backup.py",
    "services/runtime/reconcile.py",
    "services/runtime/embedded",
    "services/games/cases",
)
"""Where what the command passes on is written down."""

OTHERWISE = (
    "services/ledger/audit/report.py",  # `fupan audit verify` says it in its own words
    "services/runtime/embedded/launch.py",  # nobody is left to read it
)
NAMES = {"keep {}", "ok {}", "FAIL {}: {}"}
"""Names of tasks, and how a verdict begins in any language."""


@pytest.fixture
def chinese() -> Iterator[None]:
    words.choose("zh")
    yield
    words.choose(None)


@pytest.fixture(scope="module")
def modules() -> list[Source]:
    return [
        source
        for under in ("services/ledger", "services/runtime", "services/games/cases")
        for source in sources(ROOT, under)
        if source.name.startswith(SAID) and source.name not in OTHERWISE
    ]


def test_every_sentence_that_the_command_passes_on_has_its_chinese(modules: list[Source]) -> None:
    """A sentence that fails here needs a row in clients/cli/sentences.toml."""
    missing = [
        (source.name, text)
        for source in modules
        for text in source.sentences()
        if text.partition("\n")[0] not in templates(ROWS) | WORDS.keys() | NAMES
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("english", "told"),
    [
        (
            "fupan.e1.table.0.cup.t1 version 3: version 5 stands where version 4 was due",
            "fupan.e1.table.0.cup.t1 第 3 条：此处应为第 4 条，却是第 5 条",
        ),
        (
            "the file does not end where it should: 12 bytes are missing",
            "文件结尾位置不对：缺 12 字节",
        ),
        (
            "nats ended (exit code 1); the end of /d/nats.log:\n[1] listen: no such address",
            "nats 已结束（退出码 1）；/d/nats.log 的末尾：\n[1] listen: no such address",
        ),
        (
            "/b holds no backup: No such file or directory",
            "/b 不是备份：没有这个文件或目录",
        ),
        (
            "publication 2 is not what the results and rulings in its cut give",
            "第 2 次公布的名次与其截面内的成绩和裁决不符",
        ),
        ("TypeError: what no row knows", "TypeError: what no row knows"),
    ],
)
def test_a_sentence_is_told_line_by_line(chinese: None, english: str, told: str) -> None:
    assert words.sentence(english) == told
    words.choose("en")
    assert words.sentence(english) == english
