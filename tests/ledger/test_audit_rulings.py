"""Rulings are what the votes say, standings are what results and rulings give: each forgery is found."""

from __future__ import annotations

from typing import Any

import pytest

from fupan.scoring.v1 import events_pb2 as pb
from services.ledger.audit.evidence import Event
from services.ledger.audit.ruled import LATE_US, Final, carries_out
from services.ledger.audit.verify import verify
from tests.ledger import event_log as e
from tests.ledger.test_audit import codes, forged


def test_a_ruling_without_a_majority_is_found() -> None:
    def rejected(decided: Any) -> None:
        decided.upheld = False

    found = {("rulings", "NO_MAJORITY"), ("rulings", "OTHER_REMEDY"), ("standings", "NOT_UPHELD")}
    assert codes(forged(appeal_decided=rejected)) == found


def test_standings_that_the_results_do_not_give_are_found() -> None:
    def better(published: Any) -> None:
        published.digest = bytes(32)

    assert ("standings", "OTHER_STANDINGS") in codes(forged(standings_published=better))


def test_standings_without_a_ruling_that_stands_before_them_are_found() -> None:
    def milder(voided: Any) -> None:
        voided.tenths[:] = [500, 600, 600]

    report = forged(board_voided=milder)
    assert codes(report) == {("standings", "OTHER_REMEDY"), ("standings", "OTHER_STANDINGS")}
    assert "publication 2" in str(report.findings[-1])


def test_a_ruling_applied_without_an_upheld_appeal_is_found() -> None:
    def rejected(decided: Any) -> None:
        for opened in decided.ballots:
            opened.uphold = False
        decided.upheld, decided.votes_for, decided.votes_against = False, 0, 3

    assert ("standings", "NOT_UPHELD") in codes(forged(appeal_decided=rejected))


def test_a_vote_turned_after_it_was_cast_is_found() -> None:
    def turned(decided: Any) -> None:
        decided.ballots[0].uphold = False
        decided.upheld, decided.votes_for, decided.votes_against = False, 1, 2

    assert ("rulings", "BALLOT_MISMATCH") in codes(forged(appeal_decided=turned))


@pytest.mark.parametrize("dissolved", [{"panel_dissolved": {"judged_in": "a-2"}}, {"ballot_rejected": {}}])
def test_a_vote_in_a_panel_that_was_dissolved_is_found(dissolved: dict[str, Any]) -> None:
    log = e.Log()
    panel = {"members": [{"person_id": one} for one in "abc"]}
    vote = e.AppealsEvent(ballot_cast={"member": "a"})
    log.append(e.APPEAL, [e.AppealsEvent(panel_appointed=panel), vote])
    assert not wrong(log)
    log.append(e.APPEAL, [e.AppealsEvent(**dissolved)])
    log.append(e.APPEAL, [vote])
    assert wrong(log) == [("NOT_ON_PANEL", 3)]


def wrong(log: e.Log) -> list[tuple[str, int]]:
    return [(one.code, one.version) for one in verify(log.file()).findings if one.code == "NOT_ON_PANEL"]


def test_a_ballot_swapped_after_voting_was_closed_is_found() -> None:
    def swapped(cast: Any) -> None:
        cast.commitment = bytes(32)

    assert ("rulings", "BALLOTS_DIGEST") in codes(forged(ballot_cast=swapped))


def test_a_vote_that_nobody_cast_is_found() -> None:
    def stuffed(decided: Any) -> None:
        for member in ("m-4", "m-5"):
            decided.ballots.add(member=member, uphold=True, opening=bytes(32))
        decided.votes_for = 4

    found = {("rulings", "BALLOT_NOT_CAST"), ("rulings", "VOTE_MISSING")}
    assert codes(forged(appeal_decided=stuffed)) == found


def test_a_vote_by_who_was_not_on_the_panel_is_found() -> None:
    def another(appointed: Any) -> None:
        appointed.members[0].person_id = "p-ref"

    found = codes(forged(panel_appointed=another))
    assert found == {
        ("rulings", "NOT_ON_PANEL"),
        ("rulings", "VOTE_MISSING"),
        ("offices", "NOT_IN_OFFICE"),
    }


def test_an_even_panel_is_found() -> None:
    def shrunk(decided: Any) -> None:
        del decided.ballots[1]
        decided.votes_against = 0

    assert codes(forged(appeal_decided=shrunk)) == {("rulings", "PANEL_SIZE"), ("rulings", "VOTE_MISSING")}


COMMITTEE = pb.Authority(by="arbitration", appeal="a-1", reason="ruling")
OTHERS = pb.Authority(by="arbitration", appeal="a-2", reason="ruling")
CHIEF = pb.Authority(by="chief_referee", reason="miscounted")
AT: dict[str, Any] = {"table": "r1-t1", "round": 1, "board": 1}


def corrected(*scores: int, authority: Any = COMMITTEE, **at: Any) -> Event:
    return Event(
        "result_corrected", pb.ResultCorrected(**AT | at, attempt=1, scores=scores, authority=authority)
    )


def again(by_attempt: int, authority: Any, attempt: int = 1, table: str = "r1-t1") -> Event:
    at = AT | {"table": table, "by_table": f"{table}-a{by_attempt}", "by_attempt": by_attempt}
    return Event("board_superseded", pb.BoardSuperseded(**at, attempt=attempt, authority=authority))


def test_what_is_applied_is_what_was_ruled() -> None:
    """C10.6."""
    ruled = [
        pb.Remedy(correct_result=pb.CorrectResult(**AT, attempt=1, scores=[3, -1, -2])),
        pb.Remedy(replay_board=pb.ReplayBoard(**AT, attempt=1)),
    ]
    assert carries_out(corrected(3, -1, -2), ruled)
    assert carries_out(again(2, COMMITTEE, table="r1-t2"), ruled)  # the other room
    assert not carries_out(corrected(4, -2, -2), ruled)
    assert not carries_out(corrected(3, -1, -2, table="r1-t2"), ruled)
    assert not carries_out(corrected(3, -1, -2), ruled[1:])


@pytest.mark.parametrize(
    ("past", "event", "appeal"),
    [
        ([corrected(3, -1, -2)], corrected(4, -2, -2, authority=CHIEF), "a-1"),
        ([corrected(3, -1, -2)], corrected(4, -2, -2, authority=OTHERS), "a-1"),
        ([corrected(3, -1, -2)], again(2, CHIEF), "a-1"),
        ([corrected(3, -1, -2)], corrected(4, -2, -2), ""),  # a second remedy of the same appeal
        ([corrected(3, -1, -2)], corrected(4, -2, -2, authority=CHIEF, board=2), ""),
        ([corrected(3, -1, -2, authority=CHIEF)], corrected(4, -2, -2), ""),
        ([again(2, COMMITTEE)], corrected(4, -2, -2, authority=CHIEF), "a-1"),
        ([again(2, COMMITTEE)], again(3, CHIEF, attempt=2), ""),
        ([again(2, COMMITTEE)], again(3, CHIEF), "a-1"),
    ],
)
def test_what_a_committee_ruled_stays(past: list[Event], event: Event, appeal: str) -> None:
    """C10.7."""
    final = Final()
    assert [final.broken(one) for one in past] == [""] * len(past)
    assert final.broken(event) == appeal


def given(tenths: int, authority: Any = COMMITTEE, **at: Any) -> Event:
    told = {"entrant": 1, "round": 1, "board": 1} | at
    return Event("percent_assigned", pb.PercentAssigned(**told, tenths=tenths, authority=authority))


SEATS = {(1, "r1-t1"): (1, 2, 3), (1, "r1-t1-a2"): (1, 2, 3), (1, "r1-t2"): (4, 5, 6)}


@pytest.mark.parametrize(
    ("ruled", "event", "appeal"),
    [
        (corrected(3, -1, -2), given(1000, CHIEF), "a-1"),
        (corrected(3, -1, -2), given(1000, OTHERS), "a-1"),
        (corrected(3, -1, -2), given(1000), ""),  # another remedy of the same appeal
        (corrected(3, -1, -2), given(1000, CHIEF, board=2), ""),
        (corrected(3, -1, -2), given(1000, CHIEF, entrant=4), ""),
        (corrected(3, -1, -2, authority=CHIEF), given(1000, CHIEF), ""),
        (given(600), corrected(3, -1, -2, authority=CHIEF), "a-1"),
        (given(600), corrected(3, -1, -2, authority=CHIEF, table="r1-t2"), ""),
        (given(600), again(2, CHIEF), "a-1"),
        (again(2, COMMITTEE), given(1000, CHIEF), "a-1"),
        (again(2, COMMITTEE), corrected(3, -1, -2, authority=CHIEF, table="r1-t1-a2"), ""),
        (corrected(3, -1, -2, table="r1-t1-a2"), again(3, CHIEF, attempt=2), "a-1"),
    ],
)
def test_C10_7_a_result_that_a_committee_ruled_is_not_changed_by_a_ruling_of_another_kind(
    ruled: Event, event: Event, appeal: str
) -> None:
    """What is ruled at a table is its entrants' results, and the other way round."""
    for late_us, found in ((LATE_US, ""), (LATE_US + 1, appeal)):
        final = Final(seats=SEATS)
        assert final.broken(ruled, LATER_US) == ""
        assert final.broken(event, LATER_US + late_us) == found


def test_C10_7_what_comes_of_a_replay_in_either_room_is_nobodys_ruling() -> None:
    """C7.2: nor is what comes of one that was ordered after it."""
    final = Final(seats={(1, table): (1, 2, 1, 2) for table in ("r1-t1", "r1-t2", "r1-t1-a2", "r1-t1-a3")})
    ruled = [again(2, COMMITTEE), again(2, COMMITTEE, table="r1-t2")]
    later = [
        corrected(3, -3, authority=CHIEF, table="r1-t1-a2"),
        again(3, CHIEF, attempt=2),
        again(3, CHIEF, attempt=2, table="r1-t2"),
        corrected(3, -3, authority=CHIEF, table="r1-t1-a3"),
    ]
    assert [final.broken(one, at * 2 * LATE_US) for at, one in enumerate(ruled + later)] == [""] * 6
    assert final.broken(corrected(3, -3, authority=CHIEF), 12 * LATE_US) == "a-1"


def test_C10_7_it_is_found_in_a_file() -> None:
    log = e.Log()
    seats = [{"table": "r1-t1", "group": 1, "entrants": [1, 2, 3]}]
    log.append(e.PAIRING, [e.PairingEvent(round_seated={"round": 1, "tables": seats})])
    log.append(e.SCORING, [e.ScoringEvent(result_corrected=corrected(3, -1, -2).message)], time_us=LATER_US)
    percent = e.ScoringEvent(percent_assigned=given(1000, CHIEF).message)
    log.append(e.SCORING, [percent], time_us=LATER_US + LATE_US + 1)
    found = [(one.code, one.version) for one in verify(log.file()).findings if one.code == "RULING_FINAL"]
    assert found == [("RULING_FINAL", 2)]


WORSE = {"correct_result": AT | {"attempt": 1, "scores": [2, -1, -1]}}
PERCENT = {"assign_percent": {"entrant": 1, "round": 1, "board": 1, "tenths": 600}}
FINE = {"set_penalty": {"penalty": "late", "entrant": 1, "tenths": 0}}
LATER_US = 1_700_000_000_000_000 + 3_600_000_000


@pytest.mark.parametrize(
    ("sought", "event", "wrong"),
    [
        (WORSE, {"board_voided": AT | {"attempt": 1}}, True),
        (WORSE, {"board_superseded": AT | {"attempt": 1, "by_table": "r1-t1-a2", "by_attempt": 2}}, True),
        (WORSE, {"board_superseded": AT | {"attempt": 2, "by_table": "r1-t1-a3", "by_attempt": 3}}, False),
        (WORSE, {"percent_assigned": {"entrant": 1, "round": 1, "board": 1}}, True),
        (WORSE, {"percent_assigned": {"entrant": 1, "round": 1, "board": 2}}, False),
        (WORSE, {"result_corrected": AT | {"board": 2}}, False),
        (WORSE, {"penalty_set": {"penalty": "late", "entrant": 1}}, False),
        (PERCENT, {"result_corrected": AT | {"attempt": 1}}, True),
        (FINE, {"penalty_set": {"penalty": "late", "entrant": 1}}, True),
    ],
)
def test_what_a_committee_left_as_it_is_stays(
    sought: dict[str, Any], event: dict[str, Any], wrong: bool
) -> None:
    """C10.7: an appeal on the publication, rejected."""
    log = e.Log()
    seats = [{"table": "r1-t1", "group": 1, "entrants": [1, 2, 3]}]
    log.append(e.PAIRING, [e.PairingEvent(round_seated={"round": 1, "tables": seats})])
    about = {"publication": {"publication": 1}}
    log.append(e.APPEAL, [e.AppealsEvent(appeal_filed={"contested": about, "sought": [sought]})])
    ((kind, told),) = event.items()
    acted = e.ScoringEvent(**{kind: told | {"authority": {"by": "chief_referee", "reason": "no"}}})
    log.append(e.SCORING, [acted], time_us=LATER_US)
    log.append(e.APPEAL, [e.AppealsEvent(appeal_decided={"upheld": False})], time_us=LATER_US)
    log.append(e.SCORING, [acted], time_us=LATER_US + LATE_US)
    log.append(e.SCORING, [acted], time_us=LATER_US + LATE_US + 1)
    found = [(one.code, one.version) for one in verify(log.file()).findings if one.code == "RULING_FINAL"]
    assert found == ([("RULING_FINAL", 3)] if wrong else [])


def test_a_cut_with_other_rulings_than_its_publication_is_found() -> None:
    """A cut names scoring's own stream up to a record before the publication's, after the last ruling's."""

    def moved(by: int) -> Any:
        def cut(published: Any) -> None:
            for position in published.cut.positions:
                if position.stream.startswith("SCORING-") and published.number == 2:
                    position.sequence += by

        return codes(forged(standings_published=cut))

    assert moved(0) == set()
    assert moved(-1) == moved(1) == {("standings", "OTHER_STANDINGS")}


def test_older_publications_do_not_name_scorings_own_stream() -> None:
    def older(published: Any) -> None:
        kept = [one for one in published.cut.positions if not one.stream.startswith("SCORING-")]
        del published.cut.positions[:]
        published.cut.positions.extend(kept)

    assert codes(forged(standings_published=older)) == set()


def test_C9_2_a_ruling_that_fell_at_its_table_and_after_its_round_is_found() -> None:
    log, table = e.Log(), e.table_subject(1)
    log.append(table, [e.TableEvent(ruling_made={"ruling": "r1-t1.a", "text": "so"})])
    log.append(
        table, [e.TableEvent(ruling_made={"ruling": "r1-t1.b", "overturns": "r1-t1.a", "reason": "no"})]
    )
    for number, ruling in enumerate(("r1-t1.b", "r1-t1.a")):
        later = {"ruling": f"r1-t1.{number}", "overturns": ruling, "reason": "no"}
        log.append(e.PAIRING, [e.PairingEvent(ruling_overturned=later)])
    found = [one for one in verify(log.file()).findings if one.code == "OVERTURNED_TWICE"]
    assert [(one.subject, one.version) for one in found] == [(e.PAIRING, 2)]
    assert found[0].detail == "overturns r1-t1.a, which ruling r1-t1.b had overturned"


@pytest.mark.parametrize("upheld", [True, False])
def test_C10_7_a_referees_ruling_on_which_a_committee_has_ruled_is_overturned_by_nobody(upheld: bool) -> None:
    """C9.2; at the table, and after its round."""
    log = e.Log()
    ruling = "r1-t1.0123456789ab"
    contested = {"ruling": {"ruling": ruling}}
    made = e.TableEvent(ruling_made={"ruling": "r1-t1.b", "overturns": ruling, "reason": "no"})
    later = e.PairingEvent(ruling_overturned={"ruling": "r1-t1.c", "overturns": ruling, "reason": "no"})
    table = e.table_subject(1)
    log.append(e.APPEAL, [e.AppealsEvent(appeal_filed={"contested": contested})])
    log.append(e.APPEAL, [e.AppealsEvent(appeal_decided={"upheld": upheld})], time_us=LATER_US)
    for late in (LATE_US, LATE_US + 1):
        log.append(table, [made], time_us=LATER_US + late)
        log.append(e.PAIRING, [later], time_us=LATER_US + late)
    found = [one for one in verify(log.file()).findings if one.code == "RULING_FINAL"]
    assert [(one.subject, one.version) for one in found] == [(table, 2), (e.PAIRING, 2)]
    assert f"overturns {ruling}, on which the committee ruled" in found[0].detail


@pytest.mark.parametrize(
    "told",
    [
        {"result_corrected": {"scores": [3, -1, -1]}},
        {"board_voided": {"tenths": [1001, 600, 600]}},
        {"percent_assigned": {"tenths": 1001}},
        {"penalty_set": {"tenths": 1001}},
    ],
)
def test_C2_2_a_ruling_that_no_scores_or_percentages_can_be_is_found(told: dict[str, Any]) -> None:
    log = e.Log()
    log.append(e.SCORING, [e.ScoringEvent(**told)], actor=e.ORGANISER)
    assert [one.code for one in verify(log.file()).findings if one.code == "OTHER_REMEDY"] == ["OTHER_REMEDY"]
