"""A walk notices what would stop a reader."""

from __future__ import annotations

import subprocess

import pytest

from tests.pages.blocks import blocks
from tests.pages.environments import NOT_HERE, create, pip
from tests.pages.walkthrough import FOR_REAL, Walkthrough, own_network

follows = pytest.mark.skipif(
    not FOR_REAL and own_network() is None, reason="no network of its own here (unshare)"
)


@pytest.fixture
def follow(tmp_path):
    walk = Walkthrough(tmp_path)

    def follow(text, **options):
        page = tmp_path / "page.md"
        page.write_text(text)
        return walk.follow(blocks(page), **options)

    return follow


@follows
def test_files_are_saved_and_commands_typed_in_one_terminal(follow):
    printed = follow(
        "# Page\n```sql\n-- db/schema.sql\nSELECT 1;\n```\n"
        "```sh\ncd db && export NAME=schema.sql\ncat \\\n  $NAME\n```\n"
    )
    assert printed.endswith("-- db/schema.sql\nSELECT 1;\n")


@follows
@pytest.mark.parametrize("command", ["false", "false && true", "unknown-command"])
def test_a_command_that_fails_ends_the_walk(follow, command):
    with pytest.raises(AssertionError, match=r"page\.md:1: exit code (1|127)"):
        follow(f"```sh\n{command}\necho and so on\n```\n")


@follows
def test_a_line_that_is_shown_must_be_printed(follow):
    follow("```console\n$ echo one\none\n```\n")
    with pytest.raises(AssertionError, match=r"not printed: \['two'\]"):
        follow("```console\n$ echo one\ntwo\n```\n")


def test_a_block_is_a_file_or_commands_or_named_as_shown(follow):
    with pytest.raises(AssertionError, match=r"page\.md:1: is this a file"):
        follow("```python\nprint()\n```\n")
    with pytest.raises(AssertionError, match="no block begins like this"):
        follow("```python\nprint()\n```\n", shown={"print(": "a part", "gone": "a part"})


def test_an_environment_has_only_the_requested_packages(tmp_path):
    environment = create(tmp_path / "env")
    assert pip(str(environment), ["install", "-q", "pytest"]) == 0

    def has(module):
        command = [environment / "bin" / "python", "-c", f"import {module}"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    assert has("pluggy")  # which pytest requires
    assert not has("hypothesis")
    assert (environment / "bin" / "pytest").exists()


def test_a_package_that_is_not_installed_here_is_not_a_failure(tmp_path, capsys):
    environment = create(tmp_path / "env")
    assert pip(str(environment), ["install", "no-such-package-anywhere"]) == NOT_HERE
    assert "no-such-package-anywhere: not installed here" in capsys.readouterr().err
