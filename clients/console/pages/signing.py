"""Signing in by token, and out."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.console import session
from clients.console.desk import show


async def sign_in(request: Request) -> Response:
    """The form; and what it sends. Afterwards to `?to=`, a page of ours."""
    to = _ours(request.query_params.get("to", "/"))
    if request.method == "GET":
        return show(request, "sign_in.html", to=to, refused=False)
    told = session.read((await session.form_of(request)).get("token", "").strip())
    if told is None:
        return show(request, "sign_in.html", 403, to=to, refused=True)
    answer = RedirectResponse(to, 303)
    session.sign_in(answer, told, secure=request.url.scheme == "https")
    return answer


async def sign_out(request: Request) -> Response:
    """Forget the token."""
    await session.form_of(request)
    answer = RedirectResponse("/", 303)
    session.sign_out(answer)
    return answer


def _ours(path: str) -> str:
    """A path of this site: another one is not to be led to by a link to ours."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"
