"""Boards played over again for whoever may see them: everybody once one is revealed, before that the panel that judges it."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from dataclasses import asdict

from fupan.table.v1 import service_pb2 as pb
from services.directory import Directory
from services.domain import Rejected
from services.runtime.errors import Malformed, NotFound
from services.runtime.identity import caller
from services.runtime.streams import parse
from services.table import codec
from services.table.framing import path_of
from services.table.hall import Hall
from services.table.leaves import Leaves
from services.table.model.events import BoardSlot
from services.table.players import Players
from services.table.replay import Step, evenly_read, key_of, steps
from services.table.tried import Tries, is_action


class Replays:
    """Replays of a hall's boards, with what seats tried on them."""

    def __init__(
        self, hall: Hall, leaves: Leaves, directory: Directory, players: Players, tries: Tries
    ) -> None:
        self._hall = hall
        self._leaves = leaves
        self._directory = directory
        self._players = players
        self._tries = tries

    async def board(
        self, subject: str, request: pb.ReplayBoardRequest
    ) -> AsyncIterator[pb.ReplayBoardResponse]:
        """The steps of a board that the caller may see. Raises Malformed, NotFound, Rejected, Unavailable."""
        table = self._hall.table(subject)
        facts, rules = table.facts, table.rules
        slot = BoardSlot(request.board, request.attempt)
        path = path_of(facts, slot)
        if slot not in table.slots:
            raise NotFound("board", path)
        if facts.real_cards:
            raise Rejected("PLAYED_WITH_REAL_CARDS", "C1.3", "real cards leave nothing to replay")
        if not 0 <= request.seat < len(facts.seats):
            raise Malformed("seat", f"must be 0 to {len(facts.seats) - 1}")
        may_see = self._leaves.revealed(request.championship, path) or self._judges(subject, path)
        key = await key_of(self._leaves, self._hall.log, subject, path) if may_see else None
        if key is None:
            raise Rejected("BOARD_OPEN", "", "the board is not revealed: not all tables have closed it")
        kept = [one for one in await self._tries.of(subject, path, key) if is_action(rules, one.action)]
        tried = deque(one for one in kept if request.all or one.seat == request.seat)
        shown = None
        played = _listed(steps(self._hall.log, subject, path, key))
        for step in await evenly_read(self._hall.table(subject), played):
            seen = None if request.all else step.seen_by(request.seat)
            if request.all or seen != shown:
                response = _step(step, rules.game, request)
                while tried and tried[0].time_us <= step.time_us:
                    response.tried.append(pb.Tried(**asdict(tried.popleft())))
                yield response
            shown = seen

    def _judges(self, subject: str, path: str) -> bool:
        """Whether the caller sees a board that is not revealed: the dealer has opened it to it, it is an arbitrator still, and does
        not play the event, nor has in an entrant's place (C1.6)."""
        championship, person = parse(subject).championship, caller().person
        in_office = "arbitrator" in self._directory.roles(championship, person)
        judges = in_office and self._leaves.judges(championship, path, person)
        return judges and not self._players.plays(championship, person)


async def _listed(played: AsyncIterator[Step]) -> list[Step]:
    return [step async for step in played]


def _step(step: Step, game: str, request: pb.ReplayBoardRequest) -> pb.ReplayBoardResponse:
    """A step with all hands, or as one seat knew it: then a claim that others had not seen stays unsaid."""
    response = pb.ReplayBoardResponse(step=step.number, time_us=step.time_us)
    acted = step.acted
    if acted is not None and (request.all or acted.seat == request.seat or acted.question == "play"):
        response.acted.CopyFrom(codec.EVENTS.to_proto(acted).acted)
        response.action = step.action
    if request.all:
        response.events.extend(step.events)
        for seat in range(len(step.table.people)):
            response.seats.add().MergeFromString(codec.painted(game, step.seen_by(seat).view))
    else:
        response.view.MergeFromString(codec.painted(game, step.seen_by(request.seat).view))
    return response
