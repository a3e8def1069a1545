"""Room on Python's stack for code that recurses over a statement.

A statement of 60 nested queries takes more frames than Python allows by default, all the more in a
test that is deep in its own stack. Calls between Python functions take no room on the stack of the
operating system, so a higher limit is safe for code whose depth has a bound of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

FRAMES_MAX = 8_000

_mutex = Lock()  # Guards `_users` and `_before`.
_users = 0
_before = 0


@contextmanager
def deep_stack() -> Iterator[None]:
    """Raise the limit of recursion, which all threads share, until the last user is done."""
    global _users, _before
    with _mutex:
        _users += 1
        if _users == 1:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, FRAMES_MAX))
    try:
        yield
    finally:
        with _mutex:
            _users -= 1
            if _users == 0 and sys.getrecursionlimit() == FRAMES_MAX:
                sys.setrecursionlimit(_before)
