"""Steps of a replay as pages show them, made from whole boards that house AI plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from clients import boards
from clients.boards.replays import of_service
from clients.console import tables
from clients.console.language import LANGUAGES
from clients.console.tables import Shown
from fupan.table.v1 import service_pb2 as pb
from services.games import registry
from services.ledger import dealing
from services.ledger.games import GAMES

EN, ZH = LANGUAGES["en"], LANGUAGES["zh"]
PAOHUZI = registry.find("paohuzi/competitive-2017")
SHENGJI = registry.find("shengji/duplicate-2017")


def _played(rules: Any, leaf: bytes) -> Iterator[tuple[Any, int | None, str, list[str]]]:
    """State, who acted, the action and what happened, step by step to the end of a board."""
    state, happened = rules.start(rules.resolve({}), 1, dealing.shuffle(leaf, rules.deck)), []
    for event in rules.opening(state):
        state = rules.evolve(state, event)
        happened.append(rules.tell(event))
    yield state, None, "", happened
    while asked := rules.asked(state):
        seat = asked[0]
        action = rules.choose(rules.view(state, seat))
        happened = []
        for event in rules.decide(state, seat, action):
            state = rules.evolve(state, event)
            happened.append(rules.tell(event))
        yield state, seat, rules.show(action), happened


def _replay(rules: Any, leaf: bytes, seat: int | None = None) -> list[pb.ReplayBoardResponse]:
    """The board as the table service tells it: with all hands, or as a seat knew it."""
    told = []
    for number, (state, who, action, happened) in enumerate(_played(rules, leaf), 1):
        step = pb.ReplayBoardResponse(step=number, time_us=number)
        if who is not None and seat in (None, who):
            step.acted.seat, step.acted.thinking_us, step.acted.asked_us = who, 1_000_000, 1
            step.action = action
        if seat is None:
            step.events.extend(happened)
            for each in range(rules.seats):
                _paint(rules, state, each, step.seats.add())
        else:
            _paint(rules, state, seat, step.view)
        told.append(step)
    return told


def _paint(rules: Any, state: Any, seat: int, into: pb.SeatView) -> None:
    codec = GAMES[rules.game]
    getattr(into, codec.field).CopyFrom(codec.views.to_proto(rules.view(state, seat)))


def _steps(told: list[pb.ReplayBoardResponse], language: Any = EN) -> list[Shown]:
    request = pb.ReplayBoardRequest(all=bool(told[0].seats))
    replay = of_service("cup", request, told)
    game = tables.named(replay.head.game)
    assert game is not None
    return tables.steps(game, replay, language)


@pytest.mark.parametrize("leaf", [bytes([number] * 32) for number in range(3)])
def test_all_eighty_tiles_are_on_the_table_at_every_step(leaf: bytes) -> None:
    for step in _steps(_replay(PAOHUZI, leaf)):
        table = step.table
        lying: Counter[int] = Counter()
        for seat in table["seats"]:
            lying.update(seat["hand"] or [])
            lying.update(seat["discards"])
            for meld in seat["melds"]:
                lying.update(meld["tiles"])
        if table["offer"] and not table["over"]:
            lying[table["offer"]["tile"]] += 1
        assert 0 not in lying
        assert max(lying.values()) <= 4
        if not table["over"]:
            assert lying.total() + table["stock"] == 80


def test_a_seats_knowledge_has_no_other_hand_and_no_closed_tile() -> None:
    told = _replay(PAOHUZI, bytes(32), seat=1)
    for step in _steps(told):
        for number, seat in enumerate(step.table["seats"]):
            assert (seat["hand"] is None) == (number != 1 or not seat["size"])
            assert number == 1 or not seat["asked"]


def test_sentences_in_both_languages_with_tiles_in_their_colours() -> None:
    told = _replay(PAOHUZI, bytes(32))
    for english, chinese in zip(_steps(told, EN), _steps(told, ZH), strict=True):
        for one, other in zip(english.events, chinese.events, strict=True):
            assert [word for word in one if word.kind] == [word for word in other if word.kind]
            assert not any("_" in word.text for word in (*one, *other))
    kinds = {word.text: word.kind for step in _steps(told) for event in step.events for word in event}
    assert all(kinds.get(red, "red") == "red" for red in "二七十贰柒拾")
    assert all(kinds.get(black, "black") == "black" for black in "一三四五六八九壹叁肆伍陆捌玖")


def test_what_an_action_says_is_not_said_again() -> None:
    for step in _steps(_replay(PAOHUZI, bytes(32))):
        said = "".join(word.text for word in step.action)
        if said.startswith("play "):
            assert not any(
                "".join(word.text for word in event)
                == f"seat {step.step.seat} {said.replace('play', 'plays')}"
                for event in step.events
            )


def test_a_seat_that_is_told_no_events_sees_what_lies_on_the_table() -> None:
    steps = _steps(_replay(PAOHUZI, bytes(32), seat=0))
    offers = [step.table["offer"] for step in steps]
    for before, after, step in zip(offers, offers[1:], steps[1:], strict=False):
        if after and after != before and not step.action and not step.table["over"]:
            assert step.events
    assert any("wins" in word.text or "nobody won" in word.text for word in _words(steps[-1]))


def test_clocks_add_up_by_seat() -> None:
    steps = _steps(_replay(PAOHUZI, bytes(32)))
    acted = Counter(step.step.seat for step in steps if step.step.seat is not None)
    assert steps[-1].clocks == tuple(acted[seat] * 1_000_000 for seat in range(3))


def test_a_deal_of_shengji_to_its_end() -> None:
    steps = _steps(_replay(SHENGJI, bytes(32)))
    for step in steps:
        table = step.table
        held = sum(len(group) for seat in table["seats"] for group in seat["hand"] or [])
        assert held == sum(seat["size"] for seat in table["seats"])
    # Every trick is seen whole: on the table, or as it was won.
    won = [step.table["won"] for step in steps if step.table["won"]]
    assert len(won) == sum("wins the trick" in word.text for step in steps for word in _words(step))
    assert all(len({laid["seat"] for laid in trick}) == 4 for trick in won)
    last = steps[-1].table
    assert last["over"]
    assert last["trump"]["suit"] in "♠♥♣♦"
    assert sum(last["ended"]["scores"]) == 0
    alone = _steps(_replay(SHENGJI, bytes(32), seat=2))
    assert all(
        seat["hand"] is None
        for step in alone
        for number, seat in enumerate(step.table["seats"])
        if number != 2
    )


def test_what_could_be_chosen_is_told_at_every_decision_and_the_choice_is_among_it() -> None:
    steps = [one for one in _steps(_replay(PAOHUZI, bytes(32))) if one.decides]
    assert len(steps) > 10
    for one in steps:
        legal = one.drawn()["legal"]
        assert legal["count"] == len(legal["listed"])
        assert legal["listed"][legal["chosen"]] == one.action
    passed = next(one.drawn() for one in steps if one.drawn()["passed"])
    assert len(passed["legal"]["listed"]) > 1


def test_what_was_refused_stands_at_the_step_after_it_with_its_clause() -> None:
    told = _replay(PAOHUZI, bytes(32))
    told[3].tried.add(seat=2, time_us=1, action="play s5", reason="NOT_YOUR_TURN", clause="P5.4")
    (tried,) = _steps(told)[3].drawn()["tried"]
    assert (tried["seat"], tried["clause"]) == (2, "P5.4")
    assert "".join(word.text for word in tried["said"]) == "play 五"


@pytest.mark.parametrize("rules", [PAOHUZI, SHENGJI])
def test_a_choice_takes_cards_that_its_seat_holds(rules: Any) -> None:
    """Whoever taps these cards in its hand means that choice."""
    game, taken = tables.named(rules.game), 0
    assert game is not None
    for state, *_ in _played(rules, bytes(32)):
        for seat in rules.asked(state):
            view = rules.view(state, seat)
            held: Counter[str] = Counter(boards.record(view)["hand"])  # type: ignore[index]  # a seat's own view
            for choice in game.choices(view, EN):
                taken += len(choice.uses)
                assert Counter(choice.uses) <= held
    assert taken


def _words(step: Shown) -> list[Any]:
    return [word for event in step.events for word in event]
