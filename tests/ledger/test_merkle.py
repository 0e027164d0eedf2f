"""Merkle trees against RFC 6962's own definition and vectors."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ledger import merkle
from tests.ledger import outsider

entries = st.lists(st.binary(max_size=8), min_size=1, max_size=70)

# The vectors of the Certificate Transparency project (also in RFC 9162's reference code).
CT = [b"", b"\x00", b"\x10", b"\x20\x21", b"\x30\x31", b"@ABC", b"PQRSTUVW", b"`abcdefghijklmno"]
CT_ROOTS = {
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


def test_roots_of_certificate_transparency() -> None:
    assert {size: merkle.root(CT[:size]).hex() for size in CT_ROOTS} == CT_ROOTS


def test_the_root_of_nothing() -> None:
    assert merkle.root([]) == sha256(b"").digest()
    with pytest.raises(IndexError):
        merkle.Tree([]).proof(0)


@given(entries)
def test_the_root_is_the_definition_of_rfc_6962(data: list[bytes]) -> None:
    assert merkle.root(data) == outsider.root(data)


@given(entries)
def test_every_entry_has_a_proof(data: list[bytes]) -> None:
    tree = merkle.Tree(data)
    for index, one in enumerate(data):
        assert merkle.included(tree.root, one, index, tree.size, tree.proof(index))


@given(entries, st.data())
def test_a_proof_proves_nothing_else(data: list[bytes], draw: st.DataObject) -> None:
    tree = merkle.Tree(data)
    index = draw.draw(st.integers(0, len(data) - 1))
    proof = tree.proof(index)
    assert not merkle.included(tree.root, data[index] + b"x", index, tree.size, proof)
    assert not merkle.included(tree.root, data[index], index, tree.size, (*proof, bytes(32)))
    assert not merkle.included(bytes(32), data[index], index, tree.size, proof)
    assert not merkle.included(tree.root, data[index], tree.size, tree.size, proof)
    if proof:
        assert not merkle.included(tree.root, data[index], index, tree.size, proof[:-1])
    other = draw.draw(st.integers(0, len(data) - 1))
    if data[other] != data[index]:
        assert not merkle.included(tree.root, data[index], other, tree.size, proof)
