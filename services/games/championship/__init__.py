"""Championship arithmetic as a pure library: `rules/championship.md`, C1 to C6 and C8.4.

| Clause | Where | Parameter |
|---|---|---|
| C1.2, C1.7 | `results`: entrant numbers, seats that do not count | |
| C1.3, C1.5 | `movement.seat_against_machine`, house AI in the last tables | |
| C2.2 | `results`: unfinished and voided boards, assigned percentages | |
| C3.0 | `vectors`: boards or sessions as units | `mp_unit`, `boards_per_session` |
| C3.1 | `vectors`: comparison groups | `compare_within` |
| C3.2-C3.5 | `matchpoints` (one group), `vectors` (a whole field) | `tie_on` |
| C4.1-C4.5 | `vectors.rank`, `standings`, `explain` | `beaten_scope`, `thinking_time` |
| C6.1-C6.4 | `movement` | `layout` |
| C8.4 | `netlevels` | `a_is_a_level` |

Left out: events (C1.1, C1.6, C2.1 are other packages' work), byes and the movements of pairs and teams (C1.5, C7), the
order of the points format (C8.5). Everything is exact: integers and fractions, no binary floating point.
"""
