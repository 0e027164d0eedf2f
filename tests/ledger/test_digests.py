"""Digests that stand in the log: one text for one value, nothing that two values share."""

from hashlib import sha256

import pytest

from services.ledger import digests
from services.pairing.model import events as e
from services.pairing.model.digests import entrants_digest, seating_digest


def test_canonical_json_is_sorted_compact_and_utf8() -> None:
    assert (
        digests.canonical_json({"b": [1, True, None], "a": "胡"}) == '{"a":"胡","b":[1,true,null]}'.encode()
    )
    assert digests.params_digest({"b": 1, "a": 2}) == digests.params_digest({"a": 2, "b": 1})
    with pytest.raises(ValueError, match="JSON"):
        digests.canonical_json(float("nan"))


def test_entrants_and_seats_are_digested_as_pairing_logs_them() -> None:
    entrants = [
        e.Entrant(1, (e.Member("p", "u"), e.Member("q", "v"))),
        e.Entrant(20, (e.Member("r", ""),)),
    ]
    assert entrants_digest(entrants) == digests.entrants_digest(
        (entrant.number, [(member.person_id, member.unit_id) for member in entrant.members])
        for entrant in entrants
    )
    tables = [e.SeatedTable("r1-t1", 1, (3, 1, 2)), e.SeatedTable("r1-t2", 2, (4, 0, 0))]
    assert seating_digest(tables) == digests.seating_digest(
        (table.table, table.group, table.entrants) for table in tables
    )


def test_entrants_cannot_be_read_in_another_way() -> None:
    pair = digests.entrants_digest([(1, [("p", "u"), ("q", "v")])])
    assert pair == sha256(b"1 p:u q:v\n").digest()
    assert pair != digests.entrants_digest([(1, [("p", "u")]), (1, [("q", "v")])])


def test_seats_and_their_order_count() -> None:
    seating = digests.seating_digest([("t-1", 1, (3, 1, 2)), ("t-2", 1, (4, 0, 0))])
    assert seating != digests.seating_digest([("t-1", 1, (1, 3, 2)), ("t-2", 1, (4, 0, 0))])
    assert seating != digests.seating_digest([("t-2", 1, (4, 0, 0)), ("t-1", 1, (3, 1, 2))])


def test_ballots_count_in_any_order() -> None:
    ballots = [("m-2", b"b"), ("m-1", b"a")]
    assert digests.ballots_digest("a-1", ballots) == sha256(b"a-1\nm-1 61\nm-2 62\n").digest()
    assert digests.ballots_digest("a-1", ballots) == digests.ballots_digest("a-1", ballots[::-1])
