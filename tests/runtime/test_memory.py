"""MemoryStore keeps the contract."""

from __future__ import annotations

import pytest

from services.runtime.memory import MemoryStore
from services.runtime.store import EventStore
from tests.runtime.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> EventStore:
        return MemoryStore()

    @pytest.fixture
    def second(self, store: EventStore) -> EventStore:
        return store
