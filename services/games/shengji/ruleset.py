"""The rulesets of Shengji: the package's functions behind the protocol every game follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from services.domain import Rejected
from services.games.rules import Outcome
from services.games.shengji import (
    actions,
    cards,
    decide,
    evolve,
    fallback,
    infringements,
    params,
    policy,
    questions,
    sight,
    state,
    words,
)
from services.games.shengji.actions import Action
from services.games.shengji.bids import Setting
from services.games.shengji.cards import RANKS
from services.games.shengji.events import BEATS, DealEnded, DealVoided, Event
from services.games.shengji.params import Params
from services.games.shengji.result import SEATS
from services.games.shengji.state import State
from services.games.shengji.view import SeatView

_CLOCKS = {"lead": "play", "follow": "play", "bury": "bury", "bid": "bid", "revolt": "claim"}

_SORTED = sorted(cards.DECK)


class Shengji:
    """A ruleset of Shengji; see `services.games.rules.Ruleset` for what each function promises.

    A table that paces dealing calls `draw` instead of `opening`; one that plays a match takes the settings of its deals from
    `match` and begins them by `deal`. Options are sequences that are not listed: there may be millions of them.
    """

    def __init__(self, ruleset_id: str) -> None:
        self.id = ruleset_id
        self.game = "shengji"
        self.seats = len(SEATS)
        self.deck: tuple[int, ...] = cards.DECK

    def resolve(self, overrides: Mapping[str, Any]) -> Params:
        """Parameters with `overrides` over the defaults. Raises Rejected naming the parameter."""
        return params.resolve(self.id, overrides)

    def describe(self, resolved: Params) -> dict[str, Any]:
        """Every parameter as a plain JSON value."""
        return params.describe(resolved)

    def start(self, resolved: Params, board: int, deal: tuple[int, ...]) -> State:
        """The dealt board, its declarer and level given by its number (S9.6; in `xiamen-2015` a first deal at level 2).

        Declarers go round the seats and levels from 2 to A, so that 52 boards bring every pairing of both. Raises
        Rejected("MALFORMED_DEAL") unless `deal` is a permutation of the deck, ("NO_SUCH_BOARD") below 1.
        """
        if board < 1:
            raise Rejected("NO_SUCH_BOARD", "S9.6", "boards count from 1")
        seat = (board - 1) % self.seats
        if self.id == params.DUPLICATE:
            return self.deal(resolved, Setting(RANKS[(board - 1) % len(RANKS)], seat, seat), deal)
        return self.deal(resolved, Setting(RANKS[0], None, seat), deal)

    def deal(self, resolved: Params, setting: Setting, deal: tuple[int, ...]) -> State:
        """A deal under a setting. Raises Rejected("MALFORMED_DEAL") unless `deal` is a permutation of the deck."""
        if sorted(deal) != _SORTED:
            raise Rejected("MALFORMED_DEAL", "S1.1", "a deal is a permutation of the 108 cards")
        return state.start(resolved, setting, deal)

    def opening(self, board: State) -> tuple[Event, ...]:
        """Events that follow the deal by themselves: all cards are drawn."""
        return decide.opening(board)

    def draw(self, board: State, number: int) -> tuple[Event, ...]:
        """Cards are drawn until `number` are, 1-100; bids offered before are decided (S3.1, S4.4). Raises Rejected."""
        return decide.draw(board, number)

    def decide(self, board: State, seat: int, action: Action) -> tuple[Event, ...]:
        """Events of `seat` taking `action`, consequences included. Raises Rejected."""
        return decide.decide(board, seat, action)

    def penalise(self, board: State, seat: int, code: str, finding: str, amount: int) -> tuple[Event, ...]:
        """Events of what a referee records against `seat` while the deal runs (S9.2, S10.15, S10.16, C11.1). Raises Rejected."""
        row = infringements.online(code)
        return decide.penalise(board, seat, row, finding, amount=amount if finding == "fine" else None)

    def evolve(self, board: State, event: Event) -> State:
        """The state after one event."""
        return evolve.evolve(board, event)

    def is_beat(self, event: Event) -> bool:
        """Whether the event shows a play, by which a table paces its display."""
        return isinstance(event, BEATS)

    def asked(self, board: State) -> tuple[int, ...]:
        """Seats that are waited for, ascending; none while cards are drawn."""
        return questions.asked(board)

    def put(self, board: State, seat: int) -> bool:
        """Whether `seat` sees a question, still waited for or not (S4.5)."""
        return bool(questions.put(board, seat))

    def question(self, board: State, seat: int) -> str:
        """`play`, `bury`, `bid` or `claim` (of a revolution): which clock the question open to `seat` runs on (S11)."""
        return _CLOCKS[questions.put(board, seat)]

    def options(self, board: State, seat: int) -> Sequence[Action]:
        """Legal actions of a seat in a fixed order, not listed; while cards are drawn, the bids it may offer."""
        return questions.options(board, seat)

    def fallback(self, board: State, seat: int) -> Action:
        """What is played for a seat whose clock ran out (S11)."""
        return fallback.fallback(board, seat)

    def choose(self, seen: SeatView) -> Action:
        """House AI."""
        return policy.choose(seen)

    def outcome(self, board: State) -> Outcome | None:
        """Raw scores by seat once the deal is over (S9.6); a voided deal is drawn, unscored (S4.8)."""
        match board.result:
            case DealEnded(scores=scores):
                return Outcome(scores, drawn=False)
            case DealVoided():
                return Outcome((0,) * self.seats, drawn=True)
            case None:
                return None

    def view(self, board: State, seat: int | None) -> SeatView:
        """What `seat` may know (S10); None is a spectator."""
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


XIAMEN_2015 = Shengji(params.XIAMEN)
DUPLICATE_2017 = Shengji(params.DUPLICATE)
