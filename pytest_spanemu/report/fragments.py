"""HTML fragments that several sections of the report share: tables, statements, transactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from pytest_spanemu.report.run_report import Outcome, ReportRow

Plain = dict[str, Any]
_NUMBERS = ("times", "mutations", "lock wait")  # heads of columns with numbers


def details(row: ReportRow, name: str) -> list[Plain]:
    """Return the details of one kind, such as "statements", of all databases of a test."""
    return [entry for database in row.databases for entry in database.get(name, ())]


def link(test: str) -> str:
    """Return a link to a test on the page."""
    return f'<a href="#{quote(test, safe="/:[]")}">{escape(test)}</a>'


def badge(outcome: Outcome) -> str:
    """Return the status of an outcome as a coloured word."""
    return f'<span class="badge {outcome.status}">{outcome.status}</span>'


def duration(seconds: float) -> str:
    """Return a duration in milliseconds, seconds or minutes."""
    if seconds < 1:
        return f"{seconds * 1e3:,.0f} ms"
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:,.0f} min {rest:.0f} s" if minutes else f"{seconds:.1f} s"


def statements_table(statements: Sequence[Plain]) -> str:
    """Return a table of statements with their plans, "" for no statements."""
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
    """Return a table of transactions, equal ones in one row; "" for no transactions."""
    times: Counter[tuple[str, ...]] = Counter()
    for entry in transactions:
        waited = milliseconds(entry["lock_wait_seconds"]) if entry["lock_wait_seconds"] else ""
        mutations = f"{entry['mutations']:,}"
        times[transaction_name(entry), mutations, waited, status(entry), requests(entry)] += 1
    if not times:
        return ""
    return table(
        ("times", "transaction", "mutations", "lock wait", "status", "requests"),
        ((f"{count:,}", *row) for row, count in times.items()),
    )


def finding_article(finding: Plain) -> str:
    """Return a finding of the detector with its evidence and fix."""
    return (
        f'<article class="{escape(finding["severity"])}"><b>{escape(finding["reason"])} '
        f"{escape(finding['place'])}</b> {escape(finding['rule'])}{evidence(finding)}</article>"
    )


def evidence(finding: Plain) -> str:
    """Return the message, the evidence and the fix of a finding."""
    return (
        f"<p>{escape(finding['message'])}</p><p>{escape(finding['evidence'])}</p>"
        f"<p>Fix: <code>{escape(finding['fix'])}</code></p>"
    )


def requests(transaction: Plain) -> str:
    """Return the requests of a transaction, one line for each."""
    lines = []
    for request in transaction["requests"]:
        waited = ""
        if seconds := request["lock_wait_seconds"]:
            waited = f' <span class="wait">waited {milliseconds(seconds)}</span>'
        sql = " ".join(request["sql"].split())
        lines.append(f"<code>{escape(sql)}</code> {escape(request['site'])}{waited}")
    return "<br>".join(lines)


def transaction_name(transaction: Plain) -> str:
    """Return the id and the tag of a transaction."""
    return escape(" ".join(filter(None, (transaction["id"] or "commit", transaction["tag"]))))


def status(transaction: Plain) -> str:
    """Return the status of a transaction: its error, or OK."""
    error = transaction["error"]
    return f'<span class="bad">{escape(error)}</span>' if error else "OK"


def milliseconds(seconds: float) -> str:
    """Return a duration in milliseconds."""
    return f"{seconds * 1e3:,.1f} ms"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells, which are HTML. Numbers are aligned to the right.

    On a narrow screen each row becomes a list, whose entries show the heads.
    """
    head = "".join(f'<th scope="col"{_alignment(text)}>{text}</th>' for text in heads)
    body = "".join(f"<tr>{''.join(map(_cell, heads, row))}</tr>" for row in rows)
    return f'<table class="rows"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _alignment(head: str) -> str:
    """Return the class of the cells of a column, as an attribute."""
    return ' class="n"' if head in _NUMBERS else ""


def _cell(head: str, cell: str) -> str:
    return f'<td{_alignment(head)} data-head="{head}">{cell}</td>'


def _statement(statement: Plain) -> str:
    sql = f"<code>{escape(' '.join(statement['sql'].split()))}</code>"
    if not statement["plan"]:
        return sql
    plan = f"<pre>{escape(statement['plan'])}</pre>"
    return f'<details class="plan"><summary>{sql}</summary>{plan}</details>'


def _notes(notes: Iterable[str]) -> str:
    return "<br>".join(
        f'<span class="bad">{escape(note)}</span>' if note.startswith("FULL") else escape(note)
        for note in notes
    )
