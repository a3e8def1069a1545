"""Runs golden files: commands with their input and the output they must print.

    # What this file claims.

    command argument name=value
    input, any number of lines
    ----
    output, up to a blank line

Output that holds blank lines stands between doubled lines of dashes. Lines that begin with `#`
before a command are comments. An area's test hands over one function per command:

    @pytest.mark.parametrize("path", golden_files("parse"), ids=file_id)
    def test_parse(path: Path, rewrite: bool) -> None:
        run_golden(path, {"query": draw_query}, rewrite=rewrite)

A function that raises a `SpannerError` prints its code, type and facts, never its prose. With
`--rewrite` the files take over what was printed; review the difference before it is committed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from spanemu.base.errors import SpannerError

HERE = Path(__file__).parent
_DASHES = "----"
_FACT_LENGTH_MAX = 60


@dataclass(frozen=True)
class Case:
    """One command of a golden file. `line` is the command as written, with its arguments."""

    line: str
    input: str
    output: str
    number: int

    @property
    def command(self) -> str:
        """The first word of the line."""
        return self.line.split(maxsplit=1)[0]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words after the command that are not `name=value`."""
        return tuple(word for word in self.line.split()[1:] if "=" not in word)

    @property
    def settings(self) -> Mapping[str, str]:
        """The `name=value` words after the command."""
        words = (word.partition("=") for word in self.line.split()[1:] if "=" in word)
        return {name: value for name, _, value in words}


Command = Callable[[Case], str]


def golden_files(area: str) -> list[Path]:
    """Return the golden files of one directory below this one."""
    found = sorted((HERE / area).glob("*.golden"))
    assert found, f"no golden files in {HERE / area}"
    return found


def file_id(path: Path) -> str:
    """Return a name for a parametrized test."""
    return path.stem


def run_golden(path: Path, commands: Mapping[str, Command], *, rewrite: bool) -> None:
    """Run every command of a file in order, and compare or rewrite what it prints."""
    text = path.read_text(encoding="utf-8")
    printed = "".join(
        piece if isinstance(piece, str) else _written(piece, _run(piece, commands))
        for piece in parse_golden(text)
    )
    if printed == text:
        return
    if rewrite:
        path.write_text(printed, encoding="utf-8")
        return
    difference = difflib.unified_diff(
        text.splitlines(), printed.splitlines(), f"{path.name} as reviewed", "as printed", n=4
    )
    raise AssertionError("\n".join(["output differs; --rewrite takes it over", *difference]))


def describe_failure(failure: SpannerError) -> str:
    """Return `CODE TypeName fact=value ...`; long facts are cut."""
    words = [f"{name}={_short(value)}" for name, value in failure.facts().items()]
    return " ".join([failure.code.name, type(failure).__name__, *words])


def parse_golden(text: str) -> Iterator[str | Case]:
    """Yield the pieces of a golden file: cases, and what stands between them."""
    lines = text.splitlines(keepends=True)
    position = 0
    while position < len(lines):
        line = lines[position]
        if not line.strip() or line.startswith("#"):
            yield line
            position += 1
            continue
        case, position = _case(lines, position)
        yield case


def _case(lines: list[str], start: int) -> tuple[Case, int]:
    position = start + 1
    while lines[position].rstrip("\n") != _DASHES:
        position += 1
    given = "".join(lines[start + 1 : position])
    position += 1
    doubled = position < len(lines) and lines[position].rstrip("\n") == _DASHES
    first = position + 1 if doubled else position
    position = first
    end = _DASHES if doubled else ""
    while position < len(lines) and lines[position].rstrip("\n") != end:
        position += 1
    output = "".join(lines[first:position])
    after = position + 2 if doubled else position
    return Case(lines[start].rstrip("\n"), given.rstrip("\n"), output, start + 1), after


def _run(case: Case, commands: Mapping[str, Command]) -> str:
    command = commands.get(case.command) or commands.get("*")
    assert command, f"line {case.number}: no command {case.command!r} in {sorted(commands)}"
    try:
        return command(case)
    except SpannerError as failure:
        return describe_failure(failure)


def _written(case: Case, output: str) -> str:
    given = f"{case.input}\n" if case.input else ""
    body = output.rstrip("\n")
    blank = any(not line.strip() for line in body.split("\n")) and body != ""
    dashes = f"{_DASHES}\n{_DASHES}\n" if blank else f"{_DASHES}\n"
    close = f"{_DASHES}\n{_DASHES}\n" if blank else ""
    return (
        f"{case.line}\n{given}{dashes}{body}\n{close}" if body else f"{case.line}\n{given}{dashes}"
    )


def _short(fact: object) -> str:
    text = str(fact).replace("\n", " ")
    return text if len(text) <= _FACT_LENGTH_MAX else text[: _FACT_LENGTH_MAX - 3] + "..."
