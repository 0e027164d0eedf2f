"""Paohuzi as people see it: tiles with their characters, red and black, melds, discards, what one may do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from clients.boards import paohuzi as boards
from clients.cli.faces import numbers, telling
from clients.cli.words import language, pick
from services.games.paohuzi import melds, tiles
from services.games.paohuzi.actions import Action
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.view import Front, SeatView

_FAINT = "dim"


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
    return telling.text(boards.action(text, pick))


def event(text: str) -> Text:
    """What happened; tiles as people see them."""
    return telling.text(boards.event(text, pick))


def _outcome(view: SeatView) -> Text:
    """How the board was won."""
    won = view.won
    if won is None:
        return Text(pick("nobody won", "荒庄"))
    line = Text(pick(f"seat {won.seat} wins ", f"{won.seat} 座胡 "), "bold green")
    line.append(pick(f"{won.huxi} huxi, fan {won.fan}", f"{won.huxi} 胡息，{won.fan} 番"))
    if won.names:
        line.append(f" ({', '.join(boards.hand_name(name, pick) for name in won.names)})")
    for meld in won.melds:
        line.append("  [").append_text(_meld(meld)).append("]")
    return line.append("  " + " ".join(f"{score:+d}" for score in won.scores))


def face(kind: int) -> Text:
    """One tile."""
    return telling.text((boards.glyph(kind),)) if kind != tiles.HIDDEN else Text(boards.HIDDEN, _FAINT)


def _tiles(kinds: Iterable[int]) -> Text:
    return Text(" ").join(face(kind) for kind in kinds)


def _meld(meld: Meld) -> Text:
    name = melds.CHINESE[meld.name] if language() == "zh" else meld.name
    return Text(f"{name} ", _FAINT).append_text(_tiles(meld.tiles))


def _option(chosen: Action) -> Text:
    return telling.text(boards.option(chosen, pick))
