"""Scoring's events and commands as they are stored."""

from __future__ import annotations

from fupan.scoring.v1 import events_pb2
from services.ledger.codec import Codec
from services.scoring import model as m

EVENTS: Codec[m.Event] = Codec(
    events_pb2.Event,
    {
        m.ResultCorrected: "result_corrected",
        m.BoardVoided: "board_voided",
        m.PercentAssigned: "percent_assigned",
        m.PenaltySet: "penalty_set",
        m.StandingsPublished: "standings_published",
        m.BoardSuperseded: "board_superseded",
        m.ReplayOrdered: "replay_ordered",
        m.StandingsFixed: "standings_fixed",
        m.StandingsReopened: "standings_reopened",
        m.StandingsSealed: "standings_sealed",
        m.CorrectionRefused: "correction_refused",
        m.MatchCorrected: "match_corrected",
        m.RulingRecalculated: "ruling_recalculated",
        m.ResultsConfirmed: "results_confirmed",
    },
)

REMEDIES: Codec[m.Remedy | m.ReseatRound] = Codec(
    events_pb2.Remedy,
    {
        m.CorrectResult: "correct_result",
        m.VoidBoard: "void_board",
        m.AssignPercent: "assign_percent",
        m.SetPenalty: "set_penalty",
        m.CorrectMatch: "correct_match",
        m.ReplayBoard: "replay_board",
        m.ReseatRound: "reseat_round",
    },
)
"""Remedies of appeals and what-ifs (C10.6)."""

COMMANDS: Codec[m.Command] = Codec(
    events_pb2.Command,
    {
        m.CorrectResult: "correct_result",
        m.VoidBoard: "void_board",
        m.AssignPercent: "assign_percent",
        m.SetPenalty: "set_penalty",
        m.PublishStandings: "publish_standings",
        m.SupersedeBoard: "supersede_board",
        m.FixStandings: "fix_standings",
        m.ReopenStandings: "reopen_standings",
        m.SealStandings: "seal_standings",
        m.ApplyRuling: "apply_ruling",
        m.CorrectMatch: "correct_match",
        m.RecalculateRuling: "recalculate_ruling",
        m.OrderReplay: "order_replay",
        m.ConfirmResults: "confirm_results",
    },
    nested=(REMEDIES,),
)
