"""A match of many deals as its players see it: levels, deals so far, time left, how it came out (C8.2, C8.3)."""

from __future__ import annotations

import time
from collections.abc import Sequence

from clients.boards.shengji import rank, suit
from clients.boards.telling import Pick
from fupan.table.v1 import events_pb2, service_pb2

_SIDES = ("side 0+2", "side 1+3")
_SIDES_ZH = ("0、2 座", "1、3 座")
"""For who sits on neither."""


def standing(match: service_pb2.MatchView, own: int | None, pick: Pick) -> str:
    """Where a match with levels stands for the side `own`, None for who sits on neither."""
    first, second = own or 0, 1 - (own or 0)
    one, other = rank(match.levels[first]), rank(match.levels[second])
    told = (
        pick(
            f"match: {_SIDES[first]} {one}, {_SIDES[second]} {other}",
            f"本场：{_SIDES_ZH[first]}打 {one}，{_SIDES_ZH[second]}打 {other}",
        )
        if own is None
        else pick(f"match: your side {one}, theirs {other}", f"本场：我方打 {one}，对方打 {other}")
    )
    number = len([each for each in match.played if not each.voided])
    if match.most_deals:
        told += pick(f"; {number} of {match.most_deals} deals", f"；已打 {number}/{match.most_deals} 副")
    if match.ends_us:
        left = max(0, round((match.ends_us / 1_000_000 - time.time()) / 60))
        told += pick(f"; {left} minutes left", f"；还剩 {left} 分钟")
    return told


def deal(played: events_pb2.MatchDeal, pick: Pick) -> str:
    """One deal: level, declarer, trumps, points, and the levels after it."""
    level, trump = rank(played.level), suit(played.trump).text if played.trump else "—"
    begun = pick(
        f"deal {played.deal}: level {level}, declarer {played.declarer}, trumps {trump}",
        f"第 {played.deal} 副：打 {level}，{played.declarer} 座庄，主 {trump}",
    )
    if played.voided:
        return begun + pick("; voided by a revolution", "；革命作废")
    levels = ":".join(map(rank, played.levels))
    return begun + pick(
        f"; defenders {played.points} points, then {levels}", f"；闲家 {played.points} 分，打到 {levels}"
    )


def ended(match: events_pb2.MatchEnded, own: int | None, pick: Pick, names: Sequence[str] = ()) -> str:
    """How the match came out; who sits on neither side reads the sides' `names` where they are known."""
    if not match.HasField("winner"):
        return pick("the match was closed without a winner", "本场中止，未分胜负")
    if own is None:
        who = names[match.winner] if names else pick(_SIDES[match.winner], _SIDES_ZH[match.winner])
    else:
        who = pick("your side", "我方") if match.winner == own else pick("the other side", "对方")
    return pick(
        f"{who} has won the match by {match.net_levels} levels ({match.clause})",
        f"{who}胜，净胜 {match.net_levels} 级（{match.clause}）",
    )
