"""Golden tests of the PostgreSQL analyzer."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu.base.errors import SpannerError
from spanemu.sql.postgresql.analyzer.expressions.output_name import output_name
from spanemu.sql.postgresql.foreign_types import title
from spanemu.sql.postgresql.syntax.statement import parse_expression
from tests.golden.resolved_tree import expression
from tests.golden.runner import Case, describe_failure, file_id, golden_files, run_golden
from tests.unit.sql.postgresql.analyzer.expressions.world import resolved


def _expressions(case: Case) -> str:
    """Each line as resolved, with its type and the name of its result column."""
    return "\n".join(map(_expression, case.input.splitlines()))


def _expression(text: str) -> str:
    try:
        value = resolved(text, grouped=True)
    except SpannerError as failure:
        return f"{describe_failure(failure)} | {str(failure).splitlines()[0]}"
    name = output_name(parse_expression(text))
    return f"{name} {title(value.type)} = {expression(value)}"


COMMANDS = {"expressions": _expressions}


@pytest.mark.parametrize("path", golden_files("analyze_postgresql"), ids=file_id)
def test_analyze_postgresql(path: Path, rewrite: bool) -> None:
    run_golden(path, COMMANDS, rewrite=rewrite)
