"""Signatures, fingerprints, boxes that any HPKE library opens, secrets at rest."""

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from hypothesis import given
from hypothesis import strategies as st

from services.ledger import keys, seals

PRIVATE = bytes(range(32))
OTHER = bytes(range(1, 33))
SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
secrets = st.binary(min_size=32, max_size=32)


def test_a_signature_holds_for_its_message_and_key_only() -> None:
    public = keys.signing_public_key(PRIVATE)
    message = seals.table_head("fupan.e.table.0.cup.t-1", 12, bytes(32))
    signature = keys.sign(PRIVATE, message)
    assert keys.signed(public, signature, message)
    assert not keys.signed(public, signature, message + b"x")
    assert not keys.signed(keys.signing_public_key(OTHER), signature, message)
    assert not keys.signed(public, signature[:-1], message)
    assert not keys.signed(b"no key", signature, message)


def test_ed25519_is_the_one_of_rfc_8032() -> None:
    private = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert keys.signing_public_key(private).hex() == public
    assert keys.sign(private, b"").hex().startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974")


def test_fingerprints_are_shown_in_groups_and_read_back_however_typed() -> None:
    shown = keys.fingerprint(b"public key")
    assert len(shown.split("-")) == 16
    for typed in (shown, shown.upper(), shown.replace("-", ""), shown.replace("-", ":"), f" {shown}\n"):
        assert keys.parse_fingerprint(typed) == shown
    for wrong in ("", shown[:-1], shown + "0", shown[:-1] + "g"):
        with pytest.raises(ValueError, match="64 hex digits"):
            keys.parse_fingerprint(wrong)


@given(secrets, secrets, st.binary(max_size=50), st.binary(max_size=50))
def test_a_box_opens_with_its_key_and_context(
    private: bytes, ephemeral: bytes, context: bytes, plain: bytes
) -> None:
    box = keys.seal_box(keys.box_public_key(private), ephemeral, context, plain)
    assert keys.open_box(private, context, box) == plain
    with pytest.raises(keys.SealBroken):
        keys.open_box(private, context + b"x", box)


@given(st.binary(max_size=50), st.binary(max_size=50))
def test_any_hpke_library_opens_our_boxes_and_we_open_theirs(context: bytes, plain: bytes) -> None:
    public = keys.box_public_key(PRIVATE)
    ours = keys.seal_box(public, OTHER, context, plain)
    assert SUITE.decrypt(ours, X25519PrivateKey.from_private_bytes(PRIVATE), info=context) == plain
    theirs = SUITE.encrypt(plain, X25519PublicKey.from_public_bytes(public), info=context)
    assert keys.open_box(PRIVATE, context, theirs) == plain


@given(st.data())
def test_an_altered_box_does_not_open(data: st.DataObject) -> None:
    box = bytearray(keys.seal_box(keys.box_public_key(PRIVATE), OTHER, b"", b"uphold"))
    # The exchange ignores the last bit of an X25519 key (RFC 7748); HPKE binds it through its context.
    box[data.draw(st.integers(0, len(box) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(keys.SealBroken):
        keys.open_box(PRIVATE, b"", bytes(box))


@pytest.mark.parametrize("box", [b"", bytes(31), bytes(32), bytes(48), bytes(100)])
def test_what_is_no_box_does_not_open(box: bytes) -> None:
    with pytest.raises(keys.SealBroken):
        keys.open_box(PRIVATE, b"", box)


@given(st.binary(max_size=80), st.binary(max_size=20))
def test_a_secret_at_rest_opens_with_the_key_of_its_id(secret: bytes, context: bytes) -> None:
    locked = keys.lock(PRIVATE, bytes(12), context, secret)
    assert keys.unlock({"k1": PRIVATE, "k2": OTHER}, "k1", context, locked) == secret
    with pytest.raises(keys.SealBroken):
        keys.unlock({"k1": PRIVATE}, "k1", context + b"x", locked)
    with pytest.raises(keys.SealBroken, match="key k2"):
        keys.unlock({"k2": OTHER}, "k2", context, locked)
    with pytest.raises(keys.UnknownKey) as caught:
        keys.unlock({"k2": OTHER}, "k1", context, locked)
    assert caught.value.key_id == "k1"


def test_the_championship_root_does_not_depend_on_the_order_given() -> None:
    heads = [("s.b", 3, b"h1"), ("s.a", 12, b"h2")]
    standings = [(10, b"d10"), (9, b"d9")]
    root = seals.championship_root(heads, standings)
    assert root == seals.championship_root(reversed(heads), reversed(standings))
    assert root != seals.championship_root(heads, standings[:1])
    assert root != seals.championship_root([("s.b", 4, b"h1"), ("s.a", 12, b"h2")], standings)
