"""Paohuzi: tiles by their characters, melds with their huxi, hands in columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from clients.boards import paohuzi as boards
from clients.boards.telling import Sentence, Sentences, tell
from clients.console.language import Language
from clients.console.tables.choosing import Choice, Laying
from services.games.paohuzi import actions, melds, tiles
from services.games.paohuzi.actions import Action, Eat, Peng, Play
from services.games.paohuzi.events import Won
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.view import SeatView

SCRIPT = "table-paohuzi.js"
ECHOES: Mapping[str, str] = {
    "play": "tile_played",
    "pass": "passed",
    "win": "win_claimed",
    "peng": "peng_claimed",
    "eat": "eat_claimed",
}

_SENTENCES: Sentences = {**boards.SENTENCES, "laid": ("seat {0} lays {1} {*}", "{0} 座{1} {*}")}
"""With what is seen without being told."""


def table(views: Sequence[SeatView], language: Language) -> dict[str, Any]:
    """The table; a seat's hand and closed melds are open in its own view."""
    first, own = views[0], {view.seat: view for view in views}
    return {
        "dealer": first.dealer,
        "bright": first.bright,
        "stock": first.stock_left,
        "offer": {"tile": first.current, "seat": first.current_from, "drawn": first.current_drawn}
        if first.current
        else None,
        "owes": first.owes,
        "seats": [_seat(seat, first, own.get(seat), language) for seat in range(len(first.fronts))],
        "over": first.over,
        "won": _won(first.won, language) if first.won else None,
    }


def choices(view: SeatView, language: Language) -> list[Choice]:
    """Whatever the viewer may do."""
    return [
        Choice(actions.show(one), boards.option(one, language.pick), tuple(map(tiles.show, _uses(view, one))))
        for one in view.options
    ]


def laying(view: SeatView) -> Laying | None:
    """None: every answer is among the choices."""
    return None


def standing(view: SeatView, language: Language) -> tuple[int, Sentence] | None:
    """None: nobody bids."""
    return None


def event(text: str, language: Language) -> Sentence:
    """What happened; what a win is made of the table shows."""
    return tell(text, _SENTENCES, language.pick, boards.word)


def noticed(before: SeatView, after: SeatView) -> list[str]:
    """Melds laid, the tile on offer, the end."""
    told = [
        f"laid {seat} {meld.name} {' '.join(map(tiles.show, meld.tiles))}"
        for seat, (old, new) in enumerate(zip(before.melds, after.melds, strict=True))
        for meld in (Counter(new) - Counter(old)).elements()
    ]
    if after.over:
        won = after.won
        return [*told, f"won {won.seat} {tiles.show(won.tile)}" if won else "board_drawn"]
    if after.current and _offer(before) != _offer(after):
        how = "tile_drawn" if after.current_drawn else "tile_played"
        told.append(f"{how} {after.current_from} {tiles.show(after.current)}")
    return told


def settle(table: dict[str, Any], before: dict[str, Any] | None, seat: int, action: str) -> None:
    """Nothing: tiles that were taken lie in melds, the others in front of seats."""


def labels(language: Language) -> dict[str, str]:
    """The words of the script."""
    pick = language.pick
    return {
        "seat": pick("Seat {0}", "{0} 座"),
        "dealer": pick("dealer", "庄"),
        "stock": pick("Stock", "余牌"),
        "bright": pick("Bright tile", "亮张"),
        "drawn": pick("drawn by seat {0}", "{0} 座摸"),
        "played": pick("played by seat {0}", "{0} 座打"),
        "hand": pick("Hand", "手牌"),
        "melds": pick("Melds", "门子"),
        "discards": pick("Discards", "弃牌"),
        "tiles": pick("{0} tiles", "{0} 张"),
        "huxi": pick("{0} huxi", "{0} 胡息"),
        "fan": pick("fan {0}", "{0} 番"),
        "asked": pick("to choose", "待决定"),
        "turn": pick("to play", "待出牌"),
        "dead": pick("dead hand", "死手"),
        "none": pick("none", "无"),
        "hidden": pick("face down", "暗牌"),
        "won": pick("Seat {0} wins", "{0} 座胡"),
        "nobody": pick("Nobody won", "荒庄"),
        "thinking": pick("{0} s", "{0} 秒"),
    }


def _seat(seat: int, first: SeatView, own: SeatView | None, language: Language) -> dict[str, Any]:
    front = (own or first).fronts[seat]
    laid = [_meld(meld, language) for meld in front.melds]
    return {
        "hand": list(tiles.expand(own.hand)) if own and own.hand else None,
        "size": front.hand_size,
        "melds": laid,
        "huxi": sum(one["huxi"] or 0 for one in laid),
        "discards": list(front.discards),
        "asked": bool(own and own.options),
        "turn": first.owes == seat,
        "dead": bool(own and own.dead_hand),
    }


def _offer(view: SeatView) -> tuple[Any, ...]:
    """What tells one tile on offer from the next: the stock shrinks with each draw, the hand with each play."""
    return view.current, view.current_from, view.current_drawn, view.stock_left, view.hand_sizes


def _meld(meld: Meld, language: Language) -> dict[str, Any]:
    """A meld; what it counts is shown where all of it is."""
    counted = None if tiles.HIDDEN in meld.tiles else melds.huxi(meld)
    name = language.pick(meld.name, melds.CHINESE[meld.name])
    return {"name": name, "tiles": list(meld.tiles), "huxi": counted}


def _won(won: Won, language: Language) -> dict[str, Any]:
    return {
        "seat": won.seat,
        "tile": won.tile,
        "huxi": won.huxi,
        "fan": won.fan,
        "names": [boards.hand_name(name, language.pick) for name in won.names],
        "scores": list(won.scores),
        "melds": [_meld(meld, language) for meld in won.melds],
    }


def _uses(view: SeatView, chosen: Action) -> tuple[int, ...]:
    """The tiles of the viewer's hand that an action takes."""
    match chosen:
        case Play(tile):
            return (tile,)
        case Peng():
            return view.current, view.current
        case Eat(using, along):
            return *using, *(tile for meld in along for tile in meld.tiles)
        case _:
            return ()
