"""Any value of a model's dataclasses, for laws that hold of all of them: what is stored comes back as it was."""

from __future__ import annotations

import dataclasses
import types
import typing
from functools import cache
from typing import Any

from hypothesis import strategies as st

_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    # What fits every integer field of the protos.
    int: st.integers(0, 2**31 - 1),
    types.NoneType: st.none(),
    bool: st.booleans(),
    bytes: st.binary(max_size=40),
    str: st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
}


@cache
def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type: scalars, tuples of any length, dataclasses, unions of them."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    if typing.get_origin(hint) is tuple:
        return st.lists(values(typing.get_args(hint)[0]), max_size=3).map(tuple)
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return st.one_of([values(one) for one in typing.get_args(hint)])
    hints = typing.get_type_hints(hint)
    return st.builds(hint, **{field.name: values(hints[field.name]) for field in dataclasses.fields(hint)})


def members(union: Any) -> tuple[type, ...]:
    """The dataclasses of a union."""
    return tuple(typing.get_args(union))


def comes_back(codec: Any, value: Any) -> bool:
    """Whether a value is the same once it was stored, and stored the same way again."""
    data = codec.encode(value)
    return bool(codec.decode(data) == value and codec.encode(codec.decode(data)) == data)
