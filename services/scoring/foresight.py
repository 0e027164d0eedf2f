"""What would be: standings with a ruling laid over them, the round they would seat, whether a case can matter. Nothing is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from services.directory import Championship
from services.domain import Rejected
from services.games.championship import contest as c
from services.games.championship.contest import BY_POINTS
from services.games.championship.tables import Tables as Seated
from services.games.championship.tables import plan_of
from services.runtime.errors import Malformed, NotFound
from services.scoring import decider, fitness
from services.scoring import model as m
from services.scoring.coming import seating
from services.scoring.desk import Desk
from services.scoring.foreseen import foreseen, open_replays
from services.scoring.materiality import NOT_RULED, About, Contested, ContestedPairing, Tried
from services.scoring.reseated import Seats, laid
from services.scoring.tables import Computed


class Foresight:
    """Tries rulings out on what the desk knows."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def what_if(
        self, championship: str, corrections: Sequence[m.Remedy]
    ) -> tuple[Computed, Computed, tuple[int, int]]:
        """Live standings, and what they would be with `corrections` ruled; how many boards would be played again at one table, and
        at several (`foreseen`). Writes nothing."""
        known = self._desk.directory.get(championship)
        asked = [replace(one, authority=NOT_RULED) for one in fitness.with_all_rooms(known, corrections)]
        ledger = self._desk.ledger(championship)
        made, rulings = len(ledger.rulings), decider.laid(ledger, asked).rulings
        await self._desk.check(championship, asked)
        seats = {
            (number, name): len(table.entrants)
            for number in {
                one.event.round for one in rulings[made:] if isinstance(one.event, m.BoardSuperseded)
            }
            for name, table in known.rounds[number].tables.items()
        }
        before = await self._desk.tables.live(championship, ledger.rulings)
        if not asked:  # other seats change no results
            return before, before, (0, 0)
        known_of = foreseen(rulings[made:], known.settings.format, seats)
        after = await self._desk.tables.compute(
            championship, before.cut, (*rulings[:made], *known_of), keep=False
        )
        return before, after, open_replays(rulings[made:], known.settings.format)

    async def reseated(self, championship: str, reseats: Sequence[m.ReseatRound]) -> tuple[int, Seats, Seats]:
        """A round that has not begun, who sits where, and who would (`reseated.laid`). Raises Rejected, NotFound."""
        await self._desk.directory.refresh()
        return laid(self._desk.directory.get(championship), reseats)

    async def next_seatings(self, championship: str, *orders: c.Order) -> tuple[int, list[Seated]] | None:
        """The round that is paired next, as each of `orders` would seat it; None where no ranks seat it, or nobody is left."""
        known = self._desk.directory.get(championship)
        plan, newest = plan_of(known.settings), known.current_round
        if known.phase != "running" or newest is None or newest.number >= plan.rounds or plan.fixed:
            return None
        met = await self._desk.tables.met(championship, plan.format)
        playing = known.entrants.keys() - known.withdrawn
        try:
            seated = [await asyncio.to_thread(seating, plan, order, playing, met) for order in orders]
        except Rejected:
            return None
        return newest.number + 1, seated

    async def materiality(self, championship: str, about: About, lines: Sequence[int]) -> list[Tried]:
        """What rulings of a case would change, the least of each kind; writes nothing. Raises Rejected, NotFound."""
        ledger, known = self._desk.ledger(championship), self._desk.directory.get(championship)
        await self._desk.caught_up()
        if isinstance(about, Contested):
            about = await self._check_case(known, ledger, about)
        elif known.settings.format in BY_POINTS:
            raise Rejected(
                "RULING_OF_OTHER_FORMAT", "C7.2", "this event knows no percentages and no penalties"
            )
        elif isinstance(about, ContestedPairing) and about.entrant not in known.entrants:
            raise NotFound("entrant", about.entrant)
        elif isinstance(about, ContestedPairing) and about.round not in known.rounds:
            raise NotFound("round", about.round)
        return await self._desk.tables.tried(championship, ledger, about, lines)

    async def _check_case(self, known: Championship, ledger: m.Ledger, about: Contested) -> Contested:
        """Whether rulings on a board or a match can be tried already; the attempt that is played at its table."""
        order = ledger.replay(about.table)
        first = about.table if order is None else order.table
        if first not in (known.rounds[about.round].tables if about.round in known.rounds else ()):
            raise NotFound("table", about.table)
        on_boards = bool(known.settings.boards_per_round)
        if on_boards != bool(about.board):
            raise Malformed("board", "must be given, except in the points format")
        if on_boards and (about.round, about.board) not in await self._desk.tables.shown(known.id):
            raise Rejected("BOARD_OPEN", "C9.2", "a board is corrected once it is closed everywhere")
        if not on_boards:
            probe = m.CorrectMatch(about.table, about.round, 0, ("A", "2"), NOT_RULED)
            await self._desk.check_match(known, probe)
        return about if order is None else replace(about, attempt=order.by_attempt)
