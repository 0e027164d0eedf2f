"""Logs cut off at their tail, where no chain is broken: what others name and is not there."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from services.ledger import record as r
from services.ledger.audit.ends import REACTION_US
from services.ledger.audit.report import Report, Status
from services.ledger.audit.verify import verify
from services.ledger.auditfile import About, encode
from tests.ledger import event_log as e
from tests.ledger.test_audit import codes, whole

LATER_US = 1_800_000_000_000_000
UNTOLD = "nothing in this file tells whether the log of {} goes on after version {}"


def closed(log: e.Log, incomplete: bool = False, later_us: int = LATER_US) -> e.Log:
    """The championship once its round is closed, and a while later."""
    log = copy.deepcopy(log)
    round_closed = {"round": 1, "incomplete": incomplete}
    log.append(e.PAIRING, [e.PairingEvent(round_closed=round_closed)], time_us=later_us)
    return log


def cut(
    log: e.Log, subject: str, count: int, kind: str = "championship", drop: tuple[str, ...] = ()
) -> Report:
    """Verification without the last `count` records of a subject, and without the subjects `drop`."""
    gone = log.of(subject)[len(log.of(subject)) - count :] if count else []
    kept: list[r.Stored] = [one for one in log.records if one not in gone and one.subject not in drop]
    return verify(encode(About(kind, e.CUP, e.CUP), kept))


def missing(report: Report) -> tuple[str, ...]:
    (ends,) = (one for one in report.checks if one.name == "ends")
    return ends.missing


def said(report: Report) -> list[str]:
    return [one.detail for one in report.findings if one.code == "CUT_OFF"]


def test_every_log_of_a_whole_event_has_its_end() -> None:
    report = cut(closed(whole()), e.DEALER, 0)
    assert codes(report) == set()
    (ends,) = (one for one in report.checks if one.name == "ends")
    assert (ends.status, ends.done, ends.missing) == (
        Status.OK,
        5,
        (),
    )  # dealer, pairing, scoring, two tables


@pytest.mark.parametrize("kind", ["championship", "round", "table"])
def test_a_dealers_log_that_ends_before_a_key_was_used_is_found(kind: str) -> None:
    """C10.4: ballots are counted with a key that the dealer has released."""
    report = cut(whole(), e.DEALER, 2, kind)
    assert said(report) == [
        "the log ends too early: appeal a-1 was decided, the release of its key is missing"
    ]
    assert not report.ok


@pytest.mark.parametrize(("count", "more"), [(4, 2), (5, 3)])
def test_a_dealers_log_that_ends_before_its_boards_are_revealed_is_found(count: int, more: int) -> None:
    report = cut(closed(whole()), e.DEALER, count)
    assert len(said(report)) == 1
    assert said(report)[0].endswith(f", and {more} more")
    assert said(report)[0].startswith("the log ends too early: the key of a panel of appeal a-1 is missing")
    log = closed(e.championship(reveal=False))
    assert said(cut(log, e.DEALER, 0)) == [
        "the log ends too early: board 1/1/1 was closed everywhere, its leaf is missing, and 1 more"
    ]


def test_a_tables_file_tells_by_its_round_that_its_board_was_closed_everywhere() -> None:
    log, other = e.championship(reveal=False), (e.table_subject(2),)
    assert said(cut(closed(closed(log, later_us=0)), e.DEALER, 0, "table", other))
    incomplete = closed(closed(log, True, later_us=0), True)
    assert said(cut(incomplete, e.DEALER, 0, "table", other)) == []


@pytest.mark.parametrize(("after_us", "found"), [(REACTION_US // 2, False), (2 * REACTION_US, True)])
def test_while_a_round_is_played_the_dealer_has_a_moment_to_reveal_a_board(
    after_us: int, found: bool
) -> None:
    log = e.championship(reveal=False)
    last_us = max(head.time_us for head in log.heads.values())
    log.append(e.PAIRING, [e.PairingEvent(round_started={"round": 1})], time_us=last_us + after_us)
    report = cut(log, e.DEALER, 0)
    assert bool(said(report)) is found
    assert missing(report) == (UNTOLD.format("dealer", 5), UNTOLD.format("pairing", 7))


@pytest.mark.parametrize(
    ("left", "why"),
    [
        (1, "batch 1, which round 1 plays, is missing, and 3 more"),
        (2, "the draw that round 1 sits by is missing"),
    ],
)
def test_what_was_paired_and_dealt_was_committed_and_drawn_before(left: int, why: str) -> None:
    log = e.championship(reveal=False)
    report = cut(log, e.DEALER, len(log.of(e.DEALER)) - left)
    assert said(report) == [f"the log ends too early: {why}"]


def test_a_panels_key_was_made_before_it_was_appointed() -> None:
    def other(appointed: object) -> None:
        appointed.ballot_key = bytes(32)  # type: ignore[attr-defined]

    log = e.championship(forge={"panel_appointed": other})
    assert "the log ends too early: the key of a panel of appeal a-1 is missing" in said(verify_log(log))


def whole_but_the_seal() -> r.Head:
    """Where pairing's log stands before the championship is sealed."""
    heads, _ = r.verify_chain(whole().of(e.PAIRING)[:-1])
    return heads[e.PAIRING]


def verify_log(log: e.Log) -> Report:
    return cut(log, e.DEALER, 0)


def test_where_nothing_can_tell_it_is_said() -> None:
    """The secret is revealed last: nothing follows from it."""
    report = cut(whole(), e.DEALER, 1)
    assert report.ok
    assert missing(report) == (UNTOLD.format("dealer", len(whole().of(e.DEALER)) - 1),)


def test_a_table_that_ends_before_its_round_was_closed_is_found() -> None:
    table = e.table_subject(1)
    unsealed = copy.deepcopy(whole())
    unsealed.records = [one for one in unsealed.records if one != unsealed.of(e.PAIRING)[-1]]
    unsealed.heads[e.PAIRING] = whole_but_the_seal()
    report = cut(closed(unsealed, later_us=0), table, 2, "round")
    assert said(report) == ["the log ends too early: play is over, the end of board 2 is missing"]
    assert [one.subject for one in report.findings] == [table]
    assert said(cut(closed(unsealed, incomplete=True, later_us=0), table, 2, "round")) == []


def test_a_sealed_championships_table_has_signed() -> None:
    report = cut(whole(), e.table_subject(1), 1, "table")
    assert said(report) == [
        "the log ends too early: the championship was sealed, the signature of the table is missing"
    ]


def test_scorings_log_that_ends_before_the_publication_that_was_sealed_is_found() -> None:
    report = cut(whole(), e.SCORING, len(whole().of(e.SCORING)), "round")
    assert said(report) == []  # nothing of it is there: the check of standings says so
    log = e.championship(forge={"championship_sealed": lambda sealed: setattr(sealed, "publication", 2)})
    report = cut(log, e.SCORING, 1, "round")
    assert said(report) == ["the log ends too early: publication 2, which pairing names, is missing"]


def test_a_tables_seats_were_drawn_before_it_was_opened() -> None:
    log = e.championship(reveal=False)
    report = cut(log, e.PAIRING, 2, "table")
    assert said(report) == [
        "the log ends too early: table r1-t2 was opened, its seats are missing, and 1 more"
    ]
    assert {one.subject for one in report.findings} == {e.PAIRING}


def test_until_the_championship_is_sealed_its_logs_may_go_on() -> None:
    report = cut(whole(), e.PAIRING, 1)
    assert report.ok
    versions = {subject: len(whole().of(subject)) for subject in (e.PAIRING, e.SCORING)}
    assert missing(report) == (
        UNTOLD.format("pairing", versions[e.PAIRING] - 1),
        UNTOLD.format("scoring", versions[e.SCORING]),
    )


def judged(*events: tuple[str, dict[str, Any]], closing: r.BoardClosing | None = None) -> list[str]:
    """What is said of a log of these events, and of how a board ended at the table of the last one."""
    log = e.Log()
    for subject, event in events:
        kind: Any = {e.PAIRING: e.PairingEvent, e.DEALER: e.DealerEvent}.get(subject, e.TableEvent)
        log.append(subject, [kind(**event)])
    if closing is not None:
        log.append(events[-1][0], [e.TableEvent(table_paused={})], closing=closing)
    return said(verify_log(log))


TABLE = f"fupan.e1.table.0.{e.CUP}.r1-t1"
AGAIN = f"fupan.e1.table.0.{e.CUP}.r1-t1-a2"
SEATED = {"table": "r1-t1", "group": 1, "entrants": [1, 2, 3]}
ROUND = (
    (e.PAIRING, {"round_seated": {"round": 1, "tables": [SEATED]}}),
    (e.PAIRING, {"round_paired": {"round": 1, "basis": "draw"}}),
)
CLOSED = (e.PAIRING, {"round_closed": {"round": 1}})
MATCH = (TABLE, {"table_opened": {"table": "r1-t1", "round": 1, "match": {"deals": 9}}})
ENDED = (TABLE, {"match_ended": {"round": 1}})
LACKS = "the log ends too early: "


def test_C8_2_a_match_whose_round_was_closed_has_ended() -> None:
    assert judged(*ROUND, CLOSED, MATCH) == [f"{LACKS}play is over, the end of the match is missing"]
    assert judged(*ROUND, MATCH) == judged(*ROUND, CLOSED, MATCH, ENDED) == []


def test_C8_2_a_deal_of_a_match_is_revealed_when_its_table_has_closed_it() -> None:
    path = {"round": 1, "board": 1, "attempt": 1, "match": "r1-t1"}
    dealt = (
        (e.DEALER, {"secret_created": {"commitment": bytes(32)}}),
        (e.DEALER, {"deals_committed": {"batch": 1, "purpose": "match", "boards": [path]}}),
        (e.DEALER, {"draw_revealed": {"name": "round-1", "leaf": bytes(32), "batch": 1}}),
    )
    revealed = (e.DEALER, {"board_revealed": {"path": path, "leaf": bytes(32), "batch": 1}})
    closing = r.BoardClosing(1, 1, 1, True, (), (), (), ())
    lacks = f"{LACKS}board 1/r1-t1/1/1 was closed everywhere, its leaf is missing"
    over = (*ROUND, CLOSED)
    assert judged(*over, *dealt, MATCH, ENDED, closing=closing) == [lacks]
    assert judged(*over, *dealt, revealed, MATCH, ENDED, closing=closing) == []
    assert judged(*over, *dealt, MATCH, ENDED) == []  # nothing was played of it


def test_C10_6_a_board_that_was_played_again_is_closed_and_revealed() -> None:
    boards = [{"board": 1, "attempt": 2}]
    opened = (AGAIN, {"table_opened": {"table": "r1-t1-a2", "round": 1, "boards": boards}})
    seated = {
        "round": 1,
        "board": 1,
        "attempt": 2,
        "table": {**SEATED, "table": "r1-t1-a2"},
        "deals_batch": 7,
    }
    replay = (*ROUND, (e.PAIRING, {"replay_seated": seated}))
    over = (e.PAIRING, {"board_replayed": {"table": "r1-t1-a2"}})
    assert judged(*replay, opened) == []
    assert judged(*replay, over, opened) == [f"{LACKS}play is over, the end of board 1 is missing"]
    assert judged(*ROUND, CLOSED, opened) == [f"{LACKS}table r1-t1-a2 was opened, its seats are missing"]
    path = {"round": 1, "board": 1, "attempt": 2}
    committed = (e.DEALER, {"deals_committed": {"batch": 7, "purpose": "replay", "boards": [path]}})
    drawn = (e.DEALER, {"draw_revealed": {"name": "round-1", "leaf": bytes(32), "batch": 7}})
    assert judged(*replay, drawn) == [f"{LACKS}batch 7, which round 1 plays, is missing"]
    closing = r.BoardClosing(1, 1, 2, True, (), (), (), ())
    lacks = f"{LACKS}board 1/1/2 was closed everywhere, its leaf is missing"
    assert judged(*replay, over, committed, drawn, opened, closing=closing) == [lacks]
