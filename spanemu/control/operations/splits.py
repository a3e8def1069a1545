"""Operations on splits. Keys are lists whose parts are as Spanner's JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanemu.control.operations.control import Control
from spanemu.control.splits import Splits


def list_splits(control: Control, database: str) -> dict[str, Any]:
    """Return all splits in key order (`hotspots.split_info`)."""
    return {"splits": _splits(control, database).all()}


def split_settings(
    control: Control, database: str, change: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Apply `change`, if given, and return the settings of the split model."""
    splits = _splits(control, database)
    return {"settings": splits.configure(**change) if change else splits.settings}


def split_at(control: Control, database: str, table: str, key: list[Any], index: str = "") -> None:
    """Add a boundary before a key."""
    _splits(control, database).at(table, key, index=index)


def merge_at(
    control: Control, database: str, table: str, key: list[Any], index: str = ""
) -> dict[str, Any]:
    """Remove the boundary before a key, and return whether there was one."""
    return {"merged": _splits(control, database).merge(table, key, index=index)}


def find_split(
    control: Control, database: str, table: str, key: list[Any], index: str = ""
) -> dict[str, Any]:
    """Return the split that holds a key."""
    return {"split": _splits(control, database).of(table, key, index=index)}


def move_split(control: Control, database: str, row: Mapping[str, Any], server: int) -> None:
    """Put the split that a row is in on a server; `row` has `table`, `key` and perhaps `index`."""
    given: dict[str, Any] = {"index": "", **row}
    splits = _splits(control, database)
    splits.move(str(given["table"]), list(given["key"]), server, index=str(given["index"]))


def follow_load(control: Control, database: str, follow: bool = True) -> None:
    """Start or stop recording the load that splits follow."""
    splits = _splits(control, database)
    if follow:
        splits.follow_load()
    else:
        splits.stop_following()


def pass_minutes(
    control: Control, database: str, minutes: int = 1, qps: float | None = None
) -> dict[str, Any]:
    """Let virtual minutes pass: what each looked like (`hotspots.split_model.Minute`)."""
    return {"minutes": _splits(control, database).pass_minutes(minutes, qps=qps)}


def last_commit(control: Control, database: str) -> dict[str, Any]:
    """Return the splits of the last commit since the first call."""
    return {"commit": _splits(control, database).last_commit()}


def _splits(control: Control, database: str) -> Splits:
    return Splits(control.database(database))
