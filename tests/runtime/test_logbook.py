"""Records are told to whom they are for when they are told (SECURITY.md)."""

from __future__ import annotations

from typing import Any, cast

import pytest

from fupan.common.v1 import log_service_pb2 as pb
from services.runtime.errors import Denied
from services.runtime.logbook import LogApi, Logbook
from services.runtime.memory import MemoryStore
from tests.runtime.records import begun, grow

SUBJECT = "fupan.e.dealer.cup"
NOTHING = cast(Any, None)


@pytest.mark.parametrize("asked", [{"subject": SUBJECT}, {"championship": "cup"}])
async def test_what_is_written_while_somebody_asks_is_judged_before_it_is_told(asked: dict[str, str]) -> None:
    store = MemoryStore()
    head = await begun(store, SUBJECT, 2)

    async def may_read(subject: str) -> bool:
        last = await store.last(subject)
        assert last is not None
        if open_ := last.sequence == head.sequence:
            await grow(store, subject, head, "which board a panel judges")
        return open_

    book = Logbook(store, NOTHING, ["DEALER-e"], lambda: [SUBJECT], may_read, (), NOTHING, NOTHING)
    with pytest.raises(Denied):
        await anext(LogApi(book).ReadLog(pb.ReadLogRequest(**asked), None))
