"""The picture's figures and its page."""

from __future__ import annotations

import json
import re
from itertools import islice
from random import Random
from time import process_time

import pytest

from spanemu.stats.heatmap import Heatmap, Metric, Pattern, build_heatmap
from spanemu.stats.heatmap_page import page
from spanemu.stats.trace import Commit
from spanemu.storage.layout import encoder_of, tree_of
from tests.hotspots.workloads import WORKLOADS
from tests.unit.ddl.world import World

BY_NAME = {workload.name: workload for workload in WORKLOADS}


def heatmap_of(name: str, commits: int = 600) -> Heatmap:
    workload = BY_NAME[name]
    schema = World(workload.table).schema
    table = schema.tables["t"]
    encode, tree = encoder_of(table.key), tree_of(table)
    keys = islice(workload.make(Random(1)), commits)
    return build_heatmap(schema, [(n, ((tree, encode(key), key),)) for n, key in enumerate(keys)])


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("sequence", Pattern.MONOTONIC),
        ("descending", Pattern.MONOTONIC),
        ("uuid7", Pattern.MONOTONIC),
        ("one tenant + sequence", Pattern.MONOTONIC),
        ("uuid4", Pattern.EVEN),
        ("50 users + time", Pattern.EVEN),
        ("60% on one row", Pattern.PERSISTENT),
    ],
)
def test_patterns(name: str, pattern: Pattern) -> None:
    (band,) = heatmap_of(name).bands
    assert band.pattern is pattern


def test_a_monotonic_table_is_a_falling_diagonal() -> None:
    (band,) = heatmap_of("sequence").bands
    cells = band.cells[Metric.WRITTEN]
    brightest = [
        max(range(len(cells)), key=lambda row: cells[row][column]) for column in range(120)
    ]
    assert brightest == sorted(brightest)
    assert brightest[0] == 0
    assert brightest[-1] == len(cells) - 1
    (band,) = heatmap_of("uuid4").bands
    cells = band.cells[Metric.WRITTEN]
    brightest = [
        max(range(len(cells)), key=lambda row: cells[row][column]) for column in range(120)
    ]
    assert brightest != sorted(brightest)


def test_every_row_is_in_one_cell() -> None:
    (band,) = heatmap_of("zipf(1.0) over 1,000 rows", 700).bands
    assert sum(map(sum, band.cells[Metric.WRITTEN])) == 700
    assert sum(map(sum, band.cells[Metric.DELETED])) == 0


def test_bands_are_sorted_by_name_and_deletes_are_apart() -> None:
    schema = World(
        "CREATE TABLE B (Id INT64 NOT NULL) PRIMARY KEY (Id)",
        "CREATE TABLE A (Id INT64 NOT NULL) PRIMARY KEY (Id)",
    ).schema
    trees = {name: tree_of(schema.tables[name]) for name in "ab"}
    encode = encoder_of(schema.tables["a"].key)
    commits: list[Commit] = [
        (1, ((trees["b"], encode([1]), (1,)), (trees["a"], encode([1]), (1,)))),
        (2, ((trees["b"], encode([1]), None),)),
    ]
    heatmap = build_heatmap(schema, commits)
    assert [band.name for band in heatmap.bands] == ["A", "B"]
    assert heatmap.bands[1].cells[Metric.WRITTEN] == [[1, 0]]
    assert heatmap.bands[1].cells[Metric.DELETED] == [[0, 1]]
    assert "Key space not to scale" in heatmap.bands[0].banners


def test_nothing_written() -> None:
    heatmap = build_heatmap(World().schema, [])
    assert heatmap.bands == ()
    assert "Too few writes" in page(heatmap, [], [])
    assert heatmap.text() == ""


def test_text() -> None:
    lines = heatmap_of("sequence", 40).text().splitlines()
    assert lines[0] == "T: Monotonically increasing keys"
    assert lines[1].index("@") < lines[-1].index("@")


def test_the_page() -> None:
    heatmap = heatmap_of("sequence")
    html = page(heatmap, [], [])
    assert html == page(heatmap_of("sequence"), [], [])
    assert "http" not in html.replace("</html", "")
    data = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    content = json.loads(data[1])
    assert content["bands"][0]["cells"]["rows written"] == heatmap.bands[0].cells[Metric.WRITTEN]
    assert "__" not in html.replace(data[1], "")


def test_keys_cannot_break_out_of_the_page() -> None:
    schema = World("CREATE TABLE T (Id STRING(99) NOT NULL) PRIMARY KEY (Id)").schema
    table = schema.tables["t"]
    key = encoder_of(table.key)(["</script><script>alert(1)//"])
    html = page(build_heatmap(schema, [(1, ((tree_of(table), key, ("x",)),))]), [], [])
    assert html.count("<script") == 2
    assert html.count("</script>") == 2


def test_a_large_report_is_quick_and_small() -> None:
    chance = Random(2)
    schema = World(
        *(f"CREATE TABLE T{n} (Id INT64 NOT NULL) PRIMARY KEY (Id)" for n in range(5))
    ).schema
    tables = [schema.tables[f"t{n}"] for n in range(5)]
    encode = encoder_of(tables[0].key)
    commits: list[Commit] = [
        (n, ((tree_of(tables[n % 5]), encode([chance.getrandbits(62)]), (n,)),))
        for n in range(100_000)
    ]
    start = process_time()
    html = page(build_heatmap(schema, commits), [], [])
    assert process_time() - start < 2.0
    assert len(html.encode()) < 2_000_000
