"""Paohuzi as people see it: tiles with their characters, red and black, melds, discards, what one may do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.text import Text

from clients.cli.faces import numbers, telling
from clients.cli.words import language, pick
from services.games.paohuzi import actions, melds, tiles
from services.games.paohuzi.actions import Action, Eat, Pass, Peng, Play, Win
from services.games.paohuzi.events import Won
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.view import Fans, Front, NamedHand, SeatView

_HIDDEN = "▒"
_TILE = re.compile(r"[sb](?:[1-9]|10)")
_RED, _BLACK, _FAINT = "bold red", "bold", "dim"
_FLAGS_ZH = {"stale": "臭", "eat": "不得吃", "peng": "不得碰"}

_SENTENCES: telling.Sentences = {
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
    "won": ("seat {0} wins on {1}: {*}", "{0} 座胡 {1}：{*}"),
    "board_drawn": ("nobody won", "荒庄"),
}


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


def table(views: Sequence[SeatView], hands: bool = True) -> list[Text]:
    """The table: headline, a line a seat, and the outcome once there is one."""
    first, own = views[0], {view.seat: view for view in views}
    lines = [_headline(first)]
    for seat, front in enumerate(first.fronts):
        # Each seat's own view shows its melds openly.
        view = own.get(seat)
        lines.append(_front(seat, view.fronts[seat] if view else front, view.hand if view and hands else ()))
    return [*lines, _outcome(first)] if first.over else lines


def _headline(view: SeatView) -> Text:
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


def news(view: SeatView, before: SeatView) -> list[Text] | None:
    """None: every change is worth a look at the table."""
    return None


def hand(view: SeatView) -> list[Text]:
    """The viewer's hand, small tiles first, a gap between kinds."""
    line = Text(pick("hand  ", "手牌  "), _FAINT)
    for kind, number in enumerate(view.hand):
        if number:
            line.append_text(_tiles([kind] * number)).append("  ")
    return [line]


def options(view: SeatView) -> list[Text]:
    """What the viewer may do, numbered from 1, in the order of `view.options`."""
    return numbers.listed(view.options, _option)


def answer(view: SeatView, typed: str) -> Action:
    """The option of the number typed. Raises Problem."""
    return numbers.chosen(view.options, typed)


def action(text: str) -> Text:
    """An action from its canonical text."""
    return _option(actions.parse(text))


def event(text: str) -> Text:
    """What happened; tiles as people see them."""
    return telling.tell(text, _SENTENCES, _word)


def _word(word: str) -> Text:
    if _TILE.fullmatch(word):
        return face(tiles.parse(word))
    return Text(pick(word, melds.CHINESE.get(word) or _FLAGS_ZH.get(word, word)))


def _outcome(view: SeatView) -> Text:
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


def _option(option: Action) -> Text:
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
