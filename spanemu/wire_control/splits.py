"""Splits of a database in another process; `control.splits` documents the methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.base.raw_key import raw_key
from spanemu.base.serialization import from_plain
from spanemu.control.splits import SplitsHandle, checked
from spanemu.hotspots.split_info import CommitSplits, SplitInfo
from spanemu.hotspots.split_model import Minute, SplitSettings
from spanemu.wire_control.calls import Calls


class RemoteSplits(SplitsHandle):
    """The splits of a remote database, with the interface of `Splits`."""

    def __init__(self, calls: Calls, database: str) -> None:
        self._calls = calls
        self._database = database
        self._ask("LastCommit")  # The first call makes the emulator keep the last commit.

    @property
    def settings(self) -> SplitSettings:
        """All constants of the split model, with their values for this database."""
        return self.configure()

    def configure(self, **changes: Any) -> SplitSettings:
        """Change settings by name. Raises ValueError for an unknown name or a bad value."""
        reply = self._ask("SplitSettings", change=checked(changes))
        result: SplitSettings = from_plain(SplitSettings, reply["settings"])
        return result

    def all(self) -> list[SplitInfo]:
        """Return all splits, after cutting splits that are too large."""
        result: list[SplitInfo] = from_plain(list[SplitInfo], self._ask("ListSplits")["splits"])
        return result

    def at(self, table: str, key: Sequence[Any], *, index: str = "") -> None:
        """Add a boundary before a key, whether or not the row exists."""
        self._ask("SplitAt", table=table, key=raw_key(key), index=index)

    def merge(self, table: str, key: Sequence[Any], *, index: str = "") -> bool:
        """Remove the boundary before a key; return False if there is none."""
        return bool(self._ask("MergeAt", table=table, key=raw_key(key), index=index)["merged"])

    def of(self, table: str, key: Sequence[Any], *, index: str = "") -> SplitInfo:
        """Return the split that holds a key, whether or not the row exists."""
        reply = self._ask("FindSplit", table=table, key=raw_key(key), index=index)
        result: SplitInfo = from_plain(SplitInfo, reply["split"])
        return result

    def move(self, table: str, key: Sequence[Any], server: int, *, index: str = "") -> None:
        """Move the split of a key to a server. Raises ValueError if there is no such server."""
        row = {"table": table, "key": raw_key(key), "index": index}
        self._ask("MoveSplit", row=row, server=server)

    def follow_load(self) -> None:
        """Record from now on which rows are read and written, as load for `pass_minutes`."""
        self._ask("FollowLoad", follow=True)

    def stop_following(self) -> None:
        """Stop recording the load; the splits remain unchanged."""
        self._ask("FollowLoad", follow=False)

    def pass_minutes(self, minutes: int = 1, *, qps: float | None = None) -> list[Minute]:
        """Let virtual minutes pass, the first with the load since the last call, then idle."""
        reply = self._ask("PassMinutes", minutes=minutes, qps=qps)
        result: list[Minute] = from_plain(list[Minute], reply["minutes"])
        return result

    def last_commit(self) -> CommitSplits | None:
        """Return the splits of the last commit since `splits` was first used, or None."""
        reply = self._ask("LastCommit")["commit"]
        result: CommitSplits | None = None if reply is None else from_plain(CommitSplits, reply)
        return result

    def _ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return self._calls(operation, database=self._database, **arguments)
