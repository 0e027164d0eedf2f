"""What a message with one oneof holds is the same, however its bytes are read."""

from __future__ import annotations

from typing import Any

import pytest

from fupan.table.v1 import events_pb2 as pb
from services.ledger.codec import Malformed
from services.ledger.oneof import Oneof

EVENTS = Oneof(pb.Event)
Message: Any = pb.Event
ACTED = Message(acted={"seat": 2, "question": "play", "thinking_us": 1 << 60})
SAID = {"reason": "because " * 40}


@pytest.mark.parametrize(
    ("kind", "event"),
    [
        ("acted", ACTED),
        ("asked", Message(asked={})),
        ("asked", Message(asked={"questions": [{"seat": seat, "question": "claim"} for seat in range(4)]})),
        ("table_paused", Message(table_paused=SAID)),
        ("seat_replaced", Message(seat_replaced={"seat": 1, "person_id": "x"})),
        ("seat_replaced", Message(seat_replaced={"seat": 1} | SAID)),
        ("shengji", Message(shengji={"cards_drawn": {"number": 100}})),
    ],
)
def test_an_alternative_is_read_by_its_name(kind: str, event: Any) -> None:
    assert EVENTS.read(event.SerializeToString()) == (kind, getattr(event, kind))


def test_of_several_alternatives_the_last_one_counts_and_parts_of_one_are_joined() -> None:
    """As protobuf has it: bytes that nobody of ours writes."""
    acted, asked = ACTED.SerializeToString(), Message(asked={}).SerializeToString()
    assert EVENTS.read(acted + asked) == ("asked", pb.Asked())
    assert EVENTS.read(asked + acted) == ("acted", ACTED.acted)
    joined = acted + Message(acted={"reconnects": 3}).SerializeToString()
    assert EVENTS.read(joined) == ("acted", pb.Event.FromString(joined).acted)


@pytest.mark.parametrize("data", [b"", b"\xba\x3e\x00", b"\x08\x00"], ids=["nothing", "newer", "a number"])
def test_an_alternative_that_is_not_known_has_no_name(data: bytes) -> None:
    assert EVENTS.read(data) == ("", pb.Event.FromString(data))


@pytest.mark.parametrize("data", [b"\x32", b"\x32\x02\x08", b"\x32\x02\x0a\xff", b"\x32\x05" + b"\xff" * 5])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(Malformed, match=rf"these {len(data)} bytes are no fupan\.table\.v1\.Event"):
        EVENTS.read(data)
