from __future__ import annotations

import pytest

from services.domain import Rejected
from services.pairing import wording
from services.pairing.document import resolve
from services.runtime import errors

GOOD = "championship: cup\nname: Cup\n"


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        (GOOD + "shoes: 4\n", "there is no setting `shoes`", "没有设置项 `shoes`"),
        (
            GOOD + "clocks: {shoes: 4}\n",
            "`clocks`: there is no setting `shoes`",
            "没有设置项 `shoes`（`clocks`）",
        ),
        ("name: Cup\n", "`championship` is missing", "缺少 `championship`"),
        (
            GOOD + "rounds: many\n",
            "`rounds`: a whole number is wanted, not text",
            "须为整数，而不是文字（`rounds`）",
        ),
        (GOOD + "rounds: 0\n", "`rounds`: at least 1 is wanted", "须 >= 1（`rounds`）"),
        (
            GOOD + "clocks: 4\n",
            "`clocks`: a group of settings is wanted, not a whole number",
            "须为一组设置项，而不是整数（`clocks`）",
        ),
        (
            GOOD + "format: singles\n",
            "`format`: there is no choice 'singles'",
            "不能是 'singles'（`format`）",
        ),
        (
            "championship: Cup\nname: Cup\n",
            "`championship`: 1 to 40 of a-z, 0-9 and '-' are wanted",
            "须为 1 至 40 个 a-z、0-9 或 '-'（`championship`）",
        ),
        (GOOD + "name: Cup\n", "line 3: name is given twice", "第 3 行：name 重复"),
        (
            GOOD + "clocks: &a {}\nscoring: *a\n",
            "YAML aliases (*name) are not allowed",
            "不允许 YAML 别名（*name）",
        ),
        (
            "number,person_id\n1,anna\n",
            "a championship file has settings, one a line, as in championship: spring-cup",
            "每行须为一个设置项，如 championship: spring-cup",
        ),
        ("[" * 20_000, "line 1: nested too deeply", "第 1 行：嵌套过深"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_words(text: str, english: str, chinese: str) -> None:
    with pytest.raises(Rejected) as refused:
        resolve(text, demo_allowed=False)
    assert refused.value.detail == english
    assert errors.explain(refused.value).message_zh == f"赛事文件格式不正确：{chinese}"


def test_what_nobody_foresaw_stays_as_it_is() -> None:
    assert wording.chinese("found a tab character that violates indentation") == (
        "found a tab character that violates indentation"
    )
