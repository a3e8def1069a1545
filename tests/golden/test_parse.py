"""Golden tests of the parser."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu.base.errors import SpannerError
from spanemu.sql.googlesql.syntax.ddl.statement import parse_ddl, split_statements
from spanemu.sql.googlesql.syntax.lexer import tokenize
from spanemu.sql.googlesql.syntax.statement import parse_expression, parse_query, parse_statement
from tests.golden.runner import Case, describe_failure, file_id, golden_files, run_golden
from tests.golden.syntax_tree import draw, one_line


def _shapes(case: Case) -> str:
    """Evaluate one expression a line."""
    return "\n".join(_shape(line) for line in case.input.splitlines())


def _shape(line: str) -> str:
    try:
        return one_line(parse_expression(line))
    except SpannerError as failure:
        return describe_failure(failure)


def _failures(case: Case) -> str:
    """Run one statement a line, each of which must fail."""
    return "\n".join(_failure(line) for line in case.input.splitlines())


def _failure(line: str) -> str:
    try:
        parse_statement(line)
    except SpannerError as failure:
        return describe_failure(failure)
    return "parsed"


COMMANDS = {
    "ddl": lambda case: draw(parse_ddl(case.input)),
    "expressions": _shapes,
    "failures": _failures,
    "query": lambda case: draw(parse_query(case.input)),
    "split": lambda case: "\n".join(f"{at}: {text!r}" for text, at in split_statements(case.input)),
    "statement": lambda case: draw(parse_statement(case.input)),
    "tokens": lambda case: "\n".join(
        f"{token.at} {token.kind} {token.text}".rstrip() for token in tokenize(case.input)
    ),
}


@pytest.mark.parametrize("path", golden_files("parse"), ids=file_id)
def test_parse(path: Path, rewrite: bool) -> None:
    run_golden(path, COMMANDS, rewrite=rewrite)
