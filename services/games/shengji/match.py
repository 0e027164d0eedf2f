"""A match of many deals (S2.2, S3.2, S4.7, S4.8, S9.3-S9.5; C8.2-C8.4): levels and declarer as a fold over its deals.

Time is not here: the table says when the 90 minutes are over, and `at_time` what follows from it (C8.3).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from services.games.championship.netlevels import net_levels
from services.games.shengji import result
from services.games.shengji.bids import Setting
from services.games.shengji.cards import RANKS
from services.games.shengji.events import DealEnded, DealVoided
from services.games.shengji.params import Params
from services.games.shengji.result import Levels, side
from services.games.shengji.state import State


class Match(NamedTuple):
    """A match between two sides. Change it only by `played`."""

    params: Params
    levels: Levels
    """Of sides 0 and 1; a side that has risen past A stays at A."""
    reached: tuple[int, int]
    """Scored deals played when each side came to its level; 0: it never left 2 (C8.3)."""
    declarer: int | None
    """Of the next deal; None on the first: whoever sets trumps (S4.7)."""
    first_drawer: int
    """Of the next deal (S3.2)."""
    deals: int
    """Scored deals so far."""
    voided: int
    """Deals voided by a revolution (S4.8)."""
    won_by: int | None
    """The side that has risen past A (S9.5)."""

    @property
    def setting(self) -> Setting:
        """What the next deal is played under: the declaring side's level; on the first deal both are at 2 (S2.2)."""
        declarer = self.declarer
        return Setting(self.levels[0 if declarer is None else side(declarer)], declarer, self.first_drawer)


def start(params: Params, first_drawer: int) -> Match:
    """A match before its first deal; `first_drawer` is drawn by lot (S3.2)."""
    return Match(params, (RANKS[0], RANKS[0]), (0, 0), None, first_drawer, 0, 0, None)


def played(match: Match, deal: State) -> Match:
    """The match after a deal. A voided one is dealt again under the same setting, as often as it happens (S4.8).

    Raises ValueError for a deal that is not over, or of a match that is.
    """
    if match.won_by is not None or deal.result is None or deal.trumps is None:
        raise ValueError("a match takes finished deals until it is won")
    match deal.result:
        case DealVoided():
            return match._replace(voided=match.voided + 1)
        case DealEnded(points=points):
            after = result.settle(match.params, points, match.levels, deal.trumps.declarer)
            number = match.deals + 1
            one, two = (
                number if now != before else since
                for now, before, since in zip(after.levels, match.levels, match.reached, strict=True)
            )
            return match._replace(
                levels=after.levels,
                reached=(one, two),
                declarer=after.next_declarer,
                first_drawer=after.next_declarer,
                deals=number,
                won_by=after.won_by,
            )
    raise AssertionError("a deal ends or is voided")


AtTime = Literal["won", "finish_deal", "one_more_deal"]
"""What the end of the time means: somebody has won, the running deal's result decides, or that of one more deal."""


def at_time(match: Match, running: bool) -> tuple[AtTime, int | None]:
    """What follows when the time is over, and the side that has won if one has (C8.3).

    `running`: the first card of a deal has been drawn. Where levels differ such a deal is broken off, unscored.
    """
    if match.won_by is not None:
        return "won", match.won_by
    one, two = (RANKS.index(level) for level in match.levels)
    if one != two:
        return "won", 0 if one > two else 1
    if running:
        return "finish_deal", None
    first, second = match.reached
    return ("one_more_deal", None) if first == second else ("won", 0 if first < second else 1)


def decided_by(deal: State) -> int | None:
    """The side that wins a match by its last deal at equal levels (C8.3b); None for a voided deal, which is dealt again."""
    if not isinstance(deal.result, DealEnded) or deal.trumps is None:
        return None
    declaring = side(deal.trumps.declarer)
    return declaring if result.held(deal.result.points) else 1 - declaring


def net(match: Match, winner: int, a_is_a_level: bool = False) -> int:
    """Net levels of the winning side; the other's are as many below 0 (C8.4)."""
    return net_levels(match.levels[winner], match.levels[1 - winner], a_is_a_level)
