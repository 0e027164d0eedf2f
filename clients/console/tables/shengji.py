"""Shengji: cards by suit and rank, trumps apart, the trick on the table, bids, points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clients.boards import shengji as boards
from clients.boards.telling import Sentence
from clients.console.language import Language
from clients.console.tables.choosing import Choice, Laying
from services.games.shengji import actions, bottom, cards
from services.games.shengji.actions import Bid, Play
from services.games.shengji.cards import BIG_JOKER, HIDDEN, SMALL_JOKER
from services.games.shengji.result import side
from services.games.shengji.view import SeatView

SCRIPT = "table-shengji.js"
ECHOES: Mapping[str, str] = {"play": "cards_played", "bury": "buried"}

_QUESTIONS = {
    "bid": ("may bid", "可翻级"),
    "revolt": ("may revolt", "可革命"),
    "bury": ("lays the bottom", "扣底"),
    "lead": ("leads", "首出"),
    "follow": ("follows", "跟牌"),
}


def table(views: Sequence[SeatView], language: Language) -> dict[str, Any]:
    """The table; a seat's hand is open in its own view."""
    first, own = views[0], {view.seat: view for view in views}
    ended = first.ended
    return {
        "level": boards.rank(first.level),
        "trump": _suit(first.trump) if first.trump else None,
        "declarer": first.declarer,
        "drawn": first.drawn,
        "points": first.points,
        "turn": first.turn,
        "standing": {"seat": first.standing.seat, "cards": _faces(first.standing.cards)}
        if first.standing and not first.trump
        else None,
        "turned": _faces(first.turned),
        "bottom": next((_faces(view.bottom) for view in views if view.bottom), []),
        "thrown": _faces(first.thrown),
        "won": [],
        "trick": [{"seat": one.seat, "cards": _faces(one.cards)} for one in first.trick],
        "seats": [_seat(seat, first, own.get(seat), language) for seat in range(len(first.hand_sizes))],
        "over": first.over,
        "ended": {"points": ended.points, "bonus": ended.bonus, "scores": list(ended.scores)}
        if ended
        else None,
        "voided": first.voided_by,
    }


def choices(view: SeatView, language: Language) -> list[Choice]:
    """Bids, or whether to revolt."""
    return [
        Choice(
            actions.show(one),
            boards.option(one, language.pick),
            tuple(map(cards.show, one.cards)) if isinstance(one, Bid) else (),
        )
        for one in view.offers
    ]


def laying(view: SeatView) -> Laying | None:
    """The bottom, a lead, a follow."""
    match view.question:
        case "bury":
            return Laying("bury", bottom.SIZE)
        case "lead":
            return Laying("play")
        case "follow":
            return Laying("play", len(view.trick[0].cards))
        case _:
            return None


def standing(view: SeatView, language: Language) -> tuple[int, Sentence] | None:
    """The bid that stands, its cards without the verb."""
    if view.standing is None:
        return None
    return view.standing.seat, boards.option(Bid(view.standing.cards), language.pick)[1:]


def event(text: str, language: Language) -> Sentence:
    """What happened."""
    return boards.event(text, language.pick)


def noticed(before: SeatView, after: SeatView) -> list[str]:
    """Cards laid, bids, trumps, the end."""
    told = [
        f"cards_played {laid.seat} {_names(laid.cards)}" for laid in after.trick if laid not in before.trick
    ]
    if after.standing and after.standing != before.standing:
        told.append(f"bid_made {after.standing.seat} {_names(after.standing.cards)}")
    if after.trump and not before.trump:
        told.append(f"trumps_set {after.trump} {after.declarer}")
    if after.ended:
        scores = " ".join(map(str, after.ended.scores))
        told.append(f"deal_ended {after.ended.points} {after.ended.bonus} {scores}")
    return told


def settle(table: dict[str, Any], before: dict[str, Any] | None, seat: int, action: str) -> None:
    """The trick that was just won, its last play included."""
    if before is None or not before["trick"] or table["trick"] or not action:
        return
    played = actions.parse(action)
    if isinstance(played, Play):
        table["won"] = [*before["trick"], {"seat": seat, "cards": _faces(played.cards)}]


def labels(language: Language) -> dict[str, str]:
    """The words of the script."""
    pick = language.pick
    return {
        "seat": pick("Seat {0}", "{0} 座"),
        "level": pick("Level", "级牌"),
        "trump": pick("Trumps", "主"),
        "points": pick("Defenders", "闲家得分"),
        "hand": pick("Hand", "手牌"),
        "cards": pick("{0} cards", "{0} 张"),
        "bid": pick("bid", "翻级"),
        "turned": pick("Turned", "翻底"),
        "bottom": pick("Bottom", "底牌"),
        "thrown": pick("Throw that failed", "甩牌不成"),
        "trick": pick("Trick", "本轮"),
        "turn": pick("to play", "待出牌"),
        "hidden": pick("face down", "暗牌"),
        "ended": pick("The defenders have {0} points", "闲家共 {0} 分"),
        "voided": pick("Seat {0} voided the deal", "{0} 座革命，重新发牌"),
        "thinking": pick("{0} s", "{0} 秒"),
    }


def _seat(seat: int, first: SeatView, own: SeatView | None, language: Language) -> dict[str, Any]:
    question = _QUESTIONS.get(own.question) if own else None
    return {
        "part": _part(first, seat, language),
        "hand": _groups(own) if own and own.hand else None,
        "size": first.hand_sizes[seat],
        "asked": language.pick(*question) if question else None,
        # A whole trick lies on the table for a moment before it is taken in.
        "turn": first.turn == seat and len(first.trick) < len(first.hand_sizes) and not first.over,
    }


def _part(view: SeatView, seat: int, language: Language) -> str:
    if view.declarer is None:
        return ""
    if seat == view.declarer:
        return language.pick("declarer", "庄家")
    if side(seat) == side(view.declarer):
        return language.pick("declaring side", "庄方")
    return language.pick("defender", "闲家")


def _groups(view: SeatView) -> list[list[dict[str, str]]]:
    """The viewer's cards: trumps, then suit by suit, high cards first; before trumps are set jokers and level cards first."""
    return [_faces(held) for _, held in boards.groups(view, view.hand)]


def _faces(held: Iterable[int]) -> list[dict[str, str]]:
    return [_face(card) for card in held]


def _face(card: int) -> dict[str, str]:
    """A card by its text, and what is printed on it: its rank, its suit, its colour."""
    if card == HIDDEN:
        return {"text": "", "rank": "", "suit": "", "kind": "hidden", "joker": ""}
    text = cards.show(card)
    if card in (SMALL_JOKER, BIG_JOKER):
        big = card == BIG_JOKER
        name = "大王" if big else "小王"
        return {"text": text, "rank": name, "suit": "", "kind": "red" if big else "black", "joker": name}
    return {"text": text, "rank": boards.rank(text[1]), **_suit(cards.suit_of(card)), "joker": ""}


def _names(held: Iterable[int]) -> str:
    return " ".join(cards.show(card) for card in held)


def _suit(letter: str) -> dict[str, str]:
    printed = boards.suit(letter)
    return {"suit": printed.text, "kind": printed.kind}
