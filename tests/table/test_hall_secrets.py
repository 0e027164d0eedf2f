"""P13, S10: tables that differ in nothing but what others answer in secret.

A seat that is asked too tries whatever it likes, again and again: it is refused in the same words, and it and everybody else who is
not to notice are sent the same bytes at the same times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from fupan.table.v1 import service_pb2 as pb
from services.games.paohuzi import actions as p
from services.games.shengji import actions as s
from services.ledger.games import GAMES
from services.table.model.events import TableOpened
from services.table.seating import Place
from tests.table.four import boards, match
from tests.table.given import facts
from tests.table.halls import Player, Room

STEPS = 6
STEP_SECONDS = 0.3
"""All of them together take longer than the claim floor, and less than any clock."""

TRIES: dict[str, Sequence[Any]] = {
    "paohuzi": (
        p.WIN,
        p.PENG,
        *(p.Play(kind) for kind in range(1, 21)),
        *(p.Eat((kind, kind + 1)) for kind in range(1, 20)),
        *(p.Eat((kind, kind + 10)) for kind in range(1, 11)),
    ),
    "shengji": (
        s.REVOLT,
        *(kind((card, card)) for kind in (s.Bid, s.Play) for card in range(54)),
        *(s.Bury(tuple(range(card, card + 8))) for card in range(0, 40, 8)),
    ),
}


class Moment(NamedTuple):
    """A table, the question that several seats are asked at once, and who else answers what at which step."""

    opened: TableOpened
    question: str
    answers: tuple[int, ...]
    first: bool
    """Whether they take the first choice there is, else they pass."""


async def seen(moment: Moment) -> tuple[list[Any], int]:
    """What everybody but those who answer were sent, with the step and the refusals of who tries; and how many could answer."""
    room = await Room().start()
    subject = await room.open(moment.opened)
    players = [Player(room, person) for person in room.table(subject).people]
    await room.until(lambda: all(player.updates for player in players))
    while len(asked := [one for one in players if one.view.question == moment.question]) < 2:
        if waiting := [one for one in players if one.view.ask]:
            await waiting[0].answer()
        await room.wind(1)
    *answering, trying = asked
    told: list[Any] = []
    counts = {player.line.seat: len(player.got) for player in players}
    for step in range(STEPS):
        for player, at in zip(answering, moment.answers, strict=False):
            if step == at:
                said = await player.answer(_options(player)[0 if moment.first else -1])
                assert said.HasField("accepted")
        for action in _illegal(trying):
            refused = (await trying.answer(action, command_id=f"{step} {action}")).refused
            told.append((step, refused.reason, refused.clause, refused.message, refused.message_zh))
            assert refused.reason, action
        place = Place(subject, trying.line.seat)
        told.append((step, await room.hall.view(place)))
        await room.wind(STEP_SECONDS)
        for player in players:
            if player not in answering:
                seat, got = player.line.seat, player.got
                told += [(step, seat, _bytes(one)) for one in got[counts[seat] :]]
                counts[seat] = len(got)
    assert trying.view.question == moment.question, "it is not asked any more: others were bound to notice"
    await room.stop()
    return told, len(answering)


def _options(player: Player) -> Sequence[Any]:
    """What a seat may do; whoever may pass does so last."""
    game = GAMES[player.view.view.WhichOneof("game") or ""]
    options: Sequence[Any] = game.views.from_proto(getattr(player.view.view, game.field)).options
    return options


def _illegal(player: Player) -> list[Any]:
    """What it may not do, as far as it sees."""
    options = _options(player)
    return [action for action in TRIES[player.view.view.WhichOneof("game") or ""] if action not in options]


def _bytes(message: pb.PlayResponse) -> bytes:
    kept = pb.PlayResponse.FromString(message.SerializeToString())
    kept.update.ClearField("accepted")
    return kept.SerializeToString(deterministic=True)


MOMENTS: dict[str, tuple[TableOpened, str]] = {
    "a claim": (facts(claim_floor_ms=800), "claim"),
    "a bid": (boards(claim_floor_ms=800), "bid"),
    "a revolution": (match(claim_floor_ms=800), "claim"),
}


@pytest.mark.parametrize("name", MOMENTS)
async def test_who_is_asked_too_learns_nothing_of_what_others_answer(name: str) -> None:
    still, others = await seen(Moment(*MOMENTS[name], (), first=False))
    # The first choice of a claim may settle it.
    for first in (False, True)[: 2 if name == "a bid" else 1]:
        for times in ((0,), (3,), (2, 1), (1, 4))[: 2 if others == 1 else 4]:
            told, _ = await seen(Moment(*MOMENTS[name], times, first))
            assert told == still, times
