"""Every sentence that a refusal says in English has its Chinese; what is written down nowhere is told apart here."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from services.domain import Rejected
from services.runtime.errors import Malformed, explain
from services.runtime.reasons import DETAILS, NOUNS, REASONS
from services.runtime.streams import BadName
from services.words import templates
from tests.sentences import HOLE, Source, sources

ROOT = Path(__file__).resolve().parents[2]

CALLS = {"Rejected": 2, "Denied": 1, "Unauthenticated": 1, "Unavailable": 1, "Malformed": 1}
"""What refuses, and the place of its sentence; the reason comes first, of Malformed the field."""

ELSEWHERE = (
    "services/games/cases",  # a program's input, refused in English alone
    "services/games/shadow",
    "services/ledger/audit",  # `services.ledger.audit.chinese`
    "services/runtime/embedded",
)

SAYS_ALL_BY_ITS_REASON = (
    # An action at a table: each of its reasons is one sentence.
    "services/games/paohuzi/refusals.py",
    "services/games/shengji/bids.py",
    "services/games/shengji/decide.py",
    # Said again with the deadline, which the reason's row has too.
    "services/appeals/deadlines.py",
    "services/pairing/announcing.py",
    "services/table/leaves.py",
)

PASSED_ON = (
    "services/appeals/carrying.py",
    "services/appeals/judging.py",
    "services/games/paohuzi/actions.py",
    "services/games/shengji/actions.py",
    "services/pairing/intake.py",
    "services/runtime/limits.py",
)
"""Sentences made in PARTS, or refused elsewhere or under another reason first."""

PARTS = {
    ("services/appeals/conflicts.py", "conflicts"): "CONFLICT",
    ("services/pairing/intake.py", "_faults"): "BAD_ROWS",
    ("services/pairing/intake.py", "_clashes"): "BAD_ROWS",
    ("services/runtime/limits.py", "_bad_id"): "MALFORMED",
    ("services/runtime/limits.py", "_bad_command_id"): "MALFORMED",
    ("services/runtime/limits.py", "_bad_text"): "MALFORMED",
}
"""Functions whose sentences become parts of a refusal, and its reason."""

Refusals = dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def modules() -> list[Source]:
    return [source for source in sources(ROOT, "services") if not source.name.startswith(ELSEWHERE)]


@pytest.fixture(scope="module")
def refusals(modules: list[Source]) -> Refusals:
    """Templates by reason, with the place where each is said."""
    found: Refusals = defaultdict(dict)
    for source in modules:
        for said in source.said("BadName", 0):
            if said.text and said.text.startswith(HOLE):  # else of a name that is our own
                found["MALFORMED"].setdefault(said.text, said.where)
        for call, place in CALLS.items():
            if call == "Malformed" and source.name.startswith("services/ledger"):
                continue  # its own: a record, and no request, is malformed
            for said in source.said(call, place, "why" if call == "Malformed" else "detail"):
                reason, text = said.kind, said.text
                if said.told_apart or text == "":
                    continue
                if call == "Malformed":
                    reason, text = "MALFORMED", None if text is None else f"{HOLE} {text}"
                if text is None or HOLE in reason:
                    assert source.name.startswith((*SAYS_ALL_BY_ITS_REASON, *PASSED_ON)), (
                        f"{said.where}: nobody can tell what this says; write the sentence where it is said"
                    )
                else:
                    found[reason].setdefault(text, said.where)
    return found


def test_every_sentence_of_a_refusal_has_its_chinese(refusals: Refusals) -> None:
    """A sentence that fails here needs a row in services/runtime/details.toml."""
    missing = [
        f"{where}: [{reason}] {text}"
        for reason, said in refusals.items()
        if len(said) > 1 or any(HOLE in text for text in said)
        for text, where in said.items()
        if text not in templates(DETAILS.get(reason, {})) and text != HOLE
    ]
    assert missing == []


def test_everything_that_is_not_found_has_its_chinese(modules: list[Source]) -> None:
    assert {said.text for source in modules for said in source.said("NotFound", 0)} == set(NOUNS)


def test_what_is_wrong_with_a_field_is_told_in_chinese(refusals: Refusals) -> None:
    """Of every sentence that is said, and of every part that comes from elsewhere; both stand in details.toml."""
    said = {*refusals["MALFORMED"], *templates(DETAILS["MALFORMED"])}
    for text in said:
        (told,) = explain(Malformed("seat", text.removeprefix(f"{HOLE} ").replace(HOLE, "7"))).fields
        assert told.path == "seat"
        assert re.search(r"[\u4e00-\u9fff]", told.why_zh), text
        assert "请求格式不正确" not in told.why_zh, text


def test_every_part_of_a_sentence_has_its_chinese(modules: list[Source]) -> None:
    by_name = {source.name: source for source in modules}
    missing = [
        (name, function, part)
        for (name, function), reason in PARTS.items()
        for part in by_name[name].sentences(function)
        if not {part, f"{HOLE} {part}"} & templates(DETAILS[reason])
    ]
    assert missing == []


def test_no_row_is_left_of_a_sentence_that_nobody_says(modules: list[Source], refusals: Refusals) -> None:
    written = {text for source in modules for text in source.templates()}
    stale = [
        (reason, text)
        for reason, rows in DETAILS.items()
        for text in templates(rows)
        if text not in refusals.get(reason, {})
        and not {text, text.removeprefix(f"{HOLE} "), text.rpartition(": ")[2]} & written
    ]
    assert stale == []


def test_every_reason_has_words_in_both_languages(modules: list[Source], refusals: Refusals) -> None:
    """A reason that fails here needs a row in services/runtime/refusals.py."""
    at_play = {
        text
        for source in modules
        if source.name.startswith(SAYS_ALL_BY_ITS_REASON)
        for text in source.templates()
        if re.fullmatch(r"[A-Z][A-Z_]{3,}", text)
    }
    assert {*refusals, *DETAILS, *at_play} - set(REASONS) == set()
    assert [name for name, reason in REASONS.items() if not reason.zh] == []


def test_holes_are_those_of_the_english() -> None:
    for rows in DETAILS.values():
        for english, chinese in rows.items():
            assert chinese
            assert _names(chinese) <= _names(english), english


@pytest.mark.parametrize(
    ("refusal", "chinese"),
    [
        (
            Rejected("SCORE_OUT_OF_RANGE", "C9.2", "a score lies within ±500"),
            "得分须在 ±500 之内（依据 C9.2）",
        ),
        (
            Rejected("SHEET_NOT_SIGNED", "C8.6", "the sheet is open, not signed by wang, li"),
            "记分表待签名，尚未签名：wang, li（依据 C8.6）",
        ),
        (
            Rejected("NO_SUCH_ROLE", "C9.1", "a role is one of organiser, referee"),
            "职务须为组织者、裁判员之一（依据 C9.1）",
        ),
        (
            Rejected("CONFLICT", "C10.3", "li may not judge this: is a party and shares a unit with a party"),
            "li 须回避：是当事人、与当事人同一单位（依据 C10.3）",
        ),
        (
            Rejected("WRONG_CHUNK", "", "chunk 3 came where chunk 2 was due"),
            "收到第 3 块，应为第 2 块",
        ),
        (
            Rejected("HUXI_TOO_FEW", "P8.2", "seat 1, win: the hand has fewer than 15 huxi"),
            "胡息不足 15，不能胡牌（依据 P8.2）",
        ),
        (
            Rejected("NOT_YOUR_TURN", "S2.1", "seat 1, play SA SA: it is seat 0's turn"),
            "现在轮到 0 座（依据 S2.1）",
        ),
        (Rejected("TABLE_PAUSED", "", "a sentence that nobody wrote"), "裁判已暂停本桌"),
        (Malformed("seat", "must be 0 to 3"), "seat 须为 0 至 3"),
        (BadName("'fupan.x' is no subject of the log"), "'fupan.x' 不是日志中的主题"),
    ],
)
def test_the_chinese_says_what_the_english_says(refusal: Exception, chinese: str) -> None:
    assert explain(refusal).message_zh == chinese


def _names(text: str) -> set[str]:
    return {part.partition("}")[0] for part in text.split("{")[1:]}
