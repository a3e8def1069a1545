"""Schemas of many tables: applied in one batch, dropped in another, beside the official emulator."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

import spanemu
from tests.benchmarks.targets import client_at, free_port, process
from tests.installed import official_binary

MANY, FEW, HUGE = 400, 20, 5_000


def schema(name: str, tables: int) -> list[str]:
    """Return tables with an index each, and a foreign key for every other one.

    `name` begins the names of all: a batch that has been applied before would be remembered.
    """
    return [
        *create_tables(name, tables),
        *(f"CREATE INDEX {name}By{n} ON {name}{n}(V)" for n in range(tables)),
        *(
            f"ALTER TABLE {name}{n} ADD CONSTRAINT {name}Fk{n} FOREIGN KEY (Ref) "
            f"REFERENCES {name}{n - 1} (Id)"
            for n in range(1, tables, 2)
        ),
    ]


def create_tables(name: str, tables: int) -> list[str]:
    """Return the tables alone."""
    return [
        f"CREATE TABLE {name}{n} (Id INT64 NOT NULL, V STRING(MAX), Ref INT64, Ts TIMESTAMP) "
        "PRIMARY KEY (Id)"
        for n in range(tables)
    ]


def dropping(name: str, tables: int) -> list[str]:
    """Return what takes them all away again."""
    return [
        *(f"ALTER TABLE {name}{n} DROP CONSTRAINT {name}Fk{n}" for n in range(1, tables, 2)),
        *(f"DROP INDEX {name}By{n}" for n in range(tables)),
        *(f"DROP TABLE {name}{n}" for n in range(tables)),
    ]


def main(rounds: int = 20) -> None:
    """Print seconds, and what a statement costs among many tables against few."""
    figures = Table(title="Schema changes through the official client")
    for title in ("work", "official", "embedded", "goal"):
        figures.add_column(title, justify="left" if title == "work" else "right")
    repeats = max(3, rounds // 4)
    with spanemu.Emulator() as emulator:
        client = emulator.client()
        applied, dropped = _best(client, MANY, repeats)
        few_applied, few_dropped = _best(client, FEW, repeats)
        huge = _timed(_database(client, "huge"), create_tables("huge", HUGE))
    official_applied, official_dropped = _official()
    objects = f"{MANY} tables, {MANY} indexes, {MANY // 2} foreign keys"
    figures.add_row(f"{objects}: applied", official_applied, f"{applied:.2f} s", "1.5 s")
    figures.add_row("dropped", official_dropped, f"{dropped:.2f} s", "0.5 s")
    few = MANY // FEW
    ratio = f"{applied / few_applied / few:.2f}"
    figures.add_row(f"a statement among {MANY} tables, against {FEW}: applied", "", ratio, "1.5")
    figures.add_row("dropped", "", f"{dropped / few_dropped / few:.2f}", "1.5")
    figures.add_row(f"{HUGE:,} tables", "", f"{huge:.1f} s", "")
    Console().print(figures)


def _official() -> tuple[str, str]:
    """Return what Google's emulator takes, where it is installed."""
    binary = official_binary()
    if binary is None:
        return "-", "-"
    port = free_port()
    with process([str(binary), "--host_port", f"127.0.0.1:{port}"], port):
        applied, dropped = _measure(client_at(f"127.0.0.1:{port}"), "a", MANY)
    return f"{applied:.1f} s", f"{dropped:.1f} s"


def _best(client: Any, tables: int, repeats: int) -> tuple[float, float]:
    """Return the least of some measurements: everything else on the machine only adds to them."""
    found = [_measure(client, f"t{tables}x{n}x", tables) for n in range(repeats)]
    return min(applied for applied, _ in found), min(dropped for _, dropped in found)


def _measure(client: Any, name: str, tables: int) -> tuple[float, float]:
    database = _database(client, name)
    applied = _timed(database, schema(name, tables))
    return applied, _timed(database, dropping(name, tables))


def _timed(database: Any, statements: list[str]) -> float:
    began = perf_counter()
    database.update_ddl(statements).result(600)
    return perf_counter() - began


def _database(client: Any, name: str) -> Any:
    config = next(iter(client.list_instance_configs())).name
    instance = client.instance(f"ddl-{name}", configuration_name=config, node_count=1)
    instance.create().result(60)
    database = instance.database("ddl-benchmark")
    database.create().result(60)
    return database
