"""Secrets in the clear: in memory, in the dealer only. In the log they lie encrypted under the dealer's key."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from services.dealer import model as m
from services.ledger import dealing, keys, merkle
from services.runtime.config import ConfigError
from services.runtime.identity import secret_key


@dataclass(frozen=True, slots=True)
class Proof:
    """A leaf's place under its batch's root."""

    index: int
    size: int
    siblings: tuple[bytes, ...]
    root: bytes


class Vault:
    """Creates, keeps and opens secrets. Keys by id; the newest one locks, all of them open, so that keys can be rotated."""

    def __init__(self, keyring: Mapping[str, bytes], current: str) -> None:
        self._keyring = keyring
        self._current = current
        self._masters: dict[bytes, bytes] = {}
        self._trees: dict[bytes, merkle.Tree] = {}

    @classmethod
    def of(cls, keys_dir: Path) -> Vault:
        """`dealer.key` locks and opens; former keys `dealer-<any>.key` open. Raises ConfigError."""
        names = sorted(path.stem for path in keys_dir.glob("dealer*.key"))
        if "dealer" not in names:
            raise ConfigError(
                "FUPAN_KEYS_DIR holds no dealer.key: 32 random bytes that encrypt the dealer's secrets"
            )
        keyring = {_key_id(key): key for key in (secret_key(keys_dir, name) for name in names)}
        return cls(keyring, _key_id(secret_key(keys_dir, "dealer")))

    # Master secrets

    def create(self, championship: str, seed: int | None) -> m.CreateSecret:
        """A new master secret; from `seed` in the demo, which proves nothing and is marked so."""
        if seed is None:
            master = os.urandom(dealing.MASTER)
        else:
            master = hashlib.sha512(f"fupan demo {seed} {championship}".encode()).digest()
        sealed = self._lock(_master_context(championship), master)
        return m.CreateSecret(dealing.commitment(master), self._current, sealed, seed is not None)

    def master(self, championship: str, secret: m.SecretCreated) -> bytes:
        """The master secret, opened. Raises ledger.keys.UnknownKey, SealBroken."""
        found = self._masters.get(secret.sealed_secret)
        if found is None:
            found = keys.unlock(
                self._keyring, secret.key_id, _master_context(championship), secret.sealed_secret
            )
            self._masters[secret.sealed_secret] = found
        return found

    def leaf(self, championship: str, secret: m.SecretCreated, path: str) -> bytes:
        """The leaf of a path."""
        return dealing.leaf(self.master(championship, secret), championship, path)

    # Commitments

    def root(self, championship: str, secret: m.SecretCreated, paths: tuple[str, ...]) -> bytes:
        """The Merkle root over the leaves of `paths`, in order."""
        return self._tree(championship, secret, paths).root

    def proof(self, championship: str, secret: m.SecretCreated, batch: m.DealsCommitted, path: str) -> Proof:
        """The proof that a path's leaf stands under its batch's root."""
        paths = batch.paths()
        tree = self._trees.get(batch.merkle_root)
        if tree is None:
            tree = self._trees[batch.merkle_root] = self._tree(championship, secret, paths)
        index = paths.index(path)
        return Proof(index, tree.size, tree.proof(index), tree.root)

    def _tree(self, championship: str, secret: m.SecretCreated, paths: tuple[str, ...]) -> merkle.Tree:
        return merkle.Tree(merkle.entry(path, self.leaf(championship, secret, path)) for path in paths)

    # Keys of appeals

    def create_appeal_key(self, championship: str, appeal: str) -> m.CreateAppealKey:
        """A new X25519 key for an appeal's ballots."""
        private = os.urandom(keys.KEY)
        sealed = self._lock(_appeal_context(championship, appeal), private)
        return m.CreateAppealKey(appeal, keys.box_public_key(private), self._current, sealed)

    def appeal_key(self, championship: str, created: m.AppealKeyCreated) -> bytes:
        """The private key of an appeal."""
        context = _appeal_context(championship, created.appeal)
        return keys.unlock(self._keyring, created.key_id, context, created.sealed_private_key)

    def _lock(self, context: bytes, secret: bytes) -> bytes:
        return keys.lock(self._keyring[self._current], os.urandom(keys.NONCE), context, secret)


def _key_id(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()[:16]


def _master_context(championship: str) -> bytes:
    return f"fupan master {championship}".encode()


def _appeal_context(championship: str, appeal: str) -> bytes:
    return f"fupan appeal {championship} {appeal}".encode()
