"""The rules a second time: slow, plain, and written from the rule pages alone.

Nothing here imports the engines. The tests let both judge the same hands and boards (`tests/games/shadow`), and the table
service puts boards that have ended before this one (`check`): where they differ, one of them has misread a clause. Tiles, melds,
cards and actions are the words of the published cases (`s5`, `("run", "s1", "s2", "s3")`, `eat s7 s8 + s4 s5 s6`, `SA`).
"""
