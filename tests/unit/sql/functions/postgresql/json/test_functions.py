"""Functions on JSONB: functions."""

from __future__ import annotations

from spanemu.sql.functions.postgresql.json.functions import FUNCTIONS


def test_names_are_written_as_in_postgresql() -> None:
    names = [function.name for function in FUNCTIONS]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() for name in names)
