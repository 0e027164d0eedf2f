"""Score sheets' events and commands ↔ protos/fupan/table/v1/sheet.proto, by name."""

from __future__ import annotations

from fupan.table.v1 import sheet_pb2 as pb
from services.ledger.codec import Codec, MessageCodec
from services.table.model import sheets as s

EVENTS: Codec[s.SheetEvent] = Codec(
    pb.SheetEvent,
    {
        s.InfringementEntered: "infringement_entered",
        s.InfringementLifted: "infringement_lifted",
        s.SheetEntered: "sheet_entered",
        s.SheetSigned: "sheet_signed",
        s.SignatureRefused: "signature_refused",
        s.SheetDisputed: "sheet_disputed",
        s.SheetDecided: "sheet_decided",
        s.SheetConfirmed: "sheet_confirmed",
    },
)

COMMANDS: Codec[s.SheetCommand] = Codec(
    pb.SheetCommand,
    {
        s.EnterInfringement: "enter_infringement",
        s.LiftInfringement: "lift_infringement",
        s.EnterSheet: "enter_sheet",
        s.SignSheet: "sign_sheet",
        s.RefuseSignature: "refuse_signature",
        s.DisputeSheet: "dispute_sheet",
        s.DecideSheet: "decide_sheet",
        s.ConfirmSheet: "confirm_sheet",
    },
)

FIGURES = MessageCodec(pb.SheetFigures, s.SheetFigures)
RESULT = MessageCodec(pb.SheetResult, s.SheetResult)
INFRINGEMENT = MessageCodec(pb.EnterInfringement, s.EnterInfringement)
"""What requests and answers hold of them."""
