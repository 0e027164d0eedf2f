"""What every seat is asked: the choices of a turn and the claims on a tile, and who is still waited for (P6).

Claims are compared by rank, lower goes first (P6.1): wins 0-2 in turn order from the seat that drew, pao and
peng 3, the drawer's eat 4, the next seat's eat 5. Ti and wei never meet a claim: the draw itself lays them.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.games.paohuzi import eats, reading
from services.games.paohuzi.actions import PASS, PENG, PLAYS, WIN, Action, Eat, Peng, Win
from services.games.paohuzi.reading import Reading
from services.games.paohuzi.state import SEATS, UNANSWERED, Seat, State

PAO_RANK = PENG_RANK = 3
OWN_EAT_RANK = 4
NEXT_EAT_RANK = 5
NO_CLAIM = 9

Options = tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions put to the seats at one moment; answers do not change them."""

    options: tuple[Options, Options, Options]
    """What each seat was offered, in canonical order; empty for a seat that is not asked."""
    ranks: tuple[int, int, int]
    """Rank of the best claim each could make."""
    wins: tuple[Reading | None, Reading | None, Reading | None]
    pao: int | None = None
    """Seat whose compulsory pao takes the tile unless somebody wins."""


NOTHING = Questions(((), (), ()), (NO_CLAIM, NO_CLAIM, NO_CLAIM), (None, None, None))


def of(state: State) -> Questions:
    """The questions of `state`, worked out once."""
    questions = state.memo.questions
    if questions is None:
        questions = state.memo.questions = _work_out(state)
    return questions


def asked(state: State) -> tuple[int, ...]:
    """Seats the table waits for, ascending: those whose answer can still outrank the best one given (P6.4)."""
    questions = of(state)
    options, ranks, answers = questions.options, questions.ranks, state.answers
    given = best_given(state, questions)
    return tuple([seat for seat in SEATS if options[seat] and answers[seat] is None and ranks[seat] < given])


def options(state: State, seat: int) -> Options:
    """Legal actions of an asked seat in canonical order; empty for a seat that is not, or no longer, asked."""
    return of(state).options[seat] if seat in asked(state) else ()


def put(state: State, seat: int) -> Options:
    """The question as put to `seat`, until it answers or the tile is awarded.

    A seat whose claims have been outranked is no longer asked, but it must not learn that from its view: it
    may still answer, and its answer is void (P6.4, P7.4).
    """
    return of(state).options[seat] if state.answers[seat] is None else ()


def best_given(state: State, questions: Questions) -> int:
    """Rank of the best claim given so far, a compulsory pao included; NO_CLAIM if there is none."""
    best = NO_CLAIM if questions.pao is None else PAO_RANK
    if state.answers is not UNANSWERED:
        best = min(best, *(rank(state, seat, answer) for seat, answer in enumerate(state.answers)))
    return best


def rank(state: State, seat: int, claim: Action | None) -> int:
    """Rank of a claim of `seat` on the tile on offer; NO_CLAIM for a pass or no answer."""
    if isinstance(claim, Eat):
        return OWN_EAT_RANK if seat == state.actor else NEXT_EAT_RANK
    if isinstance(claim, Peng):
        return PENG_RANK
    return (seat - state.actor) % 3 if isinstance(claim, Win) else NO_CLAIM


def _work_out(state: State) -> Questions:
    match state.phase:
        case "turn":
            return _turn(state)
        case "played" | "drawn":
            return _offer(state)
        case "bright":
            return _bright(state)
        case _:
            return NOTHING


def _turn(state: State) -> Questions:
    """The actor plays, or wins first on what it drew or was dealt (P5.1, P8.4)."""
    number = state.actor
    seat = state.seats[number]
    win = None
    if state.tile and not seat.dead:
        win = reading.best(
            state.params,
            seat.melds,
            seat.hand,
            None,
            "own" if state.drawn else "dealt",
            position(state, seat),
        )
    choice: list[Action] = [WIN] if win else []
    if seat.owes() and seat.can_play():
        choice += [PLAYS[tile] for tile in seat.playable()]
    elif win:
        choice.append(PASS)
    if not choice:
        return NOTHING
    return _only(number, tuple(choice), win)


def _only(number: int, choice: Options, win: Reading | None) -> Questions:
    """The questions of a moment at which one seat alone is asked."""
    return Questions(
        (choice if number == 0 else (), choice if number == 1 else (), choice if number == 2 else ()),
        (0 if number == 0 else NO_CLAIM, 0 if number == 1 else NO_CLAIM, 0 if number == 2 else NO_CLAIM),
        (win if number == 0 else None, win if number == 1 else None, win if number == 2 else None),
    )


def _bright(state: State) -> Questions:
    """Wins on the bright tile, the dealer's with what it was dealt, the others' with the tile (P8.3)."""
    wins = []
    for number in SEATS:
        seat = state.seats[number]
        tile = None if number == state.dealer else state.bright
        wins.append(reading.best(state.params, seat.melds, seat.hand, tile, "dealt", position(state, seat)))
    return _asking(state, [[] for _ in SEATS], wins, None)


def _offer(state: State) -> Questions:
    """Claims on a played tile (P6.2) or a drawn one (P6.3)."""
    tile, actor, drawn = state.tile, state.actor, state.phase == "drawn"
    pao = _pao(state)
    wins: list[Reading | None] = [None, None, None]
    takes: list[list[Action]] = [[], [], []]
    for number in SEATS:
        seat = state.seats[number]
        if seat.dead:
            continue
        if drawn:
            wins[number] = reading.best(
                state.params,
                seat.melds,
                seat.hand,
                tile,
                "own" if number == actor else "other",
                position(state, seat),
            )
        if number != pao:
            takes[number] = _takes(seat, tile, (number - actor) % 3, drawn)
    return _asking(state, takes, wins, pao)


def _takes(seat: Seat, tile: int, distance: int, drawn: bool) -> list[Action]:
    """Peng and eats open to a seat that sits `distance` after the one the tile comes from (P6.2, P6.3, P7)."""
    found: list[Action] = []
    would_owe = seat.owes(more=1)
    if distance and seat.hand[tile] == 2 and not seat.no_peng >> tile & 1:
        left = seat.hand.replace(b"\x02", b"", 1)
        if not would_owe or 1 in left or 2 in left:
            found.append(PENG)
    if (distance == 1 or (drawn and not distance)) and not seat.no_eat >> tile & 1:
        found += [eat for eat, playable in eats.choices(seat.hand, tile) if playable or not would_owe]
    return found


def _pao(state: State) -> int | None:
    """The seat that must pao the tile on offer if nobody wins (P4 pao 1-3); at most one holds the other three."""
    tile, drawn = state.tile, state.phase == "drawn"
    for number in SEATS:
        seat = state.seats[number]
        if number != state.actor and seat.hand[tile] == 3:
            return number
        for meld in seat.melds:
            if meld.tiles[0] != tile:
                continue
            if (meld.name == "wei" and number != state.actor) or (meld.name == "peng" and drawn):
                return number
    return None


def _asking(
    state: State, takes: list[list[Action]], wins: list[Reading | None], pao: int | None
) -> Questions:
    """The questions of an offer. A seat that can only peng or eat what must go into a pao is not asked (P6.4)."""
    if pao is None and not any(takes) and not any(wins):
        return NOTHING
    ranks = [NO_CLAIM, NO_CLAIM, NO_CLAIM]
    choices: list[Options] = [(), (), ()]
    for number in SEATS:
        claims = [WIN, *takes[number]] if wins[number] else takes[number]
        if claims and (pao is None or wins[number]):
            ranks[number], choices[number] = rank(state, number, claims[0]), (*claims, PASS)
    return Questions(
        (choices[0], choices[1], choices[2]),
        (ranks[0], ranks[1], ranks[2]),
        (wins[0], wins[1], wins[2]),
        pao,
    )


_POSITIONS = {
    (last, untouched): frozenset([reading.LAST_TILE] * last + [reading.UNTOUCHED] * untouched)
    for last in (False, True)
    for untouched in (False, True)
}


def position(state: State, seat: Seat) -> frozenset[str]:
    """The circumstances that a win of `seat` would be named for (P10)."""
    return _POSITIONS[not state.stock_left, not seat.touched]
