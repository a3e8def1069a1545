"""Full-text search over 100,000 documents of 200 words, beside SQLite's FTS5; processor time.

The words `common`, `often`, `rare` and `seldom` stand in 90, 60, 3 and 1 percent of the documents.
The goals are those of ADR 20. FTS5 keeps no versions; it shows what a search library takes here.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from spanemu.base.clock import ManualClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    CommitOptions,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.values.mutation import Write, WriteKind

DOCUMENTS, WORDS, VOCABULARY = 100_000, 196, 20_000
ROWS_PER_COMMIT = 500
SHARES = {"common": 0.9, "often": 0.6, "rare": 0.03, "seldom": 0.01}
FOUND = "SELECT Id FROM D WHERE SEARCH(Tokens, '%s')"
COUNTED = "SELECT COUNT(*) FROM D WHERE SEARCH(Tokens, '%s')"
FTS = "FROM F WHERE F MATCH '%s'"

# What is asked, the statement, that of SQLite, and the goal in milliseconds.
QUERIES = (
    ("two rare words", FOUND % "rare seldom", f"SELECT Id {FTS % 'rare seldom'}", 4),
    (
        "the best ten of them",
        f"{FOUND % 'rare seldom'} ORDER BY SCORE(Tokens, 'rare seldom') DESC LIMIT 10",
        f"SELECT Id {FTS % 'rare seldom'} ORDER BY rank LIMIT 10",
        8,
    ),
    (
        "two common words, ten in the order of the index",
        f"{FOUND % 'common often'} ORDER BY Rank DESC LIMIT 10",
        f"SELECT Id {FTS % 'common often'} LIMIT 10",
        1,
    ),
    (
        "the same, counted",
        COUNTED % "common often",
        f"SELECT COUNT(*) {FTS % 'common often'}",
        60,
    ),
    (
        "the best ten of them",
        f"{FOUND % 'common often'} ORDER BY SCORE(Tokens, 'common often') DESC LIMIT 10",
        f"SELECT Id {FTS % 'common often'} ORDER BY rank LIMIT 10",
        400,
    ),
    (
        "a rare phrase",
        COUNTED % '"red moon"',
        "SELECT COUNT(*) " + FTS % '"red moon"',
        5,
    ),
    (
        "a common phrase",
        COUNTED % '"common often"',
        "SELECT COUNT(*) " + FTS % '"common often"',
        80,
    ),
)


def main(rounds: int = 20, documents: int = DOCUMENTS) -> None:
    rows = list(_rows(documents))
    plain, _ = _timed(lambda: _loaded(rows, ""))
    tokens = ", Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN"
    before = _memory()
    loaded, database = _timed(lambda: _loaded(rows, tokens))
    session = database.sessions.create({})

    def ask(sql: str) -> list[Any]:
        return list(session.execute(StatementRequest(sql), None).rows)

    indexed, _ = _timed(lambda: ask(COUNTED % "seldom"))
    size = (_memory() - before) / documents
    filled, other = _timed(lambda: _sqlite(rows))

    def ask_sqlite(sql: str) -> list[Any]:
        return list(other.execute(sql))

    table = Table(title=f"Search in {documents:,} documents")
    for column in ("what", "spanemu", "goal", "FTS5"):
        table.add_column(column, justify="left" if column == "what" else "right")
    rate = documents / (loaded + indexed - plain)
    table.add_row("indexing, documents a second", f"{rate:,.0f}", "> 3,000",
                  f"{documents / filled:,.0f}")  # fmt: skip
    table.add_row("memory of a document, bytes", f"{size:,.0f}", "< 8,192", "")
    for label, sql, fts, goal in QUERIES:
        mine = min(_timed(partial(ask, sql))[0] for _ in range(max(3, rounds // 4)))
        fast = min(_timed(partial(ask_sqlite, fts))[0] for _ in range(3))
        table.add_row(f"{label}, ms", f"{mine * 1000:.2f}", f"< {goal}", f"{fast * 1000:.2f}")
    Console(width=120).print(table)


def _rows(documents: int) -> Iterator[tuple[str, str, str]]:
    chance = random.Random(5)
    words = [f"w{number}" for number in range(VOCABULARY)]
    weights = list(accumulate(1 / (number + 3) for number in range(VOCABULARY)))
    for number in range(documents):
        text = chance.choices(words, cum_weights=weights, k=WORDS)
        text += [word for word, share in SHARES.items() if chance.random() < share]
        if chance.random() < 0.5:
            chance.shuffle(text)
        if chance.random() < 0.01:
            text += ["red", "moon"]
        yield str(number), str(chance.randrange(10**9)), " ".join(text)


def _loaded(rows: list[tuple[str, str, str]], tokens: str) -> Database:
    created = Database.create(
        "projects/p/instances/i/databases/d", Environment(ManualClock()), GOOGLE_STANDARD_SQL
    )
    columns = f"Id INT64 NOT NULL, Rank INT64 NOT NULL, Text STRING(MAX){tokens}"
    statements = [f"CREATE TABLE D ({columns}) PRIMARY KEY (Id)"]
    if tokens:
        statements.append("CREATE SEARCH INDEX I ON D(Tokens) ORDER BY Rank DESC")
    assert created.apply_ddl(statements).failure is None
    session = created.sessions.create({})
    for start in range(0, len(rows), ROWS_PER_COMMIT):
        part = rows[start : start + ROWS_PER_COMMIT]
        write = Write(WriteKind.INSERT, "D", ("Id", "Rank", "Text"), part)
        session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())
    return created


def _sqlite(rows: list[tuple[str, str, str]]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE F USING fts5(Id UNINDEXED, Text)")
    connection.executemany("INSERT INTO F VALUES (?, ?)", [(id_, text) for id_, _, text in rows])
    connection.commit()
    return connection


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds of processor time, and what came of it."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def _memory() -> int:
    """Return the resident memory of the process in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
