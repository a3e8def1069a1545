"""Where rows lie: goldens of the physical layout."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from spanemu.base.clock import ManualClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.errors import SplitInsideHierarchy
from spanemu.database.options import CommitOptions, ReadWriteOptions, SingleUse
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.sql.googlesql.syntax.ddl.statement import split_statements
from spanemu.storage.split_settings import SplitPolicy
from spanemu.txn.errors import ParentInsertedLater
from spanemu.values.mutation import Write, WriteKind
from tests.golden.runner import Case, Command, file_id, golden_files, run_golden

FIXTURES = Path(__file__).parents[2] / "fixtures"


class World:
    """A database that the commands of one file work on."""

    def __init__(self) -> None:
        self.database = Database.create(
            "projects/p/instances/i/databases/d", Environment(ManualClock()), GOOGLE_STANDARD_SQL
        )
        self.session = self.database.sessions.create({})

    def commands(self) -> Mapping[str, Command]:
        return {
            "ddl": self.ddl,
            "load": self.load,
            "cut": self.cut,
            "configure": self.configure,
            "layout": self.layout,
        }

    def ddl(self, case: Case) -> str:
        outcome = self.database.apply_ddl([text for text, _ in split_statements(case.input)])
        assert outcome.failure is None
        return "ok"

    def load(self, case: Case) -> str:
        """Return rows of a fixture, tables in the order given, in one commit."""
        source, *tables = case.arguments
        rows = json.loads((FIXTURES / source).read_text())
        writes = [
            Write(WriteKind.INSERT, table, tuple(rows[table]["columns"]), rows[table]["rows"])
            for table in tables
        ]
        try:
            self.session.commit(SingleUse(ReadWriteOptions()), writes, CommitOptions())
        except ParentInsertedLater:
            return "parents first"
        return "ok"

    def cut(self, case: Case) -> str:
        """Put a boundary before the row of that table and key."""
        name, *key = case.arguments
        try:
            self.database.split_at(name, key)
        except SplitInsideHierarchy as refusal:
            return f"inside a family of {refusal.root}"
        return "ok"

    def configure(self, case: Case) -> str:
        """Set the splits up, by pairs such as `servers 5`."""
        given = dict(zip(case.arguments[::2], case.arguments[1::2], strict=True))
        policy = SplitPolicy(given.pop("policy", SplitPolicy.ROOT_ONLY))
        numbers = {name: int(number) for name, number in given.items()}
        self.database.splitting.configure(policy=policy, **numbers)
        return "ok"

    def layout(self, case: Case) -> str:
        """Return rows and boundaries; with the argument `servers`, also the servers they are on."""
        return self.database.physical_layout(servers=bool(case.arguments))


@pytest.mark.parametrize("path", golden_files("storage"), ids=file_id)
def test_layout(path: Path, rewrite: bool) -> None:
    run_golden(path, World().commands(), rewrite=rewrite)
