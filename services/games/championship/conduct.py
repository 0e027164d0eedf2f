"""The catalogue of conduct (C11.1): what referees record, as data."""

from __future__ import annotations

from dataclasses import dataclass

from services.domain import Rejected


@dataclass(frozen=True, slots=True)
class Row:
    """One row: who it binds (`player`, `referee`, `spectator` or `anybody`) and its text in both languages."""

    who: str
    en: str
    zh: str


MOST_FINE = 200
"""Points of all cards: more no deal can move."""

OUTCOMES = ("warning", "fine", "removal", "forfeit")
"""What may follow; the referee chooses (C11.1)."""

CATALOGUE: dict[str, Row] = {
    "V1": Row("anybody", "untidy dress or no valid badge", "衣冠不整或未佩戴有效证件"),
    "V2": Row("anybody", "noise, walking about, watching other tables", "喧哗、随意走动、围观其他桌次"),
    "V3": Row("anybody", "smoking in or around the playing area", "在赛场及周边规定区域内吸烟"),
    "V4": Row("anybody", "alcohol in the playing area, or before entering it", "酒后入场或在赛场饮酒"),
    "V5": Row(
        "anybody", "entering the closed area without a referee's consent", "未经裁判员同意进入封闭赛场"
    ),
    "A1": Row("player", "a networked device not for the match", "使用与比赛无关的联网电子设备"),
    "A2": Row("player", "disobeying a ruling", "不服从裁判员的裁定"),
    "A3": Row("player", "telling cards by word or gesture", "用语言或肢体动作报牌"),
    "A4": Row("player", "disturbing other players", "故意干扰其他参赛者"),
    "A5": Row(
        "player", "leaving the seat without consent before the round ends", "一轮结束前未经同意离开桌位"
    ),
    "A6": Row("player", "staying on or discussing boards after play", "赛后在赛场逗留或讨论牌局"),
    "R1": Row("referee", "ruling against the rules or without grounds", "裁决不合规则或无据"),
    "R2": Row("referee", "neglect of a referee's duties", "不履行裁判员职责"),
    "R3": Row("referee", "partiality", "徇私"),
    "R4": Row(
        "referee", "disobeying instructions, or improper dress or manner", "不服从领导，着装或执裁不文明"
    ),
    "S1": Row("spectator", "disobeying referees or staff", "不服从裁判员和工作人员的管理"),
    "S2": Row("spectator", "disturbing play by word or deed", "以言语或行为干扰比赛"),
    "S3": Row("spectator", "judging an error during play", "对比赛中的违例和错误作出评判"),
    "S4": Row("spectator", "walking about to see cards, or noise", "走动看牌或大声喧哗"),
}


def check(code: str) -> None:
    """Raises Rejected unless `code` is a row of the catalogue."""
    if code not in CATALOGUE:
        raise Rejected(
            "UNKNOWN_INFRINGEMENT", "C11.1", f"{code!r} is no row of the catalogue: {', '.join(CATALOGUE)}"
        )


def check_seat(code: str) -> None:
    """Raises Rejected where a row is of nobody who sits at a table."""
    who = CATALOGUE[code].who
    if who in ("referee", "spectator"):
        raise Rejected("NOT_OF_A_SEAT", "C11.1", f"{code} is of a {who}; it is recorded at no table")


def check_outcome(outcome: str, fine: int) -> None:
    """Raises Rejected unless `outcome` is one of `OUTCOMES`, and points go with a fine alone."""
    if outcome not in OUTCOMES:
        raise Rejected("UNKNOWN_OUTCOME", "C11.1", f"an outcome is one of {', '.join(OUTCOMES)}")
    if not 0 <= fine <= MOST_FINE or (fine and outcome != "fine"):
        raise Rejected("FINE_OUT_OF_RANGE", "S9.2", f"a fine is 0 to {MOST_FINE} points, other outcomes none")
