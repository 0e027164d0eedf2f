"""Signing in and out, and what is not taken from elsewhere."""

from __future__ import annotations

import base64
import json
import math
import time

import httpx
import jwt
import pytest
from starlette.requests import Request

from clients.console import session
from clients.console.session import Session
from tests.console.serving import Site
from tests.cup import Cup
from tests.platform import Platform

DESK = "/events/cup/desk"


async def _sign_in(console: Site, token: str, to: str = "/", **headers: str) -> httpx.Response:
    return await console.browse.post(f"/sign-in?to={to}", data={"token": token}, headers=headers)


async def test_whoever_is_signed_out_is_led_to_the_form_and_back(platform: Platform, console: Site) -> None:
    asked = await console.browse.get(DESK)
    assert asked.status_code == 303
    assert asked.headers["location"] == "/sign-in?to=%2Fevents%2Fcup%2Fdesk"
    assert 'action="/sign-in?to=/events/cup/desk"' in await console.page(asked.headers["location"])
    answer = await _sign_in(console, platform.token("chief"), to=DESK)
    assert (answer.status_code, answer.headers["location"]) == (303, DESK)
    kept = answer.headers["set-cookie"]
    assert all(word in kept for word in ("HttpOnly", "SameSite=strict", "Max-Age="))
    assert "chief" in await console.page("/")
    out = await console.browse.post("/sign-out", data={})
    assert out.status_code == 303
    assert "chief" not in await console.page("/")


async def test_a_form_of_another_site_is_refused(platform: Platform, console: Site) -> None:
    token = platform.token("chief")
    assert (await _sign_in(console, token, origin="https://elsewhere.example")).status_code == 403
    assert (await _sign_in(console, token, origin="null")).status_code == 403
    assert (await _sign_in(console, token, origin=console.address)).status_code == 303
    for act in ("pause", "resume", "infringement", "ruling"):
        posted = await console.browse.post(
            f"{DESK}/r1-t1/{act}", data={"reason": "x"}, headers={"origin": "https://elsewhere.example"}
        )
        assert posted.status_code in (403, 404)


@pytest.mark.parametrize("address", ["http://[", "//[::1", "http://x]/"])
async def test_what_is_no_address_is_none_of_ours(platform: Platform, console: Site, address: str) -> None:
    assert (await _sign_in(console, platform.token("chief"), origin=address)).status_code == 403
    away = await console.browse.post(
        f"{DESK}/r1-t1/pause", data={"reason": "x"}, headers={"referer": address}
    )
    assert (away.status_code, away.headers["location"]) == (303, "/sign-in?to=%2Fevents%2Fcup%2Fdesk%2Fr1-t1")


@pytest.mark.parametrize("expires", [math.inf, "Infinity", math.nan, "soon", None, [1]])
async def test_a_token_that_says_no_time_at_which_it_expires_is_none(console: Site, expires: object) -> None:
    parts = ({"alg": "none"}, {"sub": "chief", "exp": expires})
    told = [base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts]
    assert (await _sign_in(console, ".".join((*told, "eA")))).status_code == 403


@pytest.mark.parametrize("to", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example"])
async def test_nobody_is_led_to_another_site(platform: Platform, console: Site, to: str) -> None:
    answer = await _sign_in(console, platform.token("chief"), to=to)
    assert answer.headers["location"] == "/"


@pytest.mark.parametrize("token", ["", "rubbish", "a.b.c", "x" * 5000])
async def test_what_is_no_token_is_said_to_be_none(platform: Platform, console: Site, token: str) -> None:
    answer = await _sign_in(console, token)
    assert answer.status_code == 403
    assert "That is no token" in answer.text
    assert "set-cookie" not in answer.headers


async def test_a_form_too_large_is_not_read(platform: Platform, console: Site) -> None:
    assert (await _sign_in(console, "x" * (session.MAX_FORM + 1))).status_code == 413


def test_a_token_is_good_until_it_expires() -> None:
    now = int(time.time())
    good, old, timeless = (
        jwt.encode(claims, "k" * 32, "HS256")
        for claims in ({"sub": "chief", "exp": now + 60}, {"sub": "chief", "exp": now - 1}, {"sub": "chief"})
    )
    assert session.read(good) == Session(good, "chief", now + 60)
    assert session.read(old) is None
    assert session.read(timeless) is None


def test_a_request_without_a_cookie_is_nobodys() -> None:
    assert session.session_of(Request({"type": "http", "headers": []})) is None


async def test_what_is_told_to_who_is_signed_in_lies_in_no_cache(platform: Platform, console: Site) -> None:
    """Whoever has the browser next finds no hand, no case and no names by its history."""
    await Cup.create(platform, entrants=3)
    cookie = {"cookie": f"session={platform.token('p-1')}"}
    for path in ("/", "/events/cup", "/events/cup/play", "/events/cup/appeals", "/nowhere"):
        answer = await console.browse.get(path, headers=cookie)
        assert answer.headers["cache-control"] == "no-store", path
    assert (await console.browse.get("/events/cup")).headers["cache-control"] == "no-cache"
    static = await console.browse.get("/static/console.css", headers=cookie)
    assert static.headers["cache-control"] == "no-cache"
