"""Every board played over again: dealt from its leaf, each action decided anew, its events and its end compared."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.domain import Rejected
from services.games import registry
from services.games.rules import Outcome, Ruleset
from services.games.shengji import infringements
from services.games.shengji.pace import Dealing
from services.games.shengji.ruleset import Shengji
from services.ledger import dealing
from services.ledger.audit.asking import misasked
from services.ledger.audit.clocks import Clocks
from services.ledger.audit.entered import EnteredReplay
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.matches import MatchReplay
from services.ledger.audit.questions import Question
from services.ledger.audit.report import Tally
from services.ledger.audit.sheets import SheetReplay
from services.ledger.digests import canonical_json, params_digest
from services.ledger.games import GAMES, GameCodec
from services.ledger.record import BoardClosing

_GAME_FIELDS = frozenset(codec.field for codec in GAMES.values())


class Replays:
    """The three checks that playing over answers, over all tables."""

    def __init__(self, evidence: Evidence) -> None:
        self.deals = Tally("deals", "boards")
        self.replay = Tally("replay", "decisions")
        self.scores = Tally("scores", "boards")
        self.leaves = evidence.dealings.leaves()
        self.entropies = evidence.dealings.entropies()
        self.telling = {
            entries[0].build
            for _, _, entries in evidence.of("table")
            if any(one.kind == "table_opened" and one.message.tells_seats for one in entries[0].events)
        }
        """Builds that tell in the clear who is given a seat while a board is open."""
        for subject, _, entries in evidence.of("table"):
            self._play(subject, entries)

    def _play(self, subject: str, entries: Sequence[Entry]) -> None:
        table = _Table(self, subject)
        for entry in entries:
            try:
                table.record(entry)
            except _Wrong as wrong:
                wrong.tally.wrong(*_where(subject, entry), wrong.code, str(wrong))
                table.lose()
            except Exception as error:
                # Whatever forged content makes the rules trip over is a finding, not a crash of the verifier.
                self.replay.wrong(*_where(subject, entry), "UNPLAYABLE", f"{type(error).__name__}: {error}")
                table.lose()


def _where(subject: str, entry: Entry) -> tuple[str, int, int]:
    return subject, entry.version, entry.stored.sequence


class _Wrong(Exception):
    """Something does not fit; the board is given up, the table goes on."""

    def __init__(self, tally: Tally, code: str, detail: str) -> None:
        super().__init__(detail)
        self.tally = tally
        self.code = code


class _Table:
    """One table's records, folded by the rules alone."""

    def __init__(self, checks: Replays, subject: str) -> None:
        self._checks = checks
        self._subject = subject
        self._game: tuple[Ruleset, GameCodec, Any] | None = None
        self._params_digest = b""
        self._round = 0
        self._slot = (0, 0)
        self._board: _Board | None = None
        self._match: MatchReplay | None = None
        self._clocks: Clocks | None = None
        self._sheet: SheetReplay | None = None
        # Of a table whose boards are played with real cards.
        self._entered: EnteredReplay | None = None
        self._table = ""
        # Entrant and person by seat; no person: house AI.
        self._seats: list[tuple[int, str]] = []
        self._people: tuple[str, ...] = ()
        self._taken_over: set[int] = set()
        self._left: list[str] = []
        """Who left a seat of the open board, each once."""
        # The open board has a fault or cannot be read: what is left of it is passed over.
        self._lost = False

    @property
    def _path(self) -> str:
        return dealing.board_path(self._round, *self._slot, self._table)

    @property
    def _empty(self) -> set[int]:
        """Seats of entrants that have nobody there: house AI plays (C1.7)."""
        return {seat for seat, (entrant, person) in enumerate(self._seats) if entrant and not person}

    def _sit(self, seats: list[tuple[int, str]]) -> None:
        self._seats, self._people = seats, tuple([person for _, person in seats])

    def _wrong(self, entry: Entry, code: str, detail: str) -> None:
        self._checks.replay.wrong(*_where(self._subject, entry), code, detail)

    def lose(self) -> None:
        """Give the open board up, until the next one is opened."""
        self._board = None
        self._lost = True
        if self._clocks is not None:
            self._clocks.lose()
        if self._match is not None:
            self._match.lose()

    def record(self, entry: Entry) -> None:
        """Follow one record. Raises _Wrong."""
        if not entry.read:
            self._checks.replay.missing.append("boards that cannot be read are not played over")
            self.lose()
            if people := entry.people or (entry.closing.people if entry.closing else ()):
                self._sit([(entrant, one) for (entrant, _), one in zip(self._seats, people, strict=False)])
            return
        digest = entry.params_digest
        if digest and digest != self._params_digest and self._game is not None:
            raise _Wrong(self._checks.replay, "OTHER_PARAMETERS", "written under other parameters")
        if entry.order == "draw_cards" and not self._lost:
            self._played().draw(entry.time_us)
        before, clocks = self._people, self._clocks
        asked = {} if clocks is None else clocks.open
        for kind, message in entry.events:
            if kind in _GAME_FIELDS:  # most of what happens, and nothing that clocks go by
                if not self._lost:
                    (self._board or self._played()).happen(message)
                continue
            if self._match is not None:
                self._check_clock(self._match, entry, kind, message)
            if clocks is not None:
                clocks.passed(entry, kind, message, before)
            self._event(entry, kind, message)
        if entry.people and entry.people != self._people:
            detail = f"who is told in the clear to sit at {self._subject} does not sit there"
            raise _Wrong(self._checks.scores, "OTHER_SEATS", detail)
        silent = before != self._people and entry.sealed and entry.closing is None and not entry.people
        if silent and entry.build in self._checks.telling:
            detail = f"who was given a seat at {self._subject} is not told in the clear"
            raise _Wrong(self._checks.scores, "OTHER_SEATS", detail)
        if self._board is not None:
            self._board.settled()
            if clocks is not None and (wrong := self._board.misasked(entry, asked, clocks.open)):
                self._wrong(entry, *wrong)

    def _event(self, entry: Entry, kind: str, message: Any) -> None:
        match kind:
            case "acted" if not self._lost:
                self._checks.replay.done += 1
                self._played().act(entry, message)
            case "acted" | "asked" | "paced":  # which clocks go by
                pass
            case "table_opened":
                self._open_table(message)
            case "board_opened":
                self._slot, self._board, self._lost = (message.board, message.attempt), None, False
                self._left = []
                self._taken_over = self._empty
                if self._match is not None:
                    self._check_match(self._match.opened(message.match))
            case "sheet" if self._sheet is not None:
                self._checks.replay.done += 1
                self._check_match(self._sheet.told(message))
            case "match_ended" if self._sheet is not None:
                self._checks.scores.done += 1
                self._check_match(self._sheet.ended(message))
            case "match_ended" if self._match is not None:
                self._checks.scores.done += 1
                by_order = entry.order == "end_match" and bool(entry.command.reason)
                self._check_match(self._match.ended(message, entry.time_us, by_order))
            case "seat_replaced":
                entrant, before = self._seats[message.seat]
                if before and before not in self._left and not message.sits_at:
                    self._left.append(before)
                self._seats[message.seat] = (entrant, message.person_id)
                self._sit(self._seats)
                if self._sheet is not None:
                    self._sheet.replaced(message.seat, message.person_id)
                if not message.person_id:
                    self._taken_over.add(message.seat)
            case "board_closed_unfinished":
                self._board = None
                self._close(entry, message)
            case "board_dealt" if not self._lost:
                self._board = self._deal(message)
            case "dealing_started" if not self._lost:
                self._played().pace(message.start_us, message.pace_us)
            case "table_paused" if self._board is not None:
                self._board.pause(entry.time_us)
            case "table_resumed" if self._board is not None:
                self._board.resume(entry.time_us)
            case "clock_extended" if self._board is not None:
                self._board.later(message.outage_us)
            case "board_entered" if self._entered is not None:
                self._entered.told(message)
            case "board_finished" if self._entered is not None:
                self._checks.scores.done += 1
                self._finish_entered(entry, message, self._entered)
            case "board_finished" if not self._lost:
                board, self._board = self._played(), None
                self._checks.scores.done += 1
                self._finish(entry, message, board)
                if self._match is not None:
                    self._match.finished(board.state, entry.time_us)
            case "infringement_recorded" if self._board is not None:
                self._board.penalise(message)

    def _played(self) -> _Board:
        if self._board is None:
            raise _Wrong(self._checks.replay, "NOT_DEALT", f"board {self._path} was played without a deal")
        return self._board

    def _open_table(self, opened: Any) -> None:
        self._round = opened.round
        self._sit([(seat.entrant, seat.person_id) for seat in opened.seats])
        try:
            rules = registry.find(opened.ruleset)
            params = rules.resolve(json.loads(opened.params))
        except (Rejected, ValueError) as error:
            raise _Wrong(self._checks.replay, "UNKNOWN_RULES", f"{opened.ruleset}: {error}") from error
        self._game, self._clocks = (rules, GAMES[rules.game], params), Clocks(opened, self._wrong)
        if opened.real_cards:
            self._entered = EnteredReplay(params)
        if opened.match.real_cards:
            self._sheet = SheetReplay(params, opened.match, self._people)
        elif opened.HasField("match"):
            self._table, self._match = opened.table, MatchReplay(params, opened.match)
        described = rules.describe(params)
        self._params_digest = params_digest(described)
        if canonical_json(described) != opened.params.encode():
            detail = "the parameters are not in canonical form with every one named"
            raise _Wrong(self._checks.replay, "PARAMETERS", detail)

    def _check_clock(self, match: MatchReplay, entry: Entry, kind: str, message: Any) -> None:
        """What is told of a match's time is a finding when it is wrong; its deals can be played over all the same."""
        wrong = match.passed(kind, message, entry.time_us)
        if wrong:
            self._checks.scores.wrong(*_where(self._subject, entry), "OTHER_CLOCK", wrong)

    def _check_match(self, wrong: str) -> None:
        if wrong:
            raise _Wrong(self._checks.scores, "OTHER_MATCH", wrong)

    def _deal(self, message: Any) -> _Board:
        deals, dealt = self._checks.deals, message.deal
        lot = message.first_drawer if message.HasField("first_drawer") else None
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
            if lot is not None and lot != dealing.lot(leaf, self._path, rules.seats):
                raise _Wrong(deals, "OTHER_LOT", f"the lot of {self._path} is not the one its leaf gives")
        try:
            if self._match is None:
                state = rules.start(params, self._slot[0], tuple(dealt))
            else:
                state = self._match.deal(rules, tuple(dealt), lot)
        except Rejected as error:
            raise _Wrong(deals, "NO_DEAL", error.detail) from error
        return _Board(self._checks.replay, rules, codec, state)

    def _finish_entered(self, entry: Entry, finished: Any, entered: EnteredReplay) -> None:
        try:
            outcome = entered.finished(*self._slot, self._people)
        except Rejected as refused:
            raise _Wrong(self._checks.scores, refused.reason, refused.detail) from refused
        no_time = (0,) * len(outcome.scores)
        self._check_end(entry, finished, outcome, (no_time, no_time))

    def _finish(self, entry: Entry, finished: Any, board: _Board) -> None:
        outcome = board.outcome()
        if outcome is None:
            raise _Wrong(
                self._checks.scores, "NOT_OVER", f"board {self._path} was finished before it was over"
            )
        clocks = self._clocks
        assert clocks is not None  # no board without a table
        self._check_end(entry, finished, outcome, (tuple(clocks.thinking_us), tuple(clocks.playing_us)))

    def _check_end(
        self, entry: Entry, finished: Any, outcome: Outcome, spent: tuple[tuple[int, ...], tuple[int, ...]]
    ) -> None:
        """What is told of a board's end is what it came to, and the times that were `spent`: on all decisions, on plays."""
        scores, closing = self._checks.scores, entry.closing
        if (outcome.scores, outcome.drawn) != (tuple(finished.scores), finished.drawn):
            recorded, played = list(finished.scores), list(outcome.scores)
            detail = f"board {self._path} was recorded as {recorded}, played over it gives {played}"
            raise _Wrong(scores, "OTHER_SCORES", detail)
        times = (tuple(finished.thinking_us), tuple(finished.playing_us))
        if times != spent:
            detail = f"the thinking times of {self._path} are not the sums of its decisions"
            raise _Wrong(scores, "OTHER_TIMES", detail)
        taken_over = tuple(sorted(self._taken_over))
        due = BoardClosing(
            self._round, *self._slot, False, outcome.scores, times[0], taken_over, times[1], self._people
        )
        if tuple(finished.taken_over) != taken_over:
            detail = (
                f"seats {list(taken_over)} of {self._path} were taken over, not {list(finished.taken_over)}"
            )
            raise _Wrong(scores, "OTHER_SEATS", detail)
        # Whether a referee is still to rule, or a seat to be confirmed, is no result, and records of older versions say neither
        # that nor who left.
        left = tuple(self._left) if closing is not None and closing.left else ()
        told = None if closing is None else replace(closing, referee_called=False, given_us=(), instead=())
        if told != replace(due, left=left):
            detail = f"what was told in the clear of {self._path} is not its result"
            raise _Wrong(scores, "OTHER_CLOSING", detail)

    def _close(self, entry: Entry, closed: Any) -> None:
        """An unfinished board tells no result, but whose seats house AI had: those get nothing for it (C1.7, C2.2)."""
        closing, slot = entry.closing, (closed.board, closed.attempt)
        over = self._taken_over if slot == self._slot else self._empty
        path = dealing.board_path(self._round, *slot, self._table)
        if closing is None or not closing.unfinished or closing.scores:
            detail = f"{path} was closed unfinished but told a result"
            raise _Wrong(self._checks.scores, "OTHER_CLOSING", detail)
        # Records of older versions do not say it.
        if closing.taken_over and closing.taken_over != tuple(sorted(over)):
            detail = f"seats {sorted(over)} of {path} were taken over, not {list(closing.taken_over)}"
            raise _Wrong(self._checks.scores, "OTHER_SEATS", detail)


class _Board:
    """One board as the rules play it; `_due` is what must happen next by itself."""

    def __init__(self, tally: Tally, rules: Ruleset, codec: GameCodec, state: Any) -> None:
        self._codec = codec
        self._tally = tally
        self._rules = rules
        self.state = state
        self._due: deque[Any] = deque(rules.opening(state))
        self._dealing: Dealing | None = None
        self._paused_us = 0
        self._misasked: tuple[str, str] | None = None

    def pace(self, start_us: int, pace_us: int) -> None:
        """Cards are not drawn at once, but as time goes (S3.1)."""
        self._dealing = Dealing(start_us, pace_us)
        self._due.clear()

    def pause(self, at_us: int) -> None:
        """Time does not count from here on."""
        self._paused_us = at_us

    def resume(self, at_us: int) -> None:
        """Time counts again."""
        self.later(at_us - self._paused_us)

    def later(self, by_us: int) -> None:
        """Time that did not count moves what follows from it."""
        if self._dealing is not None:
            self._dealing = self._dealing.later(by_us)

    def draw(self, at_us: int) -> Any:
        """Let cards be drawn as far as they were by then, and what was bid before be decided; the game after that (S4.4)."""
        self.settled()
        game, number = self.state, 0 if self._dealing is None else self._dealing.newest(at_us)
        if not isinstance(self._rules, Shengji) or number <= game.drawn:
            return game
        for event in self._rules.draw(game, number):
            self._due.append(event)
            game = self._rules.evolve(game, event)
        return game

    def act(self, entry: Entry, acted: Any) -> None:
        """Let a seat do by the rules what the record's command asks for, or what its clock gave it."""
        self.settled()
        try:
            game = self.state if acted.asked_us else self.draw(acted.received_us)
            self._due.extend(self._rules.decide(game, acted.seat, self._action(entry, acted.seat)))
        except Rejected as refused:
            detail = f"seat {acted.seat} may not act so: {refused.clause} {refused.detail}"
            raise _Wrong(self._tally, "ILLEGAL_ACTION", detail) from refused

    def penalise(self, recorded: Any) -> None:
        """A referee recorded what may move points in the deal (S9.2)."""
        code, outcome, fine = recorded.code, recorded.outcome, recorded.fine
        if isinstance(self._rules, Shengji) and infringements.moves_points(code, outcome, fine):
            self._due.extend(self._rules.penalise(self.state, recorded.seat, code, outcome, fine))

    def happen(self, happened: Any) -> None:
        """One event of the game: it must be the one that is due, whose state is worked out already."""
        due = self._due.popleft() if self._due else None
        if happened == due:  # asks less of a dataclass than whether it differs
            self.state = self._rules.evolve(self.state, due)
        else:
            instead = "nothing" if due is None else str(due)
            raise _Wrong(self._tally, "OTHER_EVENT", f"{happened} where by the rules {instead} happens")

    def settled(self) -> None:
        """Nothing may be due when a seat acts or a record ends."""
        if self._due:
            raise _Wrong(self._tally, "EVENT_MISSING", f"{self._due[0]} did not happen")

    def misasked(
        self, entry: Entry, before: Mapping[int, Question], now: Mapping[int, Question]
    ) -> tuple[str, str] | None:
        """What is wrong with the questions open after a record, `before` being those that it left open; told once a board."""
        if self._misasked is not None:
            return None
        self._misasked = misasked(self._rules, self.state, before, now, entry.events)
        return self._misasked

    def outcome(self) -> Outcome | None:
        """The result, None while the board is open."""
        return self._rules.outcome(self.state)

    def _action(self, entry: Entry, seat: int) -> Any:
        """What `seat` does by the record's command. Raises Rejected where it is no command of that seat."""
        command, game = entry.command, self._codec.field
        match entry.order:
            case "act" if command.seat == seat and (action := command.action).HasField(game):
                # By its bytes, since the same is done again and again.
                return self._codec.actions.decode(getattr(action, game).SerializeToString())
            case "expire_clock" if command.seat == seat:
                return self._rules.fallback(self.state, seat)
        raise Rejected("OTHER_COMMAND", "", "the record's command is not one of this seat")
