"""The catalogue of constraints: who breaks one is told which, by code and by name.

    anew       statements in an empty database, and rows to begin with (INSERT)
    commit     one commit a line: `insert T (A, B) (1, 2); delete T 1`
    dml        one statement a line, each in a transaction of its own
    ddl        one schema change a line
    says       like `dml` or, for lines that begin as mutations do, `commit`; prints the sentence

What fails has changed nothing: every command looks at the whole database before and after.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from spanemu.base.clock import ManualClock
from spanemu.base.errors import SpannerError
from spanemu.base.rand import Randomness
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    Begin,
    CommitOptions,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.sql.googlesql.syntax.ddl.statement import split_statements
from spanemu.values.mutation import Delete, Mutation, RawKeySet, RawRange, Write, WriteKind
from tests.golden.runner import Case, Command, describe_failure, file_id, golden_files, run_golden

_WRITE = re.compile(r"(insert_or_update|insert|update|replace) (\w+) \((.*?)\) \((.*)\)")
_DELETE = re.compile(r"delete (\w+) (.+)")
_RANGE = re.compile(r"(\S+)\.\.(\S+)")

Say = Callable[[SpannerError], str]


class World:
    """A database that the commands of one file work on."""

    def __init__(self) -> None:
        environment = Environment(ManualClock(10**18), Randomness(1))
        self.database = Database.create(
            "projects/p/instances/i/databases/d", environment, GOOGLE_STANDARD_SQL
        )
        self.session = self.database.sessions.create({})

    def commands(self) -> Mapping[str, Command]:
        return {
            "anew": self.anew,
            "commit": lambda case: self._lines(case, self._commit),
            "ddl": lambda case: self._lines(case, self._ddl),
            "dml": lambda case: self._lines(case, self._dml),
            "says": lambda case: self._lines(case, self._either, str),
        }

    def anew(self, case: Case) -> str:
        """Return an empty database, with these statements run in it."""
        self.__init__()  # type: ignore[misc]  # A file may tell several stories.
        for text, _ in split_statements(case.input):
            (self._dml if text.startswith("INSERT") else self._ddl)(text)
        return "ok"

    def _lines(self, case: Case, run: Callable[[str], str], say: Say = describe_failure) -> str:
        return "\n".join(self._outcome(line, run, say) for line in case.input.splitlines())

    def _outcome(self, line: str, run: Callable[[str], str], say: Say) -> str:
        before = self._state()
        try:
            return run(line)
        except SpannerError as failure:
            assert self._state() == before, f"{line} failed and left something behind"
            return say(failure)

    def _state(self) -> Any:
        return self.database.physical_layout(), self.database.ddl()

    # ------------------------------------------------------------------ one line

    def _commit(self, line: str) -> str:
        mutations = [_mutation(text) for text in line.split("; ")]
        self.session.commit(SingleUse(ReadWriteOptions()), mutations, CommitOptions())
        return "ok"

    def _dml(self, line: str) -> str:
        stream = self.session.execute(StatementRequest(line, seqno=1), Begin(ReadWriteOptions()))
        transaction = self.session.transactions.get(stream.transaction.id)
        transaction.commit((), CommitOptions())
        count = stream.stats.row_count
        return f"{count} row" if count == 1 else f"{count} rows"

    def _ddl(self, line: str) -> str:
        outcome = self.database.apply_ddl([line])
        if outcome.failure is not None:
            raise outcome.failure
        return "ok"

    def _either(self, line: str) -> str:
        mutates = _WRITE.match(line) or _DELETE.match(line)
        return self._commit(line) if mutates else self._dml(line)


def _mutation(text: str) -> Mutation:
    if gone := _DELETE.fullmatch(text):
        return Delete(gone[1], _keys(gone[2]))
    result = _WRITE.fullmatch(text)
    assert result, text
    kind, table, columns, values = result.groups()
    rows = [list(map(_cell, _parts(row))) for row in values.split(") (")]
    return Write(WriteKind(kind), table, tuple(_parts(columns)), rows)


def _keys(text: str) -> RawKeySet:
    if text == "all":
        return RawKeySet(all=True)
    if found := _RANGE.fullmatch(text):
        return RawKeySet(ranges=[RawRange([found[1]], True, [found[2]], True)])
    return RawKeySet(keys=[list(map(_cell, _parts(text)))])


def _parts(text: str) -> Iterator[str]:
    return (part.strip() for part in text.split(",") if part.strip())


def _cell(text: str) -> Any:
    if text == "NULL":
        return None
    if found := re.fullmatch(r"(\w)\*(\d+)", text):  # x*5 is xxxxx
        return found[1] * int(found[2])
    return {"true": True, "false": False}.get(text, text)


@pytest.mark.parametrize("path", golden_files("constraints"), ids=file_id)
def test_catalogue(path: Path, rewrite: bool) -> None:
    run_golden(path, World().commands(), rewrite=rewrite)
