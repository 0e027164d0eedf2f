"""Who is signed in: a bearer token in a cookie that no script can read and no other site can send; the console keeps none."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import jwt
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

COOKIE = "session"

MAX_FORM = 64 * 1024
MAX_FIELDS = 200
"""Bytes, and fields, of a form that is sent."""

_TOKEN = re.compile(r"[A-Za-z0-9_.-]{1,4000}")
"""What a cookie and a header can hold; a JWT is nothing else."""


@dataclass(frozen=True, slots=True)
class Session:
    """A token, and the person it says it is of: whether that is so, every service judges anew at every call."""

    token: str
    person: str
    expires_at: float
    """Seconds since 1970."""


class SignedOut(Exception):
    """Somebody must be signed in for this, and nobody is."""


def session_of(request: Request) -> Session | None:
    """Who sent a request; None for nobody, and for a token that has expired."""
    return read(request.cookies.get(COOKIE, ""))


def needed(request: Request) -> Session:
    """Who sent a request. Raises SignedOut."""
    session = session_of(request)
    if session is None:
        raise SignedOut
    return session


def read(token: str) -> Session | None:
    """What a token says of itself; None for what is no token that is good now."""
    if not _TOKEN.fullmatch(token):
        return None
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
        session = Session(token, str(claims["sub"]), float(claims["exp"]))
    except (jwt.InvalidTokenError, KeyError, TypeError, ValueError):
        return None
    return session if time.time() < session.expires_at < math.inf else None


def sign_in(answer: Response, session: Session, secure: bool) -> None:
    """Keep a token in the browser until it expires or the browser ends."""
    left = int(session.expires_at - time.time())
    answer.set_cookie(COOKIE, session.token, max_age=left, secure=secure, httponly=True, samesite="strict")


def sign_out(answer: Response) -> None:
    """Forget it."""
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")


def sent_from(request: Request, address: str) -> bool:
    """Whether an address is of this site, as the request names it."""
    try:
        return urlsplit(address).netloc == request.headers.get("host")
    except ValueError:  # it is none
        return False


async def form_of(request: Request) -> Mapping[str, str]:
    """The fields of a form sent from one of our own pages. Raises HTTPException for any other."""
    origin = request.headers.get("origin")
    if origin is not None and not sent_from(request, origin):
        raise HTTPException(403)
    length = request.headers.get("content-length", "")
    if not length.isdigit() or int(length) > MAX_FORM:
        raise HTTPException(413)
    try:
        return dict(
            parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
        )
    except ValueError:
        raise HTTPException(400) from None
