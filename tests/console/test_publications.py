"""The page of a publication: provisional until it is sealed (C10.8), and of formats that count points."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.page import Pages
from clients.console.pages.publications import Step
from clients.console.paging import page
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring
from fupan.scoring.v1 import service_pb2 as pb

PAGES = Pages()
ROWS = (
    pb.StandingRow(place=1, rank=1, entrant=1, persons=["an"], points="6", net=4),
    pb.StandingRow(place=2, rank=2, entrant=2, persons=["bo"], points="3", net=1),
)


def _shown(told: pb.GetStandingsResponse, **more: Any) -> str:
    championship = pairing.GetChampionshipResponse(current_round=1)
    championship.settings.format = "points"
    championship.settings.lines.append(1)
    championship.seal.root, championship.seal.key = bytes(32), "1a2b-3c4d"
    context: dict[str, Any] = {
        "event": Event("cup", championship, UTC),
        "published": [pb.Publication(published=scoring.StandingsPublished(number=1, cause="final"))],
        "told": told,
        "page": page(told.rows, 1),
        "now": {},
        "known": True,
        "lines": (),
        "steps": [],
        "pending": 0,
        "names": {},
        "switch": "",
    }
    return PAGES.text(LANGUAGES["en"], "publication.html", context | more)


def test_C10_8_a_publication_is_provisional_until_it_is_sealed_and_signed() -> None:
    told = pb.GetStandingsResponse(rows=ROWS, publication=1, provisional=True, cause="final")
    open_ = _shown(told, pending=2)
    assert "Pending now: 2." in open_
    assert "1a2b-3c4d" not in open_
    told.provisional = False
    sealed = _shown(told)
    assert "sealed and signed" in sealed
    assert "1a2b-3c4d" in sealed


def test_points_stand_on_either_side_and_a_change_leads_to_what_caused_it() -> None:
    told = pb.GetStandingsResponse(rows=ROWS, publication=1, provisional=True)
    after = pb.StandingRow(place=1, rank=1, entrant=2, persons=["bo"], points="9", net=9)
    by = scoring.Authority(by="chief_referee", reason="sides swapped")
    step = Step(1, pb.StandingsStep(cause="correction", after=[after]), ["a match corrected"], by)
    crossed = pb.LineCrossed(rank=1, gained=[2], lost=[1])
    shown = _shown(told, now={2: after}, steps=[step], lines=[crossed])
    assert "3 (+1)" in shown
    assert "9 (+9)" in shown
    assert 'href="#step-1"' in shown
    assert "chief referee: sides swapped" in shown
    assert "The line after rank 1" in shown


def test_whoever_may_not_know_what_became_of_it_sees_what_was_published() -> None:
    told = pb.GetStandingsResponse(rows=ROWS, publication=1, provisional=True)
    shown = _shown(told, known=False)
    assert "6 (+4)" in shown
    assert "Sign in to see what became of it" in shown
    assert "As now known" not in shown
