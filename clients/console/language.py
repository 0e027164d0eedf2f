"""The language of a page: English or Chinese, by `?lang=`, then the visitor's last choice, then Accept-Language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from services.words import WORDS

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
        return self.pick(told.replace("_", " "), _ZH.get(told) or WORDS.get(told, told))

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
    "paohuzi": "跑胡子",
    "shengji": "升级",
    "onsite": "现场",
    "remote": "远程",
    "mixed": "现场与远程",
    "live": "实时",
    "operator": "主办方公布",
    "final": "最终",
    "boards": "牌局",
    "redeal": "重发",
    "match": "对局",
    "infringement_recorded": "违规记录",
    "ruling_made": "判罚",
    "table_paused": "暂停",
    "table_resumed": "恢复",
    "clock_extended": "加时",
    "seat_replaced": "换人",
    "referee_called": "呼叫裁判",
    "infringement_entered": "违例登记",
    "infringement_lifted": "撤销违例",
    "sheet_entered": "登记记分表",
    "sheet_signed": "签名",
    "signature_refused": "拒签",
    "sheet_disputed": "提出争议",
    "sheet_decided": "裁定记分表",
    "sheet_confirmed": "核实记分表",
    "file": "案卷",
}
"""Words that only pages say, or say otherwise than elsewhere."""
