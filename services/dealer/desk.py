"""The dealer's working parts together: the log, the vault, and the loop that reveals what is closed everywhere."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import structlog

from fupan.appeals.v1 import events_pb2 as appeals
from fupan.table.v1 import events_pb2 as table_events
from services.dealer import decider
from services.dealer import model as m
from services.dealer.vault import Vault
from services.directory import Directory, Noticed
from services.domain import Rejected
from services.ledger import record as ledger
from services.runtime.errors import Denied, NotFound, Unavailable
from services.runtime.follower import Read
from services.runtime.identity import caller
from services.runtime.log import Answer, Envelope, Log
from services.runtime.positions import parse_position
from services.runtime.store import EventStore
from services.runtime.streams import Epoch, parse

SERVICE = "service:dealer"
RETRY_SECONDS = 1.0
POSITION_SECONDS = 5.0

DealerLog = Log[m.Dealings, m.Command, m.Event]

_log = structlog.get_logger(__name__)


class Desk:
    """What the RPCs work with."""

    def __init__(
        self,
        log: DealerLog,
        vault: Vault,
        store: EventStore,
        epoch: Epoch,
        directory: Directory,
        demo_allowed: bool,
        stopping: asyncio.Event,
    ) -> None:
        self.vault = vault
        self.directory = directory
        self._log = log
        self._store = store
        self._epoch = epoch
        self._demo_allowed = demo_allowed
        self._stopping = stopping
        self._locks: dict[str, asyncio.Lock] = {}
        self._lists: dict[str, bytes] = {}
        self._closed: dict[tuple[str, m.BoardPath], set[str]] = {}
        self._dirty: set[tuple[str, m.BoardPath]] = set()
        self._sealed: set[str] = set()
        self._wake = asyncio.Event()
        directory.listen(self._noticed)

    def subject(self, championship: str) -> str:
        """The dealer's subject of a championship."""
        return self._epoch.subject("dealer", championship)

    def state(self, championship: str) -> m.Dealings:
        """What was promised and told. Raises NotFound when there is no such championship."""
        self.directory.get(championship)
        return self._log.state(self.subject(championship)) or decider.INITIAL

    async def reached(self, position: str) -> None:
        """Wait until `position` (empty: none) is known here. Raises Unavailable("POSITION_NOT_REACHED")."""
        if not position:
            return
        stream, sequence = parse_position(position)
        if stream != self._epoch.stream("dealer"):
            return
        try:
            async with asyncio.timeout(POSITION_SECONDS):
                await self._log.wait_for(stream, sequence)
        except TimeoutError:
            raise Unavailable("POSITION_NOT_REACHED") from None

    async def handle(self, championship: str, command: m.Command, command_id: str) -> Answer[m.Event]:
        """Handle a command of the caller."""
        return await self._log.handle(
            self.subject(championship), command, Envelope(caller().subject, command_id)
        )

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
        async with self._locks.setdefault(championship, asyncio.Lock()):
            secret = await self._secret(championship)
            paths = m.DealsCommitted(0, purpose, b"", boards, draws).paths()
            root = await asyncio.to_thread(self.vault.root, championship, secret, paths)
            command = m.CommitDeals(purpose, boards, draws, root)
            answer = await self.handle(championship, command, command_id)
        committed = next(one for one in answer.events if isinstance(one, m.DealsCommitted))
        return answer, committed

    async def _known(self, championship: str) -> None:
        if not self.directory.known(championship):
            await self.directory.refresh()
            self.directory.get(championship)

    async def _secret(self, championship: str) -> m.SecretCreated:
        state = self.state(championship)
        if state.secret is None:
            settings = self.directory.settings(championship)
            if settings.demo and not self._demo_allowed:
                raise Denied("DEMO_ONLY", "a seeded dealer exists in the embedded demo only")
            command = self.vault.create(championship, settings.demo_seed if settings.demo else None)
            # Whoever comes second decides that there is a secret already.
            await self._log.handle(
                self.subject(championship), command, Envelope(SERVICE, f"secret-{uuid.uuid4()}")
            )
            state = self.state(championship)
        assert state.secret is not None
        return state.secret

    # Leaves

    async def leaf_for_table(
        self, championship: str, table: str, path: m.BoardPath, stream: str, sequence: int
    ) -> tuple[bytes, bytes]:
        """Leaf and entropy of a board that a table has opened, as the dealer itself reads in the table's log."""
        await self._known(championship)
        await self._check_opened(championship, table, path, stream, sequence)
        state = self.state(championship)
        batch = state.batch_of.get(str(path))
        entropy = None if batch is None else state.entropy_of(batch)
        if batch is None or state.secret is None:
            raise Rejected("NOT_COMMITTED", "", f"the leaf {path} was never committed")
        if entropy is None:
            raise Rejected("ENTROPY_MISSING", "", f"batch {batch} waits for its public entropy")
        return self.vault.leaf(championship, state.secret, str(path)), entropy

    async def _check_opened(
        self, championship: str, table: str, path: m.BoardPath, stream: str, sequence: int
    ) -> None:
        subject = self._epoch.table_subject(championship, table)
        if parse(subject).stream != stream:
            raise Denied("BOARD_NOT_OPENED", "this stream is not the table's")
        stored = await self._store.get(stream, sequence)
        if stored is None or stored.subject != subject:
            raise Denied("BOARD_NOT_OPENED", "the table's log holds no such record")
        record = ledger.decode(stored.data)
        opened = (
            []
            if record.sealed
            else [
                event.board_opened
                for event in map(table_events.Event.FromString, ledger.body_of(record).events)
                if event.WhichOneof("kind") == "board_opened"
            ]
        )
        if not any((one.board, one.attempt) == (path.board, path.attempt) for one in opened):
            raise Denied("BOARD_NOT_OPENED", "the record does not open this board")
        if not self._seated(championship, table, path.round):
            await self.directory.refresh()
            if not self._seated(championship, table, path.round):
                raise Denied("BOARD_NOT_OPENED", "the table does not play this round")

    def _seated(self, championship: str, table: str, round_: int) -> bool:
        rounds: Any = self.directory.get(championship).rounds
        return round_ in rounds and table in rounds[round_].tables

    # Reveals

    async def reveal_draw(
        self, championship: str, command_id: str, name: str, entrants_digest: bytes
    ) -> tuple[Answer[m.Event], m.DrawRevealed]:
        """Reveal a draw's leaf, once pairing's log has closed the entrant list with this digest."""
        await self.directory.refresh()
        if self._lists.get(championship) != entrants_digest:
            raise Rejected("LIST_NOT_CLOSED", "C6.1", "pairing's log has not closed this list of entrants")
        state = self.state(championship)
        if state.secret is None or f"draw/{name}" not in state.batch_of:
            raise Rejected("NOT_COMMITTED", "C6.1", f"the draw {name} was never committed")
        leaf = self.vault.leaf(championship, state.secret, f"draw/{name}")
        answer = await self.handle(championship, m.RevealDraw(name, entrants_digest, leaf), command_id)
        revealed = self.state(championship).draw_of(name)
        assert revealed is not None
        return answer, revealed

    async def reveal_board(self, championship: str, command_id: str, path: m.BoardPath) -> Answer[m.Event]:
        """Reveal a board by an official's command; refused while a table has not closed it."""
        if not self._closed_everywhere(championship, path):
            raise Rejected(
                "BOARD_OPEN", "", "a board is revealed once every table of its round has closed it"
            )
        return await self.handle(championship, self._reveal(championship, path), command_id)

    def _reveal(self, championship: str, path: m.BoardPath) -> m.RevealBoard:
        state = self.state(championship)
        if state.secret is None:
            raise Rejected("NOT_COMMITTED", "", f"the leaf {path} was never committed")
        return m.RevealBoard(path, self.vault.leaf(championship, state.secret, str(path)))

    def _closed_everywhere(self, championship: str, path: m.BoardPath) -> bool:
        rounds: Any = self.directory.get(championship).rounds
        tables = rounds[path.round].tables if path.round in rounds and rounds[path.round].paired else {}
        closed = self._closed.get((championship, path), set())
        return bool(tables) and all(table in closed for table in tables)

    async def check_voting_closed(self, championship: str, appeal: str) -> None:
        """Whether the appeal's own log has closed the voting. Raises Rejected."""
        subject = self._epoch.appeal_subject(championship, appeal)
        async for stored in self._store.read(subject):
            for data in ledger.body_of(ledger.decode(stored.data)).events:
                if appeals.Event.FromString(data).WhichOneof("kind") == "voting_closed":
                    return
        raise Rejected("VOTING_OPEN", "C10.4", "ballots are opened when the voting has closed")

    # What arrives

    def _noticed(self, noticed: Noticed) -> None:
        championship = noticed.championship.id
        if noticed.kind == "registration_closed":
            self._lists[championship] = noticed.event.entrants_digest
        elif noticed.kind == "round_paired":
            self._touch(one for one in self._closed if one[0] == championship)
        elif noticed.kind == "championship_sealed":
            self._sealed.add(championship)
            self._wake.set()

    async def read_tables(self, reads: list[Read]) -> None:
        """Tables' records: closed boards."""
        for read in reads:
            closing = read.record.closing
            if closing is not None:
                address = parse(read.stored.subject)
                path = m.BoardPath(closing.round, closing.board, closing.attempt)
                self._closed.setdefault((address.championship, path), set()).add(address.item)
                self._touch([(address.championship, path)])

    def _touch(self, boards: Any) -> None:
        self._dirty.update(boards)
        self._wake.set()

    async def run(self) -> None:
        """Reveal boards that are closed everywhere, and the secrets of sealed championships, until the service stops."""
        while not self._stopping.is_set():
            waits = {asyncio.create_task(self._wake.wait()), asyncio.create_task(self._stopping.wait())}
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
            self._wake.clear()
            while self._dirty and not self._stopping.is_set():
                await self._try_reveal(*self._dirty.pop())
            while self._sealed and not self._stopping.is_set():
                await self._try_reveal_secret(self._sealed.pop())

    async def _try_reveal(self, championship: str, path: m.BoardPath) -> None:
        try:
            if self.directory.known(championship) and self._closed_everywhere(championship, path):
                if self.state(championship).reveal_of(path) is None:
                    envelope = Envelope(SERVICE, f"reveal-{path}")
                    command = self._reveal(championship, path)
                    await self._log.handle(self.subject(championship), command, envelope)
                self._closed.pop((championship, path), None)
        except (Rejected, NotFound) as error:
            _log.error(
                "board cannot be revealed", championship=championship, path=str(path), reason=error.reason
            )
        except Exception as error:  # the log is away: the reveal is due until it is made
            _log.warning(
                "reveal waits", championship=championship, path=str(path), error=type(error).__name__
            )
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._touch, [(championship, path)])

    async def _try_reveal_secret(self, championship: str) -> None:
        state = self.state(championship)
        if state.secret is None or state.secret_revealed:
            return
        command = m.RevealSecret(self.vault.master(championship, state.secret))
        try:
            await self._log.handle(self.subject(championship), command, Envelope(SERVICE, "reveal-secret"))
        except Exception as error:  # as above
            _log.warning("secret waits", championship=championship, error=type(error).__name__)
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._seal_again, championship)

    def _seal_again(self, championship: str) -> None:
        self._sealed.add(championship)
        self._wake.set()
