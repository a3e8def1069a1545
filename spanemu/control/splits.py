"""The splits of one database, which a test can inspect and change: boundaries, servers, load.

    splits = database.splits
    splits.at("Singers", [4])                    a boundary before Singers(4)
    splits.move("Singers", [4], server=2)
    for split in splits: print(split.start, split.limit, split.server, split.rows, split.bytes)
    checkout(); splits.assert_single_split()     the last commit touched one split only

    splits.configure(policy="modern", servers=3, split_bytes_max=10_000)
    splits.follow_load(); writes(); splits.pass_minutes(3, qps=14_000)

How splits follow size and load is a model (`hotspots.split_model`): Spanner publishes none.
A key is a list of Python values: the whole primary key of a table, or the key of the index `index`
with or without the primary key of its table.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

from spanemu.base.process import OwnProcess
from spanemu.base.serialization import raw_key
from spanemu.base.suggestions import nearest
from spanemu.control.operation import ControlInterface, Key, operation
from spanemu.database.database import Database
from spanemu.database.splits.split_manager import SplitManager
from spanemu.hotspots import split_info, split_model
from spanemu.storage.split_settings import SplitPolicy, SplitSettings

# mypy: disable-error-code="empty-body"

__tracebackhide__ = True  # pytest then shows the caller's line

MINUTES_MAX = 10_000  # a week of simulated load


class SplitsTouched(AssertionError):
    """The last commit had a different number of participants than asserted."""


class SplitsHandle(ControlInterface):
    """The splits of a database: a sequence of `SplitInfo` in key order."""

    PATH = "{database}/splits"
    SCOPE = "database"

    @operation("SplitSettings", "POST :configure", "settings")
    def configure(self, **change: Any) -> SplitSettings:
        """Change settings of the split model by name, and return all settings.

        Raises ValueError for an unknown name or a bad value.
        """

    @operation("ListSplits", "GET", "splits")
    def all(self) -> list[split_info.SplitInfo]:
        """Return all splits, after cutting splits that are too large."""

    @operation("SplitAt", "POST")
    def at(self, table: str, key: Key, *, index: str = "") -> None:
        """Add a boundary before a key, whether or not the row exists.

        Raises a `SpannerError` for a table, index or key that does not exist or does not fit, and,
        under the policy `root_only`, for an interleaved table or index.
        """

    @operation("MergeAt", "POST :merge", "merged")
    def merge(self, table: str, key: Key, *, index: str = "") -> bool:
        """Remove the boundary before a key; return False if there is none."""

    @operation("FindSplit", "POST :find", "split")
    def of(self, table: str, key: Key, *, index: str = "") -> split_info.SplitInfo:
        """Return the split that holds a key, whether or not the row exists."""

    @operation("MoveSplit", "POST :move")
    def move(self, table: str, key: Key, server: int, *, index: str = "") -> None:
        """Move the split of a key to a server. Raises ValueError if there is no such server."""

    @operation("FollowLoad", "POST :followLoad")
    def follow_load(self, follow: bool = True) -> None:
        """Record from now on which rows are read and written, as load for `pass_minutes`."""

    @operation("PassMinutes", "POST :passMinutes", "minutes")
    def pass_minutes(
        self, minutes: int = 1, *, qps: float | None = None
    ) -> list[split_model.Minute]:
        """Simulate minutes of load, and return the state of the splits after each minute.

        The first minute has the load recorded since the last call, scaled to `qps` operations a
        second if given; the other minutes have no load. Moving the emulator's clock simulates
        minutes as well. Raises ValueError for fewer minutes than one, or if no load is recorded.
        """

    @operation("LastCommit", "GET :lastCommit", "commit")
    def last_commit(self) -> split_info.CommitSplits | None:
        """Return the splits of the last commit since `splits` was first used, or None."""

    # ------------------------------------------------------------------ derived

    @property
    def settings(self) -> SplitSettings:
        """All constants of the split model, with their values for this database."""
        return self.configure()

    @property
    def servers(self) -> int:
        """The number of simulated servers."""
        return self.settings.servers

    def stop_following(self) -> None:
        """Stop recording the load; the splits remain unchanged."""
        self.follow_load(False)

    def assert_participants(self, count: int) -> None:
        """Raise SplitsTouched unless exactly `count` splits took part in the last commit."""
        last = self.last_commit()
        if last is None:
            raise SplitsTouched("There was no commit yet.")
        if last.participants != count:
            where = ", ".join(last.splits)
            said = f"The last commit had {last.participants} participants, not {count}: {where}."
            raise SplitsTouched(said)

    def assert_single_split(self) -> None:
        """Raise SplitsTouched unless the last commit stayed in one split: no two-phase commit."""
        self.assert_participants(1)

    def __iter__(self) -> Iterator[split_info.SplitInfo]:
        return iter(self.all())

    def __len__(self) -> int:
        return len(self.all())

    def __getitem__(self, position: int) -> split_info.SplitInfo:
        return self.all()[position]


class Splits(SplitsHandle):
    """The splits of a database in this process."""

    _database = OwnProcess[Database]()

    def __init__(self, database: Database) -> None:
        self._database = database
        self._splitting.keeps_commits = True

    @property
    def _splitting(self) -> SplitManager:
        return self._database.splitting

    def configure(self, **change: Any) -> SplitSettings:
        return self._splitting.configure(**_checked(change)) if change else self._splitting.settings

    def all(self) -> list[split_info.SplitInfo]:
        return self._splitting.splits()

    def at(self, table: str, key: Key, *, index: str = "") -> None:
        self._database.split_at(table, raw_key(key), index)

    def merge(self, table: str, key: Key, *, index: str = "") -> bool:
        return self._database.merge_at(table, raw_key(key), index)

    def of(self, table: str, key: Key, *, index: str = "") -> split_info.SplitInfo:
        self._splitting.fit_sizes()
        return self._splitting.split_at(self._database.split_of(table, raw_key(key), index))

    def move(self, table: str, key: Key, server: int, *, index: str = "") -> None:
        self._splitting.move(self._database.split_of(table, raw_key(key), index), server)

    def follow_load(self, follow: bool = True) -> None:
        if follow:
            self._splitting.follow_load()
        else:
            self._splitting.stop_following()

    def pass_minutes(
        self, minutes: int = 1, *, qps: float | None = None
    ) -> list[split_model.Minute]:
        if not 1 <= minutes <= MINUTES_MAX or not (qps is None or 0 < qps < inf):
            raise ValueError(
                f"minutes={minutes} must be 1 to {MINUTES_MAX}, and qps={qps} positive"
            )
        if not self._splitting.follows_load:
            raise ValueError("no load is recorded: call follow_load() before the writes")
        return self._splitting.pass_minutes(minutes, qps)

    def last_commit(self) -> split_info.CommitSplits | None:
        return self._database.last_commit()


def _checked(changes: dict[str, Any]) -> dict[str, Any]:
    """Return changes of settings, with the policy parsed. Raises ValueError for unknown names."""
    for name in sorted(changes.keys() - SplitSettings.__slots__):
        near = nearest(name, SplitSettings.__slots__)
        raise ValueError(f"there is no setting {name!r} of splits; the nearest are {near}")
    if "policy" in changes:
        changes = {**changes, "policy": SplitPolicy(changes["policy"])}
    return changes
