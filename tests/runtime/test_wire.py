"""Messages with a handler are handed over whole and in order however the bytes are cut; everything else is the library's."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nats.errors import ConnectionClosedError, MaxPayloadError

from services.runtime.embedded import nats
from services.runtime.wire import Wire, header_lines, status
from tests.conftest import NatsServer
from tests.servers import SECONDS

SCRIPT = (
    (b"MSG inbox.1 7 5\r\nhello\r\n", (b"inbox.1", b"", b"", b"hello")),
    (b"PING\r\n", b"ping"),
    (b"MSG inbox.2 7 reply.to 3\r\n\r\n!\r\n", (b"inbox.2", b"reply.to", b"", b"\r\n!")),
    (b"HMSG inbox.3 7 12 15\r\nNATS/1.0\r\n\r\nabc\r\n", (b"inbox.3", b"", b"NATS/1.0\r\n\r\n", b"abc")),
    (b"MSG other 8 2\r\nxx\r\n", (8, b"other", b"xx")),
    (b"HMSG inbox.4 7 r 12 12\r\nNATS/1.0\r\n\r\n\r\n", (b"inbox.4", b"r", b"NATS/1.0\r\n\r\n", b"")),
    (b"+OK\r\n", None),
    (b"MSG inbox.5 7 0\r\n\r\n", (b"inbox.5", b"", b"", b"")),
)


class Heard(Wire):
    """A client without a connection that notes what its parser finds."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Any] = []
        self.handlers[7] = lambda *message: self.found.append(message)

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        if sid == 8:
            self.found.append((sid, subject, data))
        else:
            await super()._process_msg(sid, subject, reply, data, headers)

    async def _process_ping(self) -> None:
        self.found.append(b"ping")


@given(st.lists(st.integers(1, 200), max_size=40))
def test_any_cut_of_the_bytes_gives_the_same_messages(cuts: list[int]) -> None:
    data, heard = b"".join(part for part, _ in SCRIPT), Heard()

    async def feed() -> None:
        at = 0
        for size in [*cuts, len(data)]:
            await heard._ps.parse(data[at : at + size])
            at += size

    asyncio.run(feed())
    assert heard.found == [expected for _, expected in SCRIPT if expected is not None]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (b"NATS/1.0\r\nA: b\r\n\r\n", None),
        (b"", None),
        (b"NATS/1.0 503\r\n\r\n", {"Status": "503", "Description": ""}),
        (
            b"NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 5\r\n\r\n",
            {"Status": "100", "Description": "Idle Heartbeat", "Nats-Last-Consumer": "5"},
        ),
    ],
)
def test_the_servers_own_messages_are_told_by_their_status(headers: bytes, expected: Any) -> None:
    assert status(headers) == expected


def as_operator(server: NatsServer) -> dict[str, Any]:
    return {
        "servers": f"nats://127.0.0.1:{server.process.child.ports[0]}",
        "user": nats.OPERATOR,
        "password": server.password,
        "inbox_prefix": f"_INBOX.{nats.OPERATOR}",
    }


async def test_sent_and_heard_over_a_server(nats_server: NatsServer) -> None:
    wire, heard = Wire(), asyncio.Queue[tuple[bytes, ...]]()
    with pytest.raises(ConnectionClosedError):
        wire.send("x", "", b"")
    await wire.connect(**as_operator(nats_server))
    inbox = wire.new_inbox()
    listening = await wire.listen(inbox, lambda *message: heard.put_nowait(message))
    lines = header_lines(("Name", "value"))
    wire.send(inbox, "", b"plain")
    wire.send(inbox, inbox, b"with a header", lines)
    assert await heard.get() == (inbox.encode(), b"", b"", b"plain")
    assert await heard.get() == (inbox.encode(), inbox.encode(), lines, b"with a header")
    with pytest.raises(MaxPayloadError):
        wire.send(inbox, "", bytes(wire.max_payload + 1))
    wire.unlisten(listening)
    wire.send(inbox, "", b"nobody hears this")
    await wire.flush()
    assert heard.empty()
    await wire.close()


async def test_what_is_sent_as_the_connection_is_lost_is_no_error(
    nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = Wire()
    await wire.connect(**as_operator(nats_server))

    def closed(_: bytes) -> None:
        raise RuntimeError("the handler is closed")  # as uvloop says it

    heard = asyncio.Event()
    inbox = wire.new_inbox()
    await wire.listen(inbox, lambda *_: heard.set())
    await wire.flush()  # else it would go behind the subscription
    monkeypatch.setattr(wire._transport, "write", closed)
    wire.send(inbox, "", b"x")
    async with asyncio.timeout(SECONDS):
        await heard.wait()
    await wire.close()
