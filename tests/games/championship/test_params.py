"""Parameters: names, defaults and refusals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from services.domain import Rejected
from services.games.championship.params import Params, describe, resolve
from tests.games.championship.fields import all_params


def test_defaults_by_game() -> None:
    """C3.0, C3.1."""
    assert resolve("paohuzi", {}) == Params()
    assert (Params().mp_unit, Params().compare_within, Params().boards_per_session) == ("board", "field", 1)
    shengji = resolve("shengji", {"boards_per_session": 4})
    assert (shengji.mp_unit, shengji.compare_within, shengji.boards_per_session) == ("session", "group", 4)


@given(all_params)
def test_described_parameters_resolve_to_themselves(params: Params) -> None:
    assert resolve("shengji", describe(params)) == resolve("paohuzi", describe(params)) == params


@pytest.mark.parametrize(
    ("overrides", "clause"),
    [
        ({"mp_unit": "round"}, "C3.0"),
        ({"boards_per_session": 0}, "C3.0"),
        ({"boards_per_session": True}, "C3.0"),
        ({"boards_per_session": 1001}, "C3.0"),
        ({"compare_within": None}, "C3.1"),
        ({"tie_on": ["exact"]}, "C3.5"),
        ({"beaten_scope": "match"}, "C4.1"),
        ({"thinking_time": "none"}, "C4.3"),
        ({"layout": "spiral"}, "C6.3"),
        ({"a_is_a_level": 1}, "C8.4"),
    ],
)
def test_values_out_of_range_are_refused_by_clause(overrides: dict[str, Any], clause: str) -> None:
    with pytest.raises(Rejected, match=next(iter(overrides))) as refused:
        resolve("paohuzi", overrides)
    assert refused.value.clause == clause


def test_unknown_names_are_refused() -> None:
    with pytest.raises(Rejected, match="UNKNOWN_PARAMETER"):
        resolve("paohuzi", {"tie_onn": "exact"})
    with pytest.raises(Rejected, match="UNKNOWN_GAME"):
        resolve("bridge", {})
