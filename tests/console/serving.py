"""The console on a port of its own, beside the services of a platform."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvicorn

from clients.console.app import create
from clients.console.settings import Settings
from services.runtime.embedded.directory import free_port
from tests.platform import Platform
from tests.servers import SECONDS


@dataclass(frozen=True)
class Site:
    """A console that serves; `browse` keeps no cookies that a test did not ask for."""

    address: str
    browse: httpx.AsyncClient

    async def page(self, path: str, status: int = 200, **headers: str) -> str:
        """A page's text."""
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = await self.browse.get(path, headers=told)
        assert answer.status_code == status, answer.text
        return answer.text


@asynccontextmanager
async def site(platform: Platform, token_file: Path | None) -> AsyncIterator[Site]:
    """A console of the platform, which has no table service."""
    services = {name: f"127.0.0.1:{at}" for name, at in platform.ports.items()} | {"table": "127.0.0.1:1"}
    async with serve(services, token_file) as serving:
        yield serving


@asynccontextmanager
async def serve(services: Mapping[str, str], token_file: Path | None = None) -> AsyncIterator[Site]:
    """A console of the services at these addresses."""
    taken = frozenset(int(address.rpartition(":")[2]) for address in services.values())
    port = free_port(exclude=taken)
    server = uvicorn.Server(
        uvicorn.Config(
            create(Settings("127.0.0.1", port, services, token_file, fresh_seconds=0)),
            port=port,
            log_level="warning",
            timeout_graceful_shutdown=1,
        )
    )
    serving = asyncio.create_task(server.serve())
    address = f"http://127.0.0.1:{port}"
    transport = httpx.AsyncHTTPTransport(retries=5)
    async with httpx.AsyncClient(base_url=address, transport=transport, timeout=SECONDS) as browse:
        yield Site(address, browse)
    server.should_exit = True
    await serving
