"""A committee rules on a thing once, in whatever words it is contested (C10.7)."""

from __future__ import annotations

import pytest

from fupan.pairing.v1 import events_pb2 as pb
from services.appeals.matters import about, open_remedies, settled_by
from services.appeals.model import events as e
from tests.appeals.known import championship, paired

RULED = e.RemedyAuthority("arbitration", "a-1", "ruling")
AGAIN = pb.ReplaySeated(
    round=1, board=1, attempt=2, table=pb.SeatedTable(table="r1-t1-a2", group=1, entrants=[1, 2, 3])
)
TABLES = paired(1, (1, 2, 3), (4, 5, 6))
KNOWN = championship(*TABLES, ("replay_seated", AGAIN, 5))
POINTS = championship(*paired(1, (1, 2, 1, 2), (3, 4, 3, 4)), form="points")

BOARD, OTHER = e.ContestedBoard("r1-t1", 1, 1, 1), e.ContestedBoard("r1-t2", 1, 1, 1)
REPLAYED = e.ContestedBoard("r1-t1-a2", 1, 1, 2)
PUBLICATION, RULING, PAIRING = e.ContestedPublication(1), e.ContestedRuling("r-1"), e.ContestedPairing(1)
WORSE = e.CorrectResult("r1-t1", 1, 1, 1, (2, -1, -1), RULED)
VOID = e.VoidBoard("r1-t1", 1, 1, 1, (600, 600, 600), RULED)
REPLAY = e.ReplayBoard("r1-t1", 1, 1, 1, RULED)
FIRST, FOURTH = e.AssignPercent(1, 1, 1, 600, RULED), e.AssignPercent(4, 1, 1, 600, RULED)
FINE, OTHER_FINE = e.SetPenalty("late", 1, 0, RULED), e.SetPenalty("rude", 1, 0, RULED)
SEATS = e.ReseatRound(1, (e.TableSeats("r1-t1", (2, 1, 3)),), RULED)
WON = e.CorrectMatch("r1-t1", 1, 0, ("A", "7"), RULED)


def filed(contested: e.Contested, *sought: e.Remedy, appeal: str = "a-1") -> e.AppealFiled:
    return e.AppealFiled(appeal, 1, contested, b"", sought, 0, 0, "CNY")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (filed(BOARD, WORSE), filed(PUBLICATION, VOID), True),
        (filed(BOARD, FINE), filed(RULING, REPLAY), True),
        (filed(BOARD, FINE), filed(PAIRING, FIRST), True),  # what an entrant of that table gets
        (filed(BOARD, WORSE), filed(PUBLICATION, FOURTH), False),
        (filed(BOARD, WORSE), filed(OTHER, FINE), False),
        (filed(PUBLICATION, FINE), filed(PUBLICATION, OTHER_FINE), False),
        (filed(PUBLICATION, FINE), filed(RULING, FINE), True),
        (filed(RULING, FINE), filed(RULING, OTHER_FINE), True),
        (filed(RULING, FINE), filed(e.ContestedRuling("r-2"), OTHER_FINE), False),
        (filed(PAIRING, FIRST), filed(PUBLICATION, SEATS), True),
        (filed(BOARD, REPLAY), filed(REPLAYED, FINE), False),  # what came of it was not ruled on
        (filed(BOARD, REPLAY), filed(PUBLICATION, FIRST), True),
        (filed(REPLAYED, FINE), filed(PUBLICATION, FIRST), True),
    ],
)
def test_what_two_appeals_have_in_common(one: e.AppealFiled, other: e.AppealFiled, same: bool) -> None:
    subjects = [about(KNOWN, each.contested, each.sought) for each in (one, other)]
    assert bool(subjects[0] & subjects[1]) is same


def test_deals_of_a_match_are_judged_as_the_match() -> None:
    """C8.2."""
    deal, later = (e.ContestedBoard("r1-t1", 1, board, 1) for board in (1, 5))
    other = e.ContestedBoard("r1-t2", 1, 1, 1)
    assert about(POINTS, deal, ()) == about(POINTS, later, ()) == about(POINTS, PUBLICATION, [WON])
    assert not about(POINTS, deal, ()) & about(POINTS, other, ())


def test_an_appeal_is_settled_where_nothing_is_left_to_be_judged() -> None:
    first, second = filed(BOARD, WORSE, appeal="a-1"), filed(PUBLICATION, FINE, appeal="a-2")
    for appeal, by, left in (
        (filed(BOARD, OTHER_FINE), "a-1", (OTHER_FINE,)),
        (filed(PUBLICATION, VOID), "a-1", ()),
        (filed(PUBLICATION, FINE), "a-2", ()),
        (filed(RULING, FINE, VOID), "a-2", ()),
        (filed(PUBLICATION, FINE, OTHER_FINE), "", (OTHER_FINE,)),
        (filed(PUBLICATION, FOURTH), "", (FOURTH,)),
        (filed(PUBLICATION), "", ()),
    ):
        assert open_remedies(KNOWN, appeal, (first, second)) == left
        ruled_in = settled_by(KNOWN, appeal, (second, first))
        assert ruled_in == by, appeal
