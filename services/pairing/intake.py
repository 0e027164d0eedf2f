"""Entrants on their way in: every row checked before one is recorded, so that nothing is half-imported (C1.2, C1.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fupan.pairing.v1 import service_pb2 as pb
from services.domain import Rejected
from services.pairing.formats import FORMATS
from services.pairing.model.events import Entrant, Member
from services.pairing.model.state import Championship
from services.pairing.persons import Person
from services.runtime.limits import MAX_REQUEST, STEERING
from services.runtime.reasons import chinese
from services.runtime.streams import ID

CHUNK = 1_000
"""Persons one record holds, about."""

MAX_ROWS = 1_000_000
NAMED = 20
"""Bad rows that a refusal names."""

MAX_TOLD = MAX_REQUEST
"""Bytes of bad rows that an answer holds."""

_FRAME = 8

_CONTROL = re.compile(rf"[\x00-\x1f{STEERING}]")


@dataclass(frozen=True, slots=True)
class Intake:
    """Checked rows: entrants for the log, people for Postgres."""

    entrants: tuple[Entrant, ...]
    people: tuple[Person, ...]

    def chunks(self) -> list[tuple[Entrant, ...]]:
        """Entrants in records' portions."""
        size = max(1, CHUNK // max(len(one.members) for one in self.entrants))
        return [self.entrants[i : i + size] for i in range(0, len(self.entrants), size)]


def check(state: Championship, rows: Sequence[pb.ImportRow]) -> Intake:
    """Rows as entrants, numbered where they bring no number. Raises Rejected("BAD_ROWS") naming lines and reasons."""
    if not rows:
        raise Rejected("EMPTY_IMPORT", "", "the import has no rows")
    bad = [f"line {line}: {', '.join(faults)}" for line, faults in _bad(state, rows)]
    if bad:
        more = f"; and {len(bad) - NAMED} more" if len(bad) > NAMED else ""
        raise Rejected("BAD_ROWS", "C1.2", "; ".join(bad[:NAMED]) + more, rows=str(len(bad)))
    return _numbered(state, rows)


def told(state: Championship, rows: Sequence[pb.ImportRow]) -> tuple[list[pb.BadRow], int]:
    """All bad rows with what is wrong, in English and Chinese, as many as a message holds, and how many more there are."""
    named: list[pb.BadRow] = []
    room = more = 0
    for line, faults in _bad(state, rows):
        zh = (chinese("BAD_ROWS", fault) or fault for fault in faults)
        row = pb.BadRow(line=line, why=", ".join(faults), why_zh="，".join(zh))
        room += row.ByteSize() + _FRAME
        if room > MAX_TOLD:
            more += 1
        else:
            named.append(row)
    return named, more


def _bad(state: Championship, rows: Sequence[pb.ImportRow]) -> Iterator[tuple[int, list[str]]]:
    """Lines of the rows that are bad, and what is wrong with them."""
    assert state.settings is not None
    members = FORMATS[state.settings.format].members
    taken = set(state.entrants)
    persons = set(state.persons)
    for row in rows:
        faults = [*_faults(row, members), *_clashes(row, taken, persons)]
        if faults:
            yield row.line, faults
        taken.add(row.number)
        persons.update(member.person_id for member in row.members)


def _faults(row: pb.ImportRow, members: tuple[int, int]) -> Iterable[str]:
    fewest, most = members
    if not fewest <= len(row.members) <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        yield f"{len(row.members)} persons where an entrant has {wanted}"
    for member in row.members:
        if not ID.fullmatch(member.person_id):
            yield f"person id {member.person_id[:60]!r} is not 1 to 40 of a-z 0-9 '-'"
        if member.unit_id and not ID.fullmatch(member.unit_id):
            yield f"unit id {member.unit_id[:60]!r} is not 1 to 40 of a-z 0-9 '-'"
        if len(member.name) > 100 or len(member.contact) > 200:
            yield "name or contact too long (100 and 200 characters)"
        if _CONTROL.search(member.name) or _CONTROL.search(member.contact):
            yield "name or contact holds control characters"


def _clashes(row: pb.ImportRow, taken: set[int], persons: set[str]) -> Iterable[str]:
    if row.number > MAX_ROWS:
        yield f"entrant number {row.number} is above {MAX_ROWS}"
    elif row.number and row.number in taken:
        yield f"entrant number {row.number} is taken"
    own = [member.person_id for member in row.members]
    for person_id in own:
        if person_id in persons or own.count(person_id) > 1:
            yield f"person {person_id} is entered already"


def _numbered(state: Championship, rows: Sequence[pb.ImportRow]) -> Intake:
    given = {row.number for row in rows if row.number} | set(state.entrants)
    free = (number for number in range(1, 2 * MAX_ROWS) if number not in given)
    entrants, people = [], []
    for row in rows:
        listed = tuple(Member(member.person_id, member.unit_id) for member in row.members)
        entrants.append(Entrant(row.number or next(free), listed))
        people += [
            Person(member.person_id, member.name, member.contact)
            for member in row.members
            if member.name or member.contact
        ]
    return Intake(tuple(entrants), tuple(people))
