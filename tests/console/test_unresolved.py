"""A ruling that could not be carried out is shown wherever somebody looks who can do something about it (C10.6)."""

from __future__ import annotations

import re

from fupan.appeals.v1 import events_pb2 as appeals_events
from fupan.appeals.v1 import service_pb2 as service
from fupan.pairing.v1 import events_pb2 as pairing_events
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring
from tests.appeals.courts import BOARD, WORSE
from tests.console.serving import Site
from tests.cup import CHIEF, Cup
from tests.platform import OPERATOR, Platform, refused


async def test_a_ruling_not_carried_out_is_shown_with_what_is_left_to_do(
    platform: Platform, console: Site
) -> None:
    """Seats that are ruled once the round has begun."""
    cup = await Cup.create(platform, entrants=6, rounds=1, automatic_rounds="false")
    await cup.pair()
    one, other = await cup.at("r1-t1"), await cup.at("r1-t2")
    tables = [
        scoring.TableSeats(table="r1-t1", entrants=[other[0], *one[1:]]),
        scoring.TableSeats(table="r1-t2", entrants=[one[0], *other[1:]]),
    ]
    contested = appeals_events.Contested(pairing=appeals_events.ContestedPairing(round=1))
    reseat = scoring.Remedy(reseat_round=scoring.ReseatRound(round=1, tables=tables))
    second = await cup.file(2, contested, [reseat])
    start = pairing.StartRoundRequest(command_id="start", championship="cup", round=1)
    await platform.of(CHIEF).pairing.StartRound(start)
    await cup.play(1)
    first = await cup.file(1, BOARD, [WORSE])
    appeals, corrections = "/events/cup/appeals", "/events/cup/corrections"
    await console.browse.post("/sign-in", data={"token": platform.token(CHIEF)})
    await cup.panel(first.appeal)
    await platform.events.wait("standings_published", number=2)
    for page in (appeals, corrections, f"{appeals}/{first.appeal}"):
        assert "Not carried out" not in await console.page(page)
    await cup.panel(second.appeal)
    refusal = await platform.events.wait("reseating_refused")
    await cup.case(second.appeal, refusal.position)
    for page in (appeals, corrections, f"{appeals}/{second.appeal}"):
        told = await console.page(page)
        assert "Not carried out" in told, page
        assert "ROUND_STARTED" in told
        assert "the round keeps its seats" in told
        assert f"{appeals}/{second.appeal}" in told
        assert 'href="/events/cup/corrections"' in told
        chinese = await console.page(f"{page}?lang=zh")
        assert "未能执行" in chinese
        assert "该轮座位不变" in chinese
        assert "keeps its seats" not in chinese
        await console.page(f"{page}?lang=en")
    assert "Not carried out" not in await console.page(f"{appeals}/{first.appeal}")
    # The chief referee has seen to it, and says how.
    address, ask = f"{appeals}/{second.appeal}", service.SettleRulingRequest
    by_hand = ask(
        command_id="s", championship="cup", appeal=second.appeal, text="left as they are", refused_us=7
    )
    for person in (OPERATOR, "p-1", "arbiter-1"):
        assert (await refused(platform.of(person).appeals.SettleRuling(by_hand))).reason == "NOT_IN_ROLE"
    carried_out = ask(command_id="o", championship="cup", appeal=first.appeal, text="nothing was refused")
    for asked in (
        carried_out,
        by_hand,
        ask(command_id="s", championship="cup", appeal=second.appeal, text="all"),
    ):
        why = await refused(platform.of(CHIEF).appeals.SettleRuling(asked))
        assert (why.reason, why.clause) == ("NOTHING_TO_SETTLE", "C10.6"), "only what is named"
    form = {"command_id": "settle", "text": "60 % to both entrants"}
    assert (await console.browse.post(f"{address}/settle", data=form)).status_code == 400
    form["refused_us"] = str(refusal.header.time_us)
    assert f'name="refused_us" value="{form["refused_us"]}"' in await console.page(address)
    sent = await console.browse.post(f"{address}/settle", data=form)
    assert sent.status_code == 303
    settled = await platform.events.wait("ruling_settled")
    assert settled.event.text == "60 % to both entrants"
    for page in (appeals, corrections):
        assert "Not carried out" not in await console.page(page)
    told = await console.page(address)
    assert "60 % to both entrants" in told
    assert "the round keeps its seats" not in told
    assert f'action="{address}/settle"' not in told
    (unresolved,) = (await cup.case(second.appeal, settled.position)).not_carried_out
    assert (unresolved.reason, unresolved.settled, unresolved.settled_by) == (
        "ROUND_STARTED",
        form["text"],
        CHIEF,
    )
    assert unresolved.settled_us == settled.header.time_us
    (dealt_with,) = re.findall(
        '<p class="faint">未能执行.*?</p>', await console.page(f"{address}?lang=zh"), re.S
    )
    assert dealt_with.count(unresolved.clause) == 1, dealt_with
    await console.page(f"{address}?lang=en")
    # What is refused after somebody has looked is not dealt with by what that one says.
    more = pairing_events.ReseatingRefused(appeal=second.appeal, reason="SEATING_TOO_LARGE", clause="C9.2")
    await cup.tables.pairing(pairing_events.Event(reseating_refused=more))
    later = await platform.events.wait("reseating_refused", reason=more.reason)
    await cup.case(second.appeal, later.position)
    again = ask(
        command_id="again",
        championship="cup",
        appeal=second.appeal,
        text="so",
        refused_us=refusal.header.time_us,
    )
    assert (await refused(platform.of(CHIEF).appeals.SettleRuling(again))).reason == "NOTHING_TO_SETTLE"
    assert (await console.browse.post(f"{address}/settle", data=form)).status_code == 303, "sent again"
    first_part, waits = (await cup.case(second.appeal)).not_carried_out
    assert (first_part.settled, waits.settled) == (form["text"], "")
    assert f'name="refused_us" value="{waits.refused_us}"' in await console.page(address)
    again.refused_us = waits.refused_us
    await platform.of(CHIEF).appeals.SettleRuling(again)
    assert [one.settled for one in (await cup.case(second.appeal)).not_carried_out] == [form["text"], "so"]
