"""Rulings are what the votes say, standings are what results and rulings give: each forgery is found."""

from __future__ import annotations

from typing import Any

from tests.ledger.test_audit import codes, forged


def test_a_ruling_without_a_majority_is_found() -> None:
    def rejected(decided: Any) -> None:
        decided.upheld = False

    assert codes(forged(appeal_decided=rejected)) == {("rulings", "NO_MAJORITY"), ("standings", "NOT_UPHELD")}


def test_standings_that_the_results_do_not_give_are_found() -> None:
    def better(published: Any) -> None:
        published.digest = bytes(32)

    assert ("standings", "OTHER_STANDINGS") in codes(forged(standings_published=better))


def test_standings_without_a_ruling_that_stands_before_them_are_found() -> None:
    def milder(voided: Any) -> None:
        voided.tenths[:] = [500, 600, 600]

    report = forged(board_voided=milder)
    assert codes(report) == {("standings", "OTHER_STANDINGS")}
    assert "publication 2" in str(report.findings[0])


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


def test_a_ballot_swapped_after_voting_was_closed_is_found() -> None:
    def swapped(cast: Any) -> None:
        cast.commitment = bytes(32)

    assert ("rulings", "BALLOTS_DIGEST") in codes(forged(ballot_cast=swapped))


def test_a_vote_that_nobody_cast_is_found() -> None:
    def stuffed(decided: Any) -> None:
        for member in ("m-4", "m-5"):
            decided.ballots.add(member=member, uphold=True, opening=bytes(32))
        decided.votes_for = 4

    assert codes(forged(appeal_decided=stuffed)) == {("rulings", "BALLOT_NOT_CAST")}


def test_an_even_panel_is_found() -> None:
    def shrunk(decided: Any) -> None:
        del decided.ballots[1]
        decided.votes_against = 0

    assert codes(forged(appeal_decided=shrunk)) == {("rulings", "PANEL_SIZE")}
