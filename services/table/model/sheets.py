"""The score sheet of a match with real cards (记分表; C8.6, S10): what is ordered, what happened, what stands on it.

One to one with protos/fupan/table/v1/sheet.proto. Two figures, levels or players are by side: seats 0+2, seats 1+3. What a sheet
is worth — who has signed, whether it counts — is `services.games.championship.sheet`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from services.games.championship.sheet import Sheet

Capacity = Literal["player", "third_party", "witness"]
"""What somebody signs as."""

LastDeal = Literal["", "finish_deal", "one_more_deal"]
"""Why the last deal was still played when time was over (C8.3)."""


@dataclass(frozen=True, slots=True)
class SheetDeal:
    """One scored deal: `points` are the defenders' P, bottom and fines included; `rises` count levels past A (S9.2, S9.3)."""

    declarer: int
    level: str
    points: int
    fines: tuple[int, ...]
    rises: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SheetFigures:
    """What is written down of a match; times are microseconds since 1970."""

    place: str
    started_us: int
    ended_us: int
    deals: tuple[SheetDeal, ...]
    last_deal: LastDeal = ""


@dataclass(frozen=True, slots=True)
class SheetResult:
    """What the deals lead to, or what was ruled: the winner's side, levels at the end, and the clause that decided."""

    winner: int
    levels: tuple[str, ...]
    clause: str


# Events


@dataclass(frozen=True, slots=True)
class InfringementEntered:
    """An infringement of the catalogue with its fine (S10); `deal`, `seat` and `act` say which act it is (S9.2)."""

    deal: int
    seat: int
    act: int
    code: str
    finding: str
    cards: int
    fine: int
    reason: str

    @property
    def key(self) -> tuple[int, int, int]:
        """Which act it is."""
        return self.deal, self.seat, self.act


@dataclass(frozen=True, slots=True)
class InfringementLifted:
    """An infringement was entered by mistake."""

    deal: int
    seat: int
    act: int
    reason: str


@dataclass(frozen=True, slots=True)
class SheetEntered:
    """A referee entered the deals; all signatures are asked for again."""

    figures: SheetFigures
    result: SheetResult
    reason: str


@dataclass(frozen=True, slots=True)
class SheetSigned:
    """Somebody signed; the record's actor took the signature."""

    person: str
    capacity: Capacity


@dataclass(frozen=True, slots=True)
class SignatureRefused:
    """A player refused to sign; a referee says so."""

    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class SheetDisputed:
    """A player disputes what is entered; the chief referee decides."""

    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class SheetDecided:
    """The chief referee decided; the match counts (C9.2)."""

    figures: SheetFigures
    result: SheetResult
    reason: str


@dataclass(frozen=True, slots=True)
class SheetConfirmed:
    """A referee verified what both sides have signed; the match counts (C8.6)."""


SheetEvent = (
    InfringementEntered
    | InfringementLifted
    | SheetEntered
    | SheetSigned
    | SignatureRefused
    | SheetDisputed
    | SheetDecided
    | SheetConfirmed
)

# Commands


@dataclass(frozen=True, slots=True)
class EnterInfringement:
    """Enter an infringement; `amount` is its fine where the catalogue leaves it to the referee."""

    deal: int
    seat: int
    act: int
    code: str
    finding: str
    cards: int
    amount: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class LiftInfringement:
    """Take an infringement back."""

    deal: int
    seat: int
    act: int
    reason: str


@dataclass(frozen=True, slots=True)
class EnterSheet:
    """Enter the deals; `reason` is for entering them anew."""

    figures: SheetFigures
    reason: str


@dataclass(frozen=True, slots=True)
class SignSheet:
    """Sign, or take a signature."""

    person: str
    capacity: Capacity


@dataclass(frozen=True, slots=True)
class RefuseSignature:
    """Enter that a player does not sign."""

    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class DisputeSheet:
    """Dispute what is entered."""

    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class DecideSheet:
    """Decide a dispute, by other `figures` or as they are; or rule that side `winner` wins by a `clause`."""

    figures: SheetFigures | None
    winner: int | None
    clause: str
    reason: str


@dataclass(frozen=True, slots=True)
class ConfirmSheet:
    """Confirm a signed sheet."""


SheetCommand = (
    EnterInfringement
    | LiftInfringement
    | EnterSheet
    | SignSheet
    | RefuseSignature
    | DisputeSheet
    | DecideSheet
    | ConfirmSheet
)

# State


@dataclass(frozen=True, slots=True)
class MatchSheet:
    """What was written down of a match so far. `figures` and `sheet` are None until deals are entered, and again after a change of
    the infringements; `entered` tells whether they ever were."""

    infringements: tuple[InfringementEntered, ...] = ()
    figures: SheetFigures | None = None
    sheet: Sheet | None = None
    entered: bool = False
    taken_by: tuple[tuple[str, str], ...] = ()
    """(person, referee) of signatures that were given on a referee's device (C9.4)."""

    @property
    def counts(self) -> bool:
        """Whether the match counts and the players may leave (C8.6)."""
        return self.sheet is not None and self.sheet.counts


NOTHING_WRITTEN = MatchSheet()
