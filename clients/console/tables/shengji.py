"""Shengji: cards by suit and rank, trumps apart, the trick on the table, bids, points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clients.console.language import Language
from clients.console.tables.telling import Choice, Sentence, Sentences, Word, spaced, tell
from services.games.shengji import actions, cards
from services.games.shengji.actions import Action, Bid, Bury, Pass, Play, Revolt
from services.games.shengji.cards import BIG_JOKER, HIDDEN, SMALL_JOKER, SUITS
from services.games.shengji.order import TRUMPS
from services.games.shengji.result import side
from services.games.shengji.view import SeatView

SCRIPT = "table-shengji.js"
ECHOES: Mapping[str, str] = {"play": "cards_played", "bury": "buried"}

GLYPHS = "♠♥♣♦"
_RED = frozenset("HD")
_TEXT = re.compile(r"[SHCD][2-9TJQKA]|jo|JO|\?\?")

_SENTENCES: Sentences = {
    "cards_drawn": ("{0} cards are drawn", "已抓 {0} 张"),
    "bid_offered": ("seat {0} shows {*}", "{0} 座亮 {*}"),
    "bid_passed": ("seat {0} does not bid", "{0} 座不翻"),
    "bid_made": ("seat {0} bids with {*}", "{0} 座翻级 {*}"),
    "bottom_turned": ("nobody bids; the bottom is turned: {*}", "无人翻级，翻底牌 {*}"),
    "trumps_set": ("trumps {0}, declarer {1} {*}", "主 {0}，{1} 座庄 {*}"),
    "bottom_taken": ("seat {0} takes the bottom", "{0} 座拿底牌"),
    "revolt_passed": ("seat {0} does not revolt", "{0} 座不革命"),
    "deal_voided": ("seat {0} voids the deal", "{0} 座革命，本副作废"),
    "buried": ("seat {0} lays the bottom {*}", "{0} 座扣底 {*}"),
    "throw_failed": (
        "seat {0} throws {*}, which does not stand: fine {-1}",
        "{0} 座甩牌 {*} 不成，罚 {-1} 分",
    ),
    "cards_played": ("seat {0} plays {*}", "{0} 座出 {*}"),
    "trick_won": ("seat {0} wins the trick, {1} points", "{0} 座赢得此轮，{1} 分"),
    "penalised": ("seat {0} is penalised: {*}; defenders {-1}", "{0} 座被罚：{*}；闲家 {-1} 分"),
    "deal_ended": (
        "the defenders have {0} points, {1} of them for the bottom; scores {*}",
        "闲家得 {0} 分，其中底牌 {1} 分；各座得分 {*}",
    ),
}

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
        "level": _rank(first.level),
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
    return [Choice(actions.show(option), _option(option, language)) for option in view.offers]


def laying(view: SeatView) -> str:
    """What the viewer's own cards are laid on the table as: `bury`, `play`; empty while none are asked for."""
    return {"bury": "bury", "lead": "play", "follow": "play"}.get(view.question, "")


def action(text: str, language: Language) -> Sentence:
    """An action from its canonical text."""
    return _option(actions.parse(text), language)


def event(text: str, language: Language) -> Sentence:
    """What happened."""
    return tell(text, _SENTENCES, language, _word)


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
        "options": [_option(option, language) for option in own.offers] if own and own.question else [],
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
    """The viewer's cards: trumps, then suit by suit, high cards first; before trumps are set by what is printed."""
    if not view.trump:
        ordered = sorted(view.hand, reverse=True)
        return [_faces(ordered)]
    order = view.order
    found: dict[int, list[int]] = {suit: [] for suit in (TRUMPS, *range(len(SUITS)))}
    for card in sorted(view.hand, key=lambda card: (order.places[card], card), reverse=True):
        found[order.suits[card]].append(card)
    return [_faces(group) for group in found.values() if group]


def _faces(held: Iterable[int]) -> list[dict[str, str]]:
    return [_face(card) for card in held]


def _face(card: int) -> dict[str, str]:
    """A card by its text, and what is printed on it: its rank, its suit, its colour."""
    if card == HIDDEN:
        return {"text": "", "rank": "", "suit": "", "kind": "hidden"}
    text = cards.show(card)
    if card in (SMALL_JOKER, BIG_JOKER):
        return {"text": text, "rank": "王", "suit": "★", "kind": "red" if card == BIG_JOKER else "black"}
    return {"text": text, "rank": _rank(text[1]), **_suit(cards.suit_of(card))}


def _names(held: Iterable[int]) -> str:
    return " ".join(cards.show(card) for card in held)


def _option(option: Action, language: Language) -> Sentence:
    pick = language.pick
    match option:
        case Bid(shown):
            return Word(pick("bid ", "翻 ")), *_glyphs(shown, language)
        case Pass():
            return (Word(pick("pass", "过")),)
        case Revolt():
            return (Word(pick("void the deal (revolution)", "革命")),)
        case Bury(laid):
            return Word(pick("lay down ", "扣 ")), *_glyphs(laid, language)
        case Play(played):
            return Word(pick("play ", "出 ")), *_glyphs(played, language)


def _glyphs(held: Iterable[int], language: Language) -> list[Word]:
    return spaced(_glyph(card, language) for card in held)


def _glyph(card: int, language: Language) -> Word:
    if card == HIDDEN:
        return Word("▒")
    if card == BIG_JOKER:
        return Word(language.pick("big joker", "大王"), "red")
    if card == SMALL_JOKER:
        return Word(language.pick("small joker", "小王"), "black")
    printed = _face(card)
    return Word(printed["suit"] + printed["rank"], printed["kind"])


def _word(word: str, language: Language) -> Word:
    if _TEXT.fullmatch(word):
        return _glyph(HIDDEN if word == "??" else cards.parse(word), language)
    if word in SUITS:
        return Word(_suit(word)["suit"], _colour(word))
    return Word(language.pick("level cards fall", "级牌落底") if word == "demoted" else word)


def _suit(suit: str) -> dict[str, str]:
    return {"suit": GLYPHS[SUITS.index(suit)], "kind": _colour(suit)}


def _colour(suit: str) -> str:
    return "red" if suit in _RED else "black"


def _rank(rank: str) -> str:
    return "10" if rank == "T" else rank
