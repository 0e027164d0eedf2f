"""What scoring could not carry out of a ruling is told with the appeal (C10.6)."""

from __future__ import annotations

from fupan.scoring.v1 import events_pb2 as scoring
from services.appeals.carrying import Carrying
from tests.pairing.test_sealing import SCORING, read


def test_what_scoring_refused_is_told_with_its_appeal() -> None:
    final = scoring.CorrectionRefused(
        appeal="a-2",
        reason="RULING_FINAL",
        clause="C10.7",
        detail="the committee's ruling in appeal a-1 is final",
    )
    carrying = Carrying()
    carrying.read_scoring([read(SCORING, 7, scoring.Event(correction_refused=final))])
    (part,) = carrying.refused("cup", "a-2")
    assert (part.by, part.reason, part.clause) == ("scoring", "RULING_FINAL", "C10.7")
    assert part.text == "the committee's ruling in appeal a-1 is final"
    assert "a-1" in part.text_zh
    assert "C10.7" in part.text_zh
    assert part.refused_us == 7
    assert carrying.refused("cup", "a-1") == ()
    assert carrying.refused("other", "a-2") == ()
