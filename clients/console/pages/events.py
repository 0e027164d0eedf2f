"""The list of championships, and a championship's own page: how far it is, and what anybody can check."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from starlette.requests import Request
from starlette.responses import Response

from clients.console import proofs
from clients.console.desk import Desk, Event, desk_of, event_of, show
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring

OVER = ("ended", "sealed")
"""Phases in which nothing is watched any more."""

_PAGE = 50


async def listed(request: Request) -> Response:
    """Every championship, a page at a time."""
    services = desk_of(request).services
    asked = pairing.ListChampionshipsRequest(page_size=_PAGE, page_token=request.query_params.get("from", ""))
    told = await services.ask(services.pairing.ListChampionships, asked)
    return show(request, "events.html", events=told.championships, following=told.next_page_token)


async def overview(request: Request) -> Response:
    """One championship."""
    desk, event = desk_of(request), await event_of(request)
    progress, regulations, commitments, publications = await asyncio.gather(
        _progress(desk, event),
        _regulations(desk, event),
        desk.services.ask(
            desk.services.dealer.GetCommitments, dealer.GetCommitmentsRequest(championship=event.id)
        ),
        desk.services.ask(
            desk.services.scoring.ListPublications, scoring.ListPublicationsRequest(championship=event.id)
        ),
    )
    return show(
        request,
        "event.html",
        event=event,
        progress=progress,
        regulations=regulations,
        commitments=commitments,
        batches=proofs.batches(commitments),
        signed=proofs.sealed(event.id, event.told) if event.told.HasField("seal") else False,
        publications=list(reversed(publications.publications)),
    )


async def regulations(request: Request) -> Response:
    """One version of the supplementary regulations (C9.5)."""
    desk, event = desk_of(request), await event_of(request)
    asked = pairing.GetRegulationsRequest(championship=event.id, version=request.path_params["version"])
    told = await desk.services.ask(desk.services.pairing.GetRegulations, asked)
    return show(request, "regulations.html", event=event, regulations=told.regulations)


async def _regulations(desk: Desk, event: Event) -> pairing.Regulations | None:
    """The newest version of the supplementary regulations; None where there are none."""
    if not event.told.regulations:
        return None
    asked = pairing.GetRegulationsRequest(championship=event.id)
    return (await desk.services.ask(desk.services.pairing.GetRegulations, asked)).regulations


async def certificate(request: Request) -> Response:
    """Everything that is needed to recompute the draw of round 1, as a file."""
    services, championship = desk_of(request).services, request.path_params["championship"]
    asked = pairing.GetSeatingCertificateRequest(championship=championship)
    told = await services.ask(services.pairing.GetSeatingCertificate, asked)
    named = f'attachment; filename="{championship}-seating.json"'
    return Response(told.certificate, media_type="application/json", headers={"Content-Disposition": named})


async def _progress(desk: Desk, event: Event) -> pairing.WatchRoundResponse | None:
    """How far the newest round is; None before the first."""
    if not event.told.current_round:
        return None
    if event.told.phase not in OVER:
        return await desk.live.rounds(event.id).now()
    asked = pairing.WatchRoundRequest(championship=event.id, round=event.told.current_round)
    async with aclosing(desk.services.follow(desk.services.pairing.WatchRound, asked, seconds=10)) as told:
        async for progress in told:
            return progress
    return None
