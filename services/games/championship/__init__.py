"""Championship arithmetic as a pure library: `rules/championship.md`, C1 to C8.

| Clause | Where | Parameter |
|---|---|---|
| C1.1, C2.1 | `results.TableResult`; `rows`, `ranking`: boards counted once, figures in range | |
| C1.2, C1.6, C1.7 | `results.settle`: entrant numbers, seats that do not count | |
| C1.3, C1.5 | `movement.seat_against_machine`, house AI in the last tables | |
| C1.5 | byes: `swiss` (who), `pairs.with_byes` (in percent), `league` (in points) | |
| C2.2, C10.6 | `results.settle`: unfinished and voided boards, assigned percentages, corrections, penalties | |
| C3.0, C3.1 | `ranking`: boards or sessions as units, comparison groups | `mp_unit`, `boards_per_session`, `compare_within` |
| C3.2-C3.5 | `matchpoints` (one group), `vectors.compare` and `ranking` (a whole field) | `tie_on` |
| C4.1-C4.4 | `ranking`, `standings`, `explain` | `beaten_scope`, `thinking_time` |
| C4.5 | `playoff`: who plays one, where, what it decides | |
| C6.1-C6.4 | `movement` by lot, by rank; `tables` of every format | `layout` |
| C7.1 | `swiss`, `matching`: pairs, `pairs.by_line`: lines compare | |
| C7.2 | `teams`: rooms, match results, match points | |
| C7.3 | `mitchell`, `howell`, `round_robin` | |
| C8.1, C8.5 | `tables.seat_ranked`, `league.rank` | |
| C8.2, C8.3 | `points`: when a match ends and who has won it | |
| C8.4 | `netlevels` | `a_is_a_level` |
| C8.6 | `sheet` | |

`tables` seats a round in every format and says who met whom; `contest` makes the standings of every format, their terms and digest.
Individuals and pairs have `standings` and `explain`, by percentages; teams and the points format have `league.Placing`, by points.
`vectors`, `rows` and `ranking` are the columns under the former; `meetings` is what every movement of pairs and teams makes.
Everything is exact: integers and fractions, no binary floating point.
"""
