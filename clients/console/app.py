"""The console's composition root: addresses, headers, what an error looks like."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlencode

from grpc.aio import AioRpcError
from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.datastructures import URL
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Match, Mount, Route
from starlette.staticfiles import StaticFiles

from clients.console import refusals, streams
from clients.console.desk import Desk, show
from clients.console.headers import Headers
from clients.console.live import Away
from clients.console.page import STATIC, address_of, language_of, local
from clients.console.pages import (
    appeals,
    boards,
    cases,
    conduct,
    contesting,
    corrections,
    entrants,
    events,
    field,
    play,
    publications,
    referees,
    rounds,
    rulings,
    sheets,
    signing,
    standings,
    watching,
)
from clients.console.services import Services
from clients.console.session import SignedOut, sent_from
from clients.console.settings import Settings

_EVENT = "/events/{championship}"


class _Number(IntegerConvertor):
    """A number of an address: what no round, board or entrant can be is no page."""

    regex = "[0-9]{1,6}"


register_url_convertor("number", _Number())


def create(settings: Settings) -> Starlette:
    """The console as an ASGI application."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        desk = app.state.desk = Desk(Services(settings))
        sweeping = asyncio.create_task(desk.live.sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            await asyncio.gather(sweeping, return_exceptions=True)
            await desk.close()

    return Starlette(
        routes=[
            Route("/", events.listed),
            Route("/healthz", _healthy),
            Route(_EVENT, events.overview),
            Route(f"{_EVENT}/seating.json", events.certificate),
            Route(f"{_EVENT}/regulations/{{version:number}}", events.regulations),
            Route(f"{_EVENT}/standings", standings.standings),
            Route(f"{_EVENT}/standings/stream", standings.stream),
            Route(f"{_EVENT}/publications", publications.newest),
            Route(f"{_EVENT}/publications/{{publication:number}}", publications.publication),
            Route(f"{_EVENT}/progress", rounds.progress),
            Route(f"{_EVENT}/rounds/{{round:number}}", rounds.overview),
            Route(f"{_EVENT}/rounds/{{round:number}}/{{table}}", watching.match),
            Route(f"{_EVENT}/rounds/{{round:number}}/{{table}}/stream", watching.stream),
            Route(f"{_EVENT}/entrants/{{entrant:number}}", entrants.card),
            Route(f"{_EVENT}/boards/{{round:number}}/{{board:number}}", boards.traveller),
            Route(f"{_EVENT}/boards/{{round:number}}/{{board:number}}/{{table}}", boards.replay),
            Route(f"{_EVENT}/boards/{{round:number}}/{{board:number}}/{{table}}/field", field.compared),
            Route(f"{_EVENT}/appeals", appeals.overview),
            Route(f"{_EVENT}/appeals/{{appeal}}", appeals.appeal),
            Route(f"{_EVENT}/appeals/{{appeal}}/case", cases.case),
            Route(f"{_EVENT}/appeals/{{appeal}}/case/replay", cases.replay),
            Route(f"{_EVENT}/appeals/{{appeal}}/{{act}}", appeals.act, methods=["POST"]),
            Route(f"{_EVENT}/sheets", sheets.overview),
            Route(f"{_EVENT}/sheets/{{table}}", sheets.sheet),
            Route(f"{_EVENT}/sheets/{{table}}/sheet.{{kind}}", sheets.file),
            Route(f"{_EVENT}/sheets/{{table}}/{{act}}", sheets.act, methods=["POST"]),
            Route(f"{_EVENT}/contest", contesting.contest, methods=["GET", "POST"]),
            Route(f"{_EVENT}/corrections", corrections.overview),
            Route(f"{_EVENT}/corrections/{{act}}", corrections.act, methods=["POST"]),
            Route(f"{_EVENT}/play", play.seat),
            Route(f"{_EVENT}/play/stream", play.stream),
            Route(f"{_EVENT}/play/answer", play.answer, methods=["POST"]),
            Route(f"{_EVENT}/play/referee", play.referee, methods=["POST"]),
            Route(f"{_EVENT}/conduct", conduct.overview),
            Route(f"{_EVENT}/conduct/{{act}}", conduct.act, methods=["POST"]),
            Route(f"{_EVENT}/rulings/{{table}}", rulings.table),
            Route(f"{_EVENT}/rulings/{{table}}/{{act}}", rulings.act, methods=["POST"]),
            Route(f"{_EVENT}/desk", referees.overview),
            Route(f"{_EVENT}/desk/{{table}}", referees.table),
            Route(f"{_EVENT}/desk/{{table}}/stream", referees.stream),
            Route(f"{_EVENT}/desk/{{table}}/{{act}}", referees.act, methods=["POST"]),
            Route("/sign-in", signing.sign_in, methods=["GET", "POST"]),
            Route("/sign-out", signing.sign_out, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Headers), Middleware(GZipMiddleware, minimum_size=1000)],
        exception_handlers={
            AioRpcError: _refused,
            Away: _away,
            SignedOut: _signed_out,
            HTTPException: _failed,
        },
        lifespan=lifespan,
    )


async def _healthy(request: Request) -> Response:
    """For whoever watches the process; whether the services are well they say themselves."""
    return PlainTextResponse("ok")


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, AioRpcError)
    return _told(request, refusals.read(error, language_of(request)))


async def _away(request: Request, error: Exception) -> Response:
    return _told(request, refusals.Refusal(503, "", "", ""))


async def _signed_out(request: Request, error: Exception) -> Response:
    """To the form, and from there back; a stream, which leads nobody anywhere, says so."""
    streaming = "text/event-stream" in request.headers.get("accept", "")
    if request.method == "GET" and not streaming:
        to = local(address_of(request))
    else:
        came = request.headers.get("referer", "")
        ours = [local(URL(came))] if sent_from(request, came) else []
        # A form that was refused stays at the address it was sent to, which is no page.
        to = next((one for one in (*ours, local(address_of(request))) if _page(request, one)), "/")
    if streaming:
        return streams.streamed(streams.once(streams.signed_out(language_of(request), to)))
    return RedirectResponse(f"/sign-in?{urlencode({'to': to})}", 303)


def _page(request: Request, address: str) -> bool:
    """Whether something is to be read at an address of ours."""
    asked = {**request.scope, "method": "GET", "path": URL(address).path}
    found = [route for route in request.app.routes if route.matches(asked)[0] is Match.FULL]
    return any(isinstance(route, Route) and not route.path.endswith("/stream") for route in found)


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _told(request, refusals.Refusal(error.status_code, "", "", ""))


def _told(request: Request, refusal: refusals.Refusal) -> Response:
    championship = request.path_params.get("championship", "") if refusal.status in (403, 409) else ""
    home = f"/events/{championship}" if championship else ""
    answer = show(request, "refused.html", refusal.status, refusal=refusal, home=home)
    if refusal.status == 503:
        answer.headers["Retry-After"] = "5"
    return answer
