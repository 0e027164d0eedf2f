"""The house AI: chooses from what one seat sees, always the same in the same view."""

from __future__ import annotations

from services.games.shengji.actions import Action
from services.games.shengji.house import bidding, burying, playing
from services.games.shengji.house.knowledge import Knowledge
from services.games.shengji.view import SeatView


def choose(view: SeatView) -> Action:
    """An answer to the view's question, or a bid while cards are drawn. Raises ValueError where the view offers neither."""
    match view.question:
        case "bid":
            return bidding.bid(view)
        case "" if view.offers:
            return bidding.bid(view)
        case "revolt":
            return bidding.revolt(view)
        case "bury":
            return burying.bury(Knowledge(view))
        case "lead":
            return playing.lead(Knowledge(view))
        case "follow":
            return playing.follow(Knowledge(view))
        case "":
            raise ValueError("the view asks nothing")
