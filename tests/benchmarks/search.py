"""Full-text search over 100,000 documents of 200 words, beside SQLite's FTS5; processor time.

The words `common`, `often`, `rare` and `seldom` stand in 90, 60, 3 and 1 percent of the documents.
The goals are those of ADR 20. FTS5 keeps no versions; it shows what a search library takes here.
Another table has as many names, which are searched by their n-grams.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, count
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
from spanemu.database.sessions.session import Session
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.values.mutation import Write, WriteKind

DOCUMENTS, WORDS, VOCABULARY = 100_000, 196, 20_000
ROWS_PER_COMMIT = 500
TURNS = 40
CHANGED = 10  # documents between a snapshot and its restore
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
# Of names: what is asked, the statement, and the goal in milliseconds.
SIMILAR = "SEARCH_NGRAMS(Grams, 'Jonathon Andersen', min_ngrams => 5)"  # of 7 percent of the names
NAME_QUERIES = (
    ("seven letters", "SELECT COUNT(*) FROM N WHERE SEARCH_SUBSTRING(Grams, 'anderso')", 4),
    (
        "ten most similar names of {candidates}",
        f"SELECT Name FROM N WHERE {SIMILAR} "
        "ORDER BY SCORE_NGRAMS(Grams, 'Jonathon Andersen') DESC LIMIT 10",
        15,
    ),
)
CANDIDATES = f"SELECT COUNT(*) FROM N WHERE {SIMILAR}"
Rows = Sequence[tuple[str, ...]]


def main(rounds: int = 20, documents: int = DOCUMENTS) -> None:
    rows = list(_rows(documents))
    plain, without = _timed(lambda: _loaded(rows, ""))
    tokens = ", Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN"
    before = _memory()
    loaded, database = _timed(lambda: _loaded(rows, tokens))
    session = database.sessions.create({})
    indexed, _ = _timed(lambda: _ask(session, COUNTED % "seldom"))
    size = (_memory() - before) / documents
    filled, other = _timed(lambda: _sqlite(rows))
    table = Table(title=f"Search in {documents:,} documents")
    for column in ("what", "spanemu", "goal", "beside it"):
        table.add_column(column, justify="left" if column == "what" else "right")
    rate = documents / (loaded + indexed - plain)
    table.add_row("indexing, documents a second", f"{rate:,.0f}", "> 3,000",
                  f"FTS5 {documents / filled:,.0f}")  # fmt: skip
    table.add_row("the first search of all documents, s", f"{indexed:.1f}", "", "")
    table.add_row("memory of a document, bytes", f"{size:,.0f}", "< 8,192", "")
    times = max(3, rounds // 4)
    for label, sql, fts, goal in QUERIES:
        mine = _best(partial(_ask, session, sql), times)
        fast = _best(lambda fts=fts: list(other.execute(fts)), 3)  # type: ignore[misc]
        table.add_row(f"{label}, ms", f"{mine * 1000:.2f}", f"< {goal}", f"FTS5 {fast * 1000:.2f}")
    for label, work in _COPIES.items():
        ours, bare = _in_turns(work, (database, without))
        table.add_row(f"{label}, us", f"{ours * 1e6:.0f}", "< 2 x", f"no index {bare * 1e6:.0f}")
    _add_names(table, times, documents)
    Console(width=120).print(table)


def _add_names(table: Table, times: int, names: int) -> None:
    database = _created(
        "CREATE TABLE N (Id INT64 NOT NULL, Name STRING(MAX), Grams TOKENLIST AS "
        "(TOKENIZE_SUBSTRING(Name, ngram_size_min => 3, ngram_size_max => 3)) HIDDEN) "
        "PRIMARY KEY (Id)",
        "CREATE SEARCH INDEX I ON N(Grams) STORING (Name)",
    )
    _write(database, "N", ("Id", "Name"), list(_names(names)))
    session = database.sessions.create({})
    first, ((candidates,),) = _timed(lambda: _ask(session, CANDIDATES))
    table.add_row(f"the first search of {names:,} names, s", f"{first:.1f}", "", "")
    for label, sql, goal in NAME_QUERIES:
        best = _best(partial(_ask, session, sql), times)
        label = label.format(candidates=f"{candidates:,}")
        table.add_row(f"{label}, ms", f"{best * 1000:.2f}", f"< {goal}", "")


def _names(names: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(6)
    first = ("jon", "nath", "an", "ma", "ri", "el", "so", "phi", "ka", "ren", "lu", "cas", "tho")
    last = ("ander", "son", "sen", "mill", "er", "berg", "gar", "cia", "wat", "kins", "ol", "iver")
    for number in range(names):
        given = "".join(chance.choices(first, k=chance.randrange(2, 5)))
        family = "".join(chance.choices(last, k=chance.randrange(2, 4)))
        yield str(number), f"{given.title()} {family.title()}"


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


def _loaded(rows: Rows, tokens: str) -> Database:
    columns = f"Id INT64 NOT NULL, Rank INT64 NOT NULL, Text STRING(MAX){tokens}"
    statements = [f"CREATE TABLE D ({columns}) PRIMARY KEY (Id)"]
    if tokens:
        statements.append("CREATE SEARCH INDEX I ON D(Tokens) ORDER BY Rank DESC")
    created = _created(*statements)
    _write(created, "D", ("Id", "Rank", "Text"), rows)
    return created


def _created(*statements: str) -> Database:
    created = Database.create(
        "projects/p/instances/i/databases/d", Environment(ManualClock()), GOOGLE_STANDARD_SQL
    )
    assert created.apply_ddl(statements).failure is None
    return created


def _write(database: Database, table: str, columns: tuple[str, ...], rows: Rows) -> None:
    session = database.sessions.create({})
    for start in range(0, len(rows), ROWS_PER_COMMIT):
        write = Write(WriteKind.INSERT, table, columns, rows[start : start + ROWS_PER_COMMIT])
        session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())


def _ask(session: Session, sql: str) -> list[Any]:
    return list(session.execute(StatementRequest(sql), None).rows)


def _sqlite(rows: Rows) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE F USING fts5(Id UNINDEXED, Text)")
    connection.executemany("INSERT INTO F VALUES (?, ?)", [(id_, text) for id_, _, text in rows])
    connection.commit()
    return connection


_numbers = count()


def _snapshot(database: Database) -> float:
    return _timed(database.snapshot)[0]


def _clone(database: Database) -> float:
    name = f"projects/p/instances/i/databases/c{next(_numbers)}"
    return _timed(lambda: database.clone(name))[0]


def _restore(database: Database) -> float:
    snapshot = database.snapshot()
    database.interfere([f"UPDATE D SET Text = 'changed' WHERE Id < {CHANGED}"])
    return _timed(lambda: database.restore(snapshot))[0]


_COPIES: dict[str, Callable[[Database], float]] = {
    "a snapshot": _snapshot,
    "a clone": _clone,
    f"a restore of {CHANGED} changed documents": _restore,
}


def _in_turns(work: Callable[[Database], float], databases: Sequence[Database]) -> list[float]:
    """Return the least seconds for each database, measured in turns."""
    rounds = [[work(each) for each in databases] for _ in range(TURNS)]
    return list(map(min, zip(*rounds, strict=True)))


def _best(work: Callable[[], Any], times: int) -> float:
    """Return the least seconds of some runs."""
    return min([_timed(work)[0] for _ in range(times)])


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds of processor time, and what came of it."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def _memory() -> int:
    """Return the resident memory of the process in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
