"""Requests are looked through for text that nothing downstream could take: the first place where there is any is named."""

from __future__ import annotations

from typing import Any

import pytest

from fupan.table.v1 import events_pb2
from fupan.table.v1 import service_pb2 as pb
from services.runtime.errors import Malformed
from services.runtime.limits import check_request

SEATS = [events_pb2.Seat(person_id="anna"), events_pb2.Seat(person_id="Bo!")]


@pytest.mark.parametrize(
    ("message", "where"),
    [
        (pb.JoinRequest(championship="cup"), "command_id"),
        (pb.JoinRequest(command_id="c1", championship="CUP"), "championship"),
        (pb.PlayRequest(hello=pb.Hello(championship="the cup")), "hello.championship"),
        (pb.PlayRequest(answer=pb.Answer(command_id="two words")), "answer.command_id"),
        (events_pb2.TableOpened(championship="cup", seats=SEATS), "seats[1].person_id"),
        (
            events_pb2.Event(table_opened=events_pb2.TableOpened(seats=SEATS)),
            "table_opened.seats[1].person_id",
        ),
        *(
            (pb.PauseTableRequest(command_id="c1", reason=f"a{mark}b"), "reason")
            for mark in "\x00\x1b\x7f\x9b\u202e\u2066"
        ),
    ],
)
def test_what_is_wrong_is_named_by_its_place(message: Any, where: str) -> None:
    with pytest.raises(Malformed) as refused:
        check_request(message)
    assert refused.value.where == where


@pytest.mark.parametrize(
    "message",
    [
        pb.JoinRequest(command_id="c1", championship="cup"),
        pb.PauseTableRequest(command_id="c1", reason="牌掉了。\tA tile fell —\r\n“so” 👩\u200d⚖️"),
        pb.PlayRequest(),
        pb.PlayRequest(delivered=pb.Delivered(cursor=3)),
        pb.PlayRequest(answer=pb.Answer(command_id="anna-1", board=1, ask=2)),
        events_pb2.TableOpened(championship="cup", seats=SEATS[:1]),
    ],
)
def test_what_is_in_order_passes(message: Any) -> None:
    check_request(message)
