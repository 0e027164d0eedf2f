"""Random legal deals of RLCard's bridge, auction and play: its core, or with `environment` what its environment makes of it."""

import json
import random
import sys
import time

import rlcard  # type: ignore[import-not-found]
from rlcard.games.bridge.game import BridgeGame  # type: ignore[import-not-found]

given = json.loads(sys.argv[1])
draw, deals, moves = random.Random(7), 0, 0
environment = rlcard.make("bridge", config={"seed": 7}) if given["environment"] else None
game = BridgeGame()
began = time.process_time()
while time.process_time() - began < given["seconds"]:
    if environment is None:
        game.init_game()
        while not game.is_over():
            game.step(draw.choice(game.judger.get_legal_actions()))
            moves += 1
    else:
        state, _ = environment.reset()
        while not environment.is_over():
            state, _ = environment.step(draw.choice([*state["legal_actions"]]))
            moves += 1
    deals += 1
spent = time.process_time() - began
print(json.dumps({"boards": deals / spent, "moves": moves / spent}))
