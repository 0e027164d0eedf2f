"""A contested pairing: the round is seated otherwise while it has not begun, else percentages and penalties are what is left."""

from __future__ import annotations

from typing import Any

from fupan.appeals.v1 import events_pb2 as events
from fupan.pairing.v1 import events_pb2 as pairing_events
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.ledger.record import Stored
from tests.cup import ARBITRATORS, CHIEF, SEALABLE_US, Cup
from tests.platform import Platform, refused

PAIRING = events.Contested(pairing=events.ContestedPairing(round=1))


def seats(*tables: tuple[str, list[int]]) -> scoring_events.Remedy:
    named = [scoring_events.TableSeats(table=table, entrants=entrants) for table, entrants in tables]
    return scoring_events.Remedy(reseat_round=scoring_events.ReseatRound(round=1, tables=named))


def sixty(entrant: int, board: int) -> scoring_events.Remedy:
    assigned = scoring_events.AssignPercent(entrant=entrant, round=1, board=board, tenths=600)
    return scoring_events.Remedy(assign_percent=assigned)


async def test_a_pairing_is_put_right_before_its_round_begins(platform: Platform) -> None:
    """C10.1, C10.6: by pairing itself, on the committee's ruling; afterwards the refusal says what may still be asked for."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1, automatic_rounds="false")
    await cup.pair()

    async def tables() -> dict[str, list[int]]:
        told = await cup.boss.pairing.GetRound(pairing.GetRoundRequest(championship="cup", round=1))
        return {one.table.table: list(one.table.entrants) for one in told.tables}

    drawn = await tables()
    first, second = drawn["r1-t1"], drawn["r1-t2"]
    one, other = [second[0], *first[1:]], [first[0], *second[1:]]
    swap = seats(("r1-t1", one), ("r1-t2", other))
    publication = events.Contested(publication=events.ContestedPublication(publication=1))
    for contested, remedy, reason in (
        (PAIRING, seats(("r1-t1", one)), "SEATING_WRONG"),  # somebody comes, somebody goes
        (PAIRING, seats(("r1-t1", one), ("r1-t1", other)), "SEATING_WRONG"),
        (PAIRING, seats(("r1-t1", one), ("r1-t9", other)), "SEATING_WRONG"),
        (PAIRING, seats(), "SEATING_WRONG"),
        (publication, swap, "NOT_FOUND"),
    ):
        assert (await refused(cup.file(1, contested, [remedy]))).reason == reason
    # What it would come to is seen before anybody rules: other seats, the same standings.
    what_if = scoring.WhatIfRequest(championship="cup", remedies=[swap])
    foretold = await cup.boss.scoring.WhatIf(what_if)
    assert foretold.before == foretold.after
    assert (foretold.reseated.round, foretold.reseated.tables) == (1, 2)
    assert {each.table: (list(each.before), list(each.after)) for each in foretold.reseated.changes} == {
        "r1-t1": (first, one),
        "r1-t2": (second, other),
    }
    alone = scoring.WhatIfRequest(championship="cup", remedies=[seats(("r1-t1", one))])
    assert (await refused(cup.boss.scoring.WhatIf(alone))).reason == "SEATING_WRONG"
    filed = await cup.file(1, PAIRING, [swap])
    await cup.panel(filed.appeal)
    ruled = await platform.events.wait("seating_overridden")
    assert ruled.body.cause is not None
    assert (ruled.body.actor, ruled.body.cause.subject) == (
        "service:pairing",
        platform.epoch.appeal_subject("cup", filed.appeal),
    )
    assert await tables() == {"r1-t1": one, "r1-t2": other}
    for _ in range(2):
        await platform.replicas[-1].stop()
        await platform.start()
    back = seats(("r1-t1", first), ("r1-t2", second))
    assert (await refused(cup.file(2, PAIRING, [back]))).reason == "RULING_FINAL"
    start = pairing.StartRoundRequest(command_id="start", championship="cup", round=1)
    await platform.of(CHIEF).pairing.StartRound(start)
    assert len(await platform.events.of("seating_overridden")) == 1
    assert (await refused(cup.file(2, PAIRING, [back]))).reason == "ROUND_STARTED"
    await cup.play(1)
    await platform.events.wait("competition_ended")
    # Seats are asked for where the pairing is contested.
    swap.reseat_round.round = 2
    assert (await refused(cup.file(1, publication, [swap]))).reason == "SEATING_WRONG"
    # Nothing of it is scoring's, and the seal does not wait for that.
    assert await platform.events.of("correction_refused") == []
    ends_us = (await platform.events.wait("competition_ended")).header.time_us + SEALABLE_US
    platform.clock.advance((ends_us - platform.clock()) / 1e6)
    seal: Any = pairing.SealChampionshipRequest(command_id="seal", championship="cup")
    assert (await platform.of(CHIEF).pairing.SealChampionship(seal)).seal.publication == 1
    stored = tuple(await platform.events.stored())
    assert draw(stored) == ((), ())
    others = tuple(one for one in stored if not one.subject.endswith(filed.appeal))
    assert [one.code for one in draw(others)[0]] == ["NO_APPEAL"]


def draw(stored: tuple[Stored, ...]) -> tuple[Any, Any]:
    """What the check of draw and seats finds, and what it misses."""
    report = verify_file(AuditFile(About("championship", "cup", "cup"), stored), ())
    check = next(one for one in report.checks if one.name == "draw")
    return check.findings, tuple(one for one in check.missing if "seats" in one)


async def test_a_round_that_has_begun_is_not_seated_anew(platform: Platform) -> None:
    """C10.6, C2.2: whoever disputes its pairing is given percentages for its boards, or somebody a penalty."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    told = await cup.boss.pairing.GetRound(pairing.GetRoundRequest(championship="cup", round=1))
    drawn = {one.table.table: list(one.table.entrants) for one in told.tables}
    late = await refused(cup.file(1, PAIRING, [seats(*drawn.items())]))
    assert (late.reason, late.clause) == ("ROUND_STARTED", "C10.6")
    assert "ask for percentages for its boards" in late.message
    assert "得分率" in late.message_zh
    await cup.play(1)
    filed = await cup.file(1, PAIRING, [sixty(1, 1), sixty(1, 2)])
    await cup.panel(filed.appeal)
    await platform.events.wait("percent_assigned", count=2)
    published = await platform.events.wait("standings_published", number=2)
    now = await cup.boss.scoring.GetStandings(
        scoring.GetStandingsRequest(championship="cup", min_position=published.position)
    )
    assert {row.entrant: row.percent_tenths for row in now.rows}[1] == 600


async def test_seats_that_were_asked_for_in_vain_stay_as_they_are(platform: Platform) -> None:
    """C10.7: a rejected appeal is ruled, too."""
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=1, automatic_rounds="false")
    await cup.pair()
    first, second, third = [await cup.at(f"r1-t{number}") for number in (1, 2, 3)]
    swap = seats(("r1-t1", [second[0], *first[1:]]), ("r1-t2", [first[0], *second[1:]]))
    filed = await cup.file(1, PAIRING, [swap])
    await cup.panel(filed.appeal, (False, False, True))
    kept = await platform.events.wait("seats_confirmed")
    assert (kept.body.actor, list(kept.event.tables)) == ("service:pairing", ["r1-t1", "r1-t2"])

    def override(table: str, entrants: list[int]) -> Any:
        tables = [pairing_events.SeatedTable(table=table, group=1, entrants=entrants)]
        request = pairing.OverrideSeatingRequest(
            command_id=table, championship="cup", round=1, tables=tables, reason="nicer"
        )
        return platform.of(CHIEF).pairing.OverrideSeating(request)

    told = await refused(override("r1-t1", first[::-1]))
    assert (told.reason, told.clause) == ("RULING_FINAL", "C10.7")
    await override("r1-t3", third[::-1])
    assert await cup.at("r1-t3") == third[::-1]
    assert draw(tuple(await platform.events.stored())) == ((), ())


async def test_seats_ruled_too_late_are_shown_with_the_appeal(platform: Platform) -> None:
    """C10.6: the round began between filing and ruling; the chief referee must see why nothing came of it, also after a restart."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1, automatic_rounds="false")
    await cup.pair()
    first, second = await cup.at("r1-t1"), await cup.at("r1-t2")
    swap = seats(("r1-t1", [second[0], *first[1:]]), ("r1-t2", [first[0], *second[1:]]))
    filed = await cup.file(1, PAIRING, [swap])
    await cup.pay(filed.appeal)
    start = pairing.StartRoundRequest(command_id="start", championship="cup", round=1)
    await platform.of(CHIEF).pairing.StartRound(start)
    await cup.play(1)
    await cup.appoint(filed.appeal)
    for member in ARBITRATORS[:3]:
        await cup.vote(filed.appeal, member, uphold=True)
    refusal = await platform.events.wait("reseating_refused")
    for _ in range(2):
        (part,) = (await cup.case(filed.appeal, refusal.position)).not_carried_out
        assert (part.by, part.reason, part.clause) == ("pairing", "ROUND_STARTED", "C9.2")
        assert part.text == "seats may be changed before the round starts"
        assert part.text_zh.endswith("（依据 C9.2）")
        await platform.replicas[-1].stop()
        await platform.start()
