"""Random legal boards of RLCard's mahjong core, without its environment around it."""

import json
import random
import sys
import time

from rlcard.games.mahjong import Game  # type: ignore[import-not-found]

seconds = json.loads(sys.argv[1])["seconds"]
draw, boards, moves = random.Random(7), 0, 0
game = Game()
game.np_random.seed(7)
began = time.process_time()
while time.process_time() - began < seconds:
    state, _ = game.init_game()
    while not game.is_over():
        state, _ = game.step(draw.choice(game.get_legal_actions(state)))
        moves += 1
    boards += 1
spent = time.process_time() - began
print(json.dumps({"boards": boards / spent, "moves": moves / spent}))
