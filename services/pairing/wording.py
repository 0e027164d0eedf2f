"""What is wrong with a championship file, as people read it: its readers (msgspec, libyaml) say it for programmers, in English."""

from __future__ import annotations

import re

_KINDS = {
    "int": ("a whole number", "整数"),
    "float": ("a number", "数"),
    "str": ("text", "文字"),
    "bool": ("true or false", "true 或 false"),
    "array": ("a list", "列表"),
    "object": ("a group of settings", "一组设置项"),
    "null": ("nothing", "空"),
}
_MISTAKEN = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_ROWS = tuple(
    (re.compile(pattern), told)
    for pattern, *told in (
        (r"Object contains unknown field `(.*?)`", r"there is no setting `\1`", r"没有设置项 `\1`"),
        (r"Object missing required field `(.*?)`", r"`\1` is missing", r"缺少 `\1`"),
        (
            r"Expected 1 to 40 of a-z, 0-9 and '-'",
            r"1 to 40 of a-z, 0-9 and '-' are wanted",
            r"须为 1 至 40 个 a-z、0-9 或 '-'",
        ),
        (r"Expected one line of text", r"one line of text is wanted", r"须为一行文字"),
        (r"Expected three letters A-Z", r"three letters A-Z are wanted", r"须为三个大写字母"),
        (r"Expected `str` of length <= (\d+)", r"at most \1 characters are wanted", r"至多 \1 个字符"),
        (r"Expected `int` >= (\d+)", r"at least \1 is wanted", r"须 >= \1"),
        (r"Expected `int` <= (\d+)", r"at most \1 is wanted", r"须 <= \1"),
        (r"Invalid enum value '(.*?)'", r"there is no choice '\1'", r"不能是 '\1'"),
        (r"^(.*) at `(.*)`$", r"`\2`: \1", r"\1（`\2`）"),
        (r"line (\d+): ", r"line \1: ", r"第 \1 行："),
        (r"(\S+) is given twice", r"\1 is given twice", r"\1 重复"),
        (
            r"a championship file has at most (\d+) bytes",
            r"a championship file has at most \1 bytes",
            r"赛事文件至多 \1 字节",
        ),
        (
            r"YAML aliases \(\*name\) are not allowed",
            r"YAML aliases (*name) are not allowed",
            r"不允许 YAML 别名（*name）",
        ),
        (
            r"a championship file has settings, one a line, as in championship: spring-cup",
            r"a championship file has settings, one a line, as in championship: spring-cup",
            r"每行须为一个设置项，如 championship: spring-cup",
        ),
        (r"nested too deeply|exceeded maximum nesting depth", r"nested too deeply", r"嵌套过深"),
        (r"not YAML", r"not YAML", r"不是 YAML"),
    )
)


def english(detail: str) -> str:
    """The sentence in plain English; what no row knows stays as it is."""
    return _told(detail, 0)


def chinese(detail: str) -> str:
    """The sentence in Chinese; what no row knows stays as it is."""
    return _told(detail, 1)


def _told(detail: str, language: int) -> str:
    between = ("{} is wanted, not {}", "须为{}，而不是{}")[language]
    detail = _MISTAKEN.sub(
        lambda found: between.format(*(_kind(one, language) for one in found.groups())), detail
    )
    for pattern, told in _ROWS:
        detail = pattern.sub(told[language], detail)
    return detail


def _kind(listed: str, language: int) -> str:
    """Kinds of values, `int | null`, in words; that a setting may be left out goes without saying."""
    kinds = listed.split(" | ")
    words = [_KINDS.get(one, (one, one))[language] for one in kinds if one != "null" or len(kinds) == 1]
    return (" or ", "或")[language].join(words)
