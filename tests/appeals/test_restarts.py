"""A crash between any two events of a vote changes nothing (C10.4)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import grpc

from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger import ballot
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from tests.appeals.lives import Lives
from tests.cup import ARBITRATORS, Cup
from tests.platform import Platform, answered

CONTESTED = events.Contested(publication=events.ContestedPublication(publication=1))
FINE = scoring_events.Remedy(set_penalty=scoring_events.SetPenalty(penalty="x", entrant=2, tenths=50))
A, B, C, D, _ = ARBITRATORS

VOTE = (
    "appeal_filed",
    "case_assembled",
    "fee_recorded",
    "panel_appointed",
    "voting_opened",
    "ballot_cast",
    "conflict_declared",
    "member_replaced",
    "ballot_cast",
    "ballot_cast",
    "voting_closed",
    "appeal_decided",
    "fee_refunded",
)
"""What a vote with one recusal leaves in the log, in this order."""


class Crashing:
    """An appeal whose service is killed (SIGKILL) the moment a record of it stands in the log, whatever it was about to do."""

    def __init__(self, cup: Cup, lives: Lives) -> None:
        self._cup = cup
        self._lives = lives

    async def after(self, kind: str, count: int, call: Callable[[], Awaitable[Any]] | None = None) -> Any:
        """Let something happen, kill the service at once, and ask again, as a client does that got no answer."""
        asked = None if call is None else asyncio.ensure_future(call())
        await self._cup.platform.events.wait(kind, count=count)
        self._lives.end()
        if asked is not None:
            with suppress(grpc.aio.AioRpcError):  # most often it dies before it can answer
                await asked
        await self._lives.begin()
        return None if call is None else await answered(call)


def vote(cup: Cup, appeal: str, key: bytes, member: str, uphold: bool) -> Callable[[], Awaitable[Any]]:
    """One and the same sealed vote, as often as it is sent."""
    opening, ephemeral = secrets.token_bytes(ballot.OPENING), secrets.token_bytes(32)
    sealed = ballot.seal_ballot(appeal, member, uphold, key, opening, ephemeral)
    request = pb.CastVoteRequest(
        command_id=f"vote-{member}",
        championship=cup.id,
        appeal=appeal,
        commitment=sealed.commitment,
        sealed_opening=sealed.sealed_opening,
        member=member,
        ballot_key=key,
    )
    return lambda: cup.platform.of(member).appeals.CastVote(request)


async def test_a_crash_between_any_two_events_of_a_vote_changes_nothing(platform: Platform) -> None:
    await platform.start(["dealer", "pairing", "scoring"])
    async with Lives(platform) as lives:
        cup = await Cup.create(platform, entrants=6, rounds=1)
        await cup.ended()
        crash = Crashing(cup, lives)
        filed = await crash.after(
            "appeal_filed", 1, lambda: cup.file(1, CONTESTED, [FINE], command_id="file")
        )
        await crash.after("case_assembled", 1)
        await crash.after("fee_recorded", 1, lambda: cup.pay(filed.appeal, command_id="pay"))
        # The key of its ballots is made before the panel is appointed, and is the same the second time.
        appointed = await crash.after(
            "appeal_key_created", 1, lambda: cup.appoint(filed.appeal, (A, B, C), (D,), command_id="panel")
        )
        again = await crash.after(
            "voting_opened", 1, lambda: cup.appoint(filed.appeal, (A, B, C), (D,), command_id="panel")
        )
        assert again == appointed
        ballots = {
            member: vote(cup, filed.appeal, appointed.ballot_key, member, uphold)
            for member, uphold in ((A, True), (D, False), (C, True))
        }
        await crash.after("ballot_cast", 1, ballots[A])
        back = pb.DeclareConflictRequest(
            command_id="b", championship="cup", appeal=filed.appeal, reason="nephew"
        )
        await crash.after("member_replaced", 1, lambda: platform.of(B).appeals.DeclareConflict(back))
        await crash.after("ballot_cast", 2, ballots[D])
        await crash.after("voting_closed", 1, ballots[C])
        # Counted by itself, with the key that the closed vote has set free.
        await crash.after("appeal_key_released", 1)
        await crash.after("appeal_decided", 1)
        published = await platform.events.wait("standings_published", cause="ruling")
    told = [one.kind for one in await platform.events.all() if one.service == "appeals"]
    assert sorted(told) == sorted(VOTE)
    assert [kind for kind in told if kind != "case_assembled"] == [
        kind for kind in VOTE if kind != "case_assembled"
    ]
    decided = (await platform.events.of("appeal_decided"))[0].event
    assert [(one.member, one.uphold) for one in decided.ballots] == [(A, True), (D, False), (C, True)]
    assert (decided.votes_for, decided.votes_against, decided.upheld) == (2, 1, True)
    assert len(await platform.events.of("penalty_set")) == 1
    standings = await cup.boss.scoring.GetStandings(
        scoring.GetStandingsRequest(championship="cup", min_position=published.position)
    )
    assert {row.entrant: row.penalty_tenths for row in standings.rows}[2] == 50
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    checks = {check.name: check for check in verify_file(file, ()).checks}
    assert (checks["rulings"].findings, checks["rulings"].done) == ((), 1)
