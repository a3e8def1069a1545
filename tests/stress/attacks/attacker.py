"""`python -m tests.stress.attacks.attacker NAME PORT REST_PORT SESSION IS_SECURE`: one attack.

It goes on until the input ends.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from contextlib import suppress

from tests.stress.attacks import grpc_attacks, rest_attacks
from tests.stress.attacks.connection import Attack, Target

NOTHING = "nothing"
ATTACKS: Mapping[str, Attack] = {**grpc_attacks.ATTACKS, **rest_attacks.ATTACKS}


def main(name: str, port: str, rest_port: str, session: str, is_secure: str) -> None:
    """Repeat the attack whenever the server ends it."""
    ended = threading.Event()

    def wait_for_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    target = Target(int(port), int(rest_port), session, is_secure == "True")
    print("ready", flush=True)
    while not ended.is_set():
        with suppress(OSError):
            if name != NOTHING:
                ATTACKS[name](target, lambda: not ended.is_set())
        ended.wait(0.01)


if __name__ == "__main__":
    main(*sys.argv[1:])
