"""Headers of every answer: nothing but our own files is loaded, nobody frames us, nothing is told to other sites."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clients.console.session import COOKIE

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

_ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_FOR_EVER = "public, max-age=31536000, immutable"


class Headers:
    """Adds them. A static file asked for by its digest may be kept for ever, anything else is asked for again; what is told to
    somebody who is signed in lies in no cache, where whoever has the browser next would find it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        static, own = scope["path"].startswith("/static/"), COOKIE in HTTPConnection(scope).cookies
        digested = static and scope["query_string"].startswith(b"v=")
        otherwise = "no-store" if own and not static else "no-cache"

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_ALWAYS)
                kept = digested and message["status"] == 200
                headers["Cache-Control"] = _FOR_EVER if kept else otherwise
            await send(message)

        await self._app(scope, receive, sending)
