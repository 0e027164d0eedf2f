"""Dealing: the document's vectors, two implementations that agree, and a shuffle that favours nothing."""

import json
import math
import re
from collections import Counter
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.games import registry
from services.games.paohuzi.tiles import DECK
from services.games.shengji import cards
from services.games.shengji.params import DUPLICATE
from services.ledger import dealing, merkle
from services.ledger.digests import entrants_digest
from services.ledger.frame import frame
from tests.ledger import outsider

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("vectors.json").read_text("utf-8"))
DOCUMENT = (Path(__file__).parents[2] / "docs" / "dealing.md").read_text("utf-8")
DECKS = {"paohuzi": DECK, "shengji": cards.DECK}
MASTER = bytes.fromhex(VECTORS["master"])
CHAMPIONSHIP = VECTORS["championship"]
LEAVES = {row["path"]: bytes.fromhex(row["leaf"]) for row in VECTORS["leaves"]}

keys = st.binary(min_size=32, max_size=32)
texts = st.text(max_size=20)


def test_vectors_of_frames_and_the_commitment() -> None:
    for row in VECTORS["frame"]:
        assert frame(*map(bytes.fromhex, row["parts"])).hex() == row["frame"]
    assert dealing.commitment(MASTER).hex() == VECTORS["master_commitment"]


def test_vectors_of_leaves() -> None:
    assert {path: dealing.leaf(MASTER, CHAMPIONSHIP, path) for path in LEAVES} == LEAVES
    assert dealing.board_path(2, 1, 2) in LEAVES
    assert dealing.draw_path("round-1") in LEAVES


def test_vectors_of_merkle_roots() -> None:
    for row in VECTORS["merkle"]:
        entries = [merkle.entry(path, LEAVES[path]) for path in row["paths"]]
        assert merkle.root(entries).hex() == row["root"]


def test_vectors_of_deals() -> None:
    for row in VECTORS["deals"]:
        leaf, entropy = LEAVES[row["path"]], bytes.fromhex(row["entropy"])
        assert dealing.deal_key(leaf, row["path"], entropy).hex() == row["key"]
        deck = DECKS[row["game"]]
        assert dealing.deal(leaf, row["path"], entropy, deck) == tuple(row["deal"])
        # As the document numbers the cards, and shuffles them.
        numbered = {"paohuzi": (20, 4), "shengji": (54, 2)}[row["game"]]
        listed = [code for code in range(1, numbered[0] + 1) for _ in range(numbered[1])]
        outside = outsider.shuffled(outsider.deal_key(leaf, row["path"], entropy), len(listed))
        assert [listed[place] for place in outside] == row["deal"]


def test_shengjis_cards_have_the_codes_that_the_document_gives_them_and_go_where_it_says() -> None:
    """S3.1, S3.2, S9.6."""
    told = re.search(r"\| Shengji \| (.*) \|", DOCUMENT)
    assert told is not None
    spans = re.findall(r"([♠♥♣♦]) 2 … A are (\d+) … (\d+)", told[1])
    assert [(suit, int(low), int(high)) for suit, low, high in spans] == [
        (shown, cards.parse(f"{suit}2"), cards.parse(f"{suit}A"))
        for shown, suit in zip("♠♥♣♦", cards.SUITS, strict=True)
    ]
    assert f"small joker is {cards.parse('jo')}, the big joker {cards.parse('JO')}" in told[1]
    (row,) = (row for row in VECTORS["deals"] if row["game"] == "shengji")
    deal, board = tuple(row["deal"]), dealing.parse_board_path(row["path"])
    rules: Any = registry.find(DUPLICATE)
    dealt = rules.start(rules.resolve({}), board.board, deal)
    first = (board.board - 1) % 4
    assert [dealt.hands[(first + turn) % 4] for turn in range(4)] == [
        cards.count(deal[turn:100:4]) for turn in range(4)
    ]
    assert dealt.bottom == deal[100:]


def test_vectors_of_log_keys() -> None:
    for row in VECTORS["log_keys"]:
        assert dealing.log_key(LEAVES[row["path"]], row["table"], row["path"]).hex() == row["key"]


def test_vectors_of_the_draw() -> None:
    draw = VECTORS["draw"]
    entrants = [(number, [tuple(member) for member in members]) for number, members in draw["entrants"]]
    digest, entropy = entrants_digest(entrants), bytes.fromhex(draw["entropy"])
    assert digest.hex() == draw["entrants_digest"]
    assert dealing.draw_seed(LEAVES[draw["path"]], digest, entropy).hex() == draw["seed"]
    numbers = [number for number, _ in entrants]
    assert list(dealing.draw(LEAVES[draw["path"]], digest, entropy, numbers)) == draw["order"]


def test_vectors_of_shuffles() -> None:
    for row in VECTORS["shuffles"]:
        assert list(dealing.shuffle(bytes.fromhex(row["key"]), range(row["items"]))) == row["order"]


def test_the_document_prints_the_same_vectors() -> None:
    printed = [
        *(row["leaf"] for row in VECTORS["leaves"]),
        *(row["root"] for row in VECTORS["merkle"]),
        *(row["key"] for row in VECTORS["deals"] + VECTORS["log_keys"]),
        VECTORS["master_commitment"],
        VECTORS["draw"]["seed"],
    ]
    assert [value for value in printed if value not in DOCUMENT] == []
    words = " ".join(DOCUMENT.split())
    for deal in [*(row["deal"] for row in VECTORS["deals"]), VECTORS["draw"]["order"]]:
        assert " ".join(map(str, deal)) in words


@given(st.binary(min_size=64, max_size=64), texts, texts, texts, st.binary(max_size=40))
def test_an_outsider_derives_the_same_keys(
    master: bytes, championship: str, path: str, table: str, entropy: bytes
) -> None:
    leaf = dealing.leaf(master, championship, path)
    assert leaf == outsider.leaf(master, championship, path)
    assert dealing.deal_key(leaf, path, entropy) == outsider.deal_key(leaf, path, entropy)
    assert dealing.log_key(leaf, table, path) == outsider.log_key(leaf, table, path)
    assert dealing.draw_seed(leaf, master, entropy) == outsider.draw_seed(leaf, master, entropy)
    assert dealing.lot(leaf, path, 4) == outsider.lot(leaf, path, 4)


@given(keys, st.integers(0, 300))
def test_an_outsider_shuffles_the_same(key: bytes, count: int) -> None:
    order = dealing.shuffle(key, range(count))
    assert list(order) == outsider.shuffled(key, count)
    assert sorted(order) == list(range(count))


def test_a_shuffle_beyond_65536_items_takes_three_bytes_at_a_time() -> None:
    order = dealing.shuffle(bytes(32), range(65_600))
    x = int.from_bytes(outsider.stream(bytes(32), 3), "big")
    assert x < 256**3 // 65_600 * 65_600
    assert order[-1] == x % 65_600
    # Twice as many bytes as the stream holds ready at first.
    assert list(order) == outsider.shuffled(bytes(32), 65_600)


def test_every_input_changes_the_deal() -> None:
    leaf = LEAVES["1/1/1"]
    deals = {
        dealing.deal(leaf, "1/1/1", b"", DECK),
        dealing.deal(leaf, "1/1/1", b"x", DECK),
        dealing.deal(leaf, "1/1/2", b"", DECK),
        dealing.deal(LEAVES["1/2/1"], "1/1/1", b"", DECK),
    }
    assert len(deals) == 4


def test_a_short_master_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="64 bytes"):
        dealing.leaf(bytes(32), CHAMPIONSHIP, "1/1/1")


def chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected


def bound(freedom: int) -> float:
    """What a fair shuffle's chi-square exceeds once in ten million samples (Wilson-Hilferty, z = 5.2)."""
    return freedom * (1 - 2 / (9 * freedom) + 5.2 * math.sqrt(2 / (9 * freedom))) ** 3


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


def test_all_permutations_of_five_are_equally_likely_chi_square() -> None:
    seen = Counter(dealing.shuffle(key(number), range(5)) for number in range(24_000))
    counts = [seen[order] for order in permutations(range(5))]
    assert chi_square(counts) < bound(119)


def test_every_tile_is_equally_likely_in_every_place_chi_square() -> None:
    deals = [dealing.shuffle(key(number), range(80)) for number in range(4_000)]
    for place in (0, 1, 39, 60, 78, 79):
        seen = Counter(deal[place] for deal in deals)
        assert chi_square([seen[tile] for tile in range(80)]) < bound(79)


def test_the_chi_square_bound_catches_taking_remainders_without_rejection() -> None:
    # What the shuffle would be if byte % n were taken as it comes: values below 256 % n come up too often.
    counts = [0] * 80
    for number in range(16_000):
        counts[outsider.stream(key(number), 1)[0] % 80] += 1
    assert chi_square(counts) > bound(79)


def test_rejected_bytes_are_thrown_away() -> None:
    # 80 items: the first byte must be below 240. Keys whose stream starts with one, two, three rejections:
    for rejections in (1, 2, 3):
        number = next(
            n
            for n in range(100_000)
            if all(byte >= 240 for byte in outsider.stream(key(n), rejections))
            and outsider.stream(key(n), rejections + 1)[-1] < 240
        )
        accepted = outsider.stream(key(number), rejections + 1)[-1]
        assert dealing.shuffle(key(number), range(80))[79] == accepted % 80


@pytest.mark.parametrize("path", ["3/2/1", "1/r1-t12/17/1"])
def test_a_boards_path_is_taken_apart_and_put_together(path: str) -> None:
    assert dealing.board_path(*dealing.parse_board_path(path)) == path


def test_s3_2_the_lot_of_a_match_is_each_seat_as_often_and_stays_as_it_is() -> None:
    path = dealing.board_path(1, 1, 1, "r1-t1")
    lots = [
        dealing.lot(sha256(bytes([one, two])).digest(), path, 4) for one in range(20) for two in range(100)
    ]
    assert all(430 < lots.count(seat) < 570 for seat in range(4))
    assert lots[:8] == [0, 3, 2, 1, 3, 3, 1, 3]
