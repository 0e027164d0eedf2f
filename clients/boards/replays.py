"""A board played over again, as clients know it: steps with views, what a seat could have done, what one seat knew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, overload

from clients import boards
from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1.events_pb2 import ContestedBoard
from fupan.table.v1 import events_pb2
from fupan.table.v1 import service_pb2 as pb
from services.games import registry
from services.ledger.audit.boards import PlayedBoard
from services.ledger.audit.questions import Acted

LISTED = 60
"""Legal actions are listed at once up to so many; there may be millions, which are looked through by pages of so many."""

_SHOWN = {rules.game: rules.show for rules in registry.RULESETS.values()}


@dataclass(frozen=True, slots=True)
class Head:
    """Which board it is. `seat` is the one whose knowledge it is; None: all hands."""

    championship: str
    table: str
    board: int
    attempt: int
    game: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Legal:
    """How many actions a seat could choose from, and they as canonical text where they are few (`LISTED`); `every` are all of them,
    worked out when looked at."""

    count: int
    actions: tuple[str, ...]
    every: Sequence[str] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Tried:
    """What a seat tried and a clause refused; told by the service beside its log, and proved by nothing."""

    seat: int
    time_us: int
    action: str
    reason: str
    clause: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step. Of the deal, and of a choice that the viewer did not see, `seat` is None; `legal` is None where nothing was asked.

    `time_us` is microseconds since 1970, `thinking_us` microseconds. `views` are all seats' after the step, or the one seat's,
    `tried` what was refused since the step before.
    """

    number: int
    time_us: int
    seat: int | None
    question: str
    automatic: bool
    thinking_us: int
    action: str
    legal: Legal | None
    events: tuple[str, ...]
    views: tuple[Any, ...]
    tried: tuple[Tried, ...] = ()

    @property
    def passed_up(self) -> tuple[str, ...]:
        """What a seat that passed could have done instead."""
        if self.action != "pass" or self.legal is None:
            return ()
        return tuple(action for action in self.legal.actions if action != "pass")


@dataclass(frozen=True, slots=True)
class Replay:
    """A board from its deal to its end."""

    head: Head
    steps: tuple[Step, ...]


def of_service(
    championship: str, request: pb.ReplayBoardRequest, told: Sequence[pb.ReplayBoardResponse]
) -> Replay:
    """The replay that the table service tells."""
    fields = (view.WhichOneof("game") for one in told for view in (*one.seats, one.view))
    game = next((field for field in fields if field), "")
    seat = None if request.all else request.seat
    head = Head(championship, request.table, request.board, request.attempt, game, seat)
    return Replay(head, tuple(_steps(game, map(_told, told))))


def of_case(file: case_pb2.CaseFile, at: ContestedBoard) -> Replay:
    """The frozen replay of a contested board in a case file, with all hands; no steps where the board was not revealed yet."""
    request = pb.ReplayBoardRequest(table=at.table, board=at.board, attempt=at.attempt, all=True)
    return of_service(file.championship, request, file.board.steps)


def of_audit(championship: str, board: PlayedBoard) -> Replay:
    """The replay of a board in an audit file, with all hands."""
    game, view, seats = board.rules.game, board.rules.view, range(board.rules.seats)
    head = Head(championship, board.table, board.board, board.attempt, game)
    told = (
        _Told(
            number,
            one.time_us,
            one.acted,
            one.action,
            one.events,
            tuple([view(one.state, seat) for seat in seats]),
        )
        for number, one in enumerate(board.steps, 1)
    )
    return Replay(head, tuple(_steps(game, told)))


def known_to(whole: Replay, seat: int) -> Replay:
    """What one seat knew, out of a replay with all hands: no events, and of the others no answer that it did not see."""
    kept: list[Step] = []
    tried: tuple[Tried, ...] = ()
    for step in whole.steps:
        view = step.views[seat]
        tried += tuple([one for one in step.tried if one.seat == seat])
        if kept and view == kept[-1].views[0]:
            continue
        if step.seat in (None, seat) or step.question == "play":
            mine = step if step.seat == seat else replace(step, legal=None)
        else:
            mine = replace(
                step, seat=None, question="", automatic=False, thinking_us=0, action="", legal=None
            )
        kept.append(replace(mine, events=(), views=(view,), tried=tried))
        tried = ()
    return Replay(replace(whole.head, seat=seat), tuple(kept))


class _Told(NamedTuple):
    """A step as its source tells it; `acted` None: nobody chose, or the viewer did not see it."""

    number: int
    time_us: int
    acted: Acted | events_pb2.Acted | None
    action: str
    events: tuple[str, ...]
    views: tuple[Any, ...]
    tried: tuple[Tried, ...] = ()


def _told(one: pb.ReplayBoardResponse) -> _Told:
    acted = one.acted if one.HasField("acted") else None
    views = tuple([boards.decoded(view) for view in (one.seats or [one.view])])
    tried = tuple(
        [Tried(each.seat, each.time_us, each.action, each.reason, each.clause) for each in one.tried]
    )
    return _Told(one.step, one.time_us, acted, one.action, tuple(one.events), views, tried)


def _steps(game: str, told: Iterable[_Told]) -> Iterator[Step]:
    """The steps; what a seat could choose from is in its view before."""
    before: tuple[Any, ...] = ()
    for number, time_us, acted, action, events, views, tried in told:
        if acted is None:
            yield Step(number, time_us, None, "", False, 0, action, None, events, views, tried)
        else:
            view = view_of(acted.seat, before)
            # A bid that nobody asked for counts for the card drawn by then, of which no view tells (S4.1).
            open_ = None if view is None or not acted.asked_us else legal(game, view)
            yield Step(
                number,
                time_us,
                acted.seat,
                acted.question,
                acted.automatic,
                acted.thinking_us,
                action,
                open_,
                events,
                views,
                tried,
            )
        before = views


def legal(game: str, view: Any) -> Legal:
    """What the seat whose view it is may choose from."""
    every = _Texts(view.options, _SHOWN[game])
    count = len(every)
    return Legal(count, tuple(every) if count <= LISTED else (), every)


class _Texts(Sequence[str]):
    """Actions as canonical text; a slice is a list."""

    def __init__(self, options: Sequence[Any], show: Callable[[Any], str]) -> None:
        self._options = options
        self._show = show

    def __len__(self) -> int:
        return len(self._options)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self._show(one) for one in self._options[index]]
        return self._show(self._options[index])


def view_of(seat: int, views: Sequence[Any]) -> Any:
    """A seat's own among views; None where it is not among them."""
    return next((view for view in views if view is not None and view.seat == seat), None)


def seen(step: Step) -> list[Any]:
    """The views of a step that show anything."""
    return [view for view in step.views if view is not None]
