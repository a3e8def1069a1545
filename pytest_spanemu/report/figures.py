"""What one test did to its databases, in figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from pytest_spanemu.asserts.hotspots import finding_label, finding_matches, hotspot_score
from pytest_spanemu.asserts.request_text import calling_lines, counted

SYSTEM_TABLES = ("INFORMATION_SCHEMA", "SPANNER_SYS")


@dataclass(slots=True)
class Figures:
    """One row of the report. Counts are None where nothing was recorded.

    `hot` is the highest score of a hotspot, 0 to 100, None where nothing could be judged.
    `setup_seconds` is what isolation cost, before and after. `hotspots`, `scans` and `left_open`
    say what was found, in words; `over_budget` which limits of a marker were exceeded. `databases`
    tells all of it, for the HTML report alone (`details`).
    """

    test: str
    queries: int | None = None
    commits: int | None = None
    aborts: int | None = None
    mutations: int | None = None
    full_scans: int | None = None
    lock_waits: int | None = None
    hot: int | None = None
    setup_seconds: float = 0.0
    hotspots: list[str] = field(default_factory=list)
    scans: list[str] = field(default_factory=list)
    left_open: list[str] = field(default_factory=list)
    over_budget: list[str] = field(default_factory=list)
    databases: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # of other plugins

    def take_recording(self, recording: Any) -> None:
        """Count what was recorded of one database."""
        scans = [each for each in recording.queries if _is_full_scan(each)]
        self.queries = len(recording.queries) + (self.queries or 0)
        self.commits = len(recording.commits) + (self.commits or 0)
        self.aborts = recording.aborts + (self.aborts or 0)
        self.mutations = recording.mutations + (self.mutations or 0)
        self.full_scans = len(scans) + (self.full_scans or 0)
        requests = (*recording.queries, *recording.attempts)
        waits = sum(bool(each.lock_wait_seconds) for each in requests)
        self.lock_waits = waits + (self.lock_waits or 0)
        for each in scans:
            text = (
                f"{', '.join(each.full_scans)}: {' '.join(each.sql.split())} {calling_lines(each)}"
            )
            if text not in self.scans:
                self.scans.append(text)

    def take_hotspots(self, report: Any, known: Collection[str] = ()) -> None:
        """Note what was found hot in one database; of what is `known` only the score."""
        if not report.spaces:
            return
        found = [(hotspot_score(each), each) for each in report.findings]
        judged = any(space.verdict != "insufficient" for space in report.spaces.values())
        if judged or any(points for points, _ in found):
            self.hot = max([points for points, _ in found] + [self.hot or 0])
        self.hotspots += [
            finding_label(each)
            for _, each in found
            if each.severity == "error" and not any(finding_matches(each, entry) for entry in known)
        ]

    def take_budget(self, limits: Mapping[str, int]) -> None:
        """Note which limits were exceeded."""
        for name, most in limits.items():
            found = getattr(self, name)
            found = len(found) if isinstance(found, list) else found
            if found is not None and found > most:
                self.over_budget.append(f"{name.replace('_', ' ')} {found} > {most}")

    @property
    def has_findings(self) -> bool:
        """Whether the test shows something that a reader should look at."""
        return bool(self.notes or self.full_scans)

    @property
    def notes(self) -> str:
        """What stands behind the figures in the table."""
        parts = []
        if self.over_budget:
            parts.append(f"over budget: {', '.join(self.over_budget)}")
        parts += self.hotspots
        if self.left_open:
            parts.append(f"left open: {counted(len(self.left_open), 'transaction')}")
        parts += self.remarks
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Figures:
        """What `to_json` gave."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in found.items() if name in known})


def _is_full_scan(query: Any) -> bool:
    return bool(query.full_scans) and not any(
        name.upper().startswith(SYSTEM_TABLES) for name in query.tables
    )
