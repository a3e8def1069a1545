"""Unknown commands."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from spanemu.cli import main


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [(["lnit"], "lint"), (["ddl", "aply"], "apply"), (["start"], None), (["ddl", "zzz"], None)],
)
def test_an_unknown_command_has_one_suggestion_or_none(
    arguments: list[str], suggestion: str | None
) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert f"No such command {arguments[-1]!r}." in result.stderr
    said = result.stderr.partition("Did you mean ")[2].strip()
    assert said == ("" if suggestion is None else f"{suggestion!r}?")
