"""`fupan play` at a Shengji table: cards are typed, a wrong card is answered here, a broken rule by the table."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fupan.table.v1 import service_pb2 as pb
from services.domain import fold
from services.games.shengji import actions, cards
from services.games.shengji.actions import Action, Bid, Play
from services.games.shengji.ruleset import DUPLICATE_2017 as RULES
from services.games.shengji.ruleset import XIAMEN_2015
from services.games.shengji.state import State
from services.games.shengji.view import Laid, SeatView
from services.ledger import dealing
from services.ledger.games import GAMES
from tests.clients.streams import Stream
from tests.clients.test_play import playing

CODEC = GAMES["shengji"]


def dealt() -> State:
    state = RULES.start(RULES.resolve({}), 1, dealing.shuffle(bytes(32), RULES.deck))
    return fold(RULES.evolve, state, RULES.opening(state))


def on(state: State, question: str) -> State:
    """House AI plays on until somebody is asked this."""
    while True:
        seat = RULES.asked(state)[0]
        view = RULES.view(state, seat)
        if view.question == question:
            return state
        state = fold(RULES.evolve, state, RULES.decide(state, seat, RULES.choose(view)))


def _bid(view: SeatView) -> cards.Cards:
    """The cards of the first bid that is open to the viewer."""
    return next(offer.cards for offer in view.offers if isinstance(offer, Bid))


async def ask(stream: Stream, state: State, ask: int) -> None:
    seat = RULES.asked(state)[0]
    view = CODEC.views.to_proto(RULES.view(state, seat))
    await stream.tell(
        update=pb.Update(cursor=ask, board=1, view=pb.SeatView(shengji=view), ask=ask, question="play")
    )


async def seated(stream: Stream, seat: int) -> None:
    await stream.tell(seated=pb.Seated(table="r1-t1", round=1, seat=seat, ruleset=RULES.id, boards=1))


async def test_a_person_leads_by_typing_cards_and_is_told_what_does_not_go() -> None:
    state = on(dealt(), "lead")
    seat = RULES.asked(state)[0]
    held = RULES.view(state, seat).hand
    absent = next(card for card in cards.KINDS if card not in held)
    answers: list[Action] = []

    async def script(stream: Stream) -> None:
        await seated(stream, seat)
        await ask(stream, state, 1)
        answer = await stream.answer()
        refused = pb.Refused(
            command_id=answer.command_id,
            reason="NOT_ONE_SUIT",
            clause="S6.2",
            message="a lead is of one suit",
        )
        await stream.tell(refused=refused)
        again = await stream.answer()
        answers.extend(CODEC.actions.from_proto(one.shengji) for one in (answer, again))
        assert again.command_id == answer.command_id
        await stream.end()

    async with playing(script) as terminal:
        await terminal.until("type the cards to lead")
        terminal.type("hello")
        await terminal.until("cards like SA, H10")
        terminal.type(cards.show(absent))
        await terminal.until("not in your hand")
        terminal.type(f"{cards.show(held[0])} {cards.show(held[-1])}")
        await terminal.until("a lead is of one suit [NOT_ONE_SUIT S6.2]")
        terminal.type(cards.show(held[0]).lower() if held[0] < cards.SMALL_JOKER else cards.show(held[0]))
        assert await terminal.end() == 0
    assert answers == [actions.canonical(Play((held[0], held[-1]))), Play((held[0],))]
    assert re.search(r"trumps [♠♥♣♦]", terminal.seen)


async def test_a_bid_is_chosen_by_number() -> None:
    state = on(dealt(), "bid")
    seat = RULES.asked(state)[0]
    offers = RULES.view(state, seat).offers

    async def script(stream: Stream) -> None:
        await seated(stream, seat)
        await ask(stream, state, 1)
        assert CODEC.actions.from_proto((await stream.answer()).shengji) == offers[-1]
        await stream.end()

    async with playing(script) as terminal:
        await terminal.until(f"{len(offers)}) ")
        terminal.type(str(len(offers)))
        assert await terminal.end() == 0


async def test_bids_while_cards_are_drawn_are_answers_to_no_question() -> None:
    """S4.1: several may be made of one deal, so each has a command id of its own."""
    state = XIAMEN_2015.start(XIAMEN_2015.resolve({}), 1, dealing.shuffle(bytes(32), cards.DECK))
    seat = next(seat for seat in range(4) if any(state.hands[seat][cards.kind(suit, "2")] for suit in "SHCD"))
    number = next(
        number
        for number in range(1, 100)
        if XIAMEN_2015.view(fold(XIAMEN_2015.evolve, state, XIAMEN_2015.draw(state, number)), seat).offers
    )
    state = fold(XIAMEN_2015.evolve, state, XIAMEN_2015.draw(state, number))
    view = XIAMEN_2015.view(state, seat)

    async def script(stream: Stream) -> None:
        await stream.tell(
            seated=pb.Seated(table="r1-t1", round=1, seat=seat, ruleset=XIAMEN_2015.id, boards=1)
        )
        shown = pb.SeatView(shengji=CODEC.views.to_proto(view))
        await stream.tell(update=pb.Update(cursor=1, board=1, view=shown))
        one, other = await stream.answer(), await stream.answer()
        assert (one.ask, other.ask) == (0, 0)
        assert one.command_id != other.command_id
        assert CODEC.actions.from_proto(one.shengji) == view.offers[0]
        await stream.end()

    async with playing(script) as terminal:
        await terminal.until(" 1) bid ")
        terminal.type("1")
        terminal.type("1")
        assert await terminal.end() == 0


@pytest.mark.parametrize("stood", [True, False])
async def test_S4_2_whoever_is_overcalled_is_told_by_whom(stood: bool) -> None:
    """Whether its bid stood for a while, or another's of the same card came first (S4.4)."""
    state = XIAMEN_2015.start(XIAMEN_2015.resolve({}), 1, dealing.shuffle(bytes(32), cards.DECK))
    seat, number = next(
        (seat, number)
        for number in range(1, 100)
        for seat in range(4)
        if XIAMEN_2015.view(fold(XIAMEN_2015.evolve, state, XIAMEN_2015.draw(state, number)), seat).offers
    )
    view = XIAMEN_2015.view(fold(XIAMEN_2015.evolve, state, XIAMEN_2015.draw(state, number)), seat)
    own, other = Laid(seat, _bid(view)), Laid((seat + 1) % 4, (cards.parse("D2"),) * 2)

    async def script(stream: Stream) -> None:
        async def see(cursor: int, standing: Laid | None) -> None:
            seen = pb.SeatView(shengji=CODEC.views.to_proto(replace(view, standing=standing)))
            await stream.tell(update=pb.Update(cursor=cursor, board=1, view=seen))

        await stream.tell(
            seated=pb.Seated(table="r1-t1", round=1, seat=seat, ruleset=XIAMEN_2015.id, boards=1)
        )
        await see(1, None)
        await stream.answer()
        if stood:
            await see(2, own)
        await see(3, other)
        await stream.end()

    async with playing(script) as terminal:
        await terminal.until(" 1) bid ")
        terminal.type("1")
        await terminal.until(f"seat {other.seat} bids over yours: ♦2 ♦2")
        assert await terminal.end() == 0
