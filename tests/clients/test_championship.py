"""A championship as the command shows it."""

from __future__ import annotations

import json

import pytest

from clients.cli import championship, output
from fupan.pairing.v1 import events_pb2
from fupan.pairing.v1 import service_pb2 as pb


def test_every_setting_can_be_written_as_json() -> None:
    settings = events_pb2.Settings(championship="cup", params='{"min_huxi": 15}', lines=[3, 8])
    told = pb.GetChampionshipResponse(settings=settings, phase="registration")
    found = json.loads(output.as_json(championship.record(told)))
    assert set(settings.DESCRIPTOR.fields_by_name) <= set(found)
    assert (found["params"], found["lines"], found["phase"]) == ({"min_huxi": 15}, [3, 8], "registration")


@pytest.mark.parametrize(
    ("count", "authority", "wrong"),
    [
        (0, "arbitration", True),
        (2, "arbitration", True),
        (4, "arbitration", True),
        (3, "arbitration", False),
        (5, "arbitration", False),
        (0, "chief_referee", False),
    ],
)
def test_C9_1_who_starts_an_event_is_told_that_its_committee_is_not_odd_and_three(
    count: int, authority: str, wrong: bool
) -> None:
    settings = events_pb2.Settings(championship="cup", params="{}", final_authority=authority)
    told = pb.GetChampionshipResponse(settings=settings)
    told.officials.add(person_id="wang", role="chief_referee")
    for number in range(count):
        told.officials.add(person_id=f"a-{number}", role="arbitrator")
    assert (f"has {count} members" in championship.record(told)["committee"]) is wrong


def test_C9_5_regulations_are_shown_newest_first_by_whom_and_with_their_texts() -> None:
    told = pb.GetChampionshipResponse(settings=events_pb2.Settings(championship="cup", params="{}"))
    for version in (1, 2):
        published = events_pb2.RegulationsPublished(version=version, digest=bytes([version]))
        told.regulations.add(published=published, organiser="wang", time_us=1_700_000_000_000_000)
    found = championship.record(told)
    assert [one["digest"] for one in found["regulations"]] == ["01", "02"]
    for one, text in zip(found["regulations"], ("No phones.\n", "No watches."), strict=True):
        one["text"] = text
    shown = championship._regulations(found["regulations"])
    when = "2023-11-14T22:13:20+00:00"
    assert shown == f"version 2, {when}, wang\nNo watches.\n\nversion 1, {when}, wang\nNo phones."
