"""What the dealer may promise and tell, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from services.dealer import model as m
from services.dealer.model import Command, Dealings, Event
from services.domain import Meta, Rejected

K = TypeVar("K")
V = TypeVar("V")

INITIAL = Dealings()
MAX_LEAVES = 20_000
MAX_ENTROPY = 4_096


def initial(subject: str) -> Dealings:
    """A championship without a secret."""
    return INITIAL


def decide(state: Dealings, command: Command, meta: Meta) -> Sequence[Event]:
    """Events of an accepted command; none where it was done already. Raises Rejected."""
    decision: Callable[[Dealings, Any], Sequence[Event]] = _DECISIONS[type(command)]
    return decision(state, command)


def _create(state: Dealings, command: m.CreateSecret) -> Sequence[Event]:
    if state.secret is not None:
        return []
    return [m.SecretCreated(command.commitment, command.key_id, command.sealed_secret, command.demo)]


def _commit(state: Dealings, command: m.CommitDeals) -> Sequence[Event]:
    if state.secret is None:
        raise Rejected("NO_SECRET", "C6.1", "the championship has no secret yet")
    if state.secret_revealed:
        raise Rejected("SECRET_REVEALED", "C10.8", "the championship is sealed; nothing more is dealt")
    if command.purpose not in m.PURPOSES:
        raise Rejected("UNKNOWN_PURPOSE", "", f"a batch is for {', '.join(m.PURPOSES)}")
    batch = m.DealsCommitted(
        len(state.batches) + 1, command.purpose, command.merkle_root, command.boards, command.draws
    )
    check_paths(batch.paths())
    if any(path in state.batch_of for path in batch.paths()):
        raise Rejected("COMMITTED_ALREADY", "", "a leaf is committed once")
    if any(min(path.round, path.board, path.attempt) < 1 for path in command.boards):
        raise Rejected("WRONG_BATCH", "", "rounds, boards and attempts count from 1")
    if any((path.match != "") != (command.purpose == "match") for path in command.boards):
        raise Rejected("WRONG_BATCH", "", "deals of matches, and no others, are committed for a match")
    return [batch]


def check_paths(paths: Sequence[str]) -> None:
    """Whether these can be the leaves of one batch. Raises Rejected."""
    if not 1 <= len(paths) <= MAX_LEAVES:
        raise Rejected("WRONG_BATCH", "", f"a batch has 1 to {MAX_LEAVES} leaves")
    if len(set(paths)) != len(paths):
        raise Rejected("COMMITTED_ALREADY", "", "a leaf is committed once")


def _name(state: Dealings, command: m.NameEntropy) -> Sequence[Event]:
    batch = _batch(state, command.batch)
    if not command.source:
        raise Rejected("SOURCE_MISSING", "", "say where the entropy will come from")
    if batch.batch in state.sources:
        raise Rejected("ENTROPY_NAMED", "", "this batch has a source already")
    public = {one.batch for one in state.draws.values()} | {one.batch for one in state.revealed.values()}
    if batch.batch in public:
        raise batch_used()
    return [m.EntropyNamed(batch.batch, command.source)]


def batch_used() -> Rejected:
    """Entropy comes too late for a batch."""
    return Rejected("BATCH_USED", "", "a board of this batch is dealt, or a leaf of it public, already")


def _draw(state: Dealings, command: m.DrawEntropy) -> Sequence[Event]:
    batch = _batch(state, command.batch)
    if batch.batch not in state.sources:
        raise Rejected("ENTROPY_NOT_NAMED", "", "name the source first")
    if batch.batch in state.entropies:
        raise Rejected("ENTROPY_DRAWN", "", "this batch has its entropy already")
    if not 1 <= len(command.value) <= MAX_ENTROPY:
        raise Rejected("WRONG_ENTROPY", "", f"entropy has 1 to {MAX_ENTROPY} bytes")
    return [m.EntropyDrawn(batch.batch, command.value)]


def _batch(state: Dealings, number: int) -> m.DealsCommitted:
    batch = state.batch(number)
    if batch is None:
        raise Rejected("NO_SUCH_BATCH", "", f"there is no batch {number}")
    return batch


def _reveal_draw(state: Dealings, command: m.RevealDraw) -> Sequence[Event]:
    done = state.draws.get(command.name)
    if done is not None:
        if done.entrants_digest != command.entrants_digest:
            raise Rejected("DRAWN_ALREADY", "C6.1", "this draw was made for another list of entrants")
        return []
    batch = ready(state, f"draw/{command.name}")
    return [m.DrawRevealed(command.name, command.leaf, command.entrants_digest, batch)]


def _reveal_board(state: Dealings, command: m.RevealBoard) -> Sequence[Event]:
    if command.path in state.revealed:
        return []
    return [m.BoardRevealed(command.path, command.leaf, ready(state, str(command.path)))]


def ready(state: Dealings, path: str) -> int:
    """The batch of a leaf that may be used. Raises Rejected."""
    batch = state.batch_of.get(path)
    if batch is None:
        raise Rejected("NOT_COMMITTED", "", f"the leaf {path} was never committed")
    if state.entropy_of(batch) is None:
        raise Rejected("ENTROPY_MISSING", "", f"batch {batch} waits for its public entropy")
    return batch


def _reveal_secret(state: Dealings, command: m.RevealSecret) -> Sequence[Event]:
    return [] if state.secret_revealed else [m.SecretRevealed(command.secret)]


def _create_key(state: Dealings, command: m.CreateAppealKey) -> Sequence[Event]:
    return [
        m.AppealKeyCreated(command.appeal, command.public_key, command.key_id, command.sealed_private_key)
    ]


def _release_key(state: Dealings, command: m.ReleaseAppealKey) -> Sequence[Event]:
    key = command.appeal, command.public_key
    if key not in state.appeal_keys:
        raise Rejected("NO_APPEAL_KEY", "C10.4", "this appeal has no such key")
    if key in state.released:
        return []
    return [m.AppealKeyReleased(command.appeal, command.private_key, command.public_key)]


def _open(state: Dealings, command: m.OpenBoardToPanel) -> Sequence[Event]:
    ready(state, str(command.path))
    shown = state.panels.get((command.appeal, command.path), ())
    if command.path in state.revealed or shown == command.panel:
        return []
    return [m.BoardOpenedToPanel(command.appeal, command.path, command.panel)]


_DECISIONS: Mapping[type, Callable[[Dealings, Any], Sequence[Event]]] = {
    m.CreateSecret: _create,
    m.CommitDeals: _commit,
    m.NameEntropy: _name,
    m.DrawEntropy: _draw,
    m.RevealDraw: _reveal_draw,
    m.RevealBoard: _reveal_board,
    m.RevealSecret: _reveal_secret,
    m.CreateAppealKey: _create_key,
    m.ReleaseAppealKey: _release_key,
    m.OpenBoardToPanel: _open,
}


def evolve(state: Dealings, event: Event, meta: Meta) -> Dealings:
    """What was promised and told, after one event more."""
    match event:
        case m.SecretCreated():
            return replace(state, secret=event)
        case m.DealsCommitted():
            known = {**state.batch_of, **dict.fromkeys(event.paths(), event.batch)}
            return replace(state, batches=(*state.batches, event), batch_of=MappingProxyType(known))
        case m.EntropyNamed():
            return replace(state, sources=_with(state.sources, event.batch, event.source))
        case m.EntropyDrawn():
            return replace(state, entropies=_with(state.entropies, event.batch, event.value))
        case m.DrawRevealed():
            return replace(state, draws=_with(state.draws, event.name, event))
        case m.BoardRevealed():
            return replace(state, revealed=_with(state.revealed, event.path, event))
        case m.SecretRevealed():
            return replace(state, secret_revealed=True)
        case m.AppealKeyCreated():
            key = event.appeal, event.public_key
            return replace(state, appeal_keys=_with(state.appeal_keys, key, event))
        case m.AppealKeyReleased():
            public = event.public_key or _newest(state, event.appeal)
            return replace(state, released=state.released | {(event.appeal, public)})
        case m.BoardOpenedToPanel():
            return replace(state, panels=_with(state.panels, (event.appeal, event.path), event.panel))


def _newest(state: Dealings, appeal: str) -> bytes:
    return [public for of, public in state.appeal_keys if of == appeal][-1]


def _with(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    return MappingProxyType({**mapping, key: value})
