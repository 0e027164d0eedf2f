"""What a player's client says of a question: that it shows it, and the answer, on its way to the log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from fupan.table.v1 import service_pb2 as pb
from services.domain import Rejected
from services.runtime.log import Answer, Envelope
from services.table import codec
from services.table.hall import Hall
from services.table.line import Line
from services.table.model import commands as c
from services.table.model.events import Event
from services.table.seating import Place
from services.table.timekeeper import Timekeeper

LONGEST = 512
"""Bytes of an answer that may be one of a game; of what is longer nothing is remembered but that it was refused."""


class Sent(NamedTuple):
    """An answer on its way to the log. Its player is told nothing of it before `told_us`, whatever comes of it."""

    task: asyncio.Task[Answer[Event]]
    subject: str
    told_us: int


class Answers:
    """The answers of a hall's players."""

    def __init__(self, hall: Hall, time: Timekeeper) -> None:
        self._hall = hall
        self._time = time
        self.on_refused: Callable[[str, c.Act, Rejected], None] = lambda subject, command, refusal: None
        """Called when a clause has refused what a seat tried."""

    def delivered(self, line: Line, cursor: int) -> None:
        """A client says what it has shown."""
        news, desk = line.acknowledged(cursor), self._hall.desk(line.subject)
        if news is not None and desk is not None:
            board, ask, rtt_us = news
            table = self._hall.table(desk.subject)
            desk.delivered(table, line.seat, board, ask, self._time.now_us(), rtt_us)

    def send(self, championship: str, person: str, answer: pb.Answer) -> Sent:
        """Send a player's answer. Raises Rejected when it cannot be one."""
        place = self._hall.seating.place(championship, person)
        if place is None:
            raise Rejected("NOT_SEATED", "", "you sit at no table of this championship")
        action = codec.action_of(answer)
        if action is None:
            raise Rejected("MALFORMED_ACTION", "", "the answer holds no action")
        command, told_us = self._act(place, answer, action), self.told_us(place, answer)
        task = self._hall.log.submit(place.subject, command, Envelope(person, answer.command_id))
        if answer.ByteSize() <= LONGEST:
            task.add_done_callback(lambda done: self._answered(place, command, done))
        return Sent(task, place.subject, told_us)

    def told_us(self, place: Place, answer: pb.Answer) -> int:
        """See `Stage.told_us`."""
        desk = self._hall.desk(place.subject)
        if desk is None:
            return 0
        return desk.stage.told_us(self._hall.table(place.subject), place.seat, answer.board, answer.ask)

    def _act(self, place: Place, answer: pb.Answer, action: Any) -> c.Act:
        now_us, desk = self._time.now_us(), self._hall.desk(place.subject)
        delivered_us = rtt_us = reconnects = 0
        if desk is not None:
            delivery = desk.delivery(place.seat, answer.board, answer.ask)
            live = self._hall.table(place.subject).live
            question = None if live is None else live.question(place.seat)
            if delivery is not None and question is not None:
                delivered_us, rtt_us = question.shown_us + delivery.delay_us, delivery.rtt_us
            reconnects = max(0, desk.reconnects[place.seat])
        return c.Act(answer.board, place.seat, answer.ask, action, delivered_us, now_us, rtt_us, reconnects)

    def _answered(self, place: Place, command: c.Act, done: asyncio.Task[Answer[Event]]) -> None:
        error = None if done.cancelled() else done.exception()
        if isinstance(error, Rejected) and error.clause:
            self.on_refused(place.subject, command, error)
