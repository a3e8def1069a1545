"""Operations on recordings. Replies are `Recording.to_json()`, which can be asked for in parts."""

from __future__ import annotations

from typing import Any

from spanemu.control.operations.control import Control
from spanemu.control.recording import Recording


def start_recording(control: Control, database: str) -> dict[str, Any]:
    """Start recording the requests of a database's clients, and return the recording's id."""
    name = control.database(database).name
    return {"recording": control.recordings.keep(control.recorder(name).start())}


def poll_recording(
    control: Control, recording: str, queries: int = 0, attempts: int = 0
) -> dict[str, Any]:
    """Return the recording so far, without the first `queries` and `attempts` records."""
    return _rest(control.recordings.get(recording).recording, queries, attempts)


def stop_recording(
    control: Control, recording: str, queries: int = 0, attempts: int = 0
) -> dict[str, Any]:
    """Stop a recording and return it, without the first `queries` and `attempts` records."""
    return _rest(control.recordings.release(recording).stop(), queries, attempts)


def _rest(recorded: Recording, queries: int, attempts: int) -> dict[str, Any]:
    return recorded.after(queries, attempts).to_json()
