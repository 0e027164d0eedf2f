"""nats-py's client with a short way for messages that come and go by the thousand.

The library gives every message a parsed header, an object, a queue and a task's turn: several times what JetStream's own work
costs us. Here a subscription may have a *handler*: a plain function that is called with the message's bytes as soon as they are
read. Everything else about the connection (servers, credentials, TLS, reconnecting) stays the library's.

What is used of the library beyond its public methods is named in this module alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from nats.aio.client import Client
from nats.aio.subscription import Subscription
from nats.aio.transport import TcpTransport
from nats.errors import ConnectionClosedError, MaxPayloadError
from nats.protocol.parser import AWAITING_CONTROL_LINE, Parser

Handler = Callable[[bytes, bytes, bytes, bytes], None]
"""Called with subject, reply subject, headers and data of a message; it must not raise or block."""

_END = b"\r\n"
_VERSION = b"NATS/1.0"


class Wire(Client):
    """A NATS client with handlers, and a publish that is no coroutine."""

    def __init__(self) -> None:
        super().__init__()
        self.handlers: dict[int, Handler] = {}
        self._ps = _Parser(self)

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        """What the library's parser came upon first."""
        handler = self.handlers.get(sid)
        if handler is None:
            await super()._process_msg(sid, subject, reply, data, headers)
        else:
            handler(subject, reply, headers or b"", data)

    async def listen(self, subject: str, handler: Handler) -> Subscription:
        """Call `handler` for every message of `subject`, over reconnects too; end it with `unlisten`."""
        subscription: Subscription = await self.subscribe(subject)
        self.handlers[subscription._id] = handler
        return subscription

    def unlisten(self, subscription: Subscription) -> None:
        """End a subscription made by `listen`."""
        self.handlers.pop(subscription._id, None)
        self._remove_sub(subscription._id)
        if self.is_connected:
            self._push(b"UNSUB %d\r\n" % subscription._id)

    def send(self, subject: str, reply: str, data: bytes, headers: bytes = b"") -> None:
        """Publish with this turn of the loop. `headers` as they go over the wire (`header_lines`); nothing is checked but sizes.

        For connected clients only: it never buffers for a connection to come. Raises ConnectionClosedError, MaxPayloadError.
        """
        if not self.is_connected:
            raise ConnectionClosedError
        if len(data) > self._max_payload:
            raise MaxPayloadError
        total = len(headers) + len(data)
        if headers:
            command = b"HPUB %s %s %d %d\r\n" % (subject.encode(), reply.encode(), len(headers), total)
        else:
            command = b"PUB %s %s %d\r\n" % (subject.encode(), reply.encode(), total)
        self._push(command + headers + data + _END)

    def _push(self, command: bytes) -> None:
        """Send in this turn of the loop, without the turn of the library's flusher, but behind what that has still to send."""
        if not self._pending and isinstance(self._transport, TcpTransport):
            # One that is lost, which the library has not noticed yet, refuses: then as whatever is sent in that moment.
            with suppress(RuntimeError):
                self._transport.write(command)  # type: ignore[no-untyped-call]
                return
        self._pending.append(command)
        self._pending_data_size += len(command)
        if self._flush_queue is not None and self._flush_queue.empty():
            self._flush_queue.put_nowait(asyncio.get_running_loop().create_future())


def header_lines(*headers: tuple[str, str]) -> bytes:
    """Headers as they go over the wire."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"NATS/1.0\r\n{lines}\r\n".encode()


def status(headers: bytes) -> Mapping[str, str] | None:
    """The headers of a message of the server itself (`Status`, `Description` and others); None for any other message."""
    first, _, rest = headers.partition(_END)
    words = first[len(_VERSION) :].strip()
    if not words:
        return None
    code, _, description = words.decode().partition(" ")
    found = {"Status": code, "Description": description}
    for line in rest.decode().split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            found[name] = value.strip()
    return found


class _Parser(Parser):
    """The library's parser, but messages with a handler are cut out of what was read and handed over at once."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire)
        self._wire = wire

    async def parse(self, data: bytes = b"") -> None:
        """Take in what was read."""
        if self.state != AWAITING_CONTROL_LINE:  # in the middle of a message that is the library's
            await super().parse(data)
            return
        if self.buf:
            data = bytes(self.buf) + data
            self.buf = bytearray()
        at = self._hand_over(data)
        if at < len(data):
            await super().parse(data[at:])

    def _hand_over(self, data: bytes) -> int:
        """Hand over the messages at the beginning of `data`, keep one that is not all there; where something else begins."""
        at, length, handlers = 0, len(data), self._wire.handlers
        # MSG subject sid [reply] size, HMSG subject sid [reply] headers size
        while (full := data.startswith(b"HMSG ", at)) or data.startswith(b"MSG ", at):
            end = data.find(_END, at)
            if end < 0:
                break
            words: list[Any] = data[at:end].split()
            handler = handlers.get(int(words[2]))
            if handler is None:
                break
            begin = end + 2
            after = begin + int(words[-1])
            if after + 2 > length:
                self.buf += data[at:]
                return length
            body = begin + int(words[-2]) if full else begin
            reply = words[3] if len(words) == (6 if full else 5) else b""
            handler(words[1], reply, data[begin:body], data[body:after])
            at = after + 2
        return at
