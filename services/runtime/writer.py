"""The append rule, in one place.

A record is published expecting the subject's head. After a lost acknowledgement or a conflict the log is
asked which record follows that head: ours, then it was done; none, then it is published again; another's,
then the decision was made on an old state and its maker must decide again (`Overtaken`).
"""

from __future__ import annotations

import asyncio
import random

from services.runtime.store import Conflict, EventStore, Stored, StoreUnavailable

# Waits between two tries, seconds: drawn between zero and a ceiling that doubles from the first to the last.
_FIRST_WAIT = 0.005
_LONGEST_WAIT = 0.5


class Overtaken(Exception):
    """Another record follows the head that was decided upon; nothing of ours was written. `record` is that
    other one."""

    def __init__(self, record: Stored) -> None:
        super().__init__(f"{record.subject} went on without us at {record.stream} {record.sequence}")
        self.record = record


async def append(store: EventStore, subject: str, data: bytes, expected_sequence: int, until: float) -> int:
    """Append `data` behind the record at `expected_sequence` (0: as the subject's first); returns its
    stream sequence.

    `until` is a time of the running loop's clock. Raises Overtaken, or StoreUnavailable when the time is
    over and whether the record was written is unknown. Whoever cancels it does not know either.
    """
    wait = _FIRST_WAIT
    while True:
        try:
            return await store.append(subject, data, expected_sequence)
        except (Conflict, StoreUnavailable) as error:
            doubt: Exception = error
        try:
            follower = await store.next_of(subject, expected_sequence)
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
