"""A championship from its file to its seal, over gRPC on real servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from grpc import StatusCode

from clients.cli.main import run
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import events_pb2 as events
from fupan.pairing.v1 import service_pb2 as pb
from fupan.pairing.v1.service_pb2_grpc import PairingServiceStub
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import events_pb2 as table_pb
from services.ledger import dealing, keys, seals
from services.ledger import record as ledger
from services.pairing.model.events import VENUE_ITEMS
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.platform import OPERATOR, Caller, Platform, Seen, refused


def because_of(seen: Seen) -> ledger.Cause:
    return ledger.Cause(seen.header.subject, seen.header.version)


async def test_a_championship_from_its_file_to_its_seal(platform: Platform, tmp_path: Path) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=10)
    assert (await cup.told()).phase == "registration"
    # Deals stand in the log before anybody is seated.
    committed = await platform.events.wait("deals_committed")
    assert len(committed.event.boards) == 4
    assert list(committed.event.draws) == ["round-1"]

    paired = await cup.pair()
    assert (paired.round, paired.tables) == (1, 4)  # C1.5: 10 entrants at tables of three
    drawn = await platform.events.wait("round_paired")
    assert (drawn.event.basis, drawn.event.deals_root) == ("draw", committed.event.merkle_root)
    certificate = (
        await cup.boss.pairing.GetSeatingCertificate(pb.GetSeatingCertificateRequest(championship="cup"))
    ).certificate
    (tmp_path / "certificate.json").write_bytes(certificate)
    root = committed.event.merkle_root.hex()
    assert run(["pairing", "check", str(tmp_path / "certificate.json"), "--root", root, "--json"]) == 0

    await cup.play(1)
    closed = await platform.events.wait("round_closed", round=1)
    assert (closed.body.actor, closed.event.incomplete) == ("service:pairing", False)
    standings = await cup.boss.scoring.GetStandings(
        scoring.GetStandingsRequest(championship="cup", as_of="1")
    )
    order = [row.entrant for row in standings.rows]
    # C6.2, C6.3: by rank, the snake in the second table.
    await platform.events.wait("round_started", round=2)
    second = await cup.boss.pairing.GetRound(pb.GetRoundRequest(championship="cup", round=2))
    seated = [list(one.table.entrants) for one in second.tables]
    assert seated == [order[:3], order[3:6][::-1], order[6:9], [0, 0, order[9]]]
    assert (second.pairing.basis, second.pairing.publication) == ("standings", 1)
    assert second.pairing.standings_digest == standings.digest
    paired_again = await platform.events.wait("round_paired", round=2)
    published = await platform.events.wait("standings_published", number=1)
    assert paired_again.body.cause == because_of(published)
    assert published.body.cause == because_of(closed)
    assert closed.body.cause is not None
    assert closed.body.cause.subject in cup.tables.heads

    await cup.play(2)
    ended = await platform.events.wait("competition_ended")
    assert (await cup.told()).phase == "ended"
    await platform.events.wait("board_revealed", count=4)

    chief = platform.of(CHIEF).pairing
    seal = pb.SealChampionshipRequest(command_id="seal", championship="cup")
    platform.clock.stand(ended.header.time_us + SEALABLE_US - 1)
    early = await refused(chief.SealChampionship(seal))
    assert (early.reason, early.clause) == ("APPEAL_WINDOW_OPEN", "C10.8")
    assert early.facts["deadline"] in early.message
    assert early.facts["deadline"] in early.message_zh
    platform.clock.stand(ended.header.time_us + SEALABLE_US)
    sealed = await chief.SealChampionship(seal)
    subject = platform.epoch.subject("pairing", "cup")
    message = seals.championship_seal(subject, sealed.seal.root)
    assert keys.signed(sealed.seal.public_key, sealed.seal.signature, message)
    assert sealed.seal.key in (await platform.events.wait("championship_created")).event.trusted_keys
    # The dealer tells its secret, and scoring's last publication is final.
    secret = await platform.events.wait("secret_revealed")
    assert (
        dealing.commitment(secret.event.secret)
        == (await platform.events.wait("secret_created")).event.commitment
    )
    final = await platform.events.wait("standings_sealed")
    assert final.event.publication == sealed.seal.publication == 2
    seal_event = await platform.events.wait("championship_sealed")
    assert final.body.cause == secret.body.cause == because_of(seal_event)
    now = await cup.boss.scoring.GetStandings(
        scoring.GetStandingsRequest(championship="cup", min_position=final.position)
    )
    assert (now.provisional, now.publication, now.digest) == (False, 2, final.event.digest)
    # Sealed once: the same command gets the same answer, another one is refused.
    assert (await chief.SealChampionship(seal)).receipt == sealed.receipt
    again = pb.SealChampionshipRequest(command_id="again", championship="cup")
    assert (await refused(chief.SealChampionship(again))).reason == "CHAMPIONSHIP_SEALED"


async def test_every_act_says_who_did_it_and_by_what_right(platform: Platform) -> None:
    """C9.4."""
    await platform.start()
    cup = await Cup.create(platform, entrants=3, automatic_rounds="false")
    await cup.pair(platform.of(CHIEF))
    created = await platform.events.wait("championship_created")
    chief = await platform.events.wait("official_appointed", role="chief_referee")
    assert (created.body.actor, created.body.authority) == (OPERATOR, "")
    subject = created.header.subject
    assert (chief.body.actor, chief.body.authority) == (OPERATOR, f"{subject}@1")
    for kind in ("registration_closed", "round_seated", "round_paired"):
        act = await platform.events.wait(kind)
        assert (act.body.actor, act.body.authority) == (CHIEF, f"{subject}@{chief.header.version}"), kind


async def test_a_repeated_command_gets_its_first_answer(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform)
    first = await cup.pair(command_id="pair")
    assert (await cup.pair(command_id="pair")).receipt == first.receipt
    await cup.play(1)
    await platform.events.wait("round_paired", round=2)
    assert (await cup.pair(command_id="pair")) == first
    told = await refused(cup.pair(command_id="pair", round_=2))
    assert told.reason == "COMMAND_ID_REUSED"
    told = await refused(cup.pair(platform.of(CHIEF), command_id="pair"))
    assert told.reason == "COMMAND_ID_REUSED"


async def test_a_round_that_nobody_starts_by_itself(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, automatic_rounds="false")
    await cup.pair()
    # Whoever pairs twice learns what comes first.
    for number, told in ((0, "ROUND_RUNNING"), (1, "ROUND_PAIRED"), (2, "ROUND_RUNNING")):
        again = pb.PairRoundRequest(command_id=f"again-{number}", championship="cup", round=number)
        status = await refused(cup.boss.pairing.PairRound(again))
        assert status.reason == told
        assert "start it" in status.message
    start = pb.StartRoundRequest(command_id="s", championship="cup", round=1)
    swapped = [
        events.SeatedTable(table=one.table.table, group=1, entrants=list(one.table.entrants)[::-1])
        for one in (await cup.boss.pairing.GetRound(pb.GetRoundRequest(championship="cup"))).tables
    ]
    override = pb.OverrideSeatingRequest(
        command_id="o", championship="cup", round=1, tables=swapped[:1], reason="friends"
    )
    assert (await refused(cup.boss.pairing.OverrideSeating(override))).reason == "NOT_IN_ROLE"  # C9.2
    with monkeypatch.context() as small:
        small.setattr(ledger, "MAX_RECORD", 99)
        large = await refused(platform.of(CHIEF).pairing.OverrideSeating(override))
    assert (large.code, large.reason) == (StatusCode.FAILED_PRECONDITION, "SEATING_TOO_LARGE")
    assert ("several orders" in large.message, "分几次下令" in large.message_zh) == (True, True)
    await platform.of(CHIEF).pairing.OverrideSeating(override)
    await cup.boss.pairing.StartRound(start)
    await cup.tables.play(1)
    await platform.events.wait("standings_published")
    now = await cup.boss.pairing.GetRound(pb.GetRoundRequest(championship="cup"))
    assert (now.round, now.phase) == (1, "closed")
    assert now.tables[0].table == swapped[0]
    # The certificate is the draw's, whatever was changed since.
    certificate = await cup.boss.pairing.GetSeatingCertificate(
        pb.GetSeatingCertificateRequest(championship="cup")
    )
    assert json.loads(certificate.certificate)["tables"][0][2] == list(swapped[0].entrants)[::-1]
    assert (await cup.pair()).round == 2


async def test_a_machine_event_seats_everybody_alike(platform: Platform) -> None:
    """C1.3: the same seat, house AI in the others."""
    await platform.start()
    cup = await Cup.create(platform, entrants=4, format="machine", machine_seat=1)
    await cup.pair()
    now = await cup.boss.pairing.GetRound(pb.GetRoundRequest(championship="cup"))
    seats = [list(one.table.entrants) for one in now.tables]
    assert sorted(entrants[1] for entrants in seats) == [1, 2, 3, 4]
    assert {(one[0], one[2]) for one in seats} == {(0, 0)}


async def test_officials_see_who_holds_a_round_up_and_others_what_is_closed_everywhere(
    platform: Platform,
) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=1)
    request = pb.WatchRoundRequest(championship="cup")
    watch = aiter(platform.of(CHIEF).pairing.WatchRound(request, timeout=60))
    public = aiter(platform.of("p-1").pairing.WatchRound(request, timeout=60))
    assert (await anext(watch)).phase == "unpaired"
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play(1, only=[1, 3])
    async for seen in watch:
        if seen.tables_done == 2:
            break
    assert (seen.tables, seen.boards, seen.boards_closed) == (3, 6, 4)
    assert [one.table.table for one in seen.slowest] == ["r1-t2"]
    await cup.tables.play(1, only=[2])
    rest = [seen async for seen in watch]
    assert (rest[-1].championship_phase, rest[-1].boards_closed) == ("ended", 6)
    others = [seen async for seen in public]
    assert {seen.boards_closed for seen in others} <= {0, 3, 6}
    assert {len(seen.slowest) for seen in others} == {0}
    assert others[-1].championship_phase == "ended"


async def test_an_official_is_told_how_far_tables_are_as_long_as_the_token_is_good(
    platform: Platform,
) -> None:
    """C9.3."""
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    stub = PairingServiceStub(platform._channel(platform.ports["pairing"]))
    watch = Caller(stub, platform.token(CHIEF, ttl=3600)).WatchRound(
        pb.WatchRoundRequest(championship="cup"), timeout=60
    )
    assert (await watch.read()).tables == 3
    platform.clock.advance(3601)
    await cup.tables.play(1, only=[1])
    assert (await refused(watch.read())).reason == "TOKEN_EXPIRED"


async def test_an_official_who_has_played_in_anothers_place_sees_what_players_see(platform: Platform) -> None:
    """C1.6, C9.3."""
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    tables = cup.tables
    await tables.open("r1-t1", 1, 1, (1, 2, 3), 2)
    replaced = table_pb.SeatReplaced(seat=1, person_id="eva", reason="ill")
    await tables.write(tables.subject("r1-t1"), [table_pb.Event(seat_replaced=replaced)])
    opened = await tables.open_board("r1-t1", 1)
    await tables.close_board("r1-t1", 1, 1, await tables.leaf("r1-t1", 1, 1, opened.sequence), (2, -1, -1))
    request = pb.WatchRoundRequest(championship="cup")
    for person, closed in (("eva", 0), ("fan", 1)):
        office = pb.AppointOfficialRequest(
            command_id=person, championship="cup", person_id=person, role="referee"
        )
        await cup.boss.pairing.AppointOfficial(office)
        async for seen in platform.of(CHIEF).pairing.WatchRound(request, timeout=60):
            if seen.boards_closed == 1:
                break
        told = await anext(aiter(platform.of(person).pairing.WatchRound(request, timeout=60)))
        assert (told.boards_closed, bool(told.slowest)) == (closed, bool(closed))


async def test_an_operator_ends_a_competition_that_nobody_plays_on(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=3, automatic_rounds="false")
    await cup.pair()
    end = pb.EndCompetitionRequest(command_id="end", championship="cup", reason="nobody is left")
    assert (await refused(cup.boss.pairing.EndCompetition(end))).reason == "ROUND_RUNNING"
    await cup.boss.pairing.StartRound(pb.StartRoundRequest(command_id="s", championship="cup", round=1))
    await cup.play(1)
    await cup.withdraw(*range(1, 7))
    told = await refused(cup.pair())
    assert (told.reason, told.clause) == ("EMPTY_FIELD", "C1.6")
    first = await cup.boss.pairing.EndCompetition(end)
    assert (await cup.boss.pairing.EndCompetition(end)).receipt == first.receipt
    ended = await platform.events.wait("competition_ended")
    assert (ended.event.reason, ended.body.actor) == ("nobody is left", OPERATOR)


async def test_a_round_closed_early_is_incomplete_and_says_why(platform: Platform) -> None:
    """C9.4; its open boards are closed without a result (C2.2) before the next round is seated."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6)
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play(1, only=[1])
    close = pb.CloseRoundRequest(command_id="c", championship="cup", round=1)
    assert (await refused(cup.boss.pairing.CloseRound(close))).clause == "C9.4"
    close.reason = "power cut"
    await cup.boss.pairing.CloseRound(close)
    closed = await platform.events.wait("round_closed")
    assert (closed.event.incomplete, closed.event.reason, closed.body.actor) == (True, "power cut", OPERATOR)
    assert await platform.events.of("standings_published") == []
    await cup.tables.play(1, lambda *_: (), only=[2])
    await platform.events.wait("round_started", round=2)
    standings = await cup.boss.scoring.GetStandings(scoring.GetStandingsRequest(championship="cup"))
    hurt = (await cup.boss.pairing.GetRound(pb.GetRoundRequest(championship="cup", round=1))).tables[1]
    percents = {row.entrant: row.percent_tenths for row in standings.rows}
    assert [percents[number] for number in hurt.table.entrants] == [600, 600, 600]  # C2.2


async def test_officials_and_regulations(platform: Platform) -> None:
    """C9.1, C9.2, C9.5, C11.2."""
    await platform.start()
    cup = await Cup.create(
        platform, officials=[(CHIEF, "chief_referee"), ("li", "referee"), ("wang", "deputy")], venue="onsite"
    )
    chief, boss = platform.of(CHIEF).pairing, cup.boss.pairing

    def end(person: str, role: str) -> pb.SuspendOfficialRequest:
        return pb.SuspendOfficialRequest(
            command_id=cup.command(), championship="cup", person_id=person, role=role, reason="biased"
        )

    assert (await refused(chief.SuspendOfficial(end("wang", "deputy")))).reason == "NOT_IN_ROLE"
    assert (
        await refused(platform.of("li").pairing.SuspendOfficial(end("li", "referee")))
    ).reason == "NOT_IN_ROLE"
    await chief.SuspendOfficial(end("li", "referee"))
    await boss.SuspendOfficial(end("wang", "deputy"))
    assert [one.person_id for one in (await cup.told()).officials] == [OPERATOR, CHIEF]
    appoint = pb.AppointOfficialRequest(
        command_id="zhao", championship="cup", person_id="zhao", role="deputy", reason="li is ill"
    )
    await boss.AppointOfficial(appoint)
    told = await cup.told()
    assert [one.reason for one in told.officials] == ["", "", "li is ill"]  # C9.4
    assert told.settings.interpreter == "national_federation"  # C10.0
    asked = pb.GetRegulationsRequest(championship="cup")
    assert (await refused(boss.GetRegulations(asked))).reason == "NOT_FOUND"
    texts = ["No phones.", "No phones,\nno watches."]
    for version, text in enumerate(texts, 1):
        published = await boss.PublishRegulations(
            pb.PublishRegulationsRequest(command_id=f"r{version}", championship="cup", text=text)
        )
        assert published.version == version
    # Published is what anybody reads, without a token too, earlier versions as well.
    anybody = platform.of(None).pairing
    heads = (await cup.told()).regulations
    assert [one.published.version for one in heads] == [1, 2]
    for head, text in zip(heads, texts, strict=True):
        asked = pb.GetRegulationsRequest(championship="cup", version=head.published.version)
        told = (await anybody.GetRegulations(asked)).regulations
        assert (told.published.text, head.published.text) == (text, "")
        assert told.organiser == head.organiser == OPERATOR
        assert told.time_us == head.time_us > 0
        assert told.published.digest == head.published.digest == sha256(text.encode()).digest()
    newest = await anybody.GetRegulations(pb.GetRegulationsRequest(championship="cup"))
    assert newest.regulations.published.version == 2
    asked = pb.GetRegulationsRequest(championship="cup", version=3)
    assert (await refused(anybody.GetRegulations(asked))).reason == "NOT_FOUND"
    await cup.pair()
    start = pb.StartRoundRequest(command_id="s", championship="cup", round=1)
    assert (await refused(boss.StartRound(start))).clause == "C11.2"
    confirm = pb.ConfirmVenueRequest(command_id="v", championship="cup", items=VENUE_ITEMS)
    assert (await refused(boss.ConfirmVenue(confirm))).reason == "NOT_IN_ROLE"
    await chief.ConfirmVenue(confirm)
    await platform.events.wait("round_started")
    late = pb.PublishRegulationsRequest(command_id="r3", championship="cup", text="Too late.")
    assert (await refused(boss.PublishRegulations(late))).clause == "C9.5"


async def test_a_query_waits_for_the_position_it_is_given(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=0)
    imported = await cup.enter(range(1, 8))
    for _ in range(3):
        listed = await cup.boss.pairing.ListEntrants(
            pb.ListEntrantsRequest(championship="cup", min_position=imported.receipt.position)
        )
        assert len(listed.entrants) == 7
    for position, reason in (("nonsense", "MALFORMED_POSITION"), ("é", "MALFORMED_POSITION")):
        request = pb.GetChampionshipRequest(championship="cup", min_position=position)
        assert (await refused(cup.boss.pairing.GetChampionship(request))).reason == reason


def of(cup: Cup) -> Callable[[Seen], bool]:
    return lambda seen: seen.championship == cup.id


async def test_two_championships_do_not_disturb_each_other(platform: Platform) -> None:
    await platform.start()
    one, other = await asyncio.gather(
        Cup.create(platform, name="one", entrants=3, rounds=1),
        Cup.create(platform, name="other", entrants=6, rounds=1),
    )
    await asyncio.gather(one.pair(), other.pair())
    listed = await one.boss.pairing.ListChampionships(pb.ListChampionshipsRequest())
    assert [(c.settings.championship, c.entrants) for c in listed.championships] == [("one", 3), ("other", 6)]
    for cup in (one, other):
        await platform.events.wait("round_started", of(cup))
        await cup.tables.play(1)
    await platform.events.wait("standings_published", count=2)
    deals = {}
    for cup in (one, other):
        told_ = await cup.boss.dealer.GetCommitments(dealer.GetCommitmentsRequest(championship=cup.id))
        deals[cup.id] = told_.secret_commitment
    assert deals["one"] != deals["other"]
