"""The state of a table and of the board on it: what the fold of a table's records gives.

Both are named tuples: a changed copy costs a third of a frozen dataclass's, and every move makes several.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from services.domain import Rejected, changer
from services.games import registry
from services.games.rules import Ruleset
from services.games.shengji.pace import Dealing
from services.table.model.dealing import drawing
from services.table.model.events import BoardSlot, Question, RefereeCalled, TableOpened
from services.table.model.matches import Course
from services.table.model.sheets import NOTHING_WRITTEN, MatchSheet

REMEMBERED = 16
"""Boards of a table whose ends are kept at hand, for who comes back."""


class Board(NamedTuple):
    """The board that was opened last. It stays, `closed`, until the next one is opened."""

    slot: BoardSlot
    seats: int
    game: Any = None
    """The game's own state; None until the deal is there."""
    questions: tuple[Question, ...] = ()
    """Open, by ascending seat."""
    asks: tuple[int, ...] = ()
    """Questions each seat was asked so far."""
    beat_us: int = 0
    """When the last tile is shown; what follows it waits for the claim floor."""
    thinking_us: tuple[int, ...] = ()
    playing_us: tuple[int, ...] = ()
    taken_over: tuple[int, ...] = ()
    """Seats of entrants that house AI has played for on this board, ascending (C1.7)."""
    left: tuple[str, ...] = ()
    """People who left a seat while it was open, as they did."""
    closed: bool = False
    result: Result | None = None
    """How it ended."""
    dealing: Dealing | None = None
    """How its cards are drawn, where not all at once."""

    def question(self, seat: int) -> Question | None:
        """The question open to a seat."""
        for question in self.questions:
            if question.seat == seat:
                return question
        return None


class Result(NamedTuple):
    """How a board ended: what is told in the clear of a sealed board, lists by seat."""

    slot: BoardSlot
    unfinished: bool
    scores: tuple[int, ...] = ()
    thinking_us: tuple[int, ...] = ()
    playing_us: tuple[int, ...] = ()
    taken_over: tuple[int, ...] = ()
    left: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    """Who sat there when it ended."""


class Table(NamedTuple):
    """A table. `opened` is None only before its first record."""

    opened: TableOpened | None = None
    people: tuple[str, ...] = ()
    """Who may act, by seat; empty: house AI."""
    joined: tuple[bool, ...] = ()
    closed: int = 0
    """Boards that have ended: the index of the slot that is open or comes next."""
    board: Board | None = None
    results: tuple[Result, ...] = ()
    """Of the boards that ended last, oldest first."""
    free_us: int = 0
    """When the table was opened, or its last board ended."""
    paused_us: int = 0
    """When it was paused; 0: it is not."""
    referee_called: bool = False
    call: RefereeCalled | None = None
    """By whom and why, as long as that stands; None, too, where nothing but the result was read of the board."""
    sealed: bool = False
    ruleset: Ruleset | None = None
    """Found by the id the table was opened with."""
    course: Course | None = None
    """The match that is played here instead of boards."""
    overturned: frozenset[str] = frozenset()
    """Rulings that were, as far as their boards were read (C9.2)."""
    written: MatchSheet = NOTHING_WRITTEN
    """The score sheet of a match with real cards."""
    given_us: tuple[int, ...] = ()
    """By seat, when it was given to whoever has it, µs since 1970, until that is confirmed; else 0."""
    instead: tuple[str, ...] = ()
    """By seat, who has it back where it is not confirmed: who had it last and counted, nobody where that one's own did not."""

    def seated(self, seat: int) -> str:
        """Who sits there and counts; empty for house AI, and where a seat that was given is not confirmed (C1.6)."""
        return "" if self.given_us[seat] else self.people[seat]

    @property
    def rules(self) -> Ruleset:
        """The ruleset this table plays by."""
        if self.ruleset is None:
            raise Rejected("NO_SUCH_TABLE", "", "the table was never opened")
        return self.ruleset

    @property
    def facts(self) -> TableOpened:
        """What the table was opened with."""
        if self.opened is None:
            raise Rejected("NO_SUCH_TABLE", "", "the table was never opened")
        return self.opened

    @property
    def result(self) -> Result | None:
        """Of the board that ended last."""
        return self.results[-1] if self.results else None

    @property
    def slots(self) -> tuple[BoardSlot, ...]:
        """All boards it plays; of a match the deals so far."""
        if self.course is None:
            return self.facts.boards
        return tuple([BoardSlot(deal, 1) for deal in range(1, self.closed + 1)])

    @property
    def real_cards(self) -> bool:
        """Whether boards, or the match, are played with real cards here (C1.3)."""
        return self.has_sheet or (self.opened is not None and self.opened.real_cards)

    @property
    def has_sheet(self) -> bool:
        """Whether a match is played here that counts by its score sheet (C8.6)."""
        return self.course is not None and self.course.terms.real_cards

    @property
    def slot(self) -> BoardSlot | None:
        """The board, of a match the deal, that is open or comes next; None after the last."""
        if self.course is not None:
            return None if self.course.ended else BoardSlot(self.closed + 1, 1)
        boards = self.facts.boards
        return boards[self.closed] if self.closed < len(boards) else None

    @property
    def live(self) -> Board | None:
        """The open board."""
        return self.board if self.board is not None and not self.board.closed else None

    @property
    def timed(self) -> bool:
        """Whether a clock runs: of a question, of cards being drawn, of a match."""
        board, course = self.live, self.course
        if board is not None and (board.questions or (board.dealing is not None and drawing(board.game))):
            return True
        return course is not None and course.ended is None and course.ends_us > 0

    @property
    def absent(self) -> bool:
        """Whether somebody who is to play has not sat down yet."""
        return any(person and not joined for person, joined in zip(self.people, self.joined, strict=True))


on = changer(Table, "board")
"""The table with its board changed."""

Asking = tuple[tuple[Question, ...], tuple[int, ...], int, tuple[int, ...], tuple[int, ...]]
"""What every decision changes of a board beside its game: `questions`, `asks`, `beat_us`, `thinking_us`, `playing_us`."""

_GAME = Board._fields.index("game")
_AFTER = Board._fields.index("playing_us") + 1


def asking(board: Board) -> Asking:
    """What decisions change of a board beside its game."""
    return board.questions, board.asks, board.beat_us, board.thinking_us, board.playing_us


def in_play(board: Board, game: Any, now: Asking) -> Board:
    """The board with all that decisions change made new; they stand side by side in it."""
    return tuple.__new__(Board, (*board[:_GAME], game, *now, *board[_AFTER:]))


@lru_cache(maxsize=256)
def resolved(ruleset: str, params: str) -> Any:
    """Parameters of a ruleset from their canonical JSON. Raises Rejected."""
    try:
        overrides = json.loads(params or "{}")
    except (ValueError, RecursionError):
        overrides = None
    if not isinstance(overrides, dict):
        raise Rejected("MALFORMED_PARAMS", "P0", "ruleset parameters are a JSON object")
    return registry.find(ruleset).resolve(overrides)


def canonical(ruleset: str, params: str) -> str:
    """Every parameter named, as canonical JSON: what is stored and digested. Raises Rejected."""
    described = registry.find(ruleset).describe(resolved(ruleset, params))
    return json.dumps(described, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


@lru_cache(maxsize=256)
def params_digest(params: str) -> bytes:
    """SHA-256 of canonical parameters."""
    return sha256(params.encode()).digest()
