"""Parts of the HTML report that several of its sections share: tables, statements, transactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from pytest_spanemu.report.figures import Figures
from pytest_spanemu.report.outcome import Outcome

Plain = dict[str, Any]


def listed(test: Figures, name: str) -> list[Plain]:
    """Return the entries of that name of all databases of a test."""
    return [each for found in test.databases for each in found.get(name, ())]


def link(test: str) -> str:
    """Return a link to a test of the page."""
    return f'<a href="#{quote(test, safe="/:[]")}">{escape(test)}</a>'


def badge(outcome: Outcome) -> str:
    """Return an outcome as a coloured word."""
    return f'<span class="badge {outcome.status}">{outcome.status}</span>'


def duration(seconds: float) -> str:
    """Return a duration as a reader would say it."""
    if seconds < 1:
        return f"{seconds * 1e3:,.0f} ms"
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:,.0f} min {rest:.0f} s" if minutes else f"{seconds:.1f} s"


def statements_table(statements: Sequence[Plain]) -> str:
    """Return statements with their plans, "" for none."""
    if not statements:
        return ""
    return table(
        ("times", "statement", "from", "notes"),
        (
            (f"{each['count']:,}", _statement(each), f"<code>{escape(each['site'])}</code>",
             _notes(each["notes"]))
            for each in statements
        ),
    )  # fmt: skip


def transactions_table(transactions: Sequence[Plain]) -> str:
    """Return transactions, those that look the same once; "" for none."""
    times: Counter[tuple[str, ...]] = Counter()
    for each in transactions:
        waited = milliseconds(each["lock_wait_seconds"]) if each["lock_wait_seconds"] else ""
        row = (name(each), f"{each['mutations']:,}", waited, ending(each), requests(each))
        times[row] += 1
    if not times:
        return ""
    return table(
        ("times", "transaction", "mutations", "waited", "ended", "requests"),
        ((f"{count:,}", *row) for row, count in times.items()),
    )


def finding(found: Plain) -> str:
    """Return a finding of the detector with its evidence and what to do."""
    return (
        f'<article class="{escape(found["severity"])}"><b>{escape(found["reason"])} '
        f"{escape(found['place'])}</b> {escape(found['rule'])}{evidence(found)}</article>"
    )


def evidence(found: Plain) -> str:
    """Return what a finding rests on, and its fix."""
    return (
        f"<p>{escape(found['message'])}</p><p>{escape(found['evidence'])}</p>"
        f"<p>Fix: <code>{escape(found['fix'])}</code></p>"
    )


def requests(transaction: Plain) -> str:
    """Return the requests of a transaction, a line each."""
    lines = []
    for each in transaction["requests"]:
        waited = ""
        if each["lock_wait_seconds"]:
            waited = f' <span class="wait">waited {milliseconds(each["lock_wait_seconds"])}</span>'
        sql = " ".join(each["sql"].split())
        lines.append(f"<code>{escape(sql)}</code> {escape(each['site'])}{waited}")
    return "<br>".join(lines)


def name(transaction: Plain) -> str:
    """Return the id and the tag of a transaction."""
    return escape(" ".join(filter(None, (transaction["id"] or "commit", transaction["tag"]))))


def ending(transaction: Plain) -> str:
    """Return the status with which a transaction ended."""
    error = transaction["error"]
    return f'<span class="bad">{escape(error)}</span>' if error else "OK"


def milliseconds(seconds: float) -> str:
    """Return a short time."""
    return f"{seconds * 1e3:,.1f} ms"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already; numbers stand to the right.

    On a narrow screen each row becomes a list, whose entries show the heads.
    """
    head = "".join(f"<th>{each}</th>" for each in heads)
    body = "".join(f"<tr>{''.join(map(_cell, heads, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(head: str, cell: str) -> str:
    kind = ' class="n"' if cell[:1].isdigit() and len(cell) < 14 else ""
    return f'<td{kind} data-head="{head}">{cell}</td>'


def _statement(found: Plain) -> str:
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
