from __future__ import annotations

import pytest

from services.runtime.errors import Malformed, NotFound
from services.scoring import model as m
from services.scoring.asof import publication_of, read_cut
from tests.scoring.given import CUT, SCORING, published
from tests.specification import NOON, Fact

LEDGER = SCORING.given(Fact(published(1), at=NOON), Fact(published(2, after=2), at=NOON + 60_000_000)).state


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("2", 2),
        ("2026-01-01T12:00:00+08:00", 1),
        ("2026-01-01T04:00:59.999999Z", 1),
        ("2026-01-01T04:01:00Z", 2),
        ("2030-01-01T00:00:00+08:00", 2),
    ],
)
def test_a_number_or_a_time_names_a_publication(text: str, number: int) -> None:
    assert publication_of(LEDGER, text).event.number == number


@pytest.mark.parametrize("text", ["0", "3", "999999999", "2026-01-01T11:59:59+08:00", "0001-01-01T00:00:00Z"])
def test_there_may_be_none(text: str) -> None:
    with pytest.raises(NotFound):
        publication_of(LEDGER, text)


@pytest.mark.parametrize("text", ["x", "9" * 5000, "²", "2026-01-01T12:00:00", "2026-13-01T00:00:00Z", "-1"])
def test_anything_else_is_malformed(text: str) -> None:
    with pytest.raises(Malformed, match="as_of"):
        publication_of(LEDGER, text)


def test_a_cut_names_streams_and_leaves_others_whole() -> None:
    cut, scoring = read_cut("TABLE-e1-0@12, SCORING-e1@3", CUT, "SCORING-e1")
    assert scoring == 3
    assert cut.positions == (m.StreamPosition("PAIRING-e1", 7), m.StreamPosition("TABLE-e1-0", 12))
    assert read_cut("PAIRING-e1@99", CUT, "SCORING-e1") == (CUT, None)  # no further than is known


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("TABLE-e1-0@", Malformed),
        ("TABLE-e1-0@1,", Malformed),
        ("@1", Malformed),
        ("TABLE-e1-0@-1", Malformed),
        ("TABLE-e1-0@" + "9" * 19, Malformed),
        ("TABLE-e1-0@²", Malformed),
        ("TABLE-e2-0@1", NotFound),
        ("SCORING-e2@1", NotFound),
    ],
)
def test_a_cut_of_other_streams_is_none(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_cut(text, CUT, "SCORING-e1")
