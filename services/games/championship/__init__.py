"""Championship arithmetic as a pure library: `rules/championship.md`, C1 to C6 and C8.4.

| Clause | Where | Parameter |
|---|---|---|
| C1.1, C2.1 | `results.TableResult`; `rows`, `ranking`: boards counted once, figures in range | |
| C1.2, C1.6, C1.7 | `results.settle`: entrant numbers, seats that do not count | |
| C1.3, C1.5 | `movement.seat_against_machine`, house AI in the last tables | |
| C2.2, C10.6 | `results.settle`: unfinished and voided boards, assigned percentages, corrections, penalties | |
| C3.0, C3.1 | `ranking`: boards or sessions as units, comparison groups | `mp_unit`, `boards_per_session`, `compare_within` |
| C3.2-C3.5 | `matchpoints` (one group), `vectors.compare` and `ranking` (a whole field) | `tie_on` |
| C4.1-C4.5 | `ranking`, `standings`, `explain` | `beaten_scope`, `thinking_time` |
| C6.1-C6.4 | `movement` | `layout` |
| C8.4 | `netlevels` | `a_is_a_level` |

`standings` and `explain` are what a service calls; `vectors`, `rows` and `ranking` are the columns under them and alone use
numpy. Left out: byes and the movements of pairs and teams (C1.5, C7), the order of the points format (C8.5). Everything is
exact: integers and fractions, no binary floating point.
"""
