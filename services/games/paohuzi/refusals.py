"""Why an action is refused: the first clause that says no, in the order a referee would ask.

Only called for actions that are not among a seat's options, so it may take its time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from services.domain import Rejected
from services.games.paohuzi import eats, melds, questions, reading, tiles
from services.games.paohuzi.actions import Action, Eat, Pass, Peng, Play, Win, show
from services.games.paohuzi.reading import Reading
from services.games.paohuzi.state import SEATS, Seat, State


def of(state: State, seat: int, action: Action) -> Rejected:
    """The refusal of `action`, which is not open to `seat`. Malformed ones have no clause."""
    if seat not in SEATS:
        return Rejected("NO_SUCH_SEAT", "P2", "seats are 0, 1 and 2")
    if not _well_formed(action):
        return Rejected("MALFORMED_ACTION", "P1", "not an action with tiles of the game")
    if state.phase == "over":
        return Rejected("BOARD_OVER", "P0", "the board is over")
    reason, clause, detail = _why(state, seat, action)
    return Rejected(reason, clause, f"seat {seat}, {show(action)}: {detail}")


Why = tuple[str, str, str]
"""Reason, clause, English."""


def _well_formed(action: object) -> bool:
    match action:
        case Play(tile):
            return tile in tiles.KINDS
        case Eat(using, along):
            members = [*using, *(tile for meld in along for tile in meld.tiles)]
            return len(using) == 2 and all(tile in tiles.KINDS for tile in members)
        case Win() | Peng() | Pass():
            return True
        case _:
            return False


def _why(state: State, number: int, action: Action) -> Why:
    seat = state.seats[number]
    if state.answers[number] is not None:
        return ("ALREADY_ANSWERED", "P6.4", "the seat has answered")
    if seat.dead:
        return ("DEAD_HAND", "P5.7", "a dead hand neither plays, wins, eats nor pengs")
    match action:
        case Play(tile):
            return _why_no_play(state, number, seat, tile)
        case Win():
            return _why_no_win(state, number, seat)
        case Peng():
            return _why_no_offer(state) or _why_no_peng(state, number, seat)
        case Eat():
            return _why_no_offer(state) or _why_no_eat(state, number, seat, action)
        case Pass():
            if state.phase == "turn" and number == state.actor:
                return ("TILE_OWED", "P5.4", "a tile is owed")
            return ("NOT_ASKED", "P6.4", "the seat is not asked")


def _why_no_play(state: State, number: int, seat: Seat, tile: int) -> Why:
    if state.phase not in ("turn", "bright") or number != state.actor or not seat.owes():
        return ("NO_TILE_OWED", "P5.4", "the seat owes no tile now")
    if not seat.hand[tile]:
        return ("TILE_NOT_IN_HAND", "P5.6", "the tile is not in the hand")
    if seat.hand[tile] > 2:
        return ("MUST_KEEP_KAN", "P5.6", "the tile is part of a kan")
    return ("BRIGHT_TILE_FIRST", "P8.3", "wins on the bright tile come before the first play")


def _why_no_win(state: State, number: int, seat: Seat) -> Why:
    match state.phase:
        case "drawn":
            drawn, tile = "own" if number == state.actor else "other", state.tile
        case "turn" | "bright" if state.tile and number == state.actor:
            drawn, tile = "own" if state.drawn else "dealt", 0
        case "bright":
            drawn, tile = "dealt", state.tile
        case "turn" if state.tile and state.drawn:
            return ("TILE_BOUND", "P6.1", "the drawn tile went into a wei or ti, which come before a win")
        case _:
            return ("NOT_A_STOCK_TILE", "P8.3", "only a tile from the stock, or the dealer's deal, wins")
    if _reading(state, seat, drawn, tile):
        return ("HUXI_TOO_FEW", "P8.2", f"the hand has fewer than {state.params.min_huxi} huxi")
    if drawn == "own" and _unbound(state, seat, tile):
        return ("DRAWN_TILE_BOUND", "P8.4", "the drawn tile is bound in a wei or ti")
    return (
        "NOT_SEVEN_MELDS",
        "P8.1",
        "the hand is not seven melds, with a pair if and only if it has ti or pao",
    )


def _reading(state: State, seat: Seat, drawn: str, tile: int) -> Reading | None:
    """How the hand would win if any number of huxi were enough."""
    return reading.best(replace(state.params, min_huxi=0), seat.melds, seat.hand, tile or None, drawn)


def _unbound(state: State, seat: Seat, tile: int) -> bool:
    """Whether the hand would win if the tile it drew were not bound in a wei or ti (P8.4)."""
    if tile:
        return False
    drew = state.tile
    hand, laid = bytearray(seat.hand), list(seat.melds)
    for index, meld in enumerate(laid):
        if meld.name in ("wei", "chouwei", "ti") and meld.tiles[0] == drew:
            hand[drew] += len(meld.tiles) - 1
            del laid[index]
            break
    return hand[drew] > 0 and reading.best(state.params, tuple(laid), hand, drew, "other") is not None


def _why_no_offer(state: State) -> Why | None:
    if state.phase in ("played", "drawn"):
        return None
    opening = not state.drawn and not any(seat.played for seat in state.seats)
    if opening:
        return ("BRIGHT_TILE", "P5.1", "the bright tile is neither eaten nor ponged")
    return ("TILE_GONE", "P6.4", "no tile is on offer")


def _why_no_peng(state: State, number: int, seat: Seat) -> Why:
    tile, played = state.tile, state.phase == "played"
    if number == state.actor:
        return ("OWN_TILE", "P6.2" if played else "P6.3", "a peng takes a tile that another played or drew")
    dead = _why_dead(seat, tile, bool(seat.no_peng >> tile & 1))
    if dead:
        return dead
    if seat.hand[tile] != 2:
        return ("NO_PAIR", "P4", "a peng needs a pair in the hand")
    return ("NOTHING_LEFT_TO_PLAY", "P5.7", "a tile would be owed and none could be played")


def _why_no_eat(state: State, number: int, seat: Seat, eat: Eat) -> Why:
    tile, distance = state.tile, (number - state.actor) % 3
    if state.phase == "played" and distance != 1:
        return ("NOT_NEXT_SEAT", "P6.2", "only the next seat eats a played tile")
    if distance == 2:
        return ("NOT_NEXT_SEAT", "P6.3", "only the drawer and the next seat eat a drawn tile")
    dead = _why_dead(seat, tile, bool(seat.no_eat >> tile & 1))
    if dead:
        return dead
    wrong = _why_wrong_tiles(seat, tile, eat)
    if wrong:
        return wrong
    if _knows_of_pao(state, number):
        return ("OUTRANKED", "P6.1", "the tile must go into a pao")
    if eat in [choice for choice, _ in eats.choices(seat.hand, tile)]:
        return ("NOTHING_LEFT_TO_PLAY", "P5.7", "a tile would be owed and none could be played")
    return ("MUST_LAY_ALONG", "P7.5", "every other copy of the tile must be laid along, and nothing else")


def _knows_of_pao(state: State, number: int) -> bool:
    """Whether a pao stands against a claim, and the seat may be told so. Whoever is asked whether it wins is told of its own alone:
    that another holds a kan shows when the tile is awarded."""
    pao = questions.of(state).pao
    return pao is not None and (pao == number or not questions.put(state, number))


def _why_dead(seat: Seat, tile: int, dead: bool) -> Why | None:
    if not dead:
        return None
    if seat.played >> tile & 1:
        return ("KIND_PLAYED", "P7.3", "the seat has played this kind")
    if seat.no_eat >> tile & 1:
        return ("KIND_PASSED", "P7.1", "the seat has passed this kind")
    return ("PENG_PASSED", "P7.2", "the seat has passed a peng of this kind")


def _why_wrong_tiles(seat: Seat, tile: int, eat: Eat) -> Why | None:
    needed = Counter([*eat.using, *(member for meld in eat.along for member in meld.tiles)])
    if any(seat.hand[kind] < number for kind, number in needed.items()):
        return ("TILE_NOT_IN_HAND", "P5.6", "a tile is not in the hand")
    if any(seat.hand[kind] > 2 for kind in needed):
        return ("MUST_KEEP_KAN", "P4", "a kan is never broken")
    eaten = sorted((tile, *eat.using))
    if not melds.is_run(eaten) and not melds.is_jiao(eaten):
        return ("NOT_A_MELD", "P4", "the tiles are neither a run nor a jiao")
    return None
