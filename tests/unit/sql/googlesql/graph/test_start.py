"""A database pays for graph queries when it sends one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCHEMA = Path(__file__).parents[5] / "fixtures" / "transfers.sql"


def test_no_statement_without_a_graph_imports_the_package() -> None:
    code = f"""
import spanemu
from tests.loaded import modules_that_ran
with spanemu.Emulator() as emulator:
    database = emulator.create_database("graphs", schema=open({str(SCHEMA)!r}).read()).client()
    with database.batch() as batch:
        batch.insert("Account", ("AccountId",), [(1,)])
    with database.snapshot() as snapshot:
        query = "SELECT AccountId FROM Account WHERE EXISTS(SELECT 1) AND AccountId IN (1, 2)"
        assert list(snapshot.execute_sql(query)) == [[1]]
    print(*(name for name in modules_that_ran() if name.startswith("spanemu.sql.googlesql.graph")))
    print("then")
    with database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("GRAPH Transfers MATCH (a:Account) RETURN a.AccountId"))
    print("spanemu.sql.googlesql.graph.syntax.queries" in modules_that_ran())
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["then", "True"]
