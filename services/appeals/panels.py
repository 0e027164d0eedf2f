"""Panels see the board they judge before it is revealed: opened through the dealer, whose log says to whom."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from fupan.dealer.v1 import service_pb2 as dealer
from services.appeals.desk import PEER_SECONDS, AppealsLog
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.paths import path_of
from services.appeals.windows import Windows
from services.directory import Directory
from services.runtime.log import Applied
from services.runtime.streams import parse
from services.runtime.worklist import Worklist
from services.substitutes import Substitutes

if TYPE_CHECKING:
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub


class Panels:
    """Keeps the dealer told who judges an unrevealed board. `due` is to be run."""

    def __init__(
        self,
        log: AppealsLog,
        directory: Directory,
        windows: Windows,
        substitutes: Substitutes,
        dealer_stub: DealerServiceAsyncStub,
    ) -> None:
        self.due: Worklist[str] = Worklist("open a board to its panel", self._open)
        self._log = log
        self._directory = directory
        self._windows = windows
        self._substitutes = substitutes
        self._dealer = dealer_stub
        self._told: dict[str, tuple[str, ...]] = {}
        """By subject: the panel that the dealer was told of last."""
        log.listen(self._applied)

    def _applied(self, applied: Applied[Appeal, e.Event]) -> None:
        appeal = applied.after
        board = None if appeal.filed is None else e.board_of(appeal.filed.contested)
        if board is not None and appeal.open and appeal.panel is not None:
            self.due.add(applied.stored.subject)

    async def _open(self, subject: str) -> None:
        """Tell the dealer of the panel as it stands; who plays the event, or has, sees the board with everybody else."""
        appeal, championship = self._log.state(subject), parse(subject).championship
        board = None if appeal is None or appeal.filed is None else e.board_of(appeal.filed.contested)
        if appeal is None or appeal.filed is None or board is None:
            return
        known = self._directory.get(championship)
        panel = tuple(
            one.person_id
            for one in appeal.members
            if not self._substitutes.plays(championship, one.person_id)
        )
        if known.settings.real_cards:  # the dealer has nothing of it to open
            return
        if self._windows.revealed(known, board) or self._told.get(subject) == panel:
            return
        digest = sha256(" ".join(panel).encode()).hexdigest()
        request = dealer.OpenBoardToPanelRequest(
            command_id=f"panel-{appeal.filed.appeal}-{self._log.head(subject).version}-{digest[:16]}",
            championship=championship,
            appeal=appeal.filed.appeal,
            path=path_of(known, board),
            panel=panel,
        )
        await self._dealer.OpenBoardToPanel(request, timeout=PEER_SECONDS)
        self._told[subject] = panel
