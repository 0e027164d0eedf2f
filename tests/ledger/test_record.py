"""The stored record: built, sealed, hashed, read back; chains checked, each fault named where it lies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Rejected
from services.ledger import record as r
from services.ledger.codec import Malformed

KEY = bytes(range(32))
NONCE = bytes(12)
SUBJECT = "fupan.e2026.table.3.cup.t-1-1"

u32 = st.integers(0, 2**32 - 1)
i64 = st.integers(-(2**63), 2**63 - 1)
texts = st.text(max_size=30)
blobs = st.binary(max_size=300)
headers = st.builds(
    r.Header,
    subject=texts,
    version=st.integers(0, 2**64 - 1),
    prev_hash=blobs,
    epoch=texts,
    writer=st.builds(r.Writer, texts, texts, texts),
    ruleset=texts,
    params_digest=blobs,
    key_ids=st.lists(texts, max_size=3).map(tuple),
    time_us=i64,
)
bodies = st.builds(
    r.Body,
    actor=texts,
    on_behalf_of=texts,
    authority=texts,
    cause=st.none() | st.builds(r.Cause, texts, st.integers(0, 2**64 - 1)),
    command_id=texts,
    request_digest=blobs,
    command=blobs,
    events=st.lists(blobs, max_size=3).map(tuple),
)
seats = st.lists(st.integers(-(2**31), 2**31 - 1), max_size=4).map(tuple)
closings = st.builds(
    r.BoardClosing,
    round=u32,
    board=u32,
    attempt=u32,
    unfinished=st.booleans(),
    scores=seats,
    thinking_us=st.lists(i64, max_size=4).map(tuple),
    taken_over=st.lists(u32, max_size=4).map(tuple),
    playing_us=st.lists(i64, max_size=4).map(tuple),
    people=st.lists(texts, max_size=4).map(tuple),
)
records = st.builds(
    r.Record, header=headers, content=blobs, sealed=st.booleans(), closing=st.none() | closings
)


def chain(length: int, subject: str = SUBJECT, first_sequence: int = 1) -> list[r.Stored]:
    """A subject's records, versions 1 to `length`, with consecutive stream sequences."""
    head, stored = r.START, []
    for number in range(length):
        header = r.Header(
            subject=subject,
            version=head.version + 1,
            prev_hash=head.hash,
            epoch="e2026",
            writer=r.Writer("table", "r1", "0.1.0"),
            ruleset="",
            params_digest=b"",
            key_ids=(),
            time_us=r.record_time(head, 1_000_000),
        )
        body = r.Body("p-1", "", "", None, f"c{number}", b"", b"command", (b"event",))
        data = r.encode(r.Record(header, r.encode_body(body), sealed=False))
        stored.append(r.Stored("TABLE-e2026-3", first_sequence + number, subject, data))
        head = r.next_head(head, data, first_sequence + number, header.time_us)
    return stored


@given(records)
def test_decode_inverts_encode(record: r.Record) -> None:
    assert r.decode(r.encode(record)) == record


@given(bodies)
def test_body_survives_serialising(body: r.Body) -> None:
    assert r.decode_body(r.encode_body(body)) == body


@given(st.binary(max_size=1000), st.integers(1, 2**40))
def test_open_inverts_seal(body: bytes, version: int) -> None:
    sealed = r.seal(KEY, NONCE, SUBJECT, version, body)
    assert r.open_sealed(KEY, SUBJECT, version, sealed) == body
    assert (len(sealed) - 12 - 16) % 256 == 0


@pytest.mark.parametrize(("length", "padded"), [(0, 256), (255, 256), (256, 512), (511, 512), (512, 768)])
def test_padding_goes_up_in_steps_of_256(length: int, padded: int) -> None:
    body = bytes(length)
    sealed = r.seal(KEY, NONCE, SUBJECT, 1, body)
    assert len(sealed) == 12 + padded + 16
    assert r.open_sealed(KEY, SUBJECT, 1, sealed) == body


@given(st.data())
def test_a_sealed_body_opens_only_whole_and_in_its_place(data: st.DataObject) -> None:
    sealed = bytearray(r.seal(KEY, NONCE, SUBJECT, 7, b"body"))
    index = data.draw(st.integers(0, len(sealed) - 1))
    sealed[index] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(r.WrongKey):
        r.open_sealed(KEY, SUBJECT, 7, bytes(sealed))


def test_a_sealed_body_is_bound_to_key_subject_and_version() -> None:
    sealed = r.seal(KEY, NONCE, SUBJECT, 7, b"body")
    for key, subject, version in [(bytes(32), SUBJECT, 7), (KEY, SUBJECT + "0", 7), (KEY, SUBJECT, 8)]:
        with pytest.raises(r.WrongKey):
            r.open_sealed(key, subject, version, sealed)


@pytest.mark.parametrize("length", [0, 27, 28, 283, 285])
def test_what_cannot_be_a_sealed_body_is_malformed(length: int) -> None:
    with pytest.raises(Malformed):
        r.open_sealed(KEY, SUBJECT, 1, bytes(length))


def test_body_of_needs_the_key_of_a_sealed_record() -> None:
    record = r.decode(chain(1)[0].data)
    body = r.body_of(record)
    header = record.header
    sealed = r.Record(header, r.seal(KEY, NONCE, header.subject, header.version, record.content), sealed=True)
    assert r.body_of(sealed, KEY) == body
    with pytest.raises(r.WrongKey, match="is sealed"):
        r.body_of(sealed)


def test_a_record_above_512_kib_is_rejected() -> None:
    record = r.decode(chain(1)[0].data)
    with pytest.raises(Rejected) as caught:
        r.encode(record._replace(content=bytes(r.MAX_RECORD)))
    assert caught.value.reason == "RECORD_TOO_LARGE"


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x12\x00", b"\x0a\x00\x12\x00"])
def test_bytes_without_header_writer_and_content_are_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        r.decode(data)


def test_record_time_never_stands_still() -> None:
    head = r.Head(3, 9, bytes(32), 1_000)
    assert r.record_time(head, 5_000) == 5_000
    assert r.record_time(head, 1_000) == 1_001
    assert r.record_time(head, 0) == 1_001


def codes(findings: list[r.Finding]) -> list[tuple[str, int, str]]:
    return [(finding.subject, finding.version, finding.code) for finding in findings]


def test_a_whole_chain_has_no_findings_and_ends_in_its_head() -> None:
    stored = chain(5)
    heads, findings = r.verify_chain(stored)
    assert findings == []
    head = r.GENESIS
    for one in stored:
        head = r.record_hash(head, one.data)
    assert heads == {SUBJECT: r.Head(5, 5, head, 1_000_004)}


def test_interleaved_subjects_are_followed_apart() -> None:
    other = "fupan.e2026.table.3.cup.t-1-2"
    mixed = [one for pair in zip(chain(3), chain(3, other, 10), strict=True) for one in pair]
    heads, findings = r.verify_chain(mixed)
    assert findings == []
    assert {subject: head.version for subject, head in heads.items()} == {SUBJECT: 3, other: 3}


def test_a_dropped_record_is_found_where_it_is_missing() -> None:
    stored = chain(5)
    del stored[2]
    _, findings = r.verify_chain(stored)
    assert codes(findings) == [(SUBJECT, 4, "WRONG_VERSION")]
    assert "version 4 stands where version 3 was due" in str(findings[0])


def test_swapped_records_are_both_named() -> None:
    stored = chain(5)
    stored[2], stored[3] = stored[3], stored[2]
    _, findings = r.verify_chain(stored)
    assert {(f.version, f.code) for f in findings} >= {(4, "WRONG_VERSION"), (3, "WRONG_VERSION")}


def test_a_record_put_under_another_subject_is_found() -> None:
    stored = chain(1)[0]._replace(subject="fupan.e2026.table.3.cup.t-1-9")
    _, findings = r.verify_chain([stored])
    assert codes(findings) == [("fupan.e2026.table.3.cup.t-1-9", 1, "WRONG_SUBJECT")]


def test_a_chain_that_does_not_start_from_genesis_is_found() -> None:
    record = r.decode(chain(1)[0].data)
    header = record.header._replace(prev_hash=bytes([1] * 32))
    stored = r.Stored("S", 1, SUBJECT, r.encode(record._replace(header=header)))
    _, findings = r.verify_chain([stored])
    assert codes(findings) == [(SUBJECT, 1, "BROKEN_CHAIN")]


@given(st.data())
def test_any_flipped_bit_before_the_last_record_breaks_the_chain(data: st.DataObject) -> None:
    stored = chain(4)
    at = data.draw(st.integers(0, 2))
    altered = bytearray(stored[at].data)
    altered[data.draw(st.integers(0, len(altered) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    stored[at] = stored[at]._replace(data=bytes(altered))
    _, findings = r.verify_chain(stored)
    assert findings
    assert all(f.subject == SUBJECT for f in findings)


@given(records, bodies)
def test_an_outline_says_what_the_whole_record_says(record: r.Record, body: r.Body) -> None:
    record = record._replace(content=r.encode_body(body))
    data = r.encode(record)
    if record.sealed and not record.header.key_ids:
        with pytest.raises(Malformed):
            r.outline(data)
        return
    told = r.outline(data)
    assert told == r.outlined(r.decode(data))
    meta, events = r.meta_of(record.header.subject, told, told.content)
    assert tuple(events) == body.events
    assert (meta.version, meta.time_us) == (record.header.version, record.header.time_us)
    assert (meta.actor, meta.on_behalf_of, meta.authority) == (body.actor, body.on_behalf_of, body.authority)
    assert meta.command_id == body.command_id
    assert (meta.cause is None) == (body.cause is None)


def test_a_trace_makes_no_record_another() -> None:
    told, plain = r.Stored("S", 1, "a.b", b"x", "00-trace"), r.Stored("S", 1, "a.b", b"x")
    assert told == plain
    assert not told != plain  # noqa: SIM202  # a tuple has an answer of its own
    assert len({told, plain}) == 1
    assert told != r.Stored("S", 1, "a.b", b"y", "00-trace")
