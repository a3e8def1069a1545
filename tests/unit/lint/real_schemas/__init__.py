"""Findings of the default rules in schemas of public projects, judged one by one.

`origins.csv` lists the schemas: repository, files, commit and licence. `findings.csv` has a line
for each finding in them with the judgement of a reader who did not write the rule (SPN222 and
SPN405 were judged by their author):

    agree     a Spanner engineer would want to see the finding in a review
    noise     true or not, nobody would act on the finding
    harmful   the fix would lose rows, a constraint, or the service of a query

and with what the fix may drop, so that a fix that drops more is judged again. A judgement stays
when the rule no longer reports the finding. The files themselves
are not here. Each `.sql` file restates, in words of this project, the declarations on which the
findings in one schema rest: keys, indexes and references, under their names. A schema without
findings has no such file. Where the variable SPANEMU_TEST_SCHEMAS names a folder with checkouts
(`owner/name/...` at the listed commits), the test lints the files themselves as well.
"""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from spanemu import lint

FOLDER = Path(__file__).parent
CHECKOUTS = os.environ.get("SPANEMU_TEST_SCHEMAS", "")
VERDICTS = ("agree", "noise", "harmful")


@dataclass(frozen=True)
class Origin:
    """A schema of a public project; `files` are its files in the order of their execution."""

    schema: str
    repository: str
    files: tuple[str, ...]
    commit: str
    licence: str
    dialect: str

    @property
    def restated(self) -> Path:
        """The file with the declarations on which findings rest; it may not exist."""
        return FOLDER / f"{self.schema}.sql"

    @property
    def originals(self) -> list[Path]:
        """The schema's own files, where they are checked out."""
        return [Path(CHECKOUTS, self.repository, file) for file in self.files]


class Subject(NamedTuple):
    """The object of a finding; names in lower case."""

    schema: str
    rule: str
    object: str
    column: str


@dataclass(frozen=True)
class Judgement:
    """A verdict on a finding, and the kinds of objects that its fix may drop."""

    verdict: str
    drops: frozenset[str]
    why: str


def _lines(name: str) -> list[list[str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


ORIGINS = [
    Origin(schema, repository, tuple(files.split()), commit, licence, dialect)
    for schema, repository, files, commit, licence, dialect in _lines("origins.csv")
]
JUDGED = {
    Subject(schema, rule, object_.lower(), column.lower()): Judgement(
        verdict, frozenset(drops.split()), why
    )
    for schema, rule, object_, column, verdict, drops, why in _lines("findings.csv")
}


def findings(origin: Origin, paths: list[Path]) -> dict[Subject, lint.Finding]:
    """Return the findings of the default rules in files that form a schema."""
    report = lint.run(paths, lint.Settings(dialect=origin.dialect))
    return {
        Subject(origin.schema, each.id, each.object.lower(), (each.column or "").lower()): each
        for each in report
    }


def dropped_by(fix: str) -> frozenset[str]:
    """Return the kinds of objects that the statements of a fix drop, in lower case."""
    return frozenset(kind.lower() for kind in re.findall(r"\bDROP (\w+)", fix))
