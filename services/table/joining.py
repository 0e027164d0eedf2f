"""Serialised messages put into one another without being parsed again: a message's fields may be written one after the other."""

from __future__ import annotations

from typing import Any


class Field:
    """A field of a message that holds a message, by its name in the message around it."""

    __slots__ = ("_tag",)

    def __init__(self, around: Any, name: str) -> None:
        self._tag = _varint(around.DESCRIPTOR.fields_by_name[name].number << 3 | _LENGTH_DELIMITED)

    def holding(self, data: bytes) -> bytes:
        """The field, its message serialised already; of a repeated field one entry."""
        return self._tag + _varint(len(data)) + data


_LENGTH_DELIMITED = 2


def _varint(number: int) -> bytes:
    if number < 0x80:
        return bytes((number,))
    if number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    return bytes((number & 0x7F | 0x80,)) + _varint(number >> 7)
