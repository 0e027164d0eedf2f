"""Decisions: an action of a seat, what it leads to by itself, and what comes of all claims once decided (P5, P6).

An answer to a claim is an event of its own. As soon as nobody who is waited for can outrank the best claim
given, the tile is awarded, and draws and compulsory melds follow until somebody has a choice again.
"""

from __future__ import annotations

from services.games.paohuzi import questions, refusals, score
from services.games.paohuzi.actions import PASS, PENG, Action, Eat, Pass, Peng, Play, Win, canonical
from services.games.paohuzi.events import (
    BoardDrawn,
    BrightTilePassed,
    EatClaimed,
    Eaten,
    Event,
    HandDied,
    KindPassed,
    PaoLaid,
    Passed,
    PengClaimed,
    Ponged,
    TiDealt,
    TiLaid,
    TileDied,
    TileDrawn,
    TilePlayed,
    WeiLaid,
    WinClaimed,
    Won,
)
from services.games.paohuzi.evolve import evolve
from services.games.paohuzi.questions import Questions
from services.games.paohuzi.reading import Reading
from services.games.paohuzi.state import SEATS, State

Events = tuple[Event, ...]


def opening(state: State) -> Events:
    """Events that follow the deal: dealt ti (P5.1), and what follows when the dealer owes nothing."""
    return _follow(state, ())


def decide(state: State, seat: int, action: Action) -> Events:
    """Events of `seat` taking `action`. Raises Rejected with the clause that says no; see `refusals`.

    A seat whose claims were outranked meanwhile may still answer, which changes nothing but its own view.
    """
    if seat not in SEATS or action not in questions.put(state, seat):
        action = canonical(action)
        if seat not in SEATS or action not in questions.put(state, seat):
            raise refusals.of(state, seat, action)
    return _follow(state, (_act(state, seat, action),))


def _act(state: State, seat: int, action: Action) -> Event:
    match action:
        case Play(tile):
            return TilePlayed(seat, tile)
        case Pass():
            return Passed(seat)
        case Peng():
            return PengClaimed(seat)
        case Eat(using, along):
            return EatClaimed(seat, using, along)
        case Win():
            win = questions.of(state).wins[seat]
            if state.phase == "turn" and win:
                return _won(state, seat, win)
            return WinClaimed(seat)


def _follow(state: State, first: Events) -> Events:
    """`first` and all that follows it by itself, each event worked in so that `evolve` finds it done."""
    events: list[Event] = []
    batch = first or _next(state)
    while batch:
        for event in batch:
            after = evolve(state, event)
            state.memo.ahead = (event, after)
            events.append(event)
            state = after
        batch = _next(state)
    return tuple(events)


def _next(state: State) -> Events:
    """What happens by itself; nothing when somebody is asked, or the board is over."""
    if state.phase == "due":
        return (_draw(state),)
    if state.phase == "over" or questions.asked(state):
        return ()
    match state.phase:
        case "opening":
            return (_dealt_ti(state),)
        case "turn":
            return (HandDied(state.actor) if state.seats[state.actor].owes() else _draw(state),)
        case _:
            return _award(state)


def _dealt_ti(state: State) -> TiDealt:
    """The next dealt ti, the dealer's first, then in turn order (P5.1)."""
    for distance in SEATS:
        seat = (state.dealer + distance) % 3
        tile = state.seats[seat].hand.find(4)
        if tile > 0:
            return TiDealt(seat, tile)
    raise AssertionError("an opening without a dealt ti")


def _draw(state: State) -> Event:
    """The next stock tile, straight into a ti or wei where it must (P4, P6.1), else shown (P5.3)."""
    if not state.stock_left:
        return BoardDrawn()
    number = (state.actor + 1) % 3
    tile = state.stock[state.drawn]
    seat = state.seats[number]
    if seat.hand[tile] == 3 or any(meld.name == "wei" and meld.tiles[0] == tile for meld in seat.melds):
        return TiLaid(number, tile)
    if seat.hand[tile] == 2:
        return WeiLaid(number, tile, stale=bool(seat.peng_passed >> tile & 1))
    return TileDrawn(number, tile)


def _award(state: State) -> Events:
    """The best claim gets the tile (P6.1), then the passes that count are marked (P7.4)."""
    put = questions.of(state)
    rank, seat = min((questions.rank(state, seat, answer), seat) for seat, answer in enumerate(state.answers))
    win = put.wins[seat]
    if rank < questions.PAO_RANK and win:
        return (_won(state, seat, win),)
    if state.phase == "bright":
        return (BrightTilePassed(),)
    if put.pao is not None:
        return (PaoLaid(put.pao, state.tile), *_passes(state, put, questions.PAO_RANK))
    if rank == questions.NO_CLAIM:
        return (TileDied(state.actor, state.tile), *_passes(state, put, rank))
    return (_taken(state, seat), *_passes(state, put, rank))


def _taken(state: State, seat: int) -> Ponged | Eaten:
    """The award of the tile to `seat`'s peng or eat."""
    claim = state.answers[seat]
    if isinstance(claim, Eat):
        return Eaten(seat, state.tile, claim.using, claim.along)
    return Ponged(seat, state.tile)


def _passes(state: State, put: Questions, awarded: int) -> list[Event]:
    """The passes that count: by choice, and not for a tile that went to a better claim than any passed (P7.1-4)."""
    marks: list[Event] = []
    for seat in SEATS:
        if state.answers[seat] != PASS:
            continue
        could = [claim for claim in put.options[seat] if isinstance(claim, Peng | Eat)]
        if could and questions.rank(state, seat, could[0]) <= awarded:
            from_next_seat = (seat - state.actor) % 3 == 2
            marks.append(KindPassed(seat, state.tile, eat=not from_next_seat, peng=PENG in could))
    return marks


def _won(state: State, seat: int, win: Reading) -> Won:
    scores = score.by_seat(seat, win.gain)
    return Won(seat, state.tile, win.melds, win.huxi, win.names, win.fan, scores)
