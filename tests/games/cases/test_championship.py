"""The published championship cases (C3–C6, C8.4), further ones by clause, and cases that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.games import cases

LINES = Path(__file__).with_name("championship.ndjson").read_text(encoding="utf-8").splitlines()


def check(kind: str, expect: dict[str, Any], **fields: Any) -> cases.Verdict:
    """The verdict on a case made of these fields."""
    case = {"id": "X", "game": "championship", "kind": kind, "clause": "C", **fields, "expect": expect}
    return cases.check_line(json.dumps(case), 1)


def ok(kind: str, expect: dict[str, Any], **fields: Any) -> None:
    verdict = check(kind, expect, **fields)
    assert verdict.ok, verdict.message


def table(
    entrants: list[Any], scores: list[Any], seconds: list[Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {"entrants": entrants, "scores": scores, "seconds": seconds or [60] * len(scores), **more}


def board(number: int, *tables: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"board": number, "tables": list(tables), **more}


@pytest.mark.parametrize("line", LINES, ids=lambda line: str(json.loads(line)["id"]))
def test_published_case(line: str) -> None:
    verdict = cases.check_line(line, 1)
    assert verdict.ok, verdict.message


def test_there_are_published_cases_of_all_kinds() -> None:
    kinds = {json.loads(line)["kind"] for line in LINES}
    assert kinds == {"matchpoints", "standings", "seating", "netlevels"}
    assert len(LINES) == 22


def test_C3_3_alone_in_the_group() -> None:
    ok("matchpoints", {"mp": [0], "percent": [50], "ranks": [1]}, scores=[3])


def test_C3_5_who_has_no_result_stands_behind_who_has_the_worst() -> None:
    """C3.0: 4, 5 and 6 have finished no session; of them 5 has beaten 2, who has some result, and 4 has played less long than 6."""
    boards = [
        board(1, table([1, 4], [5, 0]), table([2, 5], [1, 3]), table([3, 6], [0, 0], [60, 61])),
        board(2, table([1], [0]), table([2], [0]), table([3], [0])),
    ]
    boards = [{**one, "round": 1} for one in boards]
    sessions = {"mp_unit": "session", "boards_per_session": 2}
    expect = {"order": [1, 2, 3, 5, 4, 6], "percent": [100, 50, 0, 0, 0, 0], "shared": []}
    ok("standings", expect, boards=boards, params=sessions)


def test_C3_0_sessions_within_a_round() -> None:
    boards = [
        board(7, table([1], [9]), table([2], [5]), round=3),
        board(9, table([1], [0]), table([2], [0]), round=3),
        board(8, table([1], [0]), table([2], [3]), round=3),
    ]
    ok("standings", {"order": [1, 2], "percent": [50, 50]}, boards=boards)
    sessions = {"mp_unit": "session", "boards_per_session": 2}  # 9 + 0 against 5 + 3, then 0 against 0
    ok("standings", {"order": [1, 2], "percent": [75, 25]}, boards=boards, params=sessions)


def test_C3_0_sessions_of_boards_without_rounds() -> None:
    boards = [board(1, table([1], [9]), table([2], [5])), board(2, table([1], [0]), table([2], [3]))]
    shengji = {"ruleset": "shengji/duplicate-2017", "params": {"boards_per_session": 2}}
    ok("standings", {"order": [1, 2], "percent": [100, 0]}, boards=boards, **shengji)


def test_C3_1_within_the_group() -> None:
    tables = [table([entrant], [entrant], group=1 + entrant // 3) for entrant in (1, 2, 3, 4)]
    ok("standings", {"percent": [100, 66.7, 33.3, 0]}, boards=[board(1, *tables)])
    expect = {"order": [2, 4, 1, 3], "percent": [100, 100, 0, 0], "shared": [[2, 4], [1, 3]]}
    ok("standings", expect, boards=[board(1, *tables)], params={"compare_within": "group"})


def test_C4_1_opponents_are_beaten_by_the_round() -> None:
    """4 : 0 and 0 : 5 make 4 : 5, so 2 has beaten 1; board by board each has beaten the other."""
    tables = [[table([1, 2], [4, 0])], [table([1, 2], [0, 5])]]
    in_round = [board(number, *both, round=1) for number, both in enumerate(tables, 1)]
    on_its_own = [board(number, *both) for number, both in enumerate(tables, 1)]
    ok("standings", {"order": [2, 1], "percent": [50, 50], "shared": []}, boards=in_round)
    ok("standings", {"shared": [[1, 2]]}, boards=in_round, params={"beaten_scope": "board"})
    ok("standings", {"shared": [[1, 2]]}, boards=on_its_own)


def test_C4_1_partners_are_no_opponents() -> None:
    """All have 50 %: without partners 1 would have beaten three and 3 two."""
    ok("standings", {"shared": [[1, 3], [2, 4]]}, boards=[board(1, table([1, 2, 3, 4], [3, 0, 1, 0]))])


@pytest.mark.parametrize(
    "house", [table([1, 2], [-9, 0, 9]), table([1, 2, None], [-9, 0, 9]), table([1, 2], [-9, 0])]
)
def test_C1_7_house_seats_are_left_out(house: dict[str, Any]) -> None:
    """1 is compared with 4, 2 with 5, 6 with nobody; 5 has beaten 6 (50 %), 2 has beaten 1 (0 %), 6 nobody."""
    expect = {"order": [4, 5, 2, 6, 1], "percent": [100, 50, 50, 50, 0], "shared": [[2, 6]]}
    ok("standings", expect, boards=[board(1, house, table([4, 5, 6], [9, 0, -9]))])


def test_C1_7_a_house_seat_may_be_written_as_null() -> None:
    ok("standings", {"order": [2], "percent": [50]}, boards=[board(1, table([None, 2, None], [4, -2, -2]))])


def test_C4_3_fractions_of_seconds_are_exact() -> None:
    ok("standings", {"order": [2, 1]}, boards=[board(1, table([1], [0], [0.3]), table([2], [0], [0.299999]))])
    even = [
        board(1, table([1], [0], [0.1]), table([2], [0], [0.3])),
        board(2, table([1], [0], [0.2]), table([2], [0], [0])),
    ]
    ok("standings", {"shared": [[1, 2]]}, boards=even)


def test_C4_5_groups_left_to_a_play_off_are_sets() -> None:
    ok("standings", {"shared": [[2, 1]]}, boards=[board(1, table([1], [0]), table([2], [0]))])


def test_C1_5_C6_2_house_players_and_a_table_more_in_the_first_group() -> None:
    tables = [[1, 2, 3], [6, 5, 4], [7, 8, 9], [10, 11, 12], [None, 14, 13]]
    ok("seating", {"tables": tables}, seats=3, groups=2, tables_per_group=2, ranks=[*range(1, 15)])
    ok(
        "seating",
        {"tables": [[1, 4], [2, 3]]},
        seats=2,
        groups=1,
        tables_per_group=2,
        ranks=[1, 2, 3, 4],
        layout="column_snake",
    )


def test_C8_4_a_as_a_level() -> None:
    ok("netlevels", {"net": 7}, winner="A", loser="7", params={"a_is_a_level": True})


def test_a_wrong_expectation_says_what_was_found() -> None:
    verdict = check("matchpoints", {"mp": [2, 0], "ranks": [2, 1]}, scores=[5, 3])
    assert verdict.show() == 'FAIL X: expected {"ranks": [2, 1]}, got {"ranks": [1, 2]}'


GOOD: dict[str, dict[str, Any]] = {
    "matchpoints": {"scores": [1, 2]},
    "standings": {"boards": [board(1, table([1], [0]))]},
    "seating": {"seats": 3, "groups": 1, "tables_per_group": 1, "ranks": [1, 2, 3], "layout": "row_snake"},
    "netlevels": {"winner": "A", "loser": "7"},
}


WRONG_BOARDS: list[Any] = [
    None,
    {},
    [1],
    [{}],
    [board(1, table([1], []))],
    [board(1, table([1, 2], [0]))],
    [board(1, table([1], [0], [1, 2]))],
    [board(1, table([1], [0], ["1"]))],
    [board(1, table([1], [0], [-1]))],
    [board(1, table([1], [0], [1e-9]))],
    [board(1, table([1], [0], [float("nan")]))],
    [board(1, table([1], [0], [1e300]))],
    [board(1, table([-1], [0]))],
    [board(1, table(["1"], [0]))],
    [board(1, table([1], [0.5]))],
    [board(1, table([1], [10**20]))],
    [board(1, table([10**20], [0]))],
    [board(1, table([1, 1], [0, 0]))],
    [board(1, table([1], [0]), table([1], [0]))],
    [board(1, table([1], [0], group="a"))],
    [board(1, table([1], [0]), round="1")],
    [board(1, *[table([0] * 101, [0] * 101)])],
    [{"board": 1, "tables": [[]]}],
    [{"board": 1, "tables": [{"entrants": [1], "scores": [1]}]}],
    [{"tables": []}],
]


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        *(
            ("matchpoints", {"scores": scores})
            for scores in (None, [], "12", [1, "2"], [1, None], [1.5], [True])
        ),
        *(("standings", {"boards": boards}) for boards in WRONG_BOARDS),
        ("seating", {"seats": 0}),
        ("seating", {"seats": 10**12}),
        ("seating", {"seats": "3"}),
        ("seating", {"groups": 0}),
        ("seating", {"groups": 2}),
        ("seating", {"tables_per_group": 2}),
        ("seating", {"tables_per_group": None}),
        ("seating", {"ranks": [1, 1, 2]}),
        ("seating", {"ranks": []}),
        ("seating", {"layout": "spiral"}),
        ("seating", {"layout": ["row_snake"]}),
        ("netlevels", {"winner": "10"}),
        ("netlevels", {"winner": None}),
        ("netlevels", {"loser": 7}),
        ("netlevels", {"loser": ""}),
        *((kind, {"params": {"unheard_of": 1}}) for kind in GOOD),
        *((kind, {"params": {"tie_on": "luck"}}) for kind in GOOD),
        *((kind, {"params": ["tie_on"]}) for kind in GOOD),
        *((kind, {"ruleset": "paohuzi/none"}) for kind in GOOD),
    ],
)
def test_a_malformed_case_fails_with_a_message_of_ours(kind: str, wrong: dict[str, Any]) -> None:
    assert check(kind, {"none": 0}, **GOOD[kind]).message.startswith("expected")
    verdict = check(kind, {"none": 0}, **{**GOOD[kind], **wrong})
    assert not verdict.ok
    assert verdict.message.startswith("line 1: ")
    assert "malformed (" not in verdict.message
