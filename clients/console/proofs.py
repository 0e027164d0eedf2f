"""What the console checks by itself of what it shows: deals against what was committed to, and the seal's signature.

It takes the services' word for nothing here, but for what was committed to: who wants to doubt that too has `fupan audit verify`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grpc.aio import AioRpcError

from clients import boards
from clients.boards.replays import Replay
from clients.console.services import Services
from fupan.dealer.v1 import events_pb2 as events
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import service_pb2 as pairing
from services.domain import fold
from services.games import registry
from services.ledger import dealing, keys, merkle, seals


@dataclass(frozen=True, slots=True)
class Dealt:
    """A board's leaf and the root it is to lie under. `batch` is the one that committed to that root, None for none;
    `cards` whether the hands shown are dealt from the leaf, None where no whole deal is shown."""

    leaf: bytes
    root: bytes
    batch: int | None
    included: bool
    cards: bool | None = None

    @property
    def good(self) -> bool:
        """Whether nothing speaks against it."""
        return self.batch is not None and self.included and self.cards is not False


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of commitments: how many of its leaves are revealed; `fits` whether all of them make its root, None until all are."""

    told: events.DealsCommitted
    revealed: int
    leaves: int
    fits: bool | None


async def dealt(
    services: Services,
    championship: str,
    path: events.BoardPath,
    replay: Replay | None = None,
    settings: Any = None,
) -> Dealt | None:
    """What speaks for a board's deal; with its replay whether that shows it. None before it is revealed, and while the dealer
    is away: the page has more to show."""
    asked = dealer.VerifyDealRequest(championship=championship, path=path)
    about = dealer.GetCommitmentsRequest(championship=championship)
    try:
        proof = await services.ask(services.dealer.VerifyDeal, asked)
        committed = await services.ask(services.dealer.GetCommitments, about)
    except AioRpcError:
        return None
    shown = None if replay is None else _shows(replay, path, proof, settings)
    return check(path, proof, committed.batches, shown)


def check(
    path: events.BoardPath,
    proof: dealer.VerifyDealResponse,
    batches: Sequence[events.DealsCommitted],
    cards: bool | None = None,
) -> Dealt:
    """Whether a proof shows that a board's leaf was committed to."""
    entry = merkle.entry(_text(path), proof.leaf)
    included = merkle.included(proof.merkle_root, entry, proof.index, proof.size, proof.proof)
    batch = next((one.batch for one in batches if one.merkle_root == proof.merkle_root), None)
    return Dealt(proof.leaf, proof.merkle_root, batch, included, cards)


def batches(told: dealer.GetCommitmentsResponse) -> list[Batch]:
    """Every batch, its root made again from its leaves once all are revealed."""
    known = {_text(one.path): one.leaf for one in told.revealed}
    known |= {dealing.draw_path(one.name): one.leaf for one in told.draws}
    made = []
    for one in told.batches:
        paths = [*map(_text, one.boards), *map(dealing.draw_path, one.draws)]
        entries = [merkle.entry(path, known[path]) for path in paths if path in known]
        fits = merkle.root(entries) == one.merkle_root if len(entries) == len(paths) else None
        made.append(Batch(one, len(entries), len(paths), fits))
    return made


def sealed(championship: str, told: pairing.GetChampionshipResponse) -> bool:
    """Whether the seal is signed by the key that it names."""
    seal = told.seal
    message = seals.championship_seal(f"fupan.{told.epoch}.pairing.{championship}", seal.root)
    named = keys.fingerprint(seal.public_key) == seal.key
    return named and keys.signed(seal.public_key, seal.signature, message)


def _text(path: events.BoardPath) -> str:
    return dealing.board_path(path.round, path.board, path.attempt, path.match)


def _shows(
    replay: Replay, path: events.BoardPath, proof: dealer.VerifyDealResponse, settings: Any
) -> bool | None:
    """Whether a replay begins with the hands that the leaf deals; None where the deal depends on more than the leaf, or is not
    whole at its first step."""
    rules = registry.find(settings.ruleset)
    first = [boards.record(view) or {} for view in replay.steps[0].views]
    if path.match or any(one.get("drawn", 100) < 100 for one in first):
        return None
    deal = dealing.deal(proof.leaf, _text(path), proof.entropy, rules.deck)
    state = rules.start(rules.resolve(json.loads(settings.params or "{}")), path.board, deal)
    state = fold(rules.evolve, state, rules.opening(state))
    made = {seat: boards.record(rules.view(state, seat)) or {} for seat in range(rules.seats)}
    return all(one["hand"] == made[one["seat"]]["hand"] for one in first)
