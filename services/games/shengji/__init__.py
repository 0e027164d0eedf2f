"""Shengji (升级, 80 points) as a library of pure functions, stdlib only: rulesets xiamen-2015 and duplicate-2017.

| clauses | where | parameters |
|---|---|---|
| S1.0, names of all parameters | `params` | `packs` |
| S1.1 cards and points | `cards` | |
| S1.2-S1.4, chain of S6.3 and S4.6 | `order` | |
| S2 seats, S3 deal, S3.2 first drawer | `result`, `state`, `bids`; drawing at a pace: `pace` | |
| S4 bids, asks, no bid, who may revolt | `bids`; who is asked: `questions` | `bid_phase`, `no_bid_rule`, `demote`, `revolution` |
| S5 bottom, S6.1 leads, S8.4 points | `decide` (what happens), `evolve` (what it changes) | |
| S6.2, S6.3 components | `shape`, `runs` | |
| S6.4 throws | `throw` | `throw_fine` |
| S7 following | `follow`, `runs` | `partial_tractor_follow` |
| S8 winner of a trick | `trick`, `runs` | `overruff`, `tractor_over_pairs` |
| S9.1 bottom at the last trick | `bottom` | `bottom_shape` |
| S9.3-S9.7 levels, next declarer, raw score | `result` | `profile`, `declarer_rotation`, `must_play`, `score` |
| a match of many deals, C8.2-C8.4 | `match` | |
| S9.2, S10 fines and infringements | `infringements`, `decide.penalise` | |
| S10 what a seat may know | `view`, made by `sight` | |
| S11 the player of an expired clock; its time is the event's | `fallback` | |
| house AI | `policy`, `house` | |

A deal is a fold of `events` over `state.start`; `ruleset` puts the package behind `services.games.rules.Ruleset`. Legal actions
are sequences that are counted and indexed but not listed (`choices`, `selections`). Left out: one and three packs (S1.0).
"""
