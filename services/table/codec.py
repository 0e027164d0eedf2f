"""The table's events, commands and views ↔ protos/fupan/table/v1: by name, and by game where a game's own are held."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from fupan.table.v1 import events_pb2 as pb
from fupan.table.v1 import service_pb2
from services.ledger.codec import Codec, MessageCodec, UnknownEvent
from services.ledger.games import GAMES
from services.table.joining import Field
from services.table.model import commands as c
from services.table.model import events as e
from services.table.model.commands import Command
from services.table.model.events import Event
from services.table.model.matches import Course
from services.table.painting import PAINTERS
from services.table.sheets import codec as sheets
from services.table.views import Shown


class SaidAct(NamedTuple):
    """`Act` as it is stored: when it came is no part of what was said, or no answer could be repeated."""

    board: int
    seat: int
    ask: int
    action: Any


class Commands(Codec[Command]):
    """The commands, `Act` by what was said."""

    def kwargs(self, value: Command) -> dict[str, Any]:
        """Constructor arguments of the message that says `value`."""
        if isinstance(value, c.Act):
            return super().kwargs(SaidAct(value.board, value.seat, value.ask, value.action))  # type: ignore[arg-type]
        return super().kwargs(value)

    def from_proto(self, message: Any) -> Command:
        """The command that says `message`; an `Act` without its times."""
        return _timeless(super().from_proto(message))

    def decode(self, data: bytes) -> Command:
        """The inverse of `encode`, but for the times of an `Act`. Raises Malformed, UnknownEvent."""
        return _timeless(super().decode(data))


def _timeless(value: Any) -> Command:
    if isinstance(value, SaidAct):
        return c.Act(value.board, value.seat, value.ask, value.action)
    return value  # type: ignore[no-any-return]


ACTIONS: Codec[Any] = Codec(pb.Action, {}, inner={game.field: game.actions for game in GAMES.values()})

EVENTS: Codec[Event] = Codec(
    pb.Event,
    {
        e.TableOpened: "table_opened",
        e.SeatJoined: "seat_joined",
        e.BoardOpened: "board_opened",
        e.BoardDealt: "board_dealt",
        e.Acted: "acted",
        e.Asked: "asked",
        e.Paced: "paced",
        e.BoardFinished: "board_finished",
        e.BoardClosedUnfinished: "board_closed_unfinished",
        e.TablePaused: "table_paused",
        e.TableResumed: "table_resumed",
        e.ClockExtended: "clock_extended",
        e.InfringementRecorded: "infringement_recorded",
        e.RulingMade: "ruling_made",
        e.SeatReplaced: "seat_replaced",
        e.RefereeCalled: "referee_called",
        e.TableSealed: "table_sealed",
        e.MatchEnded: "match_ended",
        e.DealingStarted: "dealing_started",
        e.BoardEntered: "board_entered",
        e.SeatConfirmed: "seat_confirmed",
    },
    inner={game.field: game.events for game in GAMES.values()} | {"sheet": sheets.EVENTS},
)

COMMANDS = Commands(
    pb.Command,
    {
        c.OpenTable: "open_table",
        c.JoinSeat: "join_seat",
        c.OpenBoard: "open_board",
        c.DealBoard: "deal_board",
        SaidAct: "act",
        c.ExpireClock: "expire_clock",
        c.CloseBoard: "close_board",
        c.PauseTable: "pause_table",
        c.ResumeTable: "resume_table",
        c.ExtendClocks: "extend_clocks",
        c.RecordInfringement: "record_infringement",
        c.MakeRuling: "make_ruling",
        c.ReplaceSeat: "replace_seat",
        c.GiveSeatBack: "give_seat_back",
        c.ConfirmSeat: "confirm_seat",
        c.CallReferee: "call_referee",
        c.SealTable: "seal_table",
        c.DrawCards: "draw_cards",
        c.EndMatch: "end_match",
        c.EnterBoard: "enter_board",
    },
    nested=[ACTIONS],
    inner={"sheet": sheets.COMMANDS},
)


def action_of(answer: service_pb2.Answer) -> Any:
    """The game's action in an answer, None when it holds none that is known here."""
    game = answer.WhichOneof("action")
    try:
        return None if game is None else GAMES[game].actions.from_proto(getattr(answer, game))
    except UnknownEvent:
        return None


_VIEW = Field(service_pb2.Update, "view")
_MATCH = Field(service_pb2.Update, "match")
_GAME = {game: Field(service_pb2.SeatView, codec.field) for game, codec in GAMES.items()}


def painted(game: str, view: Any) -> bytes:
    """A game's view as a serialised SeatView; empty for None."""
    return b"" if view is None else _GAME[game].holding(PAINTERS[game](view))


def update(cursor: int, game: str, shown: Shown) -> bytes:
    """What a seat is shown as a serialised Update: put together from parts, since every move shows every seat one."""
    head = service_pb2.Update(cursor=cursor, board=shown.board, paused=shown.paused)
    if shown.ask:
        head.ask = shown.ask
        head.question = shown.question
        head.deadline_us = shown.deadline_us
    if shown.result is not None:
        head.result.unfinished = shown.result.unfinished
        head.result.scores.extend(shown.result.scores)
    view = b"" if shown.view is None else _VIEW.holding(painted(game, shown.view))
    match = b"" if shown.course is None else _MATCH.holding(_course(shown.course))
    return head.SerializeToString() + view + match


_DEALS = MessageCodec(pb.MatchDeal, e.MatchDeal)
_ENDS = MessageCodec(pb.MatchEnded, e.MatchEnded)


@lru_cache(maxsize=1 << 10)
def _course(course: Course) -> bytes:
    """A match as a serialised MatchView: every move shows it to every seat, and few change it."""
    return service_pb2.MatchView(
        levels=course.match.levels,
        played=map(_DEALS.to_proto, course.played),
        ends_us=course.ends_us,
        most_deals=course.terms.deals,
        ended=None if course.ended is None else _ENDS.to_proto(course.ended),
    ).SerializeToString()
