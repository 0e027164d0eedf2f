"""Templates of events whose order goes by points of matches (C7.2, C8.5)."""

from __future__ import annotations

from datetime import UTC
from functools import partial

from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.page import Pages
from clients.console.paging import page
from clients.console.roster import Entrant
from clients.console.rulings import address
from fupan.pairing.v1 import events_pb2
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring

PAGES = Pages()
NAMES = {1: Entrant("Li / Wu", "u-1"), 2: Entrant("Xu / Ye", "u-2")}
ROW = scoring.StandingRow(
    place=1, rank=1, entrant=1, points="22/3", net=-5, head_to_head=1, won=2, drawn=1, lost=0, byes=1
)


def _event(form: str, boards: int) -> Event:
    settings = events_pb2.Settings(
        championship="cup", ruleset="shengji/duplicate-2017", format=form, rounds=2, boards_per_round=boards
    )
    return Event(
        "cup", pairing.GetChampionshipResponse(settings=settings, current_round=2, rounds=[1, 2]), UTC
    )


def _card(event: Event, match: scoring.ExplainedMatch) -> str:
    told = scoring.ExplainScoreResponse(row=ROW, matches=[match], byes=[2], bye_points="2", exact="22/3")
    return _shown(event, told)


def _shown(event: Event, told: scoring.ExplainScoreResponse, language: str = "en") -> str:
    context = {
        "event": event,
        "told": told,
        "publication": 0,
        "entrant": NAMES[1],
        "names": NAMES,
        "switch": "",
        "told_at": partial(address, event),
        "ruled": (),
        "recorded": (),
    }
    return PAGES.text(LANGUAGES[language], "entrant.html", context)


def test_a_row_of_points() -> None:
    row = PAGES.macro(LANGUAGES["en"], "parts/standing.html", "row")
    told = row(_event("points", 0), ROW, NAMES[1], 0)
    assert "22/3" in told
    assert "−5" in told
    assert "2 · 1 · 0" in told
    assert "%" not in told


def test_as_many_cells_as_headings_in_either_kind_of_table() -> None:
    row = PAGES.macro(LANGUAGES["zh"], "parts/standing.html", "row")
    head = PAGES.macro(LANGUAGES["zh"], "parts/standing.html", "head")
    for form in ("individual", "points"):
        event = _event(form, 0)
        cells = row(event, ROW, None, 0)
        assert cells.count("<td") + cells.count("<th") == head(event).count("<th")


def test_a_match_with_deals_of_its_own_leads_to_each() -> None:
    match = scoring.ExplainedMatch(
        round=1, table="r1-t1", opponent=2, points=3, net=4, levels=["A", "10"], deals=3, clause="C8.3a"
    )
    card = _card(_event("points", 0), match)
    assert "A : 10" in card
    assert all(f'href="/events/cup/boards/1/{deal}/r1-t1"' in card for deal in (1, 2, 3))
    assert "Xu / Ye" in card
    assert "byes counting 2 (C1.5)" in card


def test_C8_6_a_match_with_real_cards_leads_to_no_replay() -> None:
    match = scoring.ExplainedMatch(
        round=1, table="r1-t1", opponent=2, points=3, net=4, levels=["A", "10"], deals=3, clause="S9.5"
    )
    event = _event("points", 0)
    event.settings.real_cards = True
    card = _card(event, match)
    assert "A : 10" in card
    assert "/boards/" not in card


def test_a_match_of_teams_leads_to_the_boards_that_made_it() -> None:
    swings = [scoring.ExplainedSwing(board=2, difference=-10)]
    match = scoring.ExplainedMatch(round=1, table="r1-t1", opponent=2, points=0, net=-10, swings=swings)
    card = _card(_event("teams", 4), match)
    assert '<a href="/events/cup/boards/1/2">−10</a>' in card
    assert "/boards/1/1/r1-t1" not in card


def test_C7_2_a_board_of_teams_has_no_percentages() -> None:
    board = scoring.BoardResult(table="r1-t1", entrants=[1, 2, 1, 2], scores=[5, -5, 5, -5])
    told = {
        form: PAGES.text(
            LANGUAGES["en"],
            "board.html",
            {
                "event": _event(form, 4),
                "round": 1,
                "board": 1,
                "page": page([board], 1),
                "proof": None,
                "names": NAMES,
                "switch": "",
                "told_at": partial(address, _event(form, 4)),
            },
        )
        for form in ("teams", "pairs")
    }
    assert "+5" in told["teams"]
    assert ">r %<" not in told["teams"]
    assert ">r %<" in told["pairs"]


def test_C4_5_a_play_off_is_called_one_and_told_apart() -> None:
    event = _event("individual", 1)
    event.told.current_round, event.told.rounds[:] = 3, [1, 3]  # it ended before its second round
    row = scoring.StandingRow(place=1, rank=1, entrant=1, percent_tenths=600, units=2, decided_by="C4.5")
    units = [scoring.ExplainedUnit(round=2, board=1, table="r2-t1")]
    play_offs = [scoring.ExplainedUnit(round=3, board=1, table="r3-t1")]
    told = scoring.ExplainScoreResponse(row=row, units=units, play_offs=play_offs, exact="3/5")
    card = _shown(event, told)
    assert "Round 2, board 1" in card
    assert "Play-off 1, board 1" in card
    assert '/rounds/3">Play-off 1</a>' in card
    assert "/rounds/1" in card
    assert "/rounds/2" not in card
    listed = PAGES.macro(LANGUAGES["zh"], "parts/standing.html", "row")
    assert "加赛决定" in listed(event, row, None, 0)
    row.shared = True
    assert "加赛决定" not in listed(event, row, None, 0)


def test_a_board_that_was_ruled_on_leads_to_the_ruling_and_times_are_seconds() -> None:
    """C9.2, C10.6, C4.4."""
    ruled = scoring.BoardRuling(kind="voided", by="arbitration", appeal="a-1", publication=1)
    corrected = scoring.BoardRuling(kind="corrected", by="chief_referee", publication=2)
    units = [
        scoring.ExplainedUnit(round=1, board=1, table="r1-t1", assigned=True, rulings=[ruled]),
        scoring.ExplainedUnit(round=1, board=2, table="r1-t1", rulings=[corrected]),
        scoring.ExplainedUnit(round=1, board=3, table="r1-t1"),
    ]
    row = scoring.StandingRow(place=1, rank=1, entrant=1, percent_tenths=600, units=3)
    told = scoring.ExplainScoreResponse(row=row, units=units, exact="3/5", trimmed_mean="29462000")
    english, chinese = (_shown(_event("individual", 3), told, language) for language in ("en", "zh"))
    assert 'voided: <a href="/events/cup/appeals/a-1">Appeal a-1</a>' in english
    assert '已更正：<a href="/events/cup/publications/2#changes">裁判长</a>' in chinese
    assert english.count("<small>voided") == english.count("<small>corrected") == 1
    assert "<dd>29.462 s</dd>" in english
    assert "29.462 秒" in chinese


def test_C8_a_match_that_was_corrected_leads_to_its_correction() -> None:
    ruled = scoring.BoardRuling(kind="corrected", by="deputy", publication=2)
    match = scoring.ExplainedMatch(round=1, table="r1-t1", opponent=2, clause="C9.2", rulings=[ruled])
    assert '<a href="/events/cup/publications/2#changes">' in _card(_event("points", 0), match)
