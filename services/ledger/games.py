"""How each game's events, actions and views are stored and sent: the codecs by the game's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from services.ledger import paohuzi_codec, shengji_codec
from services.ledger.codec import Codec, MessageCodec


@dataclass(frozen=True, slots=True)
class GameCodec:
    """One game's codecs; `field` is its name in the oneofs of the table's messages."""

    field: str
    events: Codec[Any]
    actions: Codec[Any]
    views: MessageCodec[Any]


GAMES: dict[str, GameCodec] = {
    "paohuzi": GameCodec("paohuzi", paohuzi_codec.EVENTS, paohuzi_codec.ACTIONS, paohuzi_codec.VIEWS),
    "shengji": GameCodec("shengji", shengji_codec.EVENTS, shengji_codec.ACTIONS, shengji_codec.VIEWS),
}
"""By `Ruleset.game`."""
