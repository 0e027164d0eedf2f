"""Server-sent events: what changes, and a word from time to time where nothing does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.responses import StreamingResponse

from clients.console.language import Language

T = TypeVar("T")

EXPIRED = ("Your sign-in has expired.", "您的登录已过期。")

PING_SECONDS = 15.0
"""A silent stream says so often that it is still there."""


def streamed(events: AsyncGenerator[str]) -> StreamingResponse:
    """The answer that sends events, past proxies that would keep them back."""
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def event(message: Any) -> str:
    """One event with a message as JSON."""
    return f"data: {json.dumps(message, ensure_ascii=False)}\n\n"


def signed_out(language: Language, to: str) -> str:
    """The last event for whoever is signed in no more: why nothing follows, and the way back to the page at `to`."""
    again = [language.pick("Sign in again", "重新登录"), f"/sign-in?{urlencode({'to': to})}"]
    return event({"closed": language.pick(*EXPIRED), "sign_in": again})


async def once(message: str) -> AsyncGenerator[str]:
    """A stream of one event."""
    yield message


async def following(
    changes: AsyncGenerator[T], message: Callable[[T], Awaitable[Any]]
) -> AsyncGenerator[str]:
    """An event for each of `changes` until they end; what is None as a message is not sent."""
    async with aclosing(changes):
        coming = asyncio.ensure_future(anext(changes))
        try:
            while True:
                await asyncio.wait({coming}, timeout=PING_SECONDS)
                if not coming.done():
                    yield ": still here\n\n"
                    continue
                if (told := await message(coming.result())) is not None:
                    yield event(told)
                coming = asyncio.ensure_future(anext(changes))
        except StopAsyncIteration:
            return
        finally:
            coming.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await coming
