"""What filled forms ask for (C10.6), and what decisions of the log carried out."""

from __future__ import annotations

import re
from datetime import UTC
from typing import Any

import pytest
from starlette.exceptions import HTTPException

from clients.console.asking import Row
from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.page import Pages
from clients.console.remedies import Wrong, carried_out, kinds, read
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring

BOARD = {"table": "r1-t1", "round": "1", "board": "2", "attempt": "1"}


def test_each_kind_is_read_from_its_own_fields() -> None:
    where: dict[str, Any] = {"table": "r1-t1", "round": 1, "board": 2, "attempt": 1}
    told = {
        "correct": ({"scores": "+20 −10 -10"}, scoring.CorrectResult(**where, scores=(20, -10, -10))),
        "void": ({"shares": "60 50 37.5"}, scoring.VoidBoard(**where, tenths=(600, 500, 375))),
        "replay": ({}, scoring.ReplayBoard(**where)),
    }
    for kind, (fields, remedy) in told.items():
        found = read(BOARD | fields | {"remedy": kind})
        assert found is not None
        assert getattr(found, found.WhichOneof("kind") or "") == remedy
    share = read(BOARD | {"remedy": "assign", "share_entrant": "7", "share": "62.5"})
    assert share == scoring.Remedy(
        assign_percent=scoring.AssignPercent(entrant=7, round=1, board=2, tenths=625)
    )
    fine = read({"remedy": "penalty", "penalty": "late-1", "penalty_entrant": "7", "fine": "0"})
    assert fine == scoring.Remedy(set_penalty=scoring.SetPenalty(penalty="late-1", entrant=7))
    match = read({"table": "r1-t1", "round": "1", "remedy": "match", "winner": "1", "levels": "a 10"})
    assert match == scoring.Remedy(
        correct_match=scoring.CorrectMatch(table="r1-t1", round=1, winner=1, levels=("A", "T"))
    )
    seats = read({"remedy": "reseat", "pairing": "2", "seats": "r2-t1: 4 2 0; r2-t2：1 3 5"})
    first = scoring.TableSeats(table="r2-t1", entrants=(4, 2, 0))
    second = scoring.TableSeats(table="r2-t2", entrants=(1, 3, 5))
    assert seats == scoring.Remedy(reseat_round=scoring.ReseatRound(round=2, tables=(first, second)))
    assert read(BOARD | {"remedy": ""}) is None
    assert read(BOARD) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"remedy": "cheat"},
        {"remedy": "correct", "scores": "ten"},
        {"remedy": "correct", "scores": "1", "round": ""},
        {"remedy": "void", "shares": "101"},
        {"remedy": "void", "shares": "60.55"},
        {"remedy": "void", "shares": "NaN"},
        {"remedy": "assign", "share_entrant": "-1", "share": "60"},
        {"remedy": "match", "winner": "", "levels": "A 7"},
        {"remedy": "replay", "attempt": "９"},
        {"remedy": "reseat", "pairing": "2", "seats": "r2-t1: four"},
    ],
)
def test_what_no_form_of_ours_sends_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(HTTPException) as caught:
        read(BOARD | wrong)
    assert caught.value.status_code == 400


def test_a_format_offers_what_can_be_ruled_in_it() -> None:
    def offered(form: str, of_a_pairing: bool = False) -> tuple[str, ...]:
        told = pairing.GetChampionshipResponse()
        told.settings.format = form
        return kinds(Event("cup", told, UTC), of_a_pairing)

    assert offered("points") == ("match",)
    assert offered("teams") == ("correct", "void")
    assert "penalty" in offered("pairs")
    assert offered("points", True) == ("reseat", "match")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"remedy": "correct", "scores": "10 ten"}, "scores"),
        ({"remedy": "correct", "scores": "10", "board": ""}, "board"),
        ({"remedy": "void", "shares": "60 101"}, "shares"),
        ({"remedy": "assign", "share": "60"}, "share_entrant"),
        ({"remedy": "assign", "share_entrant": "7"}, "share"),
        ({"remedy": "penalty", "penalty_entrant": "7", "fine": "2.55"}, "fine"),
        ({"remedy": "reseat", "pairing": "2", "seats": "r2-t1: 4 2; r2-t2: four"}, "seats"),
    ],
)
def test_what_people_can_mistype_is_told_of_the_field(wrong: dict[str, str], field: str) -> None:
    with pytest.raises(Wrong) as caught:
        read(BOARD | wrong)
    assert caught.value.field == field


@pytest.mark.parametrize("form", ["individual", "points", "teams"])
@pytest.mark.parametrize("of_a_pairing", [False, True])
def test_a_form_offers_these_kinds_and_the_fields_of_each(form: str, of_a_pairing: bool) -> None:
    told = pairing.GetChampionshipResponse()
    told.settings.format = form
    offered = kinds(Event("cup", told, UTC), of_a_pairing)
    shown = Pages().macro(LANGUAGES["zh"], "parts/remedy.html", "fields")(offered, None, [Row()])
    assert set(re.findall(r'name="remedy" value="(\w+)"', shown)) == set(offered)
    names = set(re.findall(r' name="(\w+)"', shown))
    assert {_FIELDS[kind] for kind in offered} <= names | {""}


_FIELDS = {
    "correct": "scores",
    "void": "",
    "assign": "share_entrant",
    "replay": "",
    "penalty": "fine",
    "match": "levels",
    "reseat": "seats",
}


def test_a_decision_of_the_log_is_told_as_the_remedy_that_it_was() -> None:
    by = scoring.Authority(by="chief_referee", reason="a slip")
    set_ = scoring.Event(penalty_set=scoring.PenaltySet(penalty="late-1", entrant=3, tenths=25, authority=by))
    assert carried_out(set_) == scoring.Remedy(
        set_penalty=scoring.SetPenalty(penalty="late-1", entrant=3, tenths=25)
    )
    voided = scoring.BoardVoided(table="r1-t1", round=1, board=2, attempt=1, tenths=(600, 600, 600))
    remedy = carried_out(scoring.Event(board_voided=voided))
    assert remedy is not None
    assert list(remedy.void_board.tenths) == [600, 600, 600]
    assert carried_out(scoring.Event(standings_published=scoring.StandingsPublished(number=1))) is None
