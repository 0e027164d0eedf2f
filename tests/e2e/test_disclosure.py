"""While a board is open anywhere, no RPC tells more of it than its seats see and officials who do not play may watch."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from fupan.appeals.v1 import service_pb2 as appeals
from fupan.common.v1 import log_service_pb2 as log
from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table
from services.runtime.config import SERVICES
from services.runtime.errors import read_status
from services.runtime.positions import position
from tests.e2e import scratch
from tests.e2e.canary import found
from tests.e2e.scene import CUP, DONE, OPEN, SUBSTITUTE, Scene, of_this_moment, records

pytestmark = pytest.mark.asyncio(loop_scope="session")

OFFICIALS = (scratch.OPERATOR, scratch.CHIEF, scratch.REFEREE, scratch.ARBITRATORS[0])

Question = tuple[str, str, Any]
"""Service, RPC and request; `log:<service>` is a service's log."""


def questions(scene: Scene) -> dict[str, Question]:
    """Everything that can be asked about the open boards without changing anything."""
    cup: dict[str, Any] = {"championship": CUP}
    epoch = scene.inside.epoch
    first = epoch.table_streams()[0]
    path = dealer_events.BoardPath(round=1, board=1, attempt=1)
    asked: dict[str, Question] = {
        "championship": ("pairing", "GetChampionship", pairing.GetChampionshipRequest(**cup)),
        "championships": ("pairing", "ListChampionships", pairing.ListChampionshipsRequest()),
        "entrants": ("pairing", "ListEntrants", pairing.ListEntrantsRequest(**cup)),
        "round": ("pairing", "GetRound", pairing.GetRoundRequest(**cup)),
        "watched round": ("pairing", "WatchRound", pairing.WatchRoundRequest(**cup)),
        "certificate": ("pairing", "GetSeatingCertificate", pairing.GetSeatingCertificateRequest(**cup)),
        "commitments": ("dealer", "GetCommitments", dealer.GetCommitmentsRequest(**cup)),
        "deal": ("dealer", "VerifyDeal", dealer.VerifyDealRequest(**cup, path=path)),
        "leaf": ("dealer", "GetDeals", _leaf(scene, path)),
        "tables": ("table", "ListTables", table.ListTablesRequest(**cup)),
        "standings": ("scoring", "GetStandings", scoring.GetStandingsRequest(**cup)),
        "watched standings": ("scoring", "WatchStandings", scoring.WatchStandingsRequest(**cup)),
        "rebuilt standings": ("scoring", "RebuildStandings", scoring.RebuildStandingsRequest(**cup)),
        "publications": ("scoring", "ListPublications", scoring.ListPublicationsRequest(**cup)),
        "board": ("scoring", "GetBoard", scoring.GetBoardRequest(**cup, round=1, board=1)),
        "appeals": ("appeals", "ListAppeals", appeals.ListAppealsRequest(**cup)),
        "logs of tables": ("log:table", "ReadLog", log.ReadLogRequest(**cup)),
        "positions": ("log:table", "GetPositions", log.GetPositionsRequest()),
    }
    worse = scoring_events.Remedy(
        correct_result=scoring_events.CorrectResult(table=DONE, round=1, board=1, attempt=1, scores=[0, 0, 0])
    )
    at: dict[str, Any] = {"table": DONE, "round": 1, "board": 1}
    sent: dict[str, Any] = {"command_id": "attempt"}
    asked |= {
        "conduct": ("pairing", "ListConduct", pairing.ListConductRequest(**cup)),
        "reveal": ("dealer", "RevealBoard", dealer.RevealBoardRequest(**cup, **sent, path=path)),
        "ballots": ("dealer", "ReleaseAppealKey", dealer.ReleaseAppealKeyRequest(**cup, **sent, appeal="a")),
        "secret": ("dealer", "RevealSecret", dealer.RevealSecretRequest(**cup, **sent)),
        "panel": ("dealer", "OpenBoardToPanel", dealer.OpenBoardToPanelRequest(**cup, **sent, path=path)),
        "own view": ("table", "GetView", table.GetViewRequest(**cup)),
        "matches": ("scoring", "ListMatches", scoring.ListMatchesRequest(**cup)),
        "what if": ("scoring", "WhatIf", scoring.WhatIfRequest(**cup, remedies=[worse])),
        "materiality": ("scoring", "Materiality", scoring.MaterialityRequest(**cup, **at)),
        "comparison": ("scoring", "CompareStandings", scoring.CompareStandingsRequest(**cup, since="1")),
    }
    for service in SERVICES:
        listing = log.ListSubjectsRequest(**cup)
        asked[f"subjects of {service}"] = (f"log:{service}", "ListSubjects", listing)
    streams = (*epoch.table_streams(), epoch.stream("pairing"), epoch.stream("scoring"))
    for named in (*((one, n) for one in (first, streams[-2]) for n in (1, 4)), (first, 999999)):
        cut = ",".join(f"{one}@{named[1] if one == named[0] else 999999}" for one in streams)
        request = scoring.GetStandingsRequest(**cup, as_of=cut)
        asked[f"standings as of {cut}"] = ("scoring", "GetStandings", request)
    for entrant in range(1, 7):
        explain = scoring.ExplainScoreRequest(**cup, entrant=entrant)
        asked[f"score of {entrant}"] = ("scoring", "ExplainScore", explain)
    for name in (OPEN, DONE):
        watch = table.WatchTableRequest(**cup, table=name)
        asked[f"watched table {name}"] = ("table", "WatchTable", watch)
        match = table.WatchMatchRequest(**cup, table=name)
        asked[f"match at {name}"] = ("table", "WatchMatch", match)
        asked[f"rulings at {name}"] = ("table", "ListRulings", table.ListRulingsRequest(**cup, table=name))
        acts = table.ListRefereeActsRequest(**cup, table=name)
        asked[f"acts at table {name}"] = ("table", "ListRefereeActs", acts)
        replay = table.ReplayBoardRequest(**cup, table=name, board=1, attempt=1)
        asked[f"replay of {name} with all hands"] = ("table", "ReplayBoard", _with(replay, all=True))
        asked[f"replay of {name} for seat 1"] = ("table", "ReplayBoard", _with(replay, seat=1))
        subject = log.ReadLogRequest(subject=epoch.table_subject(CUP, name))
        asked[f"log of {name}"] = ("log:table", "ReadLog", subject)
    for service in ("pairing", "dealer", "scoring"):
        read = log.ReadLogRequest(subject=epoch.subject(service, CUP))
        asked[f"log of {service}"] = (f"log:{service}", "ReadLog", read)
    return asked


def _with(request: table.ReplayBoardRequest, **fields: Any) -> table.ReplayBoardRequest:
    made = table.ReplayBoardRequest(**fields)
    made.MergeFrom(request)
    return made


def _leaf(scene: Scene, path: dealer_events.BoardPath) -> dealer.GetDealsRequest:
    epoch = scene.inside.epoch
    stream = epoch.table_streams()[int(epoch.table_subject(CUP, OPEN).split(".")[3])]
    opened = [
        dealer.OpenedBoard(championship=CUP, table=OPEN, path=path, stream=stream, sequence=sequence)
        for sequence in range(1, 20)
    ]
    return dealer.GetDealsRequest(boards=opened)


async def answers(scene: Scene, person: str) -> dict[str, list[Any]]:
    """By question what a person is answered, or the reason why not."""
    told: dict[str, list[Any]] = {}
    async with scene.inside.caller(person) as somebody:
        for name, (service, rpc, request) in questions(scene).items():
            of_log = service.startswith("log:")
            stub = somebody.log(service[4:]) if of_log else getattr(somebody, service)
            try:
                told[name] = [message async for message in _messages(getattr(stub, rpc)(request))]
            except grpc.aio.AioRpcError as error:
                told[name] = [_reason(error)]
    return told


def _reason(error: grpc.aio.AioRpcError) -> str:
    refusal = read_status(error)
    assert refusal is not None, error
    return refusal.reason


async def _messages(call: Any) -> AsyncIterator[Any]:
    """One message of a unary call or a watch, all of a stream that ends."""
    if hasattr(call, "__aiter__"):
        async for message in call:
            yield message
            if "Watch" in type(message).__name__:
                call.cancel()
                return
    else:
        yield await call


def somebody(scene: Scene) -> tuple[str, ...]:
    """Nobody, a stranger, a player of each table; deputies who play, and who have played in another's place."""
    return ("", "stranger", scene.seated[OPEN][1], scene.seated[DONE][1], scene.seated[OPEN][2], SUBSTITUTE)


def data(told: list[Any]) -> bytes:
    """All of an answer, as it came over the wire."""
    return b"".join(one.encode() if isinstance(one, str) else one.SerializeToString() for one in told)


async def test_nobody_is_told_a_secret(scene: Scene) -> None:
    secrets = scene.secrets + of_this_moment(scene, await records(scene.inside))
    for person in (*somebody(scene), *OFFICIALS):
        told = await answers(scene, person)
        hits = {(name, hit) for name, answer in told.items() for hit in found(secrets, data(answer))}
        own = {seat for seat, one in enumerate(scene.seated[OPEN]) if one == person}
        assert not {
            (name, hit)
            for name, hit in hits
            if name != "own view" or not any(f"seat {seat} " in hit for seat in own)
        }, person
        assert bool(hits) == bool(own), person


async def test_what_nobody_may_do_while_a_board_is_open_is_refused_to_everybody(scene: Scene) -> None:
    """Whatever office somebody holds: no board is revealed, no key given out, nothing tried out on it (C9.2, C10.4)."""
    for person in (*somebody(scene), *OFFICIALS):
        told = await answers(scene, person)
        for name, answer in told.items():
            if name in ("reveal", "what if", "materiality"):
                assert answer[0] in ("BOARD_OPEN", "NOT_IN_ROLE", "TOKEN_MISSING"), (person, name)
            elif name in ("ballots", "secret", "panel", "leaf"):
                assert answer[0] in ("NOT_IN_ROLE", "TOKEN_MISSING"), (person, name)
            elif name.startswith("match at"):
                assert [getattr(one, "late_us", one) for one in answer] == ["BOARD_OPEN"], (person, name)


async def test_what_is_open_is_refused_to_players_and_the_public(scene: Scene) -> None:
    open_tables = {"NOT_IN_ROLE", "TOKEN_MISSING", "PLAYS_THE_EVENT"}
    for person in somebody(scene):
        told = await answers(scene, person)
        for name, answer in told.items():
            if name.startswith("replay") or name in ("deal", "board"):
                assert answer == ["BOARD_OPEN"], (person, name)
            elif name.startswith(("watched table", "tables", "positions", "leaf")):
                assert answer[0] in open_tables, (person, name)
            elif name in (f"log of {OPEN}", f"log of {DONE}"):
                assert answer == ["LOG_NOT_OPEN"], (person, name)
            elif name.startswith("acts"):
                assert answer[0] in open_tables, (person, name)
            elif name == "conduct":
                assert isinstance(answer[0], str) or not answer[0].conduct, (person, name)
            elif name == "rulings at r1-t2":
                assert not answer[0].rulings, (person, name)
        assert told["logs of tables"] == [], person


async def test_results_of_open_boards_count_nowhere(scene: Scene) -> None:
    for person in (*somebody(scene), *OFFICIALS):
        told = await answers(scene, person)
        for name in (one for one in told if "standings" in one):
            answer = told[name][0]
            for row in getattr(answer, "standings", answer).rows if not isinstance(answer, str) else ():
                assert (row.units, row.thinking_us, row.percent_tenths) == (0, 0, 0), (person, name)
        for entrant in range(1, 7):
            answer = told[f"score of {entrant}"][0]
            assert isinstance(answer, str) or not answer.units, (person, entrant)


async def test_how_far_open_tables_are_only_officials_learn(scene: Scene) -> None:
    for person in somebody(scene):
        told = await answers(scene, person)
        (played,) = told["round"]
        assert {(one.boards_closed, one.last_closed_us) for one in played.tables} == {(0, 0)}
        (watched,) = told["watched round"]
        assert (watched.tables_done, watched.boards_closed, list(watched.slowest)) == (0, 0, [])
        for name in told:
            if "standings" in name and not isinstance(told[name][0], str):
                answer = told[name][0]
                assert not getattr(answer, "standings", answer).cut.positions, (person, name)
                assert not getattr(answer, "records_read", 0), (person, name)
    (watched,) = (await answers(scene, scratch.CHIEF))["watched round"]
    assert (watched.tables_done, watched.boards_closed, watched.slowest[0].table.table) == (1, 2, OPEN)


async def test_waiting_for_a_tables_position_tells_players_nothing(scene: Scene) -> None:
    """A query that waits for what has not come would tell by its answer what has."""
    far = position(scene.inside.epoch.table_streams()[0], 10**6)
    for person in somebody(scene):
        async with scene.inside.caller(person, patience=0) as one:
            await one.scoring.GetStandings(scoring.GetStandingsRequest(championship=CUP, min_position=far))
            await one.pairing.GetRound(pairing.GetRoundRequest(championship=CUP, min_position=far))


async def test_an_official_who_watches_sees_no_hand(scene: Scene) -> None:
    told = await answers(scene, scratch.REFEREE)
    (seen,) = told[f"watched table {OPEN}"]
    view = seen.update.view.paohuzi
    assert view.stock_left
    assert not view.hand
    assert not view.options
    assert not view.HasField("seat")


async def test_a_seat_is_shown_its_own_hand_and_no_other(scene: Scene) -> None:
    secrets = of_this_moment(scene, await records(scene.inside))
    for seat, person in enumerate(scene.seated[OPEN]):
        async with scene.inside.caller(person) as player:
            told = await player.table.GetView(table.GetViewRequest(championship=CUP))
        assert found(secrets, told.SerializeToString()) == [f"hand of seat {seat} now"]
