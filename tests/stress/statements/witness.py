"""`python -m tests.stress.statements.witness HOST:PORT DATABASE`: runs `SELECT 1` until its input ends.

Each query that takes longer than `NOTED_SECONDS` is printed: when it began and when it ended, by
the clock that all processes of a machine share. The last line is the number of queries.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from contextlib import suppress

from google.api_core.exceptions import GoogleAPICallError

from tests.stress.statements.session import BombSession

NOTED_SECONDS = 0.03
PATIENCE_SECONDS = 20.0
PAUSE_SECONDS = 0.002


def main(target: str, database: str) -> None:
    session = BombSession(target, database)
    session.select_one(PATIENCE_SECONDS)
    gc.disable()  # The pauses of this process are no fault of the server.
    print("ready", flush=True)
    ended = threading.Event()
    threading.Thread(target=_wait_for_end, args=(ended,), daemon=True).start()
    count = 0
    while not ended.is_set():
        began = time.monotonic()
        with suppress(GoogleAPICallError):  # The wait tells enough of a server that is stuck.
            session.select_one(PATIENCE_SECONDS)
        now = time.monotonic()
        count += 1
        if now - began > NOTED_SECONDS:
            print(began, now, flush=True)
        time.sleep(PAUSE_SECONDS)
    print(count, flush=True)


def _wait_for_end(ended: threading.Event) -> None:
    sys.stdin.read()
    ended.set()


if __name__ == "__main__":
    main(*sys.argv[1:])
