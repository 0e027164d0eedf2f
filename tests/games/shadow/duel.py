"""The engine and the shadow referee at the same board, compared after every act in the words of the shadow."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from services.domain import Rejected, fold
from services.games.paohuzi import actions, decide, events, evolve, melds, params, questions, state, tiles
from services.games.paohuzi.actions import Action
from services.games.paohuzi.events import Event
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.state import State
from services.games.shadow import hands as shadow
from services.games.shadow.claims import tidy
from services.games.shadow.paohuzi import Board
from tests.games.shadow.cases import canonical, found


@dataclass(frozen=True)
class Deal:
    """A deal in words: three hands of twenty by seat, the bright tile, the stock."""

    dealer: int
    hands: Sequence[Sequence[str]]
    bright: str
    stock: Sequence[str]


Chooser = Callable[[random.Random, State, int, tuple[Action, ...]], Action]
"""What a seat does, of its options."""


@dataclass
class Duel:
    """One board in both hands. `seen` counts what has happened, `acts` what was done."""

    deal: Deal
    overrides: dict[str, Any]
    engine: State = field(init=False)
    board: Board = field(init=False)
    acts: list[dict[str, Any]] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        dealer, hands, bright, stock = self.deal.dealer, self.deal.hands, self.deal.bright, self.deal.stock
        resolved = params.resolve(self.overrides)
        self.engine = state.start(
            resolved, dealer, [codes(hand) for hand in hands], tiles.parse(bright), codes(stock)
        )
        self.board = Board(shadow.rules(self.overrides), dealer, hands, bright, stock)
        self._follow(decide.opening(self.engine), [])

    def act(self, seat: int, action: Action) -> None:
        """An act that is open to `seat`, in both hands."""
        do = actions.show(action)
        self.acts.append({"seat": seat, "do": do})
        before = len(self.board.facts)
        happened = decide.decide(self.engine, seat, action)
        self.board.act(seat, do)
        self._follow(happened, self.board.facts[:before])

    def agree_to_refuse(self, seat: int, do: str) -> None:
        """An act by anybody: both take it or both refuse it, by the same clause. It changes nothing."""
        action = actions.parse(do)
        ours = None
        if tidy(do) not in self.board.options().get(seat, []):
            with pytest.raises(Rejected) as refusal:
                self.board.act(seat, do)
            ours = refusal.value.clause
        theirs = None
        asked = seat in questions.asked(self.engine)
        try:
            decide.decide(self.engine, seat, action)
        except Rejected as rejected:
            theirs = rejected.clause
        if not asked and questions.put(self.engine, seat):  # outranked: void whatever it says
            self.same("refusal", ours, "P6.4")
        elif do == "win" and ours == "P8.3":  # a tile that is bound, or none at all
            assert theirs in ("P8.3", "P8.4", "P6.1", "P8.1", "P8.2"), self.told()
        else:
            self.same(f"refusal of seat {seat}, {do}", theirs, ours)

    def late(self, seat: int, action: Action) -> None:
        """The void answer of a seat that is no longer asked: nothing that anybody is asked may change."""
        happened = decide.decide(self.engine, seat, action)
        assert len(happened) == 1, self.told()
        self.engine = fold(evolve.evolve, self.engine, happened)
        self.compare()

    def _follow(self, happened: Sequence[Event], before: Sequence[Any]) -> None:
        recorded = [replace(event) for event in happened] if len(self.acts) % 2 else happened
        self.engine = fold(
            evolve.evolve, self.engine, recorded
        )  # every other time as a log gives events back
        told = [fact for event in happened for fact in facts(event)]
        shown = self.board.facts[len(before) :]
        self.seen.update(fact[0] for fact in shown)
        self.seen.update("lays along" for fact in shown if fact[0] == "eats" and "+" in fact[3])
        self.same(
            "facts", [fact for fact in told if fact[0] != "passes"], [f for f in shown if f[0] != "passes"]
        )
        self.same(
            "passes",
            sorted(f for f in told if f[0] == "passes"),
            sorted(f for f in shown if f[0] == "passes"),
        )
        self.compare()

    def compare(self) -> None:
        """Whatever both can be asked about the board as it stands."""
        board, engine = self.board, self.engine
        result = engine.result
        over = result is not None
        self.same_all(
            {
                "options": {
                    str(seat): [actions.show(option) for option in questions.options(engine, seat)]
                    for seat in questions.asked(engine)
                },
                "owes": state.owes(engine),
                "next_draw": state.next_draw(engine),
                "melds": {str(seat): [words(meld) for meld in engine.seats[seat].melds] for seat in range(3)},
                "dead_hand": [seat for seat in range(3) if engine.seats[seat].dead],
                "over": over,
                "scores": list(getattr(result, "scores", (0, 0, 0))) if over else None,
            }
        )
        for number, seat in enumerate(engine.seats):
            hand = [tiles.show(tile) for tile in tiles.expand(seat.hand)]
            self.same("hand", hand, shadow.in_order(board.hands[number]))
            self.same("no_eat", kinds(seat.no_eat), shadow.in_order(list(board.no_eat[number])))
            self.same("no_peng", kinds(seat.no_peng), shadow.in_order(list(board.no_peng[number])))
            self.same("touched", seat.touched, board.touched[number])
        if isinstance(result, events.Won):
            assert board.won is not None
            winner, win = board.won
            self.same("winner", result.seat, winner)
            self.same("win", (result.huxi, list(result.names), result.fan), (win.huxi, win.names, win.fan))
            reading = sorted(words(meld) for meld in result.melds)
            self.same("reading", sum(shadow.huxi(tuple(meld)) for meld in reading), win.huxi)
            self.same("seven", len(reading), 7)

    def same_all(self, engine: dict[str, Any]) -> None:
        ours = found(self.board)
        for key, value in engine.items():
            self.same(key, canonical(key, value), canonical(key, ours[key]))

    def same(self, what: str, engine: Any, ours: Any) -> None:
        assert engine == ours, f"{what}: engine {engine}, shadow {ours}\n{self.told()}"

    def told(self) -> str:
        """The board so far, to be played again."""
        return f"{self.deal}\n{self.overrides}\n{self.acts}\n{self.board.facts}"


def codes(words: Sequence[str]) -> list[int]:
    return [tiles.parse(word) for word in words]


def kinds(mask: int) -> list[str]:
    return [tiles.show(kind) for kind in tiles.KINDS if mask >> kind & 1]


def words(meld: Meld) -> list[str]:
    return melds.show(meld)


def facts(event: Event) -> list[tuple[Any, ...]]:
    """An event of the engine in the words of the shadow; answers are not facts yet."""
    match event:
        case events.TiDealt(seat, tile):
            return [("is dealt ti", seat, tiles.show(tile))]
        case events.TilePlayed(seat, tile):
            return [("plays", seat, tiles.show(tile))]
        case events.TileDrawn(seat, tile):
            return [("draws", seat, tiles.show(tile))]
        case events.WeiLaid(seat, tile, stale):
            return [("chouwei" if stale else "wei", seat, tiles.show(tile))]
        case events.TiLaid(seat, tile):
            return [("ti", seat, tiles.show(tile))]
        case events.PaoLaid(seat, tile):
            return [("pao", seat, tiles.show(tile))]
        case events.TileDied(seat, tile):
            return [("dies", seat, tiles.show(tile))]
        case events.Ponged(seat, tile):
            return [("pengs", seat, tiles.show(tile))]
        case events.Eaten(seat, tile, using, along):
            return [("eats", seat, tiles.show(tile), tidy(actions.show(actions.Eat(using, along))))]
        case events.KindPassed(seat, tile, eat, peng):
            return [("passes", seat, tiles.show(tile), eat, peng)]
        case events.HandDied(seat):
            return [("hand is dead", seat, None)]
        case events.Won():
            return [("wins", event.seat, None)]
        case events.BoardDrawn():
            return [("nobody wins", None, None)]
        case _:
            return []
