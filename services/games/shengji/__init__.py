"""Shengji (升级, 80 points) as a library of pure functions, stdlib only: rulesets xiamen-2015 and duplicate-2017.

| clauses | where | parameters |
|---|---|---|
| S1.0, names of all parameters | `params` | `packs` |
| S1.1 cards and points | `cards` | |
| S1.2-S1.4, chain of S6.3 and S4.6 | `order` | `demote` |
| S4 bids, asks, no bid, who may revolt | `bids` | `bid_phase`, `no_bid_rule`, `demote`, `revolution` |
| S6.2, S6.3 components | `shape`, `runs` | |
| S6.4 throws | `throw` | `throw_fine` |
| S7 following | `follow`, `runs` | `partial_tractor_follow` |
| S8 winner and points of a trick | `trick`, `runs` | `overruff`, `tractor_over_pairs` |
| S9.1 bottom | `bottom` | `bottom_shape` |
| S9.3-S9.7 levels, next declarer, raw score | `result` | `profile`, `declarer_rotation`, `must_play`, `score` |
| S9.2, S10 fines and infringements | `infringements` | |
"""
