"""Splits of a database in another process; `control.splits` says what each thing means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.base.raw_key import raw_key
from spanemu.base.serialization import from_plain
from spanemu.control.splits import SplitsHandle, checked
from spanemu.hotspots.simulation.model import Minute
from spanemu.hotspots.simulation.settings import SplitSettings
from spanemu.hotspots.split_info import CommitSplits, SplitInfo
from spanemu.wire_control.calls import Calls


class RemoteSplits(SplitsHandle):
    """Offers what `Splits` does."""

    def __init__(self, calls: Calls, database: str) -> None:
        self._calls = calls
        self._database = database
        self._ask("LastCommit")  # from now on the last commit is kept

    @property
    def settings(self) -> SplitSettings:
        """Every constant of the model, as it is for this database."""
        return self.configure()

    def configure(self, **changes: Any) -> SplitSettings:
        """Change settings by their names. Raises ValueError for what cannot be."""
        reply = self._ask("SplitSettings", change=checked(changes))
        found: SplitSettings = from_plain(SplitSettings, reply["settings"])
        return found

    def all(self) -> list[SplitInfo]:
        """All splits, once those that are too large have been cut."""
        found: list[SplitInfo] = from_plain(list[SplitInfo], self._ask("ListSplits")["splits"])
        return found

    def at(self, table: str, key: Sequence[Any], *, index: str = "") -> None:
        """Put a boundary before a row, there or not."""
        self._ask("SplitAt", table=table, key=raw_key(key), index=index)

    def merge(self, table: str, key: Sequence[Any], *, index: str = "") -> bool:
        """Take the boundary before a row away; False when there is none."""
        return bool(self._ask("MergeAt", table=table, key=raw_key(key), index=index)["merged"])

    def of(self, table: str, key: Sequence[Any], *, index: str = "") -> SplitInfo:
        """The split that a row is in, there or not."""
        reply = self._ask("FindSplit", table=table, key=raw_key(key), index=index)
        found: SplitInfo = from_plain(SplitInfo, reply["split"])
        return found

    def move(self, table: str, key: Sequence[Any], server: int, *, index: str = "") -> None:
        """Put the split that a row is in on a server. Raises ValueError for one there is not."""
        row = {"table": table, "key": raw_key(key), "index": index}
        self._ask("MoveSplit", row=row, server=server)

    def follow_load(self) -> None:
        """Write down from now on which rows are read and written, so that minutes act on it."""
        self._ask("FollowLoad", follow=True)

    def stop_following(self) -> None:
        """Write down nothing any more; splits stay as they are."""
        self._ask("FollowLoad", follow=False)

    def pass_minutes(self, minutes: int = 1, *, qps: float | None = None) -> list[Minute]:
        """Let virtual minutes pass, the first with the load since the last one, then quiet ones."""
        reply = self._ask("PassMinutes", minutes=minutes, qps=qps)
        found: list[Minute] = from_plain(list[Minute], reply["minutes"])
        return found

    def last_commit(self) -> CommitSplits | None:
        """The splits of the last commit; None when there was none since `splits` was first used."""
        reply = self._ask("LastCommit")["commit"]
        found: CommitSplits | None = None if reply is None else from_plain(CommitSplits, reply)
        return found

    def _ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return self._calls(operation, database=self._database, **arguments)
