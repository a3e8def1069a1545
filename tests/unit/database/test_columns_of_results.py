"""What neither a query nor a write nor a read returns: token lists, and elements of graphs."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.database.options import (
    Begin,
    ReadOnly,
    ReadRequest,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.schema.dialect import POSTGRESQL
from spanemu.values.mutation import RawKeySet
from tests.unit.ddl.world import World

ELEMENTS = "GRAPH_TABLE(G MATCH p = (n:T) RETURN n, p) AS t"


@pytest.fixture
def world() -> World:
    world = World(
        "CREATE TABLE T (Id INT64 NOT NULL, S STRING(MAX), "
        "E ARRAY<FLOAT32>(vector_length=>2), "
        "Tok TOKENLIST AS (TOKENIZE_FULLTEXT(S)) HIDDEN, "
        "Kept TOKENLIST AS (TOKENIZE_FULLTEXT(S)) STORED HIDDEN) PRIMARY KEY (Id)",
        "CREATE SEARCH INDEX ByTok ON T(Tok)",
        "CREATE VECTOR INDEX ByE ON T(E) WHERE E IS NOT NULL OPTIONS (distance_type = 'COSINE')",
        "CREATE PROPERTY GRAPH G NODE TABLES (T PROPERTIES (Id, Tok))",
    )
    world.insert("T", "Id S", ("1", "a"))
    return world


def refused(world: World, sql: str) -> str:
    begin = Begin(ReadWriteOptions())
    with pytest.raises(SpannerError) as failure:
        list(world.session.execute(StatementRequest(sql, seqno=1), begin).rows)
    assert failure.value.code is Code.INVALID_ARGUMENT
    return str(failure.value)


@pytest.mark.parametrize("value", ["Tok", "[Kept]", "[STRUCT(Tok AS x)]"])
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT {} AS x FROM T",
        "INSERT INTO T (Id) VALUES (2) THEN RETURN {} AS x",
        "UPDATE T SET S = 'b' WHERE Id = 1 THEN RETURN Id, {} AS x",
        "DELETE FROM T WHERE Id = 1 THEN RETURN {} AS x",
    ],
)
def test_no_statement_returns_a_token_list(world, statement, value):
    assert "TOKENLIST is an internal-only type" in refused(world, statement.format(value))


@pytest.mark.parametrize(
    "value",
    [
        f"ARRAY(SELECT t.n FROM {ELEMENTS})",
        f"ARRAY(SELECT AS STRUCT t.n FROM {ELEMENTS})",
        f"(SELECT ANY_VALUE(t.p) FROM {ELEMENTS})",
        f"[STRUCT(STRUCT((SELECT ANY_VALUE(t.p) FROM {ELEMENTS}) AS x) AS y)]",
    ],
)
@pytest.mark.parametrize(
    "statement", ["SELECT {} AS x", "UPDATE T SET S = 'b' WHERE Id = 1 THEN RETURN {} AS x"]
)
def test_no_statement_returns_an_element_or_a_path(world, statement, value):
    assert "Returning expressions of type GRAPH_" in refused(world, statement.format(value))


@pytest.mark.parametrize(
    ("index", "kind"), [("bytok", "ByTok .* SEARCH"), ("bye", "ByE .* VECTOR")]
)
def test_no_read_uses_an_index_of_another_kind(world, index, kind):
    request = ReadRequest("T", ("Id",), RawKeySet(all=True), index=index)
    with pytest.raises(SpannerError, match=f"The index {kind} index type") as failure:
        list(world.session.read(request, SingleUse(ReadOnly())).rows)
    assert failure.value.code is Code.INVALID_ARGUMENT


def test_a_message_names_a_forced_index_as_it_is_declared(world):
    text = refused(world, "SELECT Id FROM T@{FORCE_INDEX=BYE} WHERE SEARCH(Tok, 'a')")
    assert text.startswith("The index ByE cannot be used")


@pytest.mark.parametrize(
    "sql",
    ["SELECT TO_JSON(STRUCT(Tok AS x)) AS j FROM T", "GRAPH G MATCH (n) RETURN TO_JSON(n) AS j"],
)
def test_json_has_no_form_for_a_token_list(world, sql):
    assert "TOKENLIST has no form in JSON" in refused(world, sql)
    assert len(world.rows(sql.replace("TO_JSON", "SAFE_TO_JSON"))) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT to_jsonb(tok) FROM t",
        "SELECT jsonb_build_array(1, tok) FROM t",
        "SELECT jsonb_build_object('x', ARRAY[tok]) FROM t",
        "SELECT tok FROM t",
        "UPDATE t SET s = 'b' WHERE id = 1 RETURNING tok",
    ],
)
def test_postgresql_returns_no_token_list(sql):
    world = World(
        "CREATE TABLE t (id bigint PRIMARY KEY, s text, tok spanner.tokenlist "
        "GENERATED ALWAYS AS (spanner.tokenize_fulltext(s)) VIRTUAL HIDDEN)",
        dialect=POSTGRESQL,
    )
    world.insert("t", "id s", ("1", "a"))
    assert "TOKENLIST" in refused(world, sql)
