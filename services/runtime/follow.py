"""One reading of one JetStream stream in order: a push consumer with heartbeats and flow control.

nats-py's own ordered consumer is not used: it answers flow control when a message *arrives*, so a slow reader
drops messages, and it counts a dropped message as delivered. Here flow control is answered when the reader
has *taken* what came before, so that the server waits (32 MB in flight at most), and every message's consumer
number is checked.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js import JetStreamContext, api

from services.runtime.store import Stored

HEARTBEAT_SECONDS = 1.0
# So many heartbeats may be missed before the consumer counts as lost.
_MISSED = 3
# Above anything flow control lets the server send; the client must never drop.
_PENDING_MESSAGES = 4 * 1024 * 1024
_PENDING_BYTES = 512 * 1024 * 1024


class TailLost(Exception):
    """The consumer went silent, lost a message or was removed: make another one."""


class Tail:
    """Records of `stream` above sequence `after`, in order, until TailLost."""

    def __init__(self, nc: Client, js: JetStreamContext, stream: str, after: int, subject: str) -> None:
        self._nc = nc
        self._js = js
        self._stream = stream
        self._after = after
        self._subject = subject
        self._subscription: Subscription | None = None
        self._records: list[Stored] = []
        self._flow = ""
        self._received = 0
        self._lost = ""
        self._event = asyncio.Event()
        # How many records there were when the consumer was made.
        self.backlog = 0

    async def open(self) -> None:
        """Make the consumer. Raises NATS errors."""
        inbox = self._nc.new_inbox()
        self._subscription = await self._nc.subscribe(
            inbox,
            cb=self._on_message,
            pending_msgs_limit=_PENDING_MESSAGES,
            pending_bytes_limit=_PENDING_BYTES,
        )
        info = await self._js.add_consumer(
            self._stream,
            api.ConsumerConfig(
                name=inbox.rsplit(".", 1)[-1],
                deliver_subject=inbox,
                deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
                opt_start_seq=self._after + 1,
                ack_policy=api.AckPolicy.NONE,
                max_deliver=1,
                filter_subject=self._subject or None,
                flow_control=True,
                idle_heartbeat=HEARTBEAT_SECONDS,
                inactive_threshold=30,
                num_replicas=1,
                mem_storage=True,
            ),
        )
        # The answer may be younger than the first deliveries.
        self.backlog = (info.num_pending or 0) + (info.delivered.consumer_seq if info.delivered else 0)

    async def close(self) -> None:
        """Stop; the server removes the consumer by itself."""
        if self._subscription is not None and not self._nc.is_closed:
            with suppress(NatsError):
                await self._subscription.unsubscribe()

    def lose(self, why: str) -> None:
        """Make the next `take` raise TailLost."""
        self._lost = self._lost or why
        self._event.set()

    async def take(self) -> list[Stored]:
        """What has come since the last call, at least one record. Raises TailLost after giving what came in
        order.

        The next call tells the server that everything taken before is done with."""
        await self._allow_more()
        while not self._records:
            if self._lost:
                raise TailLost(self._lost)
            self._event.clear()
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS * _MISSED):
                    await self._event.wait()
            except TimeoutError:
                raise TailLost(f"nothing heard for {HEARTBEAT_SECONDS * _MISSED} s") from None
            await self._allow_more()
        records, self._records = self._records, []
        return records

    async def _allow_more(self) -> None:
        """Answer flow control when all that preceded its question was taken."""
        if self._flow and not self._records:
            reply, self._flow = self._flow, ""
            try:
                await self._nc.publish(reply)
            except NatsError as error:
                self.lose(f"flow control: {error}")

    async def _on_message(self, msg: Msg) -> None:
        if self._lost:
            return
        headers = msg.headers
        # A message of the server itself: no data, a status among the headers.
        if not msg.data and headers is not None and "Status" in headers:
            self._on_status(headers, msg.reply)
            return
        # $JS.ACK.<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<time>.<pending>, two tokens
        # more with a domain.
        tokens = msg.reply.split(".")
        first = 5 if len(tokens) == 9 else 7
        self._received += 1
        if int(tokens[first + 1]) != self._received:
            self.lose(f"message {self._received} of the consumer is missing")
            return
        self._records.append(Stored(self._stream, int(tokens[first]), msg.subject, msg.data))
        if len(self._records) == 1:
            self._event.set()

    def _on_status(self, headers: dict[str, str], reply: str) -> None:
        if headers["Status"] != "100":
            self.lose(headers.get("Description", headers["Status"]))
            return
        flow = reply or headers.get("Nats-Consumer-Stalled", "")
        if flow:
            self._flow = flow
        last = headers.get("Nats-Last-Consumer")
        if last is not None and int(last) != self._received:
            self.lose(f"{last} messages were sent and {self._received} came")
        self._event.set()
