"""`fupan generate`: a random event, for load and checks: a championship file and its entrants."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import yaml
from cyclopts import Parameter, validators

from clients.cli.files import trouble
from clients.cli.kinds import Form, Game, Kind, find
from clients.cli.output import say
from clients.cli.roster import FIELDS, Person, Row
from clients.cli.words import pick

_SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
_GIVEN = "伟芳娜敏静丽强磊洋艳勇军杰娟涛明超霞平刚"
_UNITS = 12


def generate(
    *,
    out: Annotated[Path, Parameter(help="folder for championship.yaml and entrants.csv")],
    game: Annotated[Game, Parameter(help="what is played")] = "paohuzi",
    form: Annotated[Form, Parameter(name="--format", help="kind of event")] = "individual",
    entrants: Annotated[
        int, Parameter(help="how many entrants", validator=validators.Number(gte=1, lte=1_000_000))
    ] = 30,
    rounds: Annotated[
        int | None,
        Parameter(
            help="default 3, of points 5",
            validator=validators.Number(gte=1, lte=100),
        ),
    ] = None,
    boards: Annotated[
        int,
        Parameter(help="boards a round; deals a match in points", validator=validators.Number(gte=1, lte=64)),
    ] = 4,
    seed: Annotated[
        int,
        Parameter(help="the same seed gives the same event", validator=validators.Number(gte=0, lt=2**63)),
    ] = 1,
) -> None:
    """Write a random event."""
    kind = find(game, form)
    document = {
        "championship": f"generated-{seed}",
        "name": f"Generated event {seed}",
        "ruleset": kind.ruleset,
        "format": form,
        "rounds": rounds or kind.rounds,
        **kind.length(boards),
        "clocks": {"claim_floor_ms": 0, "board_pause_ms": 0, "join_wait_ms": 5_000},
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / "championship.yaml").write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")
        _write(out / "entrants.csv", kind, entrants, seed)
    except OSError as error:
        raise trouble(out, error) from None
    say(
        pick(
            f"{out}: {entrants} entrants; next: fupan championship create {out}/championship.yaml,"
            f" fupan entrants import {out}/entrants.csv",
            f"{out}：{entrants} 个参赛者；接着运行 fupan championship create {out}/championship.yaml"
            f" 和 fupan entrants import {out}/entrants.csv",
        )
    )


def _write(path: Path, kind: Kind, entrants: int, seed: int) -> None:
    """The roster: the first person in plain columns, the others in numbered ones."""
    numbers = ["", *(f"_{number}" for number in range(2, kind.members + 1))]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(f"{name}{number}" for number in numbers for name in FIELDS)
        for row in field(entrants, kind.members, seed):
            writer.writerow(
                value for one in row.members for value in (one.person_id, one.unit_id, one.name, one.contact)
            )


def field(entrants: int, members: int, seed: int) -> Iterator[Row]:
    """So many entrants of so many persons each; the same seed gives the same ones."""
    persons = people(entrants * members, seed)
    for line in range(2, entrants + 2):
        yield Row(line, 0, tuple(islice(persons, members)))


def people(count: int, seed: int) -> Iterator[Person]:
    """So many people with ids, units and names; the same seed gives the same ones."""
    rng = random.Random(seed)
    for number in range(1, count + 1):
        name = rng.choice(_SURNAMES) + "".join(rng.choices(_GIVEN, k=rng.choice((1, 2))))
        unit = f"unit-{rng.randrange(_UNITS) + 1:02d}"
        yield Person(f"player-{number:03d}", unit, name, f"player-{number:03d}@example.org")
