"""Who signed: every table's head, and the seal of the championship."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from services.ledger import keys, seals
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.report import Tally


class Origin:
    """Checks signatures and remembers whose they are; `trusted` are fingerprints given from outside, or none."""

    def __init__(self, evidence: Evidence, trusted: Collection[str]) -> None:
        self.signers: set[str] = set()
        self.unsigned: list[str] = []
        self._evidence = evidence
        self._tally = Tally("", "")
        self._trusted = trusted
        self._announced = {
            key
            for _, event in evidence.events("pairing")
            if event.kind == "championship_created"
            for key in event.message.trusted_keys
        }
        self._public = {keys.fingerprint(key): key for key in evidence.about.keys}
        self._sealed: dict[str, tuple[int, bytes]] = {}

    def check(self, tally: Tally) -> None:
        """Check every signature in the file."""
        self._tally = tally
        for subject, _, entries in self._evidence.of("table"):
            self._table(subject, entries)
        for entry, event in self._evidence.events("pairing"):
            if event.kind == "championship_sealed":
                self._championship(entry, event.message)
        self._tally.missing += [f"{subject} is not sealed yet" for subject in self.unsigned]
        if self._trusted and not self.signers:
            detail = "nothing in this file is signed, so that no key vouches for it"
            self._tally.wrong(self._evidence.about.id, 0, 0, "NOT_SIGNED", detail)

    def _table(self, subject: str, entries: list[Entry]) -> None:
        seal = None
        for before, entry in zip([None, *entries], entries, strict=False):
            for event in () if entry.decision else entry.events:
                if event.kind == "table_sealed":
                    seal = event.message
                    self._head(subject, before, entry, seal)
        if seal is None:
            self.unsigned.append(subject)
        else:
            self._sealed[subject] = (seal.head_version, seal.head)

    def _head(self, subject: str, before: Entry | None, entry: Entry, seal: Any) -> None:
        self._public.setdefault(keys.fingerprint(seal.public_key), seal.public_key)
        if before is None or (before.version, before.hash) != (seal.head_version, seal.head):
            self._wrong(entry, "WRONG_HEAD", "the signed head is not the hash of the record before")
        self._signature(entry, seal, seals.table_head(subject, seal.head_version, seal.head))

    def _championship(self, entry: Entry, seal: Any) -> None:
        if seal.public_key:
            self._public.setdefault(keys.fingerprint(seal.public_key), seal.public_key)
        self._signature(entry, seal, seals.championship_seal(entry.stored.subject, seal.root))
        evidence = self._evidence
        if evidence.about.kind != "championship" or self.unsigned:
            self._tally.missing.append(
                "the seal's root needs every table, ruling and publication in the file"
            )
            return
        heads = [(subject, version, head) for subject, (version, head) in self._sealed.items()]
        heads += [
            (one.stored.subject, one.version, one.hash)
            for one, event in evidence.events("appeals")
            if event.kind == "appeal_decided"
        ]
        standings = [
            (event.message.number, event.message.digest)
            for _, event in evidence.events("scoring")
            if event.kind == "standings_published"
        ]
        if seals.championship_root(heads, standings) != seal.root:
            self._wrong(
                entry, "WRONG_ROOT", "the seal's root is not that of the tables, rulings and standings"
            )

    def _signature(self, entry: Entry, seal: Any, message: bytes) -> None:
        public = self._public.get(seal.key)
        if public is None:
            self._tally.missing.append(f"the public key {seal.key} is not in the file")
            return
        self._tally.done += 1
        if not keys.signed(public, seal.signature, message):
            self._wrong(entry, "BAD_SIGNATURE", f"the signature is not one of key {seal.key}")
            return
        self.signers.add(seal.key)
        if self._announced and seal.key not in self._announced:
            self._wrong(entry, "KEY_NOT_ANNOUNCED", f"key {seal.key} was not announced for this championship")
        if self._trusted and seal.key not in self._trusted:
            self._wrong(entry, "KEY_NOT_TRUSTED", f"signed by {seal.key}, which is not a trusted key")

    def _wrong(self, entry: Entry, code: str, detail: str) -> None:
        self._tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, code, detail)
