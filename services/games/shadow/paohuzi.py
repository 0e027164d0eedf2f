"""A referee of whole Paohuzi boards, written from the rule pages and for reading beside them.

`Board` is a sheet of paper: it is told who does what and keeps, in plain lists, what lies where. It says at every
point what each seat may do (`options`), who owes a tile, who draws next, and in `facts` what has happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from services.domain import Rejected
from services.games.shadow import claims, refusals
from services.games.shadow import hands as shadow
from services.games.shadow.claims import Offer, Rank, tidy
from services.games.shadow.hands import KINDS, Meld, Moment, Rules, Tile, Win, without

Fact = tuple[Any, ...]
"""What happened, who did it, and the tile: `("draws", 1, "s5")`."""

Standing = tuple[Rank, int, str]
"""A claim that stands, whose it is and what: the best is the least."""


def next_seat(seat: int) -> int:
    """下家 (P2)."""
    return (seat + 1) % 3


class Board:
    """One board from the deal to its end. `hands` are the three dealt hands of twenty, by seat (P3)."""

    def __init__(
        self, rules: Rules, dealer: int, hands: Sequence[Sequence[Tile]], bright: Tile, stock: Sequence[Tile]
    ) -> None:
        self.rules = rules
        self.dealer = dealer
        self.hands = [list(hand) for hand in hands]
        self.melds: list[list[Meld]] = [[], [], []]
        self.stock = list(stock)
        self.facts: list[Fact] = []
        self.no_eat: list[set[Tile]] = [set(), set(), set()]  # P7.1, P7.3
        self.no_peng: list[set[Tile]] = [set(), set(), set()]  # P7.1-P7.3
        self.has_played: list[set[Tile]] = [set(), set(), set()]  # P7.3
        self.passed_peng: list[set[Tile]] = [set(), set(), set()]  # 忍碰, makes a wei a 臭偎 (P4)
        self.touched = [False, False, False]  # has eaten or ponged (P10 untouched)
        self.dead = [False, False, False]  # P5.7
        self.turn: int | None = None  # the seat that is to play, or may win before it plays
        self.turn_win: Win | None = None
        self.offer: Offer | None = None
        self.claims: dict[int, list[str]] = {}  # what each asked seat could claim on the offer
        self.answers: dict[int, str] = {}
        self.pao: int | None = None  # whose compulsory pao takes the tile on offer
        self.standing: Standing | None = None  # the best claim on it that stands
        self.won: tuple[int, Win] | None = None
        self.drawn = False
        self._open(bright)

    @property
    def over(self) -> bool:
        """Whether the board has been won or drawn."""
        return self.drawn or self.won is not None

    @property
    def scores(self) -> list[int] | None:
        """By seat once the board is over: P11.1, or 0, 0, 0 (P5.5)."""
        if self.won:
            winner, win = self.won
            return shadow.scores(winner, win.pay)
        return [0, 0, 0] if self.drawn else None

    def options(self) -> dict[int, list[str]]:
        """What every seat that has a choice may do now."""
        asked = self.still_asked() if self.turn is None else [self.turn]
        return {seat: self.choices(seat) for seat in asked}

    def choices(self, seat: int) -> list[str]:
        """What a seat may do now; nothing where it has no choice."""
        if self.turn is None:
            return [*self.claims[seat], "pass"] if seat in self.still_asked() else []
        if seat != self.turn:
            return []
        plays = [f"play {kind}" for kind in self.playable(seat)] if self.owes_tile(seat) else []
        return ["win", *(plays or ["pass"])] if self.turn_win else plays  # playing declines the win

    def owes(self) -> int | None:
        """The seat that owes a tile now, if any (P5.4); a dead hand plays none (P5.7)."""
        owing = [seat for seat in range(3) if self.owes_tile(seat) and not self.dead[seat]]
        return owing[0] if owing and not self.over else None

    def next_draw(self) -> int | None:
        """Who draws next if nobody takes anything more, not even by a pao; nobody from an empty stock."""
        if self.over or not self.stock:
            return None
        if self.turn is not None:
            return next_seat(self.turn)
        assert self.offer is not None
        return next_seat(self.offer.seat)

    def _open(self, bright: Tile) -> None:
        self.hands[self.dealer].append(bright)  # P3
        for seat in self._in_turn(self.dealer):  # P5.1: every dealt ti, dealer first
            for kind in shadow.fours_in(self.hands[seat]):
                self._lay(seat, ("ti", kind), [kind] * 4)
                self._tell("is dealt ti", seat, kind)
        if self.rules.dihu_on_bright_tile:  # P8.3: before the dealer's first play
            self._put(Offer("bright", self.dealer, bright))
        else:
            self._after_taking(self.dealer, self._win_of_whole_hand(self.dealer, "dealt"))

    def owes_tile(self, seat: int, more: int = 0) -> bool:
        """P5.4: hand, melds and `more` are more than 20 + max(0, q − 1) tiles, q = ti and pao."""
        holds = len(self.hands[seat]) + 3 * len(self.melds[seat]) + more
        q = sum(meld[0] in ("ti", "pao") for meld in self.melds[seat])
        holds += q  # which have four tiles
        return holds > 20 + max(0, q - 1)

    def playable(self, seat: int) -> list[Tile]:
        """P5.6: kinds in hand that are neither kan nor four alike."""
        held = Counter(self.hands[seat])
        return [kind for kind in KINDS if held[kind] in (1, 2)]

    def _after_taking(self, seat: int, win: Win | None = None) -> None:
        """A seat has taken a tile: it may win if `win`, then plays if it owes one, else the next seat draws."""
        self.offer, self.claims, self.answers = None, {}, {}
        plays = self.owes_tile(seat) and bool(self.playable(seat)) and not self.dead[seat]
        if win or plays:
            self.turn, self.turn_win = seat, win
            return
        self.turn, self.turn_win = None, None
        if self.owes_tile(seat) and not self.dead[seat]:  # P5.7: a tile owed and none playable
            self.dead[seat] = True
            self._tell("hand is dead", seat, None)
        self._draw(next_seat(seat))

    def _draw(self, seat: int) -> None:
        if not self.stock:  # P5.5: a draw is due and nothing to draw
            self.drawn = True
            self._tell("nobody wins", None, None)
            return
        tile = self.stock.pop(0)
        hand = self.hands[seat]
        if hand.count(tile) == 3:  # P4 ti 2
            self._lay(seat, ("ti", tile), [tile] * 3)
            self._tell("ti", seat, tile)
        elif ("wei", tile) in self.melds[seat]:  # P4 ti 3
            self._grow(seat, ("wei", tile), "ti")
            self._tell("ti", seat, tile)
        elif hand.count(tile) == 2:  # P4 wei and 臭偎
            name = "chouwei" if tile in self.passed_peng[seat] else "wei"
            self._lay(seat, (name, tile), [tile] * 2)
            self._tell(name, seat, tile)
        else:
            self._tell("draws", seat, tile)
            self._put(Offer("drawn", seat, tile))
            return
        # P8.4: the drawn tile is bound; then the seat may win before it plays
        self._after_taking(seat, self._win_of_whole_hand(seat, "own"))

    def _put(self, offer: Offer) -> None:
        """Put a tile on offer and ask every seat that has a choice."""
        self.turn, self.turn_win = None, None
        self.offer, self.answers = offer, {}
        self.pao = pao = claims.pao(self, offer)  # it stands from the start
        self.standing = None if pao is None else (offer.rank(pao, "pao"), pao, "pao")
        self.claims = {seat: found for seat in range(3) if (found := claims.claims(self, offer, seat))}
        self.claims = {seat: self.claims[seat] for seat in self.still_asked()}  # a pao may outrank all (P6.4)
        self._resolve()

    def act(self, seat: int, do: str) -> None:
        """A seat does something. Raises Rejected with the clause; nothing has changed then."""
        do = tidy(do)
        if do not in self.choices(seat):
            raise Rejected("REFUSED", refusals.clause(self, seat, do))
        if self.turn is None:
            self._answer(seat, do)
        elif do == "win":
            assert self.turn_win is not None
            self._win(seat, self.turn_win)
        elif do == "pass":
            self._after_taking(seat)
        else:
            self._play(seat, do.split()[1])

    def _play(self, seat: int, tile: Tile) -> None:
        self.hands[seat].remove(tile)
        self.has_played[seat].add(tile)
        self.no_eat[seat].add(tile)  # P7.3
        self.no_peng[seat].add(tile)
        self._tell("plays", seat, tile)
        self._put(Offer("played", seat, tile))

    def _answer(self, seat: int, do: str) -> None:
        assert self.offer is not None
        self.answers[seat] = do
        if do != "pass":
            claim = self.offer.rank(seat, do), seat, do
            self.standing = claim if self.standing is None else min(self.standing, claim)
        self._resolve()

    def still_asked(self) -> list[int]:
        """P6.4: seats that have not answered and could still outrank the best claim that stands."""
        offer, standing = self.offer, self.standing
        if offer is None:
            return []
        return [
            seat
            for seat, claims in self.claims.items()
            if seat not in self.answers
            and (standing is None or min(offer.rank(seat, claim) for claim in claims) < standing[0])
        ]

    def _resolve(self) -> None:
        """Award the tile as soon as no pending answer can outrank the best one given (P6.4)."""
        if self.still_asked():
            return
        assert self.offer is not None
        offer, standing = self.offer, self.standing
        self._count_passes(None if standing is None else standing[0])
        if standing is None:
            if offer.how == "bright":
                self._after_taking(self.dealer)
            else:  # P5.2
                self._tell("dies", offer.seat, offer.tile)
                self.offer, self.claims, self.answers = None, {}, {}
                self._draw(next_seat(offer.seat))
            return
        _, seat, claim = standing
        if claim == "win":
            win = self.win_on_offer(seat)
            assert win is not None
            self._win(seat, win)
        elif claim == "pao":
            self._take_pao(seat, offer.tile)
        elif claim == "peng":
            self._lay(seat, ("peng", offer.tile), [offer.tile] * 2)
            self.touched[seat] = True
            self._tell("pengs", seat, offer.tile)
            self._after_taking(seat)
        else:
            self._take_eat(seat, offer.tile, claim)

    def _count_passes(self, award: Rank | None) -> None:
        """P7.1, P7.2, with P7.4: not where the award outranks every eat and peng the seat could have made."""
        assert self.offer is not None
        tile, by = self.offer.tile, self.offer.seat
        for seat, answer in sorted(self.answers.items()):
            takes = [claim for claim in self.claims[seat] if claim != "win"]
            if answer != "pass" or not takes:
                continue
            if award is not None and award < min(self.offer.rank(seat, claim) for claim in takes):
                continue
            from_next = by == next_seat(seat)
            self.no_peng[seat].add(tile)
            if not from_next:
                self.no_eat[seat].add(tile)
            if "peng" in takes:
                self.passed_peng[seat].add(tile)
            self._tell("passes", seat, tile, not from_next, "peng" in takes)

    def _take_pao(self, seat: int, tile: Tile) -> None:
        if self.hands[seat].count(tile) == 3:
            self._lay(seat, ("pao", tile), [tile] * 3)
        else:
            name = "peng" if ("peng", tile) in self.melds[seat] else "wei"
            self._grow(seat, (name, tile), "pao")
        self._tell("pao", seat, tile)
        self._after_taking(seat)

    def _take_eat(self, seat: int, tile: Tile, claim: str) -> None:
        using, *along = [group.split() for group in claim.removeprefix("eat ").split(" + ")]
        for group, gone in [([tile, *using], using), *((group, group) for group in along)]:
            meld = shadow.three_meld(group)
            assert meld is not None
            self._lay(seat, meld, gone)
        self.touched[seat] = True
        self._tell("eats", seat, tile, claim)
        self._after_taking(seat)

    def _moment(self, seat: int, by: str) -> Moment:
        last = not self.stock and by in ("own", "other")
        return Moment(by, last_tile=last, untouched=not self.touched[seat])

    def _win_of_whole_hand(self, seat: int, by: str) -> Win | None:
        """The win of what a seat holds, nothing loose: dealt (P8.3), or after its own ti or wei (P8.4)."""
        if self.dead[seat]:  # P5.7
            return None
        readings = shadow.sevens(self.melds[seat], self.hands[seat])
        return shadow.best(shadow.wins(self.rules, readings, self._moment(seat, by)))

    def readings_on_offer(self, seat: int) -> tuple[Iterator[shadow.Reading], str]:
        """Readings of a seat's hand with the tile on offer, and how they would win (see `Moment`)."""
        assert self.offer is not None
        how, by, tile = self.offer.how, self.offer.seat, self.offer.tile
        table, hand = self.melds[seat], self.hands[seat]
        if how == "played":  # P8.3: not a stock tile
            return iter(()), ""
        if seat != by:
            return shadow.others_draw(table, hand, tile), "bright" if how == "bright" else "other"
        if how == "bright":
            return shadow.sevens(table, hand), "dealt"
        return shadow.own_draw(table, hand, tile), "own"

    def win_on_offer(self, seat: int) -> Win | None:
        """The best win of a seat on the tile on offer (P8.6), if any."""
        readings, by = self.readings_on_offer(seat)
        return shadow.best(shadow.wins(self.rules, readings, self._moment(seat, by)))

    def _win(self, seat: int, win: Win) -> None:
        self.won = (seat, win)
        self.turn, self.turn_win, self.offer, self.claims, self.answers = None, None, None, {}, {}
        self._tell("wins", seat, None)

    def _in_turn(self, first: int) -> list[int]:
        return [first, next_seat(first), next_seat(next_seat(first))]

    def _lay(self, seat: int, meld: Meld, from_hand: Sequence[Tile]) -> None:
        self.hands[seat] = without(self.hands[seat], from_hand)
        self.melds[seat].append(meld)

    def _grow(self, seat: int, old: Meld, name: str) -> None:
        self.melds[seat] = shadow.grown(self.melds[seat], old, name)

    def _tell(self, *fact: Any) -> None:
        self.facts.append(fact)
