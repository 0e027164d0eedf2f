"""The language the command speaks: English or Chinese, chosen by `--lang`, `FUPAN_LANG` or `LANG`."""

from __future__ import annotations

import os

LANGUAGES = ("en", "zh")

_chosen: list[str] = []


def choose(language: str | None) -> None:
    """Speak `language` from here on; None leaves it to the environment."""
    _chosen[:] = [language] if language else []


def language() -> str:
    """`en` or `zh`."""
    if _chosen:
        return _chosen[0]
    told = os.environ.get("FUPAN_LANG") or os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return "zh" if told.lower().startswith("zh") else "en"


_ZH = {
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
    "ruling": "裁决",
    "correction": "更正",
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
    "signatures": "签名",
    "commitments": "发牌承诺",
    "sealed records": "密封记录",
    "bodies": "记录内容",
    "deals": "发牌",
    "replay": "重打",
    "scores": "得分",
    "draw": "抽签",
    "rulings": "裁决",
    "standings": "名次",
    "receipts": "回执",
    "shadow referee": "第二裁判",
}
"""Words of the services' own, in Chinese."""


def word(told: str) -> str:
    """A word of the services' own (a phase, an office, an outcome) as people read it."""
    return pick(told.replace("_", " "), _ZH.get(told, told))


def pick(en: str, zh: str) -> str:
    """The text in the language spoken."""
    return zh if language() == "zh" else en
