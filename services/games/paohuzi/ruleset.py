"""The ruleset `paohuzi/competitive-2017`: the package's functions behind the protocol every game follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from services.domain import Rejected
from services.games.paohuzi import (
    actions,
    decide,
    evolve,
    fallback,
    params,
    policy,
    questions,
    sight,
    state,
    tiles,
    words,
)
from services.games.paohuzi.actions import Action
from services.games.paohuzi.events import BEATS, BoardDrawn, Event, Won
from services.games.paohuzi.params import Params
from services.games.paohuzi.state import DEALT, SEATS, State
from services.games.paohuzi.view import SeatView
from services.games.rules import Outcome

_HANDS = DEALT * len(SEATS)
_SORTED = sorted(tiles.DECK)


class Paohuzi:
    """A ruleset of Paohuzi; see `services.games.rules.Ruleset` for what each function promises."""

    def __init__(self, ruleset_id: str) -> None:
        self.id = ruleset_id
        self.game = "paohuzi"
        self.seats = len(SEATS)
        self.deck: tuple[int, ...] = tiles.DECK

    def resolve(self, overrides: Mapping[str, Any]) -> Params:
        """Parameters with `overrides` over the defaults. Raises Rejected naming the parameter."""
        return params.resolve(overrides)

    def describe(self, resolved: Params) -> dict[str, Any]:
        """Every parameter as a plain JSON value."""
        return params.describe(resolved)

    def start(self, resolved: Params, board: int, deal: tuple[int, ...]) -> State:
        """The dealt board: one tile at a time from the dealer, 20 each, the bright tile, the stock (P2, P3).

        Raises Rejected("MALFORMED_DEAL") unless `deal` is a permutation of the deck, ("NO_SUCH_BOARD") below 1.
        """
        if board < 1:
            raise Rejected("NO_SUCH_BOARD", "P2", "boards count from 1")
        if sorted(deal) != _SORTED:
            raise Rejected("MALFORMED_DEAL", "P1.1", "a deal is a permutation of the 80 tiles")
        dealer = (board - 1) % self.seats
        hands = [deal[(seat - dealer) % self.seats : _HANDS : self.seats] for seat in SEATS]
        return state.start(resolved, dealer, hands, deal[_HANDS], deal[_HANDS + 1 :])

    def opening(self, board: State) -> tuple[Event, ...]:
        """Events that follow the deal by themselves."""
        return decide.opening(board)

    def decide(self, board: State, seat: int, action: Action) -> tuple[Event, ...]:
        """Events of `seat` taking `action`, consequences included. Raises Rejected."""
        return decide.decide(board, seat, action)

    def evolve(self, board: State, event: Event) -> State:
        """The state after one event."""
        return evolve.evolve(board, event)

    def is_beat(self, event: Event) -> bool:
        """Whether the event puts a tile on offer, by which a table paces its display."""
        return isinstance(event, BEATS)

    def asked(self, board: State) -> tuple[int, ...]:
        """Seats that are waited for, ascending."""
        return questions.asked(board)

    def put(self, board: State, seat: int) -> bool:
        """Whether `seat` sees a question, still waited for or not (P6.4)."""
        return bool(questions.put(board, seat))

    def question(self, board: State, seat: int) -> str:
        """`play` or `claim`: which clock the question open to `seat` runs on (P12)."""
        return "play" if board.phase == "turn" else "claim"

    def options(self, board: State, seat: int) -> tuple[Action, ...]:
        """Legal actions of an asked seat in canonical order."""
        return questions.options(board, seat)

    def fallback(self, board: State, seat: int) -> Action:
        """What is played for a seat whose clock ran out (P12)."""
        return fallback.fallback(board, seat)

    def choose(self, seen: SeatView) -> Action:
        """House AI."""
        return policy.choose(seen)

    def outcome(self, board: State) -> Outcome | None:
        """Scores by seat once the board is over (P5.5, P11)."""
        match board.result:
            case Won(scores=scores):
                return Outcome(scores, drawn=False)
            case BoardDrawn():
                return Outcome((0, 0, 0), drawn=True)
            case None:
                return None

    def view(self, board: State, seat: int | None) -> SeatView:
        """What `seat` may know (P13); None is a spectator."""
        return sight.view(board, seat)

    def parse(self, text: str) -> Action:
        """An action from its canonical text. Raises Rejected("MALFORMED_ACTION")."""
        return actions.parse(text)

    def show(self, action: Action) -> str:
        """The canonical text of an action."""
        return actions.show(action)

    def tell(self, event: Event) -> str:
        """One line about an event."""
        return words.tell(event)


COMPETITIVE_2017 = Paohuzi(params.RULESET)
