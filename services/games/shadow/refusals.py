"""The clause by which the shadow referee refuses an act, in the order a referee would ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.games.shadow import hands as shadow
from services.games.shadow.hands import Tile, without

if TYPE_CHECKING:
    from services.games.shadow.paohuzi import Board


def clause(board: Board, seat: int, do: str) -> str:
    """The clause that says no to `do`, which must not be open to `seat`."""
    verb, *words = do.split()
    if board.over:
        return "P0"
    if seat in board.answers or (seat in board.claims and seat not in board.still_asked()):
        return "P6.4"
    if board.dead[seat]:
        return "P5.7"
    if verb == "play":
        return _play(board, seat, words[0])
    if verb == "win":
        return _win(board, seat)
    if verb == "pass":
        return "P5.4" if seat == board.turn else "P6.4"
    if board.offer is None or board.offer.how == "bright":
        return _nothing_to_take(board)
    return _peng(board, seat) if verb == "peng" else _eat(board, seat, " ".join(words))


def _play(board: Board, seat: int, tile: Tile) -> str:
    bright = board.offer is not None and board.offer.how == "bright" and seat == board.dealer
    if (seat != board.turn and not bright) or not board.owes_tile(seat):
        return "P5.4"
    return "P5.6" if tile not in board.playable(seat) else "P8.3"


def _win(board: Board, seat: int) -> str:
    if board.offer is not None and board.offer.how != "played":
        return "P8.2" if any(True for _ in board.readings_on_offer(seat)[0]) else "P8.1"
    return "P8.3"  # not a stock tile, or bound in a meld


def _nothing_to_take(board: Board) -> str:
    opening = all(fact[0] == "is dealt ti" for fact in board.facts)
    return "P5.1" if opening else "P6.4"


def _peng(board: Board, seat: int) -> str:
    assert board.offer is not None
    if seat == board.offer.seat:
        return "P6.2" if board.offer.how == "played" else "P6.3"
    if board.offer.tile in board.no_peng[seat]:
        return _dead_kind(board, seat)
    return "P5.7" if board.hands[seat].count(board.offer.tile) == 2 else "P4"


def _eat(board: Board, seat: int, words: str) -> str:
    assert board.offer is not None
    tile, by = board.offer.tile, board.offer.seat
    if board.offer.how == "played" and seat != (by + 1) % 3:
        return "P6.2"
    if seat == (by + 2) % 3:
        return "P6.3"
    if tile in board.no_eat[seat]:
        return _dead_kind(board, seat)
    using, *along = [group.split() for group in words.split(" + ")]
    hand, used = board.hands[seat], [*using, *(each for group in along for each in group)]
    if any(hand.count(each) < used.count(each) for each in used):
        return "P5.6"
    if any(hand.count(each) > 2 for each in used) or not shadow.three_meld([tile, *using]):
        return "P4"
    if board.pao is not None:
        return "P6.1"
    return "P5.7" if _laid_along(board, seat, using, along) else "P7.5"


def _laid_along(board: Board, seat: int, using: Sequence[Tile], along: Sequence[Sequence[Tile]]) -> bool:
    """Whether `along` lays what P7.5 asks for, no more and no less."""
    assert board.offer is not None
    hand = board.hands[seat]
    rest = without([each for each in hand if hand.count(each) < 3], using)
    laid = tuple(sorted(meld for group in along if (meld := shadow.three_meld(group))))
    return len(laid) == len(along) and laid in shadow.layings(board.offer.tile, rest)


def _dead_kind(board: Board, seat: int) -> str:
    assert board.offer is not None
    if board.offer.tile in board.has_played[seat]:
        return "P7.3"
    return "P7.1" if board.offer.tile in board.no_eat[seat] else "P7.2"
