"""When the window for each thing contested begins and ends (C10.1)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fupan.pairing.v1 import events_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring
from fupan.table.v1 import events_pb2 as table
from services.appeals.model import events as e
from services.appeals.windows import Windows
from services.directory import Place, evolve
from services.ledger import record as ledger
from services.ledger.record import Stored
from services.runtime.follower import Read
from tests.appeals.known import CLOSED, ENDED, WINDOW_MS, championship, closed, ended, paired

WINDOW = WINDOW_MS * 1000
BOARD, PAIRING = e.ContestedBoard("r1-t1", 1, 1, 1), e.ContestedPairing(1)
PUBLICATION, RULING = e.ContestedPublication(1), e.ContestedRuling("r-1")
ALL = (BOARD, PAIRING, PUBLICATION, RULING)
ROUND = paired(1, (1, 2, 3), (4, 5, 6))


def read(subject: str, time_us: int, closing: ledger.BoardClosing | None, *events: bytes) -> Read:
    header = ledger.Header(
        subject, 1, ledger.GENESIS, "e1", ledger.Writer("x", "x", "x"), "", b"", (), time_us
    )
    body = ledger.Body("x", "", "", None, "c", b"", b"", events)
    record = ledger.Record(header, b"", False, closing)
    return Read(Stored("x", 1, subject, b""), record, body)


async def windows(*boards: tuple[int, int]) -> Windows:
    """Standings published after round 1, and boards of table r1-t1 closed at a time."""
    found = Windows()
    published = scoring.Event(standings_published=scoring.StandingsPublished(number=1, after_round=1))
    await found.read_scoring([read("fupan.e1.scoring.cup", 1, None, published.SerializeToString())])
    await found.read_tables(
        [
            read("fupan.e1.table.0.cup.r1-t1", at, ledger.BoardClosing(1, board, 1, False, (), (), (), ()))
            for board, at in boards
        ]
    )
    return found


@pytest.mark.parametrize("contested", ALL)
async def test_the_seeds_window_begins_with_the_end_of_the_competition(contested: e.Contested) -> None:
    found = await windows((1, 7), (2, 8))
    assert found.end_of(championship(*ROUND, closed(1)), contested) == 0
    assert found.end_of(championship(*ROUND, closed(1), ended()), contested) == ENDED + WINDOW


@pytest.mark.parametrize("contested", [e.ContestedBoard("r3-t1", 3, 1, 1), e.ContestedPairing(3)])
async def test_C4_5_that_of_a_play_off_begins_with_its_end(contested: e.Contested) -> None:
    known = championship(*ROUND, closed(1), ended(), *paired(3, (1, 0, 0), (2, 0, 0)))
    assert (await windows()).end_of(known, contested) == 0
    later = ENDED + WINDOW + 7
    known = championship(*ROUND, closed(1), ended(), *paired(3, (1, 0, 0), (2, 0, 0)), closed(3, later))
    assert (await windows()).end_of(known, contested) == later + WINDOW
    assert (await windows()).end_of(known, PAIRING) == ENDED + WINDOW
    # A referee's ruling may be one of the play-off.
    assert (await windows()).end_of(known, RULING) == later + WINDOW


@pytest.mark.parametrize("contested", [BOARD, PAIRING, PUBLICATION])
async def test_it_may_begin_with_the_end_of_the_round(contested: e.Contested) -> None:
    found = await windows((1, 7))
    assert found.end_of(championship(*ROUND, starts="round"), contested) == 0
    assert found.end_of(championship(*ROUND, closed(1), starts="round"), contested) == CLOSED + WINDOW


async def test_it_may_begin_with_the_end_of_the_match() -> None:
    known = championship(*paired(1, (1, 2, 3)), starts="match")
    assert (await windows((1, 7))).end_of(known, BOARD) == 0
    assert (await windows((1, 7), (2, 8))).end_of(known, BOARD) == 8 + WINDOW
    assert (await windows((2, 8), (1, 7))).end_of(known, BOARD) == 8 + WINDOW
    # What is no board's has no match.
    assert (await windows()).end_of(
        championship(*ROUND, closed(1), starts="match"), PAIRING
    ) == CLOSED + WINDOW


async def test_a_match_of_boards_that_others_play_as_well_ends_when_all_have() -> None:
    """P13: else it would tell how far a table is."""
    known, other = championship(*ROUND, starts="match"), replace(BOARD, table="r1-t2")
    found = await windows((1, 7), (2, 8))
    assert found.end_of(known, BOARD) == found.end_of(known, other) == 0
    for board, at_us in ((1, 9), (2, 11)):
        over = ledger.BoardClosing(1, board, 1, False, (), (), (), ())
        assert found.end_of(known, BOARD) == 0
        await found.read_tables([read("fupan.e1.table.0.cup.r1-t2", at_us, over)])
    assert found.end_of(known, BOARD) == found.end_of(known, other) == 11 + WINDOW


async def test_a_match_of_many_deals_is_over_when_its_table_says_so() -> None:
    """C8.2: however many deals it has had."""
    known = championship(*ROUND, starts="match", form="points")
    found = await windows((1, 7), (2, 8))
    assert found.end_of(known, BOARD) == 0
    over = table.Event(match_ended=table.MatchEnded(round=1, winner=0)).SerializeToString()
    await found.read_tables([read("fupan.e1.table.0.cup.r1-t1", 9, None, over)])
    assert found.end_of(known, BOARD) == 9 + WINDOW


@pytest.mark.parametrize("starts", ["round", "match"])
async def test_what_belongs_to_no_round_can_be_contested_as_long_as_anything(starts: str) -> None:
    found = await windows()
    known = championship(*ROUND, closed(1), starts=starts)
    for contested in (RULING, e.ContestedPublication(9), e.ContestedPairing(9)):
        assert found.end_of(known, contested) == 0
    known = championship(*ROUND, closed(1), ended(), starts=starts)
    assert found.end_of(known, RULING) == ENDED + WINDOW


@pytest.mark.parametrize("starts", ["competition", "round", "match"])
async def test_a_board_that_is_played_again_may_be_contested_after_that(starts: str) -> None:
    """C10.1, C10.6: however late it is played."""
    again = pairing.SeatedTable(table="r1-t1-a2", group=1, entrants=(1, 2, 3))
    seated = pairing.ReplaySeated(round=1, board=1, attempt=2, table=again, replaces="r1-t1")
    known = championship(*ROUND, closed(1), ended(), ("replay_seated", seated, ENDED + 1), starts=starts)
    contested, found = e.ContestedBoard("r1-t1-a2", 1, 1, 2), Windows()
    assert found.end_of(known, contested) == found.end_of(known, RULING) == 0
    over = ledger.BoardClosing(1, 1, 2, False, (), (), (), ())
    await found.read_tables([read("fupan.e1.table.0.cup.r1-t1-a2", ENDED + 7, over)])
    assert found.end_of(known, contested) == found.end_of(known, RULING) == ENDED + 7 + WINDOW
    # The first attempt's window is what it was.
    first_us = {"competition": ENDED + WINDOW, "round": CLOSED + WINDOW, "match": 0}[starts]
    assert found.end_of(known, BOARD) == first_us


async def test_a_deal_that_several_tables_play_again_is_over_when_all_have() -> None:
    known = championship(*ROUND, closed(1), ended(), starts="match")
    tables = [pairing.SeatedTable(table=f"r1-t{one}-a2", group=1, entrants=(one,)) for one in (1, 2)]
    for one in tables:
        seated = pairing.ReplaySeated(round=1, board=1, attempt=2, table=one, tables=2)
        known = evolve(known, "replay_seated", seated, Place("fupan.e1.pairing.cup", 99, ENDED + 1))
    contested, found = e.ContestedBoard("r1-t1-a2", 1, 1, 2), Windows()
    over = ledger.BoardClosing(1, 1, 2, False, (), (), (), ())
    await found.read_tables([read("fupan.e1.table.0.cup.r1-t1-a2", ENDED + 7, over)])
    assert found.end_of(known, contested) == 0
    await found.read_tables([read("fupan.e1.table.0.cup.r1-t2-a2", ENDED + 9, over)])
    assert found.end_of(known, contested) == ENDED + 9 + WINDOW


async def test_what_exists() -> None:
    found = await windows((2, 8))
    assert found.published("cup", 1)
    assert not found.published("cup", 0)
    assert not found.published("cup", 2)
    assert not found.published("other", 1)
    assert found.closed("cup", "r1-t1", 2)
    assert not found.closed("cup", "r1-t1", 1)
    assert not found.closed("cup", "r1-t2", 2)


async def test_C8_6_a_match_that_counts_by_its_sheet_is_closed_once_it_has_ended() -> None:
    """By its deals, of which the table has no records; where deals are played, each by its own."""
    found = await windows((1, 7))
    assert not found.closed("cup", "r1-t2", 1)
    for name, deals in (("r1-t1", 2), ("r1-t2", 2), ("r1-t3", 0)):
        over = table.Event(match_ended=table.MatchEnded(round=1, winner=0, deals=deals)).SerializeToString()
        await found.read_tables([read(f"fupan.e1.table.0.cup.{name}", 9, None, over)])
    closed = {
        name: [board for board in range(4) if found.closed("cup", name, board)]
        for name in ("r1-t1", "r1-t2", "r1-t3")
    }
    assert closed == {"r1-t1": [1], "r1-t2": [1, 2], "r1-t3": [1]}


async def test_C1_3_with_real_cards_a_board_is_public_once_everybody_has_played_it() -> None:
    """Entered or closed without a result (C2.2), at every table: who still has to play it learns nothing of it."""
    known, other = championship(*ROUND, real_cards=True), e.ContestedBoard("r1-t2", 1, 1, 1)
    found = await windows((1, 7))
    assert (found.revealed(known, BOARD), found.revealed(known, other)) == (False, False)
    unfinished = ledger.BoardClosing(1, 1, 1, True, (), (), (), ())
    await found.read_tables([read("fupan.e1.table.0.cup.r1-t2", 8, unfinished)])
    assert (found.revealed(known, BOARD), found.revealed(known, other)) == (True, True)
    again = e.ContestedBoard("r1-t1-a2", 1, 1, 2)
    assert not found.revealed(known, again)
    assert not found.revealed(championship(*ROUND), BOARD)
