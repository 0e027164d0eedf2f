"""What the operator of a round is told."""

from __future__ import annotations

from clients.cli.rounds import left_open
from fupan.pairing.v1 import events_pb2 as events
from fupan.pairing.v1 import service_pb2 as pb


def table(name: str, closed: int, boards: int, done: bool) -> pb.TableProgress:
    seated = events.SeatedTable(table=name)
    return pb.TableProgress(table=seated, boards_closed=closed, boards=boards, done=done)


def test_C2_2_whoever_closes_a_round_early_is_told_which_tables_end_without_a_result() -> None:
    """C8.6: a match whose sheet is not confirmed is one of them, whatever is entered on it."""
    tables = [table("r1-t1", 4, 4, True), table("r1-t2", 3, 4, False), table("r1-t3", 0, 0, False)]
    assert left_open(pb.GetRoundResponse(round=1, tables=tables)) == "r1-t2 3/4, r1-t3 0"
    assert left_open(pb.GetRoundResponse(round=1, tables=tables[:1])) == ""
