"""Whole events of pairs, teams and points, fields of 4 to 60, through pairing's decider: nobody meets twice (C1.5, C7, C8.1)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.games.championship import contest as c
from services.games.championship.league import Placing
from services.games.championship.meetings import Round
from services.games.championship.points import MatchResult
from services.games.championship.results import Facts, TableResult
from services.games.championship.tables import Tables, plan_of, seat_drawn, seat_ranked
from services.pairing import seating
from services.pairing.document import resolve
from services.pairing.model import commands
from services.pairing.model import events as e
from services.pairing.model.digests import entrants_digest, seating_digest
from services.pairing.model.state import SERVICE, Championship
from tests.games.championship import rounds as look
from tests.pairing.given import PAIRING
from tests.specification import Given

BOARDS = 2
MEMBERS = {"pairs": 2, "teams": 4, "points": 2}


@dataclass
class Event:
    """An event played at random: its past in pairing's log, and what its tables came to."""

    form: str
    movement: str
    size: int
    rounds: int
    chance: Random
    past: Given = field(init=False)
    drawn: list[int] = field(init=False)
    results: list[TableResult] = field(default_factory=list)
    matches: list[c.Match] = field(default_factory=list)

    def __post_init__(self) -> None:
        document = {
            "championship": "cup",
            "name": "Cup",
            "game": "shengji",
            "format": self.form,
            "movement": self.movement,
            "rounds": self.rounds,
            **({} if self.form == "points" else {"boards_per_round": BOARDS}),
        }
        created = e.ChampionshipCreated(resolve(json.dumps(document), False), "boss", "e1", ())
        entrants = tuple(
            e.Entrant(n, tuple(e.Member(f"p-{n}-{k}", "") for k in range(MEMBERS[self.form])))
            for n in range(1, self.size + 1)
        )
        digest = entrants_digest(entrants)
        start = PAIRING.given(
            created,
            e.EntrantsImported("i1", 0, entrants),
            e.EntrantsImportClosed("i1", self.size, digest),
        )
        closed = e.RegistrationClosed(self.size, digest)
        self.past = start.when(commands.CloseRegistration()).then(closed)
        self.drawn = self.chance.sample(range(1, self.size + 1), self.size)

    @property
    def state(self) -> Championship:
        state: Championship = self.past.state
        return state

    @property
    def played(self) -> tuple[Round, ...]:
        return seating.played(self.state)

    def seat(self, number: int) -> Tables:
        """The tables of the next round."""
        state = self.state
        assert state.settings is not None
        plan = plan_of(state.settings)
        if number == 1 or plan.fixed:
            return seat_drawn(plan, number, self.drawn, state.withdrawn)
        order = self.order()
        active = state.active()
        scores = {row.entrant: row.points if isinstance(row, Placing) else row.tenths for row in order}
        return seat_ranked(plan, [r.entrant for r in order if r.entrant in active], scores, self.played)

    def pair(self, number: int) -> None:
        """Seat a round, start and close it; the decider takes it."""
        laid = self.seat(number)
        tables = seating.seated(number, laid)
        digest = seating_digest(tables)
        command = commands.PairRound(number, 1, "x", 0, b"", 1, b"", digest, laid.byes)
        paired = e.RoundPaired(number, len(tables), digest, "x", 0, b"", 1, b"", laid.byes)
        self.past = self.past.when(commands.SeatTables(number, 0, tables)).then(
            e.RoundSeated(number, 0, tables)
        )
        self.past = (
            self.past.when(command)
            .then(paired)
            .when(commands.StartRound(number))
            .then(e.RoundStarted(number, 0))
        )
        self._play(number, tables)
        ends = (e.CompetitionEnded(),) if number == self.rounds else ()
        self.past = self.past.when(commands.CloseRound(number, ""), by=SERVICE).then(
            e.RoundClosed(number, False, ""), *ends
        )

    def _play(self, number: int, tables: tuple[e.SeatedTable, ...]) -> None:
        for one in tables:
            if self.form == "points":
                levels = tuple(self.chance.choice("789TJQKA") for _ in range(2))
                result = MatchResult(self.chance.randrange(2), (levels[0], levels[1]), "S9.5")
                self.matches.append(c.Match(number, one.table, result))
                continue
            for board in range(1, BOARDS + 1):
                score = self.chance.randrange(-80, 81, 5)
                scores = (score, -score, score, -score)
                self.results.append(
                    TableResult(number, 1, board, one.table, tuple(one.entrants), scores, (0, 0, 0, 0))
                )

    def order(self) -> c.Order:
        """The standings."""
        state = self.state
        seats = {(r.number, one.table): one.entrants for r in state.rounds for one in r.tables}
        byes = tuple((one, r.number) for r in state.rounds if r.pairing for one in r.pairing.byes)
        facts = Facts(tuple(self.results), (), tuple(sorted(state.entrants)))
        terms = c.terms("shengji", state.settings)
        return c.order(c.Contest(terms, facts, seats, byes, tuple(self.matches)))

    def withdraw(self) -> int:
        """Somebody goes."""
        gone = self.chance.choice(self.state.active())
        self.past = self.past.when(commands.WithdrawEntrant(gone, "ill")).then(
            e.EntrantWithdrawn(gone, "ill")
        )
        return gone


def check_round(event: Event, number: int) -> None:
    """Everybody that plays on has one place, every person one seat; nobody a second bye before all had one (C1.5)."""
    one = event.played[number - 1]
    assert look.everybody_once(one, event.state.active())
    byes = look.byes(event.played)
    if event.movement == "swiss":
        counts = {byes[entrant] for entrant in event.state.active()}
        assert max(counts) - min(counts) <= 1


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["pairs", "teams", "points"]), st.integers(4, 60), st.integers(0, 2**32))
def test_swiss_events(form: str, size: int, seed: int) -> None:
    """C7.1, C7.2, C8.1: strong against strong, nobody meets twice while avoidable, lines stay balanced."""
    # With more than half of the others left to meet a round without a rematch exists.
    rounds = min(5, size // 2)
    event = Event(form, "swiss", size, rounds, Random(seed))
    for number in range(1, rounds + 1):
        event.pair(number)
        check_round(event, number)
    assert set(look.met(event.played).values()) == {1}
    assert look.balance(event.played) <= 3
    order = event.order()
    assert sorted(row.entrant for row in order) == list(range(1, size + 1))
    if form != "pairs":
        assert all(
            row.won + row.drawn + row.lost + row.byes == rounds for row in order if isinstance(row, Placing)
        )
        assert sum(row.net for row in order if isinstance(row, Placing)) == 0


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["pairs", "teams", "points"]), st.integers(6, 40), st.integers(0, 2**32))
def test_swiss_events_that_lose_entrants(form: str, size: int, seed: int) -> None:
    """C1.6: who goes is not paired again, and keeps its results."""
    event = Event(form, "swiss", size, 3, Random(seed))
    gone: set[int] = set()
    for number in (1, 2, 3):
        event.pair(number)
        one = event.played[number - 1]
        assert not gone & {entrant for each in one.meetings for entrant in (each.first, each.second)}
        gone.add(event.withdraw())
    assert sorted(row.entrant for row in event.order()) == list(range(1, size + 1))


@pytest.mark.parametrize(
    ("form", "movement", "sizes"),
    [
        ("pairs", "mitchell", range(4, 61)),
        ("pairs", "howell", range(4, 61, 7)),
        ("teams", "round_robin", range(4, 17)),
    ],
)
def test_fixed_movements_keep_their_promise(form: str, movement: str, sizes: range) -> None:
    """C7.3: everybody meets the promised number, nobody twice; an odd field has a bye a round, nobody a second one."""
    for size in sizes:
        tables, odd = (size + 1) // 2, size % 2
        rounds = min(tables if movement == "mitchell" else size - 1 + odd, 12)
        event = Event(form, movement, size, rounds, Random(size))
        for number in range(1, rounds + 1):
            event.pair(number)
            check_round(event, number)
        met, byes = look.met(event.played), look.byes(event.played)
        assert set(met.values()) == {1}
        assert max(byes.values(), default=0) <= 1
        opponents = Counter(entrant for pair in met for entrant in pair)
        assert all(opponents[one] + byes[one] == rounds for one in range(1, size + 1))
