"""Appeals' events and commands as they are stored."""

from __future__ import annotations

from fupan.appeals.v1 import events_pb2
from fupan.scoring.v1 import events_pb2 as scoring_pb2
from services.appeals import model as m
from services.ledger.codec import Codec

CONTESTED: Codec[m.Contested] = Codec(
    events_pb2.Contested,
    {
        m.ContestedBoard: "board",
        m.ContestedRuling: "ruling",
        m.ContestedPublication: "publication",
        m.ContestedPairing: "pairing",
    },
)

REMEDIES: Codec[m.Remedy] = Codec(
    scoring_pb2.Remedy,
    {
        m.CorrectResult: "correct_result",
        m.VoidBoard: "void_board",
        m.AssignPercent: "assign_percent",
        m.SetPenalty: "set_penalty",
        m.CorrectMatch: "correct_match",
        m.ReplayBoard: "replay_board",
    },
)

EVENTS: Codec[m.Event] = Codec(
    events_pb2.Event,
    {
        m.AppealFiled: "appeal_filed",
        m.FeeRecorded: "fee_recorded",
        m.AppealLapsed: "appeal_lapsed",
        m.PanelAppointed: "panel_appointed",
        m.ConflictDeclared: "conflict_declared",
        m.MemberReplaced: "member_replaced",
        m.VotingOpened: "voting_opened",
        m.BallotCast: "ballot_cast",
        m.VotingClosed: "voting_closed",
        m.BallotRejected: "ballot_rejected",
        m.AppealDecided: "appeal_decided",
        m.FeeRefunded: "fee_refunded",
        m.FeeKept: "fee_kept",
        m.AppealWithdrawn: "appeal_withdrawn",
        m.AppealDismissed: "appeal_dismissed",
        m.CaseAssembled: "case_assembled",
        m.CaseOpened: "case_opened",
        m.ReminderGiven: "reminder_given",
    },
    nested=(CONTESTED, REMEDIES),
)

COMMANDS: Codec[m.Command] = Codec(
    events_pb2.Command,
    {
        m.FileAppeal: "file_appeal",
        m.RecordFee: "record_fee",
        m.LapseAppeal: "lapse_appeal",
        m.AppointPanel: "appoint_panel",
        m.DeclareConflict: "declare_conflict",
        m.CastBallot: "cast_ballot",
        m.CloseVoting: "close_voting",
        m.DecideAppeal: "decide_appeal",
        m.WithdrawAppeal: "withdraw_appeal",
        m.DismissAppeal: "dismiss_appeal",
        m.AssembleCase: "assemble_case",
        m.OpenCase: "open_case",
        m.GiveReminder: "give_reminder",
    },
    nested=(CONTESTED, REMEDIES),
)
