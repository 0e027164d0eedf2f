"""Acknowledgements that never come: the append was made, or refused, and its writer does not hear of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.runtime.jetstream import JetStreamStore
from services.runtime.memory import MemoryStore
from services.runtime.store import StoreUnavailable

Lose = Callable[[Callable[[], bool]], None]
"""Has a store lose the answer to every append of which a function, asked once each, says so."""

LOST = "lost by the test"


def connection(store: JetStreamStore, monkeypatch: pytest.MonkeyPatch) -> Lose:
    """Of a connection that is interrupted: all that wait for an answer fail."""

    def lose(lost: Callable[[], bool]) -> None:
        acks = store._acks
        take = acks._take

        def heard(number: int, answer: bytes) -> None:
            if lost():
                acks.fail_all(LOST)
            else:
                take(number, answer)

        monkeypatch.setattr(acks, "_take", heard)

    return lose


def memory(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> Lose:
    """Of the store in memory, whose every append is a writer's own."""

    def lose(lost: Callable[[], bool]) -> None:
        append = store.append

        async def unheard(subject: str, data: bytes, expected_sequence: int) -> int:
            try:
                return await append(subject, data, expected_sequence)
            finally:
                if lost():
                    raise StoreUnavailable(LOST)

        monkeypatch.setattr(store, "append", unheard)

    return lose
