"""Competitive Paohuzi (竞技跑胡子, 2017 rules) as a library of pure functions, stdlib only.

| clauses | where | parameters |
|---|---|---|
| P1 tiles | `tiles` | |
| P2, P3 seats and deal, P5.4, P5.6 tiles owed and playable | `state`, `ruleset` | |
| P4, P9 melds and their huxi | `melds` | |
| P5 course of play, P6.1 awards, P7.1-P7.4 passes | `decide` (what happens), `evolve` (what it changes) | |
| P6 claims, P5.7, P8.3 who is asked | `questions` | `dihu_on_bright_tile` |
| P7.5 laying along | `eats` | |
| P8 winning, best reading | `reading`, `cuts` | `min_huxi`, `dihu_on_bright_tile` |
| P10 named hands | `fans` | `profile`, `fan`, `fan_combine`, `red_step` |
| P11 score | `score` | `min_huxi` |
| P12 the player of an expired clock; its time is the event's | `fallback` | |
| P13 what a seat may know | `view`, made by `sight` | |
| which clause refuses an action | `refusals` | |
| house AI | `policy`, `outlook`, `plans` | |

A board is a fold of `events` over `state.start`; `ruleset` puts the package behind `services.games.rules.Ruleset`.
P0 concerns the federation and its records, not the rules of a board.
"""
