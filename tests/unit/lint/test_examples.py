"""Examples and fixes of every rule in both dialects: Spanner accepts them, and fixes cure."""

from __future__ import annotations

import re

import pytest

from spanemu import lint
from spanemu.base.errors import SpannerError
from spanemu.base.severity import Severity
from spanemu.lint.rules.postgresql import rules_of
from spanemu.schema.schema import Schema
from tests.unit.lint.linting import applied, findings, fixed, ids, in_postgresql, script_of
from tests.unit.lint.variants import VARIANTS

CASES = [
    pytest.param(dialect, rule, id=f"{dialect}-{rule.id}")
    for dialect in ("googlesql", "postgresql")
    for rule in rules_of(dialect).values()
    if rule.bad
]
# Spanner refuses what these rules report.
REFUSED = frozenset(
    f"SPN{number}" for number in (106, 107, 110, 115, 122, 218, 308, 404, 502, 603, 706)
)
MIGRATIONS = frozenset({"SPN705"})  # of tables that no statement creates


@pytest.mark.parametrize(("dialect", "rule"), CASES)
def test_spanner_accepts_a_near_miss(dialect: str, rule: lint.Rule) -> None:
    if rule.id not in MIGRATIONS:
        applied(rule.good, dialect)


@pytest.mark.parametrize(("dialect", "rule"), CASES)
def test_spanner_accepts_reported_schemas_except_those_of_refusal_rules(
    dialect: str, rule: lint.Rule
) -> None:
    if rule.id in REFUSED:
        with pytest.raises(SpannerError):
            applied(rule.bad, dialect)
    elif rule.id not in MIGRATIONS:
        applied(rule.bad, dialect)


@pytest.mark.parametrize(("dialect", "rule"), CASES)
def test_no_default_rule_reports_a_near_miss(dialect: str, rule: lint.Rule) -> None:
    assert ids(rule.good, dialect=dialect) == set()


# ---------------------------------------------------------------------------- fixes

# Whole schemas with a finding: the rules' examples, and variants that Spanner accepts.
SCHEMAS = [
    *(pytest.param(*case.values[:1], case.values[1].id, case.values[1].bad, id=case.id)
      for case in CASES if case.values[1].id not in REFUSED | MIGRATIONS),
    *(pytest.param("googlesql", id_, ddl, id=f"variant-{id_}-{number}")
      for id_, (speaks, _) in VARIANTS.items()
      for number, ddl in enumerate(speaks)),
]  # fmt: skip


def accepted(ddl: str, dialect: str) -> Schema | None:
    """Return the schema, or None for a variant of which Spanner refuses a statement."""
    try:
        return applied(ddl, dialect)
    except SpannerError:
        return None


def serious(ddl: str, dialect: str) -> set[str]:
    """Return the ids of default findings above information."""
    reported = findings(ddl, dialect=dialect)
    return {finding.id for finding in reported if finding.severity is not Severity.INFO}


REWRITTEN = [
    pytest.param("postgresql", id_, in_postgresql(ddl), id=f"rewritten-{id_}-{number}")
    for id_, (speaks, _) in VARIANTS.items()
    for number, ddl in enumerate(speaks)
    if id_ in rules_of("postgresql")
]


@pytest.mark.parametrize(("dialect", "id_", "ddl"), [*SCHEMAS, *REWRITTEN])
def test_a_fix_that_is_sql_applies_and_cures(dialect: str, id_: str, ddl: str) -> None:
    before = accepted(ddl, dialect)
    if before is None:
        return
    for finding in findings(ddl, id_, dialect=dialect):
        if script_of(finding.fix) is None:
            continue
        after = fixed(ddl, finding)
        # SPN405 is about hidden uniqueness, which its fix gives up on a condition.
        keeps_constraints(before, applied(after, dialect), hidden=id_ != "SPN405")
        reported = {(each.id, each.object) for each in findings(after, id_, dialect=dialect)}
        assert (id_, finding.object) not in reported
        # SPN207 and SPN202 may concern the same index, of which the fix of SPN207 cures one.
        assert serious(after, dialect) <= serious(ddl, dialect) | {"SPN202"}


def keeps_constraints(before: Schema, after: Schema, *, hidden: bool) -> None:
    """Check that what was unique stays unique, and that no reference loses its check.

    INTERLEAVE IN PARENT checks a reference as well. `hidden` counts the indexes of foreign keys.
    """
    assert unique_columns(before, hidden=hidden) <= unique_columns(after, hidden=True)
    assert before.tables.keys() <= after.tables.keys()
    for table in before.tables.values():
        now = (
            after.tables[table.name.lower()]
            if table.name.lower() in after.tables
            else (after.tables[table.name])
        )
        assert {column.name for column in table.columns} <= {c.name for c in now.columns}
        assert now.row_deletion_policy == table.row_deletion_policy or table.parent is None
        if table.parent is None:
            assert len(now.foreign_keys) >= len(table.foreign_keys)


def unique_columns(schema: Schema, *, hidden: bool) -> set[tuple[str, frozenset[str]]]:
    """Return the sets of columns that indexes keep unique; a computed shard adds nothing."""
    return {
        (index.table, frozenset(part.column.name for part in index.key) - {"ShardId", "shard_id"})
        for index in schema.indexes.values()
        if index.unique and (hidden or not index.is_managed)
        and not {c.name for c in schema.tables[schema.fold(index.table)].key_columns}
        <= {part.column.name for part in index.key}
    }  # fmt: skip


STATEMENT = re.compile(r"\b(CREATE|ALTER|DROP) (UNIQUE |NULL_FILTERED )*(INDEX|TABLE)\b")


@pytest.mark.parametrize(("dialect", "id_", "ddl"), SCHEMAS)
def test_a_statement_in_a_fix_is_part_of_a_script(dialect: str, id_: str, ddl: str) -> None:
    # SPN311 names a statement for a later day, SPN307 needs a name that the schema lacks.
    for finding in findings(ddl, id_, dialect=dialect):
        if STATEMENT.search(finding.fix) and id_ not in ("SPN307", "SPN311"):
            assert script_of(finding.fix) is not None
            assert "..." not in finding.fix.partition("--")[0]


@pytest.mark.parametrize(("dialect", "id_", "ddl"), SCHEMAS)
def test_a_fix_that_drops_an_index_warns_about_hints(dialect: str, id_: str, ddl: str) -> None:
    for finding in findings(ddl, id_, dialect=dialect):
        if re.search(r"\bDROP INDEX\b|\bDrop the index", finding.fix):
            assert "FORCE_INDEX" in finding.fix


@pytest.mark.parametrize(("dialect", "id_", "ddl"), SCHEMAS)
def test_no_fix_deletes_rows_unasked(dialect: str, id_: str, ddl: str) -> None:
    for finding in findings(ddl, id_, dialect=dialect):
        if re.search(r"row deletion policy \(|\bTTL INTERVAL\b", finding.fix, re.IGNORECASE):
            assert finding.fix.startswith("If ")


KEYS = [
    pytest.param(dialect, rule, id=f"{dialect}-{rule.id}")
    for dialect, rule in (case.values for case in CASES)
    if any(each.fix.startswith("PRIMARY KEY (") for each in findings(rule.bad, rule.id, dialect=dialect)
           if each.id == rule.id)
]  # fmt: skip
KEY = re.compile(r"PRIMARY KEY \([^()]*\)")


@pytest.mark.parametrize(("dialect", "rule"), KEYS)
def test_another_primary_key_cures(dialect: str, rule: lint.Rule) -> None:
    # A key cannot change, so the fix is an edit of the table's statement.
    #
    # The key that SPN125 suggests takes the place of an index.
    (finding,) = findings(rule.bad, rule.id, dialect=dialect)
    key = KEY.match(finding.fix)
    assert key is not None
    after = KEY.sub(lambda _: key[0], rule.bad, count=1)
    if rule.id == "SPN125":
        after = after.partition(";")[0]
    applied(after, dialect)
    assert rule.id not in ids(after, rule.id, dialect=dialect)
    assert serious(after, dialect) <= serious(rule.bad, dialect)


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_another_expression_cures(dialect: str) -> None:
    bad = rules_of(dialect)["SPN114"].bad
    (finding,) = findings(bad, "SPN114", dialect=dialect)
    expression = re.sub(r"^ABS\((.*)\)$", r"\1", finding.fix, flags=re.IGNORECASE)
    assert expression in bad
    after = bad.replace(expression, finding.fix)
    applied(after, dialect)
    assert ids(after, "SPN114", dialect=dialect) == set()


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
@pytest.mark.parametrize("id_", ["SPN110", "SPN123"])
def test_another_default_cures(dialect: str, id_: str) -> None:
    bad = rules_of(dialect)[id_].bad
    (finding,) = findings(bad, id_, dialect=dialect)
    fix = finding.fix.partition(",")[0]
    column = re.search(r"\(?\b(Id|id) [^,]*?(?=\) PRIMARY|, PRIMARY)", bad)
    assert column is not None
    declared = fix if id_ == "SPN123" else re.sub(r"DEFAULT .*", fix, column[0].lstrip("("))
    after = bad.replace(column[0].lstrip("("), declared)
    applied(after, dialect)
    assert ids(after, id_, dialect=dialect) == set()
