"""What a version has written: a folder of this package, named after the version."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.unit.interchange.all_types import ROWS, SCHEMAS

HERE = Path(__file__).parent
DATA_DIR = "data"  # of an emulator with the databases DATABASES and the backup BACKUP
DUMPS: Mapping[str, str] = {"sql": "dump.sql", "jsonl": "jsonl", "csv": "csv", "avro": "avro"}
BASELINE = "baseline.json"  # of `spanemu lint` of the schema HOT
COUNTS = "counts.json"  # of `pytest --spanner-save`
VALIDATED = "validated.json"  # the tests that have passed on a real Spanner
TEMPLATES = "templates"  # the cache of templates
EXPECTED = "expected.json"  # what the queries of DATABASES answer
TEMPLATE_KEY = "kept"

START = datetime(2026, 1, 31, tzinfo=UTC)  # by the clock of the emulator
DATABASES = {"google": "googlesql", "postgres": "postgresql"}
BACKUP = "copy"
HOT = "CREATE TABLE Events (Made TIMESTAMP NOT NULL, Text STRING(MAX)) PRIMARY KEY (Made);\n"
QUERIES: Mapping[str, tuple[str, ...]] = {
    "google": (
        "SELECT TO_JSON_STRING(TO_JSON(e)) FROM Everything AS e ORDER BY e.Id",
        "SELECT TO_JSON_STRING(TO_JSON(c)) FROM Child AS c ORDER BY c.Id, c.C",
    ),
    "postgres": (
        "SELECT id, b::text, f4::text, f8::text, n::text, s, v, d::text, t::text, j::text, "
        'u::text, g, ref FROM "Every ""thing" ORDER BY id',
        "SELECT id, c FROM child ORDER BY id, c",
    ),
}
FACTS = {"test_shop.py::test_it": {"commits": 1, "queries": 3}}
PASSED = {"test_shop.py::test_it": {"date": "2026-01-31", "target": "omni", "version": "0.1.0"}}


def versions() -> list[Path]:
    """Return the folders of all versions, by name."""
    return sorted(path.parent for path in HERE.glob(f"*/{EXPECTED}"))


def fill(emulator: Any, name: str, dialect: str) -> None:
    """Create a database with rows of every type."""
    database = emulator.create_database(name, SCHEMAS[dialect], dialect=dialect)
    for statement in ROWS[dialect]:
        database.client().run_in_transaction(lambda each, sql=statement: each.execute_update(sql))


def answers(emulator: Any, name: str, database_id: str | None = None) -> list[list[list[Any]]]:
    """Return what the queries of a database answer, as JSON has it."""
    with emulator.database(database_id or name).client().snapshot(multi_use=True) as snapshot:
        return [[list(row) for row in snapshot.execute_sql(sql)] for sql in QUERIES[name]]
