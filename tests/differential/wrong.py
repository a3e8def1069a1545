"""Wrong statements, each with the code and the place of the failure that both engines agree on.

One JSON object a line in `wrong.jsonl`. `python -m tests.differential --write-wrong FILE` adds the
statements of a file, one a line, where they agree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.differential.outcome import NO_ANSWER, SECONDS_MAX
from tests.differential.statements import Statement
from tests.differential.targets import Target
from tests.differential.tree import Piece

PATH = Path(__file__).with_name("wrong.jsonl")


@dataclass(frozen=True)
class Wrong:
    """A statement that fails, and how."""

    sql: str
    code: str
    place: str  # "line:column" of the message; "" if it names none

    @property
    def statement(self) -> Statement:
        return Statement(Piece("mistake", (self.sql,)))


def read() -> list[Wrong]:
    """Return the stored statements."""
    return [Wrong(**json.loads(line)) for line in PATH.read_text(encoding="utf-8").splitlines()]


def add(ours: Target, theirs: Target, statements: Iterable[str]) -> int:
    """Store what fails alike in both engines beside what is stored; the number of all."""
    result = {one.sql: one for one in read()} if PATH.exists() else {}
    for sql in statements:
        statement = Wrong(sql, "", "").statement
        mine, other = (each.ask(statement, SECONDS_MAX) for each in (ours, theirs))
        alike = (mine.code, mine.place) == (other.code, other.place)
        if alike and mine.code not in (*NO_ANSWER, "OK"):
            result[sql] = Wrong(sql, mine.code, mine.place)
    lines = [json.dumps(vars(one), ensure_ascii=False) for one in result.values()]
    PATH.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)
