"""Who acts by an office held it then and does not play the event, or is found (C9.1 to C9.4)."""

from __future__ import annotations

import copy
import functools
import tomllib
from pathlib import Path
from typing import Any

import pytest

from services.access import OFFICES, RULES
from services.ledger import record as r
from services.ledger.audit.offices import ACTS
from services.ledger.audit.report import Check, Status
from services.ledger.audit.ruled import LATE_US
from services.ledger.audit.verify import verify
from tests.ledger import event_log as e

TABLE = e.table_subject(1)
HOUR_US = 3_600_000_000
NOW_US = 1_700_000_000_000_000 + HOUR_US
"""Long after all that was written in the event."""


@functools.cache
def whole() -> e.Log:
    return e.championship()


def event() -> e.Log:
    """A whole event, to which more can be written."""
    return copy.deepcopy(whole())


def offices(data: bytes) -> Check:
    return next(check for check in verify(data).checks if check.name == "offices")


def found(log: e.Log) -> list[tuple[str, str, str]]:
    """Where, which code and what, of what is wrong with who acted."""
    return [(one.subject, one.code, one.detail) for one in offices(log.file()).findings]


def pairing(log: e.Log, time_us: int = NOW_US, **told: Any) -> r.Head:
    return log.append(e.PAIRING, [e.PairingEvent(**told)], time_us=time_us)


def ruled(log: e.Log, actor: str, time_us: int = NOW_US, authority: str = "") -> None:
    """A referee's ruling at a table."""
    made = e.TableEvent(ruling_made={"ruling": "r-1", "text": "as it lies"})
    log.append(TABLE, [made], time_us=time_us, actor=actor, authority=authority)


def corrected(log: e.Log, actor: str, by: str, kind: str = "result_corrected", time_us: int = NOW_US) -> None:
    """A ruling of scoring's, by an office that it names."""
    told = {"authority": {"by": by, "reason": "wrong"}}
    log.append(e.SCORING, [e.ScoringEvent(**{kind: told})], time_us=time_us, actor=actor)


APPOINTED = f"{e.PAIRING}@1"
"""The record in which all offices of the event were given."""


def test_officials_in_office_act_and_the_record_that_appointed_them_is_their_authority() -> None:
    log = event()
    before = offices(log.file())
    ruled(log, e.REFEREE, authority=APPOINTED)
    corrected(log, e.ORGANISER, "chief_referee")
    after = offices(log.file())
    assert after.findings == ()
    assert after.done == before.done + 2
    assert before.done


@pytest.mark.parametrize("actor", ["stranger", "p-org", "service:table", "p-1"])
def test_a_ruling_at_a_table_by_who_was_no_referee_is_found(actor: str) -> None:
    """C9.3; nobody's office is another's: the organiser of this one is a referee as well, an arbitrator is none."""
    log, who = event(), "m-1" if actor == "p-org" else actor
    ruled(log, who)
    ((subject, code, detail),) = found(log)
    assert (subject, code) == (TABLE, "NOT_IN_OFFICE")
    assert detail.startswith(f"ruling_made by {who}, ")


def test_an_act_is_found_in_the_midst_of_a_decision_too() -> None:
    """Records that tell of a decision alone are passed over, this is none."""
    log = event()
    made = [
        e.TableEvent(acted={"seat": 0}),
        e.TableEvent(ruling_made={"ruling": "r-1", "text": "as it lies"}),
    ]
    log.append(TABLE, [*made, e.TableEvent(asked={})], time_us=NOW_US, actor="stranger")
    assert [code for _, code, _ in found(log)] == ["NOT_IN_OFFICE"]


def test_an_act_before_the_appointment_is_found() -> None:
    log = event()
    ruled(log, "late")
    pairing(log, NOW_US + LATE_US + 1, official_appointed={"person_id": "late", "role": "referee"})
    ruled(log, "late", NOW_US + LATE_US + 2)
    assert [code for _, code, _ in found(log)] == ["NOT_IN_OFFICE"]


def test_an_act_after_a_commission_was_ended_is_found_and_one_before_is_not() -> None:
    """C9.2. What services learn a moment late is not held against an act of that moment."""
    log = event()
    ruled(log, e.REFEREE, NOW_US - 1)
    pairing(log, official_suspended={"person_id": e.REFEREE, "role": "referee", "reason": "asleep"})
    ruled(log, e.REFEREE, NOW_US + LATE_US)
    assert found(log) == []
    ruled(log, e.REFEREE, NOW_US + LATE_US + 1)
    ((subject, code, detail),) = found(log)
    assert (subject, code) == (TABLE, "NOT_IN_OFFICE")
    assert detail == "ruling_made by p-ref, who was none of chief_referee, deputy, referee then (C9.1)"


def test_who_is_appointed_anew_is_in_office_again() -> None:
    log = event()
    pairing(log, official_suspended={"person_id": e.REFEREE, "role": "referee", "reason": "asleep"})
    pairing(log, NOW_US + HOUR_US, official_appointed={"person_id": e.REFEREE, "role": "referee"})
    ruled(log, e.REFEREE, NOW_US + HOUR_US, f"{e.PAIRING}@{log.heads[e.PAIRING].version}")
    assert found(log) == []
    ruled(log, e.REFEREE, NOW_US + HOUR_US + LATE_US, APPOINTED)
    assert [code for _, code, _ in found(log)] == ["OTHER_AUTHORITY"]


def test_within_pairings_own_log_the_order_of_records_decides() -> None:
    log = event()
    pairing(log, official_suspended={"person_id": e.ORGANISER, "role": "organiser", "reason": "left"})
    log.append(
        e.PAIRING, [e.PairingEvent(official_appointed={"person_id": "friend", "role": "referee"})],
        actor=e.ORGANISER,
    )  # fmt: skip
    assert [(subject, code) for subject, code, _ in found(log)] == [(e.PAIRING, "NOT_IN_OFFICE")]


@pytest.mark.parametrize(
    "kind",
    ["result_corrected", "board_voided", "percent_assigned", "penalty_set", "board_superseded", "match_corrected",
     "ruling_recalculated"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("actor", "by"),
    [
        (e.REFEREE, "chief_referee"),
        (e.REFEREE, "referee"),
        (e.ORGANISER, "deputy"),
        ("service:scoring", "chief_referee"),
        (e.ORGANISER, "arbitration"),
    ],
)
def test_a_correction_or_an_order_by_another_than_the_office_it_names_is_found(
    actor: str, by: str, kind: str
) -> None:
    """C9.2, C10.6: a chief referee's order to play a board again among them."""
    log = event()
    corrected(log, actor, by, kind)
    ((subject, code, detail),) = found(log)
    assert (subject, code) == (e.SCORING, "NOT_IN_OFFICE")
    assert detail.startswith(f"{kind} by {actor}, ")


def test_a_ballot_by_somebody_else_or_by_no_arbitrator_is_found() -> None:
    """C10.4."""
    log = event()
    for member, actor in (("m-1", "m-2"), ("m-9", "m-9")):
        log.append(e.APPEAL, [e.AppealsEvent(ballot_cast={"member": member})], time_us=NOW_US, actor=actor)
    assert [(code, detail) for _, code, detail in found(log)] == [
        ("OTHER_ACTOR", "ballot_cast of m-1 was recorded by m-2"),
        ("NOT_IN_OFFICE", "ballot_cast by m-9, who was none of arbitrator then (C9.1)"),
    ]


def test_a_panel_of_others_than_arbitrators_is_found() -> None:
    """C10.3."""
    log = event()
    for kind in ("members", "reserves"):
        appointed = {kind: [{"person_id": "m-1"}, {"person_id": e.REFEREE}]}
        told = e.AppealsEvent(panel_appointed=appointed)
        log.append(e.APPEAL, [told], time_us=NOW_US, actor=e.ORGANISER)
    detail = "panel_appointed with p-ref, who was no arbitrator then (C10.3)"
    assert found(log) == [(e.APPEAL, "NOT_IN_OFFICE", detail)] * 2


def test_who_takes_a_members_place_votes_and_the_member_no_longer() -> None:
    """C10.4."""
    log = event()
    replaced = {"person_id": "m-1", "by": {"person_id": "m-4"}, "cause": "absent"}
    log.append(e.APPEAL, [e.AppealsEvent(member_replaced=replaced)], time_us=NOW_US)
    for member in ("m-4", "m-1"):
        log.append(e.APPEAL, [e.AppealsEvent(ballot_cast={"member": member})], time_us=NOW_US, actor=member)
    rulings = next(check for check in verify(log.file()).checks if check.name == "rulings")
    details = [one.detail for one in rulings.findings if one.code == "NOT_ON_PANEL"]
    assert details == ["m-1 voted and was not on the panel (C10.4)"]


def test_a_playoff_is_the_chief_referees_to_order() -> None:
    """C4.5."""
    log = event()
    pairing(log, official_appointed={"person_id": "host", "role": "organiser"})
    for basis in ("standings", "playoff"):
        log.append(e.PAIRING, [e.PairingEvent(round_paired={"round": 2, "basis": basis})], actor="host")
    (one,) = found(log)
    assert one[1] == "NOT_IN_OFFICE"


def test_a_referee_signs_for_others_and_a_player_for_itself() -> None:
    """C8.6, C9.4."""
    log = event()
    for person, actor in (("p-1", "p-1"), ("p-1", e.REFEREE), ("p-2", "p-1")):
        signed = e.TableEvent(sheet={"sheet_signed": {"person": person, "capacity": "player"}})
        log.append(TABLE, [signed], time_us=NOW_US, actor=actor)
    ((_, code, detail),) = found(log)
    assert code == "NOT_IN_OFFICE"
    assert detail.startswith("sheet_signed by p-1, ")


@pytest.mark.parametrize("act", [ruled, functools.partial(corrected, by="deputy")])
def test_a_judge_who_plays_is_found(act: Any) -> None:
    """C9.2: a deputy who is an entrant does not judge; pairing a round is no judging."""
    log = event()
    pairing(log, official_appointed={"person_id": "p-2", "role": "deputy"})
    act(log, "p-2")
    log.append(e.PAIRING, [e.PairingEvent(round_closed={"round": 1})], actor="p-2")
    assert [code for _, code, _ in found(log)] == ["PLAYS_THE_EVENT"]


@pytest.mark.parametrize("told", ["seat", "open board", "closing"])
def test_a_judge_who_has_played_in_anothers_place_is_found(told: str) -> None:
    """C1.6, C9.2: as far as tables tell it in the clear, and from when they do."""
    log = event()
    pairing(log, official_appointed={"person_id": "eva", "role": "deputy"})
    corrected(log, "eva", "deputy")
    assert found(log) == []
    if told == "seat":
        given = e.TableEvent(seat_replaced={"seat": 1, "person_id": "eva"})
        log.append(TABLE, [given], time_us=NOW_US, actor=e.REFEREE)
    elif told == "open board":
        seated = ("p-1", "eva", "")
        log.append(TABLE, [], time_us=NOW_US, key=bytes(32), path="1/3/1", people=seated)
    else:
        closing = r.BoardClosing(1, 3, 1, True, (), (), (), (), ("p-1", "p-2", ""), left=("eva",))
        log.append(TABLE, [], time_us=NOW_US, key=bytes(32), path="1/3/1", closing=closing)
    corrected(log, "eva", "deputy", time_us=NOW_US + LATE_US)
    assert found(log) == []
    corrected(log, "eva", "deputy", time_us=NOW_US + LATE_US + 1)
    assert [code for _, code, _ in found(log)] == ["PLAYS_THE_EVENT"]


def test_without_pairings_records_it_says_that_offices_are_not_checked() -> None:
    log = event()
    ruled(log, "stranger")
    log.records = [one for one in log.records if one.subject != e.PAIRING]
    check = offices(log.file("table", "r1-t1"))
    assert (check.status, check.findings) == (Status.NOT_POSSIBLE, ())
    assert check.missing == ("who held which office is not checked: pairing's records are not in this file",)


RPCS = {
    "pairing.v1.PairingService": {
        "entrants_imported": "ImportEntrants",
        "entrants_import_closed": "ImportEntrants",
        "official_appointed": "AppointOfficial",
        "official_suspended": "SuspendOfficial",
        "regulations_published": "PublishRegulations",
        "venue_confirmed": "ConfirmVenue",
        "round_paired": "PairRound",
        "round_started": "StartRound",
        "round_closed": "CloseRound",
        "competition_ended": "EndCompetition",
        "seating_overridden": "OverrideSeating",
        "ruling_overturned": "OverturnRuling",
        "championship_sealed": "SealChampionship",
        "fork_decided": "DecideFork",
    },
    "dealer.v1.DealerService": {
        "entropy_named": "NameEntropy",
        "entropy_drawn": "DrawEntropy",
        "board_revealed": "RevealBoard",
    },
    "table.v1.TableService": {
        "table_paused": "PauseTable",
        "table_resumed": "ResumeTable",
        "infringement_recorded": "RecordInfringement",
        "ruling_made": "MakeRuling",
        "seat_replaced": "ReplaceSeat",
        "board_closed_unfinished": "CloseBoard",
        "board_entered": "EnterBoard",
    },
    "table.v1.SheetService": {
        "infringement_entered": "EnterInfringement",
        "infringement_lifted": "LiftInfringement",
        "sheet_entered": "EnterSheet",
        "signature_refused": "RefuseSignature",
        "sheet_decided": "DecideSheet",
        "sheet_confirmed": "ConfirmSheet",
    },
    "scoring.v1.ScoringService": {"standings_published": "PublishStandings"},
    "appeals.v1.AppealsService": {
        "fee_recorded": "RecordFee",
        "panel_appointed": "AppointPanel",
        "conflict_declared": "DeclareConflict",
        "ballot_cast": "CastVote",
        "ruling_settled": "SettleRuling",
    },
}


@pytest.mark.parametrize("service", RPCS)
def test_the_audit_asks_for_the_offices_that_the_services_ask_for(service: str) -> None:
    acts = ACTS[service.partition(".")[0]]
    for kind, rpc in RPCS[service].items():
        rule = RULES[f"/fupan.{service}/{rpc}"]
        assert set(acts[kind].offices) == rule.who & OFFICES, kind
        assert acts[kind].bystander == rule.bystander, kind


def test_every_act_has_its_chinese() -> None:
    rows = tomllib.loads(Path("clients/cli/sentences.toml").read_text("utf-8"))
    assert {kind for acts in ACTS.values() for kind in acts} <= rows.keys()


def test_C9_2_a_ruling_is_overturned_by_the_chief_referee_or_a_deputy_alone() -> None:
    made = e.TableEvent(ruling_made={"ruling": "r-2", "text": "so", "overturns": "r-1", "reason": "why"})
    later = e.PairingEvent(
        ruling_overturned={"ruling": "r-2", "overturns": "r-1", "text": "so", "reason": "why"}
    )
    log = event()
    for subject, told in ((TABLE, made), (e.PAIRING, later)):
        log.append(subject, [told], time_us=NOW_US, actor=e.ORGANISER)
    assert found(log) == []  # who organises this event is its chief referee as well
    for subject, told in ((TABLE, made), (e.PAIRING, later)):
        log.append(subject, [told], time_us=NOW_US, actor=e.REFEREE)
    assert [code for _, code, _ in found(log)] == ["NOT_IN_OFFICE"] * 2


def test_C1_6_seats_are_confirmed_and_given_back_by_the_service_alone() -> None:
    back = {"seat": 0, "person_id": "p-1", "sits_at": "r1-t2"}
    told = [e.TableEvent(seat_confirmed={"seat": 0}), e.TableEvent(seat_replaced=back)]
    for actor, codes in (("service:table", []), (e.REFEREE, ["NOT_IN_OFFICE"] * 2)):
        log = event()
        for one in told:
            log.append(TABLE, [one], time_us=NOW_US, actor=actor)
        assert [code for _, code, _ in found(log)] == codes


def test_C11_1_conduct_that_no_referee_recorded_is_found() -> None:
    told = {"code": "A6", "outcome": "warning", "reason": "stayed", "entrant": 1}
    log = event()
    log.append(e.PAIRING, [e.PairingEvent(conduct_recorded=told)], time_us=NOW_US, actor=e.REFEREE)
    assert found(log) == []
    log.append(e.PAIRING, [e.PairingEvent(conduct_recorded=told)], time_us=NOW_US, actor="m-1")
    assert [code for _, code, _ in found(log)] == ["NOT_IN_OFFICE"]


@pytest.mark.parametrize(
    ("code", "outcome", "fine", "known"),
    [
        ("A6", "warning", 0, True),
        ("A6", "fine", 200, True),
        ("S10.15", "forfeit", 0, True),
        ("A9", "warning", 0, False),
        ("S10.99", "warning", 0, False),
        ("A6", "prison", 0, False),
        ("A6", "fine", 201, False),
        ("A6", "warning", 5, False),
    ],
)
def test_C11_1_what_is_not_of_the_catalogue_is_found(code: str, outcome: str, fine: int, known: bool) -> None:
    log = event()
    told = {"seat": 0, "code": code, "outcome": outcome, "reason": "so", "fine": fine}
    log.append(TABLE, [e.TableEvent(infringement_recorded=told)], time_us=NOW_US, actor=e.REFEREE)
    assert [one for _, one, _ in found(log)] == ([] if known else ["NOT_IN_CATALOGUE"])
