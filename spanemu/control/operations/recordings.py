"""Operations on recordings. Replies are `Recording.to_json()`, which can be asked for in parts."""

from __future__ import annotations

from typing import Any

from spanemu.control.operations.control import Control
from spanemu.control.recording import Recording


def start_recording(control: Control, database: str) -> dict[str, Any]:
    """Record what the clients of a database do, from now on: the id of a recording."""
    name = control.database(database).name
    return {"recording": control.recordings.keep(control.recorder(name).start())}


def poll_recording(
    control: Control, recording: str, queries: int = 0, attempts: int = 0
) -> dict[str, Any]:
    """What was recorded so far, without the first so many queries and attempts to commit."""
    return _rest(control.recordings.get(recording).recording, queries, attempts)


def stop_recording(
    control: Control, recording: str, queries: int = 0, attempts: int = 0
) -> dict[str, Any]:
    """The same for the last time."""
    return _rest(control.recordings.release(recording).stop(), queries, attempts)


def _rest(recorded: Recording, queries: int, attempts: int) -> dict[str, Any]:
    return recorded.after(queries, attempts).to_json()
