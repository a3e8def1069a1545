"""Golden tests of plans, over the schema of `tests.unit.sql.world` with no rows counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu.sql.plan.operator_display import explain
from tests.golden.plan_text import plan_text
from tests.golden.runner import Case, file_id, golden_files, run_golden
from tests.unit.sql.world import planned

COMMANDS = {
    "plan": lambda case: plan_text(_planned(case)),
    "explain": lambda case: "\n".join(explain(_planned(case)).lines()),
}


def _planned(case: Case) -> object:
    return planned(case.input)


@pytest.mark.parametrize("path", golden_files("plan"), ids=file_id)
def test_plan(path: Path, rewrite: bool) -> None:
    run_golden(path, COMMANDS, rewrite=rewrite)
