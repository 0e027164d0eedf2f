"""The standings page of a large field in Chromium, a ruling until it is seen there, and a score explained; beside a field of 300.

`python -m bench.console [entrants boards]`: scoring, pairing and console as processes of their own. The logs of pairing and of
tables are written beforehand, so that nothing but standings is in the way. It needs Debian's Chromium (`make browser`).
"""

from __future__ import annotations

import asyncio
import random
import shutil
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from grpc import aio
from playwright.async_api import Browser, Page, async_playwright

from bench.measure import Watch, table
from bench.servers import EPOCH, Pairing, Servers, servers
from clients.cli.local import web
from clients.cli.places import SERVICES, Place
from clients.robot.tokens import mint, signing_key
from fupan.pairing.v1 import service_pb2 as pairing_pb
from fupan.pairing.v1.service_pb2_grpc import PairingServiceStub
from fupan.scoring.v1 import service_pb2 as pb
from fupan.scoring.v1.service_pb2_grpc import ScoringServiceStub
from services.games.championship.params import Params, describe
from services.ledger import record as ledger
from services.runtime.jetstream import JetStreamStore

ABOUT = "30,000 entrants: standings page in Chromium, a ruling until it is seen there, an entrant's score explained"

LARGE, SMALL = "large", "small"
SMALL_FIELD = 300
SEATS = 3
AT_ONCE = 256
VISITS, RULINGS = 5, 5
NOWHERE = "127.0.0.1:1"
_CHROMIUM = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
)
_FIRST_ROW = "document.querySelector('tbody tr')?.innerText"
# The page's policy lets no text become code, so a page is never asked by Playwright's own waiting.
_PAINTED = """new Promise(done => {
  const look = () => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    paint ? done(paint.startTime) : requestAnimationFrame(look);
  };
  look();
})"""
_CHANGED = """before => new Promise(done => {
  const look = () => document.querySelector("tbody tr").innerText !== before ? done() : requestAnimationFrame(look);
  look();
})"""


async def closed_boards(store: JetStreamStore, championship: str, tables: int, boards: int) -> None:
    """Write what scoring reads of every table: a closing for each of its boards."""
    writer, draw, left = (
        ledger.Writer("table", "bench", "0"),
        random.Random(championship),
        asyncio.Semaphore(AT_ONCE),
    )

    async def one(number: int) -> None:
        subject, head = EPOCH.table_subject(championship, f"{championship}-{number}"), ledger.START
        async with left:
            for board in range(1, boards + 1):
                unit, winner = draw.randrange(20), draw.randrange(SEATS)
                closing = ledger.BoardClosing(
                    round=1,
                    board=board,
                    attempt=1,
                    unfinished=False,
                    scores=tuple([2 * unit if seat == winner else -unit for seat in range(SEATS)]),
                    thinking_us=tuple([draw.randrange(20_000_000, 180_000_000) for _ in range(SEATS)]),
                    taken_over=(),
                    playing_us=(0,) * SEATS,
                )
                at_us = ledger.record_time(head, 1_700_000_000_000_000)
                header = ledger.Header(
                    subject, head.version + 1, head.hash, EPOCH.id, writer, "", b"", (), at_us
                )
                body = ledger.encode_body(ledger.Body("bench", "", "", None, f"c{board}", b"", b"", ()))
                data = ledger.encode(ledger.Record(header, body, False, closing))
                sequence = await store.append(subject, data, head.sequence)
                head = ledger.next_head(head, data, sequence, at_us)

    await asyncio.gather(*map(one, range(tables)))


@dataclass(frozen=True, slots=True)
class Site:
    """Services and console that run; calls are made in the name of `olga`, who organises, or of `rita`, the chief referee."""

    on: Servers
    services: dict[str, str]
    address: str

    def token(self, person: str) -> list[tuple[str, str]]:
        """What goes with a person's calls."""
        return [("authorization", f"Bearer {mint(signing_key(self.on.keys), person, 3600)}")]


@asynccontextmanager
async def site(fields: dict[str, int], boards: int) -> AsyncIterator[Site]:
    """A platform with these fields (entrants by championship), all their boards closed."""
    async with servers(services=("pairing", "scoring")) as on:
        for user, write in (("pairing", _seated), ("table", closed_boards)):
            store = await on.store(user)
            for championship, entrants in fields.items():
                await write(store, championship, entrants // SEATS, boards)
            await store.close()
        peers = {name: f"127.0.0.1:{on.directory.port(name)}" for name in ("pairing", "scoring")}
        services = {name: peers.get(name, NOWHERE) for name in SERVICES}
        for name in ("pairing", "scoring"):
            await on.start(name, services)
        port = on.directory.port("console")
        await on.supervisor.start(web.console(on.directory, Place(services, on.keys, "", ()), port))
        running = Site(on, services, f"http://127.0.0.1:{port}")
        async with aio.insecure_channel(services["pairing"]) as channel:
            for championship in fields:
                await PairingServiceStub(channel).AppointOfficial(
                    pairing_pb.AppointOfficialRequest(
                        command_id=f"rita-{championship}",
                        championship=championship,
                        person_id="rita",
                        role="chief_referee",
                    ),
                    timeout=60,
                    metadata=running.token("olga"),
                )
        yield running


async def _seated(store: JetStreamStore, championship: str, tables: int, boards: int) -> None:
    await Pairing(store).begin(championship, tables, boards, **describe(Params()))


async def first_paint(browser: Browser, address: str) -> float:
    """Seconds from going to a page until something of it is seen, in a browser that has never been there."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(address)
    painted = await page.evaluate(_PAINTED)
    await context.close()
    return float(painted) / 1000


class Ruled:
    """A page that stays open, and corrections that it must show: the leader's best board becomes a loss."""

    def __init__(self, page: Page, scoring: Any, championship: str, told: list[tuple[str, str]]) -> None:
        self._page = page
        self._scoring = scoring
        self._championship = championship
        self._told = told
        self._made = 0

    async def seen(self) -> tuple[float, float]:
        """Seconds until a correction is accepted, and until the page shows other standings. Raises when the page began anew."""
        before, leader = await self._page.evaluate(_FIRST_ROW), await self._leader()
        request = pb.ExplainScoreRequest(championship=self._championship, entrant=leader)
        terms = await self._scoring.ExplainScore(request, timeout=60, metadata=self._told)
        best = max(terms.units, key=lambda unit: unit.percent_tenths)
        self._made += 1
        await self._page.evaluate("window.stays = true")
        began = time.perf_counter()
        await self._scoring.CorrectResult(
            pb.CorrectResultRequest(
                command_id=f"{self._championship}-{self._made}",
                championship=self._championship,
                round=1,
                table=best.table,
                board=best.board,
                scores=[200 if seat == (best.seat + 1) % SEATS else -100 for seat in range(SEATS)],
                reason="bench",
            ),
            timeout=60,
            metadata=self._told,
        )
        accepted = time.perf_counter() - began
        async with asyncio.timeout(60):
            await self._page.evaluate(_CHANGED, before)
        shown = time.perf_counter() - began
        if not await self._page.evaluate("window.stays"):
            raise RuntimeError("the page was loaded anew")
        return accepted, shown

    async def _leader(self) -> int:
        row = await self._page.evaluate("document.querySelector('tbody tr').id")
        return int(row.removeprefix("entrant-"))


async def measure(entrants: int, boards: int) -> None:
    """Both fields, in turn."""
    fields = {SMALL: SMALL_FIELD, LARGE: entrants}
    async with site(fields, boards) as running, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=_CHROMIUM)
        pages = {name: f"{running.address}/events/{name}/standings" for name in fields}
        first = {name: await first_paint(browser, pages[name]) for name in fields}
        paints: dict[str, list[float]] = {"sign-in": [], SMALL: [], LARGE: []}
        for _ in range(VISITS):
            for name, seen in paints.items():
                seen.append(await first_paint(browser, pages.get(name, f"{running.address}/sign-in")))
        rulings: dict[str, list[tuple[float, float]]] = {name: [] for name in fields}
        explained: dict[str, list[float]] = {}
        watch = Watch(scoring=running.on.pid("scoring"), console=running.on.pid("console"))
        async with aio.insecure_channel(running.services["scoring"]) as channel:
            scoring, told = ScoringServiceStub(channel), running.token("rita")
            for name, found in rulings.items():
                page = await browser.new_page()
                await page.goto(pages[name])
                ruled = Ruled(page, scoring, name, told)
                for _ in range(RULINGS):
                    found.append(await ruled.seen())
                await page.close()
                explained[name] = [
                    await _explained(scoring, name, fields[name] // part, told)
                    for part in range(1, RULINGS + 1)
                ]
        window = watch.end()
        await browser.close()
    print(
        f"{entrants} entrants x {boards} boards beside {SMALL_FIELD}; medians of {VISITS} visits and {RULINGS} rulings"
    )
    rows = [("first paint of the sign-in page", _median(paints["sign-in"]), "", "")]
    for name, size in fields.items():
        accepted, shown = (_median(column) for column in zip(*rulings[name], strict=True))
        rows += [
            (f"standings of {size}: the first visit after the start", f"{first[name]:.3f}", "", ""),
            (f"standings of {size}: first paint", _median(paints[name]), "", ""),
            (f"standings of {size}: ruling", "", accepted, shown),
            (f"standings of {size}: a score explained", "", "", _median(explained[name])),
        ]
    table(("", "first paint, s", "accepted, s", "seen, s"), rows)
    print("cores during the rulings: " + ", ".join(f"{name} {used:.2f}" for name, used in window.cpu.items()))


async def _explained(scoring: Any, championship: str, entrant: int, told: list[tuple[str, str]]) -> float:
    began = time.perf_counter()
    request = pb.ExplainScoreRequest(championship=championship, entrant=entrant)
    await scoring.ExplainScore(request, timeout=60, metadata=told)
    return time.perf_counter() - began


def _median(values: Any) -> str:
    return f"{statistics.median(values):.3f}"


def run(quick: bool) -> None:
    """See ABOUT."""
    if shutil.which("chromium") is None:
        print("chromium is not installed: make browser")
        return
    asyncio.run(measure(3_000 if quick else 30_000, 6 if quick else 24))


if __name__ == "__main__":
    asyncio.run(measure(*(int(given) for given in sys.argv[1:] or ("30000", "24"))))
