from __future__ import annotations

import json
from datetime import UTC

import pytest

from clients.cli import output
from clients.cli.output import Column
from clients.cli.times import moment, zone
from clients.cli.words import choose

NOON_US = 1_803_873_600_123_456
"""2027-03-01 04:00 in UTC, noon in Shanghai."""

COLUMNS = (Column("closed", "Closed", "结束于"),)


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


def shown(form: str, capsys: pytest.CaptureFixture[str]) -> str:
    output.rows([{"closed": moment(NOON_US, zone("Asia/Shanghai"))}], COLUMNS, form)
    return capsys.readouterr().out


def test_people_see_times_in_the_zone_of_the_event(capsys: pytest.CaptureFixture[str]) -> None:
    assert "2027-03-01T12:00:00+08:00" in shown("table", capsys)


def test_data_holds_times_in_utc(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(shown("json", capsys)) == [{"closed": "2027-03-01T04:00:00Z"}]
    assert shown("csv", capsys) == "closed\n2027-03-01T04:00:00Z\n"


def test_what_has_not_happened_has_no_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert moment(0, UTC) is None
    output.fields({"closed": None}, COLUMNS, "json")
    assert json.loads(capsys.readouterr().out) == {"closed": None}


def test_a_zone_that_this_machine_does_not_know_is_utc() -> None:
    assert zone("Mars/Olympus") is UTC
    assert zone("") is UTC
