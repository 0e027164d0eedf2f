"""When a championship may be sealed, and how: announced, then sealed or withdrawn (C10.8)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.pairing.decider.sealing import ON_ITS_WAY_US
from services.pairing.model import commands as c
from services.pairing.model import events as e
from tests.pairing.given import CLOSED, PAIRING, ended, entrants
from tests.specification import NOON

HOUR_US = 3600 * 1_000_000
SEALABLE_US = 3 * HOUR_US + ON_ITS_WAY_US
ANNOUNCE, ANNOUNCED = c.AnnounceSeal(), e.SealAnnounced(1)
WITHDRAWN = e.SealWithdrawn(1, "APPEALS_OPEN", "C10.8", "1")
SEAL = c.SealChampionship(b"root", b"signature", "key", 1, b"public", 1)
SEALED = e.ChampionshipSealed(b"root", b"signature", "key", 1, b"public", 1)


def test_what_a_late_replay_came_to_may_be_contested_before_the_seal() -> None:
    """C10.1, C10.8."""
    past = ended(at=NOON)
    seated = past.state.rounds[0].tables[0]
    again = e.ReplaySeated(1, 2, 2, replace(seated, table="r1-t1-a2"), seated.table, 7, 1)
    past = past.when(c.SeatReplay(1, 2, 2, "r1-t1-a2", seated.table, 7, 1)).then(again)
    late = NOON + 5 * HOUR_US
    past = past.when(c.EndReplay("r1-t1-a2"), at=late).then(e.BoardReplayed("r1-t1-a2"))
    past.when(ANNOUNCE, at=late + SEALABLE_US - 1).rejected("APPEAL_WINDOW_OPEN", "C10.8")
    past.when(ANNOUNCE, at=late + SEALABLE_US).then(ANNOUNCED)


def test_standings_are_provisional_until_the_window_has_closed() -> None:
    PAIRING.given(*CLOSED).when(ANNOUNCE).rejected("COMPETITION_RUNNING", "C10.8")
    past = ended(at=NOON)
    # Nor before what was filed in its last moment must stand in the log.
    for at_us in (3 * HOUR_US - 1, SEALABLE_US - 1):
        early = past.when(ANNOUNCE, at=NOON + at_us).rejected("APPEAL_WINDOW_OPEN", "C10.8")
        assert early.facts == {"deadline_us": str(NOON + SEALABLE_US)}
    announced = past.when(ANNOUNCE, at=NOON + SEALABLE_US).then(ANNOUNCED)
    assert announced.state.phase == "ended"
    assert announced.when(SEAL).then(SEALED).state.phase == "sealed"


def test_while_a_seal_is_announced_nothing_else_changes() -> None:
    """C10.8. A person is erased all the same."""
    past = ended(at=NOON).when(ANNOUNCE, at=NOON + SEALABLE_US).then(ANNOUNCED)
    withdraw = c.WithdrawEntrant(1, "ill")
    past.when(withdraw).rejected("SEAL_ANNOUNCED", "C10.8")
    past.when(c.ErasePerson("p-1")).then(e.PersonErased("p-1"))
    over = past.when(c.WithdrawSeal(1, "APPEALS_OPEN", "C10.8", "1")).then(WITHDRAWN)
    over.when(withdraw).then(e.EntrantWithdrawn(1, "ill"))
    past.when(SEAL).then(SEALED).when(withdraw).rejected("CHAMPIONSHIP_SEALED", "C10.8")


def test_what_was_announced_has_one_fate_the_first_that_is_written() -> None:
    past = ended(at=NOON).when(ANNOUNCE, at=NOON + SEALABLE_US).then(ANNOUNCED)
    none = c.WithdrawSeal(1, "APPEALS_OPEN", "C10.8", "1")
    past.when(ANNOUNCE, at=NOON + SEALABLE_US).then()
    past.when(SEAL).then(SEALED).when(none).then()
    over = past.when(none).then(WITHDRAWN)
    over.when(SEAL).then()
    again = over.when(ANNOUNCE, at=NOON + SEALABLE_US).then(e.SealAnnounced(2))
    for late in (SEAL, none):
        again.when(late).then()
    again.when(replace(SEAL, announcement=2)).then(replace(SEALED, announcement=2))
    ended(at=NOON).when(SEAL).then()


def test_where_the_chief_referee_is_final_there_is_no_window() -> None:
    """C10.0."""
    ended(at=NOON, appeals="{final_authority: chief_referee}").when(ANNOUNCE, at=NOON + 1).then(ANNOUNCED)


@pytest.mark.parametrize(
    "command",
    [
        ANNOUNCE,
        c.WithdrawEntrant(1, ""),
        c.AppointOfficial("x", "referee", ""),
        c.ImportEntrants("i9", 0, entrants(9)),
        c.CloseRegistration(),
        c.StartRound(1),
        c.PublishRegulations("x"),
    ],
)
def test_nothing_changes_once_it_is_sealed(command: c.Command) -> None:
    past = ended()
    PAIRING.given(*past.events, SEALED).when(command).rejected("CHAMPIONSHIP_SEALED", "C10.8")


def test_a_person_may_be_erased_even_when_it_is_sealed_and_again() -> None:
    past = PAIRING.given(*ended().events, SEALED)
    gone = past.when(c.ErasePerson("p-1")).then(e.PersonErased("p-1"))
    assert gone.state.erased == {"p-1"}
    assert gone.state.entrants == past.state.entrants
    gone.when(c.ErasePerson("p-1")).then(e.PersonErased("p-1"))
    past.when(c.ErasePerson("nobody")).rejected("NO_SUCH_PERSON")
