"""How boards ended, for who was away meanwhile: what a player is sent who comes back to its table (P13, design: resumable).

Its cursor says what it has seen. Of streams that were elsewhere, or before a restart, nothing is known, and it is told again.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.table import views
from services.table.line import Line
from services.table.model.state import Result, Table
from services.table.views import Frame


class Told:
    """Of each person, which ends of boards at its table it was sent: by board, the cursor of the update that said so."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, dict[int, int]]] = {}

    def keep(self, line: Line) -> None:
        """Note what a line was sent, which is over or leaves its table."""
        self._known[line.championship, line.person] = line.subject, line.told

    def seen(self, line: Line, subject: str) -> dict[int, int]:
        """What a person who sits down at a table has seen there already."""
        table, told = self._known.get((line.championship, line.person), ("", {}))
        return {board: at for board, at in told.items() if table == subject and at <= line.cursor}

    def forget(self, championship: str) -> None:
        """A championship is over."""
        for key in [key for key in self._known if key[0] == championship]:
            del self._known[key]


def show(line: Line, table: Table, frame: Frame | None, ended: Sequence[Frame] = ()) -> None:
    """Show a player a frame; who has just sat down is told first how boards `ended` that it missed here."""
    if line.new and frame is not None:
        line.new = False
        for result in missed(table, frame, line):
            line.show(views.ended(table, result, ended, line.seat))
    line.show(views.seat(table, frame, line.seat))


def missed(table: Table, frame: Frame, line: Line) -> list[Result]:
    """How boards ended, oldest first, that this person sat at and has not been told of; none from the one in view on."""
    ended = []
    for result in table.results:
        if result.slot.board == frame.board:
            break
        if result.people[line.seat] == line.person and result.slot.board not in line.told:
            ended.append(result)
    return ended
