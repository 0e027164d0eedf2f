"""Sealed ballots (C10.4): unreadable without the appeal's key, and open in one way only."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Rejected
from services.ledger import ballot, keys

PRIVATE = bytes(range(32))
PUBLIC = keys.box_public_key(PRIVATE)
OPENING = bytes(range(100, 132))
EPHEMERAL = bytes(range(50, 82))


def cast(uphold: bool, appeal: str = "a-1", member: str = "m-1") -> ballot.SealedBallot:
    return ballot.seal_ballot(appeal, member, uphold, PUBLIC, OPENING, EPHEMERAL)


@given(st.booleans(), st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_a_ballot_opens_to_the_vote_cast(uphold: bool, opening: bytes, ephemeral: bytes) -> None:
    sealed = ballot.seal_ballot("a-1", "m-1", uphold, PUBLIC, opening, ephemeral)
    opened = ballot.open_ballot("a-1", "m-1", sealed, PRIVATE)
    assert opened == ballot.OpenBallot(uphold, opening)
    assert ballot.fits("a-1", "m-1", sealed.commitment, opened)


def test_both_votes_look_alike() -> None:
    yes, no = cast(True), cast(False)
    assert len(yes.sealed_opening) == len(no.sealed_opening)
    assert yes.commitment != no.commitment


@pytest.mark.parametrize(("appeal", "member"), [("a-2", "m-1"), ("a-1", "m-2")])
def test_a_ballot_copied_to_another_appeal_or_member_does_not_open(appeal: str, member: str) -> None:
    with pytest.raises(Rejected) as caught:
        ballot.open_ballot(appeal, member, cast(True), PRIVATE)
    assert (caught.value.reason, caught.value.clause) == ("BALLOT_UNREADABLE", "C10.4")


def test_a_ballot_does_not_open_with_another_key() -> None:
    with pytest.raises(Rejected, match="does not open"):
        ballot.open_ballot("a-1", "m-1", cast(True), bytes(32))


def test_a_ballot_whose_box_says_otherwise_than_its_commitment_is_rejected() -> None:
    forged = dataclasses.replace(cast(True), commitment=cast(False).commitment)
    with pytest.raises(Rejected) as caught:
        ballot.open_ballot("a-1", "m-1", forged, PRIVATE)
    assert caught.value.reason == "BALLOT_MISMATCH"


@pytest.mark.parametrize("plain", [b"", b"\x01", b"\x02" + OPENING, b"\x01" + OPENING + b"x"])
def test_a_box_without_a_vote_is_rejected(plain: bytes) -> None:
    context = ballot._context("a-1", "m-1")
    sealed = ballot.SealedBallot(bytes(32), keys.seal_box(PUBLIC, EPHEMERAL, context, plain))
    with pytest.raises(Rejected, match="holds no vote"):
        ballot.open_ballot("a-1", "m-1", sealed, PRIVATE)


def test_a_published_vote_cannot_be_changed() -> None:
    sealed = cast(True)
    opened = ballot.open_ballot("a-1", "m-1", sealed, PRIVATE)
    for other in (
        dataclasses.replace(opened, uphold=False),
        dataclasses.replace(opened, opening=bytes(32)),
    ):
        assert not ballot.fits("a-1", "m-1", sealed.commitment, other)
