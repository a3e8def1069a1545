"""The shapes of a query that docs/architecture/sql-pipeline.md shows are those the engine makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from spanemu.sql.executor import codegen
from spanemu.sql.executor.build import compile_plan
from spanemu.sql.googlesql.syntax.statement import parse_statement
from tests.golden import resolved_tree, syntax_tree
from tests.golden.plan_text import plan_text
from tests.unit.sql.world import analyzed, planned

PAGE = Path(__file__).parents[2] / "docs" / "architecture" / "sql-pipeline.md"
SHAPE = re.compile(r"(<!-- shape: (\w+) -->\n```\w+\n)(.*?)(```\n)", re.DOTALL)


def generated(query: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the texts of the functions that the executor generates for a query."""
    texts: list[str] = []
    code_of = codegen._code

    def record(text: str) -> object:
        texts.append(text)
        return code_of(text)

    monkeypatch.setattr(codegen, "_code", record)
    compile_plan(planned(query))
    return "\n".join(texts)


def test_the_page_shows_the_stages_of_the_engine(
    monkeypatch: pytest.MonkeyPatch, rewrite: bool
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    query = next(match[3] for match in SHAPE.finditer(page) if match[2] == "text")
    shapes: dict[str, Callable[[], str]] = {
        "text": lambda: query.rstrip("\n"),
        "ast": lambda: syntax_tree.draw(parse_statement(query)),
        "resolved": lambda: resolved_tree.draw(analyzed(query)),
        "plan": lambda: plan_text(planned(query)),
        "functions": lambda: generated(query, monkeypatch),
    }
    printed = SHAPE.sub(lambda match: f"{match[1]}{shapes[match[2]]()}\n{match[4]}", page)
    if rewrite:
        PAGE.write_text(printed, encoding="utf-8")
    assert printed == PAGE.read_text(encoding="utf-8")
    assert {match[2] for match in SHAPE.finditer(page)} == shapes.keys()
