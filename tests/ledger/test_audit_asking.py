"""A choice that was never put to its seat, and a question to a seat that has none, are found (P6.1, P6.4, S4.5)."""

from __future__ import annotations

from typing import Any, NamedTuple

from services.games.paohuzi.actions import PASS
from services.ledger.audit.asking import misasked
from services.ledger.audit.evidence import Event
from tests.ledger import event_log as e
from tests.ledger.test_audit import codes, forged
from tests.table.given import RULES, Script


class Question(NamedTuple):
    ask: int
    kind: str


CLAIM, NEXT = Question(1, "claim"), Question(2, "claim")
BEAT = [next(one for one in e.play_board(RULES, RULES.deck, 1, 1)[1][2] if RULES.is_beat(one))]


def state(asked: int) -> Any:
    """A game at the first moment at which so many seats are asked at once."""
    script = Script().dealt(3)
    while len(script.asked()) < asked:
        seat = script.asked()[0]
        script.answer(seat, script.choose(seat))
    return script.board.game


def found(now: dict[int, Question], before: dict[int, Question], game: Any = None, happened: Any = ()) -> str:
    wrong = misasked(RULES, game or state(3), before, now, [Event("paohuzi", one) for one in happened])
    return "" if wrong is None else wrong[0]


def test_everybody_with_a_choice_is_asked_and_nobody_else() -> None:
    assert found(dict.fromkeys((0, 1, 2), CLAIM), {}) == ""
    assert found(dict.fromkeys((0, 1), CLAIM), {}) == "QUESTION_MISSING"
    assert found({0: CLAIM, 1: CLAIM, 2: Question(1, "play")}, {}) == "OTHER_QUESTION"
    first = Script().dealt(3).board.game
    (seat,) = RULES.asked(first)
    assert found({seat: Question(1, "play")}, {}, first) == ""
    assert found({seat: Question(1, "play"), (seat + 1) % 3: CLAIM}, {}, first) == "OTHER_QUESTION"


def test_a_question_stays_as_it_is_until_another_card_is_shown() -> None:
    claims = dict.fromkeys((0, 1, 2), CLAIM)
    assert found(claims, claims) == ""
    assert found(claims | {1: NEXT}, claims) == "OTHER_QUESTION"
    assert found(claims, claims, happened=BEAT) == "OTHER_QUESTION"
    assert found(dict.fromkeys((0, 1, 2), NEXT), claims, happened=BEAT) == ""


def test_a_question_that_was_outranked_stands_still() -> None:
    """P6.4: its seat does not learn that another one goes before it."""
    claims = state(3)
    seats = (0, 1, 2)
    # Somebody claims, and whoever comes after is no longer waited for.
    for seat in seats:
        claim = next(one for one in RULES.options(claims, seat) if one != PASS)
        game = claims
        for event in RULES.decide(claims, seat, claim):
            game = RULES.evolve(game, event)
        outranked = [
            one for one in seats if one != seat and one not in RULES.asked(game) and RULES.put(game, one)
        ]
        if outranked:
            break
    waiting = {one: CLAIM for one in seats if one != seat}
    assert found(waiting, waiting, game) == ""
    gone = {one: question for one, question in waiting.items() if one not in outranked}
    assert found(gone, waiting, game) == "QUESTION_MISSING"
    assert found(waiting, gone, game) == "OTHER_QUESTION"


def test_a_claim_that_was_not_put_is_found_in_a_file() -> None:
    def fewer(asked: Any) -> None:
        if len(asked.questions) > 1:
            del asked.questions[-1]

    assert ("replay", "QUESTION_MISSING") in codes(forged(asked=fewer))


def test_another_kind_of_question_is_a_new_one() -> None:
    first = Script().dealt(3).board.game
    (seat,) = RULES.asked(first)
    assert found({seat: Question(2, "play")}, {seat: CLAIM}, first) == ""
    assert found({seat: Question(1, "play")}, {seat: CLAIM}, first) == "OTHER_QUESTION"
