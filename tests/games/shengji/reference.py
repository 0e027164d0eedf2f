"""A slow player by the book, written from S1, S6, S7 and S8 alone, to compare the fast one with.

It lists every possible play and every possible way to cut it up, and only then asks which the rules allow. It shares nothing
with the engine: cards are words, a deal's order is a ladder of ranks written out in full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

SUITS = "SHCD"
RANKS = "23456789TJQKA"

Play = tuple[str, ...]


class Deal(NamedTuple):
    """Level, trump suit and whether all level cards have fallen (S4.6)."""

    level: str
    trump: str
    demoted: bool = False


class Piece(NamedTuple):
    """A tractor, pair (1) or single card (0), and the ladder step of its highest card."""

    pairs: int
    top: int


# S1: suits and ladders


def suit(deal: Deal, card: str) -> str:
    return "trump" if card in ("jo", "JO") or card[1] == deal.level or card[0] == deal.trump else card[0]


@cache
def ladder(deal: Deal) -> list[set[str]]:
    """All trumps from low to high, equals together (S1.3, S4.6)."""
    plain = [{deal.trump + rank} for rank in RANKS if rank != deal.level]
    others = {each + deal.level for each in SUITS if each != deal.trump}
    levels = [others, {deal.trump + deal.level}]
    return [*levels, *plain, {"jo"}, {"JO"}] if deal.demoted else [*plain, *levels, {"jo"}, {"JO"}]


@cache
def step(deal: Deal, card: str) -> int:
    """Place in the ladder of the card's suit, the level rank taken out (S6.3)."""
    if suit(deal, card) == "trump":
        return next(at for at, equals in enumerate(ladder(deal)) if card in equals)
    return [rank for rank in RANKS if rank != deal.level].index(card[1])


# S6.2: what a lead is made of


def pieces(deal: Deal, lead: Play) -> list[Piece]:
    """The longest-first split: as often as possible the longest tractor there is, then pairs, then singles."""
    left, found = Counter(lead), []
    for length in range(len(lead) // 2, 1, -1):
        while runs := list(tractors(deal, left, length)):
            run = runs[0]
            found.append(Piece(length, step(deal, run[-1])))
            left -= Counter(run * 2)
    for card, number in left.items():
        found.append(Piece(number - 1, step(deal, card)))
    return sorted(found, key=lambda piece: (-piece.pairs, -piece.top))


def tractors(deal: Deal, cards: Counter[str], length: int) -> Iterator[list[str]]:
    """All tractors of `length` pairs among cards of one suit, each by its kinds from low to high."""
    pairs = [card for card, number in cards.items() if number >= 2]
    starts = [[card] for card in pairs]
    for _ in range(length - 1):
        starts = [
            [*run, card] for run in starts for card in pairs if step(deal, card) == step(deal, run[-1]) + 1
        ]
    yield from starts


# S7: following


def legal(deal: Deal, hand: Play, lead: Play, partial: bool) -> set[Play]:
    """All legal follows."""
    size, led = len(lead), suit(deal, lead[0])
    must = min(size, sum(suit(deal, card) == led for card in hand))
    plays = {tuple(sorted(play)) for play in combinations(hand, size)}
    plays = {play for play in plays if sum(suit(deal, card) == led for card in play) == must}
    if must < size:
        return plays
    asked = [piece.pairs for piece in pieces(deal, lead)]
    answers = {play: max(answer(deal, Counter(play), asked, partial)) for play in plays}
    return {play for play in plays if answers[play] == max(answers.values())}


def answer(
    deal: Deal, cards: Counter[str], asked: list[int], partial: bool
) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every way in which cards may answer pieces: for each the pairs in one tractor, and in all (S7.2)."""
    if not asked or not asked[0]:
        yield ()
        return
    want = asked[0]
    for tractor in range(want + 1):
        if tractor == 1:
            continue
        for run in tractors(deal, cards, tractor) if tractor else [[]]:
            left = cards - Counter(run * 2)
            pairs = [card for card, number in left.items() if number == 2]
            for more in range(min(want - tractor, len(pairs)) + 1):
                counted = tractor if partial or tractor == want else 0
                for chosen in combinations(pairs, more):
                    rest = left - Counter([*chosen, *chosen])
                    for others in answer(deal, rest, asked[1:], partial):
                        yield ((counted, tractor + more), *others)


# S8: winning


def winner(deal: Deal, plays: list[Play], *, every: bool, tractor_first: bool) -> int:
    """The seat that wins, seat 0 leading; `every`: all components must be beaten, `tractor_first`: S8.3a."""
    led = pieces(deal, plays[0])
    best = 0
    for seat in range(1, len(plays)):
        if takes(deal, plays[0], led, plays[best], plays[seat], every, tractor_first):
            best = seat
    return best


def takes(
    deal: Deal, lead: Play, led: list[Piece], best: Play, play: Play, every: bool, tractor_first: bool
) -> bool:
    suits = {suit(deal, card) for card in play}
    asked = [piece.pairs for piece in led]
    if len(suits) > 1 or not suits <= {suit(deal, lead[0]), "trump"}:
        return False
    mine = list(cuttings(deal, Counter(play), asked))
    theirs = list(cuttings(deal, Counter(best), asked))
    if not mine:
        return False
    if tractor_first and asked.count(1) >= 2 and asked[0] == 1:
        one, two = (unbroken(deal, cards, asked.count(1)) for cards in (play, best))
        if one != two:
            return one > two
    ruffs = [suit(deal, cards[0]) == "trump" for cards in (play, best)]
    if ruffs[0] != ruffs[1]:
        return ruffs[0]
    if every:
        return all(any(all_above(asked, one, two) for one in mine) for two in theirs)
    return max(cut[0] for cut in mine) > max(cut[0] for cut in theirs)


def cuttings(deal: Deal, cards: Counter[str], asked: list[int]) -> Iterator[tuple[int, ...]]:
    """Tops of the components asked, in every way to cut the cards up into them; the greatest kind descends."""
    if not asked:
        yield ()
        return
    want = asked[0]
    if want:
        runs = tractors(deal, cards, want)
    else:
        if all(not each for each in asked):
            yield tuple(sorted((step(deal, card) for card in cards.elements()), reverse=True))
            return
        runs = iter([[card] for card in cards])
    for run in runs:
        left = cards - Counter(run * 2 if want else run)
        for rest in cuttings(deal, left, asked[1:]):
            yield (step(deal, run[-1]), *rest)


def unbroken(deal: Deal, cards: Play, most: int) -> int:
    """Pairs of the longest tractor, as far as it stands for pairs led; 0 if there is none."""
    return max(
        (length for length in range(2, most + 1) if any(tractors(deal, Counter(cards), length))), default=0
    )


def all_above(asked: list[int], one: tuple[int, ...], two: tuple[int, ...]) -> bool:
    """Every component higher, those of one kind compared in descending order."""
    for kind in set(asked):
        mine = sorted((top for top, of in zip(one, asked, strict=True) if of == kind), reverse=True)
        others = sorted((top for top, of in zip(two, asked, strict=True) if of == kind), reverse=True)
        if any(high <= low for high, low in zip(mine, others, strict=True)):
            return False
    return True


# S6.4: throws


def beaten(deal: Deal, lead: Play, others: list[Play]) -> list[Piece]:
    """Components that one of the other hands beats; empty if the throw stands."""
    led, found = suit(deal, lead[0]), []
    for piece in pieces(deal, lead):
        for hand in others:
            held = Counter(card for card in hand if suit(deal, card) == led)
            tops = (
                [step(deal, run[-1]) for run in tractors(deal, held, piece.pairs)]
                if piece.pairs
                else [step(deal, card) for card in held]
            )
            if any(top > piece.top for top in tops):
                found.append(piece)
                break
    return found
