"""What a browser seals, the ledger opens; and what a browser sends tells nobody the vote (C10.4)."""

from __future__ import annotations

import re
import secrets

import pytest

from services.domain import Rejected
from services.ledger import keys
from services.ledger.ballot import OPENING, SealedBallot, open_ballot
from tests.console import browsing
from tests.console.browsing import Visitor, visitor
from tests.console.serving import serve

pytestmark = [pytest.mark.timeout(60), browsing.needed]

APPEAL, MEMBER = "appeal-1", "judge-庚"

_SEAL = """async ([appeal, member, key, uphold]) => {
    const { seal } = await import("/static/ballot.js");
    const sealed = await seal(appeal, member, Uint8Array.from(key), uphold);
    return [[...sealed.commitment], [...sealed.sealedOpening]];
}"""


async def _sealed(guest: Visitor, public: bytes, uphold: bool) -> SealedBallot:
    commitment, opening = await guest.page.evaluate(_SEAL, [APPEAL, MEMBER, list(public), uphold])
    return SealedBallot(bytes(commitment), bytes(opening))


async def test_C10_4_a_ballot_sealed_in_a_browser_opens_with_the_key_of_its_appeal_alone() -> None:
    private = secrets.token_bytes(32)
    public = keys.box_public_key(private)
    away = dict.fromkeys(("pairing", "dealer", "table", "scoring", "appeals"), "127.0.0.1:1")
    async with serve(away) as site, visitor(site.address) as guest:
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
