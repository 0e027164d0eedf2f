"""MemoryStore keeps the contract."""

from __future__ import annotations

import pytest

from services.runtime.memory import MemoryStore
from tests.runtime import lossy
from tests.runtime.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def second(self, store: MemoryStore) -> MemoryStore:
        return store

    @pytest.fixture
    def lose(self, store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> lossy.Lose:
        return lossy.memory(store, monkeypatch)
