from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from clients import boards
from clients.cli import faces
from clients.cli.faces import paohuzi, shengji
from clients.cli.output import Problem
from clients.cli.words import choose
from services.domain import fold
from services.games import registry
from services.games.paohuzi import events as paohuzi_events
from services.games.paohuzi.actions import Play as PlayTile
from services.games.shengji import actions, cards
from services.games.shengji import events as shengji_events
from services.games.shengji.actions import Bury, Play
from services.games.shengji.ruleset import DUPLICATE_2017, XIAMEN_2015
from services.games.shengji.state import State
from services.games.shengji.view import SeatView
from services.ledger import dealing

PAOHUZI = registry.find("paohuzi/competitive-2017")
BOARD = PAOHUZI.start(PAOHUZI.resolve({}), 1, dealing.shuffle(bytes(32), PAOHUZI.deck))


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


def deal(leaf: int = 0) -> Iterator[tuple[State, list[str]]]:
    """A Shengji board played by house AI: every state, with what led to it."""
    state = DUPLICATE_2017.start(
        DUPLICATE_2017.resolve({}), 7, dealing.shuffle(bytes([leaf] * 32), cards.DECK)
    )
    happened = DUPLICATE_2017.opening(state)
    while True:
        state = fold(DUPLICATE_2017.evolve, state, happened)
        yield state, [DUPLICATE_2017.tell(event) for event in happened]
        waiting = DUPLICATE_2017.asked(state)
        if not waiting:
            return
        action = DUPLICATE_2017.choose(DUPLICATE_2017.view(state, waiting[0]))
        happened = DUPLICATE_2017.decide(state, waiting[0], action)


def asked(question: str) -> SeatView:
    """The first seat that is asked this."""
    return next(
        view
        for state, _ in deal()
        for seat in DUPLICATE_2017.asked(state)
        if (view := DUPLICATE_2017.view(state, seat)).question == question
    )


# Paohuzi


def test_a_person_sees_its_hand_and_every_choice_by_number() -> None:
    seat = PAOHUZI.asked(BOARD)[0]
    view = PAOHUZI.view(BOARD, seat)
    lines = [line.plain for line in paohuzi.options(view)]
    assert len(lines) == len(view.options) > 0
    assert lines[0].startswith(" 1) ")
    (shown,) = paohuzi.hand(view)
    for number, option in enumerate(view.options, 1):
        assert faces.of(view).answer(view, str(number)) == option
        if isinstance(option, PlayTile):
            assert paohuzi.face(option.tile).plain in shown.plain


def test_a_spectator_is_shown_no_hand(capsys: pytest.CaptureFixture[str]) -> None:
    view = PAOHUZI.view(BOARD, None)
    told = boards.record(view)
    assert told is not None
    assert told["hand"] == []
    faces.show([view])
    assert capsys.readouterr().out.count("tiles)") == 3


# Shengji


def test_trumps_stand_apart_and_every_card_is_shown_once() -> None:
    view = asked("lead")
    assert view.bottom  # of the declarer, who leads
    trumps, *suits, bottom = [line.plain.split() for line in shengji.hand(view)]
    assert (trumps[0], bottom[0]) == ("trumps", "bottom")
    assert len(bottom) == 1 + len(view.bottom)
    titles = [title for title, *_ in suits]
    assert titles == [glyph for glyph in boards.shengji.GLYPHS if glyph in titles]
    assert shengji.face(cards.kind(view.trump, "A")).plain[0] not in titles
    assert sum(len(line) - 1 for line in (trumps, *suits)) == len(view.hand)


def test_before_trumps_are_set_level_cards_and_jokers_stand_apart() -> None:
    view = asked("bid")
    (title, *special), *suits = [line.plain.split() for line in shengji.hand(view)]
    assert title == "level"
    assert all(card in ("jo", "JO") or card[1:] == view.level for card in special)
    assert all(view.level not in ranks for _, *ranks in suits)


@pytest.mark.parametrize(
    ("typed", "played"),
    [
        ("SA", "play SA"),
        ("sa SA", "play SA SA"),
        ("♠A，♥10 ht", "play SA HT HT"),
        ("jo JO", "play jo JO"),
        ("小王大王", "play jo JO"),
    ],
)
def test_cards_are_typed_in_several_ways(typed: str, played: str) -> None:
    assert Play(shengji._parse(typed)) == actions.parse(played)


@pytest.mark.parametrize("typed", ["", "X9", "S1", "SA x", "Jo", "5"])
def test_what_is_no_card_is_told(typed: str) -> None:
    with pytest.raises(Problem, match="cards like SA"):
        shengji.answer(asked("lead"), typed)


def test_cards_that_are_not_held_are_named() -> None:
    view = asked("lead")
    absent = next(card for card in cards.KINDS if card not in view.hand)
    with pytest.raises(Problem, match="not in your hand"):
        shengji.answer(view, cards.show(absent))


def test_what_is_typed_answers_the_question() -> None:
    bury, lead = asked("bury"), asked("lead")
    eight = bury.hand[:8]
    assert shengji.answer(bury, " ".join(map(cards.show, eight))) == Bury(eight)
    assert shengji.answer(lead, cards.show(lead.hand[0])) == Play(lead.hand[:1])
    assert any("eight cards" in line.plain for line in shengji.options(bury))


def test_bids_and_few_follows_are_chosen_by_number() -> None:
    bid = asked("bid")
    assert shengji.answer(bid, str(len(bid.offers))) == bid.offers[-1]
    with pytest.raises(Problem, match="a number from 1 to"):
        shengji.answer(bid, "SA")
    for state, _ in deal():
        for seat in DUPLICATE_2017.asked(state):
            view = DUPLICATE_2017.view(state, seat)
            if view.question == "follow" and len(view.options) <= shengji.FEW:
                assert shengji.answer(view, "1") == view.options[0]
                typed = actions.show(view.options[0]).removeprefix("play ")
                assert shengji.answer(view, typed) == view.options[0]
                return
    pytest.fail("no follow with few choices in this deal")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_whole_deal_is_shown_at_every_step(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    choose(language)
    for state, told in deal(1):
        views = [DUPLICATE_2017.view(state, seat) for seat in range(4)]
        faces.show(views)
        faces.show([DUPLICATE_2017.view(state, None)])
        for view in views:
            assert boards.record(view) is not None
            assert bool(shengji.options(view)) == bool(view.question)
        for text in told:
            assert "_" not in shengji.event(text).plain
    shown = capsys.readouterr().out
    assert {"en": "the defenders have", "zh": "闲家共"}[language] in shown
    assert {"en": "declarer", "zh": "庄家"}[language] in shown


def test_a_spectator_of_shengji_sees_no_card_of_a_hand() -> None:
    state, _ = next(deal())
    told = boards.record(DUPLICATE_2017.view(state, None))
    assert told is not None
    assert told["hand"] == told["bottom"] == []
    lines = shengji.table([DUPLICATE_2017.view(state, None)])
    assert sum("(25 cards)" in line.plain for line in lines) == 4


def test_while_cards_are_drawn_a_few_words_say_what_is_new() -> None:
    state = XIAMEN_2015.start(XIAMEN_2015.resolve({}), 1, dealing.shuffle(bytes(32), cards.DECK))
    seat = next(seat for seat in range(4) if any(state.hands[seat][cards.kind(suit, "2")] for suit in "SHCD"))
    views, told = [XIAMEN_2015.view(state, seat)], list[str]()
    for number in range(1, 101):
        state = fold(XIAMEN_2015.evolve, state, XIAMEN_2015.draw(state, number))
        views.append(XIAMEN_2015.view(state, seat))
        news = shengji.news(views[-1], views[-2])
        assert (news is None) == (number == 100)
        told += [line.plain for line in news or ()]
    drawn = [line.removeprefix("you draw ") for line in told if line.startswith("you draw ")]
    assert len(drawn) == 25
    assert sorted(drawn) == sorted(shengji.face(card).plain for card in views[-1].hand)
    # A level card that was drawn may be bid.
    assert any(") bid " in line for line in told)


# Replays


def _name(event: type) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event.__name__).lower()


def test_every_event_has_its_sentence_in_both_languages() -> None:
    for game, module in ((boards.paohuzi, paohuzi_events), (boards.shengji, shengji_events)):
        assert {_name(event) for event in module.Event.__args__} == game.SENTENCES.keys()


@pytest.mark.parametrize(
    ("text", "en", "zh"),
    [
        (
            "throw_failed 1 SA H8 H8 20",
            "seat 1 throws ♠A ♥8 ♥8, which does not stand: fine 20",
            "1 座甩牌 ♠A ♥8 ♥8 不成，罚 20 分",
        ),
        ("trumps_set H 0 demoted", "trumps ♥, declarer 0 level cards fall", "主 ♥，0 座庄 级牌落底"),
        ("trumps_set C 3", "trumps ♣, declarer 3", "主 ♣，3 座庄"),
    ],
)
def test_an_event_is_told_in_a_sentence(text: str, en: str, zh: str) -> None:
    assert shengji.event(text).plain == en
    choose("zh")
    assert shengji.event(text).plain == zh


def test_replays_of_paohuzi_speak_chinese_too() -> None:
    choose("zh")
    assert paohuzi.event("tile_drawn 2 b7").plain == "2 座摸 柒"
    assert paohuzi.event("eaten 1 s1 s2 s3 + jiao s1 s1 b1").plain.startswith("1 座吃 一，用 二 三 + ")
