"""What a caller orders at a table: the table its request names, and by which office it acts there (C9.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from services.directory import Directory
from services.runtime.errors import Malformed, NotFound
from services.runtime.identity import caller
from services.runtime.log import Answer, Envelope
from services.runtime.streams import Epoch
from services.table.hall import TableLog
from services.table.model import commands as c
from services.table.model.events import Event


class Request(Protocol):
    """What every order names."""

    command_id: str
    championship: str
    table: str


class Orders:
    """Orders for the tables of an epoch."""

    def __init__(self, log: TableLog, directory: Directory, epoch: Epoch) -> None:
        self._log = log
        self._directory = directory
        self._epoch = epoch

    def subject(self, championship: str, table: str) -> str:
        """The subject of a table that exists. Raises Malformed, NotFound."""
        if not table:
            raise Malformed("table", "must say which table")
        subject = self._epoch.table_subject(championship, table)
        if not self._log.head(subject).version:
            raise NotFound("table", table)
        return subject

    async def accepted(self, request: Request, command: c.Command) -> bool:
        """Whether the caller's order was accepted before, whatever would come of it now. Raises as `handle`."""
        subject = self.subject(request.championship, request.table)
        return await self._log.accepted(subject, command, Envelope(caller().subject, request.command_id))

    async def handle(
        self, request: Request, command: c.Command, roles: Sequence[str], person: str = ""
    ) -> Answer[Event]:
        """Handle a command of the caller's, who acts by the first of `roles` that it holds, or for another `person`.

        Raises as `subject` and `Log.handle` do.
        """
        who = caller()
        return await self._log.handle(
            self.subject(request.championship, request.table),
            command,
            Envelope(
                who.subject,
                request.command_id,
                on_behalf_of=person if person != who.person else "",
                authority=self._directory.authority(request.championship, who.person, *roles),
            ),
        )
