"""Boards as people see them: tiles with their characters, red and black, melds, discards, what one may do."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from clients.cli.words import language, pick
from services.games.paohuzi import actions, melds, tiles
from services.games.paohuzi.actions import Eat, Pass, Peng, Play, Win
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.view import Front, SeatView

_HIDDEN = "▒"
_TILE = re.compile(r"[sb](?:[1-9]|10)")
_RED, _BLACK, _FAINT = "bold red", "bold", "dim"


def record(view: SeatView | None) -> dict[str, Any] | None:
    """A view as JSON has it, tiles by their text (`s5`, `b10`, `??`)."""
    if view is None:
        return None
    return {
        "seat": view.seat,
        "dealer": view.dealer,
        "bright": tiles.show(view.bright),
        "stock_left": view.stock_left,
        "hand": [tiles.show(tile) for tile in tiles.expand(view.hand)] if view.hand else [],
        "fronts": [
            {
                "melds": [[meld.name, *map(tiles.show, meld.tiles)] for meld in front.melds],
                "discards": [tiles.show(tile) for tile in front.discards],
                "hand_size": front.hand_size,
            }
            for front in view.fronts
        ],
        "current": tiles.show(view.current) if view.current else None,
        "current_from": view.current_from,
        "current_drawn": view.current_drawn,
        "owes": view.owes,
        "options": [actions.show(option) for option in view.options],
        "over": view.over,
        "won": None
        if view.won is None
        else {
            "seat": view.won.seat,
            "huxi": view.won.huxi,
            "fan": view.won.fan,
            "names": list(view.won.names),
            "scores": list(view.won.scores),
        },
    }


def show(views: Sequence[SeatView | None], hands: bool = True) -> None:
    """Print the table as `views` see it: one seat's knowledge, or every hand where there are several. `hands` False: none."""
    seen = [view for view in views if view is not None]
    console = Console(file=sys.stdout, highlight=False)
    if not seen:
        return
    console.print(headline(seen[0]))
    for seat, front in enumerate(seen[0].fronts):
        # Each seat's own view shows its melds openly.
        own = next((view for view in seen if view.seat == seat), None)
        console.print(_front(seat, own.fronts[seat] if own else front, own.hand if own and hands else ()))
    if seen[0].over:
        console.print(outcome(seen[0]))


def headline(view: SeatView) -> Text:
    """Dealer, bright tile, stock, and the tile on offer."""
    line = Text()
    line.append(pick(f"dealer {view.dealer}", f"{view.dealer} 座庄"), _FAINT)
    line.append(pick("  bright ", "  亮张 "), _FAINT).append_text(face(view.bright))
    line.append(pick(f"  stock {view.stock_left}", f"  余 {view.stock_left} 张"), _FAINT)
    if view.current:
        drawn = pick("drawn", "摸") if view.current_drawn else pick("played", "打")
        line.append("  ▶ ").append_text(face(view.current))
        line.append(pick(f" {drawn} by {view.current_from}", f" {view.current_from} 座{drawn}出"))
    return line


def _front(seat: int, front: Front, hand: Sequence[int]) -> Text:
    line = Text(pick(f" {seat} ", f" {seat} 座 "))
    for meld in front.melds:
        line.append("[").append_text(_meld(meld)).append("] ")
    if hand:
        line.append_text(_tiles(tiles.expand(hand)))
    else:
        line.append(pick(f"({front.hand_size} tiles)", f"（{front.hand_size} 张）"), _FAINT)
    if front.discards:
        line.append(pick("   discards ", "   弃牌 "), _FAINT).append_text(_tiles(front.discards))
    return line


def hand(view: SeatView) -> Text:
    """The viewer's hand, small tiles first, a gap between kinds."""
    line = Text(pick("hand  ", "手牌  "), _FAINT)
    for kind, number in enumerate(view.hand):
        if number:
            line.append_text(_tiles([kind] * number)).append("  ")
    return line


def options(view: SeatView) -> list[Text]:
    """What the viewer may do, numbered from 1, in the order of `view.options`."""
    return [
        Text(f"{number:>2}) ").append_text(_option(option)) for number, option in enumerate(view.options, 1)
    ]


def action(text: str) -> Text:
    """An action from its canonical text."""
    return _option(actions.parse(text))


def events(texts: Iterable[str]) -> Text:
    """What happened, event by event; tiles as people see them."""
    line = Text(style=_FAINT)
    for text in texts:
        line.append("; " if line else "")
        for place, word in enumerate(text.split()):
            line.append(" " if place else "")
            shown = face(tiles.parse(word)) if _TILE.fullmatch(word) else Text(word.replace("_", " "))
            line.append_text(shown)
    return line


def outcome(view: SeatView) -> Text:
    """How the board was won."""
    won = view.won
    if won is None:
        return Text(pick("nobody won", "荒庄"))
    line = Text(pick(f"seat {won.seat} wins ", f"{won.seat} 座胡 "), "bold green")
    line.append(pick(f"{won.huxi} huxi, fan {won.fan}", f"{won.huxi} 胡息，{won.fan} 番"))
    if won.names:
        line.append(f" ({', '.join(won.names)})")
    return line.append("  " + " ".join(f"{score:+d}" for score in won.scores))


def face(kind: int) -> Text:
    """One tile."""
    if kind == tiles.HIDDEN:
        return Text(_HIDDEN, _FAINT)
    return Text(tiles.chinese(kind), _RED if kind in tiles.RED else _BLACK)


def _tiles(kinds: Iterable[int]) -> Text:
    return Text(" ").join(face(kind) for kind in kinds)


def _meld(meld: Meld) -> Text:
    name = melds.CHINESE[meld.name] if language() == "zh" else meld.name
    return Text(f"{name} ", _FAINT).append_text(_tiles(meld.tiles))


def _option(option: actions.Action) -> Text:
    match option:
        case Win():
            return Text(pick("win", "胡"), "bold green")
        case Pass():
            return Text(pick("pass", "过"))
        case Peng():
            return Text(pick("peng", "碰"))
        case Play(tile):
            return Text(pick("play ", "打 ")).append_text(face(tile))
        case Eat(using, along):
            line = Text(pick("eat with ", "吃 用 ")).append_text(_tiles(using))
            for meld in along:
                line.append(pick(" + ", " 比 ")).append_text(_tiles(meld.tiles))
            return line
