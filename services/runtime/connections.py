"""A service's own connections: the log as its NATS user, Postgres as its role."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any

import asyncpg

from services.runtime.config import Config, ConfigError
from services.runtime.jetstream import JetStreamStore
from services.runtime.postgres import make_pool
from services.runtime.store import EventStore, StoreUnavailable

CONNECT_SECONDS = 10.0

_POOL_SIZE = 8
_POOL_STOP = 5.0


async def open_store(config: Config) -> JetStreamStore:
    """The log. Raises StoreUnavailable."""
    options: dict[str, Any] = {}
    if config.nats_creds is not None:
        options["user_credentials"] = str(config.nats_creds)
    if config.tls_dir is not None and any(url.startswith("tls:") for url in config.nats_url):
        options["tls"] = ssl.create_default_context(cafile=config.tls_dir / "ca.crt")
    try:
        # The client itself would go on knocking for ever.
        async with asyncio.timeout(CONNECT_SECONDS):
            return await JetStreamStore.connect(
                list(config.nats_url),
                name=f"{config.service}/{config.replica}",
                user=config.nats_user or None,
                password=config.nats_password or None,
                **options,
            )
    except TimeoutError:
        raise StoreUnavailable(f"FUPAN_NATS_URL: nobody answers at {', '.join(config.nats_url)}") from None


async def check_streams(store: EventStore, streams: Iterable[str]) -> None:
    """Say now and by name when an epoch was never made, or may not be read. Raises StoreUnavailable."""
    for stream in streams:
        try:
            await store.last_sequence(stream)
        except StoreUnavailable as error:
            raise StoreUnavailable(f"stream {stream} cannot be read: {error}") from error


async def open_pool(config: Config) -> asyncpg.Pool:
    """The pool. Raises ConfigError when the database cannot be reached."""
    try:
        settings = {"application_name": f"fupan-{config.service}"}
        return await make_pool(
            config.postgres_dsn, settings, min_size=1, max_size=_POOL_SIZE, timeout=CONNECT_SECONDS
        )
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        # An address that cannot be parsed would be quoted with its password.
        why = "it is no address" if isinstance(error, ValueError) else str(error) or type(error).__name__
        raise ConfigError(f"FUPAN_POSTGRES_DSN: the database cannot be reached: {why}") from error


async def close_pool(pool: asyncpg.Pool, log: Any) -> None:
    """Close when every connection is given back, but not without a limit: one that somebody holds would be waited for, for ever."""
    try:
        async with asyncio.timeout(_POOL_STOP):
            await pool.close()
    except TimeoutError:
        log.warning("pool_terminated")
        pool.terminate()
