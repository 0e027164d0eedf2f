"""Random legal deals of RLCard's bridge, auction and play: its random agents, its environment in a bare loop, or its core alone."""

import json
import random
import sys
import time

import rlcard  # type: ignore[import-not-found]
from rlcard.agents import RandomAgent  # type: ignore[import-not-found]
from rlcard.games.bridge.game import BridgeGame  # type: ignore[import-not-found]

environment = rlcard.make("bridge", config={"seed": 7})
environment.set_agents([RandomAgent(environment.num_actions) for _ in range(4)])
draw, game = random.Random(7), BridgeGame()
game.np_random.seed(7)


def by_agents() -> int:
    """Play a deal; number of moves. A trajectory has a state before and after every move of a player."""
    trajectories, _ = environment.run(is_training=False)
    return sum(len(each) // 2 for each in trajectories)


def by_loop() -> int:
    """Play a deal; number of moves. A state is made for the seat to move, and nothing is kept of it."""
    moves, (state, _) = 0, environment.reset()
    while not environment.is_over():
        state, _ = environment.step(draw.choice(list(state["legal_actions"])))
        moves += 1
    return moves


def by_core() -> int:
    """Play a deal; number of moves."""
    game.init_game()
    while not game.is_over():
        game.step(draw.choice(game.judger.get_legal_actions()))
    return len(game.actions)


given = json.loads(sys.argv[1])
play = {"agents": by_agents, "loop": by_loop, "core": by_core}[given["by"]]
deals = moves = 0
began = time.process_time()
while time.process_time() - began < given["seconds"]:
    moves += play()
    deals += 1
spent = time.process_time() - began
print(json.dumps({"boards": deals / spent, "moves": moves / spent}))
