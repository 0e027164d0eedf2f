"""Decisions: an action of a seat, what it leads to by itself, and what comes of all bids once decided.

An answer is an event of its own. As soon as nobody is waited for, bids are decided, trumps set, the bottom taken, tricks and
at last the deal settled, until somebody has a choice again.
"""

from __future__ import annotations

from typing import Any

from services.domain import Rejected
from services.games.shengji import bids, bottom, cards, follow, infringements, questions, result, throw, trick
from services.games.shengji.actions import (
    WITH_CARDS,
    WITHOUT_CARDS,
    Action,
    Bid,
    Bury,
    Pass,
    Play,
    Revolt,
    canonical,
    show,
)
from services.games.shengji.bids import DRAWN, Offer
from services.games.shengji.cards import KINDS, Cards
from services.games.shengji.events import (
    BidMade,
    BidOffered,
    BidPassed,
    BottomTaken,
    BottomTurned,
    Buried,
    CardsDrawn,
    CardsPlayed,
    DealEnded,
    DealVoided,
    Event,
    Penalised,
    RevoltPassed,
    ThrowFailed,
    TrickWon,
    TrumpsSet,
)
from services.games.shengji.evolve import worked_out
from services.games.shengji.result import SEATS
from services.games.shengji.state import State, drawn_cards

Events = tuple[Event, ...]

MOST_CARDS = 33
"""The declarer's, with the bottom in its hand: nobody ever shows more."""


def opening(state: State) -> Events:
    """All cards are drawn at once, after which trumps are bid; where dealing is paced, see `draw`."""
    return draw(state, DRAWN)


def draw(state: State, number: int) -> Events:
    """Cards are drawn until `number` are, which decides the bids offered before (S3.1, S4.4).

    Raises Rejected("CARDS_DRAWN") unless more cards are drawn than were, of 100.
    """
    if state.phase != "drawing" or not state.drawn < number <= DRAWN:
        raise Rejected("CARDS_DRAWN", "S3.1", f"{state.drawn} cards are drawn, of {DRAWN}")
    return _follow(state, (*_bids_made(state), CardsDrawn(number)))


def decide(state: State, seat: int, action: Action) -> Events:
    """Events of `seat` taking `action`, consequences included. Raises Rejected with the clause that says no."""
    if seat not in SEATS:
        raise Rejected("NO_SUCH_SEAT", "S2.1", "seats are 0 to 3")
    action = _well_formed(action)
    if state.phase == "over":
        raise Rejected("DEAL_OVER", "S9", "the deal is over")
    asked = questions.put(state, seat)
    match action:
        case Play(played) if asked in ("follow", "lead"):
            first = (_followed if asked == "follow" else _led)(state, seat, played)
        case Bid(shown) if asked == "bid" or state.phase == "drawing":
            first = (_offered(state, seat, shown),)
        case Pass() if asked == "bid":
            first = (BidPassed(seat),)
        case Pass() if asked == "revolt":
            first = (RevoltPassed(seat),)
        case Revolt() if asked == "revolt":
            first = (_revolted(state, seat),)
        case Bury(laid) if asked == "bury":
            first = (_buried(state, seat, laid),)
        case _:
            raise _not_asked(state, seat, action)
    return _follow(state, first)


def penalise(
    state: State, seat: int, code: str, finding: str, *, units: int = 1, amount: int | None = None
) -> Events:
    """Events of a referee's finding against `seat` under a row of the catalogue (S10); see `infringements.rule`.

    Raises Rejected before trumps are set, after the deal, and for what the catalogue does not have.
    """
    row = infringements.find(code)
    outcome = row.outcomes.get(finding)
    if outcome is None:
        raise Rejected("NO_SUCH_FINDING", code, f"{finding!r} is none of {', '.join(row.outcomes)}")
    if state.trumps is None or state.phase == "over" or seat not in SEATS:
        raise Rejected("NO_DEAL_RUNNING", "S9.2", "fines move points within a deal whose declarer is known")
    ruling = infringements.rule(
        outcome, state.points, defender=state.defends(seat), units=units, amount=amount
    )
    found: list[Event] = [Penalised(seat, code, finding, ruling.points)]
    if ruling.ends:
        found.append(_ended(state, ruling.points, 0))
    return tuple(found)


def _well_formed(action: Any) -> Action:
    """The action as the engine writes it. Raises Rejected("MALFORMED_ACTION")."""
    if isinstance(action, WITHOUT_CARDS):
        return action
    if type(action) in WITH_CARDS and _are_cards(action.cards):
        return canonical(action)
    raise Rejected("MALFORMED_ACTION", "S1.1", "not an action with cards of the game")


def _are_cards(given: Any) -> bool:
    """Whether it is a tuple of cards, of no more than anybody ever shows."""
    if not isinstance(given, tuple) or not 0 < len(given) <= MOST_CARDS:
        return False
    return not [card for card in given if type(card) is not int or card not in KINDS]


def _follow(state: State, first: Events) -> Events:
    """`first` and all that follows by itself, each event worked in so that `evolve` finds it done."""
    ahead: list[tuple[State, Event, State]] = []
    batch = first
    while batch:
        for event in batch:
            after = worked_out(state, event)
            ahead.append((state, event, after))
            state = after
        batch = _next(state)
    state.memo.ahead = ahead
    return tuple([event for _, event, _ in ahead])


def _next(state: State) -> Events:
    """What happens by itself; nothing when somebody is asked, cards are still drawn, or the deal is over."""
    if state.phase == "play":
        return _trick_won(state) if len(state.trick) == len(SEATS) else ()
    if state.phase not in ("call", "ask") or questions.asked(state):
        return ()
    return _bids_made(state) or _trumps_set(state)


def _offered(state: State, seat: int, shown: Cards) -> BidOffered:
    if state.answers[seat] is not None:
        raise Rejected("ALREADY_ANSWERED", "S4.4", f"seat {seat} has a bid that is not decided yet")
    drawn = drawn_cards(state, seat)
    bids.made(state.params, state.setting.level, state.standing, seat, shown, drawn, state.drawn)
    return BidOffered(seat, shown)


def _bids_made(state: State) -> Events:
    """Of the bids given, those that count, in the order in which they do (S4.4, S4.5)."""
    offers = [
        Offer(seat, answer, drawn_cards(state, seat))
        for seat, answer in enumerate(state.answers)
        if answer is not None and answer != "pass"
    ]
    if not offers:
        return ()
    counted = bids.decided(state.params, state.setting, state.standing, offers, state.drawn)
    return tuple([BidMade(bid.seat, bid.cards) for _, bid in counted])


def _trumps_set(state: State) -> Events:
    """Trumps and declarer, the bottom turned first if nobody bid; then the bottom is taken (S4.5-S4.7, S5.1)."""
    trumps = bids.settled(state.params, state.setting, state.standing, state.bottom)
    turned = () if state.standing else (BottomTurned(bids.turned(state.bottom)),)
    return (*turned, TrumpsSet(*trumps), BottomTaken(trumps.declarer))


def _revolted(state: State, seat: int) -> DealVoided:
    if not bids.may_revolt(state.params, cards.expand(state.hands[seat])):
        raise Rejected("TOO_MANY_POINTS", "S4.8", f"a hand of more than {bids.REVOLUTION} points is played")
    return DealVoided(seat)


def _buried(state: State, seat: int, laid: Cards) -> Buried:
    if len(laid) != bottom.SIZE:
        raise Rejected("WRONG_NUMBER", "S5.1", f"{bottom.SIZE} cards are laid down, not {len(laid)}")
    if not cards.holds(state.hands[seat], laid):
        raise Rejected("CARD_NOT_IN_HAND", "S5.1", "not all of these cards are in the hand")
    return Buried(seat, laid)


def _led(state: State, seat: int, lead: Cards) -> Events:
    """A lead, and what is left of it if it is a throw that does not stand (S6.4)."""
    if not cards.holds(state.hands[seat], lead):
        raise Rejected("CARD_NOT_IN_HAND", "S6.2", "not all of these cards are in the hand")
    if len(lead) == 1:
        return (CardsPlayed(seat, lead),)
    others = [(state.orders[other], state.hands[other]) for other in SEATS if other != seat]
    verdict = throw.judge(state.params, state.orders[seat], lead, others)
    played = CardsPlayed(seat, verdict.led)
    return (played,) if verdict.stands else (ThrowFailed(seat, lead, verdict.fine), played)


def _followed(state: State, seat: int, played: Cards) -> Events:
    order, asked = state.orders[seat], state.demand
    if asked:
        partial = state.params.partial_tractor_follow
        follow.check(order, state.hands[seat], asked, played, partial=partial)
    return (CardsPlayed(seat, played),)


def _trick_won(state: State) -> Events:
    """The trick on the table, and after the last one the deal (S8, S9.1)."""
    orders = (*state.orders[state.leader :], *state.orders[: state.leader])
    best = trick.winner(state.params, orders, state.trick)
    winner, points = (state.leader + best) % 4, trick.points(state.trick)
    won = TrickWon(winner, points)
    if any(state.hands[winner]):
        return (won,)
    if not state.defends(winner):
        return (won, _ended(state, state.points, 0))
    lead, winning = (orders[0], state.trick[0]), (orders[best], state.trick[best])
    bonus = bottom.bonus(state.params, state.bottom, lead, winning)
    return (won, _ended(state, state.points + points + bonus, bonus))


def _ended(state: State, points: int, bonus: int) -> DealEnded:
    """The end of the deal with `points` to the defenders, `bonus` for the bottom among them."""
    if state.trumps is None:
        raise AssertionError("a deal without trumps cannot end")
    scores = result.scores(state.params, points, state.trumps.declarer)
    return DealEnded(points, bonus, scores)


def _not_asked(state: State, seat: int, action: Action) -> Rejected:
    """Why an action cannot be an answer now."""
    reason, clause, detail = _why(state, seat, action)
    return Rejected(reason, clause, f"seat {seat}, {show(action)}: {detail}")


def _why(state: State, seat: int, action: Action) -> tuple[str, str, str]:
    setting = state.trumps is None
    match action:
        case Bid() if setting:
            return ("ALREADY_ANSWERED", "S4.5", "every seat is asked once")
        case Bid():
            return ("TRUMPS_SET", "S4.5", "after the bottom is taken nobody may change trumps")
        case Revolt() if not state.params.revolution:
            return ("NO_REVOLUTION", "S4.8", "there is no revolution in this event")
        case Revolt() if setting:
            return ("NO_TRUMPS_YET", "S4.8", "trumps come first")
        case Revolt() if not state.defends(seat):
            return ("NOT_A_DEFENDER", "S4.8", "only a defender may void the deal")
        case Revolt():
            return ("ALREADY_ANSWERED", "S4.8", "it was asked once, before the first lead")
        case Bury() if seat != state.declarer:
            return ("NOT_THE_DECLARER", "S5.1", "the declarer lays the bottom")
        case Bury():
            return ("NO_BOTTOM_TO_LAY", "S5.1", "the bottom is laid once, after it is taken")
        case Play() if state.phase != "play":
            return ("BOTTOM_FIRST", "S6.1", "the declarer leads after it has laid the bottom")
        case Play():
            return ("NOT_YOUR_TURN", "S2.1", f"it is seat {state.turn}'s turn")
        case Pass():
            return ("NOT_ASKED", "S4.5", "the seat is not asked")
