"""One reading of a stream for all in this process that follow it and have come as far.

A service's log and its archive follow the same streams; so do the log and the projections of others in one process. Each begins
with a reading of its own. Once it has caught up it joins the stream's `Reading`: one consumer at the server, and each message
taken in once, however many follow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from services.runtime.follow import Tail, TailLost
from services.runtime.store import Stored

MOST_WAITING = 20_000
"""Records kept for a follower that is slower than the stream; it then goes on with a reading of its own, which waits for it."""


class Member:
    """A follower's place at a reading; what has come is `take`n."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._records: list[Stored] = []
        self._why_left = ""
        self._event = asyncio.Event()

    async def take(self) -> list[Stored]:
        """What has come since the last call, at least one record. Raises TailLost after giving what came in order."""
        while not self._records:
            if self._why_left:
                raise TailLost(self._why_left)
            self._event.clear()
            await self._event.wait()
        records, self._records = self._records, []
        return records

    def put(self, records: list[Stored]) -> None:
        """More has come."""
        if len(self._records) + len(records) > MOST_WAITING:
            self.leave()
            self.dismiss("slower than the stream")
        else:
            self._records += records
            self._event.set()

    def leave(self) -> None:
        """Want no more."""
        self._reading.leave(self)

    def dismiss(self, why: str) -> None:
        """Nothing more will come."""
        self._why_left = why
        self._event.set()


class Reading:
    """Hands everything that comes to a tail that has caught up to every member, at once. `last`: the sequence handed out last."""

    def __init__(self, tail: Tail, last: int, ended: Callable[[], object]) -> None:
        self.last = last
        self.tail = tail
        self._ended = ended
        self._members: set[Member] = set()
        tail.on_news = self._hand_out

    def join(self) -> Member:
        """A new member; it gets what comes after `last`."""
        member = Member(self)
        self._members.add(member)
        self._hand_out()
        return member

    def leave(self, member: Member) -> None:
        """A member wants no more; without members the reading ends."""
        self._members.discard(member)
        if not self._members:
            self._end("nobody was left")

    def _hand_out(self) -> None:
        try:
            while records := self.tail.taken():
                self.last = records[-1].sequence
                for member in tuple(self._members):
                    member.put(records)
        except TailLost as lost:
            self._end(str(lost))

    def _end(self, why: str) -> None:
        """Nobody joins from here on, and who is a member reads on by itself."""
        ended, self._ended = self._ended, lambda: None
        ended()
        members, self._members = self._members, set()
        for member in members:
            member.dismiss(why)
