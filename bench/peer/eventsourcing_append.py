"""Appends of the package `eventsourcing` on PostgreSQL: one event a command, each saved by itself."""

import json
import sys
import threading
import time
from uuid import UUID

from eventsourcing.application import Application  # type: ignore[import-not-found]
from eventsourcing.domain import Aggregate, event  # type: ignore[import-not-found]


class Board(Aggregate):  # type: ignore[misc]
    """A table whose moves are events."""

    def __init__(self) -> None:
        self.moves = 0

    @event("Moved")  # type: ignore[untyped-decorator]
    def move(self, seat: int, action: str) -> None:
        self.moves += 1


class Boards(Application[UUID]):  # type: ignore[misc]
    """Saves boards."""


given = json.loads(sys.argv[1])
app = Boards(
    env={
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": given["dbname"],
        "POSTGRES_HOST": given["host"],
        "POSTGRES_PORT": str(given["port"]),
        "POSTGRES_USER": given["user"],
        "POSTGRES_PASSWORD": given["password"],
        "POSTGRES_POOL_SIZE": "16",
        "POSTGRES_MAX_OVERFLOW": "16",
    }
)
done = [0] * given["threads"]
until = time.perf_counter() + given["seconds"]


def play(number: int) -> None:
    boards = [Board() for _ in range(20)]
    app.save(*boards)
    while time.perf_counter() < until:
        for board in boards:
            board.move(1, "eat s7 s8")
            app.save(board)
            done[number] += 1


began = time.perf_counter()
threads = [threading.Thread(target=play, args=(number,)) for number in range(given["threads"])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"appends": sum(done) / (time.perf_counter() - began)}))
