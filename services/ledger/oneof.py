"""Messages that hold one oneof and nothing else, an `Event` or a `Command`: which alternative bytes hold, and what it says."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from services.ledger.codec import malformed, parse

_ONE_BYTE = 0x7F
"""Most that one byte of a varint holds."""


class Oneof:
    """The alternatives of a message type, each a message of its own."""

    def __init__(self, message: Any) -> None:
        self._message = message
        (self._oneof,) = message.DESCRIPTOR.oneofs_by_name
        self._alone = {
            field.number << 3 | 2: (field.name, GetMessageClass(field.message_type).FromString)
            for field in message.DESCRIPTOR.fields
            if field.number << 3 <= _ONE_BYTE
        }
        """By the byte before it: name of an alternative, and how it is read from its own bytes."""

    def read(self, data: bytes) -> tuple[str, Any]:
        """Name and message of the alternative; no name, and the whole message, where this version knows none. Raises Malformed.

        One that stands alone, as it is written, is read without the message around it.
        """
        size = len(data) - 2
        if size >= 0 and data[1] == size <= _ONE_BYTE and (alone := self._alone.get(data[0])):
            name, parsed = alone
            try:
                return name, parsed(data[2:])
            except DecodeError as error:
                raise malformed(self._message, data) from error
        message = parse(self._message, data)
        kind = message.WhichOneof(self._oneof)
        return ("", message) if kind is None else (kind, getattr(message, kind))
