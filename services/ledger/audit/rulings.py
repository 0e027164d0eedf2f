"""Whether every ruling is what the votes say (C10.4): ballots open to what was committed, the majority decides."""

from __future__ import annotations

from typing import Any

from services.domain import Rejected
from services.ledger import ballot
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.overturned import check_overturned
from services.ledger.audit.proceedings import check_proceedings
from services.ledger.audit.report import Tally
from services.ledger.audit.ruled import no_appeal
from services.ledger.audit.ties import check_ties
from services.ledger.ballot import OpenBallot, SealedBallot
from services.ledger.digests import ballots_digest

_OF_AN_APPEAL = ("appeal_key_created", "appeal_key_released", "board_opened_to_panel")


def check_rulings(evidence: Evidence, tally: Tally) -> None:
    """Every decided appeal in the file, and whether those that others name are in it."""
    _named(evidence, tally)
    check_overturned(evidence, tally)
    check_proceedings(evidence, tally)
    check_ties(evidence, tally)
    for _, subject, entries in evidence.of("appeals"):
        private = evidence.dealings.appeal_keys.get(subject.id)
        cast: dict[str, SealedBallot] = {}
        panel = frozenset[str]()
        for entry in entries:
            for event in entry.events:
                if event.kind == "ballot_cast":
                    message = event.message
                    cast[message.member] = SealedBallot(message.commitment, message.sealed_opening)
                    if message.member not in panel:
                        _wrong(
                            tally,
                            entry,
                            "NOT_ON_PANEL",
                            f"{message.member} voted and was not on the panel (C10.4)",
                        )
                elif event.kind == "panel_appointed":
                    cast.clear()  # a new panel votes from the start
                    panel = frozenset(one.person_id for one in event.message.members)
                elif event.kind == "member_replaced":
                    panel = panel - {event.message.person_id} | {event.message.by.person_id}
                elif event.kind in ("ballot_rejected", "panel_dissolved"):
                    cast.clear()
                    panel = frozenset()
                elif event.kind == "voting_closed":
                    _closed(tally, entry, subject.id, event.message, cast)
                elif event.kind == "appeal_decided":
                    tally.done += 1
                    _decided(tally, entry, subject.id, event.message, cast)
                    _sealed(tally, entry, subject.id, event.message, cast, private)


def _named(evidence: Evidence, tally: Tally) -> None:
    """Whether appeals that the dealer made a key for, or opened a board to, are in the file."""
    if not any(evidence.of("appeals")) and not any(evidence.of("scoring")):
        tally.missing.append("the appeals' records are not in this file")
    told = set[str]()
    for entry, event in evidence.events("dealer"):
        appeal = event.message.appeal if event.kind in _OF_AN_APPEAL else ""
        if appeal and appeal not in told and not evidence.holds_appeal(appeal):
            no_appeal(evidence, tally, entry, appeal)
        told.add(appeal)


def _closed(tally: Tally, entry: Entry, appeal: str, closed: Any, cast: dict[str, SealedBallot]) -> None:
    """No ballot came, went or changed after the key was released."""
    due = ballots_digest(appeal, ((member, sealed.commitment) for member, sealed in cast.items()))
    if (closed.ballots, closed.ballots_digest) != (len(cast), due):
        _wrong(tally, entry, "BALLOTS_DIGEST", "the ballots are not those that voting was closed on")


def _decided(tally: Tally, entry: Entry, appeal: str, decided: Any, cast: dict[str, SealedBallot]) -> None:
    members = [opened.member for opened in decided.ballots]
    for opened in decided.ballots:
        sealed = cast.get(opened.member)
        if sealed is None:
            _wrong(tally, entry, "BALLOT_NOT_CAST", f"{opened.member} cast no ballot that counts")
        elif not ballot.fits(
            appeal, opened.member, sealed.commitment, OpenBallot(opened.uphold, opened.opening)
        ):
            _wrong(tally, entry, "BALLOT_MISMATCH", f"{opened.member}'s vote is not the one committed to")
    if len(set(members)) != len(members) or len(members) < 3 or len(members) % 2 == 0:
        _wrong(
            tally, entry, "PANEL_SIZE", f"{len(members)} ballots are no odd panel of three or more (C10.3)"
        )
    votes_for = sum(opened.uphold for opened in decided.ballots)
    told = (decided.votes_for, decided.votes_against, decided.upheld)
    if told != (votes_for, len(members) - votes_for, 2 * votes_for > len(members)):
        against = len(members) - votes_for
        _wrong(tally, entry, "NO_MAJORITY", f"{votes_for} to {against} is not what was ruled (C10.4)")


def _sealed(
    tally: Tally,
    entry: Entry,
    appeal: str,
    decided: Any,
    cast: dict[str, SealedBallot],
    private: bytes | None,
) -> None:
    """With the appeal's released key: the sealed ballots themselves say what was published of them."""
    if private is None:
        tally.missing.append(f"the key of appeal {appeal} is not in this file; sealed ballots stay closed")
        return
    for opened in decided.ballots:
        sealed = cast.get(opened.member)
        if sealed is None:
            continue
        try:
            inside = ballot.open_ballot(appeal, opened.member, sealed, private)
        except Rejected as refused:
            _wrong(tally, entry, refused.reason, refused.detail)
            continue
        if inside != OpenBallot(opened.uphold, opened.opening):
            _wrong(tally, entry, "BALLOT_MISMATCH", f"{opened.member}'s sealed ballot says otherwise")


def _wrong(tally: Tally, entry: Entry, code: str, detail: str) -> None:
    tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, code, detail)
