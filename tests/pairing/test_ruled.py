"""What a championship does about appeals: boards played again, and seats that were ruled (C10.6, C10.7)."""

from __future__ import annotations

from dataclasses import replace

from services.pairing.model import commands as c
from services.pairing.model import events as e
from tests.pairing.given import (
    CLOSED,
    FIRST,
    PAIRED,
    PAIRING,
    STARTED,
    created,
    ended,
    entered,
    pairing,
    registered,
    seats,
)

# C10.6: boards played again


def test_a_replay_seats_those_of_the_first_table() -> None:
    past = ended()
    seated = past.state.rounds[0].tables[0]
    command = c.SeatReplay(1, 2, 2, f"{seated.table}-a2", seated.table, 7, 2)
    event = e.ReplaySeated(1, 2, 2, replace(seated, table=f"{seated.table}-a2"), seated.table, 7, 2)
    past.when(c.EndReplay(event.table.table)).then()
    again = past.when(command).then(event)
    again.when(command).then()
    assert again.state.replays_of(1) == (event.table,)
    over = again.when(c.EndReplay(event.table.table)).then(e.BoardReplayed(event.table.table))
    over.when(c.EndReplay(event.table.table)).then()
    for wrong in (replace(command, round=9), replace(command, replaces="r1-t9")):
        past.when(wrong).rejected("NO_SUCH_TABLE", "C10.6")


def seat_again(table: str, board: int = 2, attempt: int = 2, tables: int = 1) -> c.SeatReplay:
    return c.SeatReplay(1, board, attempt, f"{table}-a{attempt}", table, 7, tables)


def test_nobody_plays_a_board_again_while_a_round_runs_nor_a_round_before_it() -> None:
    """C9.2, C10.6: nobody is to sit at two tables at once."""
    again = seat_again("r1-t1")
    PAIRING.given(*STARTED).when(again).rejected("ROUND_RUNNING", "C10.6")
    second = seats(2, (1, 5, 3), (4, 2, 6))
    paired = PAIRING.given(*CLOSED, e.RoundSeated(2, 0, second), pairing(2, second)[1])
    seated = e.ReplaySeated(1, 2, 2, replace(FIRST[0], table="r1-t1-a2"), "r1-t1", 7, 1)
    past = paired.when(again).then(seated)
    past.when(c.StartRound(2)).rejected("REPLAY_RUNNING", "C10.6")
    over = past.when(c.EndReplay("r1-t1-a2")).then(e.BoardReplayed("r1-t1-a2"))
    over.when(c.StartRound(2)).then(e.RoundStarted(2, 0))
    paired.when(c.StartRound(2)).then(e.RoundStarted(2, 0)).when(again).rejected("ROUND_RUNNING", "C10.6")


def test_a_deal_that_is_not_seated_everywhere_is_not_over() -> None:
    """A process may end between two of its tables: the rest is seated, and a round waits for it."""
    second = seats(2, (1, 5, 3), (4, 2, 6))
    past = PAIRING.given(*CLOSED, e.RoundSeated(2, 0, second), pairing(2, second)[1])
    first, other = (seat_again(one.table, tables=2) for one in FIRST)
    past = past.when(first).then(e.ReplaySeated(1, 2, 2, replace(FIRST[0], table="r1-t1-a2"), "r1-t1", 7, 2))
    past = past.when(c.EndReplay("r1-t1-a2")).then(e.BoardReplayed("r1-t1-a2"))
    past.when(c.StartRound(2)).rejected("REPLAY_RUNNING", "C10.6")
    past.when(other).then(e.ReplaySeated(1, 2, 2, replace(FIRST[1], table="r1-t2-a2"), "r1-t2", 7, 2))


def test_who_has_two_boards_to_play_again_plays_one_after_the_other() -> None:
    """C9.2."""
    past = PAIRING.given(*CLOSED)
    past = past.when(seat_again("r1-t1")).then(
        e.ReplaySeated(1, 2, 2, replace(FIRST[0], table="r1-t1-a2"), "r1-t1", 7, 1)
    )
    past.when(seat_again("r1-t1", board=1, attempt=3)).rejected("REPLAY_RUNNING", "C10.6")
    past.when(seat_again("r1-t1", attempt=3)).rejected("REPLAY_RUNNING", "C10.6")
    elsewhere = e.ReplaySeated(1, 1, 2, replace(FIRST[1], table="r1-t2-a2"), "r1-t2", 7, 1)
    past.when(seat_again("r1-t2", board=1)).then(elsewhere)
    over = past.when(c.EndReplay("r1-t1-a2")).then(e.BoardReplayed("r1-t1-a2"))
    then = e.ReplaySeated(1, 1, 3, replace(FIRST[0], table="r1-t1-a3"), "r1-t1", 7, 1)
    over.when(seat_again("r1-t1", board=1, attempt=3)).then(then)


# C10.6: seats that a committee ruled


def test_a_committee_has_a_round_seated_otherwise_before_it_begins() -> None:
    past = PAIRING.given(*PAIRED)
    (tables,) = (past.state.rounds[0].tables,)
    first, second = tables[0], tables[1]
    one = replace(first, entrants=(second.entrants[0], *first.entrants[1:]))
    other = replace(second, entrants=(first.entrants[0], *second.entrants[1:]))
    command = c.ReseatRound("a-1", 1, (one, other))
    seated = past.when(command).then(
        e.SeatingOverridden(1, (one, other, *tables[2:]), "ruling in appeal a-1")
    )
    assert seated.state.rounds[0].tables[:2] == (one, other)


def test_C10_7_the_chief_referee_changes_no_seats_that_a_committee_ruled() -> None:
    """Other tables of the round are the chief's as before, and so is one that the ruling did not touch."""
    drawn, nine = seats(1, (1, 2, 3), (4, 5, 6), (7, 8, 9)), range(1, 10)
    past = (*entered(*nine), registered(*nine), e.RoundSeated(1, 0, drawn), pairing(1, drawn)[1])
    wanted = seats(1, (4, 2, 3), (1, 5, 6))
    ruled = PAIRING.given(created(), *past).when(c.ReseatRound("a-1", 1, wanted), by="service:pairing")
    after = (*wanted, drawn[2])
    given = ruled.then(e.SeatingOverridden(1, after, "ruling in appeal a-1"))
    for undone in (
        drawn,
        drawn[:2],
        seats(1, (3, 2, 4)),
        (seats(1, (7, 2, 3))[0], replace(drawn[2], entrants=(4, 8, 9))),
    ):
        given.when(c.OverrideSeating(1, undone, "as drawn")).rejected("RULING_FINAL", "C10.7")
    third = replace(drawn[2], entrants=(9, 8, 7))
    moved = e.SeatingOverridden(1, (*wanted, third), "friends")
    again = given.when(c.OverrideSeating(1, (wanted[0], third), "friends"), by="chief").then(moved)
    again.when(c.OverrideSeating(1, drawn[:2], "as drawn")).rejected("RULING_FINAL", "C10.7")
    # What the chief seated the chief may seat again.
    again.when(c.OverrideSeating(1, drawn[2:], "as drawn")).then(e.SeatingOverridden(1, after, "as drawn"))


def test_seats_that_a_committee_left_as_they_were_stay() -> None:
    """C10.7: those for which a rejected appeal asked for other ones; of the rest the chief referee decides (C9.2)."""
    drawn = seats(2, (1, 2, 3), (4, 5, 6))
    past = PAIRING.given(*CLOSED, e.RoundSeated(2, 0, drawn), pairing(2, drawn)[1])
    told = e.SeatsConfirmed("a-1", 2, ("r2-t1",))
    left = past.when(c.ConfirmSeats("a-1", 2, ("r2-t1", "r2-t9"))).then(told)
    left.when(c.OverrideSeating(2, seats(2, (2, 1, 3)), "nicer")).rejected("RULING_FINAL", "C10.7")
    other = (replace(drawn[1], entrants=(6, 5, 4)),)
    left.when(c.OverrideSeating(2, other, "x")).then(e.SeatingOverridden(2, (drawn[0], *other), "x"))
    for again in (c.ConfirmSeats("a-1", 2, ("r2-t1",)), c.ConfirmSeats("a-1", 9, ("r9-t1",))):
        left.when(again).then()
    PAIRING.given(*STARTED).when(c.ConfirmSeats("a-1", 1, ("r1-t1",))).then()


def test_seats_that_a_round_cannot_have_any_more_are_for_the_chief_referee_to_see() -> None:
    """Ruled is ruled: it is an event, not a refusal."""
    begun = PAIRING.given(*PAIRED, e.RoundStarted(1, 0))
    tables = begun.state.rounds[0].tables
    command = c.ReseatRound("a-1", 1, tables[:1])
    why = "seats may be changed before the round starts"
    begun.when(command).then(e.ReseatingRefused("a-1", "ROUND_STARTED", "C9.2", why))
    past = PAIRING.given(*PAIRED)
    twice = replace(tables[0], entrants=tables[1].entrants)
    why = "every entrant that plays on has exactly one place"
    event = e.ReseatingRefused("a-1", "SEATING_WRONG", "C6.2", why)
    refused = past.when(replace(command, tables=(twice,))).then(event)
    assert refused.state.rounds == past.state.rounds
