"""An appeal's past in the tests of its decider."""

from __future__ import annotations

from services.appeals import decider
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.ledger.digests import ballots_digest
from tests.specification import NOON, Fact, Specification

APPEAL = Specification(decider, "fupan.e1.appeals.cup.a-1")
SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR
ENDS = NOON + 3 * HOUR
DUE = NOON + 2 * DAY

BOARD = e.ContestedBoard("r1-t1", 1, 1, 1)
REMEDY = e.SetPenalty("late", 3, 0, e.RemedyAuthority("arbitration", "a-1", "ruling in appeal a-1"))
FILE = c.FileAppeal("a-1", 3, BOARD, b"digest", (REMEDY,), ENDS, 500, "CNY", DUE, "CN holidays 1")
FILED = e.AppealFiled("a-1", 3, BOARD, b"digest", (REMEDY,), ENDS, 500, "CNY")
PAY = c.RecordFee(500, "CNY", "receipt 7", ENDS, DUE, "CN holidays 1")
PAID = e.FeeRecorded(500, "CNY", "receipt 7", DUE, "CN holidays 1")


def people(*ids: str) -> tuple[e.PanelMember, ...]:
    return tuple(e.PanelMember(one, f"unit-{one}") for one in ids)


PANEL = c.AppointPanel(people("a", "b", "c"), people("d", "e"), DUE, b"key")
APPOINTED = e.PanelAppointed(people("a", "b", "c"), people("d", "e"), b"key", DUE)
OPENED = e.VotingOpened(("a", "b", "c"))

IN_HAND = (Fact(FILED, by="p-3"), PAID)
VOTING = (*IN_HAND, APPOINTED, OPENED)


def vote(member: str, key: bytes = b"key") -> c.CastBallot:
    return c.CastBallot(member.encode() * 32, b"sealed", member, key)


def cast(*members: str) -> tuple[e.BallotCast, ...]:
    return tuple(e.BallotCast(one, one.encode() * 32, b"sealed") for one in members)


def closed(*members: str) -> e.VotingClosed:
    commitments = [(one, one.encode() * 32) for one in members]
    return e.VotingClosed(len(members), ballots_digest("a-1", commitments))


COUNTING = (*VOTING, *cast("a", "b", "c"), closed("a", "b", "c"))


def counted(uphold: str, members: str = "abc", unreadable: tuple[str, ...] = ()) -> c.DecideAppeal:
    """The count in which the members of `uphold` want to uphold."""
    ballots = tuple(
        e.OpenedBallot(one, one in uphold, b"opening") for one in members if one not in unreadable
    )
    return c.DecideAppeal(ballots, unreadable, "text", "文本", (REMEDY,))


def decided(uphold: str, members: str = "abc") -> e.AppealDecided:
    count = counted(uphold, members)
    upheld = 2 * len(uphold) > len(members)
    remedies, left = ((REMEDY,), ()) if upheld else ((), (REMEDY,))
    against = len(members) - len(uphold)
    return e.AppealDecided(upheld, len(uphold), against, count.ballots, remedies, "text", "文本", left)
