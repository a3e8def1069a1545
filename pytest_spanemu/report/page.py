"""The report as one HTML file that needs no network: light or dark as the reader likes it.

    what was run, in figures     findings     heatmaps     statements with plans
    transactions that waited     every test, with what it did

Everything is in the page without scripts but the pictures, which are the detector's own pages in
frames, and the filter of tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pytest_spanemu.report.book import Book
from pytest_spanemu.report.figures import Figures

TEMPLATE = Path(__file__).with_name("page.html")
STATEMENTS_MAX = 100
WAITS_MAX = 100
TOTALS = (  # a figure, what one is called, and what several are
    ("queries", "query", "queries"),
    ("commits", "commit", "commits"),
    ("aborts", "abort", "aborts"),
    ("mutations", "mutation", "mutations"),
    ("full_scans", "full scan", "full scans"),
    ("lock_waits", "wait for a lock", "waits for locks"),
)


def page(book: Book, run: str) -> str:
    """The whole file; `run` says in a line what was run."""
    parts = {
        "__RUN__": escape(run),
        "__TOTALS__": _totals(book),
        "__FOUND__": _found(book),
        "__HEAT__": _heat(book),
        "__STATEMENTS__": _all_statements(book),
        "__WAITS__": _waits(book),
        "__TESTS__": "".join(_test(each) for each in book.tests),
    }
    before, *pieces = _cut(TEMPLATE.read_text(encoding="utf-8"), parts)
    return before + "".join(pieces)


def _cut(template: str, parts: dict[str, str]) -> Iterator[str]:
    """The template with its parts put in, none of which is looked at again."""
    rest = template
    for name, text in parts.items():
        before, _, rest = rest.partition(name)
        yield before + text
    yield rest


# ---------------------------------------------------------------------------- sections


def _totals(book: Book) -> str:
    figures = [(len(book.tests), "tests"), *((book.total(name), many) for name, _, many in TOTALS)]
    return "".join(f"<li><b>{count:,}</b>{said}</li>" for count, said in figures)


def _found(book: Book) -> str:
    by_note: dict[str, list[Figures]] = {}
    for each in book.tests:
        for note in (*each.hotspots, *each.over_budget, *map(_left_open, each.left_open)):
            by_note.setdefault(note, []).append(each)
    told = "".join(_found_in(note, tests) for note, tests in by_note.items())
    return f'<h2 id="found">Found</h2><ul>{told}</ul>' if told else ""


def _found_in(note: str, tests: Sequence[Figures]) -> str:
    """A finding once, with the tests that have it: the first of them, the rest on demand."""
    shown = f"<b>{escape(note)}</b>: {_link(tests[0])}"
    if len(tests) > 1:
        others = "".join(f"<li>{_link(test)}</li>" for test in tests[1:])
        shown += (
            f"<details><summary>and in {len(tests) - 1:,} more</summary><ul>{others}</ul></details>"
        )
    return f"<li>{shown}</li>"


def _left_open(text: str) -> str:
    return f"left open: {text}"


def _heat(book: Book) -> str:
    if not book.pictures:
        return "<p>No test wrote enough for a picture.</p>"
    return "".join(
        f'<details class="heat"><summary>{escape(test)}</summary>'
        f'<iframe title="Heatmap of {escape(test)}" data-page="{escape(html)}"></iframe></details>'
        for test, html in book.pictures.items()
    )


def _all_statements(book: Book) -> str:
    grouped: dict[tuple[str, str], dict[str, Any]] = {}
    for test in book.tests:
        for each in _listed(test, "statements"):
            known = grouped.setdefault(
                (each["sql"], each["site"]), {**each, "count": 0, "tests": 0}
            )
            known["count"] += each["count"]
            known["tests"] += 1
    worst = sorted(grouped.values(), key=_weight, reverse=True)
    more = len(worst) - STATEMENTS_MAX
    return _statements(worst[:STATEMENTS_MAX]) + (f"<p>and {more} others</p>" if more > 0 else "")


def _weight(statement: dict[str, Any]) -> tuple[bool, int]:
    return any(note.startswith("FULL SCAN") for note in statement["notes"]), statement["count"]


def _waits(book: Book) -> str:
    found = [
        (test, each)
        for test in book.tests
        for each in _listed(test, "transactions")
        if each["lock_wait_seconds"]
    ]
    found.sort(key=lambda pair: -pair[1]["lock_wait_seconds"])
    if not found:
        return "<p>None.</p>"
    return _table(
        ("transaction", "test", "waited", "ended", "what it asked for"),
        (
            (_name(each), _link(test), _milliseconds(each["lock_wait_seconds"]), _ended(each),
             _requests(each))
            for test, each in found[:WAITS_MAX]
        ),
    )  # fmt: skip


def _test(test: Figures) -> str:
    counts = " · ".join(
        f"{count:,} {one if count == 1 else many}"
        for name, one, many in TOTALS
        if (count := getattr(test, name))
    )
    notes = f' <span class="bad">{escape(test.notes)}</span>' if test.notes else ""
    parts = [f"<summary><b>{escape(test.test)}</b> {counts or 'nothing'}{notes}</summary>"]
    parts += [_finding(each) for found in test.databases for each in found.get("findings", ())]
    parts.append(_statements(_listed(test, "statements")))
    parts.append(_transactions(_listed(test, "transactions")))
    found = " data-found" if test.notes or test.full_scans else ""
    name = escape(test.test)
    return f'<details class="test" id="{name}"{found}>{"".join(parts)}</details>'


# ---------------------------------------------------------------------------- their parts


def _listed(test: Figures, name: str) -> list[dict[str, Any]]:
    return [each for found in test.databases for each in found.get(name, ())]


def _statements(statements: Sequence[dict[str, Any]]) -> str:
    if not statements:
        return ""
    return _table(
        ("times", "statement", "from", ""),
        (
            (f"{each['count']:,}", _statement(each), f"<code>{escape(each['site'])}</code>",
             _notes(each["notes"]))
            for each in statements
        ),
    )  # fmt: skip


def _transactions(transactions: Sequence[dict[str, Any]]) -> str:
    """Those that look the same are told once."""
    times: Counter[tuple[str, ...]] = Counter()
    for each in transactions:
        waited = _milliseconds(each["lock_wait_seconds"]) if each["lock_wait_seconds"] else ""
        row = (_name(each), f"{each['mutations']:,}", waited, _ended(each), _requests(each))
        times[row] += 1
    if not times:
        return ""
    return _table(
        ("times", "transaction", "mutations", "waited", "ended", "what it asked for"),
        ((f"{count:,}", *row) for row, count in times.items()),
    )


def _statement(found: dict[str, Any]) -> str:
    sql = f"<code>{escape(' '.join(found['sql'].split()))}</code>"
    if not found["plan"]:
        return sql
    plan = f"<pre>{escape(found['plan'])}</pre>"
    return f'<details class="plan"><summary>{sql}</summary>{plan}</details>'


def _notes(notes: Iterable[str]) -> str:
    return "<br>".join(
        f'<span class="bad">{escape(note)}</span>' if note.startswith("FULL") else escape(note)
        for note in notes
    )


def _finding(found: dict[str, Any]) -> str:
    return (
        f'<article class="{escape(found["severity"])}"><b>{escape(found["reason"])} '
        f"{escape(found['place'])}</b> {escape(found['rule'])}<p>{escape(found['message'])}</p>"
        f"<p>{escape(found['evidence'])}</p><p>Fix: <code>{escape(found['fix'])}</code></p>"
        "</article>"
    )


def _requests(transaction: dict[str, Any]) -> str:
    lines = []
    for each in transaction["requests"]:
        waited = ""
        if each["lock_wait_seconds"]:
            waited = f' <span class="wait">waited {_milliseconds(each["lock_wait_seconds"])}</span>'
        sql = " ".join(each["sql"].split())
        lines.append(f"<code>{escape(sql)}</code> {escape(each['site'])}{waited}")
    return "<br>".join(lines)


def _name(transaction: dict[str, Any]) -> str:
    return escape(" ".join(filter(None, (transaction["id"] or "commit", transaction["tag"]))))


def _ended(transaction: dict[str, Any]) -> str:
    error = transaction["error"]
    return f'<span class="bad">{escape(error)}</span>' if error else "OK"


def _link(test: Figures) -> str:
    return f'<a href="#{quote(test.test, safe="/:[]")}">{escape(test.test)}</a>'


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already; the first and those that are numbers stand to the right."""
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td{_right(cell)}>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _right(cell: str) -> str:
    return ' class="n"' if cell[:1].isdigit() and len(cell) < 14 else ""
