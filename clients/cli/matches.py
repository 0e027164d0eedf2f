"""A match of many deals as its players see it: levels, deals so far, time left, how it came out (C8.2, C8.3)."""

from __future__ import annotations

import time
from collections.abc import Iterator

from rich.text import Text

from clients.cli.faces.shengji import GLYPHS
from clients.cli.words import pick
from fupan.table.v1 import events_pb2, service_pb2
from services.games.shengji.cards import SUITS
from services.games.shengji.result import side

_SHOWN = 3
"""Deals that are told of, the newest ones."""

_SIDES = ("side 0+2", "side 1+3")
_SIDES_ZH = ("0、2 座", "1、3 座")
"""For who sits on neither."""


def lines(match: service_pb2.MatchView, seat: int | None) -> Iterator[Text]:
    """Where the match stands for the one at `seat`, None for who sits at none, its last deals, and its end."""
    own = None if seat is None else side(seat)
    if match.levels:
        yield _standing(match, own)
    for deal in match.played[-_SHOWN:]:
        yield Text(f"   {_deal(deal)}", "dim")
    if match.HasField("ended"):
        yield Text(_ended(match.ended, own), "bold green")


def _standing(match: service_pb2.MatchView, own: int | None) -> Text:
    first, second = own or 0, 1 - (own or 0)
    one, other = _rank(match.levels[first]), _rank(match.levels[second])
    line = Text(
        pick(
            f"match: {_SIDES[first]} {one}, {_SIDES[second]} {other}",
            f"本场：{_SIDES_ZH[first]}打 {one}，{_SIDES_ZH[second]}打 {other}",
        )
        if own is None
        else pick(f"match: your side {one}, theirs {other}", f"本场：我方打 {one}，对方打 {other}")
    )
    number = len([deal for deal in match.played if not deal.voided])
    if match.most_deals:
        line.append(pick(f"; {number} of {match.most_deals} deals", f"；已打 {number}/{match.most_deals} 副"))
    if match.ends_us:
        left = max(0, round((match.ends_us / 1_000_000 - time.time()) / 60))
        line.append(pick(f"; {left} minutes left", f"；还剩 {left} 分钟"))
    return line


def _deal(deal: events_pb2.MatchDeal) -> str:
    """One deal: level, declarer, trumps, points, and the levels after it."""
    level, trump = _rank(deal.level), GLYPHS[SUITS.index(deal.trump)] if deal.trump else "—"
    begun = pick(
        f"deal {deal.deal}: level {level}, declarer {deal.declarer}, trumps {trump}",
        f"第 {deal.deal} 副：打 {level}，{deal.declarer} 座庄，主 {trump}",
    )
    if deal.voided:
        return begun + pick("; voided by a revolution", "；革命作废")
    levels = ":".join(map(_rank, deal.levels))
    return begun + pick(
        f"; defenders {deal.points} points, then {levels}", f"；闲家 {deal.points} 分，打到 {levels}"
    )


def _ended(ended: events_pb2.MatchEnded, own: int | None) -> str:
    if not ended.HasField("winner"):
        return pick("the match was closed without a winner", "本场中止，未分胜负")
    if own is None:
        who = pick(_SIDES[ended.winner], _SIDES_ZH[ended.winner])
    else:
        who = pick("your side", "我方") if ended.winner == own else pick("the other side", "对方")
    return pick(
        f"{who} has won the match by {ended.net_levels} levels ({ended.clause})",
        f"{who}胜，净胜 {ended.net_levels} 级（{ended.clause}）",
    )


def _rank(rank: str) -> str:
    return "10" if rank == "T" else rank
