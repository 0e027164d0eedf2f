"""The language of a page: English or Chinese, by `?lang=`, then the visitor's last choice, then Accept-Language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

COOKIE = "lang"
"""Keeps a choice; it says nothing else about a visitor."""

Code = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Language:
    """One language; `tag` is what HTML calls it."""

    code: Code
    tag: str

    def pick(self, en: str, zh: str) -> str:
        """The text in this language."""
        return zh if self.code == "zh" else en

    def word(self, told: str) -> str:
        """A word of the services' own (a phase, a format, a cause) as people read it."""
        return self.pick(told.replace("_", " "), _ZH.get(told, told))

    @property
    def other(self) -> Language:
        """The one to switch to."""
        return LANGUAGES["en" if self.code == "zh" else "zh"]


LANGUAGES: Mapping[str, Language] = {"en": Language("en", "en"), "zh": Language("zh", "zh-Hans")}


def chosen(query: str | None, cookie: str | None, accepted: str | None) -> Language:
    """The language to speak; English where nothing says Chinese."""
    for named in (query, cookie):
        if named and named in LANGUAGES:
            return LANGUAGES[named]
    return LANGUAGES[_preferred(accepted or "")]


def _preferred(accepted: str) -> str:
    """The best language of an Accept-Language header (RFC 9110, 12.5.4) that there is."""
    best, weight = "en", 0.0
    for part in accepted.split(","):
        tag, _, parameter = part.partition(";")
        code = tag.strip().lower().partition("-")[0]
        try:
            quality = float(parameter.partition("=")[2]) if parameter else 1.0
        except ValueError:
            continue
        if code in LANGUAGES and quality > weight:
            best, weight = code, quality
    return best


_ZH = {
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
    "paohuzi": "跑胡子",
    "shengji": "升级",
    "onsite": "现场",
    "remote": "远程",
    "mixed": "现场与远程",
    "live": "实时",
    "round": "轮次结束",
    "ruling": "裁决",
    "correction": "更正",
    "arithmetic": "算术更正",
    "arbitration": "仲裁委员会",
    "chief_referee": "裁判长",
    "deputy": "副裁判长",
    "referee": "裁判",
    "arbitrator": "仲裁员",
    "organiser": "主办方",
    "operator": "主办方公布",
    "final": "最终",
    "boards": "牌局",
    "draw": "抽签",
    "redeal": "重发",
    "replay": "重打",
    "playoff": "加赛",
    "match": "对局",
    "standings": "名次",
    "warning": "警告",
    "fine": "罚款",
    "removal": "离场",
    "forfeit": "判负",
    "filed": "待缴费",
    "received": "待组成仲裁组",
    "voting": "表决中",
    "counting": "计票中",
    "upheld": "成立",
    "rejected": "驳回",
    "lapsed": "已失效",
    "withdrawn": "已撤回",
    "dismissed": "不予受理",
    "refunded": "已退",
    "kept": "不退",
    "infringement_recorded": "违规记录",
    "ruling_made": "判罚",
    "table_paused": "暂停",
    "table_resumed": "恢复",
    "clock_extended": "加时",
    "seat_replaced": "换人",
    "referee_called": "呼叫裁判",
    "file": "案卷",
    "chain": "哈希链",
    "deals": "发牌",
}
"""Words of the services' own, in Chinese."""
