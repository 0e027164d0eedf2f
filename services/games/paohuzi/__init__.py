"""Competitive Paohuzi (竞技跑胡子, 2017 rules) as a library of pure functions, stdlib only.

| clauses | where | parameters |
|---|---|---|
| P1 tiles | `tiles` | |
| P4, P9 melds and their huxi | `melds` | |
| P8 winning, best reading | `reading` | `min_huxi`, `dihu_on_bright_tile` |
| P10 named hands | `fans` | `profile`, `fan`, `fan_combine`, `red_step` |
| P11 score | `score` | `min_huxi` |
| house AI | `policy` | |
"""
