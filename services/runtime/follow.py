"""One reading of one JetStream stream in order: a push consumer with heartbeats and flow control.

nats-py's own ordered consumer is not used: it answers flow control when a message *arrives*, so a slow reader
drops messages, and it counts a dropped message as delivered. Here flow control is answered when the reader
has *taken* what came before, so that the server waits (32 MB in flight at most), and every message's consumer
number is checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js import JetStreamContext, api

from services.runtime.provenance import delivered
from services.runtime.store import Stored
from services.runtime.wire import Wire, status

HEARTBEAT_SECONDS = 1.0
# So many heartbeats may be missed before the consumer counts as lost.
_MISSED = 3


class TailLost(Exception):
    """The consumer went silent, lost a message or was removed: make another one."""


class Tail:
    """Records of `stream` above sequence `after`, in order, until TailLost."""

    def __init__(self, nc: Wire, js: JetStreamContext, stream: str, after: int, subject: str) -> None:
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
        # Called when there is something to be `taken`, or the consumer is lost.
        self.on_news: Callable[[], None] = self._event.set
        self._time = asyncio.get_running_loop().time
        self._heard = 0.0
        self._watch: asyncio.TimerHandle | None = None
        # How many records there were when the consumer was made.
        self.backlog = 0

    async def open(self) -> None:
        """Make the consumer. Raises NATS errors."""
        inbox = self._nc.new_inbox()
        self._subscription = await self._nc.listen(inbox, self._on_message)
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
        self._heard = self._time()
        self._listen_on()

    def close(self) -> None:
        """Stop; the server removes the consumer by itself."""
        if self._watch is not None:
            self._watch.cancel()
        if self._subscription is not None:
            self._nc.unlisten(self._subscription)

    def _listen_on(self) -> None:
        """Lose the consumer once it has been silent for too long; a timer that is set anew only when it rings."""
        loop, patience = asyncio.get_running_loop(), HEARTBEAT_SECONDS * _MISSED
        if loop.time() - self._heard >= patience:
            self.lose(f"nothing heard for {patience} s")
        else:
            self._watch = loop.call_at(self._heard + patience, self._listen_on)

    def lose(self, why: str) -> None:
        """Make the next `take` raise TailLost."""
        self._lost = self._lost or why
        self.on_news()

    async def take(self) -> list[Stored]:
        """What has come since the last call, at least one record. Raises as `taken`."""
        while not (records := self.taken()):
            self._event.clear()
            await self._event.wait()
        return records

    def taken(self) -> list[Stored]:
        """What has come since the last call. Raises TailLost after giving what came in order.

        The next call tells the server that everything taken before is done with."""
        self._allow_more()
        if self._lost and not self._records:
            raise TailLost(self._lost)
        records, self._records = self._records, []
        return records

    def _allow_more(self) -> None:
        """Answer flow control when all that preceded its question was taken."""
        if self._flow and not self._records:
            reply, self._flow = self._flow, ""
            try:
                self._nc.send(reply, "", b"")
            except NatsError as error:
                self.lose(f"flow control: {error}")

    def _on_message(self, subject: bytes, reply: bytes, headers: bytes, data: bytes) -> None:
        if self._lost:
            return
        self._heard = self._time()
        # A message of the server itself: no data, a status among the headers.
        if not data and (told := status(headers)) is not None:
            self._on_status(told, reply.decode())
            return
        # $JS.ACK.<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<time>.<pending>, two tokens
        # more with a domain.
        tokens = reply.split(b".")
        first = 5 if len(tokens) == 9 else 7
        self._received += 1
        if int(tokens[first + 1]) != self._received:
            self.lose(f"message {self._received} of the consumer is missing")
            return
        self._records.append(delivered(self._stream, int(tokens[first]), subject.decode(), headers, data))
        self.on_news()

    def _on_status(self, headers: Mapping[str, str], reply: str) -> None:
        if headers["Status"] != "100":
            self.lose(headers.get("Description", headers["Status"]))
            return
        flow = reply or headers.get("Nats-Consumer-Stalled", "")
        if flow:
            self._flow = flow
        last = headers.get("Nats-Last-Consumer")
        if last is not None and int(last) != self._received:
            self.lose(f"{last} messages were sent and {self._received} came")
        self.on_news()
