"""Paohuzi: tiles by their characters, melds with their huxi, hands in columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clients.console.language import Language
from clients.console.tables.telling import Choice, Sentence, Sentences, Word, spaced, tell
from services.games.paohuzi import actions, melds, tiles
from services.games.paohuzi.actions import Action, Eat, Pass, Peng, Play, Win
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

_TILE = re.compile(r"[sb](?:[1-9]|10)")
_FLAGS = {"stale": "臭", "eat": "不得吃", "peng": "不得碰"}

_SENTENCES: Sentences = {
    "ti_dealt": ("seat {0} lays a dealt ti of {*}", "{0} 座起手提 {*}"),
    "bright_tile_passed": ("nobody wins on the bright tile", "亮张无人胡"),
    "tile_played": ("seat {0} plays {*}", "{0} 座打 {*}"),
    "tile_drawn": ("seat {0} draws {*}", "{0} 座摸 {*}"),
    "wei_laid": ("seat {0} lays a wei of {*}", "{0} 座偎 {*}"),
    "ti_laid": ("seat {0} lays a ti of {*}", "{0} 座提 {*}"),
    "passed": ("seat {0} passes", "{0} 座过"),
    "win_claimed": ("seat {0} claims the win", "{0} 座要胡"),
    "peng_claimed": ("seat {0} claims a peng", "{0} 座要碰"),
    "eat_claimed": ("seat {0} claims to eat with {*}", "{0} 座要吃，用 {*}"),
    "tile_died": ("nobody takes {*} of seat {0}", "{0} 座的 {*} 无人要"),
    "pao_laid": ("seat {0} lays a pao of {*}", "{0} 座跑 {*}"),
    "ponged": ("seat {0} pengs {*}", "{0} 座碰 {*}"),
    "eaten": ("seat {0} eats {1} with {*}", "{0} 座吃 {1}，用 {*}"),
    "kind_passed": ("seat {0} has passed on {*}", "{0} 座过张 {*}"),
    "hand_died": ("the hand of seat {0} is dead", "{0} 座死手"),
    "won": ("seat {0} wins on {1}", "{0} 座胡 {1}"),
    "board_drawn": ("nobody won", "荒庄"),
    "laid": ("seat {0} lays {1} {*}", "{0} 座{1} {*}"),
}

_NAMES_ZH = {
    "plain": "平胡",
    "red": "红胡",
    "great_red": "红乌",
    "one_red": "点胡",
    "black": "黑胡",
    "all_triplets": "对对胡",
    "eighteen_big": "十八大",
    "eighteen_small": "十八小",
    "heaven": "天胡",
    "earth": "地胡",
    "last_tile": "海底",
    "untouched": "听胡",
    "own_draw": "自摸",
}
"""Named hands (P10)."""


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
    return [Choice(actions.show(option), _option(option, language)) for option in view.options]


def laying(view: SeatView) -> str:
    """Nothing: every answer is among the choices."""
    return ""


def action(text: str, language: Language) -> Sentence:
    """An action from its canonical text."""
    return _option(actions.parse(text), language)


def event(text: str, language: Language) -> Sentence:
    """What happened; what a win is made of the table shows."""
    return tell(text, _SENTENCES, language, _word)


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
        "asked": pick("may", "可"),
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
        "options": [_option(option, language) for option in own.options] if own else [],
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
        "names": [language.pick(name.replace("_", " "), _NAMES_ZH.get(name, name)) for name in won.names],
        "scores": list(won.scores),
        "melds": [_meld(meld, language) for meld in won.melds],
    }


def _option(option: Action, language: Language) -> Sentence:
    pick = language.pick
    match option:
        case Win():
            return (Word(pick("win", "胡")),)
        case Pass():
            return (Word(pick("pass", "过")),)
        case Peng():
            return (Word(pick("peng", "碰")),)
        case Play(tile):
            return Word(pick("play ", "打 ")), _glyph(tile)
        case Eat(using, along):
            said = [Word(pick("eat with ", "吃，用 ")), *_glyphs(using)]
            for meld in along:
                said += [Word(pick(" and lay ", " 比 ")), *_glyphs(meld.tiles)]
            return tuple(said)


def _glyphs(kinds: Iterable[int]) -> list[Word]:
    return spaced(_glyph(kind) for kind in kinds)


def _glyph(kind: int) -> Word:
    return Word(tiles.chinese(kind), "red" if kind in tiles.RED else "black")


def _word(word: str, language: Language) -> Word:
    if _TILE.fullmatch(word):
        return _glyph(tiles.parse(word))
    if word == tiles.show(tiles.HIDDEN):
        return Word("▒")
    return Word(language.pick(word, melds.CHINESE.get(word) or _FLAGS.get(word, word)))
