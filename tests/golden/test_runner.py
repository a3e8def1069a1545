"""The golden runner itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from spanemu.base.errors import Code, SpannerError
from tests.golden.runner import Case, parse_golden, run_golden


@dataclass(eq=False)
class Broken(SpannerError):
    """A failure with one fact."""

    code = Code.NOT_FOUND
    prose = "{thing} is broken"
    thing: str


def fail(case: Case) -> str:
    raise Broken(case.input)


COMMANDS = {"echo": lambda case: case.input, "line": lambda case: case.line, "fail": fail}
TEXT = """\
# A claim.

echo
a
----
a

echo
a

b
----
----
a

b
----
----

# Another.
line x y=1
----
line x y=1

fail
thing
----
NOT_FOUND Broken thing=thing
"""


def test_a_file_that_agrees_passes(tmp_path: Path) -> None:
    path = tmp_path / "x.golden"
    path.write_text(TEXT)
    run_golden(path, COMMANDS, rewrite=False)


def test_a_difference_fails_unless_it_is_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "x.golden"
    path.write_text("echo\na\n----\nb\n\necho\n\n----\n")
    with pytest.raises(AssertionError, match=r"(?s)-b.*\+a"):
        run_golden(path, COMMANDS, rewrite=False)
    run_golden(path, COMMANDS, rewrite=True)
    assert path.read_text() == "echo\na\n----\na\n\necho\n----\n"
    run_golden(path, COMMANDS, rewrite=False)


def test_rewriting_is_stable(tmp_path: Path) -> None:
    path = tmp_path / "x.golden"
    path.write_text(TEXT.replace("----\na\n\n", "----\nold\n\n").replace("line x y=1\n\n", "\n"))
    run_golden(path, COMMANDS, rewrite=True)
    assert path.read_text() == TEXT


def test_words_of_a_command() -> None:
    (case,) = [
        piece for piece in parse_golden("plan t x=1 u y=a=b\n----\n") if isinstance(piece, Case)
    ]
    assert case.command == "plan"
    assert case.arguments == ("t", "u")
    assert case.settings == {"x": "1", "y": "a=b"}


def test_an_unknown_command_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.golden"
    path.write_text("nonsense\n----\n")
    with pytest.raises(AssertionError, match="nonsense"):
        run_golden(path, COMMANDS, rewrite=False)
