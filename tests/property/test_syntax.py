"""The lexer and the parser on any text at all: a tree, or a failure that is the client's."""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import SpannerError
from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.functions.text.sql_text import literal
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.ddl.statement import parse_ddl, split_statements
from spanemu.sql.googlesql.syntax.lexer import RESERVED, UNRESERVED, tokenize
from spanemu.sql.googlesql.syntax.statement import parse_expression, parse_statement
from spanemu.sql.syntax_tree import Kind
from spanemu.values.types import BYTES, STRING

STATEMENTS = [
    "@{a=1} SELECT DISTINCT a.b[OFFSET(1)] AS c, t.* EXCEPT (d) FROM t@{x=y} JOIN (SELECT 1) u ON"
    " a = 1 AND NOT b IN UNNEST([1, 2]) WHERE x BETWEEN 1 AND 2 GROUP BY 1 HAVING COUNT(*) > 1"
    " ORDER BY c DESC LIMIT 10 OFFSET 1 FOR UPDATE",
    "FROM t |> AGGREGATE SUM(x) AS s GROUP BY y |> WHERE s > 1 |> UNION ALL (SELECT 1)",
    "WITH w AS (SELECT 1) SELECT CASE WHEN a THEN INTERVAL 1 DAY ELSE CAST(b AS ARRAY<INT64>) END"
    " FROM w, UNNEST(w.a) AS e WITH OFFSET o",
    "INSERT OR UPDATE INTO t (a, b) VALUES (1, DEFAULT) THEN RETURN WITH ACTION a",
    "INSERT INTO t (a) (SELECT 1) ON CONFLICT (a) DO UPDATE SET b = EXCLUDED.b WHERE TRUE",
    "UPDATE t AS x SET x.a.b = ARRAY(SELECT AS STRUCT 1, 'y' AS z) WHERE EXISTS(SELECT 1)",
    "DELETE FROM t WHERE f(a => 1, (x, y) -> x + y) ASSERT_ROWS_MODIFIED 1",
    "@{a=1} GRAPH g OPTIONAL MATCH @{b=2} p = ANY SHORTEST (a:A|B&!C {x: 1})-[e WHERE e.x < -1 COST"
    " e.w]->{1,3}(b), (TRAIL (c)<-[f]-() WHERE f.x)* WHERE a IS SOURCE OF e AND EXISTS {(a)->(d)}"
    " LET x = 1 FOR y IN [1] WITH OFFSET AS o FILTER VALUE {RETURN 1 AS z} = 1 RETURN DISTINCT a.x,"
    " x AS y GROUP BY x ORDER BY x DESCENDING OFFSET 1 LIMIT 2 UNION ALL RETURN 1 AS x NEXT"
    " CALL (x) {RETURN 2 AS w} CALL f(x) YIELD q WITH * ORDER BY w SKIP @n RETURN *",
    "SELECT t.a FROM GRAPH_TABLE(g MATCH (n {id: 1}) RETURN n.a) AS t WHERE t.a IN {GRAPH g MATCH"
    " -> RETURN 1 AS x} AND n IS NOT LABELED %",
]
DDL = [
    "CREATE TABLE t (a INT64 NOT NULL DEFAULT (1) OPTIONS (x = [1, 'y']), b STRING(MAX) AS (c)"
    " STORED HIDDEN, CONSTRAINT k FOREIGN KEY (a) REFERENCES u (v) ON DELETE CASCADE, CHECK (a > 0)"
    ") PRIMARY KEY (a DESC), INTERLEAVE IN PARENT p, ROW DELETION POLICY (OLDER_THAN(ts, INTERVAL 1"
    " DAY))",
    "ALTER TABLE t ALTER COLUMN c ALTER IDENTITY SET SKIP RANGE 1, 2",
    "CREATE UNIQUE NULL_FILTERED INDEX i ON t (a DESC) STORING (b), INTERLEAVE IN p",
    "CREATE OR REPLACE VIEW v SQL SECURITY INVOKER AS SELECT 1 AS a",
    "CREATE PROPERTY GRAPH g NODE TABLES (a KEY (x) LABEL l PROPERTIES (p AS q)) EDGE TABLES (e"
    " SOURCE KEY (x) REFERENCES a DESTINATION KEY (y) REFERENCES a)",
    "GRANT SELECT (a), INSERT ON TABLE t TO ROLE r",
    "CREATE CHANGE STREAM s FOR t (a), u() OPTIONS (retention_period = '1d')",
]
SYMBOLS = "( ) [ ] { } < > <= >= <> != = . , ; : @ @@ @{ ? + - * / % | || |> & ^ ~ << >> -> =>"
LITERALS = "1 0x1 1.5 .5 'a' \"b\" b'c' '''d''' r'e' a b `c d` NULL TRUE DATE '2024-01-01'"
WORDS = [*SYMBOLS.split(), *LITERALS.split(), *sorted(RESERVED), *sorted(UNRESERVED)]

# Text without surrogates, which no request can carry either.
texts = st.text(st.characters(exclude_categories=["Cs"]))
sql_like = st.text(st.sampled_from("'\"`\\rRbB/*-#.019eExXuUa_@{}()[]<>|=;, \n\r\t"), max_size=60)
soups = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)


@given(texts | sql_like)
def test_the_lexer_returns_or_fails(text: str) -> None:
    try:
        tokens = tokenize(text)
    except SyntaxFailure:
        return
    assert tokens[-1].kind is Kind.END
    assert all(text[token.at : token.end] == token.text for token in tokens)
    places = [token.at for token in tokens]
    assert places == sorted(places)


@given(texts | sql_like | soups)
def test_the_parser_returns_or_fails(text: str) -> None:
    for parse in (parse_statement, parse_expression, parse_ddl, split_statements):
        with contextlib.suppress(SpannerError):
            parse(text)


@given(st.sampled_from([*STATEMENTS, *DDL]), st.data())
def test_a_statement_with_shuffled_tokens_parses_or_fails(text: str, data: st.DataObject) -> None:
    words = [token.text for token in tokenize(text)[:-1]]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(words) - 1))
        words[at : at + data.draw(st.integers(0, 2))] = data.draw(
            st.lists(st.sampled_from(WORDS) | st.sampled_from(words), max_size=3)
        )
        words = words or ["SELECT"]
    stirred = " ".join(words)
    for parse in (parse_statement, parse_ddl):
        with contextlib.suppress(SpannerError):
            parse(stirred)


@given(st.sampled_from(STATEMENTS), st.integers(0, 400))
def test_a_prefix_of_a_statement_returns_or_fails(text: str, length: int) -> None:
    with contextlib.suppress(SpannerError):
        parse_statement(text[:length])


def test_the_statements_above_parse() -> None:
    assert all(map(parse_statement, STATEMENTS))
    assert all(map(parse_ddl, DDL))


@given(texts)
def test_a_string_survives_quoting(value: str) -> None:
    assert parse_expression(literal(STRING)(value)) == ast.StringLiteral(value)


@given(st.binary())
def test_bytes_survive_quoting(value: bytes) -> None:
    assert parse_expression(literal(BYTES)(value)) == ast.BytesLiteral(value)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_a_name_survives_quoting(name: str) -> None:
    path = ast.Path((ast.Identifier(name, quoted=True),))
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    assert parse_expression(f"`{escaped}`") == ast.Name(path)


@given(st.integers(0, 2**70))
def test_an_integer_survives_in_both_bases(value: int) -> None:
    for text in (str(value), hex(value)):
        assert parse_expression(text) == ast.IntLiteral(value, text)


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_a_float_survives(value: float) -> None:
    tree = parse_expression(repr(value))
    assert isinstance(tree, ast.FloatLiteral | ast.IntLiteral)
    assert tree.value == value


@given(
    st.lists(st.sampled_from(DDL), max_size=5), st.sampled_from([";", ";\n-- x;\n", " /* ; */;;"])
)
def test_splitting_undoes_joining(statements: list[str], separator: str) -> None:
    found = split_statements(separator.join(statements))
    assert [text for text, _ in found] == statements
