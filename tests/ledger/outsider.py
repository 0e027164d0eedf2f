"""A second implementation of dealing, from `docs/dealing.md` alone, with nothing but the standard library."""

import hashlib
import hmac
import itertools
from collections.abc import Iterator


def frame(*parts: bytes) -> bytes:
    out = b""
    for part in parts:
        out += len(part).to_bytes(4, "big") + part
    return out


def purpose(name: str, *parts: bytes) -> bytes:
    return frame(b"fupan/1", name.encode(), *parts)


def derive(secret: bytes, info: bytes) -> bytes:
    extracted = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


def leaf(master: bytes, championship: str, path: str) -> bytes:
    return derive(master, purpose("leaf", championship.encode(), path.encode()))


def deal_key(leaf: bytes, path: str, entropy: bytes) -> bytes:
    return derive(leaf, purpose("deal", path.encode(), entropy))


def log_key(leaf: bytes, table: str, path: str) -> bytes:
    return derive(leaf, purpose("log", table.encode(), path.encode()))


def draw_seed(leaf: bytes, digest: bytes, entropy: bytes) -> bytes:
    return derive(leaf, purpose("draw", digest, entropy))


def lot(leaf: bytes, path: str, seats: int) -> int:
    return shuffled(derive(leaf, purpose("lot", path.encode())), seats)[0]


def entrants_digest(entrants: list[tuple[int, list[tuple[str, str]]]]) -> bytes:
    lines = [" ".join([str(number), *(f"{person}:{unit}" for person, unit in of)]) for number, of in entrants]
    return hashlib.sha256("".join(line + "\n" for line in lines).encode()).digest()


def shuffled(key: bytes, count: int) -> list[int]:
    """What `shuffle` makes of the items 0 … count-1."""
    items = list(range(count))
    source = bytes_of(key)
    for i in range(count - 1, 0, -1):
        j = uniform(source, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


def uniform(source: Iterator[int], n: int) -> int:
    width = next(w for w in itertools.count(1) if 256**w >= n)
    while True:
        x = 0
        for _ in range(width):
            x = 256 * x + next(source)
        if x < 256**width // n * n:
            return x % n


def bytes_of(key: bytes) -> Iterator[int]:
    block = 16_384
    for start in itertools.count(0, block):
        yield from stream(key, start + block)[start:]


def stream(key: bytes, length: int) -> bytes:
    """The first bytes of the stream that a shuffle under `key` reads."""
    return hashlib.shake_256(key).digest(length)


def root(entries: list[bytes]) -> bytes:
    """RFC 6962's definition: split at the greatest power of two below the number of entries."""
    if len(entries) == 1:
        return hashlib.sha256(b"\x00" + entries[0]).digest()
    split = 1
    while split * 2 < len(entries):
        split *= 2
    return hashlib.sha256(b"\x01" + root(entries[:split]) + root(entries[split:])).digest()
