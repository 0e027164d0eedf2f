"""The rules in force on a case file's page."""

from __future__ import annotations

from datetime import UTC

from clients.console.clauses import clauses, parameters
from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.page import Pages
from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.pairing.v1 import events_pb2
from fupan.pairing.v1 import service_pb2 as pairing
from services.appeals import rulebook
from services.games.championship.conduct import CATALOGUE


def told(game: str) -> list[case_pb2.Clause]:
    return [case_pb2.Clause(clause=name, text=text) for name, text in rulebook.clauses(game)]


def test_no_markdown_is_left_in_any_clause() -> None:
    for game in ("paohuzi", "shengji"):
        for one in clauses(told(game)):
            for mark in ("**", "`", "|--", "\n| "):
                assert mark not in one.text, one.name


def test_a_table_ends_where_its_rows_do_and_a_chapter_has_its_title_apart() -> None:
    found = {one.name: one for one in (*clauses(told("shengji")), *clauses(told("paohuzi")))}
    assert (found["C9"].title, found["C9"].text) == ("Officials", "")
    example = found["C5"].text
    assert example.count("<tr>") == 4
    assert "<p>All three are compared" in example
    assert '<div class="scroll" tabindex="0" role="group" aria-label="C5"><table>' in example
    assert "<td>8, 120 s</td>" in example
    assert "<strong>compulsory</strong>" in found["P4"].text
    assert "<code>bid_phase = while_drawing</code>" in found["S4.1"].text
    assert found["S10"].text.count("<tr>") > 10
    huxi = next(one.text for one in found.values() if '<th scope="col">small</th>' in one.text)
    assert huxi.count("<td></td>") == 1  # over the names of melds
    assert not any("<th></th>" in one.text for one in found.values())


def test_nothing_in_a_clause_is_taken_for_html() -> None:
    (one,) = clauses([case_pb2.Clause(clause="C1.1", text="<script>x</script> [here](javascript:x)")])
    assert "<script" not in one.text
    assert "<a" not in one.text


def test_every_parameter_in_force_is_listed() -> None:
    found = dict(parameters(events_pb2.Settings(ruleset="shengji/xiamen-2015", params='{"throw_fine":0}')))
    assert (found["throw_fine"], found["no_bid_rule"]) == ("0", "third_card")
    assert parameters(events_pb2.Settings(ruleset="bridge/1", params='{"b":"x","a":[1]}')) == [
        ("a", "[1]"),
        ("b", "x"),
    ]


def test_the_page_says_in_which_language_the_clauses_are_and_tells_conduct_at_no_table() -> None:
    settings = events_pb2.Settings(championship="cup", ruleset="paohuzi/competitive-2017", rounds=1)
    event = Event("cup", pairing.GetChampionshipResponse(settings=settings, rounds=[1]), UTC)
    recorded = events_pb2.ConductRecorded(code="A6", outcome="warning", entrant=3)
    conduct = [pairing.Conduct(recorded=recorded, referee="ref-lin", time_us=1, reason="stayed on")]
    file = case_pb2.CaseFile(appeal="a-1", settings=settings)
    ruling = events_pb2.RulingOverturned(ruling="t.2", overturns="t.1", text="<so>", reason="seen")
    file.overturned.add(ruling=ruling, referee="judge-wu", time_us=1)
    context = {
        "event": event,
        "answer": appeals.GetCaseResponse(),
        "file": file,
        "conduct": conduct,
        "findings": {},
        "clauses": clauses(told("paohuzi")),
        "parameters": parameters(settings),
        "rows": CATALOGUE,
        "contested": "",
        "names": {},
        "switch": "",
    }
    page = Pages().text(LANGUAGES["zh"], "case.html", context)
    assert '<dl class="facts" lang="en">' in page
    assert "条款文本为英文" in page
    assert "项参数" in page
    assert "&lt;table" not in page
    assert "赛后在赛场逗留或讨论牌局" in page
    assert "ref-lin" in page
    assert "stayed on" in page
    assert "judge-wu：&lt;so&gt;" in page
    assert "更改判罚 t.1，理由：seen" in page
