"""A championship on the platform, taken through its life by RPCs: what integration tests of any service begin with."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fupan.appeals.v1 import events_pb2 as appeals_events
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring_events
from services.ledger import ballot
from services.pairing.decider.sealing import ON_ITS_WAY_US
from tests.platform import OPERATOR, Callers, Platform
from tests.tables import Tables

CHIEF = "chief"
ARBITRATORS = ("arbiter-1", "arbiter-2", "arbiter-3", "arbiter-4", "arbiter-5")
FEE = 50_000
HOUR_US = 3600 * 1_000_000
SEALABLE_US = 3 * HOUR_US + ON_ITS_WAY_US
"""So long after its end a competition may be sealed."""


@dataclass
class Cup:
    """One championship; `boss` calls as its organiser."""

    platform: Platform
    id: str
    boss: Callers
    tables: Tables
    members: int = 1
    """Persons of an entrant: `p-1`, or `p-1-1`, `p-1-2`, … where it has several."""
    _commands: int = field(default=0)

    @classmethod
    async def create(
        cls,
        platform: Platform,
        entrants: int = 7,
        officials: Sequence[tuple[str, str]] = (
            (CHIEF, "chief_referee"),
            *((one, "arbitrator") for one in ARBITRATORS),
        ),
        name: str = "cup",
        members: int = 1,
        **document: Any,
    ) -> Cup:
        """A championship with its entrants, of units `u-1`, `u-2`, …, and its officials, before its draw."""
        boss = platform.of(OPERATOR)
        boards = {} if document.get("format") == "points" else {"boards_per_round": 2}
        settings = {"championship": name, "name": "Cup", "rounds": 2, **boards, **document}
        text = "\n".join(f"{key}: {value}" for key, value in settings.items())
        created = await boss.pairing.CreateChampionship(
            pairing.CreateChampionshipRequest(command_id="create", document=text)
        )
        tables = Tables(platform, name, created.settings.ruleset)
        cup = cls(platform, name, boss, tables, members)
        await cup.officials(*officials)
        if entrants:
            await cup.enter(range(1, entrants + 1))
        return cup

    async def officials(self, *officials: tuple[str, str]) -> None:
        """Appoint persons to offices."""
        for person, role in officials:
            await self.boss.pairing.AppointOfficial(
                pairing.AppointOfficialRequest(
                    command_id=self.command(), championship=self.id, person_id=person, role=role
                )
            )

    def persons(self, number: int) -> list[str]:
        """The persons of an entrant."""
        if self.members == 1:
            return [f"p-{number}"]
        return [f"p-{number}-{member}" for member in range(1, self.members + 1)]

    def command(self) -> str:
        """A fresh command id."""
        self._commands += 1
        return f"command-{self._commands}"

    async def enter(self, numbers: Sequence[int], command_id: str = "") -> Any:
        """Import entrants."""
        rows = [
            pairing.ImportRow(
                line=number,
                members=[
                    pairing.PersonRow(person_id=one, unit_id=f"u-{number}") for one in self.persons(number)
                ],
            )
            for number in numbers
        ]
        return await self.boss.pairing.ImportEntrants(
            self.importing(rows, command_id or self.command()), timeout=120
        )

    def importing(self, rows: Sequence[pairing.ImportRow], command_id: str) -> Any:
        """The messages of an import."""
        header = pairing.ImportHeader(command_id=command_id, championship=self.id)
        return iter(
            [
                pairing.ImportEntrantsRequest(header=header),
                *(pairing.ImportEntrantsRequest(row=row) for row in rows),
            ]
        )

    async def told(self) -> Any:
        """What is publicly told of it."""
        return await self.boss.pairing.GetChampionship(pairing.GetChampionshipRequest(championship=self.id))

    async def withdraw(self, *entrants: int) -> None:
        """Withdraw entrants, one after the other."""
        for entrant in entrants:
            request = pairing.WithdrawEntrantRequest(
                command_id=self.command(), championship=self.id, entrant=entrant, reason="bus strike"
            )
            await self.boss.pairing.WithdrawEntrant(request)

    async def pair(self, caller: Callers | None = None, command_id: str = "", round_: int = 0) -> Any:
        """Have the next round paired."""
        request = pairing.PairRoundRequest(
            command_id=command_id or self.command(), championship=self.id, round=round_
        )
        return await (caller or self.boss).pairing.PairRound(request, timeout=60)

    async def at(self, table: str) -> list[int]:
        """The entrants at a table of the newest round."""
        told = await self.boss.pairing.GetRound(pairing.GetRoundRequest(championship=self.id))
        return next(list(one.table.entrants) for one in told.tables if one.table.table == table)

    async def play(self, round_: int, **how: Any) -> None:
        """Play a round that starts by itself, and wait until its standings are published."""
        await self.platform.events.wait("round_started", round=round_)
        await self.tables.play(round_, **how)
        await self.platform.events.wait("standings_published", after_round=round_)

    async def ended(self) -> int:
        """Play everything; when the competition ended (µs)."""
        await self.pair()
        told = await self.boss.pairing.GetChampionship(pairing.GetChampionshipRequest(championship=self.id))
        for round_ in range(1, told.settings.rounds + 1):
            await self.play(round_)
        ended = await self.platform.events.wait("competition_ended")
        return ended.header.time_us

    # Appeals

    async def file(
        self,
        number: int,
        contested: appeals_events.Contested | None = None,
        sought: Sequence[scoring_events.Remedy] | None = None,
        command_id: str = "",
        grounds: str = "记分有误",
    ) -> Any:
        """File an appeal as an entrant, by default on the first publication, and for a penalty of its own to be lifted."""
        lifted = scoring_events.SetPenalty(penalty="late-1", entrant=number, tenths=0)
        publication = appeals_events.Contested(publication=appeals_events.ContestedPublication(publication=1))
        request = appeals.FileAppealRequest(
            command_id=command_id or self.command(),
            championship=self.id,
            contested=contested or publication,
            grounds=grounds,
            sought=[scoring_events.Remedy(set_penalty=lifted)] if sought is None else sought,
        )
        return await self.platform.of(self.persons(number)[0]).appeals.FileAppeal(request)

    async def pay(self, appeal: str, amount: int = FEE, currency: str = "CNY", command_id: str = "") -> Any:
        """Record the fee."""
        return await self.boss.appeals.RecordFee(
            appeals.RecordFeeRequest(
                command_id=command_id or self.command(),
                championship=self.id,
                appeal=appeal,
                amount=amount,
                currency=currency,
            )
        )

    async def appoint(
        self,
        appeal: str,
        members: Sequence[str] = ARBITRATORS[:3],
        reserves: Sequence[str] = (),
        command_id: str = "",
        deadline_us: int = 0,
    ) -> Any:
        """Appoint a panel."""
        return await self.boss.appeals.AppointPanel(
            appeals.AppointPanelRequest(
                command_id=command_id or self.command(),
                championship=self.id,
                appeal=appeal,
                members=members,
                reserves=reserves,
                voting_deadline_us=deadline_us,
            )
        )

    async def vote(
        self,
        appeal: str,
        member: str,
        uphold: bool,
        spoil: bool = False,
        ports: dict[str, int] | None = None,
    ) -> Any:
        """Cast a sealed vote, at the services at other `ports`; a spoilt one opens to nothing that was committed to."""
        case = await self.case(appeal)
        opening = secrets.token_bytes(ballot.OPENING)
        key, ephemeral = case.panel.ballot_key, secrets.token_bytes(32)
        sealed = ballot.seal_ballot(appeal, member, uphold, key, opening, ephemeral)
        return await self.platform.of(member, ports).appeals.CastVote(
            appeals.CastVoteRequest(
                command_id=f"vote-{secrets.token_hex(4)}",
                championship=self.id,
                appeal=appeal,
                commitment=bytes(32) if spoil else sealed.commitment,
                sealed_opening=sealed.sealed_opening,
                member=member,
                ballot_key=key,
            )
        )

    async def panel(self, appeal: str, votes: Sequence[bool] = (True, True, False)) -> Any:
        """Pay, appoint and vote; the decision."""
        await self.pay(appeal)
        members = ARBITRATORS[: len(votes)]
        await self.appoint(appeal, members)
        for member, uphold in zip(members, votes, strict=True):
            await self.vote(appeal, member, uphold)
        await self.platform.events.wait("appeal_decided", lambda one: one.stored.subject.endswith(appeal))
        return await self.case(appeal)

    async def case(self, appeal: str, position: str = "") -> Any:
        """An appeal as it stands after everything that was seen of appeals, or up to a position of another stream."""
        seen = [one for one in await self.platform.events.all() if one.service == "appeals"]
        request = appeals.GetAppealRequest(
            championship=self.id, appeal=appeal, min_position=position or seen[-1].position
        )
        return (await self.boss.appeals.GetAppeal(request)).appeal

    async def appeals(self) -> Any:
        """All appeals."""
        request = appeals.ListAppealsRequest(championship=self.id)
        return (await self.boss.appeals.ListAppeals(request)).appeals
