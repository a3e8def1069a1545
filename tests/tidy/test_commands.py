"""The README is short, and its commands are those of CI and of the command line."""

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


def test_the_readme_fits_two_screens() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110
