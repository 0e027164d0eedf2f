"""A championship as the command shows it."""

from __future__ import annotations

import json

from clients.cli import championship, output
from fupan.pairing.v1 import events_pb2
from fupan.pairing.v1 import service_pb2 as pb


def test_every_setting_can_be_written_as_json() -> None:
    settings = events_pb2.Settings(championship="cup", params='{"min_huxi": 15}', lines=[3, 8])
    told = pb.GetChampionshipResponse(settings=settings, phase="registration")
    found = json.loads(output.as_json(championship.record(told)))
    assert set(settings.DESCRIPTOR.fields_by_name) <= set(found)
    assert (found["params"], found["lines"], found["phase"]) == ({"min_huxi": 15}, [3, 8], "registration")
