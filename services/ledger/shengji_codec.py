"""Shengji's events, actions and views ↔ `fupan/table/v1/shengji.proto`: the names agree, so the codec says it all."""

from __future__ import annotations

from fupan.table.v1 import shengji_pb2 as pb
from services.games.shengji import actions, events, view
from services.ledger.codec import Codec, MessageCodec

ACTIONS: Codec[actions.Action] = Codec(
    pb.ShengjiAction,
    {
        actions.Bid: "bid",
        actions.Revolt: "revolt",
        actions.Pass: "pass",
        actions.Bury: "bury",
        actions.Play: "play",
    },
)

EVENTS: Codec[events.Event] = Codec(
    pb.ShengjiEvent,
    {
        events.CardsDrawn: "cards_drawn",
        events.BidOffered: "bid_offered",
        events.BidPassed: "bid_passed",
        events.BidMade: "bid_made",
        events.BottomTurned: "bottom_turned",
        events.TrumpsSet: "trumps_set",
        events.BottomTaken: "bottom_taken",
        events.RevoltPassed: "revolt_passed",
        events.DealVoided: "deal_voided",
        events.Buried: "buried",
        events.ThrowFailed: "throw_failed",
        events.CardsPlayed: "cards_played",
        events.TrickWon: "trick_won",
        events.Penalised: "penalised",
        events.DealEnded: "deal_ended",
    },
)

VIEWS: MessageCodec[view.SeatView] = MessageCodec(pb.ShengjiView, view.SeatView, nested=[ACTIONS])
"""What is sent of a view: never what house AI remembers besides."""
