"""Play-offs of shared ranks: who orders them and when, and one through all services (C4.5)."""

from __future__ import annotations

from fupan.appeals.v1 import events_pb2 as appeals_events
from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.digests import seating_digest
from services.pairing.model.state import SERVICE
from services.runtime.identity import trusted_signers
from tests.cup import CHIEF, HOUR_US, SEALABLE_US, Cup
from tests.pairing.given import CLOSED, PAIRING, created, ended, seats
from tests.platform import Platform, refused
from tests.specification import NOON, Fact, Given

ALONE = seats(2, (1, 0, 0), (3, 0, 0))
HOUR = 3 * HOUR_US


def ordered(
    round_: int = 2, tables: tuple[e.SeatedTable, ...] = ALONE, absent: tuple[int, ...] = ()
) -> tuple[c.OrderPlayoff, tuple[e.Event, ...]]:
    """The command that has rank 1 played off, and what follows from it."""
    digest = seating_digest(tables)
    command = c.OrderPlayoff(round_, 1, "one cup", tables, absent, 1, b"standings", 2, b"root")
    paired = e.RoundPaired(
        round_, len(tables), digest, "playoff", 1, b"standings", 2, b"root", absent, 1, "one cup"
    )
    return command, (e.RoundSeated(round_, 0, tables), paired)


def played(past: Given, at: int = NOON) -> Given:
    command, events = ordered()
    past = past.when(command).then(*events)
    past = past.when(c.StartRound(2)).then(e.RoundStarted(2, 0))
    return past.when(c.CloseRound(2, ""), at=at, by=SERVICE).then(
        e.RoundClosed(2, incomplete=False, reason="")
    )


def test_C4_5_a_play_off_is_a_round_after_the_last_and_ends_no_competition_again() -> None:
    past = played(ended())
    assert (past.state.phase, [one.phase for one in past.state.rounds]) == ("ended", ["closed", "closed"])
    again, events = ordered(3, seats(3, (1, 0, 0), (3, 0, 0)))
    past.when(again).then(*events)


def test_C4_5_it_follows_the_last_round_of_the_settings_where_the_event_ended_before() -> None:
    past = PAIRING.given(*CLOSED, Fact(e.CompetitionEnded("storm"), at=NOON))
    command, events = ordered(3, seats(3, (1, 0, 0), (3, 0, 0)))
    past = past.when(command).then(*events)
    assert [one.number for one in past.state.rounds] == [1, 3]
    past.when(c.StartRound(3)).then(e.RoundStarted(3, 0))


def test_C4_5_it_waits_for_the_competition_and_for_the_play_off_before() -> None:
    command, _ = ordered(3)
    PAIRING.given(*CLOSED).when(command).rejected("COMPETITION_RUNNING", "C4.5")
    first, events = ordered()
    past = ended().when(first).then(*events)
    past.when(command).rejected("ROUND_RUNNING", "C4.5")


def test_C8_5_teams_share_no_rank() -> None:
    command, _ = ordered()
    past = PAIRING.given(created(game="shengji", format="teams"))
    past.when(command).rejected("PLAYOFF_NOT_IN_FORMAT", "C8.5")


def test_C1_3_nobody_sits_against_house_ai_with_real_cards() -> None:
    command, _ = ordered()
    past = PAIRING.given(created(game="shengji", format="pairs", venue="onsite", cards="real"))
    past.when(command).rejected("PLAYOFF_NOT_IN_FORMAT", "C1.3")


def test_C9_4_it_states_its_reason() -> None:
    command = c.OrderPlayoff(2, 1, " ", ALONE, (), 1, b"", 2, b"")
    ended().when(command).rejected("REASON_MISSING", "C9.4")


def test_C1_6_who_has_withdrawn_is_not_seated() -> None:
    past = ended().when(c.WithdrawEntrant(3, "ill")).then(e.EntrantWithdrawn(3, "ill"))
    past.when(ordered()[0]).rejected("SEATING_OVERTAKEN", "C4.5")
    past.when(ordered(absent=(3,), tables=ALONE[:1])[0]).rejected("NOBODY_TO_PLAY_OFF", "C4.5")
    command, events = ordered(tables=seats(2, (1, 0, 0), (2, 0, 0)), absent=(3,))
    past.when(command).then(*events)


def test_C4_5_its_seats_are_not_drawn_up_anew() -> None:
    command, events = ordered()
    past = ended().when(command).then(*events)
    past.when(c.OverrideSeating(2, ALONE[:1], "nicer")).rejected("SEATING_WRONG", "C4.5")


def test_C10_8_the_window_of_a_play_off_is_waited_for() -> None:
    late = NOON + 2 * HOUR
    past = played(ended(), at=late)
    past.when(c.AnnounceSeal(), at=late + SEALABLE_US - 1).rejected("APPEAL_WINDOW_OPEN", "C10.8")
    past.when(c.AnnounceSeal(), at=late + SEALABLE_US).then(e.SealAnnounced(1))


def nothing(round_: int, board: int, number: int) -> tuple[int, ...]:
    """Closed unfinished: everybody has 60 % for it, and no time (C2.2)."""
    return ()


def by_table(round_: int, board: int, number: int) -> tuple[int, ...]:
    """The second table does best, then the third."""
    score = (0, 30, 15)[number - 1]
    return score, -score, 0


async def test_C4_5_a_tie_is_played_off_published_explained_contested_sealed_and_verified(
    platform: Platform,
) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=4, rounds=1)
    chief = platform.of(CHIEF).pairing
    await cup.pair()
    await cup.play(1, scores=nothing)
    over = await platform.events.wait("competition_ended")
    assert {row.rank for row in await standings(cup, "1")} == {1}
    await cup.boss.pairing.WithdrawEntrant(
        pb.WithdrawEntrantRequest(command_id="w", championship="cup", entrant=4, reason="ill")
    )

    order = pb.OrderPlayoffRequest(command_id="off", championship="cup", rank=1, reason="one cup")
    assert (await refused(cup.boss.pairing.OrderPlayoff(order))).reason == "NOT_IN_ROLE"
    other = pb.OrderPlayoffRequest(command_id="other", championship="cup", rank=2, reason="one cup")
    unshared = await refused(chief.OrderPlayoff(other))
    assert (unshared.reason, unshared.clause) == ("RANK_NOT_SHARED", "C4.5")
    answer = await chief.OrderPlayoff(order)
    assert (answer.round, list(answer.entrants)) == (2, [1, 2, 3])
    assert (await chief.OrderPlayoff(order)).receipt == answer.receipt
    deals = await platform.events.wait("deals_committed", purpose="playoff")
    paired = await platform.events.wait("round_paired", round=2)
    assert (paired.event.deals_batch, paired.event.deals_root) == (
        deals.event.batch,
        deals.event.merkle_root,
    )
    assert (paired.body.actor, paired.event.rank, list(paired.event.byes)) == (CHIEF, 1, [4])
    assert list((await cup.told()).rounds) == [1, 2]

    # C10.6: nobody is seated otherwise there by a committee either.
    swapped = scoring_events.TableSeats(table="r2-t1", entrants=[0, 1, 0])
    other_seat = scoring_events.Remedy(reseat_round=scoring_events.ReseatRound(round=2, tables=[swapped]))
    pairing = appeals_events.Contested(pairing=appeals_events.ContestedPairing(round=2))
    told = await refused(cup.file(1, pairing, [other_seat]))
    assert (told.reason, told.clause) == ("SEATING_WRONG", "C4.5")

    platform.clock.advance(4 * 3600)
    seal = pb.SealChampionshipRequest(command_id="s", championship="cup")
    assert (await refused(chief.SealChampionship(seal))).reason == "TABLES_NOT_SEALED"
    watched = platform.of(None).pairing.WatchRound(pb.WatchRoundRequest(championship="cup", round=2))
    await cup.play(2, scores=by_table)
    assert {message.phase async for message in watched} >= {"running", "closed"}
    published = await platform.events.wait("standings_published", after_round=2)
    assert published.event.cause == "playoff"
    rows = await standings(cup, "2")
    assert [(row.rank, row.shared, row.entrant, row.decided_by) for row in rows] == [
        (1, False, 2, "C4.5"),
        (2, False, 3, "C4.5"),
        (3, False, 1, "C4.5"),
        (4, False, 4, "C4.5"),
    ]
    assert {row.percent_tenths for row in rows} == {600}
    explained = await cup.boss.scoring.ExplainScore(
        scoring.ExplainScoreRequest(championship="cup", entrant=3, as_of="2")
    )
    assert [(one.round, one.board, one.mp, one.top) for one in explained.play_offs] == [
        (2, 1, 2, 4),
        (2, 2, 2, 4),
    ]
    rebuilt = await cup.boss.scoring.RebuildStandings(
        scoring.RebuildStandingsRequest(championship="cup", publication=2)
    )
    assert rebuilt.same

    # C10.1: what the play-off brought may be contested after what was played before it no longer may.
    board = appeals_events.ContestedBoard(table="r2-t1", round=2, board=1, attempt=1)
    late = await refused(cup.file(1))
    assert (late.reason, late.clause) == ("WINDOW_CLOSED", "C10.1")
    filed = await cup.file(1, appeals_events.Contested(board=board))
    closed = await platform.events.wait("round_closed", round=2)
    assert closed.header.time_us > over.header.time_us + HOUR
    platform.clock.stand(closed.header.time_us + SEALABLE_US)
    await platform.events.wait("appeal_lapsed", lambda one: one.stored.subject.endswith(filed.appeal))
    await chief.SealChampionship(seal)
    await platform.events.wait("secret_revealed")
    await platform.events.wait("standings_sealed")
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    checks = {check.name: check for check in verify_file(file, trusted_signers(platform.keys)).checks}
    for name in ("chain", "signatures", "commitments", "draw", "standings"):
        assert checks[name].findings == (), name
    assert (checks["draw"].done, checks["standings"].done) == (2, 2)


async def standings(cup: Cup, as_of: str) -> list[scoring.StandingRow]:
    request = scoring.GetStandingsRequest(championship=cup.id, as_of=as_of)
    return list((await cup.boss.scoring.GetStandings(request)).rows)
