"""Shengji's boards as every client tells them: sentences about what happened and may be done, views as JSON has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from clients.boards.telling import Pick, Sentence, Sentences, Word, spaced, tell
from services.games.shengji import actions, cards
from services.games.shengji.actions import Action, Bid, Bury, Pass, Play, Revolt
from services.games.shengji.cards import BIG_JOKER, HIDDEN, SMALL_JOKER, SUITS, Cards
from services.games.shengji.events import DealEnded
from services.games.shengji.order import TRUMPS
from services.games.shengji.view import Laid, SeatView

GLYPHS = "♠♥♣♦"
"""The suits as they are printed, in the order of `SUITS`."""

_RED = frozenset("HD")
_TEXT = re.compile(r"[SHCD][2-9TJQKA]|jo|JO|\?\?")

SENTENCES: Sentences = {
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


def action(text: str, pick: Pick) -> Sentence:
    """An action from its canonical text."""
    return option(actions.parse(text), pick)


def option(chosen: Action, pick: Pick) -> Sentence:
    """What a seat may do."""
    match chosen:
        case Bid(shown):
            return Word(pick("bid ", "翻 ")), *_glyphs(shown, pick)
        case Pass():
            return (Word(pick("pass", "过")),)
        case Revolt():
            return (Word(pick("void the deal (revolution)", "革命"), "strong"),)
        case Bury(laid):
            return Word(pick("lay down ", "扣 ")), *_glyphs(laid, pick)
        case Play(played):
            return Word(pick("play ", "出 ")), *_glyphs(played, pick)


def event(text: str, pick: Pick) -> Sentence:
    """What happened."""
    return tell(text, SENTENCES, pick, _word)


def overtaken(before: SeatView, after: SeatView, offered: bool, pick: Pick) -> Sentence:
    """That a bid of the viewer's gives way to another's, which overcalls it (S4.2) or came before it (S4.4); else nothing.

    `offered`: the viewer has given a bid that was not decided yet in the view before.
    """
    now = after.standing
    own = offered or (before.standing is not None and before.standing.seat == after.seat)
    if not own or now is None or now == before.standing or now.seat == after.seat:
        return ()
    return (
        Word(pick(f"seat {now.seat} bids over yours: ", f"您的翻级已被 {now.seat} 座盖过：")),
        *_glyphs(now.cards, pick),
    )


def glyph(card: int, pick: Pick) -> Word:
    """One card by suit and rank; a joker by its name."""
    if card == HIDDEN:
        return Word("▒")
    if card == BIG_JOKER:
        return Word(pick("big joker", "大王"), "red")
    if card == SMALL_JOKER:
        return Word(pick("small joker", "小王"), "black")
    printed = suit(cards.suit_of(card))
    return Word(printed.text + rank(cards.show(card)[1]), printed.kind)


def suit(letter: str) -> Word:
    """A suit."""
    return Word(GLYPHS[SUITS.index(letter)], "red" if letter in _RED else "black")


def rank(letter: str) -> str:
    """A rank as it is printed."""
    return "10" if letter == "T" else letter


def groups(view: SeatView, held: Iterable[int]) -> list[tuple[int, Cards]]:
    """Cards by effective suit: trumps, or before they are set jokers and level cards, then suit by suit; high cards first."""
    suit_of, place_of = _ranking(view)
    kept = sorted(held, key=lambda card: (place_of(card), card), reverse=True)
    found = [
        (one, tuple(card for card in kept if suit_of(card) == one)) for one in (TRUMPS, *range(len(SUITS)))
    ]
    return [(one, group) for one, group in found if group]


def record(view: SeatView) -> dict[str, Any]:
    """A view as JSON has it, cards by their text (`SA`, `JO`, `??`), high ones first."""
    ended = view.ended
    return {
        "seat": view.seat,
        "level": view.level,
        "first_drawer": view.first_drawer,
        "declarer": view.declarer,
        "drawn": view.drawn,
        "hand": _names(card for _, held in groups(view, view.hand) for card in held),
        "hand_sizes": list(view.hand_sizes),
        "standing": None
        if view.standing is None
        else {"seat": view.standing.seat, "cards": _names(view.standing.cards)},
        "turned": _names(view.turned),
        "trump": view.trump,
        "fallen": list(view.fallen),
        "bottom": _names(view.bottom),
        "turn": view.turn,
        "trick": [{"seat": one.seat, "cards": _names(one.cards)} for one in view.trick],
        "thrown": _names(view.thrown),
        "points": view.points,
        "question": view.question,
        "offers": [actions.show(offer) for offer in view.offers],
        "partial_tractor_follow": view.partial_tractor_follow,
        "over": view.over,
        "ended": None
        if ended is None
        else {"points": ended.points, "bonus": ended.bonus, "scores": list(ended.scores)},
        "voided_by": view.voided_by,
    }


def read(told: Mapping[str, Any]) -> SeatView:
    """The view that `record` tells. Raises KeyError, TypeError, ValueError or Rejected for what is none."""
    standing, ended = told["standing"], told["ended"]
    return SeatView(
        told["seat"],
        told["level"],
        told["first_drawer"],
        told["declarer"],
        told["drawn"],
        tuple(sorted(_read_cards(told["hand"]))),
        tuple(told["hand_sizes"]),
        None if standing is None else Laid(standing["seat"], _read_cards(standing["cards"])),
        _read_cards(told["turned"]),
        told["trump"],
        tuple(told["fallen"]),
        _read_cards(told["bottom"]),
        told["turn"],
        tuple(Laid(one["seat"], _read_cards(one["cards"])) for one in told["trick"]),
        _read_cards(told["thrown"]),
        told["points"],
        told["question"],
        tuple(map(actions.parse, told["offers"])),
        told["partial_tractor_follow"],
        told["over"],
        None if ended is None else DealEnded(ended["points"], ended["bonus"], tuple(ended["scores"])),
        told["voided_by"],
    )


def _read_cards(words: Iterable[str]) -> Cards:
    return tuple(HIDDEN if word == "??" else cards.parse(word) for word in words)


def _ranking(view: SeatView) -> tuple[Callable[[int], int], Callable[[int], int]]:
    """Effective suit of a card and its place in it, for the viewer; before trumps are set level cards and jokers stand apart."""
    if view.trump and view.seat is not None:
        return view.order.suits.__getitem__, view.order.places.__getitem__

    def suit_of(card: int) -> int:
        suit = cards.suit_of(card)
        return TRUMPS if not suit or cards.show(card)[1] == view.level else SUITS.index(suit)

    return suit_of, int


def _names(held: Iterable[int]) -> list[str]:
    return [cards.show(card) for card in held]


def _glyphs(held: Iterable[int], pick: Pick) -> list[Word]:
    return spaced(glyph(card, pick) for card in held)


def _word(word: str, pick: Pick) -> Word:
    if _TEXT.fullmatch(word):
        return glyph(HIDDEN if word == "??" else cards.parse(word), pick)
    if word in SUITS:
        return suit(word)
    return Word(pick("level cards fall", "级牌落底") if word == "demoted" else word)
