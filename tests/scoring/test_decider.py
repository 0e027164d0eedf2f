"""What scoring may decide (C2.2, C9.2, C9.4, C10.6, C10.7, C10.8)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.scoring import model as m
from tests.scoring.given import (
    CHIEF,
    CUT,
    DEPUTY,
    SCORING,
    committee,
    correct,
    corrected,
    publish,
    published,
)
from tests.specification import NOON, Fact

VOID = m.VoidBoard("r1-t1", 1, 1, 1, (600, 500, 400), CHIEF)
ASSIGN = m.AssignPercent(5, 1, 1, 600, CHIEF)
FINE = m.SetPenalty("late", 5, 20, CHIEF)


# C9.2: corrections


def final(appeal: str, ruled_in: str) -> m.CorrectionRefused:
    """Not applied, since a committee has ruled on the same in another appeal."""
    why = f"the committee's ruling in appeal {ruled_in} is final"
    return m.CorrectionRefused(appeal, "RULING_FINAL", "C10.7", why)


def test_every_replay_has_an_attempt_and_a_table_of_its_own() -> None:
    """C10.6: so no two of them share a deal."""
    first, second = committee("a-1"), committee("a-2")
    command = m.ApplyRuling("a-1", (m.ReplayBoard("r1-t1", 1, 1, 1, first),), "")
    past = SCORING.given().when(command).then(m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-a2", 2, first))
    other = m.ApplyRuling("a-2", (m.ReplayBoard("r1-t2", 1, 1, 1, second),), "")
    past.when(other).then(m.BoardSuperseded("r1-t2", 1, 1, 1, "r1-t2-a3", 3, second))
    again = m.ApplyRuling("a-2", (m.ReplayBoard("r1-t1", 1, 1, 1, second),), "")
    past.when(again).then(final("a-2", "a-1"))
    board = m.ApplyRuling("a-2", (m.ReplayBoard("r1-t1", 1, 2, 1, second),), "")
    past.when(board).then(m.BoardSuperseded("r1-t1", 1, 2, 1, "r1-t1-a3", 3, second))


@pytest.mark.parametrize("attempt", [0, 1, 2**32 - 1])
def test_attempts_are_counted_whatever_a_remedy_calls_them(attempt: int) -> None:
    command = m.ApplyRuling("a-1", (m.ReplayBoard("r1-t1", 1, 1, attempt, committee()),), "")
    SCORING.given().when(command).then(m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-a2", 2, committee()))


@pytest.mark.parametrize("by", [CHIEF, DEPUTY])
def test_the_chief_referee_or_a_deputy_corrects(by: m.Authority) -> None:
    SCORING.given().when(correct(by=by)).then(corrected(by=by))


def test_every_kind_of_correction() -> None:
    past = SCORING.given()
    past = past.when(VOID).then(m.BoardVoided("r1-t1", 1, 1, 1, (600, 500, 400), CHIEF))
    past = past.when(ASSIGN).then(m.PercentAssigned(5, 1, 1, 600, CHIEF))
    past = past.when(FINE).then(m.PenaltySet("late", 5, 20, CHIEF))
    lifted = replace(FINE, tenths=0)
    past = past.when(lifted).then(m.PenaltySet("late", 5, 0, CHIEF))
    replay = m.SupersedeBoard("r1-t1", 1, 1, 1, "r1-t1-2", 2, CHIEF)
    past = past.when(replay).then(m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-2", 2, CHIEF))
    assert [ruled.number for ruled in past.state.rulings] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("command", "reason", "clause"),
    [
        (correct(by=replace(CHIEF, by="referee")), "WRONG_AUTHORITY", "C9.2"),
        (correct(by=committee()), "WRONG_AUTHORITY", "C9.2"),
        (correct(by=replace(CHIEF, reason="")), "REASON_MISSING", "C9.4"),
        (correct(()), "RULING_OF_WRONG_LENGTH", "C10.6"),
        (correct((1, 1, 1)), "SCORES_NOT_ZERO", "P11.1"),
        (correct((1_000_001, -1_000_001, 0)), "SCORE_OUT_OF_RANGE", "P11.1"),
        (m.CorrectMatch("r1-t1", 1, 2, ("A", "7"), CHIEF), "NO_SUCH_SIDE", "C8.2"),
        (m.CorrectMatch("r1-t1", 1, 0, ("A",), CHIEF), "NO_SUCH_SIDE", "C8.2"),
        (m.CorrectMatch("r1-t1", 1, 0, ("A", "1"), CHIEF), "NO_SUCH_LEVEL", "C8.4"),
        (replace(VOID, tenths=(0, 0, 1001)), "PERCENT_OUT_OF_RANGE", "C2.2"),
        (replace(ASSIGN, tenths=1001), "PERCENT_OUT_OF_RANGE", "C2.2"),
        (replace(FINE, tenths=2**32 - 1), "PERCENT_OUT_OF_RANGE", "C2.2"),
        (replace(FINE, penalty=""), "PENALTY_MISSING", "C10.6"),
    ],
)
def test_a_correction_that_makes_no_sense(command: m.Correction, reason: str, clause: str) -> None:
    SCORING.given().when(command).rejected(reason, clause)


# C10.6, C10.7: the committee's rulings


def test_all_remedies_of_an_appeal_are_taken_up_at_once() -> None:
    remedies = (correct(by=committee()), replace(FINE, authority=committee()))
    command = m.ApplyRuling("a-1", remedies, "")
    past = (
        SCORING.given()
        .when(command)
        .then(corrected(by=committee()), m.PenaltySet("late", 5, 20, committee()))
    )
    assert [(ruled.number, ruled.version) for ruled in past.state.rulings] == [(1, 1), (2, 1)]
    past.when(command).then()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (
            m.ApplyRuling("a-1", (correct((1, 1, 1), by=committee()),), ""),
            ("SCORES_NOT_ZERO", "P11.1", "scores sum to zero, these to 3"),
        ),
        (
            m.ApplyRuling("a-1", (correct(by=committee()),), "BOARD_OPEN", 0, "C9.2", "it is open"),
            ("BOARD_OPEN", "C9.2", "it is open"),
        ),
        (
            m.ApplyRuling(
                "a-1", (correct(by=committee()), replace(FINE, authority=committee(), tenths=1001)), ""
            ),
            ("PERCENT_OUT_OF_RANGE", "C2.2", "a percentage lies within 0 and 100"),
        ),
    ],
)
def test_a_ruling_that_cannot_be_applied_is_an_event_for_the_chief_referee(
    command: m.ApplyRuling, why: tuple[str, str, str]
) -> None:
    refused = SCORING.given().when(command).then(m.CorrectionRefused("a-1", *why))
    assert refused.state.rulings == ()
    refused.when(command).then()


def test_the_committees_ruling_is_final() -> None:
    """C10.7: neither the chief referee nor another appeal changes it."""
    past = SCORING.given(corrected(by=committee("a-1")))
    past.when(correct((5, -5, 0))).rejected("RULING_FINAL", "C10.7")
    past.when(VOID).rejected("RULING_FINAL", "C10.7")
    past.when(correct((5, -5, 0), table="r1-t2")).then(corrected((5, -5, 0), table="r1-t2"))
    other = m.ApplyRuling("a-2", (correct((5, -5, 0), by=committee("a-2")),), "")
    past.when(other).then(final("a-2", "a-1"))
    penalty = SCORING.given(m.PenaltySet("late", 5, 0, committee()))
    penalty.when(FINE).rejected("RULING_FINAL", "C10.7")


def test_the_committee_may_change_what_the_chief_referee_corrected() -> None:
    command = m.ApplyRuling("a-1", (correct((5, -5, 0), by=committee()),), "")
    SCORING.given(corrected()).when(command).then(corrected((5, -5, 0), by=committee()))


# C10.7: nobody corrects what a committee has ruled, except its arithmetic


def recalculate(*working: str, remedy: int = 1, by: m.Authority = CHIEF) -> m.RecalculateRuling:
    return m.RecalculateRuling("a-1", remedy, working, by)


LINKED = replace(CHIEF, appeal="a-1")
"""The chief referee's own authority, and the appeal whose ruling stays."""


def test_the_chief_referee_puts_the_arithmetic_of_a_ruling_right() -> None:
    """C9.2, C10.7: as an event of its own, with its workings; the committee's ruling stays where it is, and stays final."""
    ruled = corrected((10, -5, -5), by=committee())
    past = SCORING.given(ruled, corrected(table="r1-t2", by=committee("a-2")))
    worked = ("10 + 2*3", "-5 - 3", "-(5 + 3)")
    event = m.RulingRecalculated(1, worked, (16, -8, -8), LINKED)
    past = past.when(recalculate(*worked)).then(event)
    first, _, last = past.state.rulings
    assert (first.event, last.event) == (ruled, corrected((16, -8, -8), by=LINKED))
    assert (last.number, last.recalculated) == (3, event)
    past.when(correct((5, -5, 0))).rejected("RULING_FINAL", "C10.7")
    # Against what was ruled, not against what was worked out before.
    again = ("8 + 6", "-8 + 1", "-14/2")
    past = past.when(recalculate(*again)).then(m.RulingRecalculated(1, again, (14, -7, -7), LINKED))
    past.when(recalculate("7 + 7", "-7", "-7")).rejected("NOT_ARITHMETIC", "C10.7")  # nothing changes
    # Who reckoned wrong takes it back.
    back = ("10", "-5", "-5")
    past = past.when(recalculate(*back)).then(m.RulingRecalculated(1, back, (10, -5, -5), LINKED))
    assert past.state.rulings[-1].event == corrected((10, -5, -5), by=LINKED)


def test_percentages_and_penalties_are_reckoned_too() -> None:
    """C3.5: half up, to one decimal."""
    assigned = m.PercentAssigned(5, 1, 1, 583, committee())
    fined = m.PenaltySet("late", 5, 600, committee())
    past = SCORING.given(assigned, fined)
    mean = ("(58.4 + 61.3 + 57.2) / 3",)
    past = past.when(recalculate(*mean)).then(m.RulingRecalculated(1, mean, (590,), LINKED))
    assert past.state.rulings[-1].event == m.PercentAssigned(5, 1, 1, 590, LINKED)
    twice = ("2 × 2.5",)
    past = past.when(recalculate(*twice, remedy=2)).then(m.RulingRecalculated(2, twice, (50,), LINKED))
    assert past.state.rulings[-1].event == m.PenaltySet("late", 5, 50, LINKED)
    void = SCORING.given(m.BoardVoided("r1-t1", 1, 1, 1, (551, 552, 553), committee()))
    shares = ("110.4/2", "55.2 + 0", "55.3")
    void.when(recalculate(*shares)).then(m.RulingRecalculated(1, shares, (552, 552, 553), LINKED))


RULED = corrected((10, -4, -6), by=committee())
FAULT = m.BoardVoided("r1-t1", 1, 1, 1, (600, 500, 400), committee())


@pytest.mark.parametrize(
    ("past", "command", "reason", "clause"),
    [
        (RULED, recalculate("10", "-4", "-6"), "NOT_ARITHMETIC", "C10.7"),  # nothing changes
        (RULED, recalculate("12", "-5", "-7"), "NOT_ARITHMETIC", "C10.7"),  # figures without a working
        (RULED, recalculate("5 + 5", "-6 - 0", "-4 - 0"), "NOT_ARITHMETIC", "C10.7"),  # who did better
        (RULED, recalculate("-5 - 5", "2 + 2", "3 + 3"), "NOT_ARITHMETIC", "C10.7"),  # who won
        (RULED, recalculate("9 + 1", "0 * 2", "-5 - 5"), "NOT_ARITHMETIC", "C10.7"),  # who lost
        (RULED, recalculate("6 + 6", "-4", "-6"), "SCORES_NOT_ZERO", "P11.1"),
        (RULED, recalculate("5 + 6", "-9/2", "-13/2"), "WORKING_MALFORMED", "P11.1"),
        (RULED, recalculate("10 +", "-4", "-6"), "WORKING_MALFORMED", "C9.4"),
        (RULED, recalculate("1/0", "-4", "-6"), "WORKING_MALFORMED", "C9.4"),
        (RULED, recalculate("1+" * 100 + "1", "-4", "-6"), "WORKING_MALFORMED", "C9.4"),
        (RULED, recalculate("5 + 6"), "RULING_OF_WRONG_LENGTH", "C10.6"),
        (RULED, recalculate("5 + 6", "-5", "-6", remedy=2), "NO_SUCH_RULING", "C10.7"),
        (RULED, recalculate("5 + 6", "-4 - 1", "-6", by=replace(CHIEF, reason="")), "REASON_MISSING", "C9.4"),
        (RULED, recalculate("5 + 6", "-5", "-6", by=committee()), "WRONG_AUTHORITY", "C9.2"),
        (corrected(), recalculate("5 + 6", "-5", "-6"), "NO_SUCH_RULING", "C10.7"),  # the chief referee's own
        (FAULT, recalculate("30 + 31", "50", "40"), "NOT_ARITHMETIC", "C2.2"),  # whose fault it was
        (m.PercentAssigned(5, 1, 1, 990, committee()), recalculate("50 * 3"), "PERCENT_OUT_OF_RANGE", "C2.2"),
        (m.PenaltySet("late", 5, 0, committee()), recalculate("1 + 1"), "NOT_ARITHMETIC", "C10.7"),  # lifted
        (
            m.MatchCorrected("r1-t1", 1, 0, ("A", "7"), committee()),
            recalculate("1 + 1"),
            "NOT_ARITHMETIC",
            "C10.7",
        ),
    ],
)
def test_what_is_no_arithmetic_stays_ruled(
    past: m.Event, command: m.RecalculateRuling, reason: str, clause: str
) -> None:
    """C10.7."""
    SCORING.given(past).when(command).rejected(reason, clause)


def test_the_committees_last_word_is_reckoned() -> None:
    """Of two remedies on one board the second counts."""
    past = SCORING.given(RULED, corrected((8, -4, -4), by=committee()))
    past.when(recalculate("5 + 6", "-5", "-6")).rejected("NOT_ARITHMETIC", "C10.7")
    second = recalculate("5 + 5", "-2 - 3", "-2 - 3", remedy=2)
    past.when(second).then(m.RulingRecalculated(2, second.working, (10, -5, -5), LINKED))


# C9.2: a board that a fault or a ruling damaged


def order(*tables: str, by: m.Authority = CHIEF, after: int = 1) -> m.OrderReplay:
    return m.OrderReplay(1, 1, tables, by, after)


def ordered(table: str, attempt: int, by: m.Authority = CHIEF, earlier: int = 1) -> m.BoardSuperseded:
    return m.BoardSuperseded(table, 1, 1, earlier, f"{table}-a{attempt}", attempt, by)


def once_more(table: str, attempt: int, earlier: int) -> m.ReplayOrdered:
    return m.ReplayOrdered(1, 1, attempt, (table,), (earlier,), CHIEF)


def test_the_chief_referee_has_a_board_played_again() -> None:
    """C9.2: at all damaged tables with one new deal; once more with another."""
    both = m.ReplayOrdered(1, 1, 2, ("r1-t1", "r1-t2"), (1, 1), CHIEF)
    past = SCORING.given().when(order("r1-t1", "r1-t2")).then(both)
    assert [one.event for one in past.state.rulings] == [ordered("r1-t1", 2), ordered("r1-t2", 2)]
    assert [(one.number, one.version) for one in past.state.rulings] == [(1, 1), (2, 1)]
    past.when(order("r1-t1")).rejected("REPLAY_RUNNING", "C10.6")  # ordered by two at once
    past.when(order("r1-t1", after=2)).then(once_more("r1-t1", 3, earlier=2))
    SCORING.given().when(order("r1-t1", by=replace(CHIEF, reason=""))).rejected("REASON_MISSING", "C9.4")
    SCORING.given().when(order("r1-t1", by=committee())).rejected("WRONG_AUTHORITY", "C9.2")


def test_a_replay_that_a_committee_ruled_may_be_damaged_too() -> None:
    """C10.7: it is played once more, or corrected where it was played; the first result stays void."""
    past = SCORING.given(ordered("r1-t1", 2, committee()))
    past.when(order("r1-t1")).rejected("REPLAY_RUNNING", "C10.6")  # ordered by two at once
    past.when(order("r1-t1", after=2)).then(once_more("r1-t1", 3, earlier=2))
    again = correct((5, -5, 0), table="r1-t1-a2")
    past.when(again).then(corrected((5, -5, 0), table="r1-t1-a2"))
    past.when(correct((5, -5, 0))).rejected("RULING_FINAL", "C10.7")
    SCORING.given(corrected(by=committee())).when(order("r1-t1")).rejected("RULING_FINAL", "C10.7")


def test_a_committee_may_rule_on_the_replay_that_another_one_ordered() -> None:
    """C10.7: not on the first result once more, but on what the replay came to."""
    past = SCORING.given(ordered("r1-t1", 2, committee("a-1")))
    first = m.ApplyRuling("a-2", (m.ReplayBoard("r1-t1", 1, 1, 1, committee("a-2")),), "")
    past.when(first).then(final("a-2", "a-1"))
    again = m.ApplyRuling("a-2", (m.ReplayBoard("r1-t1-a2", 1, 1, 2, committee("a-2")),), "", 1)
    past = past.when(again).then(ordered("r1-t1", 3, committee("a-2"), earlier=2))
    other = m.ApplyRuling("a-3", (m.ReplayBoard("r1-t1-a2", 1, 1, 2, committee("a-3")),), "")
    past.when(other).then(final("a-3", "a-2"))
    past.when(order("r1-t1", after=3)).then(once_more("r1-t1", 4, earlier=3))


def test_a_ruling_has_no_board_played_again_that_was_ordered_since_it_was_held_against_the_facts() -> None:
    """C10.6: it waits until that is played, and is no ruling that cannot be applied."""
    past = SCORING.given(ordered("r1-t1", 2))
    again = m.ApplyRuling("a-1", (m.ReplayBoard("r1-t1", 1, 1, 1, committee()),), "")
    past.when(again).rejected("REPLAY_RUNNING", "C10.6")
    past.when(replace(again, rulings=1)).then(ordered("r1-t1", 3, committee()))
    other = m.ApplyRuling("a-1", (m.ReplayBoard("r1-t2", 1, 1, 1, committee()),), "")
    past.when(other).then(ordered("r1-t2", 3, committee()))


def test_tables_that_one_ruling_has_play_again_share_a_deal() -> None:
    """C10.6, C3.1: so that they can be compared."""
    asked = tuple(m.ReplayBoard(table, 1, 1, 1, committee()) for table in ("r1-t1", "r1-t2"))
    told = (ordered("r1-t1", 2, committee()), ordered("r1-t2", 2, committee()))
    SCORING.given().when(m.ApplyRuling("a-1", asked, "")).then(*told)


# Publications


def test_standings_are_published_under_numbers() -> None:
    past = SCORING.given().when(publish()).then(published())
    later = CUT.upto("SCORING-e1", 1)
    past.when(publish(after=2, cut=later)).then(published(2, after=2, cut=later))


def test_a_cut_names_one_publication() -> None:
    """Two who publish at once find out the same standings: the second asks again, and sees the first."""
    past = SCORING.given(published())
    past.when(publish()).rejected("PUBLICATION_OVERTAKEN", "C6.2")


def test_standings_that_miss_a_ruling_are_not_published() -> None:
    past = SCORING.given(corrected())
    past.when(publish(rulings=0)).rejected("PUBLICATION_OVERTAKEN", "C10.6")
    assert past.state.unpublished
    assert not past.when(publish(rulings=1)).then(published()).state.unpublished


def test_a_later_rounds_standings_are_not_followed_by_an_earlier_ones() -> None:
    past = SCORING.given(published(after=2))
    past.when(publish(after=1)).rejected("PUBLICATION_OVERTAKEN", "C6.2")


def test_as_of_a_time_is_the_last_publication_at_or_before_it() -> None:
    state = SCORING.given(
        Fact(published(1), at=NOON), Fact(corrected(), at=NOON + 5), Fact(published(2, after=1), at=NOON + 10)
    ).state
    for at, number in ((NOON - 1, None), (NOON, 1), (NOON + 9, 1), (NOON + 10, 2), (NOON + 99, 2)):
        found = state.published_at(at)
        assert (found.event.number if found else None) == number
    assert state.publication(3) is None
    assert state.publication(0) is None
    assert (state.before(1), len(state.before(3))) == ((), 1)


# C10.8: the seal


def test_what_is_sealed_is_final() -> None:
    sealed = m.StandingsSealed(1, b"digest")
    past = SCORING.given(published()).when(m.SealStandings(1)).then(sealed)
    past.when(m.SealStandings(1)).then()
    for command in (correct(), VOID, ASSIGN, FINE, publish()):
        past.when(command).rejected("STANDINGS_SEALED", "C10.8")
    late = m.ApplyRuling("a-9", (correct(by=committee("a-9")),), "")
    why = "the final result is sealed; nothing changes any more"
    past.when(late).then(m.CorrectionRefused("a-9", "STANDINGS_SEALED", "C10.8", why))


def test_only_a_publication_is_sealed() -> None:
    SCORING.given().when(m.SealStandings(1)).rejected("NO_SUCH_PUBLICATION", "C10.8")


LEFT = (
    m.Confirmed("r1-t1", 1, 1),
    m.Confirmed("r1-t2", 1),
    m.Confirmed(entrant=5, round=1, board=2),
    m.Confirmed(penalty="late"),
)


def test_what_a_committee_left_as_it_is_nobody_changes() -> None:
    """C10.7: a rejected appeal is ruled, too."""
    told = m.ResultsConfirmed("a-1", LEFT)
    past = SCORING.given().when(m.ConfirmResults("a-1", LEFT)).then(told)
    match = m.CorrectMatch("r1-t2", 1, 0, ("A", "7"), CHIEF)
    replay = m.OrderReplay(1, 1, ("r1-t1", "r1-t2"), CHIEF)
    for command in (correct(), VOID, replace(ASSIGN, board=2), FINE, match, replay):
        why = past.when(command).rejected("RULING_FINAL", "C10.7")
        assert "appeal a-1" in why.detail
    past.when(correct(board=2)).then(m.ResultCorrected("r1-t1", 1, 2, 1, (3, -1, -2), CHIEF))
    past.when(replace(FINE, penalty="rude")).then(m.PenaltySet("rude", 5, 20, CHIEF))
    other = m.ApplyRuling("a-2", (correct(by=committee("a-2")),), "")
    past.when(other).then(final("a-2", "a-1"))
    past.when(m.ConfirmResults("a-1", LEFT)).then()
    assert not past.state.unpublished
    sealed = SCORING.given(published(), m.StandingsSealed(1, b"digest"))
    sealed.when(m.ConfirmResults("a-1", LEFT)).then()
    SCORING.given().when(m.ConfirmResults("a-1", ())).then()
