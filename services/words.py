"""What services say in English, said in Chinese: words of their own, and sentences with holes for what was computed.

A sentence is told by its template, `entrant {number} has withdrawn already`. It is looked for when somebody is to read it, so
that whoever refuses something, or finds it, writes one language only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "yes": "是",
        "no": "否",
        "registration": "报名",
        "seating": "编排中",
        "paired": "已编排",
        "running": "进行中",
        "closed": "已结束",
        "ended": "已结束",
        "sealed": "已封存",
        "individual": "人人赛",
        "machine": "人机赛",
        "pairs": "双人赛",
        "teams": "团体赛",
        "points": "积分赛",
        "organiser": "组织者",
        "chief_referee": "裁判长",
        "deputy": "副裁判长",
        "referee": "裁判员",
        "arbitrator": "仲裁员",
        "arbitration": "仲裁委员会",
        "national_federation": "国家体育总局棋牌运动管理中心",
        "referee_group": "裁判组",
        "player": "选手",
        "filed": "待缴费",
        "received": "待组成仲裁组",
        "voting": "表决中",
        "counting": "计票中",
        "upheld": "成立",
        "rejected": "驳回",
        "withdrawn": "已撤回",
        "dismissed": "不予受理",
        "lapsed": "已失效",
        "due": "待缴",
        "paid": "已缴",
        "unpaid": "未缴",
        "kept": "不退",
        "refunded": "已退",
        "round": "轮次结束",
        "playoff": "加赛",
        "ruling": "裁决",
        "correction": "更正",
        "arithmetic": "更正计算",
        "operator": "主办方",
        "empty": "未登记",
        "open": "待签名",
        "signed": "待核实",
        "disputed": "有争议",
        "verified": "已核实",
        "ok": "通过",
        "failed": "不符",
        "not possible": "未能核验",
        "file": "文件",
        "chain": "哈希链",
        "ends": "日志结尾",
        "dealer": "发牌",
        "pairing": "编排",
        "scoring": "计分",
        "signatures": "签名",
        "commitments": "发牌承诺",
        "sealed records": "密封记录",
        "bodies": "记录内容",
        "deals": "发牌",
        "replay": "重打",
        "scores": "得分",
        "draw": "抽签",
        "offices": "职务",
        "rulings": "裁决",
        "standings": "名次",
        "receipts": "回执",
        "shadow referee": "第二裁判",
        "warning": "警告",
        "fine": "罚分",
        "removal": "离场",
        "forfeit": "判负",
    }
)
"""Words of the services' own: phases, offices, outcomes, what an audit checks."""

_HOLE = re.compile(r"\{(\w+)\}")
_SEPARATORS = (("; ", "；"), (", ", "、"), (" and ", "、"), (" or ", " 或 "))
"""How sentences and words are put together, and what stands between them in Chinese."""

LONGEST, DEPTH = 4_000, 6
"""A longer sentence, and what lies deeper in others, was made up by somebody who wants us to read for ever."""


class Sentences:
    """Sentences of one kind by their English templates. Of two that fit the one with more letters of its own is meant."""

    def __init__(self, rows: Mapping[str, str], words: Mapping[str, str] = WORDS) -> None:
        ordered = sorted(rows, key=lambda english: len(_HOLE.sub("", english)), reverse=True)
        self._rows = tuple((_pattern(english), rows[english]) for english in ordered)
        self._words = words

    def chinese(self, sentence: str, depth: int = DEPTH) -> str | None:
        """The sentence in Chinese, or None where no template fits. What stands in a hole is translated as far as it can be."""
        if len(sentence) > LONGEST or not depth:
            return None
        for pattern, told in self._rows:
            if found := pattern.fullmatch(sentence):
                values = found.groupdict().items()
                return told.format_map({name: self._value(text, depth - 1) for name, text in values})
        return None

    def _value(self, text: str, depth: int) -> str:
        known = self._words.get(text) or self.chinese(text, depth)
        return known or self._list(text, depth) or text

    def _list(self, text: str, depth: int) -> str | None:
        """Several values in a row, where at least one of them has a Chinese word."""
        for separator, told in _SEPARATORS:
            if separator in text and depth:
                parts = text.split(separator)
                values = [self._value(part, depth - 1) for part in parts]
                return told.join(values) if values != parts else None
        return None


def templates(sentences: Iterable[str]) -> frozenset[str]:
    """Templates with their holes unnamed, as `{}`."""
    return frozenset(_HOLE.sub("{}", sentence) for sentence in sentences)


def _pattern(english: str) -> re.Pattern[str]:
    parts = _HOLE.split(english)
    # Every second part is the name of a hole.
    literal = [re.escape(part) if index % 2 == 0 else f"(?P<{part}>.+?)" for index, part in enumerate(parts)]
    return re.compile("".join(literal), re.DOTALL)
