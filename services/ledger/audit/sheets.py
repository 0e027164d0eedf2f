"""A match with real cards: its score sheet read over again, and the end it is told to have come to (C8.6, S9.2, S10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.domain import Rejected
from services.games.championship.netlevels import PAST_A, clause_as_written, net_levels
from services.games.championship.points import Due
from services.games.championship.sheet import DealLine, result_of
from services.games.shengji import infringements
from services.games.shengji.params import Params
from services.games.shengji.result import SIDES
from services.games.shengji.tally import Found, add_up

_DUE = {"": None, "finish_deal": Due.FINISH_DEAL, "one_more_deal": Due.ONE_MORE_DEAL}


class SheetReplay:
    """One sheet under `terms` (MatchTerms of the protos). What does not fit is returned as text, empty where all does. `people` are
    the table's, by seat."""

    def __init__(self, params: Params, terms: Any, people: Sequence[str]) -> None:
        self._params = params
        self._a_is_a_level: bool = terms.a_is_a_level
        self._most: int = terms.deals
        self._people = list(people)
        self._found: dict[tuple[int, int, int], Found] = {}
        self._entered: Any = None
        """The last figures with their result; None where the deals are to be entered."""
        self._signed: set[str] = set()
        self._counts = False

    def replaced(self, seat: int, person: str) -> None:
        """Somebody else sits there."""
        self._people[seat] = person

    def told(self, event: Any) -> str:
        """An event of the sheet."""
        kind = event.WhichOneof("kind")
        message = getattr(event, kind)
        match kind:
            case "infringement_entered":
                return self._infringement(message)
            case "infringement_lifted":
                self._found.pop((message.deal, message.seat, message.act), None)
                self._entered = None
            case "sheet_entered":
                self._signed.clear()
                self._entered = message
                return self._read(message, ruled=False)
            case "sheet_signed" if message.capacity == "player":
                self._signed.add(message.person)
            case "sheet_disputed":
                self._signed.discard(message.person)
            case "sheet_decided":
                self._entered, self._counts = message, True
                return self._read(message, ruled=True)
            case "sheet_confirmed":
                self._counts = True
                if missing := [one for one in self._people if one and one not in self._signed]:
                    return f"the sheet was confirmed without the signatures of {', '.join(missing)}"
        return ""

    def _infringement(self, message: Any) -> str:
        key = message.deal, message.seat, message.act
        if key in self._found:
            return f"act {message.act} of seat {message.seat} in deal {message.deal} was fined twice"
        self._found[key] = Found(message.deal, message.seat, message.code, message.finding, message.fine)
        self._entered = None
        return self._fined(message)

    def _fined(self, message: Any) -> str:
        """Whether a fine is that of the catalogue, in which older versions took 10 for a card of any failed throw (S6.4)."""
        catalogues = infringements.under(self._params), infringements.CATALOGUE
        try:
            found = [infringements.find(message.code, rows).outcomes[message.finding] for rows in catalogues]
        except (Rejected, KeyError):
            return f"the catalogue has no {message.code} {message.finding}"
        due = [infringements.price(outcome, message.cards) for outcome in found]
        if None in due or message.fine in due:
            return ""
        return f"{message.code} was fined {message.fine} points, not {due[0]}"

    def _read(self, message: Any, ruled: bool) -> str:
        """Whether the deals add up, and lead to the result; a ruling may give the match to the other side."""
        figures, result = message.figures, message.result
        entered, one_more = len(figures.deals), figures.last_deal == "one_more_deal"
        if 0 < self._most < entered - one_more:
            return (
                f"the sheet has {entered} deals, where a match of this event has {self._most} at most (C8.3)"
            )
        if figures.ended_us < figures.started_us:
            return "the sheet says that the match ended before it began (C8.6)"
        try:
            deals = _lines(figures.deals)
            levels = add_up(self._params, deals, sorted(self._found.values()))
            if tuple(result.levels) != levels:
                return f"the sheet says levels {list(result.levels)}, its deals lead to {list(levels)}"
            if ruled and not result.clause.startswith(("C8.", PAST_A)):
                return ""
            due = result_of(deals, _DUE.get(figures.last_deal))
        except (Rejected, ValueError, KeyError) as error:
            return str(error)
        if (due.winner, due.clause) != (result.winner, clause_as_written(result.clause)):
            return f"the sheet says side {result.winner} won by {result.clause}, its deals say {due.winner}, {due.clause}"
        return ""

    def ended(self, told: Any) -> str:
        """The match is over, as `told`."""
        if not told.HasField("winner"):
            return "the match was closed without a winner, though its sheet counts" if self._counts else ""
        if not self._counts or self._entered is None:
            return "the match was ended before its sheet counted"
        figures, result = self._entered.figures, self._entered.result
        clause = clause_as_written(result.clause)
        past_a = clause == PAST_A
        net = net_levels(result.levels[result.winner], result.levels[1 - result.winner], self._a_is_a_level)
        due = (
            result.winner,
            list(result.levels),
            [past_a and side == result.winner for side in SIDES],
            net,
            len(figures.deals),
            clause,
            (figures.started_us, figures.ended_us),
        )
        times = told.started_us, told.ended_us
        was = (
            told.winner,
            list(told.levels),
            list(told.past_a),
            told.net_levels,
            told.deals,
            told.clause,
            times,
        )
        return "" if was == due else f"the match is told to have ended as {was}, its sheet says {due}"


def _lines(deals: Sequence[Any]) -> tuple[DealLine, ...]:
    """The deals as the rules take them. Raises ValueError for figures that are not by side."""
    found = []
    for deal in deals:
        (fines, other_fines), (rises, other_rises) = deal.fines, deal.rises
        sides = (fines, other_fines), (rises, other_rises)
        found.append(DealLine(deal.declarer, deal.level, deal.points, *sides))
    return tuple(found)
