"""Everybody who wants something asks both replicas for it within milliseconds: officials, who appeals, who votes, substitutes."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import grpc

from clients.appealing import sealed_vote
from clients.cli.bearer import patiently
from clients.cli.connection import Fupan, command_id
from clients.cli.local.contest import OVER
from fupan.appeals.v1 import events_pb2 as appeals_events
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.table.v1 import service_pb2 as table
from services.runtime.errors import read_status
from tests.chaos.twins import REPLICAS, Twins
from tests.e2e import scratch
from tests.e2e.command import SECONDS

PANELS = (scratch.ARBITRATORS, (*scratch.ARBITRATORS[1:], "judge-4"))
"""Whom the organiser appoints through each replica; one panel sits."""

SUBSTITUTE = "sub-"
"""How the ids of those begin who play for somebody."""

LEAVES = 18
"""The entrant that withdraws; its seat is given to nobody."""

EARLY = 0.3
"""Share of them who wait for their seat before it is given."""

Call = Callable[[Fupan, int], Awaitable[Any]]
"""What is asked of a replica of that number."""


class Answered(NamedTuple):
    """What a call led to: its answer, or why it was refused."""

    answer: Any
    reason: str = ""


class Given(NamedTuple):
    """A seat that a referee gave, and whether it was told that it counts."""

    person: str
    table: str
    seat: int
    counts: bool


@dataclass
class Both:
    """Both replicas, asked at once."""

    twins: Twins
    championship: str
    chance: random.Random
    reasons: Counter[str] = field(default_factory=Counter)
    """Why what was refused, how often."""
    unforeseen: list[str] = field(default_factory=list)
    """Errors that are none of ours."""
    given: list[Given] = field(default_factory=list)
    _promised: set[str] = field(default_factory=set)
    """Tables where somebody was given a seat, or is just being given one."""
    _callers: dict[tuple[int, str], Fupan] = field(default_factory=dict)

    async def close(self) -> None:
        for one in self._callers.values():
            await one.__aexit__()

    def at(self, replica: int, person: str) -> Fupan:
        """A replica as somebody sees it."""
        if (replica, person) not in self._callers:
            self._callers[replica, person] = self.twins.replica(replica, person)
        return self._callers[replica, person]

    async def ask(self, person: str, call: Call) -> list[Answered]:
        """What both answer somebody."""
        return list(await asyncio.gather(*(self.one(number, person, call) for number in REPLICAS)))

    async def one(self, replica: int, person: str, call: Call) -> Answered:
        """What one answers somebody."""
        try:
            return Answered(await call(self.at(replica, person), replica))
        except grpc.aio.AioRpcError as error:
            told = read_status(error)
            if told is None or error.code() in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN):
                self.unforeseen.append(f"{error.code()} {error.details()}")
                return Answered(None, "?")
            self.reasons[told.reason] += 1
            return Answered(None, told.reason)

    async def same(self, person: str, call: Call) -> Any:
        """The one answer that both give."""
        first, second = await self.ask(person, call)
        assert first == second, (first, second)
        assert first.answer is not None, first
        return first.answer

    async def agree(self, call: Call) -> None:
        """Return when both tell the operator the same."""
        async with asyncio.timeout(SECONDS):
            while True:
                first, second = await self.ask(scratch.OPERATOR, call)
                if first.answer is not None and first == second:
                    return
                await asyncio.sleep(0.1)

    # Before the first round

    async def enter(self, numbers: Sequence[int]) -> None:
        """Import entrants, sent to both by one command id."""

        async def rows() -> AsyncIterator[pairing.ImportEntrantsRequest]:
            header = pairing.ImportHeader(command_id=f"enter-{numbers[0]}", championship=self.championship)
            yield pairing.ImportEntrantsRequest(header=header)
            for line, number in enumerate(numbers, 1):
                person = f"{self.championship}-{number}"
                member = pairing.PersonRow(person_id=person, unit_id=f"unit-{number}", name=f"Name {number}")
                row = pairing.ImportRow(line=line, number=number, members=[member])
                yield pairing.ImportEntrantsRequest(row=row)

        async def importing(fupan: Fupan, _: int) -> Any:
            return await patiently(lambda: fupan.pairing.ImportEntrants(rows()), SECONDS)

        await self.same(scratch.OPERATOR, importing)

    async def pair(self) -> None:
        """Have the first round paired by two commands: one of them does."""
        told = await self.ask(
            scratch.OPERATOR,
            lambda fupan, replica: fupan.pairing.PairRound(
                pairing.PairRoundRequest(
                    command_id=f"pair-{replica}", championship=self.championship, round=1
                )
            ),
        )
        assert sorted(one.reason for one in told) == ["", "ROUND_PAIRED"]

    # While it is played

    async def tables(self) -> list[table.TableStatus]:
        """Tables that play."""
        request = table.ListTablesRequest(championship=self.championship)
        told = await self.one(
            self.chance.choice(REPLICAS), scratch.CHIEF, lambda fupan, _: fupan.table.ListTables(request)
        )
        return [] if told.answer is None else [one for one in told.answer.tables if not one.finished]

    async def substitute(self, person: str, comes: Callable[[str], None]) -> None:
        """Give somebody who comes, before that or then, seats at two tables at once, through both replicas, and let it sit down
        through both."""
        open_ = [one for one in await self.tables() if one.table not in self._promised]
        of_one_round = [one for one in open_ if one.round == open_[-1].round]
        if len(of_one_round) < len(REPLICAS):
            return
        chosen = self.chance.sample(of_one_round, len(REPLICAS))
        self._promised |= {one.table for one in chosen}
        requests = [
            table.ReplaceSeatRequest(
                command_id=f"give-{person}",
                championship=self.championship,
                table=one.table,
                seat=self.chance.choice([n for n, seat in enumerate(one.seats) if seat.entrant != LEAVES]),
                person_id=person,
                reason="unwell",
            )
            for one in chosen
        ]
        if self.chance.random() < EARLY:
            comes(person)
        told = await self.ask(
            scratch.REFEREE, lambda fupan, replica: fupan.table.ReplaceSeat(requests[replica])
        )
        assert sum(not one.reason for one in told) <= 1, requests
        for request, one in zip(requests, told, strict=True):
            self.given.append(Given(person, request.table, request.seat, not one.reason))
            if one.reason:
                self._promised.discard(request.table)
        if all(one.reason for one in told):
            return
        again = await self.ask(
            scratch.REFEREE, lambda fupan, replica: fupan.table.ReplaceSeat(requests[1 - replica])
        )
        assert [one.answer for one in again] == [one.answer for one in reversed(told)], (told, again)
        joined = table.JoinRequest(command_id=f"join-{person}", championship=self.championship)
        sat = await self.ask(person, lambda fupan, _: fupan.table.Join(joined))
        assert {one.reason for one in sat} <= {"", "TABLE_SEALED"}, sat
        comes(person)

    async def withdraw(self, round_: int) -> None:
        """An entrant leaves when a round is paired: house AI plays on for it (C1.6)."""
        await self._seated(scratch.OPERATOR, round_)
        request = pairing.WithdrawEntrantRequest(
            command_id="withdraw", championship=self.championship, entrant=LEAVES, reason="bus strike"
        )
        await self.same(scratch.OPERATOR, lambda fupan, _: fupan.pairing.WithdrawEntrant(request))

    async def act(self, number: int) -> None:
        """What a referee does beside: a ruling, an infringement, a pause; sent to both by one command id."""
        open_ = await self.tables()
        if not open_:
            return
        to: dict[str, Any] = {
            "command_id": f"act-{number}",
            "championship": self.championship,
            "table": self.chance.choice(open_).table,
        }
        calls: Sequence[Call] = (
            lambda fupan, _: fupan.table.MakeRuling(
                table.MakeRulingRequest(text="play on", clause="C9.2", **to)
            ),
            lambda fupan, _: fupan.table.RecordInfringement(
                table.RecordInfringementRequest(code="A3", outcome="warning", reason="seen", **to)
            ),
            lambda fupan, _: fupan.table.PauseTable(table.PauseTableRequest(reason="noise", **to)),
        )
        call = self.chance.choice(calls)
        if await self._ordered(call) and call is calls[-1]:
            to["command_id"] = f"go-on-{number}"
            await self._ordered(lambda fupan, _: fupan.table.ResumeTable(table.ResumeTableRequest(**to)))

    async def _ordered(self, call: Call) -> bool:
        """Whether both took a referee's order, or one before the table's end came between."""
        first, second = await self.ask(scratch.REFEREE, call)
        assert first == second or "TABLE_SEALED" in (first.reason, second.reason), (first, second)
        return (first.answer or second.answer) is not None

    # Appeals

    async def appeal(self, person: str, round_: int) -> appeals.Appeal:
        """Contest the pairing of a round as soon as there is one, pay, appoint two panels, vote; the appeal once it is decided."""
        await self._seated(person, round_)
        contested = appeals_events.Contested(pairing=appeals_events.ContestedPairing(round=round_))
        lifted = scoring_events.SetPenalty(penalty=f"late-{round_}", entrant=round_, tenths=0)
        filing = appeals.FileAppealRequest(
            command_id="file",
            championship=self.championship,
            contested=contested,
            grounds=f"round {round_} was not drawn by lot",
            sought=[scoring_events.Remedy(set_penalty=lifted)],
        )
        filed = await self.same(person, lambda fupan, _: fupan.appeals.FileAppeal(filing))
        on: dict[str, Any] = {"championship": self.championship, "appeal": filed.appeal}
        fee = appeals.RecordFeeRequest(
            command_id="fee", amount=filed.fee_amount, currency=filed.fee_currency, **on
        )
        await self.same(scratch.OPERATOR, lambda fupan, _: fupan.appeals.RecordFee(fee))
        told = await self.ask(
            scratch.OPERATOR,
            lambda fupan, replica: fupan.appeals.AppointPanel(
                appeals.AppointPanelRequest(command_id=f"panel-{replica}", members=PANELS[replica], **on)
            ),
        )
        assert sum(not one.reason for one in told) == 1
        asked = appeals.GetAppealRequest(**on)
        async with asyncio.timeout(SECONDS):
            while True:
                got = await self.one(
                    self.chance.choice(REPLICAS), person, lambda fupan, _: fupan.appeals.GetAppeal(asked)
                )
                if got.answer is not None:
                    state: appeals.Appeal = got.answer.appeal
                    if state.phase in OVER:
                        return state
                    if state.phase == "voting":
                        await self._vote(state)
                await asyncio.sleep(0.2)

    async def _seated(self, person: str, round_: int) -> None:
        """Return when a round is paired."""
        request = pairing.GetRoundRequest(championship=self.championship, round=round_)
        async with asyncio.timeout(SECONDS):
            while True:
                told = await self.one(
                    self.chance.choice(REPLICAS), person, lambda fupan, _: fupan.pairing.GetRound(request)
                )
                if not told.reason:
                    return
                await asyncio.sleep(0.2)

    async def _vote(self, appeal: appeals.Appeal) -> None:
        """Every member votes twice, sealed anew, by two commands: one counts."""
        waiting = set(appeal.members) - set(appeal.voted)

        async def vote(fupan: Fupan, _: int) -> Any:
            ballot = sealed_vote(command_id(), self.championship, appeal, fupan.person, uphold=True)
            return await fupan.appeals.CastVote(ballot)

        for told in await asyncio.gather(*(self.ask(member, vote) for member in waiting)):
            assert sum(not one.reason for one in told) <= 1
