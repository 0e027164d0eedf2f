"""What a championship may do next, clause by clause (C1, C6, C9, C10.8)."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest

from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.digests import entrants_digest
from services.pairing.model.events import VENUE_ITEMS
from services.pairing.model.state import SERVICE
from tests.pairing.given import (
    CLOSED,
    DRAWN,
    FIRST,
    KEYS,
    OPEN,
    PAIRED,
    PAIRING,
    SIX,
    STARTED,
    created,
    ended,
    entered,
    entrants,
    pairing,
    registered,
    seats,
    settings,
)
from tests.specification import NOON, Fact

# Creation


def test_who_creates_a_championship_organises_it() -> None:
    past = PAIRING.given().when(c.CreateChampionship(settings(), KEYS), by="boss").then(created().event)
    assert past.state.officials == (e.OfficialAppointed("boss", "organiser", ""),)
    past.when(c.CreateChampionship(settings(), KEYS)).rejected("CHAMPIONSHIP_EXISTS")


def test_nothing_happens_to_a_championship_that_there_is_not() -> None:
    PAIRING.given().when(c.StartRound(1)).rejected("NO_SUCH_CHAMPIONSHIP")


# C1.2, C1.6: entrants


def test_an_import_counts_when_it_is_closed() -> None:
    first, second = entrants(1, 2), entrants(3)
    past = PAIRING.given(created())
    past = past.when(c.ImportEntrants("i1", 0, first)).then(e.EntrantsImported("i1", 0, first))
    assert not past.state.entrants
    past = past.when(c.ImportEntrants("i1", 1, second)).then(e.EntrantsImported("i1", 1, second))
    digest = entrants_digest((*first, *second))
    past = past.when(c.CloseImport("i1")).then(e.EntrantsImportClosed("i1", 3, digest))
    assert list(past.state.entrants) == [1, 2, 3]
    assert past.state.persons == {"p-1": 1, "p-2": 2, "p-3": 3}


def test_chunks_come_in_order() -> None:
    past = PAIRING.given(created())
    past.when(c.ImportEntrants("i1", 1, entrants(1))).rejected("WRONG_CHUNK")
    again = PAIRING.given(created(), e.EntrantsImported("i1", 0, entrants(1)))
    again.when(c.ImportEntrants("i1", 0, entrants(1))).rejected("WRONG_CHUNK")


def test_an_import_without_rows_is_none() -> None:
    PAIRING.given(created()).when(c.CloseImport("i1")).rejected("EMPTY_IMPORT")


@pytest.mark.parametrize(
    "incoming",
    [
        entrants(1),  # a number that is taken
        (e.Entrant(9, (e.Member("p-1", ""),)),),  # a person who is entered already
        (e.Entrant(9, (e.Member("x", ""),)), e.Entrant(9, (e.Member("y", ""),))),
        (e.Entrant(8, (e.Member("x", ""),)), e.Entrant(9, (e.Member("x", ""),))),
        (e.Entrant(0, (e.Member("x", ""),)),),
    ],
)
def test_a_number_and_a_person_stand_for_one_entrant(incoming: tuple[e.Entrant, ...]) -> None:
    """C1.2: what was free when the rows were checked may be taken when they would count."""
    past = PAIRING.given(*OPEN, e.EntrantsImported("i2", 0, incoming))
    past.when(c.CloseImport("i2")).rejected("IMPORT_OVERTAKEN", "C1.2")


def test_late_entry_is_possible_until_a_round_is_paired() -> None:
    """C1.6."""
    late = c.ImportEntrants("i2", 0, entrants(7))
    accepted = e.EntrantsImported("i2", 0, entrants(7))
    PAIRING.given(*OPEN).when(late).then(accepted)
    PAIRING.given(*DRAWN).when(late).rejected("DRAW_RUNNING", "C1.6")
    PAIRING.given(*STARTED).when(late).then(accepted)
    seating = e.RoundSeated(2, 0, seats(2, (1, 2, 3)))
    PAIRING.given(*CLOSED, seating).when(late).rejected("PAIRING_RUNNING", "C1.6")
    last = PAIRING.given(created(rounds=1), *STARTED[1:])
    last.when(late).rejected("LAST_ROUND_PAIRED", "C1.6")
    entering = e.EntrantsImported("i2", 0, entrants(7))
    PAIRING.given(created(rounds=1), *OPEN[1:], entering, *STARTED[len(OPEN) :]).when(
        c.CloseImport("i2")
    ).rejected("LAST_ROUND_PAIRED", "C1.6")
    ended().when(late).rejected("COMPETITION_ENDED", "C1.6")


def test_who_withdraws_keeps_its_results_and_is_not_paired_again() -> None:
    """C1.6."""
    withdrawn = e.EntrantWithdrawn(2, "ill")
    past = PAIRING.given(*CLOSED).when(c.WithdrawEntrant(2, "ill")).then(withdrawn)
    assert 2 in past.state.entrants
    past.when(c.WithdrawEntrant(2, "ill")).rejected("ALREADY_WITHDRAWN", "C1.6")
    past.when(c.WithdrawEntrant(99, "")).rejected("NO_SUCH_ENTRANT", "C1.6")
    past.when(c.WithdrawEntrant(3, " ")).rejected("REASON_MISSING", "C9.4")
    past.when(c.WithdrawEntrant(3, ""), by="p-2").rejected("REASON_MISSING", "C9.4")
    past.when(c.WithdrawEntrant(3, ""), by="p-3").then(e.EntrantWithdrawn(3, ""))
    with_two, without_two = seats(2, (1, 2, 3), (4, 5, 6)), seats(2, (1, 3, 4), (5, 6, 0))
    for tables in (with_two, without_two):
        seated = PAIRING.given(*past.events, e.RoundSeated(2, 0, tables))
        command, paired = pairing(2, tables)
        if tables is with_two:
            seated.when(command).rejected("FIELD_CHANGED", "C1.6")
        else:
            seated.when(command).then(paired)
    missing = seats(2, (1, 3, 4), (5, 0, 0))
    seated = PAIRING.given(*past.events, e.RoundSeated(2, 0, missing))
    seated.when(pairing(2, missing)[0]).rejected("SEATING_WRONG", "C6.2")


# C6: seats


def test_round_1_is_drawn_from_a_closed_list() -> None:
    """C6.1."""
    PAIRING.given(created()).when(c.CloseRegistration()).rejected("NO_ENTRANTS", "C1.2")
    PAIRING.given(*OPEN).when(c.SeatTables(1, 0, FIRST)).rejected("REGISTRATION_OPEN", "C6.1")
    past = PAIRING.given(*OPEN).when(c.CloseRegistration()).then(registered(*SIX))
    past.when(c.CloseRegistration()).then()
    without = PAIRING.given(*OPEN, e.EntrantWithdrawn(6, ""))
    without.when(c.CloseRegistration()).then(registered(1, 2, 3, 4, 5))


def test_a_round_is_seated_in_chunks_that_count_with_its_pairing() -> None:
    one, two = FIRST[:1], FIRST[1:]
    past = PAIRING.given(*DRAWN).when(c.SeatTables(1, 0, one)).then(e.RoundSeated(1, 0, one))
    past.when(c.SeatTables(1, 2, two)).rejected("WRONG_CHUNK")
    past = past.when(c.SeatTables(1, 1, two)).then(e.RoundSeated(1, 1, two))
    command, paired = pairing(1, FIRST)
    past.when(command).rejected("SEATING_INCOMPLETE")
    past.when(replace(command, chunks=2)).then(paired)


def test_chunk_0_begins_anew_and_chunks_of_two_attempts_never_mix() -> None:
    other = seats(1, (6, 5, 4), (3, 2, 1))
    past = PAIRING.given(
        *DRAWN, e.RoundSeated(1, 0, FIRST[:1]), e.RoundSeated(1, 0, other[:1]), e.RoundSeated(1, 1, FIRST[1:])
    )
    for tables in (FIRST, other):
        command = replace(pairing(1, tables)[0], chunks=2)
        past.when(command).rejected("SEATING_OVERTAKEN", "C6.2")


@pytest.mark.parametrize(
    "tables",
    [
        seats(1, (1, 2, 3), (4, 5, 0)),  # somebody without a seat
        seats(1, (1, 2, 3), (4, 5, 6), (1, 0, 0)),  # somebody with two
        seats(1, (1, 2, 3), (4, 5, 7)),  # somebody who is no entrant
        (e.SeatedTable("t", 1, (1, 2, 3)), e.SeatedTable("t", 1, (4, 5, 6))),
    ],
)
def test_everybody_who_plays_on_has_one_seat(tables: tuple[e.SeatedTable, ...]) -> None:
    past = PAIRING.given(*DRAWN, e.RoundSeated(1, 0, tables))
    past.when(pairing(1, tables)[0]).rejected("SEATING_WRONG", "C6.2")


def test_rounds_are_paired_one_after_the_other() -> None:
    def seat(round_: int) -> c.SeatTables:
        return c.SeatTables(round_, 0, FIRST)

    PAIRING.given(*PAIRED).when(seat(1)).rejected("ROUND_PAIRED", "C6.2")
    PAIRING.given(*PAIRED).when(seat(2)).rejected("ROUND_RUNNING", "C6.2")
    PAIRING.given(*DRAWN).when(seat(2)).rejected("WRONG_ROUND", "C6.2")
    PAIRING.given(*CLOSED).when(seat(3)).rejected("NO_SUCH_ROUND", "C1.1")
    ended().when(seat(2)).rejected("NO_SUCH_ROUND", "C1.1")
    PAIRING.given(*CLOSED).when(seat(2)).then(e.RoundSeated(2, 0, FIRST))


# C1.1: rounds


def test_a_round_starts_once_it_is_paired_with_a_deadline_for_its_boards() -> None:
    PAIRING.given(*DRAWN).when(c.StartRound(1)).rejected("NO_SUCH_ROUND", "C1.1")
    PAIRING.given(*PAIRED).when(c.StartRound(1)).then(e.RoundStarted(1, 0))
    PAIRING.given(*STARTED).when(c.StartRound(1)).rejected("ROUND_NOT_PAIRED", "C1.1")
    limited = (created(clocks="{board_deadline_ms: 60000}"), *PAIRED[1:])
    PAIRING.given(*limited).when(c.StartRound(1)).then(e.RoundStarted(1, NOON + 60_000_000))


def test_the_last_round_ends_the_competition() -> None:
    closed = e.RoundClosed(1, incomplete=False, reason="")
    running = PAIRING.given(*STARTED)
    running.when(c.CloseRound(1, ""), by=SERVICE).then(closed)
    for empty in ("", " "):
        running.when(c.CloseRound(1, empty)).rejected("REASON_MISSING", "C9.4")
    PAIRING.given(*PAIRED).when(c.CloseRound(1, "")).rejected("ROUND_NOT_RUNNING", "C6.2")
    early = e.RoundClosed(1, incomplete=True, reason="power cut")
    PAIRING.given(*STARTED).when(c.CloseRound(1, "power cut")).then(early)
    last = PAIRING.given(created(rounds=1), *STARTED[1:])
    assert (
        last.when(c.CloseRound(1, ""), by=SERVICE).then(closed, e.CompetitionEnded()).state.ended_us == NOON
    )


def test_a_competition_may_end_between_two_rounds() -> None:
    end = c.EndCompetition("everybody has left")
    for past in (OPEN, DRAWN, CLOSED):
        over = PAIRING.given(*past).when(end).then(e.CompetitionEnded("everybody has left"))
        assert over.state.phase == "ended"
        over.when(end).rejected("COMPETITION_ENDED", "C1.1")
    for running in (PAIRED, STARTED):
        PAIRING.given(*running).when(end).rejected("ROUND_RUNNING", "C1.1")
    for empty in ("", " \n"):
        PAIRING.given(*CLOSED).when(c.EndCompetition(empty)).rejected("REASON_MISSING", "C9.4")
    over = PAIRING.given(*CLOSED, e.CompetitionEnded("x"))
    over.when(pairing(2, seats(2, (1, 2, 3), (4, 5, 6)))[0]).rejected("NO_SUCH_ROUND", "C1.1")
    over.when(c.ImportEntrants("i2", 0, entrants(7))).rejected("COMPETITION_ENDED", "C1.6")


# C9: officials


def test_offices_of_an_event() -> None:
    """C9.1."""
    past = PAIRING.given(created())
    for role in ("chief_referee", "deputy", "referee", "arbitrator", "organiser"):
        appoint = c.AppointOfficial("li", role, "u-1", "replaces wang")
        past = past.when(appoint).then(e.OfficialAppointed("li", role, "u-1", "replaces wang"))
    past.when(c.AppointOfficial("li", "referee", "u-1")).rejected("ALREADY_APPOINTED", "C9.1")
    past.when(c.AppointOfficial("wang", "chief_referee", "")).rejected("CHIEF_REFEREE_EXISTS", "C9.1")
    past.when(c.AppointOfficial("wang", "king", "")).rejected("NO_SUCH_ROLE", "C9.1")
    past.when(c.AppointOfficial("", "referee", "")).rejected("PERSON_MISSING", "C9.1")


def test_a_commission_ends_with_a_reason() -> None:
    """C9.2, C9.4."""
    past = PAIRING.given(created(), e.OfficialAppointed("li", "referee", ""))
    for empty in ("", "  "):
        past.when(c.SuspendOfficial("li", "referee", empty)).rejected("REASON_MISSING", "C9.4")
    past.when(c.SuspendOfficial("li", "deputy", "biased")).rejected("NOT_APPOINTED", "C9.2")
    over = past.when(c.SuspendOfficial("li", "referee", "biased")).then(
        e.OfficialSuspended("li", "referee", "biased")
    )
    over.when(c.SuspendOfficial("li", "referee", "biased")).rejected("NOT_APPOINTED", "C9.2")
    past.when(c.SuspendOfficial("boss", "organiser", "tired")).rejected("LAST_ORGANISER", "C9.1")


def test_the_chief_referee_may_change_seats_before_a_round_starts() -> None:
    """C9.2: tables that are not named stay as they are."""
    changed = seats(1, (2, 1, 3))
    after = (*changed, FIRST[1])
    paired = PAIRING.given(*PAIRED)
    overridden = e.SeatingOverridden(1, after, "friends")
    state = paired.when(c.OverrideSeating(1, changed, "friends")).then(overridden).state
    assert state.rounds[0].tables == after
    assert state.rounds[0].paired == FIRST
    (told,) = state.rounds[0].changes
    assert (told.reason, told.before, told.ruled) == ("friends", FIRST[:1], False)
    for empty in ("", "\t"):
        paired.when(c.OverrideSeating(1, changed, empty)).rejected("REASON_MISSING", "C9.4")
    for wrong, clause in (
        ((), "C9.2"),
        (seats(2, (2, 1, 3)), "C9.2"),  # not a table of the round
        ((*changed, *changed), "C9.2"),
        (seats(1, (2, 1)), "C9.2"),
        ((replace(changed[0], group=2),), "C9.2"),
        (seats(1, (4, 1, 3)), "C6.2"),
    ):
        paired.when(c.OverrideSeating(1, wrong, "friends")).rejected("SEATING_WRONG", clause)
    PAIRING.given(*STARTED).when(c.OverrideSeating(1, changed, "x")).rejected("ROUND_STARTED", "C9.2")


def test_C1_3_in_a_machine_event_everybody_keeps_the_seat_of_all() -> None:
    """Tables may be exchanged, not seats, and nobody sits with another (human-against-machine)."""
    drawn = seats(1, (0, 1, 0), (0, 2, 0), (0, 3, 0))
    machine = created(format="machine", machine_seat=1)
    past = (machine, *entered(1, 2, 3), registered(1, 2, 3), e.RoundSeated(1, 0, drawn), pairing(1, drawn)[1])
    given, others = PAIRING.given(*past), seats(1, (0, 2, 0), (0, 1, 0), (0, 3, 0))
    given.when(c.OverrideSeating(1, others, "x")).then(e.SeatingOverridden(1, others, "x"))
    for wrong in (seats(1, (1, 0, 0)), seats(1, (0, 1, 2), (0, 0, 0))):
        given.when(c.OverrideSeating(1, wrong, "x")).rejected("SEATING_WRONG", "C1.3")


def test_seats_are_changed_among_those_who_were_seated() -> None:
    """C1.6: an entrant that has withdrawn keeps its seat, which house AI plays, or leaves it; a late one has none yet."""
    swap, alone = seats(2, (4, 2, 3), (1, 5, 6)), seats(2, (4, 2, 3), (1, 5, 0))
    drawn = seats(2, (1, 2, 3), (4, 5, 6))
    past = (*CLOSED, e.RoundSeated(2, 0, drawn), pairing(2, drawn)[1])
    late, ill = entered(7, import_id="i2"), e.EntrantWithdrawn(6, "ill")
    for since in (late, (ill,), (*late, ill)):
        given = PAIRING.given(*past, *since)
        given.when(c.OverrideSeating(2, swap, "x")).then(e.SeatingOverridden(2, swap, "x"))
        ruled = e.SeatingOverridden(2, swap, "ruling in appeal a-1")
        given.when(c.ReseatRound("a-1", 2, swap)).then(ruled)
        new = c.OverrideSeating(2, seats(2, (4, 7, 3), (1, 5, 6)), "x")
        given.when(new).rejected("SEATING_WRONG", "C6.2")
    emptied = PAIRING.given(*past, ill).when(c.OverrideSeating(2, alone, "x"))
    left = emptied.then(e.SeatingOverridden(2, alone, "x"))
    left.when(c.ReseatRound("a-1", 2, drawn)).then(e.SeatingOverridden(2, drawn, "ruling in appeal a-1"))
    PAIRING.given(*past).when(c.OverrideSeating(2, alone, "x")).rejected("SEATING_WRONG", "C6.2")
    gone = PAIRING.given(*past, *late, e.EntrantWithdrawn(7, "ill"), e.EntrantWithdrawn(1, "ill"))
    never = c.OverrideSeating(2, seats(2, (7, 2, 3), (4, 5, 6)), "x")
    gone.when(never).rejected("SEATING_WRONG", "C6.2")


def test_C9_2_a_ruling_is_overturned_once_after_its_round_with_text_and_reason() -> None:
    table = "r1-t1"
    made = c.OverturnRuling(f"{table}.b", f"{table}.a", "no warning", "C11.1", "his phone was off")
    PAIRING.given(*STARTED).when(made).rejected("ROUND_RUNNING", "C9.2")
    closed = PAIRING.given(*CLOSED)
    closed.when(replace(made, text=" ")).rejected("TEXT_MISSING", "C9.2")
    closed.when(replace(made, reason=" ")).rejected("REASON_MISSING", "C9.4")
    closed.when(replace(made, clause="C99")).rejected("NO_SUCH_CLAUSE", "C9.3")
    told = e.RulingOverturned(f"{table}.b", f"{table}.a", "no warning", "C11.1", "his phone was off")
    past = closed.when(made).then(told)
    past.when(replace(made, ruling=f"{table}.c")).rejected("RULING_OVERTURNED", "C9.2")
    again = replace(made, ruling=f"{table}.c", overturns=f"{table}.b")
    past.when(again).then(replace(told, ruling=f"{table}.c", overturns=f"{table}.b"))


def test_supplementary_regulations_come_before_round_1() -> None:
    """C9.5."""
    text = "No phones."
    first = e.RegulationsPublished(1, sha256(text.encode()).digest(), text)
    past = PAIRING.given(created()).when(c.PublishRegulations(text)).then(first)
    past.when(c.PublishRegulations(text)).then(replace(first, version=2))
    past.when(c.PublishRegulations(" ")).rejected("TEXT_MISSING", "C9.5")
    PAIRING.given(*STARTED).when(c.PublishRegulations(text)).rejected("ROUND_ONE_STARTED", "C9.5")


def test_an_on_site_event_starts_with_its_venue_confirmed() -> None:
    """C11.2."""
    on_site = (created(venue="onsite"), *PAIRED[1:])
    past = PAIRING.given(*on_site)
    past.when(c.StartRound(1)).rejected("VENUE_NOT_CONFIRMED", "C11.2")
    past.when(c.ConfirmVenue(VENUE_ITEMS[1:])).rejected("CHECKLIST_INCOMPLETE", "C11.2")
    confirmed = past.when(c.ConfirmVenue((*VENUE_ITEMS, "cake"))).then(e.VenueConfirmed(VENUE_ITEMS))
    confirmed.when(c.StartRound(1)).then(e.RoundStarted(1, 0))
    PAIRING.given(*STARTED).when(c.ConfirmVenue(VENUE_ITEMS)).rejected("ROUND_ONE_STARTED", "C11.2")


def test_a_closed_import_leaves_nothing_behind() -> None:
    assert PAIRING.given(created(), *entered(1, 2)).state.imports == ()
    assert PAIRING.given(created(), *entered(1, 2)).state.imported == {"i1"}


def test_a_fact_changes_a_state_whatever_happened_before() -> None:
    """A recorded fact is never refused."""
    past = PAIRING.given(Fact(e.RoundClosed(1, incomplete=False, reason="")), e.EntrantWithdrawn(3, ""))
    assert past.state.rounds[0].phase == "closed"
