"""Supplementary regulations are read by everybody, on the page of their championship (C9.5)."""

from __future__ import annotations

from fupan.pairing.v1 import service_pb2 as pb
from tests.console.serving import Site
from tests.cup import Cup
from tests.platform import OPERATOR, Platform


async def test_C9_5_all_versions_are_read_on_the_page_of_the_event(platform: Platform, console: Site) -> None:
    cup = await Cup.create(platform)
    assert "Supplementary regulations" not in await console.page("/events/cup")
    for text in ("No <b>phones</b>.", "No watches either."):
        request = pb.PublishRegulationsRequest(command_id=cup.command(), championship="cup", text=text)
        await cup.boss.pairing.PublishRegulations(request)
    page = await console.page("/events/cup")
    assert "No watches either." in page
    assert "Version 2 ·" in page
    assert "/events/cup/regulations/1" in page
    first = await console.page("/events/cup/regulations/1", accept_language="zh")
    assert "No &lt;b&gt;phones&lt;/b&gt;." in first
    assert "第 1 版" in first
    assert OPERATOR in first
    await console.page("/events/cup/regulations/3", 404)
