"""An index with many entries a row, one for each word, is maintained like a sorted one."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from spanemu.base.clock import NANOS_PER_HOUR, ManualClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.ddl.kinds import search_indexes
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.indexes import SearchIndex
from spanemu.schema.table import Column, KeyPart
from spanemu.storage.layout import tree_of
from spanemu.txn import rules
from spanemu.values.token_list import TokenList
from spanemu.values.types import BYTES

NAME = "projects/p/instances/i/databases/d"
TABLE = (
    "CREATE TABLE T (Id INT64 NOT NULL, Text STRING(MAX), "
    "Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN) PRIMARY KEY (Id)"
)
INDEX = "CREATE SEARCH INDEX Words ON T(Tokens) PARTITION BY Id"
TOKEN = KeyPart(Column("token", BYTES))


class WordIndex(SearchIndex):
    """An index with an entry for each word of a row, which is sorted by word and row."""

    has_entries = True

    @property
    def full_key(self) -> tuple[KeyPart, ...]:
        return (TOKEN, *map(KeyPart, self.partition_by))

    @property
    def declared_key(self) -> tuple[KeyPart, ...]:
        return self.full_key

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.key + self.partition_by


class CompiledWords(rules.CompiledIndex):
    def __init__(self, index: WordIndex, key_bytes: int) -> None:
        super().__init__(index, index.key, key_bytes)

    def entries(self, row: rules.Row) -> Sequence[rules.Entry]:
        tokens, key = (row[column.position] for column in self.index.columns)
        words = [] if tokens is None else TokenList.decode(tokens).postings
        return [(self.encode((word, key)), (word, key)) for word in words]


@pytest.fixture(autouse=True)
def _word_indexes(monkeypatch):
    monkeypatch.setattr(search_indexes, "SearchIndex", WordIndex)
    monkeypatch.setitem(rules.COMPILED_INDEXES, WordIndex, CompiledWords)


@pytest.fixture
def database() -> Database:
    created = Database.create(NAME, Environment(ManualClock(NANOS_PER_HOUR)), GOOGLE_STANDARD_SQL)
    apply(created, TABLE, INDEX)
    return created


def apply(database: Database, *statements: str) -> None:
    outcome = database.apply_ddl(statements)
    assert outcome.failure is None


def entries(database: Database) -> list[tuple[str, int]]:
    """Return the words of the index with their rows, in its order."""
    content = database.content(database.clock.now())
    index = content.generation.schema.index_of_any_kind("Words")
    assert index is not None
    return [(word.decode(), id_) for word, id_ in content.store.scan(tree_of(index))]


def expected(texts: Mapping[int, str | None]) -> list[tuple[str, int]]:
    words = ((word, id_) for id_, text in texts.items() for word in set((text or "").split()))
    return sorted(words)


def literal(text: str | None) -> str:
    return "NULL" if text is None else f"'{text}'"


def test_writes_keep_the_words_of_every_row(database):
    chance, texts = random.Random(7), dict[int, str | None]()
    for step in range(200):
        id_ = chance.randrange(20)
        count = chance.randrange(4)
        text = " ".join(chance.choices("abcdef", k=count)) if count else None
        if id_ not in texts:
            more = f"({id_}, {literal(text)}), ({100 + step}, 'x y')"
            database.interfere([f"INSERT INTO T (Id, Text) VALUES {more}"])
            texts |= {id_: text, 100 + step: "x y"}
        elif chance.random() < 0.5:
            database.interfere([f"UPDATE T SET Text = {literal(text)} WHERE Id = {id_}"])
            texts[id_] = text
        else:
            database.interfere([f"DELETE FROM T WHERE Id = {id_}"])
            del texts[id_]
        assert entries(database) == expected(texts)


def test_a_new_index_is_filled_from_the_rows_that_exist(database):
    apply(database, "DROP SEARCH INDEX Words")
    database.interfere(["INSERT INTO T (Id, Text) VALUES (1, 'a b a'), (2, 'b'), (3, NULL)"])
    apply(database, INDEX)
    assert entries(database) == [("a", 1), ("b", 1), ("b", 2)]


def test_a_dropped_index_has_no_entries_in_an_index_of_the_same_name(database):
    database.interfere(["INSERT INTO T (Id, Text) VALUES (1, 'a')"])
    apply(database, "DROP SEARCH INDEX Words")
    database.interfere(["DELETE FROM T WHERE TRUE"])
    apply(database, INDEX)
    assert entries(database) == []


def test_a_restore_brings_the_entries_back(database):
    database.interfere(["INSERT INTO T (Id, Text) VALUES (1, 'a')"])
    snapshot = database.snapshot()
    database.interfere(["UPDATE T SET Text = 'b c' WHERE TRUE"])
    assert entries(database) == [("b", 1), ("c", 1)]
    database.restore(snapshot)
    assert entries(database) == [("a", 1)]


def test_a_clone_has_its_own_entries(database):
    database.interfere(["INSERT INTO T (Id, Text) VALUES (1, 'a')"])
    clone = database.clone(f"{NAME}2")
    clone.interfere(["UPDATE T SET Text = 'b' WHERE TRUE"])
    assert (entries(database), entries(clone)) == ([("a", 1)], [("b", 1)])


def test_an_altered_column_leaves_the_entries(database):
    database.interfere(["INSERT INTO T (Id, Text) VALUES (1, 'a')"])
    apply(database, "ALTER TABLE T ADD COLUMN More STRING(10)", "ALTER TABLE T DROP COLUMN More")
    database.interfere(["UPDATE T SET Text = 'b' WHERE TRUE"])
    assert entries(database) == [("b", 1)]


def test_the_index_has_a_hierarchy_with_splits(database):
    database.interfere(["INSERT INTO T (Id, Text) VALUES (1, 'a')"])
    assert "Words(" in database.physical_layout()
