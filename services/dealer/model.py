"""What the dealer has promised and told: secrets, committed batches, reveals, keys held in trust.

Names and fields as in `protos/fupan/dealer/v1/events.proto`. Commands carry what the service drew or derived (ciphertexts, roots,
leaves), so that deciding stays pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

PURPOSES = ("boards", "draw", "redeal", "replay", "playoff", "match")


@dataclass(frozen=True, slots=True)
class BoardPath:
    """One deal: a board of a round in its nth attempt, all from 1; of a match with the table that plays it."""

    round: int
    board: int
    attempt: int
    match: str = ""

    def __str__(self) -> str:
        deal = f"{self.board}/{self.attempt}"
        return f"{self.round}/{self.match}/{deal}" if self.match else f"{self.round}/{deal}"


# Events


@dataclass(frozen=True, slots=True)
class SecretCreated:
    """A championship's master secret, encrypted at rest, and its public commitment."""

    commitment: bytes
    key_id: str
    sealed_secret: bytes
    demo: bool


@dataclass(frozen=True, slots=True)
class DealsCommitted:
    """Leaves that are fixed from here on, under one Merkle root: boards, then draws."""

    batch: int
    purpose: str
    merkle_root: bytes
    boards: tuple[BoardPath, ...]
    draws: tuple[str, ...]

    def paths(self) -> tuple[str, ...]:
        """Paths of all leaves, in the order of the tree."""
        return (*map(str, self.boards), *(f"draw/{name}" for name in self.draws))


@dataclass(frozen=True, slots=True)
class EntropyNamed:
    """A public source for a batch, named before it speaks."""

    batch: int
    source: str


@dataclass(frozen=True, slots=True)
class EntropyDrawn:
    """What the source gave."""

    batch: int
    value: bytes


@dataclass(frozen=True, slots=True)
class DrawRevealed:
    """The leaf of a draw."""

    name: str
    leaf: bytes
    entrants_digest: bytes
    batch: int


@dataclass(frozen=True, slots=True)
class BoardRevealed:
    """The leaf of a board that is closed everywhere."""

    path: BoardPath
    leaf: bytes
    batch: int


@dataclass(frozen=True, slots=True)
class SecretRevealed:
    """The master secret, when the championship is sealed."""

    secret: bytes


@dataclass(frozen=True, slots=True)
class AppealKeyCreated:
    """The key that the ballots of one panel are encrypted to."""

    appeal: str
    public_key: bytes
    key_id: str
    sealed_private_key: bytes


@dataclass(frozen=True, slots=True)
class AppealKeyReleased:
    """The private key, once voting has closed. `public_key`: which it is; empty in older records, the newest of the appeal."""

    appeal: str
    private_key: bytes
    public_key: bytes


@dataclass(frozen=True, slots=True)
class BoardOpenedToPanel:
    """A board shown to a panel before its reveal: to these and nobody else of that appeal from here on."""

    appeal: str
    path: BoardPath
    panel: tuple[str, ...]


Event = (
    SecretCreated
    | DealsCommitted
    | EntropyNamed
    | EntropyDrawn
    | DrawRevealed
    | BoardRevealed
    | SecretRevealed
    | AppealKeyCreated
    | AppealKeyReleased
    | BoardOpenedToPanel
)

# Commands


@dataclass(frozen=True, slots=True)
class CreateSecret:
    """Create the championship's secret, once."""

    commitment: bytes
    key_id: str
    sealed_secret: bytes
    demo: bool


@dataclass(frozen=True, slots=True)
class CommitDeals:
    """Commit the leaves of boards and draws."""

    purpose: str
    boards: tuple[BoardPath, ...]
    draws: tuple[str, ...]
    merkle_root: bytes


@dataclass(frozen=True, slots=True)
class NameEntropy:
    """Name a batch's source of entropy."""

    batch: int
    source: str


@dataclass(frozen=True, slots=True)
class DrawEntropy:
    """Enter what the source gave."""

    batch: int
    value: bytes


@dataclass(frozen=True, slots=True)
class RevealDraw:
    """Reveal a draw's leaf."""

    name: str
    entrants_digest: bytes
    leaf: bytes


@dataclass(frozen=True, slots=True)
class RevealBoard:
    """Reveal a board's leaf."""

    path: BoardPath
    leaf: bytes


@dataclass(frozen=True, slots=True)
class RevealSecret:
    """Reveal the master secret."""

    secret: bytes


@dataclass(frozen=True, slots=True)
class CreateAppealKey:
    """Create the key of one panel."""

    appeal: str
    public_key: bytes
    key_id: str
    sealed_private_key: bytes


@dataclass(frozen=True, slots=True)
class ReleaseAppealKey:
    """Release the private key of a panel that has voted."""

    appeal: str
    private_key: bytes
    public_key: bytes


@dataclass(frozen=True, slots=True)
class OpenBoardToPanel:
    """Show an unrevealed board to a panel."""

    appeal: str
    path: BoardPath
    panel: tuple[str, ...]


Command = (
    CreateSecret
    | CommitDeals
    | NameEntropy
    | DrawEntropy
    | RevealDraw
    | RevealBoard
    | RevealSecret
    | CreateAppealKey
    | ReleaseAppealKey
    | OpenBoardToPanel
)

# State


def _none() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Dealings:
    """The fold of one championship's events.

    `batch_of`: batch by path; `sources` and `entropies` by batch; `revealed` by path; `draws` by name; `appeal_keys`: by
    appeal and public key, in order, `released` those that are public; `panels`: who sees an unrevealed board, by appeal and path.
    """

    secret: SecretCreated | None = None
    batches: tuple[DealsCommitted, ...] = ()
    batch_of: Mapping[str, int] = field(default_factory=_none)
    sources: Mapping[int, str] = field(default_factory=_none)
    entropies: Mapping[int, bytes] = field(default_factory=_none)
    draws: Mapping[str, DrawRevealed] = field(default_factory=_none)
    revealed: Mapping[BoardPath, BoardRevealed] = field(default_factory=_none)
    secret_revealed: bool = False
    appeal_keys: Mapping[tuple[str, bytes], AppealKeyCreated] = field(default_factory=_none)
    released: frozenset[tuple[str, bytes]] = frozenset()
    panels: Mapping[tuple[str, BoardPath], tuple[str, ...]] = field(default_factory=_none)

    def batch(self, number: int) -> DealsCommitted | None:
        """The batch of that number (from 1)."""
        return self.batches[number - 1] if 1 <= number <= len(self.batches) else None

    def entropy_of(self, batch: int) -> bytes | None:
        """The public entropy of a batch; empty where none was named, None while it is named but not drawn."""
        return self.entropies.get(batch, None if batch in self.sources else b"")
