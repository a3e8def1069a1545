"""Whatever two schemas are, the statements between them lead from one to the other."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from spanemu.base.errors import SpannerError
from spanemu.ddl import diff, schema_of
from tests.property.test_ddl_round_trip import BEGINNING, STATEMENTS, TYPES, applied

SCRIPTS = st.lists(STATEMENTS, max_size=8)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(SCRIPTS, SCRIPTS, SCRIPTS)
def test_the_difference_leads_to_the_target_schema(
    shared: list[str], first: list[str], second: list[str]
) -> None:
    before = applied([*BEGINNING, *shared, *first])
    after = applied([*BEGINNING, *shared, *second])
    way = [step.statement for step in diff(before, after)]
    try:
        reached = schema_of(way, before, TYPES)
    except SpannerError as failure:
        # What Spanner refuses to do in one step, as to a column that much stands on.
        assume(False)
        raise AssertionError from failure
    assert [step.statement for step in diff(reached, after)] == []


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STATEMENTS, max_size=25))
def test_equal_schemas_have_no_difference(statements: list[str]) -> None:
    schema = applied([*BEGINNING, *statements])
    assert diff(schema, schema) == []
    again = applied([*BEGINNING, *statements])
    assert diff(schema, again) == []
