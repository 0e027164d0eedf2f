"""When a championship may be sealed, and how: announced in one record, sealed or withdrawn in another (C10.8)."""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Meta, Rejected
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.events import Event
from services.pairing.model.state import Championship


def check_not_sealed(state: Championship) -> None:
    """Raises Rejected."""
    if state.seal is not None:
        raise Rejected("CHAMPIONSHIP_SEALED", "C10.8", "the championship is sealed; nothing changes any more")


def check_not_announced(state: Championship) -> None:
    """Raises Rejected while its seal is being made."""
    if state.sealing:
        raise Rejected(
            "SEAL_ANNOUNCED", "C10.8", "the championship is being sealed; nothing changes meanwhile"
        )


def announce(state: Championship, command: c.AnnounceSeal, meta: Meta) -> Sequence[Event]:
    """Announced already, it is not announced once more: whoever did so, its fate is the same."""
    check_window(state, meta.time_us)
    return [] if state.sealing else [e.SealAnnounced(state.announced + 1)]


def seal(state: Championship, command: c.SealChampionship, meta: Meta) -> Sequence[Event]:
    """What was announced has one fate: the first that a replica writes. The other changes nothing any more."""
    if command.announcement != state.sealing or not state.sealing:
        return []
    return [
        e.ChampionshipSealed(
            command.root,
            command.signature,
            command.key,
            command.publication,
            command.public_key,
            command.announcement,
        )
    ]


def withdraw(state: Championship, command: c.WithdrawSeal, meta: Meta) -> Sequence[Event]:
    """Something speaks against it that stood in the logs before scoring answered."""
    if command.number != state.sealing or not state.sealing:
        return []
    return [e.SealWithdrawn(command.number, command.reason, command.clause, command.detail)]


ON_ITS_WAY_US = 20_000_000
"""What was accepted before a window closed may stand in the log that much later: an append is tried again for seconds before it is
given up, and no two clocks are the same."""


def check_window(state: Championship, now_us: int) -> None:
    """Whether the time to seal has come: no appeal can be filed any more, and all that were are in the log (C10.8). Raises
    Rejected."""
    settings = state.settings
    assert settings is not None
    if not state.ended_us:
        raise Rejected(
            "COMPETITION_RUNNING", "C10.8", "standings are provisional until the competition has ended"
        )
    # Windows of a match or a round end before that of the competition, or of a play-off or a replay that came after it.
    last = max((one.closed_us for one in state.rounds), default=0)
    closes = max(state.ended_us, last, state.replayed_us) + settings.appeal_window_ms * 1000 + ON_ITS_WAY_US
    if settings.final_authority == "arbitration" and now_us < closes:
        why = "the appeal window is open, or what was sent in time may be on its way"
        raise Rejected("APPEAL_WINDOW_OPEN", "C10.8", why, deadline_us=str(closes))
