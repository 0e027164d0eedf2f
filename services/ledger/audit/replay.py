"""Every board played over again: dealt from its leaf, each action decided anew, its events and its end compared."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from typing import Any

from fupan.table.v1 import events_pb2 as table_pb
from services.domain import Rejected
from services.games import registry
from services.games.rules import Outcome, Ruleset
from services.ledger import dealing
from services.ledger.audit.evidence import Entry, Event, Evidence
from services.ledger.audit.report import Tally
from services.ledger.codec import parse
from services.ledger.digests import canonical_json, params_digest
from services.ledger.games import GAMES, GameCodec


class Replays:
    """The three checks that playing over answers, over all tables."""

    def __init__(self, evidence: Evidence) -> None:
        self.deals = Tally("deals", "boards")
        self.replay = Tally("replay", "decisions")
        self.scores = Tally("scores", "boards")
        self.leaves = evidence.dealings.leaves()
        self.entropies = evidence.dealings.entropies()
        for subject, _, entries in evidence.of("table"):
            self._play(subject, entries)

    def _play(self, subject: str, entries: Sequence[Entry]) -> None:
        table = _Table(self, subject)
        for entry in entries:
            where = (subject, entry.version, entry.stored.sequence)
            try:
                table.record(entry)
            except _Wrong as wrong:
                wrong.tally.wrong(*where, wrong.code, str(wrong))
                table.board = None
            except Exception as error:
                # Whatever forged content makes the rules trip over is a finding, not a crash of the verifier.
                self.replay.wrong(*where, "UNPLAYABLE", f"{type(error).__name__}: {error}")
                table.board = None


class _Wrong(Exception):
    """Something does not fit; the board is given up, the table goes on."""

    def __init__(self, tally: Tally, code: str, detail: str) -> None:
        super().__init__(detail)
        self.tally = tally
        self.code = code


class _Table:
    """One table's records. `board` is None between boards, and when the open one cannot be followed."""

    def __init__(self, checks: Replays, subject: str) -> None:
        self.board: _Board | None = None
        self._checks = checks
        self._subject = subject
        self._game: tuple[Ruleset, GameCodec, Any] | None = None
        self._params_digest = b""
        self._round = 0
        self._slot = (0, 0)

    @property
    def _path(self) -> str:
        return dealing.board_path(self._round, *self._slot)

    def record(self, entry: Entry) -> None:
        """Follow one record. Raises _Wrong."""
        if entry.body is None:
            self._checks.replay.missing.append(f"board {self._path} of {self._subject} cannot be read")
            self.board = None
            return
        if self._game is not None and entry.record.header.params_digest not in (b"", self._params_digest):
            raise _Wrong(self._checks.replay, "OTHER_PARAMETERS", "written under other parameters")
        for index, event in enumerate(entry.events):
            self._event(entry, event, entry.events[index + 1 : index + 2])
        if self.board is not None:
            self.board.settled()

    def _event(self, entry: Entry, event: Event, following: Sequence[Event]) -> None:
        board, message = self.board, event.message
        match event.kind:
            case "table_opened":
                self._open_table(message)
            case "board_opened":
                self.board = None
                self._slot = (message.board, message.attempt)
            case "board_dealt":
                self.board = self._deal(message.deal)
            case "acted" if board is not None:
                self._checks.replay.done += 1
                board.act(entry, message.seat, following)
            case "board_finished":
                self.board = None
                if board is not None:
                    self._checks.scores.done += 1
                    self._finish(entry, message, board.outcome())
            case "board_closed_unfinished":
                self.board = None
                self._close(entry)
            case kind if board is not None and kind == board.codec.field:
                board.happen(message)

    def _open_table(self, opened: Any) -> None:
        self._round = opened.round
        try:
            rules = registry.find(opened.ruleset)
            params = rules.resolve(json.loads(opened.params))
        except (Rejected, ValueError) as error:
            raise _Wrong(self._checks.replay, "UNKNOWN_RULES", f"{opened.ruleset}: {error}") from error
        self._game = (rules, GAMES[rules.game], params)
        described = rules.describe(params)
        self._params_digest = params_digest(described)
        if canonical_json(described) != opened.params.encode():
            detail = "the parameters are not in canonical form with every one named"
            raise _Wrong(self._checks.replay, "PARAMETERS", detail)

    def _deal(self, dealt: bytes) -> _Board:
        deals = self._checks.deals
        if self._game is None:
            raise _Wrong(deals, "NO_TABLE", "a deal at a table that was not opened")
        rules, codec, params = self._game
        leaf = self._checks.leaves.get(self._path)
        if leaf is None:
            deals.missing.append(f"the leaf of {self._path} is not revealed in this file")
        else:
            deals.done += 1
            entropy = self._checks.entropies.get(self._path, b"")
            if bytes(dealing.deal(leaf, self._path, entropy, rules.deck)) != dealt:
                raise _Wrong(deals, "OTHER_DEAL", f"the deal of {self._path} is not the one its leaf gives")
        try:
            return _Board(self._checks.replay, rules, codec, rules.start(params, self._slot[0], tuple(dealt)))
        except Rejected as error:
            raise _Wrong(deals, "NO_DEAL", error.detail) from error

    def _finish(self, entry: Entry, finished: Any, outcome: Outcome | None) -> None:
        scores, closing = self._checks.scores, entry.record.closing
        if outcome is None:
            raise _Wrong(scores, "NOT_OVER", f"board {self._path} was finished before it was over")
        if (outcome.scores, outcome.drawn) != (tuple(finished.scores), finished.drawn):
            recorded, played = list(finished.scores), list(outcome.scores)
            detail = f"board {self._path} was recorded as {recorded}, played over it gives {played}"
            raise _Wrong(scores, "OTHER_SCORES", detail)
        if closing is None and not entry.record.sealed:
            return
        told = closing and (closing.round, closing.board, closing.attempt, closing.unfinished, closing.scores)
        if told != (self._round, *self._slot, False, outcome.scores):
            detail = f"what was told in the clear of {self._path} is not its result"
            raise _Wrong(scores, "OTHER_CLOSING", detail)

    def _close(self, entry: Entry) -> None:
        closing = entry.record.closing
        if closing is not None and (not closing.unfinished or closing.scores):
            detail = f"{self._path} was closed unfinished but told a result"
            raise _Wrong(self._checks.scores, "OTHER_CLOSING", detail)


class _Board:
    """One board as the rules play it; `_due` is what must happen next by itself."""

    def __init__(self, tally: Tally, rules: Ruleset, codec: GameCodec, state: Any) -> None:
        self.codec = codec
        self._tally = tally
        self._rules = rules
        self._state = state
        self._due: deque[Any] = deque(rules.opening(state))

    def act(self, entry: Entry, seat: int, following: Sequence[Event]) -> None:
        """Let `seat` act by the rules.

        It does what its command asks for; where its clock or house AI acted, what explains the event that follows.
        """
        self.settled()
        try:
            action = self._commanded(entry, seat)
            if action is None:
                action = self._explained(seat, following)
            self._due.extend(self._rules.decide(self._state, seat, action))
        except Rejected as refused:
            detail = f"seat {seat} may not act so: {refused.clause} {refused.detail}"
            raise _Wrong(self._tally, "ILLEGAL_ACTION", detail) from refused

    def happen(self, message: Any) -> None:
        """One event of the game: it must be the one that is due."""
        happened = self.codec.events.from_proto(message)
        due = self._due.popleft() if self._due else None
        if happened != due:
            instead = "nothing" if due is None else str(due)
            raise _Wrong(self._tally, "OTHER_EVENT", f"{happened} where by the rules {instead} happens")
        self._state = self._rules.evolve(self._state, happened)

    def settled(self) -> None:
        """Nothing may be due when a seat acts or a record ends."""
        if self._due:
            raise _Wrong(self._tally, "EVENT_MISSING", f"{self._due[0]} did not happen")

    def outcome(self) -> Outcome | None:
        """The result, None while the board is open."""
        return self._rules.outcome(self._state)

    def _commanded(self, entry: Entry, seat: int) -> Any:
        """The action of `seat` that the record's command asks for; None where it is no command of that seat."""
        if entry.body is None:
            return None
        command = parse(table_pb.Command, entry.body.command)
        field = self.codec.field
        if command.WhichOneof("kind") != "act" or command.act.seat != seat or not command.act.HasField(field):
            return None
        return self.codec.actions.from_proto(getattr(command.act, field))

    def _explained(self, seat: int, following: Sequence[Event]) -> Any:
        """The choice of `seat` that leads to the event that follows. Raises Rejected where there is none."""
        happened = tuple(
            self.codec.events.from_proto(event.message)
            for event in following
            if event.kind == self.codec.field
        )
        if happened and seat in self._rules.asked(self._state):
            options = self._rules.options(self._state, seat)
            for action in (self._rules.fallback(self._state, seat), *options):
                if self._rules.decide(self._state, seat, action)[:1] == happened:
                    return action
        raise Rejected("NO_SUCH_CHOICE", "", "it had no choice that leads to what happened")
