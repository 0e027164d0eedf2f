"""What the others' logs say of what is contested: when boards were closed and standings published, which begins appeal windows
(C10.1), and which boards are revealed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from fupan.dealer.v1 import events_pb2 as dealer
from fupan.scoring.v1 import events_pb2 as scoring
from fupan.table.v1 import events_pb2 as table
from services.appeals.deadlines import window_ends_us
from services.appeals.model import events as e
from services.directory import Championship
from services.games.championship.tables import POINTS
from services.runtime.follower import Read
from services.runtime.streams import parse


class Windows:
    """Boards closed and revealed and standings published, of all championships."""

    def __init__(self) -> None:
        self._closed: dict[tuple[str, str], dict[int, int]] = {}
        """By championship and table: when its boards were closed, by number."""
        self._over: dict[tuple[str, int, int, int], int] = {}
        """By championship, round, board and attempt: when the last of its tables closed a board."""
        self._published: dict[str, list[int]] = {}
        """By championship: the last round in each publication, in order."""
        self._ended: dict[tuple[str, str], tuple[int, int]] = {}
        """By championship and table: when its match ended, and of how many deals it was."""
        self._revealed: set[tuple[str, int, int, int, str]] = set()
        """Championship and path of boards whose leaf is public."""

    def end_of(self, known: Championship, contested: e.Contested) -> int:
        """End of the window for what is contested, exclusive; 0 while it has not begun to run."""
        return window_ends_us(self._begins(known, contested), known.settings.appeal_window_ms)

    def _begins(self, known: Championship, contested: e.Contested) -> int:
        if isinstance(contested, e.ContestedBoard) and contested.table in known.replays:
            return self._replayed(known, contested)
        starts = known.settings.window_starts
        if starts == "match" and isinstance(contested, e.ContestedBoard):
            return self._match(known, contested)
        played = known.rounds.get(self._round_of(known.id, contested))
        if played is not None and played.number > known.settings.rounds:
            return played.closed_us  # a play-off comes after the competition
        if played is None:
            return self._last(known)
        return known.ended_us if starts == "competition" else played.closed_us

    def _last(self, known: Championship) -> int:
        """What belongs to no round, a referee's ruling say, can be contested as long as anything: it may be of a play-off, or of a
        board that is played again."""
        offs = (one for one in known.rounds.values() if one.paired and one.number > known.settings.rounds)
        again = known.replays.items()
        return _all_over(
            [
                known.ended_us,
                *(one.closed_us for one in offs),
                *(self._closed.get((known.id, table), {}).get(one.board, 0) for table, one in again),
            ]
        )

    def _match(self, known: Championship, contested: e.ContestedBoard) -> int:
        """When the match is over in which a board was played. Of boards that others play as well it is when all have: before that
        nobody is to learn how far a table is."""
        if known.settings.format == POINTS:
            return self._ended.get((known.id, contested.table), (0, 0))[0]
        # The last board tells soonest that it is not over.
        boards = range(known.settings.boards_per_round, 0, -1)
        return _all_over(self._everywhere(known, replace(contested, board=board)) for board in boards)

    def _everywhere(self, known: Championship, contested: e.ContestedBoard) -> int:
        """When the last of its tables closed a board, 0 while not all of them have."""
        deal = known.id, contested.round, contested.board, contested.attempt
        if deal not in self._over:
            tables = _playing(known, contested)
            over_us = _all_over(
                self._closed.get((known.id, one), {}).get(contested.board, 0) for one in tables
            )
            if not over_us:
                return 0
            self._over[deal] = over_us
        return self._over[deal]

    def _replayed(self, known: Championship, contested: e.ContestedBoard) -> int:
        """A board that is played again may be closed when its match, its round and the competition are long over."""
        closed_us = self._everywhere(known, contested)
        if known.settings.window_starts == "match" or not closed_us:
            return closed_us
        others_us = self._begins(known, e.ContestedPairing(contested.round))
        return max(others_us, closed_us) if others_us else 0

    def _round_of(self, championship: str, contested: e.Contested) -> int:
        match contested:
            case e.ContestedBoard() | e.ContestedPairing():
                return contested.round
            case e.ContestedPublication() if self.published(championship, contested.publication):
                return self._published[championship][contested.publication - 1]
        return 0

    def closed(self, championship: str, table: str, board: int) -> bool:
        """Whether a table has closed a board; of a match that counts by its score sheet, no deal of which has records of its own,
        whether that has ended (C8.6)."""
        closed = self._closed.get((championship, table))
        if closed is None and (championship, table) in self._ended:
            _, deals = self._ended[championship, table]
            return 1 <= board <= max(deals, 1)
        return closed is not None and board in closed

    def published(self, championship: str, number: int) -> bool:
        """Whether there is a publication of that number."""
        return 1 <= number <= len(self._published.get(championship, ()))

    def revealed(self, known: Championship, contested: e.Contested) -> bool:
        """Whether everything about what is contested is public: true of what is no board.

        With real cards nothing is sealed; a board is public once everybody who plays it has."""
        board = e.board_of(contested)
        if board is None:
            return True
        if known.settings.real_cards:
            tables = _playing(known, board)
            return bool(tables) and all(self.closed(known.id, one, board.board) for one in tables)
        path = known.id, board.round, board.board, board.attempt
        return bool(self._revealed & {(*path, ""), (*path, board.table)})

    async def read_dealer(self, reads: list[Read]) -> None:
        """The dealer's records: boards revealed."""
        for read in reads:
            for data in read.body.events if read.body else ():
                event = dealer.Event.FromString(data)
                if event.WhichOneof("kind") == "board_revealed":
                    path = event.board_revealed.path
                    championship = parse(read.stored.subject).championship
                    self._revealed.add((championship, path.round, path.board, path.attempt, path.match))

    async def read_tables(self, reads: list[Read]) -> None:
        """Tables' records: when boards were closed and matches ended."""
        for read in reads:
            closing, address = read.record.closing, parse(read.stored.subject)
            for data in read.body.events if read.body else ():
                event = table.Event.FromString(data)
                if event.WhichOneof("kind") == "match_ended":
                    ended = read.record.header.time_us, event.match_ended.deals
                    self._ended[address.championship, address.item] = ended
            if closing is not None:
                boards = self._closed.setdefault((address.championship, address.item), {})
                boards[closing.board] = read.record.header.time_us
                self._over.pop((address.championship, closing.round, closing.board, closing.attempt), None)

    async def read_scoring(self, reads: list[Read]) -> None:
        """Scoring's records: publications."""
        for read in reads:
            for data in read.body.events if read.body else ():
                event = scoring.Event.FromString(data)
                if event.WhichOneof("kind") == "standings_published":
                    championship = parse(read.stored.subject).championship
                    self._published.setdefault(championship, []).append(event.standings_published.after_round)


def _playing(known: Championship, contested: e.ContestedBoard) -> Collection[str]:
    """The tables that play the same board, of a replay the same deal; none while they are not all seated."""
    if known.settings.format == POINTS:
        return (contested.table,)
    played = known.rounds.get(contested.round)
    if played is not None and contested.table in played.tables:
        return played.tables
    return known.playing_again(contested.round, contested.board, contested.attempt)


def _all_over(ends: Iterable[int]) -> int:
    """The last of all ends, 0 while one has not come."""
    last_us = 0
    for end_us in ends:
        if not end_us:
            return 0
        last_us = max(last_us, end_us)
    return last_us
