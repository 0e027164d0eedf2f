"""What a table of a round is opened with, by the settings of its championship and the pairing (C1.4, C8.2, S11)."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from fupan.pairing.v1.events_pb2 import Settings
from services.directory import Championship, Entrant, Member, Round, Table
from services.table.model.events import BoardSlot, MatchTerms, Seat
from services.table.rounds import opened


def championship(**settings: Any) -> Championship:
    """One of four entrants of two persons each, `a1` and `a2` …"""
    told = Settings(championship="cup", boards_per_round=2, play_clock_ms=5, claim_clock_ms=6, **settings)
    entrants = {
        number: Entrant(number, (Member(f"{name}1", ""), Member(f"{name}2", "")), "")
        for number, name in enumerate("abcd", 1)
    }
    return Championship("cup", told, "olga", "e2026", (), 0, entrants=MappingProxyType(entrants))


TABLE = Table("r1-t1", 1, (1, 2, 1, 2), (0, 0, 1, 1))
ROUND = Round(1, MappingProxyType({"r1-t1": TABLE}), MappingProxyType({1: "r1-t1", 2: "r1-t1"}))


def test_a_match_is_opened_with_its_terms_and_no_boards() -> None:
    terms = {"match_time_ms": 90 * 60_000, "match_deals": 7, "a_is_a_level": True}
    clocks = {"bid_clock_ms": 1, "bury_clock_ms": 2, "deal_pace_ms": 3}
    facts = opened(
        championship(format="points", ruleset="shengji/xiamen-2015", **terms, **clocks), ROUND, TABLE
    )
    assert facts.boards == ()
    assert facts.match == MatchTerms(90 * 60_000, 7, True)
    assert (facts.bid_clock_ms, facts.bury_clock_ms, facts.deal_pace_ms) == (1, 2, 3)


def test_the_persons_of_a_pair_sit_where_the_pairing_says() -> None:
    facts = opened(championship(format="pairs", ruleset="shengji/duplicate-2017"), ROUND, TABLE)
    assert facts.seats == (Seat(1, "a1"), Seat(2, "b1"), Seat(1, "a2"), Seat(2, "b2"))
    assert (facts.match, facts.boards) == (None, (BoardSlot(1, 1), BoardSlot(2, 1)))
    swapped = replace(TABLE, members=(1, 0, 0, 1))
    seats = opened(championship(format="pairs", ruleset="shengji/duplicate-2017"), ROUND, swapped).seats
    assert [seat.person_id for seat in seats] == ["a2", "b1", "a1", "b2"]


def test_c1_6_house_ai_sits_for_who_has_withdrawn() -> None:
    gone = replace(championship(format="pairs"), withdrawn=frozenset({2}))
    assert [seat.person_id for seat in opened(gone, ROUND, TABLE).seats] == ["a1", "", "a2", ""]
