from __future__ import annotations

import pytest

from services.domain import Rejected
from services.pairing.chinese import chinese
from services.pairing.document import resolve
from services.runtime import errors

GOOD = "championship: cup\nname: Cup\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD + "shoes: 4\n", "没有设置项 `shoes`"),
        ("name: Cup\n", "缺少 `championship`"),
        (GOOD + "rounds: many\n", "须为 `int | null`，而不是 `str`（`rounds`）"),
        (GOOD + "rounds: 0\n", "须 >= 1（`rounds`）"),
        (GOOD + "format: singles\n", "不能是 'singles'（`format`）"),
        ("championship: Cup\nname: Cup\n", "须为 1 至 40 个 a-z、0-9 或 '-'（`championship`）"),
        (GOOD + "name: Cup\n", "第 3 行：name 重复"),
        (GOOD + "clocks: &a {}\nscoring: *a\n", "不允许 YAML 别名（*name）"),
        ("number,person_id\n1,anna\n", "每行须为一个设置项，如 championship: spring-cup"),
        ("[" * 20_000, "第 1 行：嵌套过深"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_chinese(text: str, told: str) -> None:
    with pytest.raises(Rejected) as refused:
        resolve(text, demo_allowed=False)
    assert errors.explain(refused.value).message_zh == f"赛事文件格式不正确：{told}"


def test_what_nobody_foresaw_stays_as_it_is() -> None:
    assert chinese("found a tab character that violates indentation") == (
        "found a tab character that violates indentation"
    )
