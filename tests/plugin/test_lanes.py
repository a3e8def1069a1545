"""The drawing of a timeline as lanes in the HTML report."""

import itertools
from xml.etree import ElementTree

from pytest_spanemu.report.lanes import lanes_html
from pytest_spanemu.report.page import page
from pytest_spanemu.report.run_facts import RunFacts
from pytest_spanemu.report.run_report import ReportRow, RunReport

FACTS = RunFacts(started="2026-01-01T00:00:00+00:00", seconds=1.0, command="pytest")


def line(kind, text, mark="", site=""):
    return {"kind": kind, "text": text, "site": site, "mark": mark}


def timeline(actors=("deposit", "withdraw"), **change):
    entries = [
        {"number": 1, "actor": 0, "lines": [line("request", "SELECT Bal FROM Acc", site="bank.py:3"), line("read", 'Acc("a") Bal=100', "< written by 3")]},
        {"number": 2, "actor": 1, "lines": [line("request", "SELECT Bal FROM Acc"), line("note", "waits")]},
        {"number": 3, "actor": 1, "lines": [line("request", f"COMMIT {'x' * 90}"), line("write", 'Acc("a") Bal 100 -> 95', "< overwritten by 4")]},
        {"number": 4, "actor": 0, "lines": [line("request", "COMMIT"), line("write", 'Acc("a") Bal 95 -> 101', "<")]},
    ]  # fmt: skip
    whole = {
        "kind": "lost update",
        "text": 'lost update of Acc("a")',
        "advice": "Read & write.",
        "schedule": "ABBA",
        "schedules": 5,
        "actors": list(actors),
        "entries": entries,
        "arrows": [
            {"first": 1, "second": 3, "text": "withdraw writes what deposit has read"},
            {"first": 3, "second": 4, "text": "deposit overwrites what withdraw has written"},
        ],
        "endings": [{"name": "got", "text": 'Acc ("a", 101)'}],
    }
    return whole | change


def drawn(figure):
    """Return the SVG of a figure as a tree."""
    begin, end = figure.index("<svg"), figure.index("</svg>") + len("</svg>")
    return ElementTree.fromstring(figure[begin:end])


def numbers(element, *names):
    return [float(element.get(name)) for name in names]


def test_each_step_is_a_box_in_the_lane_of_its_function():
    tree = drawn(lanes_html(timeline()))
    boxes = [numbers(rect, "x", "y", "width", "height") for rect in tree.iter("rect")]
    assert len(boxes) == 4
    lefts = [box[0] for box in boxes]
    assert lefts[0] == lefts[3] < lefts[1] == lefts[2]
    assert lefts[1] > lefts[0] + boxes[0][2]
    for above, below in itertools.pairwise(boxes):
        assert below[1] >= above[1] + above[3]
    width, height = numbers(tree, "width", "height")
    assert all(x + w <= width and y + h <= height for x, y, w, h in boxes)


def test_arrows_lead_from_the_side_of_a_box_to_that_of_another():
    tree = drawn(lanes_html(timeline()))
    boxes = [numbers(rect, "x", "y", "width", "height") for rect in tree.iter("rect")]
    arrows = [each for each in tree.iter("g") if each.get("class") == "arrow"]
    assert [each.find("title").text for each in arrows] == [
        "withdraw writes what deposit has read",
        "deposit overwrites what withdraw has written",
    ]
    tips = [each.find("polygon").get("points").split()[0].split(",") for each in arrows]
    (x3, y3, _, h3), (x4, y4, w4, h4) = boxes[2], boxes[3]
    assert [float(x) for x, _ in tips] == [x3, x4 + w4]
    assert y3 < float(tips[0][1]) < y3 + h3
    assert y4 < float(tips[1][1]) < y4 + h4


def test_marked_steps_waits_and_long_lines_are_shown():
    figure = lanes_html(timeline())
    tree = drawn(figure)
    kinds = [each.get("class") for each in tree.iter("g")]
    assert kinds.count("step marked") == 3
    assert kinds.count("step") == 1
    assert [each.get("class") for each in tree.findall("path")].count("wait") == 1
    texts = ["".join(each.itertext()) for each in tree.iter("text")]
    assert any(text.endswith("…") for text in texts)
    assert f"COMMIT {'x' * 90}" in texts[[text.endswith("…") for text in texts].index(True)]


def test_the_table_has_every_line_with_its_mark():
    figure = lanes_html(timeline())
    table = figure[figure.index("<details>") :]
    for text in ("bank.py:3", "&lt; written by 3", "&lt; overwritten by 4", "waits", "withdraw"):
        assert text in table.replace("<wbr>", "")
    assert 'aria-label="lost update of Acc(&quot;a&quot;); the table below has each step"' in figure
    assert "--spanner-schedule=ABBA" in figure


def test_names_and_texts_are_escaped():
    actors = ("<script>alert(1)</script>", '"&')
    figure = lanes_html(timeline(actors, text="<b>"))
    drawn(figure)
    assert "<script" not in figure
    assert "<b>&lt;b&gt;" not in figure


def test_a_run_without_steps_is_drawn():
    drawn(lanes_html(timeline(entries=[], arrows=[])))


def test_passed_explorations_are_notes_without_findings():
    note = {"note": "explored 36, complete", "warnings": ["nothing to explore"], "timeline": None}
    row = ReportRow("a.py::test_it", explorations=[note])
    html = page(RunReport([row]), FACTS, "")
    assert '<span class="note-line plain">explored 36, complete. nothing to explore</span>' in html
    assert "data-findings" not in html.partition("<script>")[0]
    assert not row.has_findings
    assert row.notes == "explored 36, complete"
