"""What counts of a board instead of what was scored, and where that is told (C9.2, C10.6)."""

from __future__ import annotations

from datetime import UTC

import pytest

from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.rulings import address, changed
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring

EN, ZH = LANGUAGES["en"], LANGUAGES["zh"]
APPEAL = "/events/cup/appeals/a-1"


def event(form: str = "individual") -> Event:
    told = pairing.GetChampionshipResponse()
    told.settings.format = form
    return Event("cup", told, UTC)


def result(*rulings: scoring.BoardRuling) -> scoring.BoardResult:
    """A board of three seats, on which the second scored -4."""
    return scoring.BoardResult(
        entrants=[7, 8, 0], scores=[9, -4, -5], percent_tenths=[600, 500, 0], rulings=rulings
    )


@pytest.mark.parametrize(
    ("kind", "english", "chinese"),
    [
        ("corrected", "+9", "+9"),
        ("voided", "void, 60.0 %", "作废，60.0 %"),
        ("replayed", "what was played again", "重打的成绩"),
        ("assigned", "60.0 %", "60.0 %"),
    ],
)
def test_what_counts_is_told_in_both_languages(kind: str, english: str, chinese: str) -> None:
    one = scoring.BoardRuling(kind=kind, appeal="a-1")
    assert changed(event(), result(one), 0, 6, EN) == (english, APPEAL)
    assert changed(event(), result(one), 0, 6, ZH) == (chinese, APPEAL)


def test_teams_know_no_percentages() -> None:
    assert changed(event("teams"), result(scoring.BoardRuling(kind="voided", appeal="a-1")), 0, 6, EN) == (
        "void",
        APPEAL,
    )


def test_what_nobody_changed_counts_as_it_was_scored() -> None:
    assert changed(event(), result(), 0, 9, EN) is None
    corrected = scoring.BoardRuling(kind="corrected")
    assert changed(event(), result(corrected), 1, -4, EN) is None
    share = scoring.BoardRuling(kind="assigned", entrant=7, appeal="a-1")
    assert changed(event(), result(share), 1, -4, EN) is None
    assert changed(event(), result(corrected, share), 0, 6, EN) == ("60.0 %", APPEAL)


def test_a_correction_is_told_beside_the_publication_that_it_changed() -> None:
    assert (
        address(event(), scoring.BoardRuling(by="deputy", publication=3))
        == "/events/cup/publications/3#changes"
    )
    assert address(event(), scoring.BoardRuling(by="deputy")) == "/events/cup/publications"
    assert address(event(), scoring.BoardRuling(by="chief_referee", appeal="a-1", publication=3)) == APPEAL
