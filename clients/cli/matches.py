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


def lines(match: service_pb2.MatchView, seat: int) -> Iterator[Text]:
    """Where the match stands for the one at `seat`, its last deals, and its end."""
    own = side(seat)
    if match.levels:
        yield _standing(match, own)
    for deal in match.played[-_SHOWN:]:
        yield Text(f"   {_deal(deal)}", "dim")
    if match.HasField("ended"):
        yield Text(_ended(match.ended, own), "bold green")


def _standing(match: service_pb2.MatchView, own: int) -> Text:
    mine, theirs = _rank(match.levels[own]), _rank(match.levels[1 - own])
    line = Text(pick(f"match: your side {mine}, theirs {theirs}", f"本场：我方打 {mine}，对方打 {theirs}"))
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


def _ended(ended: events_pb2.MatchEnded, own: int) -> str:
    if not ended.HasField("winner"):
        return pick("the match was closed without a winner", "本场中止，未分胜负")
    won = ended.winner == own
    who = pick("your side", "我方") if won else pick("the other side", "对方")
    return pick(
        f"{who} has won the match by {ended.net_levels} levels ({ended.clause})",
        f"{who}胜，净胜 {ended.net_levels} 级（{ended.clause}）",
    )


def _rank(rank: str) -> str:
    return "10" if rank == "T" else rank
