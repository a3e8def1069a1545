"""The variants of every rule, rewritten in PostgreSQL: the same are reported."""

from __future__ import annotations

import pytest

from spanemu import lint
from spanemu.lint.rules.postgresql import rules_of
from tests.unit.lint.linting import in_postgresql
from tests.unit.lint.variants import VARIANTS

# Keys have no DESC and are NOT NULL, and none is numeric; bytea has no length, NULLs are distinct.
OTHERWISE = {
    f"SPN{number}": count
    for number, count in (
        *((118, 1), (121, 1), (122, 1), (208, 1)),
        *((209, 1), (308, 2), (310, 1), (502, 1)),
    )
}


def differences(id_: str) -> tuple[list[str], int]:
    """Return the schemas that differ from GoogleSQL's findings, and how many were read."""
    different, read = [], 0
    for reported, schemas in zip((True, False), VARIANTS[id_], strict=True):
        for ddl in map(in_postgresql, schemas):
            report = lint.run(ddl, lint.Settings(dialect="postgresql", select=("all",)))
            if report.failures:
                continue  # The rewriting knows only the most frequent forms.
            read += 1
            if reported != (id_ in {finding.id for finding in report}):
                different.append(ddl)
    return different, read


RULES = [rule.id for rule in rules_of("postgresql").values() if rule.check is not None]


@pytest.mark.parametrize("id_", RULES)
def test_variants_are_reported_as_in_googlesql(id_: str) -> None:
    different, _ = differences(id_)
    assert len(different) == OTHERWISE.get(id_, 0), different


def test_most_variants_can_be_rewritten() -> None:
    assert sum(differences(id_)[1] for id_ in RULES) > 300


def test_types_of_postgresql_are_known() -> None:
    table = "CREATE TABLE t (id bigint PRIMARY KEY, j jsonb, n numeric, at1 timestamptz);"
    settings = lint.Settings(dialect="postgresql")
    stored = lint.run(f"{table}CREATE INDEX i ON t (n) INCLUDE (j)", settings)
    assert [each.id for each in stored] == ["SPN212"]
    # A number is no enum, so it has many values.
    assert len(lint.run(f"{table}CREATE INDEX i ON t (n, at1)", settings)) == 0
