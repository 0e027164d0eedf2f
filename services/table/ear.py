"""What comes in on one Play stream: answers, acknowledgements, fresh tokens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial

from fupan.table.v1 import service_pb2 as pb
from services.runtime.errors import Malformed, Unauthenticated
from services.runtime.even import EVEN_SECONDS
from services.runtime.identity import Caller, Identity
from services.runtime.log import Answer
from services.table.answering import Answers
from services.table.hall import Hall
from services.table.line import Line
from services.table.messages import accepted, refused
from services.table.model.events import Event
from services.table.timekeeper import Alarm, Timekeeper

UNANSWERED = 4
"""Answers of one stream that may be under way at once, those among them that are not told yet."""


class Ear:
    """What comes in on one Play stream: answers, acknowledgements, fresh tokens."""

    def __init__(
        self, hall: Hall, answers: Answers, line: Line, identity: Identity, time: Timekeeper, who: Caller
    ) -> None:
        self._hall = hall
        self._answers = answers
        self._line = line
        self._identity = identity
        self._time = time
        self._subject = who.subject
        self._room = asyncio.Semaphore(UNANSWERED - 1)
        """Taken by answers that are not told yet; the last one waits for some before more is taken in."""
        self._expiry: Alarm | None = None
        self._until(who)

    async def listen(self, requests: AsyncIterator[pb.PlayRequest]) -> None:
        """Take in messages until the client has no more; whatever is wrong with them ends the stream."""
        try:
            async for request in requests:
                match request.WhichOneof("kind"):
                    case "answer":
                        await self._answer(request.answer)
                    case "delivered":
                        self._answers.delivered(self._line, request.delivered.cursor)
                    case "renewal":
                        self._renew(request.renewal.token)
                    case _:
                        raise Malformed("kind", "must be an answer, delivered or renewal after the hello")
            self._line.close("")
        except Exception as error:
            self._line.close(error)

    def stop(self) -> None:
        """The stream is over."""
        if self._expiry is not None:
            self._expiry.cancel()

    async def _answer(self, answer: pb.Answer) -> None:
        """Send an answer to the log, and its outcome back when it is known; few may be under way at once."""
        even = asyncio.get_running_loop().time() + EVEN_SECONDS
        try:
            sent = self._answers.send(self._line.championship, self._line.person, answer)
        except Exception as error:
            self._line.put(refused(answer.command_id, error))
            return
        self._line.unanswered += 1

        def answered(done: asyncio.Task[Answer[Event]]) -> None:
            outcome = partial(self._answered, answer.command_id, done, even)
            self._hall.when_shown(sent.subject, sent.told_us, outcome)

        sent.task.add_done_callback(answered)
        await self._room.acquire()

    def _answered(self, command_id: str, task: asyncio.Task[Answer[Event]], even: float) -> None:
        """Say what came of an answer: that it is accepted now, anything else at the loop's time `even` (`even`)."""
        self._line.unanswered -= 1
        error = task.exception()
        response = accepted(command_id, task.result()) if error is None else refused(command_id, error)
        if error is None and not task.result().repeated:
            self._tell(response)
        else:
            asyncio.get_running_loop().call_at(even, self._tell, response)

    def _tell(self, response: pb.PlayResponse) -> None:
        self._room.release()
        self._line.put(response)

    def _renew(self, token: str) -> None:
        try:
            who = self._identity.verify(token)
            if who.subject != self._subject:
                raise Unauthenticated("TOKEN_INVALID", "the token is somebody else's")
        except Unauthenticated as error:
            self._line.put(refused("", error))
        else:
            self._until(who)

    def _until(self, who: Caller) -> None:
        """The stream ends when the token does."""
        self.stop()
        self._expiry = self._time.alarm(
            int(who.expires_at * 1_000_000), lambda: self._line.close("TOKEN_EXPIRED")
        )
