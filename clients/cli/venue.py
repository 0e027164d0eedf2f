"""`fupan venue`: the checklist of an on-site event, which a referee confirms before round 1 (C11.2)."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from clients.cli.connection import order
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import Column, accepted, rows
from clients.cli.words import pick
from fupan.pairing.v1 import service_pb2 as pb

CHECKLIST = {
    "software_approved": ("approved software version on every device", "各设备均为批准的软件版本"),
    "table_screens": ("screens above and below the table", "桌上、桌下均有隔板"),
    "no_mirrors": ("no mirrors", "无镜面反光"),
    "clear_height_2m": ("2 m clear height", "净空不低于 2 米"),
    "ventilation_and_light": ("ventilation and light", "通风与照明"),
    "safety_exits": ("safety exits", "安全出口"),
    "referee_seats": ("seats for referees", "裁判席位"),
}
"""What is confirmed, in the service's words."""

_ITEMS = (
    Column("item", "Item", "项目"),
    Column("what", "What", "内容"),
)


def check(
    *items: str,
    everything: Annotated[
        bool, Parameter(name="--all", negative=(), help="all of them are in order")
    ] = False,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Confirm the on-site checklist, as a referee; without items, print it (C11.2).

    Parameters
    ----------
    items
        What was checked and is in order; an item that is missing is named.
    """
    if not items and not everything:
        rows(({"item": item, "what": pick(*what)} for item, what in CHECKLIST.items()), _ITEMS, show.form)
        return

    done = order(
        link,
        lambda fupan, to: fupan.pairing.ConfirmVenue(
            pb.ConfirmVenueRequest(**to, items=CHECKLIST if everything else items)
        ),
    )
    accepted(done.receipt, show.form)
