"""Digests that stand in the log: one text for one value, nothing that two values share."""

import pytest

from services.ledger import digests


def test_canonical_json_is_sorted_compact_and_utf8() -> None:
    assert (
        digests.canonical_json({"b": [1, True, None], "a": "胡"}) == '{"a":"胡","b":[1,true,null]}'.encode()
    )
    assert digests.params_digest({"b": 1, "a": 2}) == digests.params_digest({"a": 2, "b": 1})
    with pytest.raises(ValueError, match="JSON"):
        digests.canonical_json(float("nan"))


def test_entrants_cannot_be_split_in_another_way() -> None:
    pair = digests.entrants_digest([(1, [("p", "u"), ("q", "v")])])
    assert pair != digests.entrants_digest([(1, [("p", "u")]), (1, [("q", "v")])])
    assert pair != digests.entrants_digest([(1, [("pu", ""), ("q", "v")])])


def test_seats_groups_and_rounds_count() -> None:
    seating = digests.seating_digest(1, [("t-1", 1, (3, 1, 2)), ("t-2", 1, (4, 0, 0))])
    assert seating != digests.seating_digest(2, [("t-1", 1, (3, 1, 2)), ("t-2", 1, (4, 0, 0))])
    assert seating != digests.seating_digest(1, [("t-1", 1, (1, 3, 2)), ("t-2", 1, (4, 0, 0))])
    assert seating != digests.seating_digest(1, [("t-2", 1, (4, 0, 0)), ("t-1", 1, (3, 1, 2))])


def test_ballots_count_in_any_order() -> None:
    ballots = [("m-2", b"b"), ("m-1", b"a")]
    assert digests.ballots_digest("a-1", ballots) == digests.ballots_digest("a-1", ballots[::-1])
    assert digests.ballots_digest("a-1", ballots) != digests.ballots_digest("a-2", ballots)
