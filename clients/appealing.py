"""What every client does with an appeal by itself: seals a vote, checks a case file (C10.4), says what waits for whom (C10.5), and
what is left to do about a ruling that could not be carried out (C10.6)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256

from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger import ballot, merkle, record
from services.ledger.codec import Malformed
from services.ledger.dealing import board_path


def sealed_vote(
    command_id: str, championship: str, appeal: pb.Appeal, member: str, uphold: bool
) -> pb.CastVoteRequest:
    """A member's vote as it is sent: sealed here, so that no service learns it before the count (C10.4)."""
    sealed = ballot.seal_ballot(
        appeal.appeal,
        member,
        uphold,
        appeal.panel.ballot_key,
        opening=secrets.token_bytes(ballot.OPENING),
        ephemeral=secrets.token_bytes(32),
    )
    return pb.CastVoteRequest(
        command_id=command_id,
        championship=championship,
        appeal=appeal.appeal,
        commitment=sealed.commitment,
        sealed_opening=sealed.sealed_opening,
        member=member,
        ballot_key=appeal.panel.ballot_key,
    )


def deadline_us(appeal: pb.Appeal) -> int:
    """What it waits for is due then, microseconds since 1970: the fee, the panel, the ballots; 0: nothing."""
    match appeal.phase:
        case "filed":
            return appeal.window_ends_us
        case "received":
            return appeal.fee.answer_due_us
        case "voting" | "counting":
            return appeal.voting_deadline_us
    return 0


def reminded(appeal: pb.Appeal) -> events.ReminderGiven | None:
    """The reminder that still holds, for whom it still waits (nobody named: the organiser); None where none does."""
    for one in reversed(appeal.reminders):
        left = list(one.persons)
        match one.about, appeal.phase:
            case ("fee", "filed") | ("panel", "received"):
                holds = one.deadline_us == deadline_us(appeal)
            case "overdue", "received":
                holds = True
            case "vote", "voting":
                left = [person for person in left if person in appeal.members and person not in appeal.voted]
                holds = bool(left) and one.deadline_us == deadline_us(appeal)
            case _:
                holds = False
        if holds:
            return events.ReminderGiven(about=one.about, deadline_us=one.deadline_us, persons=left)
    return None


def to_do(about: str) -> tuple[str, str]:
    """What a reminder asks for, in English and Chinese."""
    return _TO_DO.get(about, (about, about))


_TO_DO = {
    "fee": ("the fee is to be paid", "须缴申诉费"),
    "panel": ("a panel is to be appointed", "须任命仲裁组"),
    "vote": ("ballots are missing", "尚缺选票"),
    "overdue": ("the answer is overdue, and no panel sits", "答复已逾期，且无仲裁组"),
}


BEYOND_CALENDAR = (
    "the moved working days of that year were not known to the calendar: check the deadline by hand (C10.5)",
    "该日历尚无当年的调休安排，请人工核对期限（C10.5）",
)
"""What is told beside a deadline that its calendar could not quite work out, in English and Chinese."""

NOT_PUBLIC = "not public while its board is played", "相关的副尚未打完，暂不公开"
"""What is told of an appeal in place of what it is about, as long as others still play its board, in English and Chinese."""


def uneven(told: pairing.GetChampionshipResponse) -> tuple[str, str] | None:
    """What is wrong with the arbitration committee of an event where that decides (C9.1), in English and Chinese; None: nothing."""
    count = sum(one.role == "arbitrator" for one in told.officials)
    if told.settings.final_authority != "arbitration" or (count >= 3 and count % 2):
        return None
    return (
        f"the arbitration committee has {count} member{'s' * (count != 1)}: C9.1 asks for an odd number, at least three",
        f"仲裁委员会现有 {count} 人：依 C9.1 须为不少于三人的单数",
    )


def board_of(contested: events.Contested) -> events.ContestedBoard | None:
    """The board that is contested, or on which the contested ruling was made."""
    board = contested.ruling.at if contested.HasField("ruling") else contested.board
    return board if board.table else None


def to_weigh(filed: events.AppealFiled, points: bool) -> list[scoring.MaterialityRequest]:
    """What rulings are tried on to see whether an appeal can matter, each once: the contested board, or pairing, and whatever else
    something is asked for. `points`: matches are ruled as a whole (C8.2)."""
    asked = scoring.MaterialityRequest
    found = []
    board = board_of(filed.contested)
    if board is not None:
        found.append(asked(round=board.round, table=board.table, board=0 if points else board.board))
    elif filed.contested.HasField("pairing"):
        found.append(asked(pairing=filed.contested.pairing.round, entrant=filed.entrant))
    for sought in filed.sought:
        match sought.WhichOneof("kind"):
            case "correct_result" | "void_board" | "replay_board" as kind:
                at = getattr(sought, kind)
                found.append(asked(round=at.round, table=at.table, board=at.board))
            case "correct_match":
                found.append(asked(round=sought.correct_match.round, table=sought.correct_match.table))
            case "assign_percent" if not filed.contested.HasField("pairing"):
                share = sought.assign_percent
                if board is None or (share.round, share.board) != (board.round, board.board):
                    found.append(asked(round=share.round, board=share.board, entrant=share.entrant))
            case "set_penalty":
                found.append(asked(penalty=sought.set_penalty.penalty))
    return [one for number, one in enumerate(found) if one not in found[:number]]


def unsettled(appeal: pb.Appeal) -> list[pb.NotCarriedOut]:
    """What of an appeal's ruling was not carried out, and waits for the chief referee."""
    return [one for one in appeal.not_carried_out if not one.settled_us]


def left_to_do(refused: pb.NotCarriedOut) -> tuple[str, str]:
    """What the chief referee does about a part of a ruling that was not carried out, in English and Chinese."""
    match refused.by, refused.reason:
        case _, "STANDINGS_SEALED":
            return "the standings are sealed, and stay as they are (C10.8)", "名次已封存，不再变更（C10.8）"
        case _, "RULING_FINAL":
            return (
                "another ruling on the same thing stands, which nobody changes (C10.7): tell the parties",
                "同一事项已有裁决，任何人不得变更（C10.7）：请告知当事人",
            )
        case "pairing", _:
            return (
                "the round keeps its seats: the chief referee seats it otherwise before it starts (C9.2), or gives percentages for"
                " its boards or a penalty (C2.2)",
                "该轮座位不变：由裁判长在开赛前改排（C9.2），或就其牌局裁定百分比、加减处罚（C2.2）",
            )
    return (
        "nothing of it counts: the chief referee corrects, voids, assigns, penalises or has it played again, as far as the facts"
        " allow (C9.2)",
        "均未生效：由裁判长视事实更正、作废、裁定百分比、处罚或命令重打（C9.2）",
    )


def findings(answer: pb.GetCaseResponse, case: case_pb2.CaseFile) -> Mapping[str, bool]:
    """Whether what can be checked of a case file holds: `file` is what was frozen; where the board is in it, `chain`, its records
    follow each other, and `deals`, its deal was committed to before."""
    board = case.board
    found = {"file": sha256(answer.case_file).digest() == answer.assembled.digest}
    if board.records:
        found["chain"] = _chained([one.stored for one in board.records], board.head)
    if board.HasField("deal"):
        deal = board.deal
        entry = merkle.entry(_path(case), deal.leaf)
        found["deals"] = merkle.included(deal.merkle_root, entry, deal.index, deal.size, tuple(deal.proof))
    return found


def _path(case: case_pb2.CaseFile) -> str:
    at, opened = board_of(case.contested), case.board.opened
    assert at is not None  # there is a deal
    return board_path(at.round, at.board, at.attempt, at.table if opened.HasField("match") else "")


def _chained(records: Sequence[bytes], head: bytes) -> bool:
    """Whether each record holds the hash of the one before, and `head` is the hash of the last."""
    try:
        before = record.decode(records[0]).header.prev_hash
        for data in records:
            if record.decode(data).header.prev_hash != before:
                return False
            before = record.record_hash(before, data)
    except Malformed:
        return False
    return before == head
