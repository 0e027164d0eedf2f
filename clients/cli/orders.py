"""`fupan score replay`, `fupan score recalculate`: what a chief referee orders beyond corrections (C9.2, C10.7)."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from clients.cli.connection import order
from clients.cli.options import LINK, SHOW, BoardRound, Link, Reason, Show
from clients.cli.output import accepted
from fupan.scoring.v1 import service_pb2 as pb


def replay(
    board: int,
    /,
    *tables: str,
    round_: BoardRound,
    reason: Reason,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Have a damaged board played again with a new deal, which counts instead (C9.2).

    Tables named together share the deal and are compared with each other; without any, all tables of the round play it. One table
    alone is compared with nobody: each of its seats gets 50 % (C3.3). Boards are played again between rounds: they begin once the
    running round has closed, and the next round once they are over.

    Parameters
    ----------
    board
        Board of the round.
    tables
        Tables; of teams both rooms of a match play it. None: every table of the round.
    """
    told = order(
        link,
        lambda fupan, to: fupan.scoring.OrderReplay(
            pb.OrderReplayRequest(**to, round=round_, board=board, tables=tables, reason=reason)
        ),
    )
    later = {"after_round": told.after_round} if told.after_round else {}
    accepted(told.receipt, show.form, attempt=told.attempt, tables=" ".join(told.tables), **later)


def recalculate(
    appeal: str,
    /,
    *working: Annotated[str, Parameter(allow_leading_hyphen=True)],
    reason: Reason,
    remedy: Annotated[int, Parameter(help="which of the remedies ruled there, from 1")] = 1,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Put the arithmetic of a committee's ruling right; anything else it ruled is final (C9.2, C10.7).

    The figures are what the workings come to. Who won or lost, who did better, and whose fault it was stay as ruled.

    Parameters
    ----------
    appeal
        Appeal id.
    working
        How each figure ruled is worked out: "10 + 2*5" "-5 - 5" "-5 - 5".
    """
    told = order(
        link,
        lambda fupan, to: fupan.scoring.RecalculateRuling(
            pb.RecalculateRulingRequest(**to, appeal=appeal, remedy=remedy, working=working, reason=reason)
        ),
    )
    accepted(told.receipt, show.form, figures=list(told.figures))
