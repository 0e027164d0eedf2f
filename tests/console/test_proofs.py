"""What the console checks by itself: a deal that was not committed to, other cards, another's signature are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clients.boards.replays import Head, Replay, Step
from clients.console import proofs
from fupan.dealer.v1 import events_pb2 as events
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import events_pb2, service_pb2
from services.domain import fold
from services.games import registry
from services.ledger import dealing, keys, merkle, seals

MASTER = bytes(range(64))
PATHS = [events.BoardPath(round=1, board=number, attempt=1) for number in (1, 2, 3)]
LEAVES = [dealing.leaf(MASTER, "cup", f"1/{number}/1") for number in (1, 2, 3)]
TREE = merkle.Tree(merkle.entry(f"1/{number}/1", leaf) for number, leaf in enumerate(LEAVES, 1))
BATCH = events.DealsCommitted(batch=1, merkle_root=TREE.root, boards=PATHS)
PROOF = dealer.VerifyDealResponse(leaf=LEAVES[1], proof=TREE.proof(1), index=1, size=3, merkle_root=TREE.root)
RULES = registry.find("paohuzi/competitive-2017")
SETTINGS = events_pb2.Settings(ruleset=RULES.id)


def _replay(leaf: bytes) -> Replay:
    """A board dealt from a leaf, as its first step shows it."""
    deal = dealing.deal(leaf, "1/2/1", b"", RULES.deck)
    state = RULES.start(RULES.resolve({}), 2, deal)
    state = fold(RULES.evolve, state, RULES.opening(state))
    views = tuple(RULES.view(state, seat) for seat in range(3))
    step = Step(1, 1, None, "", False, 0, "", None, (), views)
    return Replay(Head("cup", "r1-t1", 2, 1, "paohuzi"), (step,))


def test_a_leaf_under_a_root_that_was_committed_to_is_good() -> None:
    told = proofs.check(PATHS[1], PROOF, [BATCH])
    assert (told.good, told.batch, told.leaf) == (True, 1, LEAVES[1])


@pytest.mark.parametrize("field", ["leaf", "merkle_root"])
def test_another_leaf_or_root_is_told(field: str) -> None:
    forged = dealer.VerifyDealResponse()
    forged.CopyFrom(PROOF)
    setattr(forged, field, bytes(32))
    assert not proofs.check(PATHS[1], forged, [BATCH]).good
    assert not proofs.check(PATHS[0], PROOF, [BATCH]).good
    assert not proofs.check(PATHS[1], PROOF, []).good


def test_cards_that_the_leaf_does_not_deal_are_told() -> None:
    assert proofs._shows(_replay(LEAVES[1]), PATHS[1], PROOF, SETTINGS) is True
    shows = proofs._shows(_replay(LEAVES[0]), PATHS[1], PROOF, SETTINGS)
    assert shows is False
    assert not proofs.check(PATHS[1], PROOF, [BATCH], shows).good


def test_a_batch_is_made_again_once_all_its_leaves_are_revealed() -> None:
    revealed = [events.BoardRevealed(path=path, leaf=leaf) for path, leaf in zip(PATHS, LEAVES, strict=True)]
    told = dealer.GetCommitmentsResponse(batches=[BATCH], revealed=revealed[:2])
    (batch,) = proofs.batches(told)
    assert (batch.revealed, batch.leaves, batch.fits) == (2, 3, None)
    told.revealed.append(revealed[2])
    assert proofs.batches(told)[0].fits is True
    told.revealed[2].leaf = bytes(32)
    assert proofs.batches(told)[0].fits is False


def test_a_seal_is_signed_by_the_key_that_it_names() -> None:
    private, root = bytes(32), bytes(range(32))
    public = keys.signing_public_key(private)
    seal = events_pb2.ChampionshipSealed(
        root=root,
        signature=keys.sign(private, seals.championship_seal("fupan.e1.pairing.cup", root)),
        key=keys.fingerprint(public),
        public_key=public,
    )
    told = service_pb2.GetChampionshipResponse(epoch="e1", seal=seal)
    assert proofs.sealed("cup", told)
    assert not proofs.sealed("other", told)
    told.seal.key = keys.fingerprint(bytes(32))
    assert not proofs.sealed("cup", told)


def test_one_seats_knowledge_is_compared_with_its_own_hand() -> None:
    whole = _replay(LEAVES[1])
    (first,) = whole.steps
    alone = replace(whole, head=replace(whole.head, seat=1), steps=(replace(first, views=first.views[1:2]),))
    assert proofs._shows(alone, PATHS[1], PROOF, SETTINGS) is True
