"""What every game of Fupan offers, so that a table, a replay and an audit can play any of them.

A ruleset is found by its id (`registry.find`) and is a bundle of pure functions over the game's own frozen state. The deal
comes in from outside (`deal`: a permutation of `deck`), time never does: whoever calls adds clocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished board: `scores` by seat (sum 0), and whether nobody won (荒庄)."""

    scores: tuple[int, ...]
    drawn: bool


class Ruleset(Protocol):
    """One rule set of one game. S state, E event, A action, V view are the game's own types."""

    id: str
    """`game/name`, stored with every board for ever, for example `paohuzi/competitive-2017`."""
    game: str
    seats: int
    deck: tuple[int, ...]
    """All cards by code, in canonical order; a deal is a permutation of it."""

    def resolve(self, overrides: Mapping[str, Any]) -> Any:
        """Parameters with `overrides` laid over the defaults. Raises Rejected(reason, clause) naming the parameter."""

    def describe(self, params: Any) -> dict[str, Any]:
        """Resolved parameters as plain JSON values, every one named; its canonical JSON is what gets digested."""

    def start(self, params: Any, board: int, deal: tuple[int, ...]) -> Any:
        """The dealt board before anything has happened. `board` counts from 1 and gives the dealer (P2)."""

    def opening(self, state: Any) -> tuple[Any, ...]:
        """Events that follow the deal by themselves, up to the first choice or the end."""

    def decide(self, state: Any, seat: int, action: Any) -> tuple[Any, ...]:
        """Events of `seat` taking `action`, all automatic consequences included. Raises Rejected."""

    def evolve(self, state: Any, event: Any) -> Any:
        """The state after one event."""

    def is_beat(self, event: Any) -> bool:
        """Whether the event shows everybody a card that others may answer to; a table paces its display by these."""

    def asked(self, state: Any) -> tuple[int, ...]:
        """Seats that have a choice open now, ascending; empty when the board is over."""

    def put(self, state: Any, seat: int) -> bool:
        """Whether `seat` sees a question: one it is asked, or one that was outranked since, which it must not learn (P6.4)."""

    def question(self, state: Any, seat: int) -> str:
        """`play`, `claim`, in Shengji also `bid` or `bury`: the clock on which the question put to `seat` runs."""

    def options(self, state: Any, seat: int) -> Sequence[Any]:
        """Legal actions of `seat` now, in canonical order; empty when it has no choice. There may be millions: not listed."""

    def fallback(self, state: Any, seat: int) -> Any:
        """What is played for an asked seat whose clock ran out."""

    def choose(self, view: Any) -> Any:
        """House AI: an action from the `options` of a seat's view; deterministic, knows nothing but the view."""

    def outcome(self, state: Any) -> Outcome | None:
        """The result, or None while the board is open."""

    def view(self, state: Any, seat: int | None) -> Any:
        """What `seat` may know (allow-list); `None` is a spectator of an open board; see `reveal` for finished ones."""

    def parse(self, text: str) -> Any:
        """An action from its canonical text (`eat s7 s8`). Raises Rejected("MALFORMED_ACTION")."""

    def show(self, action: Any) -> str:
        """The canonical text of an action; `parse(show(a)) == a`."""

    def tell(self, event: Any) -> str:
        """One line of text about an event, for replays."""
