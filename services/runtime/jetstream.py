"""The event store on NATS JetStream.

Single records and heads (`last`, `next_of`, the end of `read`) are asked of the stream's leader, since a direct get may be
answered by a replica that is behind; bulk comes by direct get.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import nats.errors
from nats.js import JetStreamContext

from services.ledger.record import MAX_RECORD
from services.runtime.acks import Acks
from services.runtime.follow import Tail, TailLost
from services.runtime.provenance import appended, expecting, got
from services.runtime.sharing import Member, Reading
from services.runtime.store import EVERYTHING, Stored, StoreUnavailable, StreamWentBack
from services.runtime.streams import stream_of
from services.runtime.telemetry import traceparent
from services.runtime.wire import Wire, status

log = logging.getLogger(__name__)

# One answer of a batched direct get: records, and bytes in all.
_BATCH_RECORDS = 500
_BATCH_BYTES = 4 * 1024 * 1024
# Most records one `deliver` gets.
_DELIVERY = 1000
_RETRY_SECONDS = 0.2
_RECONNECT_SECONDS = 0.1
# The server's code for "no message found"; every other error is trouble.
_NO_MESSAGE = 10037


class JetStreamStore:
    """EventStore over one connection of its own. Make it with `connect`, end it with `close`."""

    def __init__(self, nc: Wire, timeout: float) -> None:
        self.nc = nc
        self.js: JetStreamContext = nc.jetstream(timeout=timeout)
        self._timeout = timeout
        self._acks = Acks(nc, timeout)
        self._tails: set[Tail] = set()
        self._readings: dict[str, Reading] = {}
        self._closed = False

    @classmethod
    async def connect(
        cls,
        servers: str | Sequence[str],
        *,
        name: str,
        user: str | None = None,
        password: str | None = None,
        timeout: float = 5.0,
        patience: float = 10.0,
        **options: Any,
    ) -> JetStreamStore:
        """Connect, and stay connected: reconnects go on for ever.

        `timeout` in seconds holds for one request or append, `patience` for the first connection: nobody there
        is StoreUnavailable. With a `user` the reply inboxes lie under `_INBOX.<user>`, so that one service cannot
        listen to another's answers. `options` go to `nats.connect` (tls and so on)."""
        store = cls(Wire(), timeout)
        with _unavailable():
            # The client itself would go on knocking.
            async with asyncio.timeout(patience):
                await store.nc.connect(
                    servers if isinstance(servers, str) else list(servers),
                    name=name,
                    user=user,
                    password=password,
                    inbox_prefix=f"_INBOX.{user}" if user else "_INBOX",
                    error_cb=_on_error,
                    disconnected_cb=store._on_disconnected,
                    reconnected_cb=store._on_reconnected,
                    max_reconnect_attempts=-1,
                    # The client's annotation says int, but it sleeps for it.
                    reconnect_time_wait=_RECONNECT_SECONDS,  # type: ignore[arg-type]
                    ping_interval=10,
                    pending_size=64 * 1024 * 1024,
                    **options,
                )
                await store._acks.start()
        return store

    async def close(self) -> None:
        """End followers and the connection."""
        self._closed = True
        self._acks.close()
        for tail in tuple(self._tails):
            tail.lose("closed")
        await self.nc.close()

    async def append(self, subject: str, data: bytes, expected_sequence: int) -> int:
        """See EventStore. Raises ValueError for a record above MAX_RECORD."""
        if len(data) > MAX_RECORD:
            raise ValueError(f"a record of {len(data)} bytes; at most {MAX_RECORD}")
        return await self._acks.publish(subject, data, expecting(expected_sequence, traceparent()))

    async def last(self, subject: str) -> Stored | None:
        """See EventStore."""
        return await self._from_leader(stream_of(subject), {"last_by_subj": subject})

    async def next_of(self, subject: str, after: int) -> Stored | None:
        """See EventStore."""
        return await self._from_leader(stream_of(subject), {"seq": after + 1, "next_by_subj": subject})

    async def get(self, stream: str, sequence: int) -> Stored | None:
        """See EventStore."""
        return await self._from_leader(stream, {"seq": sequence})

    async def read(self, subject: str, after: int = 0, most: int = EVERYTHING) -> AsyncIterator[Stored]:
        """See EventStore. Batched direct gets, repeated until the last record the leader knew at the start
        has come."""
        stream = stream_of(subject)
        end = await self.last(subject)
        while end is not None and after < end.sequence and most > 0:
            came = await self._direct_batch(stream, subject, after, min(most, _BATCH_RECORDS))
            for record in came:
                if record.data:
                    yield record
                    most -= 1
            if came:
                after = came[-1].sequence
            else:
                await asyncio.sleep(_RETRY_SECONDS / 10)

    async def last_sequence(self, stream: str) -> int:
        """See EventStore."""
        with _unavailable():
            return (await self.js.stream_info(stream)).state.last_seq

    async def follow(
        self,
        stream: str,
        after: int,
        deliver: Callable[[list[Stored]], Awaitable[None]],
        subject: str = "",
        caught_up: Callable[[], None] | None = None,
    ) -> None:
        """See EventStore. Raises StoreUnavailable when the store was closed."""
        while not self._closed:
            tail = Tail(self.nc, self.js, stream, after, subject)
            self._tails.add(tail)
            source: Tail | Member = tail
            try:
                newest = await self._open(tail, stream, after, subject)
                behind = tail.backlog
                while True:
                    _end_if_cancelled()
                    if behind <= 0 and after >= newest and source is tail:
                        if caught_up is not None:
                            caught_up()
                            caught_up = None
                        source = tail if subject else self._join(stream, tail, after)
                        self._leave(tail, source)
                    records = await source.take()
                    behind -= len(records)
                    if records[0].sequence <= after:
                        records = [record for record in records if record.sequence > after]
                    for start in range(0, len(records), _DELIVERY):
                        batch = records[start : start + _DELIVERY]
                        await deliver(batch)
                        after = batch[-1].sequence
            except TailLost as lost:
                log.info("following %s again after %d: %s", stream, after, lost)
            except _NotOpened as error:
                log.info("cannot follow %s after %d yet: %s", stream, after, error)
                await asyncio.sleep(_RETRY_SECONDS)
            finally:
                if isinstance(source, Member):
                    source.leave()
                self._leave(tail)
        raise StoreUnavailable("closed")

    def _join(self, stream: str, tail: Tail, after: int) -> Tail | Member:
        """Go on as a member of the stream's reading, which `tail` begins if there is none; `tail` itself while it is behind."""
        reading = self._readings.get(stream)
        if reading is None:

            def ended() -> None:
                del self._readings[stream]
                self._tails.discard(tail)
                tail.close()

            reading = self._readings[stream] = Reading(tail, after, ended)
        return reading.join() if reading.last <= after else tail

    def _leave(self, tail: Tail, source: object = None) -> None:
        """Close a follower's own tail unless it still reads from it, or a reading does."""
        if tail is not source and all(reading.tail is not tail for reading in self._readings.values()):
            self._tails.discard(tail)
            tail.close()

    async def _open(self, tail: Tail, stream: str, after: int, subject: str) -> int:
        """Open a tail; the sequence of the newest record it is for as the stream's leader knows it, 0: it was removed, or there is
        none. The consumer, which counts what it has to deliver, may be on a replica that has not heard of the newest yet."""
        try:
            last = await self.last_sequence(stream)
            asked = {"last_by_subj": subject} if subject else {"seq": last}
            newest = await self._from_leader(stream, asked) if last else None
            with _unavailable():
                await tail.open()
        except StoreUnavailable as error:
            raise _NotOpened(str(error)) from error
        if last < after:
            raise StreamWentBack(stream, after, last)
        return 0 if newest is None else newest.sequence

    async def _from_leader(self, stream: str, question: dict[str, Any]) -> Stored | None:
        with _unavailable():
            answer = await self.nc.request(
                f"$JS.API.STREAM.MSG.GET.{stream}", json.dumps(question).encode(), timeout=self._timeout
            )
            found = _decode_found(answer.data)
        if found.message is not None:
            message = found.message
            return Stored(stream, message.seq, message.subject, appended(message.hdrs, message.data))
        if found.error is not None and found.error.err_code == _NO_MESSAGE:
            return None
        raise StoreUnavailable(f"the log did not answer: {found.error}")

    async def _direct_batch(self, stream: str, subject: str, after: int, most: int) -> list[Stored]:
        """The subject's next records, as many as one answer holds; empty when the replica asked has none."""
        question = {
            "seq": after + 1,
            "next_by_subj": subject,
            "batch": most,
            "max_bytes": _BATCH_BYTES,
        }
        records: list[Stored] = []
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def on_message(_subject: bytes, _reply: bytes, headers: bytes, data: bytes) -> None:
            if not data and (told := status(headers)) is not None:
                # 204 ends a batch, 404 says that there is nothing.
                if not done.done():
                    if told["Status"] in ("204", "404"):
                        done.set_result(None)
                    else:
                        done.set_exception(StoreUnavailable(f"direct get: {dict(told)}"))
                return
            records.append(got(stream, headers, data))

        inbox = self.nc.new_inbox()
        with _unavailable():
            subscription = await self.nc.listen(inbox, on_message)
            try:
                await self.nc.publish(
                    f"$JS.API.DIRECT.GET.{stream}", json.dumps(question).encode(), reply=inbox
                )
                async with asyncio.timeout(self._timeout):
                    await done
            finally:
                self.nc.unlisten(subscription)
        return records

    async def _on_disconnected(self) -> None:
        self._acks.fail_all("the connection to the log was lost")

    async def _on_reconnected(self) -> None:
        # A consumer in memory may not have survived, and its silence would only be noticed seconds later.
        for tail in tuple(self._tails):
            tail.lose("reconnected")


class _NotOpened(Exception):
    """A consumer could not be made; to be tried again."""


class _Message(msgspec.Struct):
    subject: str
    seq: int
    data: bytes = b""
    hdrs: bytes = b""


class _Error(msgspec.Struct):
    err_code: int = 0
    description: str = ""


class _Found(msgspec.Struct):
    message: _Message | None = None
    error: _Error | None = None


_decode_found = msgspec.json.Decoder(_Found).decode


async def _on_error(error: Exception) -> None:
    log.warning("nats: %s", error)


def _end_if_cancelled() -> None:
    """Be cancelled after all: `asyncio.wait_for`, with which the NATS client asks, loses a cancellation that comes together with
    the answer (before Python 3.12)."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


@contextmanager
def _unavailable() -> Iterator[None]:
    """NATS not answering, in our own word for it."""
    try:
        yield
    except (nats.errors.Error, msgspec.DecodeError, TimeoutError, OSError) as error:
        raise StoreUnavailable(f"the log did not answer: {str(error) or type(error).__name__}") from error
