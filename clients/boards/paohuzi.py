"""Paohuzi's boards as every client tells them: sentences about what happened and may be done, views as JSON has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clients.boards.telling import Pick, Sentence, Sentences, Word, spaced, tell
from services.games.paohuzi import actions, melds, tiles
from services.games.paohuzi.actions import Action, Eat, Pass, Peng, Play, Win
from services.games.paohuzi.events import Won
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.view import Fans, Front, NamedHand, SeatView

HIDDEN = "▒"
"""A tile face down, in a sentence."""

_TILE = re.compile(r"[sb](?:[1-9]|10)")
_FLAGS = {"stale": "臭", "eat": "不得吃", "peng": "不得碰"}

SENTENCES: Sentences = {
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


def action(text: str, pick: Pick) -> Sentence:
    """An action from its canonical text."""
    return option(actions.parse(text), pick)


def option(chosen: Action, pick: Pick) -> Sentence:
    """What a seat may do."""
    match chosen:
        case Win():
            return (Word(pick("win", "胡"), "strong"),)
        case Pass():
            return (Word(pick("pass", "过")),)
        case Peng():
            return (Word(pick("peng", "碰")),)
        case Play(tile):
            return Word(pick("play ", "打 ")), glyph(tile)
        case Eat(using, along):
            said = [Word(pick("eat with ", "吃，用 ")), *_glyphs(using)]
            for meld in along:
                said += [Word(pick(" and lay ", " 比 ")), *_glyphs(meld.tiles)]
            return tuple(said)


def event(text: str, pick: Pick) -> Sentence:
    """What happened; what a win is made of the table shows."""
    return tell(text, SENTENCES, pick, word)


def hand_name(code: str, pick: Pick) -> str:
    """A named hand (P10) as people call it."""
    return pick(code.replace("_", " "), _NAMES_ZH.get(code, code))


def glyph(tile: int) -> Word:
    """One tile."""
    if tile == tiles.HIDDEN:
        return Word(HIDDEN)
    return Word(tiles.chinese(tile), "red" if tile in tiles.RED else "black")


def word(told: str, pick: Pick) -> Word:
    """A word of an event's text: a tile, a meld, a flag."""
    if _TILE.fullmatch(told):
        return glyph(tiles.parse(told))
    if told == tiles.show(tiles.HIDDEN):
        return Word(HIDDEN)
    return Word(pick(told, melds.CHINESE.get(told) or _FLAGS.get(told, told)))


def record(view: SeatView) -> dict[str, Any]:
    """A view as JSON has it, tiles by their text (`s5`, `b10`, `??`)."""
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
                "played": [tiles.show(tile) for tile in front.played],
            }
            for front in view.fronts
        ],
        "current": tiles.show(view.current) if view.current else None,
        "current_from": view.current_from,
        "current_drawn": view.current_drawn,
        "owes": view.owes,
        "options": [actions.show(option) for option in view.options],
        "dead_eat": [tiles.show(tile) for tile in view.dead_eat],
        "dead_peng": [tiles.show(tile) for tile in view.dead_peng],
        "dead_hand": view.dead_hand,
        "min_huxi": view.min_huxi,
        "over": view.over,
        "won": None
        if view.won is None
        else {
            "seat": view.won.seat,
            "tile": tiles.show(view.won.tile),
            "melds": [[meld.name, *map(tiles.show, meld.tiles)] for meld in view.won.melds],
            "huxi": view.won.huxi,
            "fan": view.won.fan,
            "names": list(view.won.names),
            "scores": list(view.won.scores),
        },
        "fans": None
        if view.fans is None
        else {
            "hands": [[hand.code, hand.fan] for hand in view.fans.hands],
            "red_step": view.fans.red_step,
            "combine": view.fans.combine,
        },
    }


def read(told: Mapping[str, Any]) -> SeatView:
    """The view that `record` tells. Raises KeyError, TypeError, ValueError or Rejected for what is none."""
    won, fans = told["won"], told["fans"]
    return SeatView(
        told["seat"],
        told["dealer"],
        tiles.parse(told["bright"]),
        told["stock_left"],
        () if told["seat"] is None else tiles.count(_kinds(told["hand"])),
        tuple(
            Front(
                tuple(map(_read_meld, front["melds"])),
                _kinds(front["discards"]),
                front["hand_size"],
                _kinds(front["played"]),
            )
            for front in told["fronts"]
        ),
        tiles.parse(told["current"]) if told["current"] else 0,
        told["current_from"],
        told["current_drawn"],
        told["owes"],
        tuple(map(actions.parse, told["options"])),
        _kinds(told["dead_eat"]),
        _kinds(told["dead_peng"]),
        told["dead_hand"],
        told["min_huxi"],
        told["over"],
        None
        if won is None
        else Won(
            won["seat"],
            tiles.parse(won["tile"]),
            tuple(map(_read_meld, won["melds"])),
            won["huxi"],
            tuple(won["names"]),
            won["fan"],
            tuple(won["scores"]),
        ),
        None
        if fans is None
        else Fans(tuple(NamedHand(*hand) for hand in fans["hands"]), fans["red_step"], fans["combine"]),
    )


def _read_meld(words: Sequence[str]) -> Meld:
    return Meld(words[0], _kinds(words[1:]))


def _kinds(words: Iterable[str]) -> tuple[int, ...]:
    return tuple(tiles.HIDDEN if word == "??" else tiles.parse(word) for word in words)


def _glyphs(kinds: Iterable[int]) -> list[Word]:
    return spaced(map(glyph, kinds))
