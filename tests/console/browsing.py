"""Chromium as a visitor's browser: what it complains of and where it calls is kept."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    async_playwright,
    expect,
)
from pylopdf_fonts_zh_cn import sans_path

from tests.servers import SECONDS

CHROMIUM = shutil.which("chromium")
needed = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("CI") != "true", reason="chromium is not installed: make browser"
)
"""Tests that look at pages are passed over where there is no browser; in continuous integration there is one, or they fail."""

PATIENCE_MS = SECONDS * 1000
"""How long a page may take on a busy machine, whatever is waited for."""

expect.set_options(timeout=PATIENCE_MS)

DESK, PHONE = (1280, 860), (360, 740)

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_SHOTS = os.environ.get("FUPAN_SCREENSHOTS")
"""Folder for screenshots, for whoever wants to look at them."""


_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>{here}</dir>
  <cachedir>{kept}</cachedir>
</fontconfig>
"""
"""The fonts of the machine, and the one that score sheets are printed in: Chinese is drawn wherever the tests run."""


@dataclass
class Visitor:
    """One visitor's page of a site."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)
    """What scripts and the policy on content said was wrong."""
    foreign: list[str] = field(default_factory=list)
    """Addresses elsewhere that were asked for."""

    async def open(self, path: str) -> None:
        """Go to a page."""
        await self.page.goto(self.address + path)

    async def follow(self, selector: str) -> None:
        """Click a link and be where it leads."""
        await self.page.locator(selector).first.click()
        await self.page.wait_for_load_state()

    async def signs_in(self, person: str, token: str, to: str) -> None:
        """Become somebody, and go to a page."""
        await self.open(f"/sign-in?to={to}")
        await self.page.locator("textarea").fill(token)
        await self.follow(".sign-in button")
        await expect(self.page.locator(".corner form span")).to_have_text(person)

    async def looks_right(self, name: str) -> None:
        """Nothing that people cannot read or reach, nothing wider than the screen; a picture where pictures are wanted."""
        wider = await self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, f"{name} is {wider} pixels too wide"
        found = await Axe().run(self.page)
        assert not found.violations_count, f"{name}: {found.generate_report()}"
        if _SHOTS:
            await self._photograph(Path(_SHOTS) / f"{name}.png")

    async def _photograph(self, path: Path) -> None:
        """The whole page as on a screen that is tall enough for it: what sticks to a screen's edge covers nothing."""
        size = self.page.viewport_size
        assert size is not None
        tall = await self.page.evaluate("document.documentElement.scrollHeight")
        await self.page.set_viewport_size({"width": size["width"], "height": max(tall, size["height"])})
        await self.page.screenshot(path=path, full_page=True)
        await self.page.set_viewport_size(size)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _asked(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme != "data" and f"{parts.scheme}://{parts.netloc}" != self.address:
            self.foreign.append(request.url)

    def _failed(self, error: Error) -> None:
        self.complaints.append(str(error))


@cache
def _fonts() -> Path:
    """The browser's list of fonts, written once for all tests."""
    kept = Path(tempfile.mkdtemp(prefix="fupan-fonts-"))
    atexit.register(shutil.rmtree, kept, ignore_errors=True)
    listed = kept / "fonts.conf"
    listed.write_text(_FONTS.format(here=Path(sans_path()).parent, kept=kept))
    return listed


@asynccontextmanager
async def visitor(
    address: str, size: tuple[int, int] = DESK, locale: str = "en-GB", **how: Any
) -> AsyncIterator[Visitor]:
    """A browser of its own, which must have had nothing to complain of and called nobody else at the end."""
    assert CHROMIUM is not None, "chromium is not installed: make browser"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=_FLAGS, env={**os.environ, "FONTCONFIG_FILE": str(_fonts())}
        )
        context: BrowserContext = await browser.new_context(
            viewport={"width": size[0], "height": size[1]}, locale=locale, **how
        )
        context.set_default_timeout(PATIENCE_MS)
        came = Visitor(await context.new_page(), address)
        came.page.on("console", came._heard)
        came.page.on("pageerror", came._failed)
        came.page.on("request", came._asked)
        yield came
        await browser.close()
    assert not came.complaints
    assert not came.foreign
