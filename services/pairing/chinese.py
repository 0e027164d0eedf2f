"""What is wrong with a championship file, in Chinese: its readers (msgspec, libyaml) say it in English only."""

from __future__ import annotations

import re

_SENTENCES = tuple(
    (re.compile(pattern), told)
    for pattern, told in (
        (r"Object contains unknown field `(.*?)`", r"没有设置项 `\1`"),
        (r"Object missing required field `(.*?)`", r"缺少 `\1`"),
        (r"Expected 1 to 40 of a-z, 0-9 and '-'", r"须为 1 至 40 个 a-z、0-9 或 '-'"),
        (r"Expected one line of text", r"须为一行文字"),
        (r"Expected three letters A-Z", r"须为三个大写字母"),
        (r"Expected `str` of length <= (\d+)", r"至多 \1 个字符"),
        (r"Expected `int` (>=|<=) (\d+)", r"须 \1 \2"),
        (r"Expected `(.*?)`, got `(.*?)`", r"须为 `\1`，而不是 `\2`"),
        (r"Invalid enum value '(.*?)'", r"不能是 '\1'"),
        (r" at `(.*)`", r"（`\1`）"),
        (r"line (\d+): ", r"第 \1 行："),
        (r"(\S+) is given twice", r"\1 重复"),
        (r"a championship file has at most (\d+) bytes", r"赛事文件至多 \1 字节"),
        (r"YAML aliases \(\*name\) are not allowed", r"不允许 YAML 别名（*name）"),
        (
            r"a championship file has settings, one a line, as in championship: spring-cup",
            r"每行须为一个设置项，如 championship: spring-cup",
        ),
        (r"nested too deeply|exceeded maximum nesting depth", r"嵌套过深"),
        (r"not YAML", r"不是 YAML"),
    )
)


def chinese(detail: str) -> str:
    """The sentence in Chinese; what no row knows stays as it is."""
    for pattern, told in _SENTENCES:
        detail = pattern.sub(told, detail)
    return detail
