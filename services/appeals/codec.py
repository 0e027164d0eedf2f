"""Appeals' events and commands as they are stored."""

from __future__ import annotations

from fupan.appeals.v1 import events_pb2
from fupan.scoring.v1 import events_pb2 as scoring_pb2
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.ledger.codec import Codec

CONTESTED: Codec[e.Contested] = Codec(
    events_pb2.Contested,
    {
        e.ContestedBoard: "board",
        e.ContestedRuling: "ruling",
        e.ContestedPublication: "publication",
        e.ContestedPairing: "pairing",
    },
)

REMEDIES: Codec[e.Remedy] = Codec(
    scoring_pb2.Remedy,
    {
        e.CorrectResult: "correct_result",
        e.VoidBoard: "void_board",
        e.AssignPercent: "assign_percent",
        e.SetPenalty: "set_penalty",
        e.CorrectMatch: "correct_match",
        e.ReplayBoard: "replay_board",
        e.ReseatRound: "reseat_round",
    },
)

EVENTS: Codec[e.Event] = Codec(
    events_pb2.Event,
    {
        e.AppealFiled: "appeal_filed",
        e.FeeRecorded: "fee_recorded",
        e.AppealLapsed: "appeal_lapsed",
        e.PanelAppointed: "panel_appointed",
        e.ConflictDeclared: "conflict_declared",
        e.MemberReplaced: "member_replaced",
        e.VotingOpened: "voting_opened",
        e.BallotCast: "ballot_cast",
        e.VotingClosed: "voting_closed",
        e.BallotRejected: "ballot_rejected",
        e.PanelDissolved: "panel_dissolved",
        e.AppealDecided: "appeal_decided",
        e.FeeRefunded: "fee_refunded",
        e.FeeKept: "fee_kept",
        e.AppealWithdrawn: "appeal_withdrawn",
        e.AppealDismissed: "appeal_dismissed",
        e.CaseAssembled: "case_assembled",
        e.CaseOpened: "case_opened",
        e.ReminderGiven: "reminder_given",
        e.RulingSettled: "ruling_settled",
    },
    nested=(CONTESTED, REMEDIES),
)

COMMANDS: Codec[c.Command] = Codec(
    events_pb2.Command,
    {
        c.FileAppeal: "file_appeal",
        c.RecordFee: "record_fee",
        c.LapseAppeal: "lapse_appeal",
        c.AppointPanel: "appoint_panel",
        c.DeclareConflict: "declare_conflict",
        c.CastBallot: "cast_ballot",
        c.CloseVoting: "close_voting",
        c.DissolvePanel: "dissolve_panel",
        c.DecideAppeal: "decide_appeal",
        c.WithdrawAppeal: "withdraw_appeal",
        c.DismissAppeal: "dismiss_appeal",
        c.AssembleCase: "assemble_case",
        c.OpenCase: "open_case",
        c.GiveReminder: "give_reminder",
        c.SettleRuling: "settle_ruling",
    },
    nested=(CONTESTED, REMEDIES),
)
