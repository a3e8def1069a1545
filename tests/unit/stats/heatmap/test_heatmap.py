"""The picture's figures and its page."""

from __future__ import annotations

import json
import re
import struct
import zlib
from itertools import islice
from pathlib import Path
from random import Random
from time import process_time

import pytest

from spanemu.stats.heatmap.file import save
from spanemu.stats.heatmap.heatmap import Heatmap, Metric, build_heatmap
from spanemu.stats.heatmap.image import image
from spanemu.stats.heatmap.overlay import Overlay
from spanemu.stats.heatmap.page import page
from spanemu.stats.heatmap.patterns import Pattern, pattern_of
from spanemu.stats.places import Places
from spanemu.stats.report import Report
from spanemu.stats.simulation.settings import SplitPolicy
from spanemu.stats.trace import Commit, Trace
from spanemu.storage.layout import encoder_of, tree_of
from tests.hotspots.workloads import WORKLOADS
from tests.unit.ddl.world import World

BY_NAME = {workload.name: workload for workload in WORKLOADS}


def heatmap_of(name: str, commits: int = 600, *, overlay: bool = False) -> Heatmap:
    workload = BY_NAME[name]
    schema = World(workload.table).schema
    table = schema.tables["t"]
    encode, tree = encoder_of(table.key), tree_of(table)
    keys = islice(workload.make(Random(1)), commits)
    trace = Trace([(n, ((tree, encode(key), key),)) for n, key in enumerate(keys)])
    over = Overlay(Places(schema, SplitPolicy.MODERN), {}, [], trace) if overlay else None
    return build_heatmap(schema, trace, over)


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


@pytest.mark.parametrize("commits", [40, 119, 130, 333, 600, 1000])
def test_the_diagonal_of_a_monotonic_table_has_no_dots(commits: int) -> None:
    heatmap = heatmap_of("sequence", commits)
    (band,) = heatmap.bands
    cells = band.cells[Metric.WRITTEN]
    assert len(cells) == heatmap.columns
    lit = {(row, column): n for row, line in enumerate(cells) for column, n in enumerate(line) if n}
    assert lit.keys() == {(n, n) for n in range(heatmap.columns)}
    *full, last = lit.values()
    assert set(full) == {heatmap.commits_per_column}
    assert last <= full[0]


def test_stripes_are_periodic() -> None:
    cells = [[5 * (column % 10 < 2) for column in range(60)] for _ in range(8)]
    assert pattern_of(cells) is Pattern.PERIODIC
    once = [[5 * (column < 20) for column in range(60)] for _ in range(8)]
    assert pattern_of(once) is not Pattern.PERIODIC


def two_tables(first: int, second: int) -> list[Pattern]:
    """The patterns of two tables of few rows each, of which so many were written."""
    schema = World(
        "CREATE TABLE A (Id INT64) PRIMARY KEY (Id)", "CREATE TABLE B (Id INT64) PRIMARY KEY (Id)"
    ).schema
    commits = []
    for name, count in (("a", first), ("b", second)):
        table = schema.tables[name]
        encode, tree = encoder_of(table.key), tree_of(table)
        commits += [(n, ((tree, encode((1,)), (1,)),)) for n in range(count)]
    return [band.pattern for band in build_heatmap(schema, Trace(commits)).bands]


def test_one_hot_table_among_several() -> None:
    assert two_tables(90, 10) == [Pattern.SINGLE_TABLE, Pattern.NONE]
    assert two_tables(60, 40) == [Pattern.NONE, Pattern.NONE]


def test_two_runs_are_compared(tmp_path: Path) -> None:
    earlier, now = heatmap_of("sequence"), heatmap_of("uuid4")
    before = tmp_path / "before.html"
    save(before, earlier, Report(), [])
    save(tmp_path / "by-page.html", now, Report(), [], before)
    save(tmp_path / "by-figures.html", now, Report(), [], earlier)
    pages = [(tmp_path / name).read_text("utf-8") for name in ("by-page.html", "by-figures.html")]
    assert pages[0] == pages[1]
    assert (
        "<tr><td>T</td><td>Monotonically increasing keys</td><td>600</td><td>1%</td>"
        "<td>Evenly distributed reads and writes</td><td>600</td><td>1%</td></tr>"
    ) in pages[0]
    # The page of two runs is an earlier run itself: of what was new in it.
    save(tmp_path / "third.html", now, Report(), [], tmp_path / "by-page.html")
    assert (tmp_path / "third.html").read_text("utf-8").count("Monotonically increasing") == 0
    strange = tmp_path / "strange.html"
    strange.write_text("<p>nothing</p>")
    with pytest.raises(ValueError, match="not the page"):
        save(tmp_path / "fourth.html", now, Report(), [], strange)


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
    heatmap = build_heatmap(schema, Trace(commits))
    assert [band.name for band in heatmap.bands] == ["A", "B"]
    assert heatmap.bands[1].cells[Metric.WRITTEN] == [[1, 0]]
    assert heatmap.bands[1].cells[Metric.DELETED] == [[0, 1]]
    assert "Key space not to scale" in heatmap.bands[0].banners


def test_nothing_written() -> None:
    heatmap = build_heatmap(World().schema, Trace())
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
    assert (
        content["runs"][0]["bands"][0]["cells"]["rows written"]
        == heatmap.bands[0].cells[Metric.WRITTEN]
    )
    assert "__" not in html.replace(data[1], "")


def test_keys_cannot_break_out_of_the_page() -> None:
    schema = World("CREATE TABLE T (Id STRING(99) NOT NULL) PRIMARY KEY (Id)").schema
    table = schema.tables["t"]
    key = encoder_of(table.key)(["</script><script>alert(1)//"])
    html = page(build_heatmap(schema, Trace([(1, ((tree_of(table), key, ("x",)),))])), [], [])
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
    trace = Trace(commits)
    start = process_time()
    overlay = Overlay(Places(schema, SplitPolicy.MODERN), {}, [], trace)
    html = page(build_heatmap(schema, trace, overlay), [], [])
    assert process_time() - start < 2.0
    assert len(html.encode()) < 2_000_000


def test_text_fits_a_terminal() -> None:
    lines = heatmap_of("sequence").text(width=80).splitlines()
    assert len(lines) == 25
    assert max(map(len, lines)) <= 80
    assert all("T(" in line for line in lines[1:])
    first = [len(line) - len(line.lstrip()) for line in lines[1:]]  # where its load begins
    assert first == sorted(first)
    assert first[-1] > first[0]


def test_reads_and_conflicts_have_metrics_of_their_own() -> None:
    schema = World("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)").schema
    tree, encode = tree_of(schema.tables["t"]), encoder_of(schema.tables["t"].key)
    one, two = encode([1]), encode([2])
    trace = Trace(
        commits=[(10, ((tree, one, (1,)),)), (20, ((tree, two, (2,)),))],
        reads=[(5, tree, one), (25, tree, one)],
        conflicts=[(15, tree, two)],
    )
    (band,) = build_heatmap(schema, trace).bands
    assert band.cells[Metric.READ] == [[1, 1], [0, 0]]
    assert band.cells[Metric.CONFLICTS] == [[0, 0], [1, 0]]
    assert band.cells[Metric.DELETED] == []


def test_what_lies_over_the_picture() -> None:
    schema = World("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)").schema
    table = schema.tables["t"]
    tree, encode = tree_of(table), encoder_of(table.key)
    trace = Trace([(n, ((tree, encode([n]), (n,)),)) for n in range(400)])
    cut = encode([200])
    places = Places(schema, SplitPolicy.MODERN)
    overlay = Overlay(places, {tree: [b"", cut]}, [places.place(tree, cut)], trace, nodes=4)
    heatmap = build_heatmap(schema, trace, overlay)
    (band,) = heatmap.bands
    (boundary,) = band.boundaries
    assert band.starts[boundary] == "T(200)"
    assert band.cells[Metric.SCORE][0][0] == 100  # all of the first minute in one split
    assert [row[0] for row in band.splits] == [0] * boundary + [1] * (len(band.starts) - boundary)
    assert {server for row in band.servers for server in row} <= set(range(4))
    html = page(heatmap, [], [])
    assert "<b>Simulated</b>" in html
    assert "Split begins here" in html


def test_roving_writes() -> None:
    cells = [[int(column % 20 == row) for column in range(120)] for row in range(20)]
    assert pattern_of(cells) is Pattern.ROVING


def test_an_image() -> None:
    heatmap = heatmap_of("sequence")
    data = image(heatmap)
    assert data == image(heatmap_of("sequence"))
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (960, 120 * 4 + 6)
    length = struct.unpack(">I", data[33:37])[0]
    pixels = zlib.decompress(data[41 : 41 + length])
    rows = [pixels[y * (1 + 3 * width) + 1 : (y + 1) * (1 + 3 * width)] for y in range(height)]
    white = [row.find(b"\xff" * 24) for row in rows[1 : 120 * 4 : 4]]
    assert white == [24 * place for place in range(120)]  # the diagonal


@pytest.mark.parametrize(
    ("name", "begins"), [("a.png", b"\x89PNG"), ("a.txt", b"T: Mono"), ("a.html", b"<!doctype")]
)
def test_files(tmp_path: Path, name: str, begins: bytes) -> None:
    save(tmp_path / name, heatmap_of("sequence"), Report(), [])
    assert (tmp_path / name).read_bytes().startswith(begins)
