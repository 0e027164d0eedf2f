from __future__ import annotations

import time

import pytest

from clients.cli.matches import lines
from clients.cli.words import choose
from fupan.table.v1 import events_pb2, service_pb2

DEAL = events_pb2.MatchDeal(deal=1, level="2", declarer=3, trump="H", points=95, levels=("2", "3"))
VOID = events_pb2.MatchDeal(deal=2, level="3", declarer=1, trump="S", voided=True, levels=("2", "3"))


def match(**more: object) -> service_pb2.MatchView:
    ends = round((time.time() + 42 * 60) * 1_000_000)
    played = (DEAL, VOID)
    return service_pb2.MatchView(levels=("2", "T"), played=played, ends_us=ends, most_deals=4, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seat", "language", "told"),
    [
        (0, "en", "match: your side 2, theirs 10; 1 of 4 deals; 42 minutes left"),
        (3, "en", "match: your side 10, theirs 2; 1 of 4 deals; 42 minutes left"),
        (1, "zh", "本场：我方打 10，对方打 2；已打 1/4 副；还剩 42 分钟"),
    ],
)
def test_a_player_sees_where_the_match_stands(seat: int, language: str, told: str) -> None:
    choose(language)
    first, *deals = [line.plain.strip() for line in lines(match(), seat)]
    assert first == told
    assert len(deals) == 2


@pytest.mark.parametrize(
    ("language", "stands", "won"),
    [
        (
            "en",
            "match: side 0+2 2, side 1+3 10; 1 of 4 deals; 42 minutes left",
            "side 1+3 has won the match by 8 levels (C8.3a)",
        ),
        (
            "zh",
            "本场：0、2 座打 2，1、3 座打 10；已打 1/4 副；还剩 42 分钟",
            "1、3 座胜，净胜 8 级（C8.3a）",
        ),
    ],
)
def test_who_sits_at_no_seat_is_told_of_both_sides(language: str, stands: str, won: str) -> None:
    choose(language)
    ended = events_pb2.MatchEnded(winner=1, net_levels=8, clause="C8.3a")
    first, *_, last = [line.plain.strip() for line in lines(match(ended=ended), None)]
    assert (first, last) == (stands, won)


def test_deals_are_told_one_by_one() -> None:
    choose("en")
    _, scored, voided = [line.plain.strip() for line in lines(match(), 0)]
    assert scored == "deal 1: level 2, declarer 3, trumps ♥; defenders 95 points, then 2:3"
    assert voided == "deal 2: level 3, declarer 1, trumps ♠; voided by a revolution"


@pytest.mark.parametrize(
    ("seat", "told"),
    [
        (0, "the other side has won the match by 8 levels (C8.3a)"),
        (1, "your side has won the match by 8 levels (C8.3a)"),
    ],
)
def test_who_has_won_is_told_to_both(seat: int, told: str) -> None:
    choose("en")
    ended = events_pb2.MatchEnded(winner=1, net_levels=8, clause="C8.3a")
    assert list(lines(match(ended=ended), seat))[-1].plain == told


def test_a_match_that_nobody_won_is_told() -> None:
    choose("en")
    (*_, last) = lines(match(ended=events_pb2.MatchEnded(clause="C2.2")), 2)
    assert last.plain == "the match was closed without a winner"
