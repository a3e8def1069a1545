"""`--spanner-pause-on-fail`: the database of a test that failed is there to be looked at."""

from __future__ import annotations

from typing import Any

import pytest


def pause(item: pytest.Item, handle: Any) -> None:
    """Tell where the database is, and wait.

    Nobody waits in a worker of xdist, or where nobody can answer.
    """
    capture: Any = item.config.pluginmanager.getplugin("capturemanager")
    if hasattr(item.config, "workerinput"):
        return
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    try:
        exports = "\n".join(f"  export {name}={value}" for name, value in handle.environ().items())
        print(f"\n{item.nodeid} failed. Its database is {handle.name}:\n{exports}")
        input("Press return to go on: ")
    except EOFError:
        print("\nNobody is there to press return.")
    finally:
        if capture is not None:
            capture.resume_global_capture()
