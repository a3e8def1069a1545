"""Findings that a test does not want to hear of: "SPN802", "AuditLog" or "SPN802:AuditLog"."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.hotspots.assumptions import entry_parts

__tracebackhide__ = True  # from pytest, whose users look for their own lines


def checked(entries: Sequence[str]) -> tuple[str, ...]:
    """The entries, one text being one of them. Raises ValueError for a rule that there is not.

    A name that the schema does not have may be of a table that the test makes later.
    """
    found = (entries,) if isinstance(entries, str) else tuple(entries)
    for entry in found:
        if not isinstance(entry, str) or not entry.strip(" :"):
            raise ValueError(f"ignore: {entry!r} is neither a rule, nor a table or an index")
        rule, _ = entry_parts(entry)
        if rule:
            _check_rule(rule)
    return found


def _check_rule(rule: str) -> None:
    from spanemu.lint.selection import UnknownRule, check_rule_name

    try:
        check_rule_name(rule)
    except UnknownRule as problem:
        raise ValueError(f"ignore: {problem}") from None
