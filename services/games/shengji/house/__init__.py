"""The house AI's judgement: what a seat can work out of its view, and what it makes of it.

`bidding`, `burying` and `playing` weigh what an answer brings, in points of the game, against what its cards are worth to keep
(`worth`). All are functions of one seat's view alone (`knowledge`); with a view that house AI remembers tricks by
(`view.Remembering`) they count cards, without it they go by what is on the table.
"""
