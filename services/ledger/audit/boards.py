"""Boards of an audit file step by step, for whoever wants to look at one; whether they are as they must be is `replay`'s to say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from services.domain import Rejected, fold
from services.games import registry
from services.games.rules import Ruleset
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.matches import MatchReplay
from services.ledger.audit.questions import Acted
from services.ledger.dealing import board_path
from services.ledger.games import GAMES, GameCodec


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """One record of a board, from the deal on: `acted` that somebody chose, None: nobody did; `state` the game's after it."""

    time_us: int
    acted: Acted | None
    action: str
    events: tuple[str, ...]
    state: Any
    version: int = 0


@dataclass(frozen=True, slots=True)
class PlayedBoard:
    """A board as a table's records tell it, from the deal on; `deal` one byte a card. No steps: it was closed before its deal, or
    the cards are real."""

    table: str
    board: int
    attempt: int
    rules: Ruleset
    params: Any
    deal: bytes
    steps: tuple[PlayedStep, ...]


def played_board(evidence: Evidence, table: str, board: int, attempt: int = 1) -> PlayedBoard:
    """One board of a table. Raises Rejected: NO_SUCH_TABLE, NO_SUCH_BOARD, BOARD_OPEN when its leaf is not in the file,
    UNREADABLE_BOARD when its records are no board of its ruleset."""
    entries = next((found for _, subject, found in evidence.of("table") if subject.id == table), None)
    if entries is None:
        raise Rejected("NO_SUCH_TABLE", detail=f"the file has no table {table}")
    opened = next((event for event in _events(entries) if event.kind == "table_opened"), None)
    slots = [
        event.message
        for event in _events(entries)
        if event.kind == "board_opened" and (event.message.board, event.message.attempt) == (board, attempt)
    ]
    if opened is None or not slots:
        raise Rejected("NO_SUCH_BOARD", detail=f"table {table} has no board {board}, attempt {attempt}")
    try:
        reader = _Reader(opened.message, slots[0])
        records = [entry for entry in entries if entry.key_id == reader.path]
        if not all(entry.read for entry in records):
            raise Rejected("BOARD_OPEN", detail=f"board {reader.path} is not revealed in the file")
        steps = tuple([step for entry in records if (step := reader.step(entry)).state is not None])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Rejected("UNREADABLE_BOARD", detail=f"board {board} of {table}: {error}") from error
    return PlayedBoard(table, board, attempt, reader.rules, reader.params, reader.deal, steps)


def played_everywhere(evidence: Evidence, round_: int, board: int) -> list[PlayedBoard]:
    """The newest attempt at a board of every table of a round that has played it, by table. Raises Rejected as `played_board`."""
    found: dict[str, int] = {}
    for _, subject, entries in evidence.of("table"):
        opened = next((event.message for event in _events(entries) if event.kind == "table_opened"), None)
        for event in _events(entries) if opened is not None and opened.round == round_ else ():
            if event.kind == "board_opened" and event.message.board == board:
                found[subject.id] = event.message.attempt
    return [
        played_board(evidence, table, board, attempt)
        for table, attempt in sorted(found.items(), key=lambda one: (len(one[0]), one[0]))
    ]


def _events(entries: Sequence[Entry]) -> Iterator[Any]:
    return (event for entry in entries for event in entry.events)


class _Reader:
    """Folds the records of one board."""

    def __init__(self, opened: Any, slot: Any) -> None:
        self.rules = registry.find(opened.ruleset)
        self.params = self.rules.resolve(json.loads(opened.params))
        self._codec: GameCodec = GAMES[self.rules.game]
        self._slot = slot
        self._match: MatchReplay | None = None
        if opened.HasField("match"):
            self._match = MatchReplay(self.params, opened.match)
            # The standing that the deal was opened under is taken for true.
            self._match.lose()
            self._match.opened(slot.match)
        self.path = board_path(opened.round, slot.board, slot.attempt, opened.table if self._match else "")
        self.deal = b""
        self._state: Any = None

    def step(self, entry: Entry) -> PlayedStep:
        """What one record did."""
        acted, happened = None, []
        action = self._action(entry)
        for event in entry.events:
            if event.kind == "board_dealt":
                self._deal(event.message)
            elif event.kind == "acted":
                acted = event.message
            elif event.kind == self._codec.field:
                happened.append(event.message)
        self._state = fold(self.rules.evolve, self._state, happened)
        told = tuple([self.rules.tell(one) for one in happened])
        return PlayedStep(entry.time_us, acted, action, told, self._state, entry.version)

    def _deal(self, dealt: Any) -> None:
        self.deal = dealt.deal
        cards = tuple(dealt.deal)
        if self._match is None:
            self._state = self.rules.start(self.params, self._slot.board, cards)
        else:
            lot = dealt.first_drawer if dealt.HasField("first_drawer") else None
            self._state = self._match.deal(self.rules, cards, lot)

    def _action(self, entry: Entry) -> str:
        """The text of what was answered; a clock's answer is the fallback player's."""
        command = entry.command
        match entry.order:
            case "act":
                said = getattr(command.action, self._codec.field)
                return self.rules.show(self._codec.actions.from_proto(said))
            case "expire_clock":
                return self.rules.show(self.rules.fallback(self._state, command.seat))
        return ""
