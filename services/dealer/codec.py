"""The dealer's events and commands as they are stored."""

from __future__ import annotations

from fupan.dealer.v1 import events_pb2
from services.dealer import model as m
from services.ledger.codec import Codec

EVENTS: Codec[m.Event] = Codec(
    events_pb2.Event,
    {
        m.SecretCreated: "secret_created",
        m.DealsCommitted: "deals_committed",
        m.EntropyNamed: "entropy_named",
        m.EntropyDrawn: "entropy_drawn",
        m.DrawRevealed: "draw_revealed",
        m.BoardRevealed: "board_revealed",
        m.SecretRevealed: "secret_revealed",
        m.AppealKeyCreated: "appeal_key_created",
        m.AppealKeyReleased: "appeal_key_released",
        m.BoardOpenedToPanel: "board_opened_to_panel",
    },
)

COMMANDS: Codec[m.Command] = Codec(
    events_pb2.Command,
    {
        m.CreateSecret: "create_secret",
        m.CommitDeals: "commit_deals",
        m.NameEntropy: "name_entropy",
        m.DrawEntropy: "draw_entropy",
        m.RevealDraw: "reveal_draw",
        m.RevealBoard: "reveal_board",
        m.RevealSecret: "reveal_secret",
        m.CreateAppealKey: "create_appeal_key",
        m.ReleaseAppealKey: "release_appeal_key",
        m.OpenBoardToPanel: "open_board_to_panel",
    },
)
