"""Rounds out of turn, paired by old standings, and seals before all was over are found (C6.2, C9.5, C10.8, C11.2)."""

from __future__ import annotations

from typing import Any

import pytest

from services.ledger.audit.verify import verify
from tests.ledger import event_log as e

START_US = 1_800_000_000_000_000
HOUR_US = 3_600_000_000
SETTINGS = {
    "ruleset": e.RULES.id,
    "format": "individual",
    "rounds": 2,
    "groups": 1,
    "appeal_window_ms": 3_600_000,
}
DIGEST = bytes(range(32))


def paired(number: int, basis: str = "standings", **told: Any) -> dict[str, Any]:
    named = {"publication": number - 1, "standings_digest": DIGEST} if basis == "standings" else {}
    return {"round_paired": {"round": number, "basis": basis} | named | told}


def started(number: int) -> dict[str, Any]:
    return {"round_started": {"round": number}}


def over(number: int) -> dict[str, Any]:
    return {"round_closed": {"round": number}}


FIRST = [paired(1, "draw"), started(1), over(1)]
WHOLE = [*FIRST, paired(2), started(2), over(2), {"competition_ended": {}}]
SEAL: dict[str, Any] = {"championship_sealed": {"publication": 2}}


def found(
    told: list[dict[str, Any]], sealed_after_us: int = HOUR_US, appeal: str = "", **settings: Any
) -> list[str]:
    """What is out of turn of some events; publication 1 is after round 1, publication 2 after round 2."""
    log = e.Log()
    log.append(
        e.PAIRING, [e.PairingEvent(championship_created={"settings": SETTINGS | settings})], time_us=START_US
    )
    for number in (1, 2):
        published = {"number": number, "after_round": number, "digest": DIGEST}
        log.append(e.SCORING, [e.ScoringEvent(standings_published=published)])
    if appeal:
        decided = {"upheld": True, "remedies": [{"void_board": e.VOIDED}]}
        events: list[dict[str, Any]] = [
            {"appeal_filed": {}},
            *([{"appeal_decided": decided}] if appeal == "upheld" else []),
        ]
        log.append(e.APPEAL, [e.AppealsEvent(**one) for one in events])
    for one in told:
        if next(iter(one)).startswith("standings"):
            log.append(e.SCORING, [e.ScoringEvent(**one)])
            continue
        log.append(
            e.PAIRING,
            [e.PairingEvent(**one)],
            time_us=START_US + (sealed_after_us if "championship_sealed" in one else 0),
        )
    checks = (check for check in verify(log.file()).checks if check.name in ("draw", "standings"))
    findings = (one for check in checks for one in check.findings)
    return [one.detail for one in findings if one.code == "OUT_OF_TURN"]


def test_an_event_that_took_its_course_is_not_blamed() -> None:
    assert found(WHOLE) == []
    # Records of one moment are a microsecond apart.
    assert found([*WHOLE, SEAL], HOUR_US + 100) == []
    assert found([*WHOLE, SEAL], final_authority="chief_referee") == []


def test_C4_5_an_event_that_ended_early_is_played_off_under_the_number_after_its_last_round() -> None:
    ended = [*FIRST, {"competition_ended": {"reason": "storm"}}]
    off = {"publication": 1, "standings_digest": DIGEST}
    assert found([*ended, paired(3, "playoff", **off), started(3), over(3)]) == []
    assert found([*ended, paired(2, "playoff", **off)]) != []


@pytest.mark.parametrize(
    ("told", "detail"),
    [
        ([*FIRST, paired(2, "draw")], "round 2 was paired by draw, and standings was due (C6.2)"),
        ([*WHOLE, paired(3)], "round 3 was paired by standings, and playoff was due (C6.2)"),
        ([*FIRST, paired(1, "draw")], "round 1 was paired out of turn (C6.2)"),
        ([*FIRST[:2], paired(2)], "round 2 was paired out of turn (C6.2)"),
        (
            [*FIRST, paired(2, standings_digest=b"")],
            "round 2 names other standings than publication 1 (C6.2)",
        ),
        (
            [*WHOLE[:-1], paired(3, publication=1)],
            "round 3 sits by standings from before the round before it (C6.2)",
        ),
        ([*FIRST, started(2)], "round 2 began out of turn (C1.1)"),
        ([*FIRST[:2], over(2)], "round 2 was closed out of turn (C1.1)"),
        (
            [*FIRST, {"regulations_published": {}}],
            "regulations were published after round 1 had begun (C9.5)",
        ),
        ([{"championship_created": {"settings": SETTINGS}}], "the championship was created twice"),
        ([*FIRST, SEAL], "the championship was sealed before it had ended (C10.8)"),
        ([*WHOLE, SEAL, paired(3, "playoff")], "round_paired after the championship was sealed (C10.8)"),
        (
            [*WHOLE, {"championship_sealed": {"publication": 1}}],
            "publication 1 was sealed, which is not the newest (C10.8)",
        ),
    ],
)
def test_what_was_out_of_turn_is_found(told: list[dict[str, Any]], detail: str) -> None:
    assert detail in found(told)


ANNOUNCED: dict[str, Any] = {"seal_announced": {"number": 1}}
WITHDRAWN: dict[str, Any] = {"seal_withdrawn": {"number": 1, "reason": "APPEALS_OPEN"}}
FIXED: dict[str, Any] = {"standings_fixed": {"announcement": 1, "publication": 2}}
REOPENED: dict[str, Any] = {"standings_reopened": {"announcement": 1}}
PUBLISHED: dict[str, Any] = {"standings_published": {"number": 3, "after_round": 2, "digest": DIGEST}}


def sealed(announcement: int, publication: int = 2) -> dict[str, Any]:
    return {"championship_sealed": {"publication": publication, "announcement": announcement}}


@pytest.mark.parametrize(
    "told",
    [
        [ANNOUNCED],
        [ANNOUNCED, FIXED, sealed(1)],
        [ANNOUNCED, {"person_erased": {"person_id": "p"}}, FIXED, sealed(1)],
        [ANNOUNCED, WITHDRAWN, over(2)],
        [
            *(ANNOUNCED, FIXED, WITHDRAWN, REOPENED, PUBLISHED, {"seal_announced": {"number": 2}}),
            *({"standings_fixed": {"announcement": 2, "publication": 3}}, sealed(2, 3)),
        ],
    ],
)
def test_C10_8_a_seal_that_was_announced_holds(told: list[dict[str, Any]]) -> None:
    assert found([*WHOLE, *told], 2 * HOUR_US) == []


@pytest.mark.parametrize(
    ("told", "detail"),
    [
        ([ANNOUNCED, over(2)], "round_closed while the championship was being sealed (C10.8)"),
        ([ANNOUNCED, ANNOUNCED], "announcement 1 of the seal is out of turn (C10.8)"),
        ([{"seal_announced": {"number": 2}}], "announcement 2 of the seal is out of turn (C10.8)"),
        ([WITHDRAWN], "announcement 1 of the seal was withdrawn, and was none (C10.8)"),
        ([ANNOUNCED, FIXED, sealed(2)], "the championship was sealed otherwise than announced (C10.8)"),
        ([ANNOUNCED, FIXED, sealed(0)], "the championship was sealed otherwise than announced (C10.8)"),
        ([ANNOUNCED, sealed(1)], "publication 2 was sealed, and was not fixed before (C10.8)"),
        (
            [ANNOUNCED, FIXED, REOPENED, sealed(1)],
            "publication 2 was sealed, and was not fixed before (C10.8)",
        ),
        ([ANNOUNCED, FIXED, sealed(1, 1)], "publication 1 was sealed, and was not fixed before (C10.8)"),
        (
            [ANNOUNCED, FIXED, PUBLISHED, sealed(1)],
            "standings_published while the championship was being sealed (C10.8)",
        ),
    ],
)
def test_C10_8_a_seal_otherwise_than_announced_is_found(told: list[dict[str, Any]], detail: str) -> None:
    assert detail in found([*WHOLE, *told], 2 * HOUR_US)


def test_a_seal_within_the_window_is_found() -> None:
    open_still = "the championship was sealed while the window for appeals was open (C10.8)"
    assert found([*WHOLE, SEAL], HOUR_US - 1) == [open_still]


@pytest.mark.parametrize(
    ("appeal", "detail"),
    [
        ("open", "the championship was sealed while appeal a-1 was open (C10.8)"),
        ("upheld", "what was ruled in appeal a-1 was never applied (C10.6)"),
    ],
)
def test_a_seal_before_appeals_were_done_with_is_found(appeal: str, detail: str) -> None:
    assert found([*WHOLE, SEAL], HOUR_US + 100, appeal) == [detail]


def test_C11_2_an_on_site_round_before_the_venue_was_confirmed_is_found() -> None:
    assert found(FIRST, venue="onsite") == ["round 1 began before the venue was confirmed (C11.2)"]
    assert found([{"venue_confirmed": {}}, *FIRST], venue="onsite") == []
