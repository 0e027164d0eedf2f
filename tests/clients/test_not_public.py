"""An appeal on a board that others still play, as it is told to them: without what it is about (C10.1)."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from clients.cli import appeals, words
from clients.console import appealed
from clients.console.language import LANGUAGES
from fupan.appeals.v1 import service_pb2 as pb

HIDDEN = pb.Appeal(appeal="a-1", phase="voting")


@pytest.mark.parametrize(
    ("spoken", "told"), [("en", "not public while its board is played"), ("zh", "相关的副尚未打完，暂不公开")]
)
def test_what_is_not_public_is_called_so(spoken: str, told: str) -> None:
    words.choose(spoken)
    shown = appeals.record(HIDDEN, ZoneInfo("UTC"))
    words.choose(None)
    assert (shown["contested"], shown["entrant"], shown["sought"]) == (told, None, [])
    assert appealed.contested(HIDDEN.filed.contested, LANGUAGES[spoken]) == told
