"""Rules of the report that need more data than a test writes through a client."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from spanemu.base.clock import ManualClock
from spanemu.base.severity import Severity
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.detector import Detector
from spanemu.hotspots.report import Report, build_report
from spanemu.hotspots.thresholds import THRESHOLDS
from spanemu.hotspots.verdict import Reason
from spanemu.schema.schema import Schema
from spanemu.storage.layout import encoder_of, hierarchy_of, tree_of
from spanemu.storage.observer import ReadKind
from spanemu.storage.store import Store
from tests.unit.ddl.world import World

TABLE = "CREATE TABLE T (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id)"


class Watched:
    """A table in a store with a detector."""

    def __init__(self, *ddl: str) -> None:
        self.schema: Schema = World(*ddl).schema
        self.table = self.schema.tables["t"]
        self.tree = tree_of(self.table)
        self.store = Store(ManualClock(10**18), retention_nanos=10**12)
        self.store.create_tree(self.tree, hierarchy_of(self.schema, self.table))
        self.detector = Detector(self.store)
        self.store.observe(self.detector)
        self.encode = encoder_of(self.table.key)

    def write(self, *ids: int) -> None:
        """Write rows in one commit."""
        rows = [(self.tree, self.encode([id_]), (id_, 0)) for id_ in ids]
        self.store.apply(rows, self.store.clock.now())

    def report(self, **limits: int) -> Report:
        """Return the report on the observations, with other limits."""
        seen = self.detector.observations()
        return build_report(self.schema, seen, Assumptions(), replace(THRESHOLDS, **limits))


@pytest.mark.parametrize(("rows", "expected"), [(20, ["SPN811"]), (19, [])])
def test_a_commit_near_the_limit(rows: int, expected: list[str]) -> None:
    watched = Watched(TABLE)
    watched.write(*range(rows))
    found = watched.report(commit_rows_max=20).findings
    assert [each.rule for each in found] == expected


def test_a_range_that_roves_is_a_moving_hot_spot() -> None:
    # Each window of commits is in another range: the ranges have no order, but no boundary helps.
    watched = Watched(TABLE)
    chance = Random(1)
    for _ in range(7):
        start = chance.randrange(1 << 40)
        for _ in range(128):
            watched.write(start + chance.randrange(1 << 20))
    (finding,) = watched.report().findings
    assert (finding.reason, finding.rule) == (Reason.MOVING_HOT_SPOT, "SPN802")
    assert "narrow range of Id" in finding.message


@pytest.mark.parametrize(
    ("scans", "rows", "kind", "expected"),
    [
        (20, 120, ReadKind.SNAPSHOT, ["SPN803"]),
        (20, 120, ReadKind.DML, ["SPN810"]),
        (20, 120, ReadKind.TRANSACTION, ["SPN803"]),
        (19, 120, ReadKind.SNAPSHOT, []),
        (20, 99, ReadKind.SNAPSHOT, []),
    ],
)
def test_large_scans(scans: int, rows: int, kind: ReadKind, expected: list[str]) -> None:
    watched = Watched(TABLE)
    for n in range(24):
        watched.write(*(n * 5 + m for m in range(5)))
    for _ in range(scans):
        for _ in watched.detector.on_scan(watched.tree, iter([()] * rows), kind, None):
            pass
    result = [each for each in watched.report().findings if each.severity is Severity.WARNING]
    assert [each.rule for each in result] == expected
    if kind is ReadKind.TRANSACTION:
        assert "SPN809" in {each.rule for each in watched.report().findings}


def test_an_abandoned_scan_counts_the_rows_it_read() -> None:
    watched = Watched(TABLE)
    rows = watched.detector.on_scan(watched.tree, iter([(1,)] * 500), ReadKind.SNAPSHOT, None)
    next(rows)
    rows.close()  # type: ignore[attr-defined]
    (scans,) = watched.detector.observations().scans.values()
    assert (scans.scans, scans.rows, scans.large) == (1, 1, 0)


def test_a_scan_may_end_while_the_detector_holds_its_lock() -> None:
    # Garbage collection may end an abandoned scan at any allocation.
    watched = Watched(TABLE)
    rows = watched.detector.on_scan(watched.tree, iter([(1,)] * 500), ReadKind.SNAPSHOT, None)
    next(rows)
    with watched.detector._mutex:
        rows.close()  # type: ignore[attr-defined]
    assert watched.detector.observations().scans


def test_conflicts_on_many_rows_are_not_a_hot_row() -> None:
    watched = Watched(TABLE)
    for n in range(40):
        watched.detector.on_conflict(watched.tree, watched.encode([n]), None, 0.1)
    assert watched.report().findings == []
    for _ in range(60):
        watched.detector.on_conflict(watched.tree, watched.encode([7]), None, 0.0)
    (finding,) = watched.report().findings
    assert (finding.rule, finding.start) == ("SPN805", "T(7)")
    assert finding.evidence.conflict_share == pytest.approx(0.61)


def test_conflicts_about_a_referenced_row() -> None:
    watched = Watched(
        TABLE,
        "CREATE TABLE C (Id INT64 NOT NULL, T INT64, FOREIGN KEY (T) REFERENCES T (Id)) "
        "PRIMARY KEY (Id)",
    )
    for _ in range(9):
        watched.detector.on_conflict(watched.tree, watched.encode([7]), None, 0.1)
    (finding,) = watched.report().findings
    assert (finding.rule, finding.object) == ("SPN402", "T")


def test_a_paused_detector_records_nothing() -> None:
    watched = Watched(TABLE)
    watched.detector.pause(True)
    watched.write(1)
    watched.detector.on_get(watched.tree, b"")
    watched.detector.on_conflict(watched.tree, b"", None, 1.0)
    list(watched.detector.on_scan(watched.tree, iter([(1,)]), ReadKind.SNAPSHOT, None))
    seen = watched.detector.observations()
    assert not seen.streams
    assert not seen.trace


@pytest.mark.parametrize("given", [{"operations": ""}, {"operations": "x"}, {"nodes": 0}])
def test_invalid_assumptions_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"operations|nodes"):
        Assumptions(**given)  # type: ignore[arg-type]


def test_a_finding_names_the_element_tables_of_its_rows() -> None:
    watched = Watched(TABLE, "CREATE PROPERTY GRAPH G NODE TABLES (T, T AS Again)")
    watched.write(*range(20))
    (found,) = watched.report(commit_rows_max=20).findings
    assert found.elements == ("node table T of G", "node table Again of G")
    assert "graph: node table T of G" in found.details
