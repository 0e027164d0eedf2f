"""A match folded over its deals as they are played over: standings, clock and end, compared with what was recorded (C8.2-C8.4).

Who wins by the clock follows from the times of the records and the pauses between them (C8.3).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from services.games.championship.netlevels import PAST_A
from services.games.rules import Ruleset
from services.games.shengji import match as matches
from services.games.shengji.match import Match
from services.games.shengji.params import Params
from services.games.shengji.result import SIDES
from services.games.shengji.ruleset import Shengji
from services.games.shengji.state import State


class Verdict(NamedTuple):
    """Who has won, None for nobody, and the clause that decided."""

    winner: int | None
    clause: str


class Clock:
    """The time of a match as the records tell it, and its limit of deals (C8.3). Microseconds since 1970."""

    def __init__(self, time_ms: int, deals: int) -> None:
        self._time_us = time_ms * 1000
        self._deals = deals
        self.started_us = 0
        self.ends_us = 0
        """0: it is not limited, or has not begun."""
        self._paused_us = 0

    def start(self, at_us: int) -> None:
        """The first deal is opened; those after it change nothing."""
        if not self.started_us:
            self.started_us = at_us
            self.ends_us = at_us + self._time_us if self._time_us else 0

    def pause(self, at_us: int) -> None:
        """Time does not count from here on."""
        self._paused_us = at_us

    def go_on(self, at_us: int) -> None:
        """It counts again: after a pause, which ends with its deal at the latest."""
        if self._paused_us:
            self.later(at_us - self._paused_us)
            self._paused_us = 0

    def later(self, by_us: int) -> None:
        """So much time did not count."""
        if self.ends_us:
            self.ends_us += by_us

    def late(self, at_us: int) -> bool:
        """Whether the time is over; in a pause it stands still."""
        return 0 < self.ends_us <= (self._paused_us or at_us)

    def limited(self, at_us: int, deals: int) -> bool:
        """Whether the time is over, or all `deals` are played."""
        return self.late(at_us) or 0 < self._deals <= deals

    def learn(self, started_us: int, ends_us: int) -> None:
        """What was told where records could not be read."""
        self.started_us, self.ends_us, self._paused_us = started_us, ends_us, 0


class MatchReplay:
    """One match under `terms` (MatchTerms of the protos). What does not fit is returned as text, empty where all does."""

    def __init__(self, params: Params, terms: Any) -> None:
        self._clock = Clock(terms.time_ms, terms.deals)
        self._match = matches.start(params, 0)
        self._a_is_a_level = terms.a_is_a_level
        self._deciding = ""
        """Clause by which the deal that runs, or comes next, decides the match whatever the levels after it."""
        self._decided: Verdict | None = None
        """By the deal that was played last."""
        self._sure = True
        """Every deal so far could be played over."""

    def lose(self) -> None:
        """A deal could not be played over: what is told of the match next is taken for true."""
        self._sure = False

    def opened(self, told: Any) -> str:
        """A deal is opened under the standing `told`."""
        levels, reached = tuple(told.levels), tuple(told.reached)
        declarer = told.declarer if told.HasField("declarer") else None
        now = self._match
        if not self._sure:
            (one, two), (first, second) = levels, reached
            counts = told.first_drawer, told.deals, told.voided
            self._match = Match(now.params, (one, two), (first, second), declarer, *counts, None)
            self._deciding, self._decided, self._sure = told.deciding, None, True
            self._clock.learn(told.started_us, told.ends_us)
            return ""
        stands = (levels, reached, declarer, told.first_drawer, told.deals, told.voided)
        folded = (now.levels, now.reached, now.declarer, now.first_drawer, now.deals, now.voided)
        if stands != folded:
            return f"the match is told to stand at {stands}, its deals lead to {folded}"
        return ""

    def _begun(self, told: Any, at_us: int) -> str:
        """There was time for another deal, and it decides the match or not (C8.3)."""
        if self._verdict(at_us) is not None:
            return "a deal was opened after the match was decided"
        now = self._match
        self._clock.start(at_us)
        self._deciding = self._deciding or ("C8.3c" if self._clock.limited(at_us, now.deals) else "")
        times, due = (told.started_us, told.ends_us), (self._clock.started_us, self._clock.ends_us)
        if times != due:
            return f"the match is told to run from and to {times}, the records' times give {due}"
        if told.deciding != self._deciding:
            return f"by the records' times {self._deciding or 'no clause'} lets this deal decide, not {told.deciding!r}"
        return ""

    def deal(self, rules: Ruleset, cards: tuple[int, ...], lot: int | None) -> State:
        """A deal of the match; `lot` draws first on its first one (S3.2). Raises Rejected."""
        if lot is not None:
            self._match = self._match._replace(first_drawer=lot)
        assert isinstance(rules, Shengji)
        return rules.deal(self._match.params, self._match.setting, cards)

    def passed(self, kind: str, told: Any, at_us: int) -> str:
        """An event of the table, recorded at `at_us`: what it does to the clock, and whether there was time for it."""
        clock = self._clock
        match kind:
            case "acted" if self._sure and not self._level and clock.late(told.received_us or at_us):
                return "a deal was played on after the time that breaks it off (C8.3a)"
            case "board_opened" if self._sure:
                return self._begun(told.match, at_us)
            case "table_paused":
                clock.pause(at_us)
            case "board_closed_unfinished":
                clock.go_on(at_us)
            case "table_resumed" | "clock_extended":
                clock.go_on(at_us)
                clock.later(told.outage_us if kind == "clock_extended" else 0)
                if self._sure and told.match_ends_us != clock.ends_us:
                    return f"the match is told to end at {told.match_ends_us}, the records' times give {clock.ends_us}"
        return ""

    def finished(self, deal: State, at_us: int) -> None:
        """A deal was played to its end (C8.3b)."""
        if self._level and self._clock.late(at_us):  # in a pause it stands at the moment it was paused
            self._deciding = self._deciding or "C8.3b"
        self._match = matches.played(self._match, deal)
        winner = matches.decided_by(deal)
        if self._match.won_by is not None:
            self._decided = Verdict(self._match.won_by, PAST_A)
        elif self._deciding and winner is not None:
            self._decided = Verdict(winner, self._deciding)
        self._clock.go_on(at_us)

    def ended(self, told: Any, at_us: int, by_order: bool) -> str:
        """The match is over, as `told`; `by_order`: somebody said so, whether it was decided or not (C2.2)."""
        now, winner = self._match, told.winner if told.HasField("winner") else None
        if not self._sure:
            return ""
        if (tuple(told.levels), told.deals) != (now.levels, now.deals):
            return f"the match ended at {list(told.levels)}, its deals lead to {list(now.levels)}"
        if list(told.past_a) != [now.won_by == side for side in SIDES]:
            return "the match is told to be won past A otherwise than its deals say"
        found = self._verdict(at_us)
        if found is None and not by_order:
            return "the match was ended before its deals or its clock had decided it"
        due = found or self._settled() or Verdict(None, "C2.2")
        if (winner, told.clause) != due:
            return f"side {winner} is told to have won by {told.clause}; deals and clock give {tuple(due)}"
        net = 0 if winner is None else matches.net(now, winner, self._a_is_a_level)
        if told.net_levels != net:
            return f"{told.net_levels} net levels were told, the levels give {net}"
        if (told.started_us, told.ended_us) != (self._clock.started_us, at_us):
            return "the match is told to have begun or ended at another time than its records were written"
        return ""

    @property
    def _level(self) -> bool:
        one, two = self._match.levels
        return one == two

    def _verdict(self, at_us: int) -> Verdict | None:
        """Who has won by what is known between two deals; None while another one is to be played."""
        if self._decided is not None or self._deciding or not self._clock.limited(at_us, self._match.deals):
            return self._decided
        return self._settled()

    def _settled(self) -> Verdict | None:
        """Who has won by the levels as they stand (C8.3a, C8.3c); None where both sides never left 2."""
        _, winner = matches.at_time(self._match, running=False)
        return None if winner is None else Verdict(winner, "C8.3c" if self._level else "C8.3a")
