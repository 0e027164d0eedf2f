"""A small championship's log, written as the services write it, with places to forge it before it is chained."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from fupan.appeals.v1 import events_pb2 as appeals_pb
from fupan.dealer.v1 import events_pb2 as dealer_pb
from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.scoring.v1 import events_pb2 as scoring_pb
from fupan.table.v1 import events_pb2 as table_pb
from services.games import registry
from services.games.championship import results, standings
from services.games.championship.params import Params, describe
from services.ledger import ballot, dealing, digests, keys, merkle, seals
from services.ledger import record as r
from services.ledger.auditfile import About, encode
from services.ledger.games import GAMES

RULES = registry.find("paohuzi/competitive-2017")
CODEC = GAMES[RULES.game]
PARAMS = RULES.resolve({})
PARAMS_JSON = digests.canonical_json(RULES.describe(PARAMS))
CUP = "cup"
MASTER = bytes(range(64))
SIGNER, OTHER_SIGNER = bytes(range(32)), bytes(range(1, 33))
APPEAL_KEY = bytes(range(2, 34))
DEALER, PAIRING, SCORING = (f"fupan.e1.{service}.{CUP}" for service in ("dealer", "pairing", "scoring"))
APPEAL = f"fupan.e1.appeals.{CUP}.a-1"
VOIDED = {
    "table": "r1-t1",
    "round": 1,
    "board": 1,
    "attempt": 1,
    "tenths": [600, 600, 600],
    "authority": {"by": "arbitration", "appeal": "a-1"},
}
"""What the appeal is upheld with."""

CLOCK_US = 60_000_000
ORGANISER, REFEREE = "p-org", "p-ref"
ACTORS = {"pairing": ORGANISER}
"""Who writes to a service's log unless told otherwise; where nobody stands here, that service."""

Forge = Callable[[Any], None]
# Built from nested dicts, which the type stubs do not know.
PairingEvent: Any = pairing_pb.Event
DealerEvent: Any = dealer_pb.Event
TableEvent: Any = table_pb.Event
ScoringEvent: Any = scoring_pb.Event
AppealsEvent: Any = appeals_pb.Event
TableCommand: Any = table_pb.Command


def table_subject(number: int) -> str:
    return f"fupan.e1.table.{number % 2}.{CUP}.r1-t{number}"


@dataclass
class Log:
    """Records as written. `forge` changes an event, by its kind, before it is stored."""

    signer: bytes = SIGNER
    forge: dict[str, Forge] = field(default_factory=dict)
    records: list[r.Stored] = field(default_factory=list)
    heads: dict[str, r.Head] = field(default_factory=dict)
    sequences: dict[str, int] = field(default_factory=dict)
    seats: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def append(
        self,
        subject: str,
        events: Sequence[Any],
        *,
        command: bytes = b"",
        key: bytes | None = None,
        path: str = "",
        closing: r.BoardClosing | None = None,
        params_digest: bytes = b"",
        time_us: int = 0,
        actor: str = "",
        authority: str = "",
        cause: r.Cause | None = None,
        people: tuple[str, ...] = (),
    ) -> r.Head:
        """Write one record, at a time of its own where none is given; `key` seals it."""
        for event in events:
            kind = event.WhichOneof("kind")
            if kind in self.forge:
                self.forge[kind](getattr(event, kind))
        head = self.heads.get(subject, r.START)
        service = subject.split(".")[2]
        stream = f"{service.upper()}-e1" + (f"-{subject.split('.')[3]}" if service == "table" else "")
        content = r.encode_body(
            r.Body(
                actor or ACTORS.get(service, f"service:{service}"), "", authority, cause,
                f"{subject}-{head.version + 1}", sha256(command).digest(), command,
                tuple(event.SerializeToString() for event in events),
            )
        )  # fmt: skip
        if key is not None:
            nonce = sha256(f"{subject} {head.version}".encode()).digest()[:12]
            content = r.seal(key, nonce, subject, head.version + 1, content)
        time_us = r.record_time(head, time_us or 1_700_000_000_000_000 + len(self.records))
        header = r.Header(
            subject, head.version + 1, head.hash, "e1", r.Writer(service, "r1", "test"),
            RULES.id if params_digest else "", params_digest, (path,) if path else (), time_us,
        )  # fmt: skip
        data = r.encode(r.Record(header, content, key is not None, closing, people))
        sequence = self.sequences.get(stream, 0) + 1
        self.sequences[stream] = sequence
        self.records.append(r.Stored(stream, sequence, subject, data))
        self.heads[subject] = r.next_head(head, data, sequence, time_us)
        return self.heads[subject]

    def of(self, subject: str) -> list[r.Stored]:
        return [stored for stored in self.records if stored.subject == subject]

    def file(self, kind: str = "championship", name: str = CUP, **about: Any) -> bytes:
        told = {"keys": (keys.signing_public_key(self.signer),), **about}
        return encode(About(kind, name, CUP, **told), self.records)


def play_board(rules: Any, deal: tuple[int, ...], board: int, seed: int) -> list[tuple[int, Any, list[Any]]]:
    """A whole board of random legal actions: (seat, action, events) in order; the opening has seat -1."""
    rng = random.Random(seed)
    state = rules.start(PARAMS, board, deal)
    steps: list[tuple[int, Any, list[Any]]] = [(-1, None, list(rules.opening(state)))]
    while True:
        for event in steps[-1][2]:
            state = rules.evolve(state, event)
        asked = rules.asked(state)
        if not asked:
            return steps
        seat = rng.choice(asked)
        action = rng.choice(rules.options(state, seat))
        steps.append((seat, action, list(rules.decide(state, seat, action))))


def championship(
    *, tables: int = 2, boards: int = 2, signer: bytes = SIGNER, forge: dict[str, Forge] | None = None,
    deals_from: bytes = MASTER, seed: int = 1, reveal: bool = True,
) -> Log:  # fmt: skip
    """A championship of one round, whole: drawn, dealt, played, revealed, appealed, sealed.

    `deals_from`: the secret that the tables really play with; another than the committed one is a fraud.
    """
    log = Log(signer, forge or {})
    paths = [dealing.board_path(1, board, 1) for board in range(1, boards + 1)]
    draw = dealing.draw_path("round-1")
    entropy = b"lottery 7 13 21"
    leaves = {path: dealing.leaf(MASTER, CUP, path) for path in [*paths, draw]}
    root = merkle.root(merkle.entry(path, leaves[path]) for path in [*paths, draw])
    _prepare(log, tables, boards, root, leaves[draw], entropy)
    for number in range(1, tables + 1):
        _table(log, number, boards, deals_from, entropy, seed)
    if reveal:
        for board, path in enumerate(paths, 1):
            _dealer(log, board_revealed={"path": _path(board), "leaf": leaves[path], "batch": 1})
        _finish(log, tables)
    return log


def _path(board: int) -> dict[str, int]:
    return {"round": 1, "board": board, "attempt": 1}


def _dealer(log: Log, **event: Any) -> None:
    log.append(DEALER, [DealerEvent(**event)])


def _prepare(log: Log, tables: int, boards: int, root: bytes, draw: bytes, entropy: bytes) -> None:
    signer = keys.fingerprint(keys.signing_public_key(log.signer))
    settings = {
        "championship": CUP,
        "ruleset": RULES.id,
        "format": "individual",
        "groups": 1,
        "rounds": 1,
        "boards_per_round": boards,
        "play_clock_ms": CLOCK_US // 1000,
        "claim_clock_ms": CLOCK_US // 1000,
        **describe(Params()),
    }
    del settings["a_is_a_level"]  # a parameter of another format
    entrants = [(n, [(f"p-{n}", f"u-{n % 2}")]) for n in range(1, 3 * tables + 1)]
    digest = digests.entrants_digest(entrants)
    order = dealing.draw(draw, digest, entropy, [number for number, _ in entrants])
    rows = [
        {"number": n, "members": [{"person_id": p, "unit_id": u} for p, u in members]}
        for n, members in entrants
    ]
    created = {"settings": settings, "epoch": "e1", "trusted_keys": [signer], "organiser": ORGANISER}
    offices = {ORGANISER: "chief_referee", REFEREE: "referee"} | dict.fromkeys(
        ("m-1", "m-2", "m-3"), "arbitrator"
    )
    appointed = [{"person_id": person, "role": role} for person, role in offices.items()]
    log.append(
        PAIRING,
        [
            PairingEvent(championship_created=created),
            *(PairingEvent(official_appointed=one) for one in appointed),
        ],
    )
    imported = {"import_id": "i-1", "entrants": rows}
    log.append(PAIRING, [PairingEvent(entrants_imported=imported)])
    closed = {"import_id": "i-1", "count": len(rows), "digest": digest}
    log.append(PAIRING, [PairingEvent(entrants_import_closed=closed)])
    log.append(
        PAIRING,
        [PairingEvent(registration_closed={"count": len(rows), "entrants_digest": digest})],
    )
    _dealer(log, secret_created={"commitment": dealing.commitment(MASTER), "key_id": "k1"})
    committed = {
        "batch": 1,
        "purpose": "boards",
        "merkle_root": root,
        "boards": [_path(board) for board in range(1, boards + 1)],
        "draws": ["round-1"],
    }
    _dealer(log, deals_committed=committed)
    _dealer(log, entropy_named={"batch": 1, "source": "the lottery"})
    _dealer(log, entropy_drawn={"batch": 1, "value": entropy})
    _dealer(log, draw_revealed={"name": "round-1", "leaf": draw, "entrants_digest": digest, "batch": 1})
    log.seats = {f"r1-t{t + 1}": order[3 * t : 3 * t + 3] for t in range(tables)}
    seats = [
        {"table": f"r1-t{t + 1}", "group": 1, "entrants": order[3 * t : 3 * t + 3]} for t in range(tables)
    ]
    log.append(PAIRING, [PairingEvent(round_seated={"round": 1, "tables": seats})])
    seating = digests.seating_digest((f"r1-t{t + 1}", 1, order[3 * t : 3 * t + 3]) for t in range(tables))
    paired = {
        "round": 1, "tables": tables, "digest": seating, "basis": "draw", "deals_batch": 1, "deals_root": root,
    }  # fmt: skip
    log.append(PAIRING, [PairingEvent(round_paired=paired)])


def _table(log: Log, number: int, boards: int, secret: bytes, entropy: bytes, seed: int) -> None:
    subject, table = table_subject(number), f"r1-t{number}"
    digest = sha256(PARAMS_JSON).digest()
    opened = {
        "championship": CUP,
        "table": table,
        "round": 1,
        "ruleset": RULES.id,
        "params": PARAMS_JSON.decode(),
        "boards": [{"board": board, "attempt": 1} for board in range(1, boards + 1)],
        "play_clock_ms": CLOCK_US // 1000,
        "claim_clock_ms": CLOCK_US // 1000,
        "group": 1,
        "seats": [{"entrant": one, "person_id": f"p-{one}"} for one in log.seats[table]],
    }
    log.append(subject, [TableEvent(table_opened=opened)], params_digest=digest)
    for board in range(1, boards + 1):
        opened = {"board": board, "attempt": 1}
        log.append(subject, [TableEvent(board_opened=opened)], params_digest=digest)
        _board(log, subject, table, board, secret, entropy, seed)
    head = log.heads[subject]
    public = keys.signing_public_key(log.signer)
    sealed = {
        "head_version": head.version,
        "head": head.hash,
        "signature": keys.sign(log.signer, seals.table_head(subject, head.version, head.hash)),
        "key": keys.fingerprint(public),
        "public_key": public,
    }
    log.append(subject, [TableEvent(table_sealed=sealed)], params_digest=digest)


def _board(log: Log, subject: str, table: str, board: int, secret: bytes, entropy: bytes, seed: int) -> None:
    path = dealing.board_path(1, board, 1)
    leaf = dealing.leaf(secret, CUP, path)
    # Sealed with the committed leaf even where the deal is a fraud: else the records would not even open.
    key = dealing.log_key(dealing.leaf(MASTER, CUP, path), table, path)
    deal = dealing.deal(leaf, path, entropy, RULES.deck)
    thinking, playing = [0, 0, 0], [0, 0, 0]
    steps = play_board(RULES, deal, board, seed * 1000 + board * 10 + int(table[-1]))
    state = RULES.start(PARAMS, board, deal)
    people = tuple(f"p-{one}" for one in log.seats[table])
    asks, asked = [0, 0, 0], dict[int, dict[str, Any]]()
    for index, (seat, action, happened) in enumerate(steps):
        events = [_game_event(event) for event in happened]
        state = functools.reduce(RULES.evolve, happened, state)
        closing = None
        if seat < 0:
            events.insert(0, TableEvent(board_dealt={"deal": bytes(deal)}))
            command = TableCommand(deal_board={"deal": bytes(deal)})
        else:
            answered = asked.pop(seat)
            question, shown_us = answered["question"], answered["shown_us"]
            acted = {"seat": seat, "question": question, "thinking_us": index, "asked_us": shown_us}
            thinking[seat] += index
            playing[seat] += index if question == "play" else 0
            events.insert(0, TableEvent(acted=acted | {"received_us": shown_us + index}))
            told = {CODEC.field: CODEC.actions.kwargs(action)}
            act = {"seat": seat, "ask": answered["ask"], "board": board, "action": told}
            command = TableCommand(act=act)
        kept = {} if any(RULES.is_beat(one) for one in happened) else asked
        seats = sorted({*RULES.asked(state), *(one for one in kept if RULES.put(state, one))})
        asked = {one: _question(log, state, one, asks, kept) for one in seats}
        if asked:
            events.append(TableEvent(asked={"questions": list(asked.values())}))
        if index == len(steps) - 1:
            finished = table_pb.BoardFinished(
                board=board, attempt=1, thinking_us=thinking, playing_us=playing, **_result(steps)
            )
            event = TableEvent(board_finished=finished)
            if "board_finished" in log.forge:
                log.forge["board_finished"](event.board_finished)
            scores = tuple(event.board_finished.scores)
            closing = r.BoardClosing(1, board, 1, False, scores, tuple(thinking), (), tuple(playing), people)
            events.append(event)
        log.append(
            subject, events, command=command.SerializeToString(), key=key, path=path, closing=closing,
            params_digest=sha256(PARAMS_JSON).digest(), actor=people[seat] if seat >= 0 else "",
        )  # fmt: skip


def _question(
    log: Log, state: Any, seat: int, asks: list[int], asked: dict[int, dict[str, Any]]
) -> dict[str, Any]:
    """What a seat is asked: as before, or anew with the next record."""
    kind = RULES.question(state, seat)
    if seat in asked and asked[seat]["question"] == kind:
        return asked[seat]
    asks[seat] += 1
    shown_us = 1_700_000_000_000_000 + len(log.records)
    times = {"shown_us": shown_us, "deadline_us": shown_us + CLOCK_US}
    return {"seat": seat, "ask": asks[seat], "question": kind} | times


def _game_event(event: Any) -> Any:
    return TableEvent(**{CODEC.field: CODEC.events.to_proto(event)})


def _result(steps: list[tuple[int, Any, list[Any]]]) -> dict[str, Any]:
    last = steps[-1][2][-1]
    won = hasattr(last, "scores")
    return {"scores": last.scores if won else (0, 0, 0), "drawn": not won}


def _finish(log: Log, tables: int) -> None:
    """Appeal, publication, the secret and the seal."""
    _appeal(log, {"m-1": True, "m-2": False, "m-3": True})
    first = _publish(log, 1, ())
    log.append(SCORING, [ScoringEvent(board_voided=VOIDED)])
    second = _publish(log, 2, (results.Voided(2, 1, 1, "r1-t1", (600, 600, 600)),))
    _dealer(log, secret_revealed={"secret": MASTER})
    heads = []
    for number in range(1, tables + 1):
        before = log.of(table_subject(number))[-1]
        header = r.decode(before.data).header
        heads.append((table_subject(number), header.version - 1, header.prev_hash))
    heads.append((APPEAL, log.heads[APPEAL].version, log.heads[APPEAL].hash))
    root = seals.championship_root(heads, [(1, first), (2, second)])
    sealed = {
        "root": root,
        "signature": keys.sign(log.signer, seals.championship_seal(PAIRING, root)),
        "key": keys.fingerprint(keys.signing_public_key(log.signer)),
        "publication": 2,
    }
    log.append(PAIRING, [PairingEvent(championship_sealed=sealed)])


def _publish(log: Log, number: int, rulings: tuple[results.Ruling, ...]) -> bytes:
    """Publish the standings of everything so far; returns their digest."""
    played = [
        results.TableResult(
            1, 1, closing.board, stored.subject.split(".")[-1], log.seats[stored.subject.split(".")[-1]],
            closing.scores, closing.thinking_us, closing.playing_us,
        )
        for stored in log.records
        if (closing := r.decode(stored.data).closing)
    ]  # fmt: skip
    entrants = tuple(sorted(one for seats in log.seats.values() for one in seats))
    digest = standings.digest(standings.standings(results.Facts(tuple(played), rulings, entrants), Params()))
    positions = [{"stream": stream, "sequence": last} for stream, last in log.sequences.items()]
    published = {"number": number, "digest": digest, "cause": "final", "cut": {"positions": positions}}
    log.append(SCORING, [ScoringEvent(standings_published=published)])
    return digest


def _appeal(log: Log, votes: dict[str, bool]) -> None:
    public = keys.box_public_key(APPEAL_KEY)
    _dealer(log, appeal_key_created={"appeal": "a-1", "public_key": public, "key_id": "k1"})
    panel = {
        "members": [{"person_id": member} for member in votes],
        "ballot_key": public,
        "voting_deadline_us": 1_700_000_000_000_000 + 60 * CLOCK_US,
    }
    filed = {"appeal": "a-1", "entrant": 1, "sought": [{"void_board": VOIDED}]}
    log.append(APPEAL, [AppealsEvent(appeal_filed=filed), AppealsEvent(fee_recorded={})], actor=ORGANISER)
    log.append(APPEAL, [AppealsEvent(panel_appointed=panel)], actor=ORGANISER)
    opened, sealed_ballots = [], []
    for member, uphold in votes.items():
        opening, ephemeral = (sha256(f"{member} {what}".encode()).digest() for what in ("o", "e"))
        sealed = ballot.seal_ballot("a-1", member, uphold, public, opening, ephemeral)
        cast = {
            "member": member,
            "commitment": sealed.commitment,
            "sealed_opening": sealed.sealed_opening,
        }
        log.append(APPEAL, [AppealsEvent(ballot_cast=cast)], actor=member)
        sealed_ballots.append((member, sealed.commitment))
        opened.append({"member": member, "uphold": uphold, "opening": opening})
    closed = {"ballots": len(votes), "ballots_digest": digests.ballots_digest("a-1", sealed_ballots)}
    log.append(APPEAL, [AppealsEvent(voting_closed=closed)])
    _dealer(log, appeal_key_released={"appeal": "a-1", "private_key": APPEAL_KEY})
    decided = {
        "upheld": 2 * sum(votes.values()) > len(votes),
        "votes_for": sum(votes.values()),
        "votes_against": len(votes) - sum(votes.values()),
        "ballots": opened,
        "remedies": [{"void_board": VOIDED}],
    }
    log.append(APPEAL, [AppealsEvent(appeal_decided=decided)])
