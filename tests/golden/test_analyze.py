"""Golden tests of the analyzer."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu.base.errors import SpannerError
from spanemu.values.types import SCALARS
from tests.golden.resolved_tree import draw
from tests.golden.runner import Case, describe_failure, file_id, golden_files, run_golden
from tests.unit.sql.googlesql.analyzer.shop import analyzed


def _tree(case: Case) -> str:
    """Return the resolved tree; `name=TYPE` declares a parameter."""
    declared = {name: SCALARS[word] for name, word in case.settings.items()}
    return draw(analyzed(case.input, **declared))


def _failures(case: Case) -> str:
    """Run one statement a line, each of which must fail."""
    return "\n".join(_failure(line) for line in case.input.splitlines())


def _failure(line: str) -> str:
    try:
        analyzed(line)
    except SpannerError as failure:
        return f"{describe_failure(failure)} | {failure}"
    return "analyzed"


COMMANDS = {"tree": _tree, "failures": _failures}


@pytest.mark.parametrize("path", golden_files("analyze"), ids=file_id)
def test_analyze(path: Path, rewrite: bool) -> None:
    run_golden(path, COMMANDS, rewrite=rewrite)
