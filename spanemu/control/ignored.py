"""Checks the findings that a test ignores: "SPN802", "AuditLog" or "SPN802:AuditLog"."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.hotspots.assumptions import entry_parts

__tracebackhide__ = True  # pytest then shows the caller's line


def checked(entries: Sequence[str]) -> tuple[str, ...]:
    """Return the entries as a tuple, a single text as one entry. Raises ValueError for bad rules.

    A name that the schema lacks is accepted: the test may create the table later.
    """
    checked_entries = (entries,) if isinstance(entries, str) else tuple(entries)
    for entry in checked_entries:
        if not isinstance(entry, str) or not entry.strip(" :"):
            raise ValueError(f"ignore: {entry!r} is neither a rule, nor a table or an index")
        rule, _ = entry_parts(entry)
        if rule:
            _check_rule(rule)
    return checked_entries


def _check_rule(rule: str) -> None:
    from spanemu.lint.selection import UnknownRule, check_rule_name

    try:
        check_rule_name(rule)
    except UnknownRule as problem:
        raise ValueError(f"ignore: {problem}") from None
