"""Shengji as people see it: cards with their suits, red and black, trumps apart, the trick, bids, points.

Cards are typed as they are shown: `♠A`, `SA` or `sa`, ten as `10` or `T`, jokers as `jo` and `JO`; several in one line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from rich.text import Text

from clients.boards import shengji as boards
from clients.boards.shengji import GLYPHS
from clients.cli.faces import numbers, telling
from clients.cli.output import Problem
from clients.cli.words import pick
from services.games.shengji import cards
from services.games.shengji.actions import Action, Bury, Play
from services.games.shengji.bids import DRAWN
from services.games.shengji.cards import BIG_JOKER, HIDDEN, SMALL_JOKER, SUITS, Cards
from services.games.shengji.order import TRUMPS
from services.games.shengji.result import SEATS, partner, side
from services.games.shengji.view import Laid, SeatView

FEW = 9
"""Follows up to so many are listed by number; more are typed card by card."""

_FAINT = "dim"
_CARD = re.compile(
    r"(?P<joker>jo|JO|小王|大王)|(?P<suit>[SHCDshcd♠♥♣♦])(?P<rank>10|[2-9TJQKAtjqka])|(?P<gap>[\s,，]+)"
)


def table(views: Sequence[SeatView], hands: bool = True) -> list[Text]:
    """The table: headline, a line a seat, what failed, and the outcome once there is one."""
    first, own = views[0], {view.seat: view for view in views}
    lines = [_headline(first)]
    lines += [_seat(first, seat, own.get(seat) if hands else None, len(views) == 1) for seat in SEATS]
    if first.thrown:
        lines.append(Text(pick("   a throw failed: ", "   甩牌不成：")).append_text(_cards(first.thrown)))
    return [*lines, _outcome(first)] if first.over else lines


def news(view: SeatView, before: SeatView) -> list[Text] | None:
    """While cards are drawn: the viewer's newest card, a bid that stands now, what the viewer may bid now."""
    if not before.drawn <= view.drawn < DRAWN:
        return None
    lines = []
    if drawn := Counter(view.hand) - Counter(before.hand):
        lines.append(Text(pick("you draw ", "抓到 "), _FAINT).append_text(_cards(drawn.elements())))
    if view.standing is not None and view.standing != before.standing:
        lines.append(_bid(view.standing))
    return lines if view.offers == before.offers else [*lines, *options(view)]


def hand(view: SeatView) -> list[Text]:
    """The viewer's hand: trumps, then a line a suit, high cards first."""
    lines = [Text("  ").join(_group(title, held)) for title, held in _groups(view, view.hand)]
    if view.bottom:
        lines.append(Text(pick("bottom  ", "底牌  "), _FAINT).append_text(_cards(view.bottom)))
    return lines


def options(view: SeatView) -> list[Text]:
    """What the viewer may choose by number, or how cards are typed."""
    listed = _numbered(view)
    if listed:
        return numbers.listed(listed, _option)
    match view.question:
        case "bury":
            return [Text(pick("type the eight cards to lay down", "请输入要扣的八张牌"))]
        case "lead":
            return [
                Text(
                    pick("type the cards to lead: SA, or S8 S8 S9 S9", "请输入要出的牌，如 SA 或 S8 S8 S9 S9")
                )
            ]
        case "follow":
            number = len(view.trick[0].cards)
            return [Text(pick(f"type {number} cards to follow with", f"请输入要跟的 {number} 张牌"))]
        case _:
            return []


def answer(view: SeatView, typed: str) -> Action:
    """The action that a line means: a number of a choice, or cards of the hand; whether they may be played is the table's to
    say. Raises Problem."""
    listed = _numbered(view)
    if listed and (view.question not in ("lead", "follow") or numbers.is_number(typed)):
        return numbers.chosen(listed, typed)
    named = _parse(typed)
    missing = Counter(named) - Counter(view.hand)
    if missing:
        lacking = " ".join(face(card).plain for card in sorted(missing.elements()))
        raise Problem(pick(f"not in your hand: {lacking}", f"手中没有 {lacking}"))
    return Bury(named) if view.question == "bury" else Play(named)


def action(text: str) -> Text:
    """An action from its canonical text."""
    return telling.text(boards.action(text, pick))


def event(text: str) -> Text:
    """What happened; cards and suits as people see them."""
    return telling.text(boards.event(text, pick))


def face(card: int) -> Text:
    """One card, a joker as it is typed where that is shorter than its name."""
    if card == HIDDEN:
        return Text("▒", _FAINT)
    if card == BIG_JOKER:
        return Text(pick("JO", "大王"), telling.STYLES["red"])
    if card == SMALL_JOKER:
        return Text(pick("jo", "小王"), telling.STYLES["black"])
    return telling.text((boards.glyph(card, pick),))


def _numbered(view: SeatView) -> Sequence[Action]:
    """What may be chosen by number: bids and revolutions, and follows where there are few."""
    if view.question == "follow":
        follows = view.options
        return follows if len(follows) <= FEW else ()
    return view.offers


def _parse(typed: str) -> Cards:
    """The cards of a line, ascending. Raises Problem."""
    found, at = [], 0
    while at < len(typed):
        match = _CARD.match(typed, at)
        if match is None:
            break
        at = match.end()
        if not match["gap"]:
            found.append(_card(match))
    if not found or at < len(typed):
        raise Problem(
            pick(
                "cards like SA, H10, jo or JO, or r or q; you typed something else",
                "请输入牌，如 SA、H10、jo（小王）、JO（大王），或 r、q",
            )
        )
    return tuple(sorted(found))


def _card(match: re.Match[str]) -> int:
    if match["joker"]:
        return SMALL_JOKER if match["joker"] in ("jo", "小王") else BIG_JOKER
    suit, rank = match["suit"].upper(), match["rank"].upper().replace("10", "T")
    return cards.kind(SUITS[GLYPHS.index(suit)] if suit in GLYPHS else suit, rank)


def _groups(view: SeatView, held: Iterable[int]) -> list[tuple[str, Cards]]:
    """The cards by title: trumps, or before they are set jokers and level cards, then suits; high cards first."""
    titles = {TRUMPS: pick("trumps", "主") if view.trump else pick("level", "级"), **dict(enumerate(GLYPHS))}
    return [(titles[suit], group) for suit, group in boards.groups(view, held)]


def _group(title: str, held: Cards) -> tuple[Text, Text]:
    """Title and cards; of a plain suit the ranks alone."""
    if title not in GLYPHS:
        return Text(title, _FAINT), _cards(held)
    return _suit(SUITS[GLYPHS.index(title)]), Text(
        " ".join(boards.rank(cards.show(card)[1]) for card in held)
    )


def _headline(view: SeatView) -> Text:
    """Level, trumps, points; while cards are drawn how many are, and the bid that stands."""
    line = Text(pick(f"level {boards.rank(view.level)}", f"打 {boards.rank(view.level)}"), _FAINT)
    line.append(pick("  trumps ", "  主 "), _FAINT)
    line.append_text(_suit(view.trump) if view.trump else Text("—"))
    line.append(pick(f"  defenders {view.points} points", f"  闲家 {view.points} 分"), _FAINT)
    if view.drawn < DRAWN:
        line.append(pick(f"  drawn {view.drawn}", f"  已抓 {view.drawn} 张"), _FAINT)
    if view.standing is not None and not view.trump:
        line.append("  ").append_text(_bid(view.standing))
    if view.turned:
        line.append(pick("  turned ", "  翻底 "), _FAINT).append_text(_cards(view.turned))
    return line


def _bid(standing: Laid) -> Text:
    """The bid that stands."""
    return Text(pick(f"bid of {standing.seat} ", f"{standing.seat} 座翻级 "), _FAINT).append_text(
        _cards(standing.cards)
    )


def _seat(view: SeatView, seat: int, own: SeatView | None, alone: bool) -> Text:
    """One seat: whose turn it is, its part, its cards on the table, its hand where it is seen."""
    # A whole trick lies on the table for a moment before it is taken in.
    turn = "▶" if view.turn == seat and len(view.trick) < len(SEATS) and not view.over else " "
    parts = [_part(view, seat)]
    if alone and view.seat is not None and seat == partner(view.seat):
        parts.append(pick("your partner", "对家"))
    told = pick(", ", "、").join(part for part in parts if part)
    line = Text(pick(f"{turn}{seat} ", f"{turn}{seat} 座 ")).append(told, _FAINT)
    if own is not None and own.hand:
        for title, group in _groups(own, own.hand):
            line.append("  ").append_text(Text(" ").join(_group(title, group)))
    else:
        line.append(pick(f"  ({view.hand_sizes[seat]} cards)", f"（{view.hand_sizes[seat]} 张）"), _FAINT)
    for place, laid in enumerate(view.trick):
        if laid.seat == seat:
            line.append(pick("   leads ", "   首出 ") if place == 0 else pick("   plays ", "   跟 "), _FAINT)
            line.append_text(_cards(laid.cards))
    return line


def _part(view: SeatView, seat: int) -> str:
    if view.declarer is None:
        return pick("first to draw", "先抓") if seat == view.first_drawer else ""
    if seat == view.declarer:
        return pick("declarer", "庄家")
    return pick("declaring", "庄方") if side(seat) == side(view.declarer) else pick("defender", "闲家")


def _outcome(view: SeatView) -> Text:
    """How the deal came out."""
    if view.ended is None:
        return Text(
            pick(
                f"seat {view.voided_by} voided the deal; it is dealt again",
                f"{view.voided_by} 座革命，重新发牌",
            )
        )
    line = Text(
        pick(f"the defenders have {view.ended.points} points", f"闲家共 {view.ended.points} 分"), "bold green"
    )
    if view.ended.bonus:
        line.append(pick(f", {view.ended.bonus} of them for the bottom", f"，其中底牌 {view.ended.bonus} 分"))
    return line.append("  " + " ".join(f"{score:+d}" for score in view.ended.scores))


def _option(chosen: Action) -> Text:
    return telling.text(boards.option(chosen, pick))


def _cards(held: Iterable[int]) -> Text:
    return Text(" ").join(face(card) for card in held)


def _suit(suit: str) -> Text:
    return telling.text((boards.suit(suit),))
