"""What the dealer promises and tells (design: deals nobody can doubt)."""

from __future__ import annotations

import pytest

from services.dealer import decider
from services.dealer import model as m
from tests.specification import Specification

DEALER = Specification(decider, "fupan.e1.dealer.cup")
SECRET = m.SecretCreated(b"commitment", "key", b"sealed", demo=False)
BOARD = m.BoardPath(1, 1, 1)
DEALS = m.DealsCommitted(1, "boards", b"root", (BOARD, m.BoardPath(1, 2, 1)), ("round-1",))
COMMIT = m.CommitDeals("boards", DEALS.boards, DEALS.draws, b"root")
REVEALED = m.BoardRevealed(BOARD, b"leaf", 1)
KEY = m.AppealKeyCreated("a-1", b"public", "key", b"sealed")
NEXT_KEY = m.AppealKeyCreated("a-1", b"public 2", "key", b"sealed 2")


def create(key: m.AppealKeyCreated) -> m.CreateAppealKey:
    return m.CreateAppealKey(key.appeal, key.public_key, key.key_id, key.sealed_private_key)


def test_a_championship_has_one_secret() -> None:
    command = m.CreateSecret(b"commitment", "key", b"sealed", demo=False)
    DEALER.given().when(command).then(SECRET)
    DEALER.given(SECRET).when(m.CreateSecret(b"other", "key", b"other", demo=False)).then()


def test_deals_are_committed_before_their_use_and_once() -> None:
    DEALER.given().when(COMMIT).rejected("NO_SECRET", "C6.1")
    DEALER.given(SECRET).when(COMMIT).then(DEALS)
    DEALER.given(SECRET, DEALS).when(COMMIT).rejected("COMMITTED_ALREADY")
    again = m.CommitDeals("replay", (BOARD,), (), b"root")
    DEALER.given(SECRET, DEALS).when(again).rejected("COMMITTED_ALREADY")
    DEALER.given(SECRET).when(m.RevealBoard(BOARD, b"leaf")).rejected("NOT_COMMITTED")
    DEALER.given(SECRET).when(m.RevealDraw("round-1", b"list", b"leaf")).rejected("NOT_COMMITTED")


def test_later_batches_follow_on() -> None:
    paths = (m.BoardPath(1, 1, 2),)
    more = m.CommitDeals("replay", paths, (), b"root 2")
    DEALER.given(SECRET, DEALS).when(more).then(m.DealsCommitted(2, "replay", b"root 2", paths, ()))


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (m.CommitDeals("fun", (BOARD,), (), b""), "UNKNOWN_PURPOSE"),
        (m.CommitDeals("boards", (), (), b""), "WRONG_BATCH"),
        (m.CommitDeals("boards", (m.BoardPath(0, 1, 1),), (), b""), "WRONG_BATCH"),
        (m.CommitDeals("boards", (BOARD, BOARD), (), b""), "COMMITTED_ALREADY"),
        (
            m.CommitDeals("boards", tuple(m.BoardPath(1, n, 1) for n in range(1, 20_002)), (), b""),
            "WRONG_BATCH",
        ),
    ],
)
def test_a_batch_must_make_sense(command: m.CommitDeals, reason: str) -> None:
    DEALER.given(SECRET).when(command).rejected(reason)


def test_entropy_is_named_before_it_speaks_and_before_anything_is_public() -> None:
    named, drawn = m.EntropyNamed(1, "lottery of 1 May"), m.EntropyDrawn(1, b"7 13 21")
    name, draw = m.NameEntropy(1, "lottery of 1 May"), m.DrawEntropy(1, b"7 13 21")
    committed = DEALER.given(SECRET, DEALS)
    committed.when(draw).rejected("ENTROPY_NOT_NAMED")
    committed.when(m.NameEntropy(2, "x")).rejected("NO_SUCH_BATCH")
    committed.when(m.NameEntropy(1, "")).rejected("SOURCE_MISSING")
    waiting = committed.when(name).then(named)
    waiting.when(name).rejected("ENTROPY_NAMED")
    waiting.when(m.RevealBoard(BOARD, b"leaf")).rejected("ENTROPY_MISSING")
    waiting.when(m.DrawEntropy(1, b"")).rejected("WRONG_ENTROPY")
    ready = waiting.when(draw).then(drawn)
    ready.when(draw).rejected("ENTROPY_DRAWN")
    assert ready.state.entropy_of(1) == b"7 13 21"
    ready.when(m.RevealBoard(BOARD, b"leaf")).then(REVEALED)
    DEALER.given(SECRET, DEALS, REVEALED).when(name).rejected("BATCH_USED")


def test_a_board_is_revealed_once() -> None:
    DEALER.given(SECRET, DEALS).when(m.RevealBoard(BOARD, b"leaf")).then(REVEALED)
    DEALER.given(SECRET, DEALS, REVEALED).when(m.RevealBoard(BOARD, b"leaf")).then()


def test_a_draw_is_made_for_one_list_of_entrants() -> None:
    drawn = m.DrawRevealed("round-1", b"leaf", b"list", 1)
    DEALER.given(SECRET, DEALS).when(m.RevealDraw("round-1", b"list", b"leaf")).then(drawn)
    done = DEALER.given(SECRET, DEALS, drawn)
    done.when(m.RevealDraw("round-1", b"list", b"leaf")).then()
    done.when(m.RevealDraw("round-1", b"another", b"leaf")).rejected("DRAWN_ALREADY", "C6.1")


def test_nothing_is_dealt_once_the_secret_is_known() -> None:
    sealed = DEALER.given(SECRET).when(m.RevealSecret(b"secret")).then(m.SecretRevealed(b"secret"))
    sealed.when(m.RevealSecret(b"secret")).then()
    sealed.when(COMMIT).rejected("SECRET_REVEALED", "C10.8")


def test_every_panel_votes_under_a_key_of_its_own() -> None:
    """C10.4: a panel dissolved before its release leaves its key behind, and the next one's release frees no ballot of it."""
    release = m.ReleaseAppealKey("a-1", b"private 2", b"public 2")
    released = m.AppealKeyReleased("a-1", b"private 2", b"public 2")
    DEALER.given().when(release).rejected("NO_APPEAL_KEY", "C10.4")
    first = DEALER.given().when(create(KEY)).then(KEY)
    first.when(release).rejected("NO_APPEAL_KEY", "C10.4")
    second = first.when(create(NEXT_KEY)).then(NEXT_KEY)
    assert second.state.appeal_keys == {("a-1", b"public"): KEY, ("a-1", b"public 2"): NEXT_KEY}
    done = second.when(release).then(released)
    done.when(release).then()
    assert done.state.released == {("a-1", b"public 2")}


def test_a_release_of_an_older_version_is_of_the_newest_key() -> None:
    """It named none: a key followed once the one before was released."""
    old = (KEY, m.AppealKeyReleased("a-1", b"private", b""), NEXT_KEY)
    assert DEALER.given(*old).state.released == {("a-1", b"public")}
    assert DEALER.given(*old, m.AppealKeyReleased("a-1", b"private 2", b"")).state.released == {
        ("a-1", b"public"),
        ("a-1", b"public 2"),
    }


def test_a_board_is_opened_to_a_panel_by_a_logged_event() -> None:
    command = m.OpenBoardToPanel("a-1", BOARD, ("x", "y", "z"))
    opened = m.BoardOpenedToPanel("a-1", BOARD, ("x", "y", "z"))
    DEALER.given(SECRET).when(command).rejected("NOT_COMMITTED")
    shown = DEALER.given(SECRET, DEALS).when(command).then(opened)
    shown.when(command).then()
    # Who follows a member that stepped back sees it in its place, and the other one no more.
    later = m.OpenBoardToPanel("a-1", BOARD, ("x", "y", "w"))
    after = shown.when(later).then(m.BoardOpenedToPanel("a-1", BOARD, ("x", "y", "w")))
    assert after.state.panels == {("a-1", BOARD): ("x", "y", "w")}
    revealed = DEALER.given(SECRET, DEALS, m.BoardRevealed(BOARD, b"leaf", 1))
    revealed.when(command).then()
