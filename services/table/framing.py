"""How a table's records are framed: their ruleset, the seal of an open board, and what its last record tells in the clear."""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Rejected
from services.ledger.dealing import board_path, log_key
from services.ledger.record import BoardClosing, Head
from services.runtime.streams import parse
from services.table.decider.evolve import ended
from services.table.leaves import Leaves, Opened
from services.table.model import commands as c
from services.table.model.events import BoardOpened, BoardSlot, Event, MatchEnded, TableOpened
from services.table.model.state import Result, Table, params_digest


def path_of(facts: TableOpened, slot: BoardSlot) -> str:
    """The path of a board's leaf; of a deal of a match, which nobody else plays, with the table."""
    return board_path(facts.round, slot.board, slot.attempt, facts.table if facts.match else "")


class TableFraming:
    """`services.runtime.log.Framing` of tables. Keys are derived once a board."""

    def __init__(self, leaves: Leaves) -> None:
        self._leaves = leaves
        self._keys: dict[str, tuple[str, bytes]] = {}
        """By subject: the key of its last board, and that key's id."""

    def ruleset(self, state: Table) -> tuple[str, bytes]:
        """Ruleset id and digest of the resolved parameters."""
        return state.facts.ruleset, params_digest(state.facts.params)

    def seals(self, state: Table) -> str:
        """The path of the open board."""
        live = state.live
        return "" if live is None else path_of(state.facts, live.slot)

    def key(self, subject: str, key_id: str) -> bytes | None:
        """The key of a board whose leaf the dealer has given out to this replica."""
        known = self._keys.get(subject)
        if known is not None and known[0] == key_id:
            return known[1]
        leaf = self._leaves.held(parse(subject).championship, key_id)
        return None if leaf is None else self._derive(subject, key_id, leaf.leaf)

    async def fetch(self, subject: str, key_id: str, opened: Head) -> bytes:
        """The key, its leaf asked from the dealer. Raises Unavailable."""
        leaf = await self._leaves.fetch(Opened(subject, key_id, opened.sequence))
        return self._derive(subject, key_id, leaf.leaf)

    def _derive(self, subject: str, key_id: str, leaf: bytes) -> bytes:
        key = log_key(leaf, parse(subject).item, key_id)
        self._keys[subject] = key_id, key
        return key

    def closing(self, before: Table, after: Table) -> BoardClosing | None:
        """The result that the record from `before` to `after` brings."""
        result = after.result
        if after.closed == before.closed or result is None:
            return None
        return BoardClosing(
            round=after.facts.round,
            board=result.slot.board,
            attempt=result.slot.attempt,
            unfinished=result.unfinished,
            scores=result.scores,
            thinking_us=result.thinking_us,
            taken_over=result.taken_over,
            playing_us=result.playing_us,
            people=result.people,
            referee_called=after.referee_called,
            left=result.left,
            given_us=after.given_us if any(after.given_us) else (),
            instead=after.instead if any(after.given_us) else (),
        )

    def people(self, before: Table, after: Table) -> tuple[str, ...]:
        """Who sits there from here on, where somebody was given a seat; the closing of a board tells it anyway."""
        closes = after.closed != before.closed
        return () if closes or after.people == before.people else after.people

    def may_be_older(self, state: Table, command: c.Command) -> bool:
        """Answers name their board, and what the steward does by itself is made for the board it finds."""
        match command:
            case c.Act():
                return state.live is None or command.board != state.live.slot.board
            case (
                c.OpenBoard()
                | c.DealBoard()
                | c.DrawCards()
                | c.EndMatch()
                | c.ExpireClock()
                | c.ExtendClocks()
                | c.SealTable()
            ):
                return False
        return True

    def tells(self, state: Table, events: Sequence[Event]) -> bool:
        """Whether `events` say what a sealed board led to: of a match's deal only those that say where the match then stands."""
        return state.course is None or any(isinstance(event, BoardOpened | MatchEnded) for event in events)

    def stands(self, state: Table, command: c.Command, refusal: Rejected) -> bool:
        """A question that was put and is no longer open is never opened again."""
        board = state.live
        if board is None or not isinstance(command, c.Act) or refusal.reason != "QUESTION_OVER":
            return False
        question = board.question(command.seat)
        open_now = question is not None and question.ask == command.ask
        put = 0 < command.ask <= max(board.asks[command.seat : command.seat + 1], default=0)
        return command.board == board.slot.board and put and not open_now

    def skip(self, state: Table, closing: BoardClosing) -> Table:
        """The table after a board of which nothing but its result was read."""
        result = Result(
            BoardSlot(closing.board, closing.attempt),
            closing.unfinished,
            closing.scores,
            closing.thinking_us,
            closing.playing_us,
            closing.taken_over,
            closing.left,
            closing.people,
        )
        after = ended(state, result, state.free_us)
        return after._replace(
            board=None,
            people=closing.people,
            referee_called=closing.referee_called,
            call=None,
            given_us=closing.given_us or (0,) * len(closing.people),
            instead=closing.instead or ("",) * len(closing.people),
        )
