"""Random legal deals of OpenSpiel's bridge (C++, driven from Python), auction and play; the cards dealt beforehand one by one."""

import json
import random
import sys
import time

import pyspiel  # type: ignore[import-not-found]

seconds = json.loads(sys.argv[1])["seconds"]
draw, deals, moves = random.Random(7), 0, 0
game = pyspiel.load_game("bridge(use_double_dummy_result=false)")
began = time.process_time()
while time.process_time() - began < seconds:
    state = game.new_initial_state()
    for card in draw.sample(range(52), 52):
        state.apply_action(card)
    while not state.is_terminal():
        state.apply_action(draw.choice(state.legal_actions()))
        moves += 1
    deals += 1
spent = time.process_time() - began
print(json.dumps({"boards": deals / spent, "moves": moves / spent}))
