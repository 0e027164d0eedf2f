"""Championships of Shengji in every format: what their tests ask and check on real servers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clients.cli.main import run
from fupan.pairing.v1 import events_pb2 as events
from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.runtime.identity import trusted_signers
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.tables import lines

OURS = ("chain", "signatures", "commitments", "draw", "standings")
"""Checks of an audit file that say something where boards were not played by any rules."""


async def tables_of(cup: Cup, round_: int) -> list[events.SeatedTable]:
    told = await cup.boss.pairing.GetRound(pb.GetRoundRequest(championship=cup.id, round=round_))
    return [one.table for one in told.tables]


async def byes_of(cup: Cup, round_: int) -> list[int]:
    told = await cup.boss.pairing.GetRound(pb.GetRoundRequest(championship=cup.id, round=round_))
    return list(told.pairing.byes)


async def standings(cup: Cup, as_of: str = "") -> Any:
    return await cup.platform.of(None).scoring.GetStandings(
        scoring.GetStandingsRequest(championship=cup.id, as_of=as_of)
    )


async def matches_of(cup: Cup, round_: int, as_of: str = "") -> Sequence[scoring.MatchResult]:
    request = scoring.ListMatchesRequest(championship=cup.id, round=round_, as_of=as_of)
    told = await cup.platform.of(None).scoring.ListMatches(request)
    found: Sequence[scoring.MatchResult] = told.matches
    return found


async def explained(cup: Cup, entrant: int) -> Any:
    return await cup.platform.of(None).scoring.ExplainScore(
        scoring.ExplainScoreRequest(championship=cup.id, entrant=entrant)
    )


async def played(cup: Cup, round_: int) -> list[events.SeatedTable]:
    """Play a round whatever the format is; its tables."""
    await cup.platform.events.wait("round_started", round=round_)
    tables = await tables_of(cup, round_)
    told = await cup.boss.pairing.GetChampionship(pb.GetChampionshipRequest(championship=cup.id))
    if told.settings.format == "points":
        await cup.tables.play_matches(round_)
    else:
        await cup.tables.play(round_, scores=lines)
    await cup.platform.events.wait("standings_published", after_round=round_)
    return tables


def check_meetings(rounds: Sequence[tuple[list[events.SeatedTable], list[int]]], entrants: int) -> None:
    """Nobody meets anybody twice, everybody has a place in every round, and no second bye before everybody had one (C1.5, C7.1)."""
    met: Counter[frozenset[int]] = Counter()
    byes: Counter[int] = Counter()
    for tables, free in rounds:
        met.update({frozenset(one.entrants) for one in tables})
        byes.update(free)
        assert sorted({number for one in tables for number in one.entrants} | set(free)) == list(
            range(1, entrants + 1)
        )
        for one in tables:
            first, second, *others = one.entrants
            assert others == [first, second]
    assert set(met.values()) == {1}
    assert max(byes.values(), default=0) <= 1


async def check_rebuilt_and_audited(cup: Cup, publications: int) -> None:
    """Every publication is the same again from record 1, for the service and for an outsider."""
    for number in range(1, publications + 1):
        rebuilt = await cup.platform.of("p-1").scoring.RebuildStandings(
            scoring.RebuildStandingsRequest(championship=cup.id, publication=number)
        )
        assert rebuilt.same
    file = AuditFile(About("championship", cup.id, cup.id), tuple(await cup.platform.events.stored()))
    checks = {check.name: check for check in verify_file(file, trusted_signers(cup.platform.keys)).checks}
    for name in OURS:
        assert checks[name].findings == (), (name, checks[name].findings)
        assert checks[name].missing == (), (name, checks[name].missing)
    assert checks["standings"].done == publications


async def check_certificate(cup: Cup, folder: Path) -> None:
    told = await cup.boss.pairing.GetSeatingCertificate(pb.GetSeatingCertificateRequest(championship=cup.id))
    path = folder / "certificate.json"
    path.write_bytes(told.certificate)
    assert run(["pairing", "check", str(path), "--json"]) == 0
    forged = json.loads(told.certificate)
    forged["byes"] = [99]
    path.write_text(json.dumps(forged))
    assert run(["pairing", "check", str(path), "--json"]) == 1


async def seal(cup: Cup) -> None:
    ended = await cup.platform.events.wait("competition_ended")
    cup.platform.clock.stand(ended.header.time_us + SEALABLE_US)
    await cup.platform.of(CHIEF).pairing.SealChampionship(
        pb.SealChampionshipRequest(command_id="seal", championship=cup.id)
    )
    await cup.platform.events.wait("standings_sealed")
    await cup.platform.events.wait("secret_revealed")
