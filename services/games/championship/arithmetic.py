"""Arithmetic in a committee's ruling put right: the only correction that a final ruling knows (C9.2, C10.7).

Whoever corrects gives no figures but their workings, `10 + 2*5`; the figures are what those come to, so that everybody can
work them out again. What the committee judged stays as it was; `docs/rules-notes.md` says what counts as arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from services.domain import Rejected
from services.games.championship.matchpoints import published
from services.games.championship.results import NO_FAULT, OWN_FAULT, SHARED_FAULT

LONGEST = 200
"""Characters of a working."""

FAULT = frozenset({NO_FAULT, SHARED_FAULT, OWN_FAULT})
"""Percentages that say whose fault a void board was (C2.2): judged, not reckoned."""

_TOKEN = re.compile(r"\s*([0-9]{1,9}(?:\.[0-9]{1,4})?|[-+*/()])")
_SIGNS = str.maketrans("×÷−（）", "*/-()")


def scores(ruled: Sequence[int], workings: Sequence[str]) -> tuple[int, ...]:
    """Raw scores by seat that `workings` come to, instead of those `ruled`. Raises Rejected."""
    worked = [_worked(one) for one in _aligned(ruled, workings)]
    if any(one.denominator != 1 for one in worked):
        raise Rejected("WORKING_MALFORMED", "P11.1", "a raw score is a whole number")
    figures = tuple(int(one) for one in worked)
    _check(ruled, figures, workings)
    return figures


def shares(ruled: Sequence[int], workings: Sequence[str]) -> tuple[int, ...]:
    """Percentages for a board, like `percents`. Raises Rejected, also where those ruled say whose fault it was."""
    if FAULT.intersection(ruled):
        raise Rejected("NOT_ARITHMETIC", "C2.2", "60, 50 and 40 % say whose fault it was: that was judged")
    return percents(ruled, workings)


def percents(ruled: Sequence[int], workings: Sequence[str]) -> tuple[int, ...]:
    """Tenths of a percent that `workings` in percent come to, half up (C3.5), instead of those `ruled`. Raises Rejected."""
    worked = (_worked(one) / 100 for one in _aligned(ruled, workings))
    figures = tuple(published(one) for one in worked)
    _check(ruled, figures, workings)
    return figures


def _aligned(ruled: Sequence[int], workings: Sequence[str]) -> Sequence[str]:
    if len(workings) != len(ruled):
        raise Rejected(
            "RULING_OF_WRONG_LENGTH", "C10.6", f"give a working for each of the {len(ruled)} figures ruled"
        )
    return workings


def _check(ruled: Sequence[int], figures: Sequence[int], workings: Sequence[str]) -> None:
    """Whether nothing but arithmetic changes: who won or lost, and who did better, was judged. What comes to the figures ruled is
    fine: it takes back what was worked out wrong before."""
    for before, after, working in zip(ruled, figures, workings, strict=True):
        if before != after and not _reckons(working):
            raise Rejected("NOT_ARITHMETIC", "C10.7", "a figure that changes needs a working: 10 + 2*5")
        if before * after < 0 or (before == 0) != (after == 0):
            raise Rejected("NOT_ARITHMETIC", "C10.7", "who won, who lost, and what is nothing was judged")
    for one, old in zip(figures, ruled, strict=True):
        if any(
            (old - other_old) * (one - other) < 0 for other, other_old in zip(figures, ruled, strict=True)
        ):
            raise Rejected("NOT_ARITHMETIC", "C10.7", "who did better was judged")


def _reckons(working: str) -> bool:
    """Whether anything is worked out in it: two numbers at least."""
    return sum(token[0].isdigit() for token in _tokens(working)) > 1


def _tokens(working: str) -> list[str]:
    text, at, found = working.translate(_SIGNS).strip(), 0, list[str]()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise _malformed()
        found.append(token[1])
        at = token.end()
    return found


def _worked(working: str) -> Fraction:
    """What a working comes to, exactly. Raises Rejected."""
    if len(working) > LONGEST:
        raise Rejected("WORKING_MALFORMED", "C9.4", f"a working has at most {LONGEST} characters")
    tokens = iter([*_tokens(working), ""])
    came_to, then = _sum(tokens)
    if then:
        raise _malformed()
    return came_to


def _sum(tokens: Iterator[str]) -> tuple[Fraction, str]:
    """A sum of products, and the token behind it."""
    came_to, then = _product(tokens)
    while then in ("+", "-"):
        sign = 1 if then == "+" else -1
        more, then = _product(tokens)
        came_to += sign * more
    return came_to, then


def _product(tokens: Iterator[str]) -> tuple[Fraction, str]:
    came_to, then = _number(tokens), next(tokens)
    while then in ("*", "/"):
        other = _number(tokens)
        if then == "/" and not other:
            raise Rejected("WORKING_MALFORMED", "C9.4", "nothing is divided by nothing")
        came_to = came_to * other if then == "*" else came_to / other
        then = next(tokens)
    return came_to, then


def _number(tokens: Iterator[str]) -> Fraction:
    """A number, one with its sign, or a sum in brackets."""
    token = next(tokens, "")
    if token == "-":
        return -_number(tokens)
    if token == "(":
        came_to, then = _sum(tokens)
        if then != ")":
            raise _malformed()
        return came_to
    if not token or not token[0].isdigit():
        raise _malformed()
    return Fraction(token)


def _malformed() -> Rejected:
    return Rejected("WORKING_MALFORMED", "C9.4", "a working is of numbers, + - * / and brackets")
