"""The append rule, in one place.

A record is published expecting the subject's head. After a lost acknowledgement or a conflict the log is
asked which record follows that head: ours, then it was done; none, then it is published again; another's,
then the decision was made on an old state and its maker must decide again (`Overtaken`).
"""

from __future__ import annotations

import asyncio
import logging
import random

from services.runtime.store import Conflict, EventStore, Stored, StoreUnavailable

log = logging.getLogger(__name__)

# Waits between two tries, seconds: drawn between zero and a ceiling that doubles from the first to the last.
_FIRST_WAIT = 0.005
_LONGEST_WAIT = 0.5


class Overtaken(Exception):
    """Another record follows the head that was decided upon; nothing of ours was written. `record` is that
    other one."""

    def __init__(self, record: Stored) -> None:
        super().__init__(f"{record.subject} went on without us at {record.stream} {record.sequence}")
        self.record = record


class Appender:
    """Appends by the append rule. One a process is enough; appends to one subject need no order among
    themselves."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._running: set[asyncio.Task[int]] = set()

    async def append(self, subject: str, data: bytes, expected_sequence: int, until: float) -> int:
        """Append `data` behind the record at `expected_sequence` (0: as the subject's first); returns its
        stream sequence.

        `until` is a time of the running loop's clock. Raises Overtaken, or StoreUnavailable when the time is
        over and whether the record was written is unknown. Cancelling the caller does not stop an append that
        has begun: it ends by itself, and `drain` waits for it.
        """
        task = asyncio.create_task(self.append_here(subject, data, expected_sequence, until))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def drain(self) -> None:
        """Wait until no append is running; each ends at its deadline at the latest."""
        while self._running:
            await asyncio.wait(self._running)

    async def append_here(self, subject: str, data: bytes, expected: int, until: float) -> int:
        """`append` in the caller's own task, for a caller that sees to it that this task is not cancelled."""
        wait = _FIRST_WAIT
        while True:
            try:
                return await self._store.append(subject, data, expected)
            except (Conflict, StoreUnavailable) as error:
                doubt: Exception = error
            try:
                follower = await self._store.next_of(subject, expected)
            except StoreUnavailable as error:
                doubt = error
            else:
                if follower is not None and follower.data != data:
                    raise Overtaken(follower)
                if follower is not None:
                    return follower.sequence
            remaining = until - asyncio.get_running_loop().time()
            if remaining <= 0:
                raise StoreUnavailable(f"not known to be written in time: {doubt}") from doubt
            await asyncio.sleep(min(random.uniform(0, wait), remaining))
            wait = min(2 * wait, _LONGEST_WAIT)

    def _ended(self, task: asyncio.Task[int]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # The caller gets it too, if it is still there.
            log.debug("append failed: %s", error)
