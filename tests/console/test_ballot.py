"""What a browser seals, the ledger opens; and what a browser sends tells nobody the vote (C10.4)."""

from __future__ import annotations

import re
import secrets
from datetime import UTC
from typing import Any

import pytest
from playwright.async_api import expect

from clients.appealing import unsettled
from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.page import Pages
from clients.console.pages.appeals import Judged
from clients.console.session import Session
from fupan.appeals.v1 import service_pb2 as pb
from fupan.pairing.v1 import service_pb2 as pairing
from services.domain import Rejected
from services.ledger import keys
from services.ledger.ballot import OPENING, SealedBallot, open_ballot
from tests.console import browsing
from tests.console.browsing import Visitor, visitor
from tests.console.serving import serve

pytestmark = browsing.needed

APPEAL, MEMBER = "appeal-1", "judge-庚"

AWAY = dict.fromkeys(("pairing", "dealer", "table", "scoring", "appeals"), "127.0.0.1:1")
"""Nobody is asked for these pages."""

_SEAL = """async ([appeal, member, key, uphold]) => {
    const { seal } = await import("/static/ballot.js");
    const sealed = await seal(appeal, member, Uint8Array.from(key), uphold);
    return [[...sealed.commitment], [...sealed.sealedOpening]];
}"""


_BALLOT = """async ([knows, body]) => {
    if (!knows) crypto.subtle.generateKey = () => Promise.reject(new DOMException("X25519?", "NotSupportedError"));
    document.querySelector("main").innerHTML = body;
    await import("/static/vote.js");
}"""


async def _sealed(guest: Visitor, public: bytes, uphold: bool) -> SealedBallot:
    commitment, opening = await guest.page.evaluate(_SEAL, [APPEAL, MEMBER, list(public), uphold])
    return SealedBallot(bytes(commitment), bytes(opening))


async def test_C10_4_a_ballot_sealed_in_a_browser_opens_with_the_key_of_its_appeal_alone() -> None:
    private = secrets.token_bytes(32)
    public = keys.box_public_key(private)
    async with serve(AWAY) as site, visitor(site.address) as guest:
        await guest.open("/sign-in")
        ballots = {vote: await _sealed(guest, public, vote) for vote in (True, False)}
        again = await _sealed(guest, public, True)
    for vote, ballot in ballots.items():
        opened = open_ballot(APPEAL, MEMBER, ballot, private)
        assert opened.uphold == vote
        assert len(opened.opening) == OPENING
        for appeal, member, key in (
            ("appeal-2", MEMBER, private),
            (APPEAL, "judge-2", private),
            (APPEAL, MEMBER, secrets.token_bytes(32)),
        ):
            with pytest.raises(Rejected):
                open_ballot(appeal, member, ballot, key)
    yes, no = ballots.values()
    # Equally long whatever it says, and never the same twice.
    assert len(yes.sealed_opening) == len(no.sealed_opening)
    assert again != yes
    with pytest.raises(Rejected, match=re.escape("another vote than it committed to")):
        open_ballot(APPEAL, MEMBER, SealedBallot(no.commitment, yes.sealed_opening), private)


@pytest.mark.parametrize("knows", [True, False])
async def test_a_vote_is_cast_once_it_is_chosen_and_never_by_a_browser_that_cannot_seal_it(
    knows: bool,
) -> None:
    async with serve(AWAY) as site, visitor(site.address) as guest:
        await guest.open("/sign-in")
        await guest.page.evaluate(_BALLOT, [knows, _ballot()])
        button, unable = guest.page.locator("#ballot button"), guest.page.locator("#ballot [role=alert]")
        await expect(button).to_be_disabled()
        await guest.page.locator("input[value=reject]").check()
        if knows:
            await expect(button).to_be_enabled()
            await expect(unable).to_be_hidden()
        else:
            await expect(button).to_be_disabled()
            await expect(unable).to_be_visible()


def _ballot() -> str:
    """The ballot of an appeal's page, as its template has it."""
    told, championship = (
        pb.Appeal(appeal=APPEAL, phase="voting", members=[MEMBER]),
        pairing.GetChampionshipResponse(),
    )
    told.panel.ballot_key = bytes(32)
    context: dict[str, Any] = {
        "event": Event("cup", championship, UTC),
        "appeal": told,
        "sent": {},
        "visitor": Session("", MEMBER, 0),
        "acts": {"vote"},
        "judged": Judged(),
        **dict.fromkeys(("contested", "command_id", "switch"), ""),
        **dict.fromkeys(("sought", "ruled", "tried", "kinds", "reminders"), ()),
        **dict.fromkeys(("due", "settling", "weighed", "done", "refusal", "reminder", "board"), None),
        "shown": 0,
        "unsettled": unsettled,
        "names": {},
    }
    page = Pages().text(LANGUAGES["en"], "appeal.html", context)
    return page[page.index('<div class="acts">') : page.index("</main>")]
