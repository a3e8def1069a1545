"""Search indexes keep the tokens of the rows, and postings find what the token lists say.

Random writes, restores, clones and schema changes are compared with a model: the texts of the rows.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from spanemu.base.clock import NANOS_PER_HOUR, ManualClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import ReadOnly, ReadTimestamp, SingleUse, StatementRequest
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.indexes import SearchIndex
from spanemu.sql.executor.operators import search_scan
from spanemu.storage.layout import root_boundary, tree_of
from spanemu.storage.postings import Selection, layout_of
from spanemu.txn import read_only
from spanemu.values.token_list import TokenList

NAME = "projects/p/instances/i/databases/d"
TABLE = (
    "CREATE TABLE T (Id INT64 NOT NULL, Box INT64 NOT NULL, Sent INT64 NOT NULL, "
    "Text STRING(MAX), Note STRING(MAX), "
    "Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN, "
    "Parts TOKENLIST AS (TOKENIZE_SUBSTRING(Text, ngram_size_min=>2, ngram_size_max=>3)) HIDDEN"
    ") PRIMARY KEY (Id)"
)
BY_SENT = "CREATE SEARCH INDEX BySent ON T(Tokens, Parts) STORING (Note) ORDER BY Sent DESC"
BY_BOX = "CREATE SEARCH INDEX ByBox ON T(Tokens) PARTITION BY Box ORDER BY Sent"
WORDS = ("ant", "bee", "cat", "dog", "eel", "fox", "antler", "catfish")

Rows = dict[int, tuple[int, int, str | None]]  # id -> box, sent, text


@pytest.fixture(autouse=True, params=["sorted", "walked"])
def _postings_for_few_documents(monkeypatch, request):
    monkeypatch.setattr(read_only, "_FEW_DOCUMENTS", 1)
    if request.param == "walked":
        monkeypatch.setattr(search_scan, "SORTED_MAX", 1)


@pytest.fixture
def database() -> Database:
    created = Database.create(NAME, Environment(ManualClock(NANOS_PER_HOUR)), GOOGLE_STANDARD_SQL)
    apply(created, TABLE, BY_SENT, BY_BOX)
    return created


def apply(database: Database, *statements: str) -> None:
    assert database.apply_ddl(statements).failure is None


def query(database: Database, sql: str, at: int | None = None) -> list[Any]:
    session = database.sessions.create({})
    options = ReadOnly() if at is None else ReadOnly(ReadTimestamp(at))
    rows = list(session.execute(StatementRequest(sql), SingleUse(options)).rows)
    return [row[0] for row in rows]


def literal(text: str | None) -> str:
    return "NULL" if text is None else f"'{text}'"


def random_text(chance: random.Random) -> str | None:
    if chance.random() < 0.1:
        return None
    return " ".join(chance.choices(WORDS, k=chance.randrange(5)))


def write(database: Database, chance: random.Random, rows: Rows) -> None:
    id_ = chance.randrange(30)
    row = chance.randrange(2), chance.randrange(9), random_text(chance)
    if id_ not in rows:
        values = f"({id_}, {row[0]}, {row[1]}, {literal(row[2])})"
        database.interfere([f"INSERT INTO T (Id, Box, Sent, Text) VALUES {values}"])
        rows[id_] = row
    elif chance.random() < 0.6:
        changes = f"Box = {row[0]}, Sent = {row[1]}, Text = {literal(row[2])}"
        database.interfere([f"UPDATE T SET {changes} WHERE Id = {id_}"])
        rows[id_] = row
    else:
        database.interfere([f"DELETE FROM T WHERE Id = {id_}"])
        del rows[id_]


def has(text: str | None, *words: str) -> bool:
    return text is not None and all(word in text.split() for word in words)


def check(database: Database, rows: Rows, at: int | None = None) -> None:
    """Compare the answers of both indexes with the texts of the rows."""
    latest = sorted(rows, key=lambda id_: (-rows[id_][1], id_))
    result = [id_ for id_ in latest if has(rows[id_][2], "cat")]
    assert query(database, f"{SELECT} SEARCH(Tokens, 'cat') ORDER BY Sent DESC, Id", at) == result
    result = [id_ for id_ in latest if has(rows[id_][2], "ant", "bee")]
    assert sorted(query(database, f"{SELECT} SEARCH(Tokens, 'bee ant')", at)) == sorted(result)
    result = [id_ for id_ in latest if "dog eel" in (rows[id_][2] or "")]
    assert sorted(query(database, f"{SELECT} SEARCH(Tokens, '\"dog eel\"')", at)) == sorted(result)
    result = [id_ for id_ in latest if rows[id_][2] is not None and not has(rows[id_][2], "fox")]
    assert sorted(query(database, f"{SELECT} NOT SEARCH(Tokens, 'fox')", at)) == sorted(result)
    result = [id_ for id_ in latest if "tfi" in (rows[id_][2] or "")]
    assert sorted(query(database, f"{SELECT} SEARCH_SUBSTRING(Parts, 'TFI')", at)) == sorted(result)
    oldest = sorted(rows, key=lambda id_: (rows[id_][1], id_))
    result = [id_ for id_ in oldest if rows[id_][0] == 1 and has(rows[id_][2], "bee")]
    asked = f"{SELECT} Box = 1 AND SEARCH(Tokens, 'bee') ORDER BY Sent, Id LIMIT 3"
    assert query(database, asked, at) == result[:3]


SELECT = "SELECT Id FROM T WHERE"


def content(database: Database, name: str) -> dict[bytes, list[tuple[int, list[int]]]]:
    """Return the postings of live documents: for each token the rows and occurrences."""
    index = index_named(database, name)
    store = database._core.store
    at = store.read_timestamp()
    result: dict[bytes, list[tuple[int, list[int]]]] = {}
    selection = Selection(b"", layout_of(index).tokens)
    view = store.documents(tree_of(index), layout_of(index), selection, at)
    assert view is not None
    column = layout_of(index).tokens[0]
    id_at = [each.name for each in index.columns].index("Id")
    for segment, visible in view.segments:
        postings = segment.columns[column]
        for token in postings.tokens:
            for number, row in enumerate(segment.rows):
                occurrences = postings.occurrences(token, number)
                if visible >> number & 1 and occurrences:
                    result.setdefault(token, []).append((row[id_at], occurrences))
    assert not view.others
    return {token: sorted(of_token) for token, of_token in result.items()}


def index_named(database: Database, name: str) -> SearchIndex:
    index = database._core.generation.schema.index_of_any_kind(name)
    assert isinstance(index, SearchIndex)
    return index


def expected(database: Database, name: str) -> dict[bytes, list[tuple[int, list[int]]]]:
    """Return the tokens of the documents themselves."""
    index = index_named(database, name)
    column = layout_of(index).tokens[0]
    id_at = [each.name for each in index.columns].index("Id")
    result: dict[bytes, list[tuple[int, list[int]]]] = {}
    for document in database._core.store.scan(tree_of(index)):
        if document[column] is None:
            continue
        for token, occurrences in TokenList.decode(document[column]).postings.items():
            result.setdefault(token, []).append((document[id_at], occurrences))
    return {token: sorted(of_token) for token, of_token in result.items()}


def words_of(database: Database, name: str) -> dict[int, set[str] | None]:
    """Return the words of the documents of an index by row."""
    index = index_named(database, name)
    column = layout_of(index).tokens[0]
    id_at = [each.name for each in index.columns].index("Id")
    return {
        document[id_at]: None
        if document[column] is None
        else {token.decode() for token in TokenList.decode(document[column]).postings}
        for document in database._core.store.scan(tree_of(index))
    }


def words_expected(rows: Mapping[int, tuple[int, int, str | None]]) -> dict[int, set[str] | None]:
    return {id_: None if text is None else set(text.split()) for id_, (_, _, text) in rows.items()}


@pytest.mark.parametrize("seed", range(3))
def test_queries_follow_random_writes(database, seed):
    chance, rows = random.Random(seed), Rows()
    for step in range(60):
        write(database, chance, rows)
        if step % 5 == 0:
            check(database, rows)
            assert content(database, "BySent") == expected(database, "BySent")
    for name in ("BySent", "ByBox"):
        assert words_of(database, name) == words_expected(rows)


@pytest.mark.parametrize("seed", range(3))
def test_restores_bring_old_documents_back(database, seed):
    chance, rows = random.Random(seed), Rows()
    for _ in range(20):
        write(database, chance, rows)
    check(database, rows)
    snapshot, kept = database.snapshot(), dict(rows)
    for _ in range(4):
        rows = dict(kept)
        for _ in range(chance.randrange(10)):
            write(database, chance, rows)
        check(database, rows)
        database.restore(snapshot)
        check(database, kept)
        assert content(database, "BySent") == expected(database, "BySent")


@pytest.mark.parametrize("seed", range(3))
def test_clones_have_documents_of_their_own(database, seed):
    chance, rows = random.Random(seed), Rows()
    for _ in range(20):
        write(database, chance, rows)
    check(database, rows)
    known = [(database, rows)]
    for number in range(4):
        source, of_source = chance.choice(known)
        clone = source.clone(f"{NAME}{number}")
        known.append((clone, dict(of_source)))
        for item, of_each in known:
            for _ in range(chance.randrange(4)):
                write(item, chance, of_each)
            check(item, of_each)
            assert content(item, "BySent") == expected(item, "BySent")


@pytest.mark.parametrize("seed", range(3))
def test_a_query_at_a_timestamp_finds_the_words_of_that_time(database, seed):
    chance, rows = random.Random(seed), Rows()
    history: list[tuple[int, Rows]] = []
    for _ in range(12):
        for _ in range(chance.randrange(1, 4)):
            write(database, chance, rows)
        history.append((database._core.store.read_timestamp(), dict(rows)))
        at, then = chance.choice(history)
        check(database, then, at)
        check(database, rows)


def test_altered_indexes_are_written_again(database):
    chance, rows = random.Random(1), Rows()
    for _ in range(20):
        write(database, chance, rows)
    check(database, rows)
    apply(database, "ALTER SEARCH INDEX ByBox ADD COLUMN Parts")
    apply(database, "ALTER SEARCH INDEX BySent DROP STORED COLUMN Note")
    check(database, rows)
    apply(database, "ALTER SEARCH INDEX ByBox DROP COLUMN Tokens")
    assert words_of(database, "BySent") == words_expected(rows)
    apply(database, "DROP SEARCH INDEX ByBox", BY_BOX)
    for _ in range(10):
        write(database, chance, rows)
    check(database, rows)


def test_columns_come_and_go_beside_an_index(database):
    chance, rows = random.Random(2), Rows()
    for step in range(4):
        apply(database, f"ALTER TABLE T ADD COLUMN More{step} STRING(MAX)")
        for _ in range(5):
            write(database, chance, rows)
        check(database, rows)
    apply(database, "ALTER TABLE T DROP COLUMN More1", "ALTER TABLE T DROP COLUMN More3")
    for _ in range(5):
        write(database, chance, rows)
    check(database, rows)
    assert content(database, "BySent") == expected(database, "BySent")


def test_old_versions_are_forgotten_once_they_are_most(database, monkeypatch):
    monkeypatch.setattr("spanemu.storage.postings._DEAD_MIN", 4)
    chance, rows = random.Random(3), Rows()
    for _ in range(80):
        write(database, chance, rows)
        check(database, rows)
    index = index_named(database, "BySent")
    store = database._core.store
    selection = Selection(b"", layout_of(index).tokens)
    view = store.documents(tree_of(index), layout_of(index), selection, store.read_timestamp())
    assert view is not None
    numbers = sum(len(segment.rows) for segment, _ in view.segments)
    assert numbers <= 2 * len(rows) + 4


def test_splits_and_forgotten_history_leave_documents_found(database):
    chance, rows = random.Random(4), Rows()
    for _ in range(30):
        write(database, chance, rows)
    check(database, rows)
    store = database._core.store
    tree = tree_of(index_named(database, "BySent"))
    keys = [key for key, _ in store.scan_items(tree)]
    store.cut([root_boundary(tree, keys[len(keys) // 2]), root_boundary(tree, keys[3])])
    check(database, rows)
    for _ in range(10):
        write(database, chance, rows)
    check(database, rows)
    database.forget_history()
    check(database, rows)
    store.check()


def test_a_backup_has_the_documents_of_its_time(database):
    chance, rows = random.Random(5), Rows()
    for _ in range(20):
        write(database, chance, rows)
    check(database, rows)
    at, then = database._core.store.read_timestamp(), dict(rows)
    for _ in range(10):
        write(database, chance, rows)
    check(database, rows)
    copy = Database(database.content(at).database(f"{NAME}-copy"))
    check(copy, then)
    for _ in range(10):
        write(copy, chance, then)
    check(copy, then)
    check(database, rows)
    assert content(copy, "BySent") == expected(copy, "BySent")
