"""The dealer's working parts together: the log, the vault, and what is revealed when it is closed everywhere."""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import structlog

from fupan.table.v1 import events_pb2 as table_events
from services.dealer import decider
from services.dealer import model as m
from services.dealer.judging import read_case
from services.dealer.vault import Vault
from services.directory import Directory, Noticed
from services.domain import Cause, Rejected
from services.ledger import record as ledger
from services.ledger.dealing import parse_board_path
from services.ledger.record import Stored
from services.runtime.errors import Denied, NotFound
from services.runtime.follower import Read
from services.runtime.forks import brought
from services.runtime.identity import caller
from services.runtime.log import Answer, Envelope, Log
from services.runtime.store import EventStore
from services.runtime.streams import Epoch, parse
from services.runtime.worklist import Worklist
from services.substitutes import Substitutes

SERVICE = "service:dealer"

FIRST_ATTEMPT = 1

DEALS_A_BATCH = 16
DEALS_AHEAD = 4
"""Deals of a match that are committed at once, and how many of them are left when the next are."""

DealerLog = Log[m.Dealings, m.Command, m.Event]
Board = tuple[str, m.BoardPath]
"""Championship and path."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """A board, and the record in which a table says that it opened it."""

    championship: str
    table: str
    path: m.BoardPath
    stream: str
    sequence: int


@dataclass(slots=True)
class Closed:
    """Tables that have closed a board, and the last one's record."""

    tables: set[str]
    last: Cause


class Desk:
    """What the RPCs work with."""

    def __init__(
        self,
        log: DealerLog,
        vault: Vault,
        store: EventStore,
        epoch: Epoch,
        directory: Directory,
        substitutes: Substitutes,
        demo_allowed: bool,
    ) -> None:
        self.vault = vault
        self.directory = directory
        self.reveals: Worklist[Board] = Worklist("reveal a board", self._reveal_closed)
        self.secrets: Worklist[str] = Worklist("reveal a secret", self._reveal_secret)
        self._log = log
        self._store = store
        self._epoch = epoch
        self._substitutes = substitutes
        self._demo_allowed = demo_allowed
        self._lists: dict[str, bytes] = {}
        """Digest of the entrant list that pairing has closed, by championship."""
        self._closed: dict[Board, Closed] = {}
        """Boards that are not revealed yet."""
        self._seals: dict[str, Cause] = {}
        """Records that sealed championships."""
        directory.listen(self._noticed)

    def subject(self, championship: str) -> str:
        """The dealer's subject of a championship."""
        return self._epoch.subject("dealer", championship)

    def state(self, championship: str) -> m.Dealings:
        """What was promised and told. Raises NotFound when there is no such championship."""
        self.directory.get(championship)
        return self._log.state(self.subject(championship)) or decider.INITIAL

    async def handle(
        self,
        championship: str,
        command: m.Command,
        command_id: str,
        *roles: str,
        same: Callable[[m.Command], bool] | None = None,
    ) -> Answer[m.Event]:
        """Handle a command of the caller, who may send it by one of `roles`, or as a service; `same` as the log has it."""
        envelope = self._envelope(championship, command_id, *roles)
        return await self._log.handle(self.subject(championship), command, envelope, same=same)

    def _envelope(self, championship: str, command_id: str, *roles: str) -> Envelope:
        who = caller()
        authority = self.directory.authority(championship, who.person, *roles)
        if who.service:
            # With a space, so that no person's id can be in its way.
            command_id = f"{who.service} {command_id}"
        return Envelope(who.subject, command_id, authority=authority)

    async def _handle_once(self, championship: str, command: m.Command) -> None:
        """Handle a command with something random in it, which is done once whoever asks: its id is nobody's."""
        await self._log.handle(self.subject(championship), command, Envelope(SERVICE, f"once {uuid.uuid4()}"))

    # Promises

    async def commit(
        self,
        championship: str,
        command_id: str,
        purpose: str,
        boards: tuple[m.BoardPath, ...],
        draws: tuple[str, ...],
    ) -> tuple[Answer[m.Event], m.DealsCommitted]:
        """Commit leaves; the championship's secret is created with its first batch."""
        await self._known(championship)
        secret = await self._secret(championship)
        paths = m.DealsCommitted(0, purpose, b"", boards, draws).paths()
        decider.check_paths(paths)
        root = await asyncio.to_thread(self.vault.root, championship, secret, paths)
        answer = await self.handle(championship, m.CommitDeals(purpose, boards, draws, root), command_id)
        return answer, next(one for one in answer.events if isinstance(one, m.DealsCommitted))

    async def _known(self, championship: str) -> None:
        """Raises NotFound when there is no such championship, even after everything was read."""
        if not self.directory.known(championship):
            await self.directory.refresh()
            self.directory.get(championship)

    async def _secret(self, championship: str) -> m.SecretCreated:
        if self.state(championship).secret is None:
            settings = self.directory.settings(championship)
            if settings.demo and not self._demo_allowed:
                raise Denied("DEMO_ONLY", "a seeded dealer exists in the embedded demo only")
            seed = settings.demo_seed if settings.demo else None
            await self._handle_once(championship, self.vault.create(championship, seed))
        secret = self.state(championship).secret
        assert secret is not None
        return secret

    async def name_entropy(
        self, championship: str, command_id: str, batch: int, source: str
    ) -> Answer[m.Event]:
        """Say where a batch's entropy will come from, before any of its boards is dealt: it enters every deal, and later tables
        would get other cards than the first. Raises Rejected."""
        command, subject = m.NameEntropy(batch, source), self.subject(championship)
        envelope = self._envelope(championship, command_id, "organiser")
        answer = await self._log.repeated(subject, envelope, command.__eq__)
        if answer is None:
            await self.directory.refresh()
            committed = self.state(championship).batch(batch)
            if committed is not None and any(self._seats(championship, one) for one in committed.boards):
                raise decider.batch_used()
            answer = await self._log.handle(subject, command, envelope)
        return answer

    def _seats(self, championship: str, path: m.BoardPath) -> bool:
        """Whether people sit down to a board."""
        known = self.directory.get(championship)
        if path.attempt != FIRST_ATTEMPT:
            return (path.round, path.board, path.attempt) in known.again
        return path.round in known.rounds and known.rounds[path.round].started_us > 0

    async def draw_entropy(
        self, championship: str, command_id: str, batch: int, value: bytes
    ) -> Answer[m.Event]:
        """Enter what a batch's source gave; of a draw only when its entrants are fixed, so that nobody can choose them (C6.1)."""
        committed = self.state(championship).batch(batch)
        if committed is not None and committed.draws:
            await self.directory.refresh()
            if championship not in self._lists:
                raise Rejected(
                    "LIST_NOT_CLOSED",
                    "C6.1",
                    "the entrant list is closed before the entropy of its draw is known",
                )
        return await self.handle(championship, m.DrawEntropy(batch, value), command_id, "organiser")

    # Leaves

    async def leaves_for_tables(self, boards: Sequence[Opened]) -> list[tuple[bytes, bytes]]:
        """Leaf and entropy of boards that tables have opened, as the dealer itself reads in the tables' logs."""
        return list(await asyncio.gather(*map(self._leaf_for_table, boards)))

    async def _leaf_for_table(self, opened: Opened) -> tuple[bytes, bytes]:
        await self._known(opened.championship)
        await self._check_opened(opened)
        if opened.path.match:
            await self._commit_ahead(opened)
        state, path = self.state(opened.championship), str(opened.path)
        batch = decider.ready(state, path)
        assert state.secret is not None
        return self.vault.leaf(opened.championship, state.secret, path), state.entropy_of(batch) or b""

    async def _commit_ahead(self, opened: Opened) -> None:
        """Commit further deals of a match that nears the end of those it has: nobody knows how many it will take (C8.2)."""
        championship, path = opened.championship, opened.path
        state = self.state(championship)
        deals = (replace(path, board=deal) for deal in itertools.count(1))
        first = next(deal for deal in deals if str(deal) not in state.batch_of)
        if first.board > path.board + DEALS_AHEAD:
            return
        boards = tuple(replace(first, board=first.board + more) for more in range(DEALS_A_BATCH))
        secret = await self._secret(championship)
        root = await asyncio.to_thread(self.vault.root, championship, secret, tuple(map(str, boards)))
        command = m.CommitDeals("match", boards, (), root)
        envelope = Envelope(SERVICE, f"match {first}")
        await self._log.handle(self.subject(championship), command, envelope)

    async def _check_opened(self, opened: Opened) -> None:
        subject = self._epoch.table_subject(opened.championship, opened.table)
        if parse(subject).stream != opened.stream:
            raise Denied("BOARD_NOT_OPENED", "this stream is not the table's")
        stored = await self._store.get(opened.stream, opened.sequence)
        if stored is None or stored.subject != subject or not stored.data:
            raise Denied("BOARD_NOT_OPENED", "the table's log holds no such record")
        if not self._opens(opened, stored):
            await self.directory.refresh()
            if not self._opens(opened, stored):
                raise Denied("BOARD_NOT_OPENED", "the record does not open this board")
        if opened.path.match not in ("", opened.table):
            raise Denied("BOARD_NOT_OPENED", "this deal is of another table's match")
        if not self._seated(opened):
            await self.directory.refresh()
            if not self._seated(opened):
                raise Denied("BOARD_NOT_OPENED", "the table does not play this round")

    def _opens(self, opened: Opened, stored: Stored) -> bool:
        """Whether the record at a place, or what a decision on the table's history brought there, opens a board."""
        rulings = self.directory.get(opened.championship).rulings.get(stored.subject, {})
        decided = brought(rulings, stored.stream, stored.subject, stored.sequence)
        at = opened.path.board, opened.path.attempt
        return any(at in _opened_in(one) for one in decided or (stored,))

    def _seated(self, opened: Opened) -> bool:
        known, path = self.directory.get(opened.championship), opened.path
        replay = known.replays.get(opened.table)
        if replay is not None:
            return (replay.round, replay.board, replay.attempt) == (path.round, path.board, path.attempt)
        played = known.rounds.get(path.round)
        return played is not None and played.paired and opened.table in played.tables

    # Reveals

    async def reveal_draw(
        self, championship: str, command_id: str, name: str, entrants_digest: bytes
    ) -> tuple[Answer[m.Event], m.DrawRevealed]:
        """Reveal a draw's leaf, once pairing's log has closed the entrant list with this digest."""
        await self.directory.refresh()
        if self._lists.get(championship) != entrants_digest:
            raise Rejected("LIST_NOT_CLOSED", "C6.1", "pairing's log has not closed this list of entrants")
        leaf = self._leaf(championship, f"draw/{name}")
        answer = await self.handle(championship, m.RevealDraw(name, entrants_digest, leaf), command_id)
        return answer, self.state(championship).draws[name]

    async def reveal_board(self, championship: str, command_id: str, path: m.BoardPath) -> Answer[m.Event]:
        """Reveal a board by an official's command; refused while a table has not closed it."""
        state = self.state(championship)
        if path not in state.revealed and not self._closed_everywhere(championship, path):
            raise Rejected(
                "BOARD_OPEN", "", "a board is revealed once every table of its round has closed it"
            )
        command = m.RevealBoard(path, self._leaf(championship, str(path)))
        return await self.handle(championship, command, command_id, "chief_referee", "deputy")

    def _leaf(self, championship: str, path: str) -> bytes:
        state = self.state(championship)
        decider.ready(state, path)
        assert state.secret is not None
        return self.vault.leaf(championship, state.secret, path)

    def _closed_everywhere(self, championship: str, path: m.BoardPath) -> bool:
        if not self.directory.known(championship):
            return False
        played = self.directory.get(championship).rounds.get(path.round)
        closed = self._closed.get((championship, path))
        if path.match:
            return closed is not None and path.match in closed.tables
        if path.attempt != FIRST_ATTEMPT:
            again = self.directory.get(championship).playing_again(path.round, path.board, path.attempt)
            return closed is not None and bool(again) and closed.tables >= again
        return (
            played is not None
            and closed is not None
            and played.paired
            and len(closed.tables) >= len(played.tables)  # asked a board as often as there are tables
            and closed.tables >= played.tables.keys()
        )

    async def _reveal_closed(self, board: Board) -> None:
        """Reveal a board if it is closed everywhere and was not revealed."""
        championship, path = board
        if not self._closed_everywhere(championship, path):
            return
        if str(path) not in self.state(championship).batch_of:
            # Nothing can come of it: no leaf of this board was ever given out, as none is where real cards are dealt.
            if not self.directory.settings(championship).real_cards:
                _log.error("board_not_committed", championship=championship, path=str(path))
            return
        if path not in self.state(championship).revealed:
            command = m.RevealBoard(path, self._leaf(championship, str(path)))
            envelope = Envelope(SERVICE, f"reveal {path}", cause=self._closed[board].last)
            await self._log.handle(self.subject(championship), command, envelope)
        self._closed.pop(board, None)

    async def _reveal_secret(self, championship: str) -> None:
        """Reveal the master secret of a sealed championship (C10.8)."""
        state = self.state(championship)
        if state.secret is not None and not state.secret_revealed:
            command = m.RevealSecret(self.vault.master(championship, state.secret))
            envelope = Envelope(SERVICE, "reveal secret", cause=self._seals[championship])
            await self._log.handle(self.subject(championship), command, envelope)

    # Keys of appeals

    async def create_appeal_key(
        self, championship: str, command_id: str, appeal: str
    ) -> tuple[Answer[m.Event], m.AppealKeyCreated]:
        """A new key for the ballots of one panel: what frees it opens no other panel's."""

        def same(accepted: m.Command) -> bool:
            return isinstance(accepted, m.CreateAppealKey) and accepted.appeal == appeal

        command = self.vault.create_appeal_key(championship, appeal)
        answer = await self.handle(championship, command, command_id, same=same)
        return answer, next(one for one in answer.events if isinstance(one, m.AppealKeyCreated))

    async def voted_key(self, championship: str, appeal: str) -> m.AppealKeyCreated:
        """The key of the panel whose voting the appeal's own log has closed. Raises Rejected, NotFound."""
        judged = await read_case(self._store, self._epoch.appeal_subject(championship, appeal))
        if not judged.voting_closed:
            raise Rejected("VOTING_OPEN", "C10.4", "ballots are opened when the voting has closed")
        created = self.state(championship).appeal_keys.get((appeal, judged.ballot_key))
        if created is None:
            raise NotFound("appeal", appeal)
        return created

    # Panels

    async def open_to_panel(
        self, championship: str, command_id: str, command: m.OpenBoardToPanel
    ) -> Answer[m.Event]:
        """Show an unrevealed board to the panel that judges it, as the appeal's own log has it. Raises Denied, Unavailable."""
        await self.directory.refresh()
        await self._substitutes.catch_up()
        judged = await read_case(self._store, self._epoch.appeal_subject(championship, command.appeal))
        path, board = command.path, judged.board
        contested = board is not None and m.BoardPath(board.round, board.board, board.attempt)
        if replace(path, match="") != contested or path.match not in ("", board.table if board else ""):
            raise Denied("BOARD_NOT_CONTESTED", "the appeal does not contest this board")
        if not judged.members.issuperset(command.panel):
            raise Denied("NOT_ON_PANEL", "only members of the appeal's panel see the board")
        if any(self._substitutes.plays(championship, one) for one in command.panel):
            raise Denied("PLAYS_THE_EVENT")
        return await self.handle(championship, command, command_id)

    # What arrives

    def _noticed(self, noticed: Noticed) -> None:
        championship = noticed.championship.id
        match noticed.kind:
            case "registration_closed":
                self._lists[championship] = noticed.event.entrants_digest
            case "round_paired" | "replay_seated":
                for board in self._closed:
                    if board[0] == championship:
                        self.reveals.add(board)
            case "championship_sealed":
                self._seals[championship] = Cause(noticed.place.subject, noticed.place.version)
                self.secrets.add(championship)

    async def read_tables(self, reads: list[Read]) -> None:
        """Tables' records: closed boards, and who was given a seat."""
        self._substitutes.read(reads)
        for read in reads:
            closing = read.record.closing
            if closing is not None:
                address = parse(read.stored.subject)
                self._note(
                    address.championship,
                    _closed_path(read.record, closing),
                    address.item,
                    Cause(read.stored.subject, read.record.header.version),
                )

    def _note(self, championship: str, path: m.BoardPath, table: str, record: Cause) -> None:
        known = self._log.state(self.subject(championship))
        if known is None or path not in known.revealed:
            closed = self._closed.setdefault((championship, path), Closed(set(), record))
            closed.tables.add(table)
            closed.last = record
            if self._closed_everywhere(championship, path):
                self.reveals.add((championship, path))


def _closed_path(record: ledger.Record, closing: ledger.BoardClosing) -> m.BoardPath:
    """The path of a board that a record closes; the key that seals it says of which match it is a deal, if of one."""
    if record.sealed:
        return m.BoardPath(*parse_board_path(record.header.key_ids[0]))
    return m.BoardPath(closing.round, closing.board, closing.attempt)


def _opened_in(stored: Stored) -> Iterator[tuple[int, int]]:
    """Board and attempt that a record of a table opens."""
    record = ledger.decode(stored.data)
    for data in () if record.sealed else ledger.body_of(record).events:
        event = table_events.Event.FromString(data)
        if event.WhichOneof("kind") == "board_opened":
            yield event.board_opened.board, event.board_opened.attempt
