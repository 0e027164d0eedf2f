"""Where an appeal stands: the fold of its events (C10)."""

from __future__ import annotations

from dataclasses import dataclass

from services.appeals.model.events import (
    AppealDecided,
    AppealFiled,
    BallotCast,
    CaseAssembled,
    FeeRecorded,
    PanelAppointed,
    PanelMember,
    ReminderGiven,
)


@dataclass(frozen=True, slots=True)
class Opening:
    """Who was handed which edition of the case file, and when (µs since 1970)."""

    person_id: str
    opened_us: int
    edition: int


@dataclass(frozen=True, slots=True)
class Settlement:
    """Who dealt with the part that was refused at `refused_us`, `alone` or with all before it, how, and when (µs since 1970)."""

    text: str
    refused_us: int
    alone: bool
    person_id: str
    settled_us: int


@dataclass(frozen=True, slots=True)
class Appeal:
    """The fold of one appeal's events.

    `phase`: `""` (does not exist), `filed` (fee due), `received` (panel due), `voting`, `counting`, then one of `upheld`,
    `rejected`, `lapsed`, `withdrawn`, `dismissed`. `dissolved_us`: when the last panel that did not rule was dissolved, 0 where
    none was.
    """

    phase: str = ""
    filed: AppealFiled | None = None
    appellant: str = ""
    filed_us: int = 0
    fee: FeeRecorded | None = None
    panel: PanelAppointed | None = None
    members: tuple[PanelMember, ...] = ()
    reserves: tuple[PanelMember, ...] = ()
    conflicts: frozenset[str] = frozenset()
    voting_deadline_us: int = 0
    dissolved_us: int = 0
    missed: tuple[tuple[str, int], ...] = ()
    """Members who did not vote, and the deadline that they let pass; until the next panel is appointed."""
    lapsed_us: int = 0
    ballots: tuple[BallotCast, ...] = ()
    decision: AppealDecided | None = None
    fee_outcome: str = ""
    editions: tuple[CaseAssembled, ...] = ()
    """Of the case file, numbered from 1."""
    openings: tuple[Opening, ...] = ()
    reminders: tuple[ReminderGiven, ...] = ()
    settlements: tuple[Settlement, ...] = ()
    """Of what was not carried out, oldest first."""

    @property
    def open(self) -> bool:
        """Whether it still waits for something; no championship is sealed meanwhile (C10.8)."""
        return self.phase in ("filed", "received", "voting", "counting")

    @property
    def case(self) -> CaseAssembled | None:
        """The newest edition of the case file."""
        return self.editions[-1] if self.editions else None

    def overdue(self, now_us: int) -> bool:
        """Whether the answer is due, and not given (C10.5)."""
        return self.open and self.fee is not None and now_us >= self.fee.answer_due_us

    def settlement(self, refused_us: int) -> Settlement | None:
        """How the part has been dealt with that was refused at a time; None where it has not."""
        return next(
            (
                one
                for one in self.settlements
                if refused_us == one.refused_us or (refused_us < one.refused_us and not one.alone)
            ),
            None,
        )

    def reminded(self, about: str, deadline_us: int) -> bool:
        """Whether a reminder of a deadline was given."""
        return any((one.about, one.deadline_us) == (about, deadline_us) for one in self.reminders)

    @property
    def judges(self) -> frozenset[str]:
        """The persons of its panel."""
        return frozenset(one.person_id for one in self.members)

    @property
    def called(self) -> frozenset[str]:
        """The persons of its panel, and its reserves."""
        return self.judges.union(one.person_id for one in self.reserves)

    @property
    def voted(self) -> frozenset[str]:
        """Whose ballots are in."""
        return frozenset(ballot.member for ballot in self.ballots)

    @property
    def missing(self) -> tuple[PanelMember, ...]:
        """Members whose ballots are not in."""
        voted = self.voted
        return tuple(member for member in self.members if member.person_id not in voted)
