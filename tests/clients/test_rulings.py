"""The board on which a contested ruling was made is looked up for the remedies that are asked for (C10.1)."""

from __future__ import annotations

from typing import Any

import pytest
from grpc import StatusCode
from grpc.aio import AioRpcError, Metadata

from clients.cli import whatif
from clients.cli.output import Problem
from clients.cli.remedies import CONTESTED, REMEDIES, ContestedOptions, RemedyOptions
from clients.cli.rulings import located, overturns
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as scoring
from fupan.table.v1 import service_pb2 as pb

MADE = "r1-t1-a2.0123456789ab"
LIFTED = scoring.Remedy(set_penalty=scoring.SetPenalty(penalty="late-1", entrant=7))


class Services:
    """The services that a command asks."""

    def __init__(self, person: str = "", watches: bool = False, *roles: str) -> None:
        self.table = self.appeals = self
        self.person = person
        self._part = pb.GetRolesResponse(roles=roles, watches=watches)

    async def GetRoles(self, request: pb.GetRolesRequest) -> pb.GetRolesResponse:
        assert self.person, "nobody is asked for"
        return self._part

    async def ListRulings(self, request: pb.ListRulingsRequest) -> pb.ListRulingsResponse:
        if request.table != "r1-t1-a2":
            raise AioRpcError(StatusCode.NOT_FOUND, Metadata(), Metadata(), "no such table", "")
        return pb.ListRulingsResponse(
            rulings=[pb.Ruling(ruling="other"), pb.Ruling(ruling=MADE, round=1, board=3, attempt=2)]
        )

    async def GetAppeal(self, request: appeals.GetAppealRequest) -> appeals.GetAppealResponse:
        filed = events.AppealFiled(appeal=request.appeal, sought=[LIFTED])
        return appeals.GetAppealResponse(appeal=appeals.Appeal(filed=filed))


FUPAN: Any = Services()


async def test_a_score_is_corrected_on_the_board_of_the_contested_ruling() -> None:
    contested = ContestedOptions(ruling=MADE)
    (remedy,) = RemedyOptions(correct="10,-5,-5").messages(await located(FUPAN, "cup", contested))
    assert remedy.correct_result == scoring.CorrectResult(
        table="r1-t1-a2", round=1, board=3, attempt=2, scores=[10, -5, -5]
    )
    # What is contested is the ruling all the same.
    assert contested.message().ruling.ruling == MADE


@pytest.mark.parametrize("unknown", ["r-doesnotexist", "r1-t1-a2.ba9876543210", "r9-t9.0123456789ab"])
async def test_a_ruling_that_one_cannot_know_of_is_named(unknown: str) -> None:
    with pytest.raises(Problem, match=f"you know of no ruling {unknown}"):
        await located(FUPAN, "cup", ContestedOptions(ruling=unknown))


async def test_what_an_appeal_asks_for_is_what_would_be_ruled() -> None:
    assert list(await whatif._sought(FUPAN, "cup", "a-1", CONTESTED, REMEDIES)) == [LIFTED]
    with pytest.raises(Problem, match="not both"):
        await whatif._sought(FUPAN, "cup", "a-1", CONTESTED, RemedyOptions(penalty=["late-1=7=0"]))


@pytest.mark.parametrize(
    ("caller", "may"),
    [
        (Services("wang", True, "chief_referee"), True),
        (Services("li", True, "deputy"), True),
        (Services("wang", False, "chief_referee", "player"), False),
        (Services("ref", True, "referee"), False),
        (Services("anna", False, "player"), False),
        (Services(), False),
    ],
)
async def test_C9_2_who_may_overturn_a_ruling_is_told_how(caller: Any, may: bool) -> None:
    assert await overturns(caller, "cup") is may
