"""Serialised messages within others: the same as protobuf makes of them, whatever their length."""

from __future__ import annotations

import pytest

from fupan.table.v1 import service_pb2 as pb
from services.table.joining import Field


@pytest.mark.parametrize("length", [0, 1, 120, 123, 124, 200, 16_000, 16_380, 16_384, 3_000_000])
def test_a_message_held_by_another_is_what_protobuf_writes(length: int) -> None:
    reason = pb.Closed(reason="x" * length)
    held = Field(pb.PlayResponse, "closed").holding(reason.SerializeToString())
    assert held == pb.PlayResponse(closed=reason).SerializeToString()


def test_fields_stand_behind_one_another_in_any_order() -> None:
    accepted = Field(pb.Update, "accepted")
    ids = [pb.Accepted(command_id=name) for name in ("a", "b")]
    update = pb.Update(cursor=7).SerializeToString() + b"".join(
        accepted.holding(one.SerializeToString()) for one in ids
    )
    assert pb.Update.FromString(update) == pb.Update(cursor=7, accepted=ids)
