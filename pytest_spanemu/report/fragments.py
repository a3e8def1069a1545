"""HTML fragments that several sections of the report share: tables, statements, transactions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote

from pytest_spanemu.report.run_report import Outcome, ReportRow
from spanemu.web import shell

Plain = dict[str, Any]
_NUMBERS = ("times", "mutations", "longest wait")  # heads of columns with numbers


def details(row: ReportRow, name: str) -> list[Plain]:
    """Return the details of one kind, such as "statements", of all databases of a test."""
    return [entry for database in row.databases for entry in database.get(name, ())]


def link(test: str) -> str:
    """Return a link to a test on the page."""
    return f'<a href="#{quote(test, safe="/:[]")}">{shell.breakable(test)}</a>'


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
    return shell.table(
        ("times", "statement", "from", "notes"),
        (
            (f"{each['count']:,}", _statement(each), where(each["site"]), _notes(each["notes"]))
            for each in statements
        ),
        _NUMBERS,
    )


def transactions_table(transactions: Sequence[Waiting]) -> str:
    """Return a table of transactions, equal ones in one row; "" for no transactions.

    Equal transactions made the same requests from the same lines, waited for the same locks and
    ended alike. Their waits are shown by the longest.
    """
    groups: dict[tuple[str, ...], list[Waiting]] = {}
    for entry in transactions:
        transaction = entry.transaction
        key = transaction_name(transaction), f"{transaction['mutations']:,}", status(transaction)
        groups.setdefault((*key, requests(transaction)), []).append(entry)
    if not groups:
        return ""
    has_tests = any(entry.test for entry in transactions)
    heads = ("times", "transaction", "mutations", "status", "longest wait", "requests")
    return shell.table(
        (*heads, *(["tests"] if has_tests else ())),
        (
            (
                f"{len(entries):,}", *row[:3], _longest(entries), *row[3:],
                *([links([entry.test for entry in entries])] if has_tests else ()),
            )
            for row, entries in groups.items()
        ),
        _NUMBERS,
    )  # fmt: skip


class Waiting(NamedTuple):
    """A transaction, with the test that made it where a table shows several tests."""

    transaction: Plain
    test: str = ""


def _longest(entries: Iterable[Waiting]) -> str:
    longest = max(entry.transaction["lock_wait_seconds"] for entry in entries)
    return milliseconds(longest) if longest else ""


def links(tests: Sequence[str]) -> str:
    """Return a link to the first of some tests, and the others in a list that opens."""
    first, *others = dict.fromkeys(tests)
    if not others:
        return link(first)
    items = "".join(f"<li>{link(test)}</li>" for test in others)
    count = f"and in {len(others):,} more"
    return f"{link(first)}<details><summary>{count}</summary><ul>{items}</ul></details>"


def finding_article(finding: Plain) -> str:
    """Return a finding of the detector with its evidence and fix."""
    return (
        f'<article class="{finding["severity"]}">'
        f"{shell.finding_heading(finding['rule'], finding['name'], finding['severity'])}"
        f"{evidence(finding)}</article>"
    )


def evidence(finding: Plain) -> str:
    """Return the message, the evidence and the fix of a finding."""
    return (
        f"<p>{escape(finding['message'])}</p><p>{escape(finding['evidence'])}</p>"
        f"{shell.fix(finding['fix'])}"
    )


def requests(transaction: Plain) -> str:
    """Return the requests of a transaction, each with the locks that it waited for."""
    return "".join(map(_request, transaction["requests"]))


def _request(request: Plain) -> str:
    locks = ", ".join(f"<code>{shell.breakable(lock)}</code>" for lock in request["waited_for"])
    waited = f' <span class="wait">waited for {locks}</span>' if locks else ""
    sql = shell.breakable(" ".join(request["sql"].split()))
    return f"<div><code>{sql}</code> {where(request['site'])}{waited}</div>"


def where(site: str) -> str:
    """Return the lines of code that made a request."""
    return f'<span class="site">{shell.breakable(site)}</span>'


def transaction_name(transaction: Plain) -> str:
    """Return the tag of a transaction, or whether it was more than a commit."""
    return escape(transaction["tag"] or ("transaction" if transaction["id"] else "commit"))


def status(transaction: Plain) -> str:
    """Return the status of a transaction: its error, or OK."""
    error = transaction["error"]
    if not error:
        return "OK"
    return f'<span class="badge {"warn" if error == "ABORTED" else "bad"}">{escape(error)}</span>'


def milliseconds(seconds: float) -> str:
    """Return a duration in milliseconds."""
    return f"{seconds * 1e3:,.1f} ms"


def _statement(statement: Plain) -> str:
    sql = f"<code>{shell.breakable(' '.join(statement['sql'].split()))}</code>"
    if not statement["plan"]:
        return sql
    plan = f"<pre>{escape(statement['plan'])}</pre>"
    return f'<details class="plan"><summary>{sql}</summary>{plan}</details>'


def _notes(notes: Iterable[str]) -> str:
    return "<br>".join(
        f'<span class="wait">{escape(note)}</span>' if note.startswith("FULL") else escape(note)
        for note in notes
    )
