"""What a process has that its other users rely on, besides its modules: to be compared."""

from __future__ import annotations

import asyncio
import atexit
import decimal
import gc
import locale
import logging
import os
import random
import signal
import socket
import sys
import threading
import warnings
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import grpc
import grpc.aio

SETTLED_SECONDS_MAX = 0.1
_CHANNELS = ("insecure_channel", "secure_channel", "intercept_channel", "server")
_DESCRIPTORS = Path("/proc/self/fd")


def facts() -> dict[str, Any]:
    """Return the state of the process: equal, if nothing has changed."""
    return {
        "collector": (gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.get_freeze_count()),
        "callbacks of the collector": list(gc.callbacks),
        "functions of grpc": [getattr(grpc, name) for name in _CHANNELS],
        "functions of grpc.aio": [getattr(grpc.aio, name) for name in _CHANNELS[:2]],
        "locale": locale.setlocale(locale.LC_ALL),
        "environment": dict(os.environ),
        "signals": {each: signal.getsignal(each) for each in signal.valid_signals()},
        "warnings": (list(warnings.filters), warnings.showwarning),
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook, sys.displayhook),
        "imports": (_finders(), list(sys.path), list(sys.path_hooks)),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), threading.stack_size()),
        "tracing": (sys.gettrace(), sys.getprofile(), threading.gettrace()),
        "folder": Path.cwd(),
        "sockets": socket.getdefaulttimeout(),
        "decimal": repr(decimal.getcontext()),
        "random": random.getstate(),
        "logging": (logging.root.level, list(logging.root.handlers), logging.root.disabled),
        "event loops": type(asyncio.get_event_loop_policy())
        if sys.version_info < (3, 14)
        else None,
        "exit": atexit._ncallbacks(),  # type: ignore[attr-defined]
        "threads": {thread.name for thread in threading.enumerate()},
        "descriptors": _descriptors(),
    }


def _is_as_before(before: Any, after: Any) -> bool:
    """Return whether a fact is the same. Sets, of threads and descriptors, may have become smaller."""
    return bool(after <= before) if isinstance(before, set) else bool(after == before)


def _finders() -> list[Any]:
    """Return the finders of modules, but for that of lazy modules, which comes with an import."""
    return [each for each in sys.meta_path if type(each).__name__ != "LazyFinder"]


def _descriptors() -> set[str]:
    """Return the open descriptors, none where the system does not list them."""
    return set(os.listdir(_DESCRIPTORS)) if _DESCRIPTORS.exists() else set()


def differences(before: dict[str, Any]) -> dict[str, Any]:
    """Return what has changed, as soon as nothing has, and at last after 100 milliseconds."""
    end = monotonic() + SETTLED_SECONDS_MAX
    while True:
        after = facts()
        changed = {
            name: (each, after[name])
            for name, each in before.items()
            if not _is_as_before(each, after[name])
        }
        if not changed or monotonic() > end:
            return changed
        sleep(0.005)
