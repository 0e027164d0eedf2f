"""How tables and boards begin and end: given what happened, when a command comes, then events or a refusal."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from services.domain import Rejected
from services.table.framing import TableFraming
from services.table.model import commands as c
from services.table.model.events import (
    BoardClosedUnfinished,
    BoardDealt,
    BoardOpened,
    BoardSlot,
    Seat,
    SeatJoined,
    TableOpened,
    TableSealed,
)
from tests.table.given import FACTS, PEOPLE, RULES, Script, deal, facts

S = 1_000_000


def refused(script: Script, command: c.Command, actor: str = "service:table") -> str:
    """Reason and clause of the refusal; the table must be as before."""
    before, version = script.table, script.version
    with pytest.raises(Rejected) as error:
        script.when(command, actor)
    assert (script.table, script.version) == (before, version)
    return f"{error.value.reason} {error.value.clause}".strip()


def test_a_table_keeps_the_resolved_parameters_it_was_opened_with() -> None:
    script = Script(facts(params='{"min_huxi": 18}'))
    (opened,) = script.log[0]
    assert isinstance(opened, TableOpened)
    assert json.loads(opened.params) == RULES.describe(RULES.resolve({"min_huxi": 18}))


def test_opening_the_same_table_again_changes_nothing_and_another_one_is_refused() -> None:
    script = Script()
    assert script.when(c.OpenTable(FACTS)) == ()
    assert refused(script, c.OpenTable(facts(round=2))) == "TABLE_EXISTS"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"seats": FACTS.seats[:2]}, "MALFORMED_TABLE C1.1"),
        ({"seats": (Seat(1, "anna"), Seat(2, "anna"), Seat(0, ""))}, "MALFORMED_TABLE C1.5"),
        ({"seats": (Seat(1, "anna"), Seat(0, "bo"), Seat(0, ""))}, "MALFORMED_TABLE C1.5"),
        ({"boards": ()}, "MALFORMED_TABLE C1.1"),
        ({"boards": (BoardSlot(1, 1), BoardSlot(1, 1))}, "MALFORMED_TABLE C1.1"),
        ({"boards": (BoardSlot(0, 1),)}, "MALFORMED_TABLE C1.1"),
        ({"claim_clock_ms": 0}, "MALFORMED_TABLE P12"),
        ({"ruleset": "paohuzi/none"}, "UNKNOWN_RULESET"),
        ({"params": "[" * 100_000}, "MALFORMED_PARAMS P0"),
        ({"params": '{"min_huxi": 5}'}, "PARAMETER_OUT_OF_RANGE P8.2"),
    ],
)
def test_a_table_that_could_not_be_played_is_refused(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(Rejected) as error:
        Script(facts(**changes))
    assert f"{error.value.reason} {error.value.clause}".strip() == reason


def test_nothing_happens_at_a_table_that_was_never_opened() -> None:
    script = Script()
    script.table = script.decider.initial("")
    assert refused(script, c.JoinSeat(0), "anna") == "NO_SUCH_TABLE"


def test_players_join_their_own_seat_once() -> None:
    script = Script()
    assert script.when(c.JoinSeat(1), "bo") == (SeatJoined(1),)
    assert script.when(c.JoinSeat(1), "bo") == ()
    assert refused(script, c.JoinSeat(0), "bo") == "NOT_YOUR_SEAT"
    assert refused(script, c.JoinSeat(7), "bo") == "NOT_YOUR_SEAT"


def test_the_first_board_waits_for_the_players_but_not_for_ever() -> None:
    script = Script()
    script.when(c.JoinSeat(0), "anna")
    assert refused(script, c.OpenBoard(1, 1)) == "WAITING_FOR_PLAYERS"
    script.now_us += 60 * S
    assert script.when(c.OpenBoard(1, 1)) == (BoardOpened(1, 1),)


def test_house_ai_needs_not_be_waited_for() -> None:
    script = Script(facts(seats=(Seat(1, "anna"), Seat(0, ""), Seat(0, ""))))
    script.when(c.JoinSeat(0), "anna")
    assert script.when(c.OpenBoard(1, 1)) == (BoardOpened(1, 1),)


def test_boards_come_in_order_one_at_a_time_with_a_pause_between_them() -> None:
    script = Script()
    for seat, person in enumerate(PEOPLE):
        script.when(c.JoinSeat(seat), person)
    assert refused(script, c.OpenBoard(2, 1)) == "NOT_THE_NEXT_BOARD C1.1"
    script.when(c.OpenBoard(1, 1))
    assert refused(script, c.OpenBoard(1, 1)) == "NOT_THE_NEXT_BOARD C1.1"
    script.when(c.CloseBoard("no dealer"))
    assert refused(script, c.OpenBoard(2, 1)) == "BETWEEN_BOARDS"
    script.now_us += 5 * S
    assert script.when(c.OpenBoard(2, 1)) == (BoardOpened(2, 1),)


def test_a_deal_is_laid_out_once_and_must_be_one() -> None:
    script = Script()
    assert refused(script, c.DealBoard(deal(1))) == "NO_BOARD_TO_DEAL P3"
    script.dealt()
    assert script.log[-1][0] == BoardDealt(deal(1))
    assert script.asked() == (0,)
    assert refused(script, c.DealBoard(deal(1))) == "NO_BOARD_TO_DEAL P3"


@pytest.mark.parametrize("bytes_", [b"", deal(1)[:-1], deal(1)[:-1] + deal(1)[:1]])
def test_what_is_no_permutation_of_the_deck_is_no_deal(bytes_: bytes) -> None:
    script = Script()
    script.now_us += 60 * S
    script.when(c.OpenBoard(1, 1))
    assert refused(script, c.DealBoard(bytes_)) == "MALFORMED_DEAL P1.1"


def test_boards_that_were_never_opened_are_closed_one_record_each() -> None:
    script = Script()
    assert script.when(c.CloseBoard("deadline")) == (BoardClosedUnfinished(1, 1, "deadline"),)
    assert script.when(c.CloseBoard("deadline")) == (BoardClosedUnfinished(2, 1, "deadline"),)
    assert refused(script, c.CloseBoard("deadline")) == "NO_BOARD_LEFT C2.2"


def test_the_finished_table_is_sealed_over_the_record_before_and_then_rests() -> None:
    script = Script()
    seal = c.SealTable(3, b"h" * 32, b"s" * 64, "key", b"p" * 32)
    assert refused(script, seal) == "BOARDS_LEFT C1.1"
    script.when(c.CloseBoard(""))
    script.when(c.CloseBoard(""))
    assert refused(script, c.SealTable(2, b"", b"", "", b"")) == "HEAD_MOVED"
    script.when(c.CallReferee(0, "noise"), "anna")
    assert refused(script, seal) == "REFEREE_CALLED C9.3"
    script.when(c.MakeRuling("r1", "no action", "C9.3"), "ref")
    assert script.when(c.SealTable(5, b"h" * 32, b"s" * 64, "key", b"p" * 32)) == (
        TableSealed(5, b"h" * 32, b"s" * 64, "key", b"p" * 32),
    )
    assert refused(script, c.PauseTable("late"), "ref") == "TABLE_SEALED C9.4"


def test_a_board_closed_unfinished_says_whose_seat_nobody_has_left_to_play_it() -> None:
    """C1.7, C2.2: such a seat is given nothing for it, one that was lost before it was opened neither."""
    script = Script()
    script.dealt()
    script.when(c.ReplaceSeat(1, "", "withdrawn"))
    told = []
    for _ in range(2):
        before = script.table
        script.when(c.CloseBoard("deadline"))
        told.append(TableFraming(cast(Any, None)).closing(before, script.table))
    assert [one and (one.board, one.unfinished, one.taken_over, one.scores) for one in told] == [
        (1, True, (1,), ()),
        (2, True, (1,), ()),
    ]


def test_who_sits_where_house_ai_played_on_an_unfinished_board_is_given_for_the_boards_after_it() -> None:
    """C1.7."""
    script = Script()
    script.dealt()
    script.when(c.ReplaceSeat(1, "", "unwell"))
    script.when(c.ReplaceSeat(1, "dora", "a substitute"))
    for over in ((1,), ()):
        script.when(c.CloseBoard("deadline"))
        assert script.table.result is not None
        assert script.table.result.taken_over == over
