"""Events and commands survive their stored form; a view is sent as the game's own."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, get_args

import pytest

from fupan.table.v1 import service_pb2
from services.games.paohuzi.actions import Eat, Play
from services.ledger.codec import UnknownEvent
from services.ledger.games import GAMES
from services.table import codec, views
from services.table.model import commands, events
from services.table.views import Frame
from tests.table.given import FACTS, RULES, Script, facts


def example(cls: type) -> object:
    """An object of `cls` in which no field has its default."""
    kinds = inspect.get_annotations(cls).values()
    return cls(
        *[_value(getattr(kind, "__forward_arg__", kind), number) for number, kind in enumerate(kinds, 1)]
    )


def _value(kind: Any, number: int) -> object:
    simple = {"int": number, "str": f"text {number}", "bool": True, "bytes": bytes([number]), "Any": Play(5)}
    kind = kind.removesuffix(" | None")
    if kind in simple:
        return simple[kind]
    if kind == "TableOpened":
        return FACTS
    if not kind.startswith("tuple"):
        return example(getattr(events, kind))
    item = kind.removeprefix("tuple[").removesuffix(", ...]")
    if item in simple:
        return (simple[item], simple[item])
    return (example(getattr(events, item)),)


def own_events() -> list[type]:
    parts = {"Seat", "BoardSlot", "Question", "MatchTerms", "MatchDeal", "MatchStanding"}
    found = [
        cls for _, cls in inspect.getmembers(events, inspect.isclass) if cls.__module__ == events.__name__
    ]
    return [cls for cls in found if cls.__name__ not in parts]


@pytest.mark.parametrize("cls", own_events())
def test_every_event_comes_back_from_its_stored_form(cls: type) -> None:
    event = example(cls)
    assert codec.EVENTS.decode(codec.EVENTS.encode(event)) == event


def own_commands() -> list[type]:
    """Those of the module; a score sheet has its own."""
    return [cls for cls in get_args(commands.Command) if cls.__module__ == commands.__name__]


@pytest.mark.parametrize("cls", own_commands())
def test_every_command_comes_back_from_its_stored_form(cls: type) -> None:
    command = example(cls)
    if isinstance(command, commands.Act):  # when it came is not stored with it
        command = dataclasses.replace(command, delivered_us=0, received_us=0, rtt_us=0, reconnects=0)
    assert codec.COMMANDS.decode(codec.COMMANDS.encode(command)) == command  # type: ignore[arg-type]


def test_an_answer_is_the_same_answer_whenever_it_comes() -> None:
    said = [commands.Act(1, 2, 3, Play(5), *times) for times in ((), (7, 8, 9, 1))]
    assert len({codec.COMMANDS.encode(command) for command in said}) == 1


def test_a_whole_board_comes_back_from_its_stored_form() -> None:
    script = Script().dealt(3)
    script.play_out()
    for record in script.log:
        for event in record:
            assert codec.EVENTS.decode(codec.EVENTS.encode(event)) == event


def test_an_event_of_a_newer_version_is_unknown_and_not_guessed() -> None:
    with pytest.raises(UnknownEvent):
        codec.EVENTS.decode(b"\xfa\x3f\x00")


def test_an_answer_holds_the_games_action() -> None:
    script = Script().dealt()
    eat = Eat((14, 15))
    answer = service_pb2.Answer(paohuzi=GAMES["paohuzi"].actions.to_proto(eat))
    assert codec.action_of(answer) == eat
    assert codec.action_of(service_pb2.Answer()) is None
    assert script.board.game is not None


def test_an_update_says_what_the_seat_is_shown() -> None:
    script = Script().dealt()
    shown = views.seat(script.table, Frame(1, script.board.game, script.board.questions), 0)
    update = service_pb2.Update.FromString(codec.update(4, "paohuzi", shown))
    assert (update.cursor, update.board, update.ask, update.question) == (4, 1, 1, "play")
    assert GAMES["paohuzi"].views.from_proto(update.view.paohuzi) == RULES.view(script.board.game, 0)


@pytest.mark.parametrize("params", ["{}", '{"profile": "duohongdui", "min_huxi": 10}'])
def test_a_painted_view_is_what_its_codec_says(params: str) -> None:
    game = GAMES["paohuzi"]
    for number in range(8):
        script = Script(facts(params=params)).dealt(number)
        while not script.board.closed:
            seat = RULES.asked(script.board.game)[0]
            script.answer(seat, script.choose(seat))
            for viewer in (0, 1, 2, None):
                view = RULES.view(script.board.game, viewer)
                message = service_pb2.SeatView.FromString(codec.painted("paohuzi", view))
                assert message.paohuzi == game.views.to_proto(view)
                assert game.views.from_proto(message.paohuzi) == view
