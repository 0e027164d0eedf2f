from __future__ import annotations

import pytest

from services.runtime.errors import Malformed, NotFound
from services.scoring import model as m
from services.scoring.asof import capped, completed, publication_of, read_cut
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


STREAMS = ("TABLE-e1-0", "PAIRING-e1", "SCORING-e1")
WHOLE = "TABLE-e1-0@12,PAIRING-e1@7,SCORING-e1@3"


def test_a_cut_names_every_stream() -> None:
    named = m.StreamPosition("TABLE-e1-0", 12), m.StreamPosition("PAIRING-e1", 7)
    cut = read_cut("SCORING-e1@3, PAIRING-e1@7, TABLE-e1-0@12", STREAMS)
    assert cut == read_cut(WHOLE, STREAMS) == m.Cut(named).upto("SCORING-e1", 3)
    assert (cut.at("SCORING-e1"), cut.without("SCORING-e1")) == (3, m.Cut(named))


@pytest.mark.parametrize("left_out", range(3))
def test_a_cut_without_one_of_them_is_refused(left_out: int) -> None:
    """What counts of that stream would be another thing tomorrow."""
    parts = WHOLE.split(",")
    del parts[left_out]
    with pytest.raises(Malformed, match=STREAMS[left_out]):
        read_cut(",".join(parts), STREAMS)


def test_a_cut_counts_no_further_than_is_known() -> None:
    far = m.Cut((m.StreamPosition("PAIRING-e1", 99), m.StreamPosition("TABLE-e1-0", 12)))
    assert capped(far, CUT).positions == (
        m.StreamPosition("PAIRING-e1", 7),
        m.StreamPosition("TABLE-e1-0", 12),
    )


def test_the_cut_of_an_older_publication_has_every_record_before_its_own() -> None:
    first, second = LEDGER.publications
    stored = {first.version: 30, second.version: 41}
    assert completed(first, "SCORING-e1", stored).event.cut == CUT.upto("SCORING-e1", 0)
    whole = completed(second, "SCORING-e1", stored)
    assert whole.event.cut == CUT.upto("SCORING-e1", 30)
    assert completed(whole, "SCORING-e1", {}) == whole


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("TABLE-e1-0@", Malformed),
        (WHOLE + ",", Malformed),
        (WHOLE + ",PAIRING-e1@7", Malformed),
        ("@1", Malformed),
        ("TABLE-e1-0@-1", Malformed),
        ("TABLE-e1-0@" + "9" * 19, Malformed),
        ("TABLE-e1-0@²", Malformed),
        (WHOLE + ",TABLE-e2-0@1", NotFound),
        (WHOLE + ",APPEALS-e1@1", NotFound),
    ],
)
def test_a_cut_of_other_streams_is_none(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_cut(text, STREAMS)
