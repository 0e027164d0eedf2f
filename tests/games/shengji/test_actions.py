"""Actions and events as text, the rulesets behind their protocol, the player of an expired clock (S11)."""

from __future__ import annotations

from typing import Any

import pytest

from services.domain import Rejected, fold
from services.games.rules import Outcome, Ruleset
from services.games.shengji import params
from services.games.shengji.actions import PASS, REVOLT, Action, Bid, Bury, Play, canonical, parse, show
from services.games.shengji.bids import Setting
from services.games.shengji.cards import DECK
from services.games.shengji.events import (
    BidPassed,
    CardsPlayed,
    DealEnded,
    DealVoided,
    Event,
    ThrowFailed,
    TrumpsSet,
)
from services.games.shengji.fallback import fallback
from services.games.shengji.ruleset import DUPLICATE_2017, XIAMEN_2015
from services.games.shengji.words import tell
from tests.games.shengji.given import act, play, playing, xiamen


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("bid D2", Bid(play("D2"))),
        ("bid D2 D2", Bid(play("D2 D2"))),
        ("pass", PASS),
        ("revolt", REVOLT),
        ("bury S2 S3 S4 S5 H6 H7 H8 jo", Bury(play("S2 S3 S4 S5 H6 H7 H8 jo"))),
        ("play CK CA CA", Play(play("CA CA CK"))),
    ],
)
def test_text_and_action_are_one(text: str, action: Action) -> None:
    assert parse(text) == action
    assert show(action) == text
    assert canonical(action) == action


def test_the_order_of_cards_is_free() -> None:
    assert parse("play CA CK CA") == parse("play CK CA CA")
    reverse = tuple(reversed(play("CA CK")))
    for kind in (Bid, Bury, Play):
        assert canonical(kind(reverse)) == kind(play("CA CK"))


@pytest.mark.parametrize(
    "text", ["", "play", "play C10", "PLAY CA", "pass CA", "revolt now", "lead CA", "play ??", None, 5, "win"]
)
def test_what_is_no_action(text: Any) -> None:
    with pytest.raises(Rejected, match="MALFORMED_ACTION"):
        parse(text)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (CardsPlayed(2, play("CA CK")), "cards_played 2 CK CA"),
        (ThrowFailed(0, play("CA C8 C8"), 20), "throw_failed 0 C8 C8 CA 20"),
        (TrumpsSet("H", 1, True), "trumps_set H 1 demoted"),
        (TrumpsSet("H", 1, False), "trumps_set H 1"),
        (BidPassed(3), "bid_passed 3"),
        (DealEnded(90, 30, (-10, 10, -10, 10)), "deal_ended 90 30 -10 10 -10 10"),
    ],
)
def test_events_are_told_in_one_line(event: Event, text: str) -> None:
    assert tell(event) == text


# The rulesets


def test_both_rulesets_keep_the_protocol() -> None:
    rulesets: list[Ruleset] = [XIAMEN_2015, DUPLICATE_2017]
    assert [(each.id, each.game, each.seats, len(each.deck)) for each in rulesets] == [
        ("shengji/xiamen-2015", "shengji", 4, 108),
        ("shengji/duplicate-2017", "shengji", 4, 108),
    ]
    for each in rulesets:
        assert each.describe(each.resolve({})) == params.describe(params.DEFAULTS[each.id])


def test_s9_6_declarer_and_level_are_part_of_a_board() -> None:
    """52 boards bring every seat to declare at every level."""
    resolved = DUPLICATE_2017.resolve({})
    settings = [DUPLICATE_2017.start(resolved, board, DECK).setting for board in range(1, 53)]
    assert settings[0] == Setting("2", 0, 0)
    assert settings[5] == Setting("7", 1, 1)
    assert len(set(settings)) == 52


def test_s4_7_a_match_begins_with_a_first_deal() -> None:
    assert XIAMEN_2015.start(XIAMEN_2015.resolve({}), 3, DECK).setting == Setting("2", None, 2)


@pytest.mark.parametrize("deal", [(), DECK[:-1], (*DECK[:-1], 1), (*DECK[:-1], 55)])
def test_a_deal_is_the_whole_deck(deal: tuple[int, ...]) -> None:
    with pytest.raises(Rejected, match="MALFORMED_DEAL"):
        DUPLICATE_2017.start(DUPLICATE_2017.resolve({}), 1, deal)


def test_boards_count_from_one() -> None:
    with pytest.raises(Rejected, match="NO_SUCH_BOARD"):
        DUPLICATE_2017.start(DUPLICATE_2017.resolve({}), 0, DECK)


def test_questions_and_their_clocks() -> None:
    rules = XIAMEN_2015
    board = rules.deal(rules.resolve({}), Setting("2", 0, 0), tuple(reversed(DECK)))
    assert (rules.asked(board), rules.put(board, 0)) == ((), False)
    board = fold(rules.evolve, board, rules.opening(board))
    assert {rules.question(board, seat) for seat in rules.asked(board)} == {"bid"}
    while board.phase in ("call", "ask"):
        board = fold(rules.evolve, board, rules.decide(board, rules.asked(board)[0], PASS))
    assert [rules.question(board, seat) for seat in rules.asked(board)] == ["bury", "claim", "claim"]
    for seat in (1, 3, 0):
        board = fold(rules.evolve, board, rules.decide(board, seat, rules.fallback(board, seat)))
    assert [rules.question(board, seat) for seat in rules.asked(board)] == ["play"]


def test_a_play_is_a_beat() -> None:
    assert DUPLICATE_2017.is_beat(CardsPlayed(0, play("CA")))
    assert not DUPLICATE_2017.is_beat(TrumpsSet("H", 0, False))


def test_outcomes() -> None:
    board = playing("CA|C2|C3|C4")
    assert XIAMEN_2015.outcome(board) is None
    voided = board._replace(result=DealVoided(1))
    assert XIAMEN_2015.outcome(voided) == Outcome((0, 0, 0, 0), drawn=True)
    done = act(board, "0 play CA", "1 play C2", "2 play C3", "3 play C4")
    assert XIAMEN_2015.outcome(done) == Outcome((80, -80, 80, -80), drawn=False)


# S11: the fallback player


def test_s11_the_lowest_lead_and_follow() -> None:
    board = playing("CA C3 H2 D7|C2 C2 CK|D4 H2 HA|C9 CT S2")
    assert fallback(board, 0) == Play(play("C3"))
    board = act(board, "0 play C3")
    assert fallback(board, 1) == Play(play("C2"))
    assert fallback(act(board, "1 play C2"), 2) == Play(play("D4"))


def test_s11_shapes_are_answered_as_low_as_they_can_be() -> None:
    board = act(playing("CQ CQ|C2 C9 C9 CK CK|D4 H2 HA|C9 CT"), "0 play CQ CQ")
    assert fallback(board, 1) == Play(play("C9 C9"))


def test_s11_the_lowest_eight_are_laid_and_trumps_kept() -> None:
    board = playing("S2 S3 C4 C5 D6 D8 SJ CQ CK H2 D7 JO|||")._replace(phase="bury", buried=False, bottom=())
    assert fallback(board, 0) == Bury(play("S2 S3 C4 C5 D6 D8 SJ CQ"))


def test_s11_nobody_bids_or_revolts_by_the_clock() -> None:
    board = playing("CA|C2|C3|C4", params=xiamen())
    asked = board._replace(phase="bury", buried=False, undecided=(False, True, False, True))
    assert fallback(asked, 1) == PASS
    assert fallback(board._replace(phase="call", trumps=None), 2) == PASS
    with pytest.raises(ValueError, match="no question"):
        fallback(board, 1)
