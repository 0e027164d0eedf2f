"""Paohuzi's events, actions and views ↔ `fupan/table/v1/paohuzi.proto`: the names agree, so the codec says it all."""

from __future__ import annotations

from fupan.table.v1 import paohuzi_pb2 as pb
from services.games.paohuzi import actions, events, view
from services.ledger.codec import Codec, MessageCodec

ACTIONS: Codec[actions.Action] = Codec(
    pb.PaohuziAction,
    {
        actions.Win: "win",
        actions.Peng: "peng",
        actions.Eat: "eat",
        actions.Play: "play",
        actions.Pass: "pass",
    },
)

EVENTS: Codec[events.Event] = Codec(
    pb.PaohuziEvent,
    {
        events.TiDealt: "ti_dealt",
        events.BrightTilePassed: "bright_tile_passed",
        events.TilePlayed: "tile_played",
        events.TileDrawn: "tile_drawn",
        events.WeiLaid: "wei_laid",
        events.TiLaid: "ti_laid",
        events.Passed: "passed",
        events.WinClaimed: "win_claimed",
        events.PengClaimed: "peng_claimed",
        events.EatClaimed: "eat_claimed",
        events.TileDied: "tile_died",
        events.PaoLaid: "pao_laid",
        events.Ponged: "ponged",
        events.Eaten: "eaten",
        events.KindPassed: "kind_passed",
        events.HandDied: "hand_died",
        events.Won: "won",
        events.BoardDrawn: "board_drawn",
    },
)

VIEWS: MessageCodec[view.SeatView] = MessageCodec(pb.PaohuziView, view.SeatView, nested=[ACTIONS])
