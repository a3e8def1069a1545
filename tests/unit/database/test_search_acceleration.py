"""Search indexes answer conditions on the columns of their token lists, and the answer is the same.

`SPANEMU_SEARCH_EXAMPLES` sets the number of random queries.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence

import pytest

from spanemu.database.options import (
    Begin,
    PartitionedDml,
    QueryMode,
    ReadWriteOptions,
    StatementRequest,
)
from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql.planner.acceleration import tokenized_column
from spanemu.txn import read_only
from spanemu.values.types import STRING
from tests.unit.ddl.world import World

EXAMPLES = int(os.environ.get("SPANEMU_SEARCH_EXAMPLES", "300"))
TABLE = (
    "CREATE TABLE T (Id INT64 NOT NULL, Box INT64 NOT NULL, S STRING(MAX), Y BYTES(MAX), N INT64, "
    "F FLOAT64, B BOOL, J JSON, Name STRING(MAX), Tags ARRAY<STRING(MAX)>, Text STRING(MAX), "
    "U STRING(MAX), "
    "STok TOKENLIST AS (TOKEN(s)) HIDDEN, YTok TOKENLIST AS (TOKEN(Y)) HIDDEN, "
    "NTok TOKENLIST AS (TOKENIZE_NUMBER(N, min=>-10, max=>10)) HIDDEN, "
    "FTok TOKENLIST AS (TOKENIZE_NUMBER(F)) STORED HIDDEN, "
    "BTok TOKENLIST AS (TOKENIZE_BOOL(B)) HIDDEN, JTok TOKENLIST AS (TOKENIZE_JSON(J)) HIDDEN, "
    "GTok TOKENLIST AS (TOKENIZE_NGRAMS(LOWER(`Name`), ngram_size_min=>2, ngram_size_max=>3)) "
    "HIDDEN, TagTok TOKENLIST AS (TOKEN(Tags)) HIDDEN, "
    "Tok TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN) PRIMARY KEY (Id)"
)
LISTS = "STok, YTok, NTok, FTok, BTok, JTok, GTok, TagTok, Tok"
INDEX = f"CREATE SEARCH INDEX I ON T({LISTS}) STORING (Name, U, B)"
VALUES: Mapping[str, Sequence[object]] = {
    "S": ["open", "closed", "Open", ""],
    "Y": ["AA==", "YWI="],
    "N": [str(number) for number in range(-12, 13)],
    "F": [1.5, 0.0, -0.0, "NaN", "Infinity", 1e300, 2.0],
    "B": [True, False],
    "J": ['{"a": 1}', '{"a": {"b": [1, 2.0]}, "c": "x"}', '[1, "x"]', "{}", "1", "null", "[[1]]"],
    "Name": ["Rock Album", "rocking chair", "ΑΣΑ", "ΑΣ", "a", "İstanbul", "ROCK%", ""],
    "Tags": [["a", "b"], [None, "a"], [], ["c", "c"]],
    "Text": ["cat dog", "dog", "bird cat", ""],
    "U": ["u", "v"],
}
CONDITIONS = (
    "S = 'open'", "'open' = S", "S IN ('open', 'closed', NULL)", "S IN UNNEST(['', NULL])",
    "S IN UNNEST(CAST(NULL AS ARRAY<STRING>))", "S != 'open'", "S IS NULL", "NOT (S = 'open')",
    "Y = b'ab'", "Y IN (b'ab', b'')", "N = 3", "N = CAST(NULL AS INT64)", "N < 0", "N <= 0", "3 < N", "-3 >= N",
    "N BETWEEN -4 AND 4", "N NOT BETWEEN -4 AND 4", "N > 11", "N IN (1, 2, 40)", "F = 0",
    "F = CAST('NaN' AS FLOAT64)", "F < 1", "F >= 1.5", "F <= CAST('NaN' AS FLOAT64)",
    "F = CAST('inf' AS FLOAT64)", "F BETWEEN -0.0 AND 1e299", "B", "NOT B", "B IS TRUE",
    "B IS NOT TRUE", "B IS FALSE", "B = FALSE", "TRUE = B", """JSON_CONTAINS(J, JSON '{"a": 1}')""",
    """JSON_CONTAINS(J, JSON '{"a": {"b": [2]}}')""", "JSON_CONTAINS(J, JSON '1')",
    "JSON_CONTAINS(J, JSON '{}')", "JSON_CONTAINS(J, JSON 'null')", "JSON_CONTAINS(J, JSON '[1.0]')",
    "Name LIKE '%ock%'", "Name LIKE 'R_ck A%'", r"Name LIKE '%ck\\%'", "Name LIKE '%ΑΣ%'",
    "Name LIKE '%ΑΣΑ'", "Name LIKE 'İst%'", "Name LIKE ''", "Name NOT LIKE '%ock%'",
    "STARTS_WITH(Name, 'Roc')", "ENDS_WITH(Name, 'chair')", "ENDS_WITH(Name, 'r')",
    "REGEXP_CONTAINS(Name, 'ock.*bu?m')", "REGEXP_CONTAINS(Name, '(?i)rock')",
    "REGEXP_CONTAINS(Name, 'chair|Alb')", "REGEXP_CONTAINS(Name, '^Rox*ck')",
    "REGEXP_CONTAINS(Name, '(r|R)ock.Alb')", "REGEXP_CONTAINS(Name, '[Rr]ock(ing)? ?chair')",
    "REGEXP_CONTAINS(Name, 'Al(b|c)um|chair')", "REGEXP_CONTAINS(Name, r'ROCK\\%')",
    "REGEXP_CONTAINS(Name, r'^rock\\w+ c')",
    "REGEXP_CONTAINS(Name, r'\\bAlbum')", "ARRAY_INCLUDES(Tags, 'a')",
    "ARRAY_INCLUDES(Tags, e -> e = 'a')", "ARRAY_INCLUDES_ANY(Tags, ['b', NULL])",
    "ARRAY_INCLUDES_ANY(Tags, [])", "ARRAY_INCLUDES_ALL(Tags, ['a', 'b'])",
    "ARRAY_INCLUDES_ALL(Tags, ['a', NULL])", "ARRAY_INCLUDES_ALL(Tags, [])", "U = 'u'", "Id < 40",
    "N != 3", "3 <> N", "NOT (N != 3)", "N NOT IN (1, 2)", "N NOT IN (1, NULL)", "F != 0",
    "F != CAST('NaN' AS FLOAT64)", "S NOT IN ('open', 'x')", "S NOT IN UNNEST(['open', ''])",
    "S NOT IN UNNEST(CAST(NULL AS ARRAY<STRING>))", "B != TRUE", "Y != b'ab'",
    "NOT ARRAY_INCLUDES(Tags, 'a')", "NOT ARRAY_INCLUDES_ANY(Tags, ['a', 'b'])",
    "NOT ARRAY_INCLUDES_ALL(Tags, ['a', 'b'])", "J.a IS NOT NULL", "J.a IS NULL",
    "J.a.b IS NOT NULL", "J.a.b[1] IS NOT NULL", "J[0] IS NOT NULL", "J['c'] IS NOT NULL",
    "J.c IS NOT NULL AND J.a.x IS NULL", "JSON_CONTAINS(J.a, JSON '1')", "J.x IS NOT NULL",
    "JSON_CONTAINS(J.a.b, JSON '2')", "JSON_CONTAINS(J.a, JSON '{}')",
    "J[CAST(NULL AS STRING)] IS NOT NULL",
)  # fmt: skip


@pytest.fixture(scope="module")
def world() -> World:
    world, chance = World(TABLE, INDEX), random.Random(4)
    names = list(VALUES)
    choices: list[list[object]] = [[None, *VALUES[name]] for name in names]
    rows = [
        [str(id_), str(id_ % 3), *[chance.choice(options) for options in choices]]
        for id_ in range(200)
    ]
    world.insert("T", f"Id Box {' '.join(names)}", *rows)
    return world


def base(world: World, condition: str) -> list[tuple[int]]:
    return sorted(world.rows(f"SELECT Id FROM T@{{FORCE_INDEX=_BASE_TABLE}} WHERE {condition}"))


def accelerated(world: World, sql: str) -> bool:
    stream = world.session.execute(StatementRequest(sql, mode=QueryMode.PLAN), None)
    assert stream.stats is not None
    assert stream.stats.plan is not None
    return "Search Index Scan" in [node.display_name for node in stream.stats.plan.nodes]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_has_the_same_answer_with_and_without_the_index(world, condition):
    expected = base(world, condition)
    assert sorted(world.rows(f"SELECT Id FROM T WHERE {condition}")) == expected
    forced = f"SELECT Id FROM T@{{FORCE_INDEX=I}} WHERE {condition}"
    assert sorted(world.rows(forced)) == expected


def test_combined_conditions_have_the_same_answer_with_and_without_the_index(world):
    chance = random.Random(6)

    def condition(depth: int) -> str:
        if depth == 0 or chance.random() < 0.2:
            return chance.choice(CONDITIONS)
        inner = f" {chance.choice(['AND', 'OR'])} ".join(condition(depth - 1) for _ in range(2))
        return f"NOT ({inner})" if chance.random() < 0.1 else f"({inner})"

    for _ in range(EXAMPLES):
        where = condition(3)
        expected = base(world, where)
        assert sorted(world.rows(f"SELECT Id FROM T WHERE {where}")) == expected, where
        order = sorted(expected, reverse=True)[:5]
        sql = f"SELECT Id FROM T@{{FORCE_INDEX=I}} WHERE {where} ORDER BY Id DESC LIMIT 5"
        assert world.rows(sql) == order, where


def test_a_search_or_another_condition_has_the_documents_of_both(world):
    cats = "(SELECT Id FROM T WHERE SEARCH(Tok, 'cat'))"
    for search, truth in (
        ("SEARCH(Tok, 'cat') OR {}", f"Id IN {cats} OR {{}}"),
        ("NOT SEARCH(Tok, 'cat') OR {}", f"(Text IS NOT NULL AND Id NOT IN {cats}) OR {{}}"),
        ("(SEARCH(Tok, 'cat') AND B) OR {}", f"(Id IN {cats} AND B) OR {{}}"),
    ):
        for other in CONDITIONS:
            sql = f"SELECT Id FROM T WHERE {search.format(other)}"
            assert sorted(world.rows(sql)) == base(world, truth.format(other)), sql


@pytest.mark.parametrize(
    "condition",
    ["S = 'open'", "N BETWEEN 1 AND 3", "Name LIKE '%ock%'", "B AND S = 'x'", "S = @s",
     """JSON_CONTAINS(J, JSON '{"a": 1}')""", "S = 'open' OR N = 3"],
)  # fmt: skip
def test_a_condition_on_a_tokenized_column_reads_the_search_index(world, condition):
    assert accelerated(world, f"SELECT Id, Text FROM T WHERE {condition}")


@pytest.mark.parametrize(
    "sql",
    ["SELECT Id FROM T WHERE Id = 3 AND S = 'open'", "SELECT Id FROM T WHERE U = 'u'",
     "SELECT Id FROM T@{FORCE_INDEX=_BASE_TABLE} WHERE S = 'open'",
     "SELECT Id FROM T WHERE Name LIKE '%o%'", "SELECT Id FROM T WHERE S = 'open' OR U = 'u'",
     "SELECT Id FROM T WHERE Name LIKE @pattern", "SELECT Id FROM T WHERE S != 'open'"],
)  # fmt: skip
def test_other_queries_read_the_table(world, sql):
    assert not accelerated(world, sql)


def test_statements_of_read_write_transactions_read_the_table(world):
    sql = "SELECT COUNT(*) FROM T WHERE S = 'open'"
    expected = world.rows(sql)
    stream = world.session.execute(StatementRequest(sql), Begin(ReadWriteOptions()))
    assert list(stream.rows) == expected


def test_dml_with_conditions_on_tokenized_columns_writes_the_rows():
    own = World(TABLE, INDEX)
    own.insert("T", "Id Box S", *[[str(id_), "1", "open"] for id_ in range(80)])
    update = "UPDATE T SET S = 'closed' WHERE S = 'open' AND Id < 10"
    own.database.interfere([update])
    assert own.rows("SELECT COUNT(*) FROM T WHERE S = 'closed'") == [(10,)]
    assert own.rows("SELECT COUNT(*) FROM T WHERE S = 'open'") == [(70,)]
    request = StatementRequest("DELETE FROM T WHERE S = 'closed'")
    transaction = Begin(PartitionedDml())
    list(own.session.execute(request, transaction).rows)
    assert own.rows("SELECT COUNT(*) FROM T WHERE S = 'closed'") == [(0,)]


def test_partitions_and_filters_of_an_index_must_be_conditions_of_the_query(monkeypatch):
    monkeypatch.setattr(read_only, "_FEW_DOCUMENTS", 1)
    by_box = "CREATE SEARCH INDEX P ON T(STok) PARTITION BY Box"
    filtered = "CREATE SEARCH INDEX Q ON T(NTok) STORING (U) WHERE U IS NOT NULL"
    own = World(TABLE, by_box, filtered)
    own.insert("T", "Id Box S N U", ["1", "1", "x", "1", None], ["2", "2", "x", "1", "u"])
    assert not accelerated(own, "SELECT Id FROM T WHERE S = 'x'")
    assert accelerated(own, "SELECT Id FROM T WHERE S = 'x' AND Box = 1")
    assert own.rows("SELECT Id FROM T WHERE S = 'x' AND Box = 1") == [(1,)]
    assert not accelerated(own, "SELECT Id FROM T WHERE N = 1")
    assert accelerated(own, "SELECT Id FROM T WHERE N = 1 AND U IS NOT NULL")
    assert own.rows("SELECT Id FROM T WHERE N = 1 AND U IS NOT NULL") == [(2,)]


def implied(world: World, condition: str) -> str:
    """Return the condition on token lists in the plan of a query that reads the index."""
    sql = f"SELECT Id FROM T@{{FORCE_INDEX=I}} WHERE {condition}"
    request = StatementRequest(sql, parameter_types={"k": STRING}, mode=QueryMode.PLAN)
    stream = world.session.execute(request, None)
    assert stream.stats is not None
    assert stream.stats.plan is not None
    texts = [node.short_representation for node in stream.stats.plan.nodes]
    return next((text for text in texts if "Tok," in text), "")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("N != 3", "LACKS_VALUES($NTok, [3])"),
        ("S NOT IN ('a', 'b')", "LACKS_VALUES($STok, ['a', 'b'])"),
        ("NOT ARRAY_INCLUDES_ANY(Tags, ['a'])", "LACKS_VALUES($TagTok, ['a'])"),
        ("J.a.b IS NOT NULL", "HAS_PATH($JTok, ['a', 'b'])"),
        ("J.a[0].b IS NOT NULL", "HAS_PATH($JTok, ['a', 'b'])"),
        ("J[@k] IS NOT NULL", "HAS_PATH($JTok, [@k])"),
        ("J[0] IS NOT NULL", ""),
        ("J.a IS NULL", ""),
        ("N IS NOT NULL", ""),
    ],
)
def test_negations_and_paths_are_conditions_on_token_lists(world, condition, text):
    assert implied(world, condition) == text


def document(id_: int) -> str:
    more = f', "b": ["{"x" if id_ % 10 == 1 else "y"}"]' if id_ % 2 else ""
    return f'{{"a": {id_ % 5}{more}}}'


def test_postgresql_conditions_read_the_search_index():
    own = World(
        "CREATE TABLE t (id bigint NOT NULL PRIMARY KEY, s varchar, d jsonb, "
        "s_tok spanner.tokenlist GENERATED ALWAYS AS (spanner.token(s)) VIRTUAL HIDDEN, "
        "d_tok spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_jsonb(d)) VIRTUAL HIDDEN)",
        "CREATE SEARCH INDEX i ON t(s_tok, d_tok)",
        dialect=POSTGRESQL,
    )
    rows = [[str(id_), "even" if id_ % 2 == 0 else None, document(id_)] for id_ in range(90)]
    own.insert("t", "id s d", *rows)
    for condition, count in (
        ("s = 'even'", 45),
        ("""d @> '{"a": 3}'::jsonb""", 18),
        ("""d @> '{"a": 3.0}'::jsonb AND s = 'even'""", 9),
        ("""'{"a": 3}'::jsonb <@ d""", 18),
        ("d ? 'b'", 45),
        ("d ?| array['b', 'x']", 45),
        ("d ?& array['a', 'b']", 45),
        ("d -> 'b' ? 'x'", 9),
        ("""d -> 'b' @> '"x"'::jsonb""", 9),
        ("d -> 'b' IS NOT NULL", 45),
    ):
        assert own.rows(f"SELECT COUNT(*) FROM t WHERE {condition}") == [(count,)]
        assert accelerated(own, f"SELECT COUNT(*) FROM t WHERE {condition}"), condition


@pytest.mark.parametrize(
    "expression",
    ["TOKENIZE_FULLTEXT(a)", "TOKEN(LOWER(a))", "TOKENIZE_NGRAMS(a)", "TOKEN('a')", 'TOKEN("a")',
     "TOKENIZE_NGRAMS(LOWER(a), remove_diacritics=>TRUE)", "IF(b, TOKEN(a), NULL)", "TOKEN(a.b)",
     "TOKENLIST_CONCAT([TOKEN(a)])", "TOKEN(a || b)", "TOKENIZE_NUMBER(CAST(a AS INT64))", ""],
)  # fmt: skip
def test_other_token_lists_say_nothing_about_a_column(expression):
    assert tokenized_column(expression) is None
