"""From frozen dataclasses to protobuf messages and back, by field name, compiled once per class.

A `MessageCodec` pairs one dataclass with one message, a `Codec` a union of dataclasses with a message that
holds a oneof (an `Event`, a `Command`, a meld). Pairs are checked when a codec is made: each dataclass field
must exist in the message with a fitting type, and each message field in the dataclass unless it is marked
`deprecated`; otherwise `CodecError` names the field. So a codec that exists loses nothing.

| dataclass field | message field |
|---|---|
| `int`, `IntEnum` | any integer type, an enum by its numbers |
| `bool`, `bytes` | the same |
| `str`, `StrEnum`, `Literal["a", "b"]` | `string` |
| a dataclass | a message, paired field by field; never absent |
| a union of dataclasses, or `Any` | a message with a oneof for which a `Codec` is given in `nested` |
| `tuple[T, ...]` | `repeated` T |
| `T | None` | a message, or an `optional` scalar |
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any, Generic, Literal, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

D = TypeVar("D")

# Dataclass value -> what a message constructor takes for the field; None means that values pass as they are.
Out = Callable[[Any], Any] | None
# Message field value -> dataclass value, likewise.
In = Callable[[Any], Any] | None
# Conversions by field name.
Fixes = dict[str, Callable[[Any], Any]]
# upb's descriptors are not the classes that the type stubs name.
Descriptor = Any
Field = Any

# So many short messages are remembered with what they say: a card that is played is played again and again.
_SHORT = 25
_RECALLED = 1 << 12
# Most that one byte of a varint holds.
_ONE_BYTE = 0x7F
_INTEGERS: frozenset[int] = frozenset(
    getattr(FieldDescriptor, f"TYPE_{name}{bits}")
    for name in ("INT", "UINT", "SINT", "FIXED", "SFIXED")
    for bits in (32, 64)
) | {FieldDescriptor.TYPE_ENUM}
_FITTING: Mapping[type, frozenset[int]] = {
    int: _INTEGERS | {FieldDescriptor.TYPE_ENUM},
    bool: frozenset({FieldDescriptor.TYPE_BOOL}),
    str: frozenset({FieldDescriptor.TYPE_STRING}),
    bytes: frozenset({FieldDescriptor.TYPE_BYTES}),
}


class CodecError(TypeError):
    """A dataclass and a message do not fit; found when the codec is made, never while it works."""


class UnknownEvent(ValueError):
    """A message whose oneof holds nothing this codec knows: written by a newer version, or not ours.

    `field` is the oneof field's name, empty when this program's protos do not know it either.
    """

    def __init__(self, message: str, field: str) -> None:
        super().__init__(f"{message} holds {field or 'an alternative'} unknown to this version")
        self.field = field


class Malformed(ValueError):
    """Bytes that are not the message they should be."""


class MessageCodec(Generic[D]):
    """One dataclass ↔ one message. `kwargs(value)` gives the message's constructor arguments."""

    def __init__(self, message: type[Message], dataclass: type[D], nested: Iterable[Codec[Any]] = ()) -> None:
        self._message: Any = message
        self.kwargs, self._from = _pair(dataclass, message.DESCRIPTOR, _by_name(nested))

    def to_proto(self, value: D) -> Any:
        """The message that says `value`."""
        return self._message(**self.kwargs(value))

    def from_proto(self, message: Any) -> D:
        """The dataclass that says `message`. Raises UnknownEvent for an unknown alternative inside it."""
        return self._from(message)  # type: ignore[no-any-return]

    def encode(self, value: D) -> bytes:
        """The serialised message; the same value always gives the same bytes."""
        return self._message(**self.kwargs(value)).SerializeToString()  # type: ignore[no-any-return]

    def decode(self, data: bytes) -> D:
        """The inverse of `encode`. Raises Malformed, UnknownEvent."""
        return self._from(parse(self._message, data))  # type: ignore[no-any-return]


class Codec(Generic[D]):
    """A union of dataclasses ↔ a message with one oneof: `Codec(EventPb, {TilePlayed: "tile_played"})`.

    An alternative that is a scalar, or a message for which `nested` has a codec, pairs with a dataclass of
    one field, whose value it is. Alternatives of the oneof that are not listed raise UnknownEvent when
    decoded. `nested` are the codecs of unions that occur as fields. `inner` are alternatives that hold a oneof
    of their own, whose dataclasses stand among ours as they are (a game's events among a table's).
    """

    def __init__(
        self,
        message: type[Message],
        alternatives: Mapping[type[Any], str],
        nested: Iterable[Codec[Any]] = (),
        inner: Mapping[str, Codec[Any]] | None = None,
    ) -> None:
        self.descriptor: Descriptor = message.DESCRIPTOR
        self.members: frozenset[type[Any]] = frozenset(alternatives)
        self._message: Any = message
        self._oneof = _only_oneof(self.descriptor)
        by_name = _by_name(nested)
        self._out: dict[type[Any], tuple[str, Callable[[Any], Any]]] = {}
        self._in: dict[str, Callable[[Any], Any]] = {}
        self._whole: dict[bytes, Callable[[bytes], Any]] = {}
        """By tag: how an alternative that is a message of its own is read from its bytes."""
        self._flat: frozenset[type[Any]] = frozenset()
        """Members that hold scalars alone: of their type, what is equal is the same."""
        self._recurring: frozenset[type[Any]] = frozenset()
        """Flat ones of inner unions: a card that is played is played again and again."""
        for cls, name in alternatives.items():
            field = self.descriptor.fields_by_name.get(name)
            if field is None:
                raise CodecError(f"{self.descriptor.full_name} has no field {name} for {cls.__name__}")
            if name in self._in:
                raise CodecError(f"{self.descriptor.full_name}.{name} is given to two dataclasses")
            message_type = field.message_type
            if message_type is None or message_type.full_name in by_name:
                to, from_ = _wrapped(cls, field, by_name)
            else:
                to, from_ = _pair(cls, message_type, by_name)
                self._whole[_tag(field)] = _reader(message_type, from_)
                if all(inner.message_type is None for inner in message_type.fields):
                    self._flat |= {cls}
            self._out[cls] = (name, to)
            self._in[name] = from_
        for name, codec in (inner or {}).items():
            self._take_in(name, codec)
        self._recall = lru_cache(maxsize=_RECALLED)(self._decode)
        self._repeat = lru_cache(maxsize=_RECALLED, typed=True)(self._encode)

    def _take_in(self, name: str, codec: Codec[Any]) -> None:
        """Make the members of an inner union ours."""
        field = self.descriptor.fields_by_name.get(name)
        if field is None or field.message_type is not codec.descriptor:
            raise CodecError(f"{self.descriptor.full_name}.{name} is no {codec.descriptor.full_name}")
        if name in self._in or not codec.members.isdisjoint(self.members):
            raise CodecError(f"{self.descriptor.full_name}.{name} is given twice")
        self._out |= {cls: (name, _within(*out)) for cls, out in codec._out.items()}
        self._recurring |= codec._flat
        self._in[name] = codec.from_proto
        self._whole[_tag(field)] = codec.decode
        self.members |= codec.members

    def to_proto(self, value: D) -> Any:
        """The message that says `value`."""
        return self._message(**self.kwargs(value))

    def kwargs(self, value: D) -> dict[str, Any]:
        """Constructor arguments of the message that says `value`, which a message around it takes as well."""
        try:
            name, to = self._out[type(value)]
        except KeyError:
            raise CodecError(
                f"{type(value).__name__} is no alternative of {self.descriptor.full_name}"
            ) from None
        return {name: to(value)}

    def from_proto(self, message: Any) -> D:
        """The dataclass that says `message`. Raises UnknownEvent."""
        name = message.WhichOneof(self._oneof)
        from_ = self._in.get(name)
        if from_ is None:
            raise UnknownEvent(self.descriptor.full_name, name or "")
        return from_(getattr(message, name))  # type: ignore[no-any-return]

    def encode(self, value: D) -> bytes:
        """The serialised message; the same value always gives the same bytes."""
        return self._repeat(value) if type(value) in self._recurring else self._encode(value)

    def _encode(self, value: D) -> bytes:
        return self._message(**self.kwargs(value)).SerializeToString()  # type: ignore[no-any-return]

    def decode(self, data: bytes) -> D:
        """The inverse of `encode`. Raises Malformed, UnknownEvent."""
        return self._recall(data) if len(data) <= _SHORT else self._decode(data)

    def _decode(self, data: bytes) -> D:
        size = len(data)
        if size > 2:
            begin = 3 if data[0] > _ONE_BYTE else 2
            # One alternative and nothing else, as `encode` writes it, is read without the message around it.
            if data[begin - 1] == size - begin <= _ONE_BYTE:
                read = self._whole.get(data[: begin - 1])
                if read is not None:
                    try:
                        return read(data[begin:])  # type: ignore[no-any-return]
                    except DecodeError as error:
                        raise malformed(self._message, data) from error
        return self.from_proto(parse(self._message, data))


Nested = Mapping[str, Codec[Any]]


def parse(message: Any, data: bytes) -> Any:
    """`data` as a `message`. Raises Malformed."""
    try:
        return message.FromString(data)
    except DecodeError as error:
        raise malformed(message, data) from error


def malformed(message: Any, data: bytes) -> Malformed:
    """What is wrong with bytes that are no `message`."""
    return Malformed(f"these {len(data)} bytes are no {message.DESCRIPTOR.full_name}")


def _tag(field: Field) -> bytes:
    """What stands before a message that is a field's value: the field's number and that a length follows."""
    tag = field.number << 3 | 2
    return bytes([tag] if tag <= _ONE_BYTE else [tag & _ONE_BYTE | 0x80, tag >> 7])


def _reader(descriptor: Descriptor, from_: Callable[[Any], Any]) -> Callable[[bytes], Any]:
    parsed = GetMessageClass(descriptor).FromString
    return lambda data: from_(parsed(data))


def _by_name(codecs: Iterable[Codec[Any]]) -> Nested:
    return {codec.descriptor.full_name: codec for codec in codecs}


def _only_oneof(descriptor: Descriptor) -> str:
    oneofs = [oneof for oneof in descriptor.oneofs if len(oneof.fields) == len(descriptor.fields)]
    if len(oneofs) != 1:
        raise CodecError(f"{descriptor.full_name} must hold one oneof and nothing else")
    return str(oneofs[0].name)


def _within(name: str, to: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {name: to(value)}


def _wrapped(
    cls: type[Any], field: Field, nested: Nested
) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Closures for a dataclass of one field whose value is the alternative itself."""
    names = _names(cls)
    if len(names) != 1:
        raise CodecError(f"{cls.__qualname__} must have one field, the value of {field.full_name}")
    hint = typing.get_type_hints(cls)[names[0]]
    out, in_ = _value(_members(hint), field, nested, f"{cls.__qualname__}.{names[0]}")
    read = attrgetter(names[0])
    to = read if out is None else lambda value: out(read(value))
    return to, cls if in_ is None else lambda value: cls(in_(value))


def _pair(
    cls: type[Any], descriptor: Descriptor, nested: Nested
) -> tuple[Callable[[Any], dict[str, Any]], Callable[[Any], Any]]:
    """Closures for one dataclass and one message: to constructor arguments, and from the message."""
    hints, names = typing.get_type_hints(cls), _names(cls)
    if not names and not dataclasses.is_dataclass(cls):
        raise CodecError(f"{cls!r} is no dataclass")
    _check_same_fields(cls, descriptor, names)
    out_fixes: Fixes = {}
    in_fixes: Fixes = {}
    present: set[str] = set()
    for name in names:
        where = f"{cls.__qualname__}.{name}"
        out, in_, optional = _field(hints[name], descriptor.fields_by_name[name], nested, where)
        if out is not None:
            out_fixes[name] = _skip_none(out) if optional else out
        if in_ is not None:
            in_fixes[name] = in_
        if optional:
            present.add(name)
    return _writer_of(names, out_fixes), _builder_of(cls, names, in_fixes, present)


def _names(cls: type[Any]) -> list[str]:
    """The fields of a dataclass, or of a named tuple, which passes for one."""
    if dataclasses.is_dataclass(cls):
        return [field.name for field in dataclasses.fields(cls)]
    return list(getattr(cls, "_fields", ()))


def _check_same_fields(cls: type[Any], descriptor: Descriptor, names: list[str]) -> None:
    """Neither side may hold what the other would lose."""
    for name in names:
        if name not in descriptor.fields_by_name:
            raise CodecError(f"{descriptor.full_name} has no field {name} for {cls.__qualname__}.{name}")
    for field in descriptor.fields:
        if field.name not in names and not field.GetOptions().deprecated:
            raise CodecError(f"{cls.__qualname__} has no field for {descriptor.full_name}.{field.name}")


def _writer_of(names: list[str], fixes: Fixes) -> Callable[[Any], dict[str, Any]]:
    """`lambda value: {"seat": value.seat, "tile": fix_tile(value.tile)}`, in so many words: records are written by the thousand,
    and nothing that walks over a list of names is half as fast."""
    entries = [f"'{name}': {_fixed(name, f'value.{name}', fixes)}" for name in names]
    return _compiled(f"lambda value: {{{', '.join(entries)}}}", fixes)


def _builder_of(cls: type[Any], names: list[str], fixes: Fixes, present: set[str]) -> Callable[[Any], Any]:
    """`lambda message: cls(message.seat, fix_won(message.won) if message.HasField("won") else None)`."""
    values = []
    for name in names:
        value = _fixed(name, f"message.{name}", fixes)
        values.append(f"{value} if message.HasField('{name}') else None" if name in present else value)
    if issubclass(cls, tuple):  # without the turn through the class's own constructor
        return _compiled(
            f"lambda message: make(cls, ({', '.join(values)},))", fixes, cls=cls, make=tuple.__new__
        )
    return _compiled(f"lambda message: cls({', '.join(values)})", fixes, cls=cls)


def _fixed(name: str, value: str, fixes: Fixes) -> str:
    return f"fix_{name}({value})" if name in fixes else value


def _compiled(source: str, fixes: Fixes, **names: Any) -> Callable[[Any], Any]:
    """A function from its source, which holds nothing but field names."""
    functions = {f"fix_{name}": fix for name, fix in fixes.items()}
    return eval(source, functions | names)  # type: ignore[no-any-return]


def _skip_none(out: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else out(value)


def _field(hint: Any, field: Field, nested: Nested, where: str) -> tuple[Out, In, bool]:
    """Conversions of one field and whether it may be None."""
    members = _members(hint)
    optional = type(None) in members
    members = tuple(member for member in members if member is not type(None))
    repeated = len(members) == 1 and typing.get_origin(members[0]) is tuple
    if repeated != field.is_repeated:
        raise CodecError(f"{where}: tuple[…, ...] and `repeated` must go together ({field.full_name})")
    if optional and not field.has_presence:
        raise CodecError(f"{where} may be None but {field.full_name} is neither a message nor `optional`")
    if not optional and field.has_presence and field.message_type is None:
        raise CodecError(f"{where} is never None but {field.full_name} is `optional`")
    if not repeated:
        out, in_ = _value(members, field, nested, where)
        return out, in_, optional
    item, ellipsis = (*typing.get_args(members[0]), None)[:2]
    if ellipsis is not Ellipsis:
        raise CodecError(f"{where}: only tuple[T, ...] is supported")
    out, in_ = _value(_members(item), field, nested, where)
    # A message constructor takes any iterable for a repeated field, so scalars pass as they are. A repeated field itself is walked
    # over until an IndexError says that it ends: its slice costs half of that.
    each_out = None if out is None else lambda values: [out(value) for value in values]
    each_in = _tuple if in_ is None else lambda values: tuple([in_(value) for value in values[:]])
    return each_out, each_in, False


def _tuple(values: Any) -> tuple[Any, ...]:
    return tuple(values[:])


def _members(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the one type; aliases and NewTypes looked through."""
    while hasattr(hint, "__supertype__"):
        hint = hint.__supertype__
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(inner for member in typing.get_args(hint) for inner in _members(member))
    return (hint,)


def _value(members: tuple[Any, ...], field: Field, nested: Nested, where: str) -> tuple[Out, In]:
    """Conversions of one value that is not None and not a tuple."""
    message = field.message_type
    if message is not None:
        codec = nested.get(message.full_name)
        if codec is not None and (members == (Any,) or codec.members >= set(members)):
            return codec.kwargs, codec.from_proto
        if len(members) != 1:
            raise CodecError(
                f"{where} is a union; {message.full_name} needs a nested Codec that knows all of it"
            )
        return _pair(members[0], message, nested)
    if len(members) == 1:
        base, in_ = _scalar(members[0], where)
        if field.type in _FITTING.get(base, ()):
            return None, in_
    raise CodecError(f"{where} does not fit {field.full_name}")


def _scalar(hint: Any, where: str) -> tuple[type, In]:
    """The plain type that stands in the message, and how the value comes back."""
    if typing.get_origin(hint) is Literal:
        bases = {type(choice) for choice in typing.get_args(hint)}
        return (bases.pop() if len(bases) == 1 else object), None
    if isinstance(hint, type) and issubclass(hint, enum.IntEnum | enum.StrEnum):
        return (int if issubclass(hint, int) else str), _choice(hint, where)
    return hint, None


def _choice(hint: type[enum.Enum], where: str) -> Callable[[Any], enum.Enum]:
    known = {member.value: member for member in hint}

    def choose(value: Any) -> enum.Enum:
        try:
            return known[value]
        except KeyError:
            raise UnknownEvent(where, repr(value)) from None

    return choose
