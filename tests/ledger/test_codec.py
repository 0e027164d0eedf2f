"""The codec: what fits round-trips, what does not fit is refused when the codec is made."""

import enum
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NewType

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given
from hypothesis import strategies as st

from services.ledger.codec import Codec, CodecError, Malformed, MessageCodec, UnknownEvent

Tile = NewType("Tile", int)
Field = descriptor_pb2.FieldDescriptorProto


class Size(enum.StrEnum):
    SMALL = "small"
    BIG = "big"


class Colour(enum.IntEnum):
    BLACK = 0
    RED = 1


@dataclass(frozen=True, slots=True)
class Run:
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    tile: Tile


Meld = Run | Pair


@dataclass(frozen=True, slots=True)
class Spot:
    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class Laid:
    seat: int
    meld: Meld
    others: tuple[Meld, ...]
    spot: Spot
    last: Spot | None
    count: int | None
    suit: int
    size: Size
    colour: Colour
    kind: Literal["open", "hidden"]
    raw: bytes
    flag: bool
    spots: tuple[Spot, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passed:
    pass


@dataclass(frozen=True, slots=True)
class Ended:
    seat: int


Event = Laid | Passed | Ended

# Message -> fields as (name, words and type).
SCHEMA: dict[str, list[tuple[str, str]]] = {
    "Run": [("tiles", "repeated uint32")],
    "Pair": [("tile", "uint32")],
    "Meld": [("run", "oneof Run"), ("pair", "oneof Pair")],
    "Spot": [("seat", "sint32"), ("name", "string"), ("old", "deprecated int32")],
    "Laid": [
        ("seat", "uint32"),
        ("meld", "Meld"),
        ("others", "repeated Meld"),
        ("spot", "Spot"),
        ("last", "Spot"),
        ("count", "optional int64"),
        ("suit", "Suit"),
        ("size", "string"),
        ("colour", "int32"),
        ("kind", "string"),
        ("raw", "bytes"),
        ("flag", "bool"),
        ("spots", "repeated Spot"),
        ("names", "repeated string"),
    ],
    "Passed": [],
    "Ended": [("seat", "uint32")],
    "Event": [("laid", "oneof Laid"), ("passed", "oneof Passed"), ("ended", "oneof Ended")],
}


def build(schema: dict[str, list[tuple[str, str]]], package: str = "t") -> dict[str, Any]:
    """Message classes from a schema in few words."""
    file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto3")
    # Open, as every enum of proto3: numbers without a name pass as well.
    file.enum_type.add(name="Suit").value.add(name="SUIT_UNSPECIFIED", number=0)
    for name, fields in schema.items():
        message = file.message_type.add(name=name)
        if any(spec.startswith("oneof") for _, spec in fields):
            message.oneof_decl.add(name="kind")
        for number, (field_name, spec) in enumerate(fields, 1):
            *words, type_name = spec.split()
            field = message.field.add(name=field_name, number=number, label=Field.LABEL_OPTIONAL)
            if type_name == "Suit":
                field.type, field.type_name = Field.TYPE_ENUM, f".{package}.Suit"
            elif type_name in schema:
                field.type, field.type_name = Field.TYPE_MESSAGE, f".{package}.{type_name}"
            else:
                field.type = getattr(Field, f"TYPE_{type_name.upper()}")
            if "repeated" in words:
                field.label = Field.LABEL_REPEATED
            if "oneof" in words:
                field.oneof_index = 0
            if "optional" in words:
                field.proto3_optional = True
                field.oneof_index = len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field_name}")
            if "deprecated" in words:
                field.options.deprecated = True
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
        for name in schema
    }


PB = build(SCHEMA)
MELDS: Codec[Meld] = Codec(PB["Meld"], {Run: "run", Pair: "pair"})
EVENTS: Codec[Event] = Codec(PB["Event"], {Laid: "laid", Passed: "passed", Ended: "ended"}, nested=[MELDS])

tiles = st.integers(0, 79).map(Tile)
melds = st.builds(Run, st.lists(tiles, max_size=3).map(tuple)) | st.builds(Pair, tiles)
spots = st.builds(Spot, st.integers(-(2**31), 2**31 - 1), st.text(max_size=5))
laid = st.builds(
    Laid,
    seat=st.integers(0, 2**32 - 1),
    meld=melds,
    others=st.lists(melds, max_size=3).map(tuple),
    spot=spots,
    last=st.none() | spots,
    count=st.none() | st.integers(-(2**63), 2**63 - 1),
    suit=st.integers(0, 5),
    size=st.sampled_from(Size),
    colour=st.sampled_from(Colour),
    kind=st.sampled_from(["open", "hidden"]),
    raw=st.binary(max_size=4),
    flag=st.booleans(),
    spots=st.lists(spots, max_size=2).map(tuple),
    names=st.lists(st.text(max_size=3), max_size=2).map(tuple),
)
events = laid | st.just(Passed()) | st.builds(Ended, st.integers(0, 3))


@given(events)
def test_decode_inverts_encode(event: Event) -> None:
    decoded = EVENTS.decode(EVENTS.encode(event))
    assert decoded == event
    assert EVENTS.from_proto(EVENTS.to_proto(event)) == event
    if isinstance(decoded, Laid):
        assert type(decoded.size) is Size
        assert type(decoded.colour) is Colour


@given(events)
def test_an_alternative_read_by_its_tag_is_what_the_whole_message_says(event: Event) -> None:
    data = EVENTS.encode(event)
    for stored in (
        data,
        data + data,
        data + b"\xf8\x07\x01",
    ):  # once, merged with itself, beside a field of a newer version
        assert EVENTS.decode(stored) == EVENTS.from_proto(PB["Event"].FromString(stored))


def test_an_alternative_that_is_no_message_is_malformed() -> None:
    with pytest.raises(Malformed, match="52 bytes"):
        EVENTS.decode(b"\x0a\x32" + b"\xff" * 50)


def test_a_short_message_is_decoded_once_and_a_wrong_one_never() -> None:
    data = EVENTS.encode(Ended(3))
    assert EVENTS.decode(data) is EVENTS.decode(bytes(data))
    for _ in range(2):
        with pytest.raises(UnknownEvent):
            EVENTS.decode(b"")


def test_an_empty_event_is_present_on_the_wire() -> None:
    assert EVENTS.encode(Passed()) == b"\x12\x00"


def test_none_and_zero_of_an_optional_are_told_apart() -> None:
    schema = {"Box": [("n", "optional int32")]}

    @dataclass(frozen=True)
    class Box:
        n: int | None

    codec = MessageCodec(build(schema)["Box"], Box)
    assert [codec.decode(codec.encode(Box(n))).n for n in (None, 0, 5)] == [None, 0, 5]


def test_an_alternative_of_a_newer_version_is_an_unknown_event() -> None:
    newer = build({**SCHEMA, "Event": [*SCHEMA["Event"], ("new", "oneof Ended")]})
    data = newer["Event"](new={"seat": 1}).SerializeToString()
    with pytest.raises(UnknownEvent) as caught:
        EVENTS.decode(data)
    assert caught.value.field == ""


def test_an_alternative_left_out_is_an_unknown_event_with_its_name() -> None:
    partial: Codec[Any] = Codec(PB["Event"], {Ended: "ended"})
    with pytest.raises(UnknownEvent) as caught:
        partial.decode(b"\x12\x00")
    assert caught.value.field == "passed"


def test_an_unknown_word_of_an_enumeration_is_an_unknown_event() -> None:
    message = EVENTS.to_proto(
        Laid(
            0, Pair(Tile(1)), (), Spot(0, ""), None, None, 2, Size.BIG, Colour.RED, "open", b"", True, (), ()
        )
    )
    message.laid.size = "huge"
    with pytest.raises(UnknownEvent, match="huge"):
        EVENTS.from_proto(message)


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05", b"\x00"])
def test_bytes_that_are_no_message_are_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        EVENTS.decode(data)


def test_a_value_that_is_no_alternative_is_refused() -> None:
    with pytest.raises(CodecError, match="Spot is no alternative"):
        EVENTS.encode(Spot(0, ""))  # type: ignore[arg-type]


@dataclass(frozen=True)
class N:
    n: int


@dataclass(frozen=True)
class NoneN:
    n: int | None


@dataclass(frozen=True)
class TextN:
    n: str


@dataclass(frozen=True)
class ManyN:
    n: tuple[int, ...]


@dataclass(frozen=True)
class TwoN:
    n: tuple[int, int]


@dataclass(frozen=True)
class MeldN:
    n: Meld


@dataclass(frozen=True)
class Empty:
    pass


@pytest.mark.parametrize(
    ("cls", "fields", "complaint"),
    [
        (N, [], "t.M has no field n for N.n"),
        (N, [("n", "string")], "N.n does not fit t.M.n"),
        (N, [("n", "bool")], "N.n does not fit t.M.n"),
        (N, [("n", "repeated int32")], "`repeated` must go together"),
        (N, [("n", "optional int32")], "N.n is never None"),
        (N, [("n", "int32"), ("extra", "bytes")], "N has no field for t.M.extra"),
        (NoneN, [("n", "int32")], "NoneN.n may be None"),
        (TextN, [("n", "bytes")], "TextN.n does not fit t.M.n"),
        (ManyN, [("n", "int32")], "`repeated` must go together"),
        (TwoN, [("n", "repeated int32")], "only tuple"),
        (MeldN, [("n", "Meld")], "needs a nested Codec"),
        (int, [("n", "int32")], "is no dataclass"),
    ],
)
def test_what_does_not_fit_is_refused_when_the_codec_is_made(
    cls: type[Any], fields: list[tuple[str, str]], complaint: str
) -> None:
    message = build({**SCHEMA, "M": fields})["M"]
    with pytest.raises(CodecError, match=complaint):
        MessageCodec(message, cls)


def test_a_union_needs_fields_of_one_oneof_each_for_one_dataclass() -> None:
    with pytest.raises(CodecError, match="must hold one oneof and nothing else"):
        Codec(PB["Spot"], {})
    with pytest.raises(CodecError, match="has no field nothing"):
        Codec(PB["Event"], {Empty: "nothing"})
    with pytest.raises(CodecError, match="given to two dataclasses"):
        Codec(PB["Event"], {Passed: "passed", Empty: "passed"})


def test_the_members_of_an_inner_union_stand_among_ours() -> None:
    message = build({**SCHEMA, "M": [("ended", "oneof Ended"), ("meld", "oneof Meld")]})
    melds: Codec[Meld] = Codec(message["Meld"], {Run: "run", Pair: "pair"})
    codec: Codec[Any] = Codec(message["M"], {Ended: "ended"}, inner={"meld": melds})
    for value in (Ended(2), Pair(Tile(3)), Run((Tile(1),))):
        assert codec.decode(codec.encode(value)) == value
    with pytest.raises(UnknownEvent):
        codec.decode(message["M"](meld={}).SerializeToString())
    with pytest.raises(CodecError, match=r"t.M.ended is no t.Meld"):
        Codec(message["M"], {}, inner={"ended": melds})
    with pytest.raises(CodecError, match=r"t.M.meld is given twice"):
        Codec(message["M"], {InGame: "meld"}, nested=[melds], inner={"meld": melds})


@dataclass(frozen=True)
class Quote:
    words: str


@dataclass(frozen=True)
class InGame:
    meld: Any


def test_an_alternative_that_is_a_scalar_or_a_union_is_wrapped_in_one_field() -> None:
    message = build({**SCHEMA, "M": [("quote", "oneof string"), ("meld", "oneof Meld")]})
    codec: Codec[Any] = Codec(
        message["M"],
        {Quote: "quote", InGame: "meld"},
        nested=[Codec(message["Meld"], {Run: "run", Pair: "pair"})],
    )
    for value in (Quote("x"), Quote(""), InGame(Pair(Tile(3))), InGame(Run((Tile(1),)))):
        assert codec.decode(codec.encode(value)) == value
    with pytest.raises(CodecError, match=r"Spot must have one field, the value of t.M.quote"):
        Codec(message["M"], {Spot: "quote"})
    with pytest.raises(CodecError, match=r"N.n does not fit t.M.quote"):
        Codec(message["M"], {N: "quote"})


class Drawn(NamedTuple):
    seat: int


class Died(NamedTuple):
    seat: int


def test_equal_values_of_two_types_are_two_messages_however_often_they_are_written() -> None:
    schema = {
        "Drawn": [("seat", "uint32")],
        "Died": [("seat", "uint32")],
        "Inner": [("drawn", "oneof Drawn"), ("died", "oneof Died")],
        "Outer": [("inner", "oneof Inner")],
    }
    message = build(schema)
    inner: Codec[Any] = Codec(message["Inner"], {Drawn: "drawn", Died: "died"})
    outer: Codec[Any] = Codec(message["Outer"], {}, inner={"inner": inner})
    for value in (Drawn(1), Died(1), Drawn(1), Died(1), Died(2)):
        again = outer.decode(outer.encode(value))
        assert (type(again), again) == (type(value), value)
