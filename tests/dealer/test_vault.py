from __future__ import annotations

import os
from pathlib import Path

import pytest

from services.dealer import model as m
from services.dealer.vault import Vault
from services.ledger import dealing, keys, merkle
from services.runtime.config import ConfigError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dealer.key").write_bytes(os.urandom(32))
    return tmp_path


def created(command: m.CreateSecret) -> m.SecretCreated:
    return m.SecretCreated(command.commitment, command.key_id, command.sealed_secret, command.demo)


def test_a_secret_is_512_bits_from_the_system_and_lies_encrypted(folder: Path) -> None:
    vault = Vault.of(folder)
    one, other = vault.create("cup", None), vault.create("cup", None)
    assert one.commitment != other.commitment
    assert not one.demo
    # A vault that starts anew opens it with the key alone.
    master = Vault.of(folder).master("cup", created(one))
    assert len(master) == dealing.MASTER == 64
    assert dealing.commitment(master) == one.commitment
    assert master not in one.sealed_secret


def test_a_seeded_secret_is_always_the_same_and_marked(folder: Path) -> None:
    vault = Vault.of(folder)
    one, other = vault.create("cup", 7), vault.create("cup", 7)
    assert one.demo
    assert one.commitment == other.commitment != vault.create("other", 7).commitment


def test_a_former_key_still_opens_and_the_new_one_locks(folder: Path) -> None:
    before = Vault.of(folder).create("cup", None)
    (folder / "dealer.key").rename(folder / "dealer-2025.key")
    (folder / "dealer.key").write_bytes(os.urandom(32))
    rotated = Vault.of(folder)
    assert dealing.commitment(rotated.master("cup", created(before))) == before.commitment
    after = rotated.create("cup", None)
    assert after.key_id != before.key_id
    (folder / "dealer-2025.key").unlink()
    with pytest.raises(keys.UnknownKey):
        Vault.of(folder).master("cup", created(before))


def test_a_secret_of_one_championship_does_not_open_as_anothers(folder: Path) -> None:
    vault = Vault.of(folder)
    with pytest.raises(keys.SealBroken):
        vault.master("other", created(vault.create("cup", None)))


def test_every_leaf_has_a_proof_under_its_batchs_root(folder: Path) -> None:
    vault = Vault.of(folder)
    secret = created(vault.create("cup", None))
    boards = tuple(m.BoardPath(1, number, 1) for number in range(1, 6))
    paths = m.DealsCommitted(1, "boards", b"", boards, ("round-1",)).paths()
    batch = m.DealsCommitted(1, "boards", vault.root("cup", secret, paths), boards, ("round-1",))
    for path in paths:
        proof = vault.proof("cup", secret, batch, path)
        entry = merkle.entry(path, vault.leaf("cup", secret, path))
        assert merkle.included(batch.merkle_root, entry, proof.index, proof.size, proof.siblings)


def test_a_dealer_without_its_key_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"dealer\.key"):
        Vault.of(tmp_path)


def test_an_appeals_key_opens_what_is_sealed_to_it(folder: Path) -> None:
    command = Vault.of(folder).create_appeal_key("cup", "a-1")
    box = keys.seal_box(command.public_key, os.urandom(32), b"context", b"vote")
    event = m.AppealKeyCreated("a-1", command.public_key, command.key_id, command.sealed_private_key)
    private = Vault.of(folder).appeal_key("cup", event)
    assert keys.open_box(private, b"context", box) == b"vote"
