"""An appeal's past in the tests of its decider."""

from __future__ import annotations

from services.appeals import decider
from services.appeals import model as m
from services.ledger.digests import ballots_digest
from tests.specification import NOON, Fact, Specification

APPEAL = Specification(decider, "fupan.e1.appeals.cup.a-1")
SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR
ENDS = NOON + 3 * HOUR
DUE = NOON + 2 * DAY

BOARD = m.ContestedBoard("r1-t1", 1, 1, 1)
REMEDY = m.SetPenalty("late", 3, 0, m.RemedyAuthority("arbitration", "a-1", "ruling in appeal a-1"))
FILE = m.FileAppeal("a-1", 3, BOARD, b"digest", (REMEDY,), ENDS, 500, "CNY", DUE, "CN holidays 1")
FILED = m.AppealFiled("a-1", 3, BOARD, b"digest", (REMEDY,), ENDS, 500, "CNY")
PAY = m.RecordFee(500, "CNY", "receipt 7", ENDS, DUE, "CN holidays 1")
PAID = m.FeeRecorded(500, "CNY", "receipt 7", DUE, "CN holidays 1")


def people(*ids: str) -> tuple[m.PanelMember, ...]:
    return tuple(m.PanelMember(one, f"unit-{one}") for one in ids)


PANEL = m.AppointPanel(people("a", "b", "c"), people("d", "e"), DUE, b"key")
APPOINTED = m.PanelAppointed(people("a", "b", "c"), people("d", "e"), b"key", DUE)
OPENED = m.VotingOpened(("a", "b", "c"))

IN_HAND = (Fact(FILED, by="p-3"), PAID)
VOTING = (*IN_HAND, APPOINTED, OPENED)


def vote(member: str) -> m.CastBallot:
    return m.CastBallot(member.encode() * 32, b"sealed")


def cast(*members: str) -> tuple[m.BallotCast, ...]:
    return tuple(m.BallotCast(one, one.encode() * 32, b"sealed") for one in members)


def closed(*members: str) -> m.VotingClosed:
    commitments = [(one, one.encode() * 32) for one in members]
    return m.VotingClosed(len(members), ballots_digest("a-1", commitments))


COUNTING = (*VOTING, *cast("a", "b", "c"), closed("a", "b", "c"))


def counted(uphold: str, members: str = "abc", unreadable: tuple[str, ...] = ()) -> m.DecideAppeal:
    """The count in which the members of `uphold` want to uphold."""
    ballots = tuple(
        m.OpenedBallot(one, one in uphold, b"opening") for one in members if one not in unreadable
    )
    return m.DecideAppeal(ballots, unreadable, "text", "文本")


def decided(uphold: str, members: str = "abc") -> m.AppealDecided:
    count = counted(uphold, members)
    upheld = 2 * len(uphold) > len(members)
    remedies = (REMEDY,) if upheld else ()
    return m.AppealDecided(
        upheld, len(uphold), len(members) - len(uphold), count.ballots, remedies, "text", "文本"
    )
