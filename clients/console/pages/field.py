"""The same board across the field: at every decision of one table, what all tables chose that came to it, and what it led to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from clients import boards
from clients.boards import field
from clients.boards.field import Crossing, Line
from clients.console import rulings
from clients.console.desk import Event, desk_of, event_of, number
from clients.console.language import Language
from clients.console.page import language_of
from clients.console.pages.boards import results_of
from fupan.scoring.v1 import service_pb2 as scoring

TABLES = 40
"""Tables that are compared; of a larger field the first."""


async def compared(request: Request) -> Response:
    """By step of the table's own replay what was chosen there, as JSON: `{tables, of, decisions: {step: {came, choices}}}`."""
    desk, event = desk_of(request), await event_of(request)
    named, attempt = request.path_params["table"], number(request, "attempt", 1)
    all_results = [one for one in await results_of(desk, event, request) if not one.unfinished]
    own = [one for one in all_results if (one.table, one.attempt) == (named, attempt)]
    others = [one for one in all_results if one not in own]
    lines = await desk.fields.of(event.id, request.path_params["board"], [*own, *others][:TABLES])
    followed = next((one for one in lines if (one.table, one.attempt) == (named, attempt)), None)
    if followed is None:
        raise HTTPException(404)
    language = language_of(request)
    by_table = {(one.table, one.attempt): one for one in all_results}
    return JSONResponse(
        {
            "tables": len(lines),
            "of": len(all_results),
            "decisions": {
                one.decision.step: _crossing(event, one, by_table, language)
                for one in field.along(lines, followed)
            },
        },
        headers={"Content-Language": language.tag, "Vary": "Accept-Language, Cookie"},
    )


Results = Mapping[tuple[str, int], scoring.BoardResult]
"""By table and attempt."""


def _crossing(event: Event, one: Crossing, results: Results, language: Language) -> dict[str, Any]:
    said = boards.BY_GAME[event.game].action
    return {
        "came": one.tables,
        "choices": [
            {
                "said": said(choice.action, language.pick),
                "own": choice.action == one.decision.action,
                "mean": choice.mean,
                "tables": [_at(event, one, line, results, language) for line in choice.lines],
            }
            for choice in one.choices
        ],
    }


def _at(event: Event, one: Crossing, line: Line, results: Results, language: Language) -> dict[str, Any]:
    """One table's way from the decision: where it is to be seen, how long it took, what it led to for the deciding seat, and what
    counts instead where somebody decided so."""
    taken = next(each for each in line.decisions if each.known == one.decision.known)
    score = None if line.scores is None else line.scores[taken.seat]
    changed = rulings.changed(event, results[line.table, line.attempt], taken.seat, score, language)
    return {
        "table": line.table,
        "attempt": line.attempt,
        "step": taken.step,
        "took": taken.thinking_us,
        "score": score,
        "now": None if changed is None else {"counts": changed[0], "ruling": changed[1]},
    }
