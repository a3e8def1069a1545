"""Golden tests of the PostgreSQL analyzer."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu.base.errors import SpannerError
from spanemu.database import sql_failures
from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql.postgresql.analyzer.queries.select_list import output_name
from spanemu.sql.postgresql.syntax.statement import parse_expression
from spanemu.sql.postgresql.types import title
from spanemu.values.types import SCALARS
from tests.golden.resolved_tree import draw, expression
from tests.golden.runner import Case, describe_failure, file_id, golden_files, run_golden
from tests.unit.sql.postgresql.analyzer.expressions.world import resolved
from tests.unit.sql.postgresql.analyzer.shop import analyzed


def _expressions(case: Case) -> str:
    """Return each line as resolved, with its type and the name of its result column."""
    return "\n".join(map(_expression, case.input.splitlines()))


def _expression(text: str) -> str:
    try:
        value = resolved(text, grouped=True)
    except SpannerError as failure:
        return _refusal(failure)
    name = output_name(parse_expression(text))
    return f"{name} {title(value.type)} = {expression(value)}"


def _tree(case: Case) -> str:
    """Return the resolved tree of a statement; `p1=TYPE` declares a parameter."""
    declared = {name: SCALARS[word] for name, word in case.settings.items()}
    return draw(analyzed(case.input, **declared))


def _failures(case: Case) -> str:
    """Run one statement a line, each of which must fail."""
    return "\n".join(map(_failure, case.input.splitlines()))


def _failure(line: str) -> str:
    try:
        analyzed(line)
    except SpannerError as failure:
        return _refusal(failure)
    return "analyzed"


def _refusal(failure: SpannerError) -> str:
    sql_failures.report(failure, POSTGRESQL)
    text = str(failure).splitlines()[0]
    return f"{describe_failure(failure)} | {failure.reported_state} {text}"


COMMANDS = {"expressions": _expressions, "tree": _tree, "failures": _failures}


@pytest.mark.parametrize("path", golden_files("analyze_postgresql"), ids=file_id)
def test_analyze_postgresql(path: Path, rewrite: bool) -> None:
    run_golden(path, COMMANDS, rewrite=rewrite)
