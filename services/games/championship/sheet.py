"""Score sheet of a match (記分表): what stands on it, who has signed it, and when it counts (C8.6).

A sheet is `open` until a result is entered and signed, `signed` once every player has signed, `disputed` once a signature
is refused, and `verified` when the referee has checked it, or the chief referee has decided a disputed one. Only then does
the match count, and may the players leave. What has been signed is what was entered: entering anew asks for all signatures
again. Who may act as a referee is for the caller to know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.domain import Rejected
from services.games.championship.netlevels import LEVELS
from services.games.championship.points import (
    LOSS,
    WIN,
    Due,
    MatchResult,
    MatchState,
    at_time,
    by_deal,
    deal_winner,
    past_a,
)

OPEN, SIGNED, DISPUTED, VERIFIED = "open", "signed", "disputed", "verified"


@dataclass(frozen=True, slots=True)
class SheetSide:
    """One side: entrant number, its players and the unit of each."""

    entrant: int
    players: tuple[str, ...]
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DealLine:
    """Result of one deal (小分); two figures are by side: seats 0+2, seats 1+3."""

    declarer: int
    """Seat."""
    level: str
    """Of the deal."""
    points: int
    """The defenders' P, bottom and fines included."""
    fines: tuple[int, int] = (0, 0)
    """Points each side was fined."""
    rise: tuple[int, int] = (0, 0)
    """Levels each side rose; whoever rises past A has won."""


@dataclass(frozen=True, slots=True)
class InfringementLine:
    """An infringement (違例): deal number from 1, player, code of the catalogue, and what was done about it."""

    deal: int
    player: str
    code: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Signature:
    """A person's signature, microseconds since 1970."""

    by: str
    at: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A signature refused, entered by a referee with the reason."""

    player: str
    reason: str
    entered: Signature


@dataclass(frozen=True, slots=True)
class Sheet:
    """A score sheet; times are microseconds since 1970, `ended` 0 while nothing is entered.

    `decision` is the chief referee's reason on a disputed sheet.
    """

    match: str
    place: str
    began: int
    sides: tuple[SheetSide, SheetSide]
    ended: int = 0
    deals: tuple[DealLine, ...] = ()
    infringements: tuple[InfringementLine, ...] = ()
    result: MatchResult | None = None
    signatures: tuple[Signature, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    third_party: Signature | None = None
    witness: Signature | None = None
    referee: Signature | None = None
    decision: str = ""

    @property
    def players(self) -> tuple[str, ...]:
        """The players of both sides."""
        return self.sides[0].players + self.sides[1].players

    @property
    def unsigned(self) -> tuple[str, ...]:
        """Players who have neither signed nor refused to."""
        done = {signature.by for signature in self.signatures} | {refusal.player for refusal in self.refusals}
        return tuple(player for player in self.players if player not in done)

    @property
    def state(self) -> str:
        """OPEN, SIGNED, DISPUTED or VERIFIED."""
        if self.referee is not None:
            return VERIFIED
        if self.refusals:
            return DISPUTED
        return OPEN if self.result is None or self.unsigned else SIGNED

    @property
    def counts(self) -> bool:
        """Whether the match counts and the players may leave."""
        return self.state == VERIFIED

    @property
    def match_points(self) -> tuple[int, int] | None:
        """Points (大分) by side; None while nothing is entered (C8.2)."""
        if self.result is None:
            return None
        return (WIN, LOSS) if self.result.winner == 0 else (LOSS, WIN)

    def difference(self, a_is_a_level: bool = False) -> tuple[int, int] | None:
        """Net levels ± by side; None while nothing is entered (C8.4)."""
        if self.result is None:
            return None
        net = self.result.net(a_is_a_level)
        return (net, -net) if self.result.winner == 0 else (-net, net)


def enter(
    sheet: Sheet,
    ended: int,
    deals: Sequence[DealLine],
    infringements: Sequence[InfringementLine] = (),
    due: Due | None = None,
    ruled: MatchResult | None = None,
) -> Sheet:
    """The sheet with these deals on it, unsigned; the result follows from them (see `result_of`), unless it was `ruled`.

    Raises Rejected on a verified sheet, for an infringement of somebody who does not play or in no deal, an end before the
    beginning, and as `result_of`.
    """
    _unverified(sheet)
    for line in infringements:
        _plays(sheet, line.player)
        if not 0 <= line.deal <= len(deals) + 1:
            raise Rejected("NO_SUCH_DEAL", "C8.6", f"an infringement in deal {line.deal} of {len(deals)}")
    if ended < sheet.began:
        raise Rejected("ENDED_BEFORE_IT_BEGAN", "C8.6", "the match ended before it began")
    return replace(
        sheet,
        ended=ended,
        deals=tuple(deals),
        infringements=tuple(infringements),
        result=ruled or result_of(deals, due),
        signatures=(),
        refusals=(),
        third_party=None,
        witness=None,
    )


def result_of(deals: Sequence[DealLine], due: Due | None = None) -> MatchResult:
    """The result that the scored deals of a match lead to; `due` is why the last one was still played (C8.3).

    Raises Rejected for deals that do not fit together: a level that is not the declaring side's, rises of the side that lost
    the deal, deals after the match was won, a last deal that was not due, or a match that nobody has won yet.
    """
    state, before = MatchState(("2", "2")), MatchState(("2", "2"))
    for number, deal in enumerate(deals, 1):
        before, (state, winner) = state, _scored(state, deal, number)
        if winner is not None:
            if number < len(deals):
                raise _misfit(
                    f"deal {number + 1} was played after the match was won",
                    f"第 {number + 1} 副在已分胜负之后",
                )
            return past_a(winner, state.levels)
    if due is None:
        result = at_time(state)
    elif not deals or at_time(replace(before, dealing=due is Due.FINISH_DEAL)) is not due:
        raise _misfit("the last deal was not due any more when time was over", "时间已到，最后一副不应再打")
    else:
        result = by_deal(due, deals[-1].declarer % 2, deals[-1].points, state.levels)
    if isinstance(result, Due):
        raise _misfit(
            "nobody has won yet: both sides never left 2, one more deal is due",
            "双方都未过 2，未分胜负，须加打一副",
        )
    return result


def _scored(state: MatchState, deal: DealLine, number: int) -> tuple[MatchState, int | None]:
    """The state after a deal, and the side that has risen past A in it."""
    if deal.declarer not in range(4) or deal.level != state.levels[deal.declarer % 2]:
        raise _misfit(
            f"deal {number}: level {deal.level} is not that of seat {deal.declarer}'s side",
            f"第 {number} 副的级 {deal.level} 不是 {deal.declarer} 座一方的级",
        )
    winners = deal_winner(deal.declarer % 2, deal.points)
    rise = deal.rise[winners]
    if rise < 0 or deal.rise[1 - winners]:
        raise _misfit(f"deal {number}: a side rises that has not won it", f"第 {number} 副未胜的一方升了级")
    if rise == 0:
        return state, None
    risen = LEVELS.index(state.levels[winners]) + rise
    levels, reached = list(state.levels), list(state.reached)
    levels[winners], reached[winners] = LEVELS[min(risen, len(LEVELS) - 1)], number
    after = MatchState((levels[0], levels[1]), (reached[0], reached[1]))
    return after, winners if risen >= len(LEVELS) else None


def sign(sheet: Sheet, signature: Signature) -> Sheet:
    """A player signs what is entered; a refusal of its own is thereby withdrawn.

    Raises Rejected on a verified sheet, before anything is entered, for somebody who does not play or has signed already.
    """
    _entered(sheet)
    _plays(sheet, signature.by)
    if any(signature.by == given.by for given in sheet.signatures):
        raise Rejected("SIGNED_ALREADY", "C8.6", f"{signature.by} has signed already")
    left = tuple(refusal for refusal in sheet.refusals if refusal.player != signature.by)
    return replace(sheet, signatures=(*sheet.signatures, signature), refusals=left)


def refuse(sheet: Sheet, refusal: Refusal) -> Sheet:
    """A player refuses to sign; the referee enters it with the reason, and the sheet is disputed.

    Raises Rejected on a verified sheet, before anything is entered, without a reason, or for somebody who does not play, has
    signed, or has refused already.
    """
    _entered(sheet)
    _plays(sheet, refusal.player)
    if refusal.player not in sheet.unsigned:
        raise Rejected("SIGNED_ALREADY", "C8.6", f"{refusal.player} has signed or refused already")
    if not refusal.reason.strip():
        raise Rejected("REASON_MISSING", "C8.6", "a refused signature is entered with the reason")
    return replace(sheet, refusals=(*sheet.refusals, refusal))


def attest(sheet: Sheet, third_party: Signature | None = None, witness: Signature | None = None) -> Sheet:
    """A third party or a witness, neither of whom plays, signs what is entered.

    Raises Rejected on a verified sheet, before anything is entered, or for a player of the match.
    """
    _entered(sheet)
    for given in (third_party, witness):
        if given is not None and given.by in sheet.players:
            raise Rejected("PLAYS_THE_MATCH", "C8.6", f"{given.by} plays the match")
    return replace(sheet, third_party=third_party or sheet.third_party, witness=witness or sheet.witness)


def verify(sheet: Sheet, referee: Signature) -> Sheet:
    """The referee has checked the entered result, both sides have signed: the match counts.

    Raises Rejected unless the sheet is signed.
    """
    if sheet.state != SIGNED:
        detail = f"the sheet is {sheet.state}, not signed by {', '.join(sheet.unsigned) or 'everybody'}"
        raise Rejected("SHEET_NOT_SIGNED", "C8.6", detail)
    return replace(sheet, referee=referee)


def decide(sheet: Sheet, chief: Signature, reason: str) -> Sheet:
    """The chief referee lets a disputed sheet count as it is entered; to change it, it is entered anew.

    Raises Rejected unless the sheet is disputed, every player has signed or refused, and there is a reason.
    """
    if sheet.state != DISPUTED or sheet.unsigned:
        raise Rejected(
            "SHEET_NOT_DISPUTED", "C8.6", f"the sheet is {sheet.state}, or somebody is yet to sign"
        )
    if not reason.strip():
        raise Rejected("REASON_MISSING", "C8.6", "a dispute is decided with a reason")
    return replace(sheet, referee=chief, decision=reason)


def _unverified(sheet: Sheet) -> None:
    if sheet.state == VERIFIED:
        raise Rejected("SHEET_VERIFIED", "C8.6", f"the sheet of {sheet.match} has been verified")


def _entered(sheet: Sheet) -> None:
    _unverified(sheet)
    if sheet.result is None:
        raise Rejected("NOTHING_ENTERED", "C8.6", f"no result is entered for {sheet.match}")


def _plays(sheet: Sheet, person: str) -> None:
    if person not in sheet.players:
        raise Rejected("NOT_A_PLAYER", "C8.6", f"{person} does not play {sheet.match}")


def _misfit(detail: str, chinese: str) -> Rejected:
    return Rejected("SHEET_DOES_NOT_ADD_UP", "C8.6", detail, detail_zh=chinese)
