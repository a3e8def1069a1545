"""A template of many Alembic revisions: built from nothing, from pytest's cache, and after a change.

Half of the revisions create a table, the others an index or a column. Each figure is processor time
of the template's build in a process of its own, without what Alembic takes in any case: its import,
and loading the revisions. `SPANEMU_BENCHMARK_REVISIONS` sets another number of revisions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
REVISIONS = 600
RUNS_MAX = 5

CONFTEST = """
import json
import os
from time import process_time

import alembic.command, alembic.config, alembic.runtime.environment
import sqlalchemy
from alembic.script import ScriptDirectory
from google.cloud.sqlalchemy_spanner import sqlalchemy_spanner

from pytest_spanemu.databases.templates import Templates

build = Templates._build_schema

def measured(*args):
    began = process_time()
    build(*args)
    whole = process_time() - began
    began = process_time()
    list(ScriptDirectory.from_config(alembic.config.Config("alembic.ini")).walk_revisions())
    loading = process_time() - began
    with open(os.environ["REVISIONS_OUT"], "w") as file:
        json.dump({"build": whole, "loading": loading}, file)

Templates._build_schema = measured
"""
ENVIRONMENT = """
from alembic import context
from alembic.ddl.impl import DefaultImpl
from sqlalchemy import create_engine, pool

class SpannerImpl(DefaultImpl):
    __dialect__ = "spanner+spanner"

url = context.config.get_main_option("sqlalchemy.url")
engine = create_engine(url, poolclass=pool.NullPool, isolation_level="AUTOCOMMIT")
with engine.connect() as connection:
    context.configure(connection=connection, version_table_pk=False)
    with context.begin_transaction():
        context.run_migrations()
engine.dispose()
"""
REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "r{number:04}"
down_revision = {before!r}


def upgrade():
    {body}
"""
TABLE = """op.create_table("t{number}", sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("status", sa.String(9), nullable=False))"""
CHANGES = (
    'op.create_index("{name}{number}", "t{earlier}", ["status"])',
    'op.add_column("t{earlier}", sa.Column("{name}", sa.String(20)))',
)


def write_project(directory: Path, revisions: int) -> None:
    """Write the suite and its revisions."""
    (directory / "migrations" / "versions").mkdir(parents=True)
    (directory / "migrations" / "env.py").write_text(ENVIRONMENT)
    (directory / "alembic.ini").write_text(
        "[alembic]\nscript_location = %(here)s/migrations\npath_separator = os\n"
    )
    (directory / "pytest.ini").write_text("[pytest]\nspanner_schema = alembic:alembic.ini\n")
    (directory / "conftest.py").write_text(CONFTEST)
    (directory / "test_suite.py").write_text("def test_it(spanner_database): pass\n")
    for number in range(1, revisions + 1):
        write_revision(directory, number)


def write_revision(directory: Path, number: int, name: str = "more") -> None:
    """Write a revision. `name` is that of the column or index which an even revision adds."""
    body = TABLE if number % 2 else CHANGES[number // 2 % 2]
    text = REVISION.format(
        number=number,
        before=f"r{number - 1:04}" if number > 1 else None,
        body=body.format(number=number, earlier=number - 1, name=name),
    )
    (directory / "migrations" / "versions" / f"r{number:04}.py").write_text(text)


def run(directory: Path) -> float:
    """Run the suite; return the processor seconds of the build beyond those of Alembic."""
    out = directory / "out.json"
    paths = [str(ROOT), *filter(None, sys.path)]
    environ = os.environ | {"REVISIONS_OUT": str(out), "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "no:faker"]
    subprocess.run(command, cwd=directory, env=environ, check=True, stdout=subprocess.DEVNULL)
    seconds: dict[str, float] = json.loads(out.read_text())
    return seconds["build"] - seconds["loading"]


def main(rounds: int = 20) -> None:
    """Measure a run from nothing, and up to five runs after each kind of change."""
    revisions = int(os.environ.get("SPANEMU_BENCHMARK_REVISIONS", REVISIONS)) // 2 * 2
    runs = max(1, min(RUNS_MAX, rounds // 4))
    with tempfile.TemporaryDirectory() as location:
        directory = Path(location)
        write_project(directory, revisions)
        first = run(directory)
        last = []
        for number in range(runs):
            write_revision(directory, revisions, f"other{number}")
            last.append(run(directory))
        several = []
        for number in range(runs):
            write_revision(directory, revisions - 4, f"earlier{number}")
            several.append(run(directory))
    table = Table(title=f"{revisions} Alembic revisions: processor time of a template's build, s")
    for column in ("what", "measured", "goal"):
        table.add_column(column, justify="left" if column == "what" else "right")
    table.add_row("from nothing", f"{first:.2f}", "")
    table.add_row("after a change of the last revision", f"{median(last):.2f}", "< 0.5")
    table.add_row("after a change of the fifth from the end", f"{median(several):.2f}", "")
    Console().print(table)
