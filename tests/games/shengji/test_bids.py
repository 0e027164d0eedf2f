"""S4: bids, asks before the bottom, no bid, revolution."""

from __future__ import annotations

import pytest

from services.domain import Rejected
from services.games.shengji import bids
from services.games.shengji.bids import Bid, Offer, Setting, Trumps
from services.games.shengji.cards import Cards
from services.games.shengji.params import Params
from tests.games.shengji.given import duplicate, hand, play, xiamen

D2 = Bid(1, play("D2"))
D2_PAIR = Bid(1, play("D2 D2"))


def made(
    standing: Bid | None, seat: int, shown: str, drawn: str, params: Params | None = None, at: int = 50
) -> Bid:
    return bids.made(params or xiamen(), "2", standing, seat, play(shown), hand(drawn), at)


def test_s4_1_a_level_card_is_shown() -> None:
    assert made(None, 1, "D2", "D2 SA") == D2
    assert D2.suit == "D"
    assert not D2.consolidated


def test_s4_2_a_pair_at_once() -> None:
    assert made(None, 1, "D2 D2", "D2 D2") == D2_PAIR
    assert D2_PAIR.consolidated


def test_s4_2_the_bidder_consolidates_with_the_second_card() -> None:
    assert made(D2, 1, "D2", "D2 D2") == D2_PAIR


def test_s4_2_another_overcalls_with_a_pair() -> None:
    assert made(D2, 3, "S2 S2", "S2 S2 D2") == Bid(3, play("S2 S2"))


@pytest.mark.parametrize(
    ("standing", "seat", "shown", "drawn", "reason", "clause"),
    [
        (None, 1, "D2", "SA", "CARD_NOT_DRAWN", "S4.1"),
        (None, 1, "D2 D2", "D2", "CARD_NOT_DRAWN", "S4.1"),
        (None, 1, "D3", "D3", "NOT_A_LEVEL_CARD", "S4.1"),
        (None, 1, "D2 S2", "D2 S2", "NOT_A_LEVEL_CARD", "S4.1"),
        (None, 1, "", "D2", "NOT_A_LEVEL_CARD", "S4.1"),
        (None, 1, "D2 D2 S2", "D2 D2 S2", "NOT_A_LEVEL_CARD", "S4.1"),
        (None, 1, "jo", "jo", "JOKER_BID", "S4.3"),
        (None, 1, "JO JO", "JO JO", "JOKER_BID", "S4.3"),
        (D2, 2, "S2", "S2", "SINGLE_STANDS", "S4.2"),
        (D2, 3, "S2", "S2", "SINGLE_STANDS", "S4.2"),
        (D2, 1, "S2 S2", "D2 S2 S2", "OWN_BID", "S4.2"),
        (D2, 1, "S2", "D2 S2", "OWN_BID", "S4.2"),
        (D2, 1, "D2 D2", "D2 D2", "OWN_BID", "S4.2"),
        (D2, 1, "D2", "D2", "CARD_NOT_DRAWN", "S4.2"),
        (D2_PAIR, 3, "S2 S2", "S2 S2", "PAIR_STANDS", "S4.2"),
        (D2_PAIR, 1, "S2 S2", "S2 S2", "PAIR_STANDS", "S4.2"),
    ],
)
def test_a_refusal_names_its_clause(
    standing: Bid | None, seat: int, shown: str, drawn: str, reason: str, clause: str
) -> None:
    with pytest.raises(Rejected) as refused:
        made(standing, seat, shown, drawn)
    assert (refused.value.reason, refused.value.clause) == (reason, clause)


def test_s4_1_bids_after_dealing_only() -> None:
    late = xiamen(bid_phase="after_deal")
    with pytest.raises(Rejected, match=r"S4\.1"):
        made(None, 1, "D2", "D2", late, at=99)
    assert made(None, 1, "D2", "D2", late, at=100) == D2


def test_s3_1_who_draws_what() -> None:
    assert [bids.drawer(2, at) for at in (1, 2, 3, 4, 5, 100)] == [2, 3, 0, 1, 2, 1]
    for first in range(4):
        drawn = [0, 0, 0, 0]
        for at in range(1, bids.DRAWN + 1):
            drawn[bids.drawer(first, at)] += 1
            assert [bids.drawn_by(first, seat, at) for seat in range(4)] == drawn
        assert drawn == [25] * 4


def decided(standing: Bid | None, offers: str, at: int, declarer: int | None = 0) -> list[str]:
    """Bids that count out of `1 D2|2 H2`, each seat holding what it shows and a bidder its first card too."""
    given = []
    for offer in offers.split("|"):
        seat, shown = offer.split(maxsplit=1)
        again = standing is not None and standing.seat == int(seat)
        given.append(Offer(int(seat), play(shown), hand(f"{shown} {shown}" if again else shown)))
    return [
        offers.split("|")[index]
        for index, _ in bids.decided(xiamen(), Setting("2", declarer, 0), standing, given, at)
    ]


def test_s4_4_of_two_at_once_the_nearest_after_the_drawer() -> None:
    """Card 43 is drawn by seat 2, card 42 by seat 1, card 41 by seat 0."""
    assert decided(None, "1 D2|2 H2", 43) == ["2 H2"]
    assert decided(None, "1 D2|2 H2", 42) == ["1 D2"]
    assert decided(None, "3 D2|2 H2", 41) == ["2 H2"]
    assert decided(None, "1 D2|0 H2", 43) == ["0 H2"]
    assert decided(D2, "3 S2 S2|2 H2 H2", 43) == ["2 H2 H2"]
    assert decided(D2, "1 D2|2 H2 H2", 43) == ["2 H2 H2"]
    assert decided(D2, "1 D2|2 H2 H2", 42) == ["1 D2"]


def test_s4_4_a_pair_overcalls_a_single_of_the_same_draw() -> None:
    assert decided(None, "1 D2|2 H2 H2", 42) == ["1 D2", "2 H2 H2"]
    assert decided(None, "1 D2|2 H2 H2", 43) == ["2 H2 H2"]


def test_s4_5_after_dealing_seats_come_in_the_order_asked() -> None:
    """Seat 0 declares and is asked last; seat 3 drew the last card."""
    assert decided(D2, "0 S2 S2|3 H2 H2", 100) == ["3 H2 H2"]
    assert decided(D2, "3 S2 S2|2 H2 H2", 100) == ["2 H2 H2"]
    assert decided(D2, "2 H2 H2|1 D2", 100) == ["1 D2"]
    assert decided(None, "0 S2|3 H2", 100) == ["3 H2"]


def test_s4_5_on_a_first_deal_the_bidder_comes_last() -> None:
    assert decided(D2, "1 D2|0 S2 S2|3 H2 H2", 100, None) == ["3 H2 H2"]
    assert decided(D2, "1 D2|0 S2 S2", 100, None) == ["0 S2 S2"]


def test_s4_5_who_is_asked_before_the_bottom_is_taken() -> None:
    assert bids.asked(D2, 3) == (0, 1, 2, 3)
    assert bids.asked(D2, 1) == (2, 3, 0, 1)
    assert bids.asked(D2, None) == (2, 3, 0, 1)
    assert bids.asked(D2_PAIR, 3) == ()
    assert bids.asked(None, 3) == ()


def settled(
    standing: Bid | None, bottom: Cards, declarer: int | None, first: int = 0, **params: str
) -> Trumps:
    return bids.settled(xiamen(**params), Setting("2", declarer, first), standing, bottom)


def test_s4_7_trumps_and_declarer() -> None:
    bottom = play("C3 C4 C5 C6 C8 C9 CT CJ")
    assert settled(D2, bottom, None) == Trumps("D", 1, False)
    assert settled(D2, bottom, 2) == Trumps("D", 2, False)
    assert settled(None, bottom, None, 3) == Trumps("C", 3, True)


@pytest.mark.parametrize(
    ("bottom", "suit"),
    [
        ("S3 H3 C3 D3 S4 S5 S6 S7", "C"),
        ("S3 H3 jo D3 S4 S5 S6 S7", "D"),
        ("S3 H3 jo JO jo JO H6 S7", "H"),
        ("jo JO D2 H3 S4 S5 S6 S7", "D"),
    ],
)
def test_s4_6_the_third_card_of_the_bottom(bottom: str, suit: str) -> None:
    from_the_top = tuple(play(word)[0] for word in bottom.split())
    assert settled(None, from_the_top, 0) == Trumps(suit, 0, True)
    assert settled(None, from_the_top, 0, demote="none") == Trumps(suit, 0, False)
    assert settled(None, from_the_top, 0, demote="declaring_side_held").demoted


def test_s4_8_revolution_with_15_points_or_fewer() -> None:
    assert bids.may_revolt(xiamen(), play("S5 ST SA JO"))
    assert bids.may_revolt(xiamen(), play("SA"))
    assert not bids.may_revolt(xiamen(), play("ST SK"))
    assert not bids.may_revolt(xiamen(revolution=False), play("SA"))
    assert not bids.may_revolt(duplicate(), play("SA"))
