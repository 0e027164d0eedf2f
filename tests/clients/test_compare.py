"""The same board across the field: tables meet at a decision by what the deciding seat had seen, whoever else answered first."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from clients.boards import counting, field
from clients.boards.field import Line
from clients.boards.replays import of_audit
from clients.cli.main import run
from clients.cli.words import choose
from services.domain import fold
from services.games import registry
from services.ledger import auditfile, dealing
from services.ledger.audit.boards import PlayedBoard, PlayedStep
from services.ledger.audit.evidence import gather
from services.ledger.audit.questions import Acted
from tests.ledger import event_log as log_of

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
        acted = Acted(seat, False, 0, rules.question(state, seat), 1, 0, 0)
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


def test_C10_6_what_counts_now_stands_beside_what_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    kept = ["--from", str(GOLDEN / "paohuzi-2026-11.fupan")]
    assert run(["board", "compare", "1", "1", "--decision", "1", "--json", *kept]) == 0
    told = {one["table"]: one for one in json.loads(capsys.readouterr().out)}
    now = told["r1-t1"]["now"]
    assert now["kind"] == "corrected"
    assert now["appeal"].startswith("a-")
    assert now["score"] != told["r1-t1"]["score"]
    assert told["r1-t2"]["now"] is None
    shown = f"{now['score']:+d} (corrected, appeal {now['appeal']})"
    assert run(["board", "compare", "1", "1", "--decision", "1", *kept]) == 0
    assert shown in capsys.readouterr().out
    assert run(["board", "compare", "1", "1", *kept]) == 0
    assert f"r1-t1: {shown}" in capsys.readouterr().out
    assert run(["board", "compare", "2", "1", *kept]) == 0  # nothing was ruled on it
    assert "Counts now" not in capsys.readouterr().out


SCORED = {"table": "r1-t2", "round": 1, "board": 1, "attempt": 1}
CHIEF = {"by": "chief_referee", "reason": "entered wrongly"}


def ruled(*events: dict[str, Any]) -> dict[str, Any]:
    """What scoring's log in a file says of board 1, by table: void at r1-t1 by the appeal a-1, and then what is given."""
    log = log_of.championship()
    for event in events:
        log.append(log_of.SCORING, [log_of.ScoringEvent(**event)])
    found = counting.of_audit(gather(auditfile.parse(log.file())), 1, 1)
    return {table: result for (table, _), result in found.items()}


def counts(result: Any, seat: int, scored: int = 0) -> tuple[str, int | None, int | None, str, int] | None:
    now = counting.now(result, seat, scored)
    if now is None:
        return None
    return (now.ruling.kind, now.score, now.tenths, now.ruling.appeal, now.ruling.publication)


def test_a_file_tells_what_was_decided_at_each_table() -> None:
    told = ruled({"result_corrected": {**SCORED, "scores": [90, -40, -50], "authority": CHIEF}})
    assert counts(told["r1-t1"], 2) == ("voided", None, 600, "a-1", 1)
    assert counts(told["r1-t2"], 1) == ("corrected", -40, None, "", 2)
    assert counts(told["r1-t2"], 1, -40) is None  # as it was played


def test_C10_7_arithmetic_that_was_put_right_counts_as_the_same_ruling() -> None:
    again = {"ruling": 1, "figures": [500, 500, 500], "authority": {**CHIEF, "appeal": "a-1"}}
    told = ruled({"ruling_recalculated": again})
    assert counts(told["r1-t1"], 0) == ("voided", None, 500, "a-1", 2)
    assert counts(told["r1-t2"], 0) is None


def test_a_percentage_is_its_entrants_alone() -> None:
    given = {"entrant": 2, "round": 1, "board": 1, "tenths": 300, "authority": CHIEF}
    told = ruled({"percent_assigned": given})
    assert [counts(told["r1-t2"], seat) for seat in range(3)] == [None, ("assigned", None, 300, "", 2), None]
    told = ruled({"percent_assigned": given | {"entrant": log_of.championship().seats["r1-t1"][1]}})
    assert counts(told["r1-t1"], 1) == ("assigned", None, 300, "", 2)
    assert counts(told["r1-t1"], 0) == ("voided", None, 600, "a-1", 1)


def test_C10_6_a_percentage_counts_until_a_later_ruling_on_its_table() -> None:
    given = {"percent_assigned": {"entrant": 2, "round": 1, "board": 1, "tenths": 300, "authority": CHIEF}}
    scores = {"result_corrected": {**SCORED, "scores": [90, -40, -50], "authority": CHIEF}}
    assert counts(ruled(scores, given)["r1-t2"], 1) == ("assigned", None, 300, "", 2)
    assert counts(ruled(given, scores)["r1-t2"], 1) == ("corrected", -40, None, "", 2)
    void = {"board_voided": {**SCORED, "tenths": [600, 500, 400], "authority": CHIEF}}
    assert counts(ruled(given, void)["r1-t2"], 1) == ("voided", None, 500, "", 2)


def test_a_board_that_was_played_again_counts_elsewhere() -> None:
    again = {**SCORED, "by_table": "r1-t2-a2", "by_attempt": 2, "authority": CHIEF}
    told = ruled({"board_superseded": again})
    assert counts(told["r1-t2"], 0) == ("replayed", None, None, "", 2)


@pytest.mark.parametrize(
    ("line", "code"),
    [(["1", "9"], 1), (["1", "1", "--decision", "999"], 2), (["1", "1", "--table", "r9-t1"], 1)],
)
def test_what_cannot_be_compared_is_told_in_a_line(
    line: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["board", "compare", *line, "--from", str(GOLDEN / "paohuzi-2026-11.fupan")]) == code
    assert len(capsys.readouterr().err.splitlines()) == 1
