"""Whether the dealer dealt what it had committed to, and the draw drew what it had to."""

from __future__ import annotations

from services.ledger import dealing, merkle
from services.ledger.audit.evidence import Batch, Entry, Evidence, Reveal
from services.ledger.audit.report import Tally
from services.ledger.auditfile import Proof


def check_commitments(evidence: Evidence, tally: Tally) -> None:
    """Every revealed leaf in the root of its batch, committed before; the secret, once revealed, gives them all."""
    dealings = evidence.dealings
    if not dealings.batches and not dealings.reveals:
        _undealt(evidence, tally)
        return
    leaves = dict(dealings.leaves())
    if dealings.master is not None:
        leaves |= _from_master(evidence, tally, *dealings.master)
    rooted = {batch.number for batch in dealings.batches.values() if _root_fits(batch, leaves)}
    proofs = {(proof.batch, proof.path): proof for proof in evidence.about.proofs}
    seen: dict[str, bytes] = {}
    for reveal in dealings.reveals:
        if seen.setdefault(reveal.path, reveal.leaf) != reveal.leaf:
            _wrong(tally, reveal.entry, "TWO_LEAVES", f"another leaf of {reveal.path} was revealed before")
        _check_reveal(tally, reveal, dealings.batches.get(reveal.batch), rooted, leaves, proofs)
    _check_pairings(evidence, tally)


def _undealt(evidence: Evidence, tally: Tally) -> None:
    """Nothing of the dealer's is in the file: only where nothing was dealt, as with real cards, or while something is being played,
    when a panel may judge a board that is open."""
    dealt = (entry for _, _, entries in evidence.of("table") for entry in entries if _by_the_dealer(entry))
    if not evidence.playing and (entry := next(dealt, None)) is not None:
        _wrong(
            tally, entry, "NO_DEALINGS", "the dealer's records are not in this file, and boards were dealt"
        )
    else:
        tally.missing.append("the dealer's records are not in this file")


def _by_the_dealer(entry: Entry) -> bool:
    return entry.sealed or any(event.kind == "board_dealt" for event in entry.events)


def _from_master(evidence: Evidence, tally: Tally, master: bytes, entry: Entry) -> dict[str, bytes]:
    """Every committed leaf, derived from the revealed secret; a revealed one must be the same."""
    dealings = evidence.dealings
    if len(master) != dealing.MASTER or dealing.commitment(master) != dealings.commitment:
        _wrong(tally, entry, "WRONG_SECRET", "the secret is not the one that was committed to")
        return {}
    championship = evidence.about.championship
    derived = {
        path: dealing.leaf(master, championship, path)
        for batch in dealings.batches.values()
        for path in batch.paths
    }
    for reveal in dealings.reveals:
        if derived.get(reveal.path, reveal.leaf) != reveal.leaf:
            _wrong(
                tally, reveal.entry, "LEAF_NOT_OF_SECRET", f"the leaf of {reveal.path} is not the secret's"
            )
    for batch in dealings.batches.values():
        if not _root_fits(batch, derived):
            _wrong(tally, entry, "WRONG_ROOT", f"the root of batch {batch.number} is not that of its leaves")
    return derived


def _root_fits(batch: Batch, leaves: dict[str, bytes]) -> bool:
    if any(path not in leaves for path in batch.paths):
        return False
    return merkle.root(merkle.entry(path, leaves[path]) for path in batch.paths) == batch.root


def _check_reveal(
    tally: Tally,
    reveal: Reveal,
    batch: Batch | None,
    rooted: set[int],
    leaves: dict[str, bytes],
    proofs: dict[tuple[int, str], Proof],
) -> None:
    if batch is None or reveal.path not in batch.paths or batch.version >= reveal.entry.version:
        _wrong(tally, reveal.entry, "NOT_COMMITTED", f"{reveal.path} was not committed to before")
        return
    if 0 < batch.drawn < batch.version or (batch.drawn and not batch.version <= batch.named < batch.drawn):
        _wrong(tally, reveal.entry, "ENTROPY_ORDER", "the entropy was not named before it was drawn")
    proof = proofs.get((batch.number, reveal.path))
    if batch.number in rooted and leaves[reveal.path] == reveal.leaf:
        tally.done += 1
    elif proof is not None:
        tally.done += 1
        place = (batch.paths.index(reveal.path), len(batch.paths))
        entry = merkle.entry(reveal.path, reveal.leaf)
        fits = merkle.included(batch.root, entry, proof.index, proof.size, proof.siblings)
        if (proof.index, proof.size) != place or not fits:
            _not_in_root(tally, reveal)
    elif all(path in leaves for path in batch.paths):
        tally.done += 1
        _not_in_root(tally, reveal)
    else:
        tally.missing.append(f"batch {batch.number} is not revealed whole and the file has no proof")


def _not_in_root(tally: Tally, reveal: Reveal) -> None:
    detail = f"the leaf of {reveal.path} is not in the root of batch {reveal.batch}"
    _wrong(tally, reveal.entry, "NOT_IN_ROOT", detail)


def _check_pairings(evidence: Evidence, tally: Tally) -> None:
    """A paired round carries the root of its deals: so they were fixed before anybody was seated."""
    for entry, event in evidence.events("pairing"):
        if event.kind != "round_paired" or not event.message.deals_batch:
            continue
        batch = evidence.dealings.batches.get(event.message.deals_batch)
        if batch is None:
            tally.missing.append(f"batch {event.message.deals_batch} of the dealer is not in this file")
        elif batch.root != event.message.deals_root:
            detail = f"round {event.message.round} was paired on another root than batch {batch.number}'s"
            _wrong(tally, entry, "OTHER_ROOT", detail)


def _wrong(tally: Tally, entry: Entry, code: str, detail: str) -> None:
    tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, code, detail)
