"""Hand values of the package `mahjong`: random winning hands of four sets and a pair."""

import json
import random
import sys
import time

from mahjong.hand_calculating.hand import HandCalculator  # type: ignore[import-not-found]
from mahjong.tile import TilesConverter  # type: ignore[import-not-found]

HANDS = 2000


def winning(draw: random.Random) -> list[int]:
    """Tiles of a random winning hand, by kind, no kind more than four times."""
    while True:
        kinds = [draw.randrange(34)] * 2
        for _ in range(4):
            first = draw.randrange(34)
            run = first < 27 and first % 9 < 7 and draw.random() < 0.7
            kinds += [first, first + 1, first + 2] if run else [first] * 3
        counts = [kinds.count(kind) for kind in range(34)]
        if max(counts) <= 4:
            tiles: list[int] = TilesConverter.to_136_array(counts)
            return tiles


seconds = json.loads(sys.argv[1])["seconds"]
draw = random.Random(7)
hands = [winning(draw) for _ in range(HANDS)]
calculator, values = HandCalculator(), 0
began = time.process_time()
while time.process_time() - began < seconds:
    for hand in hands:
        calculator.estimate_hand_value(hand, hand[-1])
    values += HANDS
print(json.dumps({"values": values / (time.process_time() - began)}))
