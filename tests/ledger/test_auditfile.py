"""The audit file: one encoding, and no byte of it can change unseen."""

import random
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ledger import auditfile as a
from services.ledger.record import Stored
from tests.ledger.test_record import chain

ABOUT = a.About(
    "table", "t-1-1", "cup", (bytes(32), bytes(range(32))), (a.Proof("1/1/1", 1, 0, 2, (bytes(32),)),)
)
OTHER = "fupan.e2026.table.3.cup.t-1-2"
RECORDS = tuple(sorted([*chain(3), *chain(2, OTHER, 10)], key=lambda stored: stored.sequence))
FILE = a.encode(ABOUT, RECORDS)

texts = st.text(max_size=8)
digests = st.binary(min_size=32, max_size=32)
abouts = st.builds(
    a.About,
    kind=texts,
    id=texts,
    championship=texts,
    keys=st.lists(digests, max_size=2).map(sorted).map(tuple),
    proofs=st.lists(
        st.builds(
            a.Proof, texts, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9),
            st.lists(digests, max_size=2).map(tuple),
        ),
        max_size=2, unique_by=lambda proof: proof.path,
    ).map(lambda proofs: tuple(sorted(proofs, key=lambda proof: proof.path))),
    rankings=st.lists(
        st.builds(a.Ranking, st.integers(1, 9), st.sampled_from([b"[]", b"[[1,7,1,[2,3]],[2,4,1,[]]]"])),
        max_size=2, unique_by=lambda ranking: ranking.number,
    ).map(lambda rankings: tuple(sorted(rankings, key=lambda ranking: ranking.number))),
)  # fmt: skip
record_lists = st.lists(
    st.builds(Stored, texts, st.integers(0, 2**64 - 1), texts, st.binary(max_size=20), st.just("")),
    max_size=4,
    unique_by=lambda stored: (stored.stream, stored.sequence),
)


def test_a_file_without_rankings_is_spelt_as_it_was_before_there_were_any() -> None:
    assert b"rankings" not in FILE
    ranked = a.encode(a.About("table", "t-1-1", "cup", rankings=(a.Ranking(2, b"[[1,7]]"),)), RECORDS)
    assert b',"rankings":[{"number":2,"rows":[[1,7]]}]}' in ranked


@given(abouts, record_lists)
def test_parse_inverts_encode(about: a.About, records: list[Stored]) -> None:
    ordered = tuple(sorted(records, key=lambda stored: (stored.stream, stored.sequence)))
    assert a.parse(a.encode(about, records)) == a.AuditFile(about, ordered)


def test_the_order_in_which_records_are_given_does_not_matter() -> None:
    shuffled = random.Random(1).sample(RECORDS, len(RECORDS))
    assert a.encode(ABOUT, shuffled) == FILE
    assert a.parse(FILE) == a.AuditFile(ABOUT, RECORDS)


def record_at(offset: int) -> Stored | None:
    """The record that a byte of FILE lies in, found without the reader."""
    for stored in RECORDS:
        at = FILE.index(stored.data)
        if at <= offset < at + len(stored.data):
            return stored
    return None


def test_every_flipped_byte_is_refused_and_named_where_it_lies() -> None:
    for offset in range(len(FILE)):
        flipped = bytearray(FILE)
        flipped[offset] ^= 1 << (offset % 8)
        with pytest.raises(a.Damaged) as caught:
            a.parse(bytes(flipped))
        stored = record_at(offset)
        if stored is None:
            assert caught.value.subject == ""
        else:
            version = [one for one in RECORDS if one.subject == stored.subject].index(stored) + 1
            assert (caught.value.subject, caught.value.version) == (stored.subject, version)
            assert f"record {stored.subject} version {version} " in str(caught.value)


@given(st.integers(0, len(FILE) - 1), st.integers(1, 255))
def test_any_other_byte_anywhere_is_refused(offset: int, flip: int) -> None:
    flipped = bytearray(FILE)
    flipped[offset] ^= flip
    with pytest.raises(a.Damaged):
        a.parse(bytes(flipped))


@given(st.integers(0, len(FILE) - 1))
def test_a_file_cut_off_anywhere_is_refused(length: int) -> None:
    with pytest.raises(a.Damaged):
        a.parse(FILE[:length])


@given(st.binary(min_size=1, max_size=40))
def test_trailing_bytes_are_refused(more: bytes) -> None:
    with pytest.raises(a.Damaged, match=f"{len(more)} bytes too many"):
        a.parse(FILE + more)


def test_each_kind_of_damage_is_called_by_its_name() -> None:
    def damaged(offset: int) -> str:
        flipped = bytearray(FILE)
        flipped[offset] ^= 1
        with pytest.raises(a.Damaged) as caught:
            a.parse(bytes(flipped))
        return str(caught.value)

    assert "no audit file" in damaged(0)
    assert "head" in damaged(20)
    assert "description" in damaged(FILE.index(b'"kind"'))
    assert "index" in damaged(FILE.index(RECORDS[0].data) - 1)
    assert "end of the file" in damaged(-1)


def digested(about: bytes, index: bytes, records: bytes) -> bytes:
    """A file of these sections with every digest right: what somebody who recomputes digests can make."""
    sections = [about, index, records]
    head = a.MAGIC + b"".join(
        a._MANIFEST.pack(name, len(content), sha256(content).digest())
        for name, content in zip(a.SECTIONS, sections, strict=True)
    )
    whole = head + sha256(head).digest() + b"".join(sections)
    return whole + sha256(whole).digest()


def parts() -> tuple[bytes, bytes, bytes]:
    about, index, records = a._sections(FILE)
    assert digested(about, index, records) == FILE
    return about, index, records


@pytest.mark.parametrize(
    "spell",
    [
        lambda about, index, records: (about.replace(b'":', b'": ', 1), index, records),
        lambda about, index, records: (about.replace(b"table", b"t\\u0061ble"), index, records),
        lambda about, index, records: (about.replace(b'{"champ', b'{"a":1,"champ'), index, records),
        lambda about, index, records: (about.replace(b'"cup"', b'"cup","championship":"cup"'), index, records),
        lambda about, index, records: (about.replace(b'"format":1', b'"format":1.0'), index, records),
        lambda about, index, records: (about.replace(b'"size":2', b'"size":"2"'), index, records),
        lambda about, index, records: (about.replace(b'"cup"', b"7"), index, records),
        lambda about, index, records: (about[:-1] + b',"rankings":[]}', index, records),
        lambda about, index, records: (
            about[:-1] + b',"rankings":[{"number":1,"rows":[]},{"number":1,"rows":[[1]]}]}', index, records
        ),
        lambda about, index, records: (b"[]", index, records),
        lambda about, index, records: (b"{}", index, records),
        lambda about, index, records: (b"[" * 100_000, index, records),
        lambda about, index, records: (b"", index, records),
        lambda about, index, records: (about, index + bytes(60), records),
        lambda about, index, records: (about, index[:-1], records),
        lambda about, index, records: (about, b"", records),
        lambda about, index, records: (about, b"\xff" * 12, records),
        lambda about, index, records: (about, index, records + b"x"),
        lambda about, index, records: (about, index, b""),
    ],
)  # fmt: skip
def test_another_spelling_with_right_digests_is_refused(spell: object) -> None:
    assert callable(spell)
    with pytest.raises(a.Damaged):
        a.parse(digested(*spell(*parts())))


def test_a_doubled_or_reordered_record_with_right_digests_is_refused() -> None:
    about, index, records = parts()
    entry, length = a._ENTRY.size, len(RECORDS[0].data)
    count = len(index) - len(RECORDS) * entry
    first, second = index[count : count + entry], index[count + entry : count + 2 * entry]
    swapped = index[:count] + second + first + index[count + 2 * entry :]
    moved = records[length : length + len(RECORDS[1].data)] + records[:length]
    with pytest.raises(a.Damaged, match="canonical"):
        a.parse(digested(about, swapped, moved + records[length + len(RECORDS[1].data) :]))
    doubled = index[: count - 4] + (len(RECORDS) + 1).to_bytes(4, "big") + first + index[count:]
    with pytest.raises(a.Damaged, match="two records"):
        a.parse(digested(about, doubled, records[:length] + records))


def test_a_record_whose_index_entry_lies_about_its_version_is_refused() -> None:
    about, index, records = parts()
    lying = index[: -a._ENTRY.size] + index[-a._ENTRY.size :].replace(
        (2).to_bytes(8, "big"), (3).to_bytes(8, "big"), 1
    )
    assert lying != index
    with pytest.raises(a.Damaged, match="canonical"):
        a.parse(digested(about, lying, records))


def test_a_record_changed_under_an_index_that_was_made_to_lie_is_named() -> None:
    about, index, records = parts()
    head = FILE[: a._HEAD]
    changed = bytearray(records)
    changed[0] ^= 1
    with pytest.raises(a.Damaged) as caught:
        a.parse(head + about + index + bytes(changed) + FILE[-32:])
    assert (caught.value.subject, caught.value.version) == (RECORDS[0].subject, 1)


def test_what_is_no_record_can_be_exported_too() -> None:
    junk = RECORDS[0]._replace(data=b"\xff")
    assert a.parse(a.encode(ABOUT, [junk])).records == (junk,)


def test_two_different_records_in_one_place_are_not_exported() -> None:
    with pytest.raises(ValueError, match="two records at TABLE-e2026-3 1"):
        a.encode(ABOUT, [RECORDS[0], RECORDS[0]._replace(data=b"x")])
