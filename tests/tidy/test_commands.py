"""The README's two commands are the ones that CI runs and that the command line offers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def shell_blocks(text: str) -> list[str]:
    return [block.strip() for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)]


@pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="an sdist has no dot-folders")
def test_ci_runs_the_readme_test_command() -> None:
    _, _, section = (ROOT / "README.md").read_text().partition("## Test it\n")
    (command,) = shell_blocks(section)
    assert command in (ROOT / ".ci" / "run").read_text()


def test_readme_shows_how_to_serve() -> None:
    commands = shell_blocks((ROOT / "README.md").read_text())
    assert any(command.endswith("spanemu serve") for command in commands)
