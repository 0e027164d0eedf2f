"""Becomes another program that ends with its parent: `launch.py PARENT SIGNAL UID GID PROGRAM [ARGUMENT…]`.

Run as a script by an isolated interpreter, so it uses the standard library alone. UID and GID are dropped to
unless they are -1. The order matters: a change of user clears the parent death signal, and a parent that died
before the signal was asked for will not die again.
"""

from __future__ import annotations

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """See the module."""
    parent, death_signal, uid, gid = (int(argument) for argument in sys.argv[1:5])
    program = sys.argv[5:]
    if uid != -1:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, death_signal)
    if os.getppid() != parent:
        sys.exit("the parent process is gone")
    os.execv(program[0], program)


if __name__ == "__main__":
    main()
