"""The same board across the field: tables meet at a decision by what the deciding seat had seen, whoever else answered first."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from clients.boards import field
from clients.boards.field import Line
from clients.boards.replays import of_audit
from clients.cli.main import run
from clients.cli.words import choose
from fupan.table.v1.events_pb2 import Acted
from services.domain import fold
from services.games import registry
from services.ledger import dealing
from services.ledger.audit.boards import PlayedBoard, PlayedStep

GOLDEN = Path(__file__).parents[1] / "golden"
RULESETS = ["paohuzi/competitive-2017", "shengji/duplicate-2017"]


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


def line(ruleset: str, table: str, order: int, *, strays_at: int | None = None, deal: int = 3) -> Line:
    """House AI's line on a deal; those who are asked together answer in an order of chance, which changes no choice.

    At the decision `strays_at`, counted from 0, another action than house AI's is taken.
    """
    rules, rng = registry.find(ruleset), random.Random(order)
    state = rules.start(rules.resolve({}), 1, dealing.shuffle(bytes([deal] * 32), rules.deck))
    events: tuple[Any, ...] = rules.opening(state)
    state = fold(rules.evolve, state, events)
    steps = [PlayedStep(0, None, "", tuple(map(rules.tell, events)), state)]
    decisions = 0
    while waiting := rules.asked(state):
        seat = rng.choice(waiting)
        options, action = rules.options(state, seat), rules.choose(rules.view(state, seat))
        if len(options) > 1:
            if decisions == strays_at:
                action = next(option for option in options if option != action)
            decisions += 1
        acted = Acted(seat=seat, question=rules.question(state, seat), asked_us=1)
        events = rules.decide(state, seat, action)
        state = fold(rules.evolve, state, events)
        steps.append(PlayedStep(len(steps), acted, rules.show(action), tuple(map(rules.tell, events)), state))
    return field.line(of_audit("cup", PlayedBoard(table, 1, 1, rules, rules.resolve({}), b"", tuple(steps))))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_who_answers_first_makes_no_other_decision(ruleset: str) -> None:
    lines = [line(ruleset, f"t{order}", order) for order in range(3)]
    crossings = field.along(lines, lines[0])
    assert len(crossings) > 10
    assert {len(one.choices) for one in crossings} == {1}
    # Who was outranked before it answered made no decision (P6.4); nobody else is missing anywhere.
    assert {one.tables for one in crossings if one.decision.question == "play"} == {3}
    assert sum(one.tables < 3 for one in crossings) < 3


@pytest.mark.parametrize("ruleset", RULESETS)
def test_tables_part_where_one_chooses_otherwise(ruleset: str) -> None:
    straight = [line(ruleset, f"t{number}", 0) for number in range(2)]
    strayed = line(ruleset, "t2", 0, strays_at=4)
    crossings = field.along([*straight, strayed], straight[0])
    assert [one.tables for one in crossings[:5]] == [3] * 5
    most, other = crossings[4].choices
    assert [len(most.lines), len(other.lines)] == [2, 1]
    assert most.action == straight[0].decisions[4].action
    assert other.action == strayed.decisions[4].action
    assert strayed.scores is not None
    assert other.mean == strayed.scores[crossings[4].decision.seat]
    # The seat that strayed has seen something else from here on.
    seat = crossings[4].decision.seat
    assert {one.tables for one in crossings[5:] if one.decision.seat == seat} <= {2}


def test_other_deals_have_no_decision_in_common() -> None:
    one, other = (line(RULESETS[0], "t", 0, deal=deal) for deal in (3, 4))
    assert not {each.known for each in one.decisions} & {each.known for each in other.decisions}


def test_the_command_tells_choices_and_then_tables(capsys: pytest.CaptureFixture[str]) -> None:
    kept = ["--from", str(GOLDEN / "paohuzi-2026-11.fupan"), "--json"]
    assert run(["board", "compare", "1", "1", *kept]) == 0
    choices = json.loads(capsys.readouterr().out)
    parting = [one for one in choices if one["count"] < one["of"]]
    assert {one["followed"] for one in parting} == {True, False}
    assert sum(one["count"] for one in parting) == parting[0]["of"]
    assert run(["board", "compare", "1", "1", "--decision", str(parting[0]["decision"]), *kept]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert {one["table"] for one in tables} == {"r1-t1", "r1-t2"}
    assert {one["action"] for one in tables} == {one["action"] for one in parting}
    assert all(one["score"] == one["scores"][one["seat"]] for one in tables)


@pytest.mark.parametrize(
    ("line", "code"),
    [(["1", "9"], 1), (["1", "1", "--decision", "999"], 2), (["1", "1", "--table", "r9-t1"], 1)],
)
def test_what_cannot_be_compared_is_told_in_a_line(
    line: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["board", "compare", *line, "--from", str(GOLDEN / "paohuzi-2026-11.fupan")]) == code
    assert len(capsys.readouterr().err.splitlines()) == 1
