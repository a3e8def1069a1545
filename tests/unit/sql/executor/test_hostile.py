"""Generated code contains no text of a statement: names and literals reach it as constants."""

from __future__ import annotations

import ast
import re
from contextlib import suppress

import pytest

from spanemu.base.errors import SpannerError
from spanemu.sql.executor import codegen
from spanemu.values.types import INT64, STRING, array_of, struct_of
from tests.unit.sql.world import MemoryReader, ask

HOSTILE = [
    "__import__('os').getcwd()",
    "'); __import__('os').abort(); ('",
    '" + open("/etc/passwd").read() + "',
    "\\'",
    "'''",
    '"""',
    "a\nimport os\nos.abort()",
    "row[0]] for row in ().__class__.__mro__[1].__subclasses__()",
    "{pair}{0}{row.__class__}%s%(row)s",
    "lambda: run",
    "ſtrañge\u202e\u2028\x00\x1b",
    "𝕠𝕤.𝔞𝔟𝔬𝔯𝔱()",
]
# All names that occur in generated code; k1 is a bound object, t1 a temporary.
NAMES = re.compile(
    r"k\d+|t\d+|rows?|others?|groups?|keyed|key|get|run|len|parameters|slots|context|time_zone"
)


def quoted(text: str) -> str:
    """Return a literal or quoted name of `text`, for either kind of quotes."""
    return "".join([f"\\U{ord(character):08x}" for character in text])


@pytest.fixture
def texts(monkeypatch):
    """Collect every text that is compiled while the test runs."""
    seen: list[str] = []

    def watched(text):
        seen.append(text)
        return compile(text, "<expression>", "eval")

    monkeypatch.setattr(codegen, "_code", watched)
    return seen


def assert_harmless(texts):
    assert texts
    for text in texts:
        for node in ast.walk(ast.parse(text, mode="eval")):
            for name in (getattr(node, field, "run") for field in ("id", "attr", "arg")):
                assert name is None or NAMES.fullmatch(name), text
            if isinstance(node, ast.Constant):
                assert node.value is None or isinstance(node.value, int), text


@pytest.mark.parametrize("hostile", HOSTILE)
def test_literals(texts, hostile):
    sql = f"""
        SELECT '{quoted(hostile)}' || Name AS a,
            CASE WHEN Name = '{quoted(hostile)}' THEN 1 ELSE 2 END AS b,
            Name IN ('{quoted(hostile)}', 'x', Genre) AS c,
            ['{quoted(hostile)}', Name][OFFSET(0)] AS d,
            (SELECT AS STRUCT '{quoted(hostile)}' AS s).s AS e
        FROM Songs WHERE Name LIKE '%a%' OR Name >= '{quoted(hostile)}'"""
    rows = ask(sql)
    assert rows
    assert all(row[0].startswith(hostile) and row[3] == row[4] == hostile for row in rows)
    assert_harmless(texts)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_names(texts, hostile):
    name = f"`{quoted(hostile).replace('`', '')}`" if hostile.isascii() else "`ab`"
    sql = f"""
        SELECT x.{name} + 1 AS {name}, COUNT(*) AS n, SUM(y.Duration) AS s
        FROM (SELECT TrackId AS {name}, Duration FROM Songs) AS x
        JOIN Songs AS y ON y.TrackId = x.{name} AND y.Duration >= x.Duration
        GROUP BY x.{name} HAVING n > 0 ORDER BY {name}"""
    with suppress(SpannerError):  # A name may well be refused.
        ask(sql)
    assert_harmless([*texts, "None"])


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_parameters_stay_values(texts, hostile):
    pairs = array_of(struct_of(("a", INT64), ("b", STRING)))
    sql = """
        SELECT x.Name || @text, EXISTS (SELECT 1 FROM UNNEST(@pairs) p WHERE p.b = x.Name)
        FROM Songs x WHERE (x.TrackId, x.Name) IN UNNEST(@pairs) OR x.Name != @text"""
    types = {"text": STRING, "pairs": pairs}
    rows = ask(sql, types=types, text=hostile, pairs=((1, "a"), (1, hostile), None))
    assert rows
    assert all(row[0].endswith(hostile) for row in rows)
    assert_harmless(texts)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_values_of_rows(texts, hostile):
    reader = MemoryReader({"Songs": [(1, 1, n, hostile, n, hostile) for n in range(4)]})
    sql = """
        SELECT x.Name, STRING_AGG(DISTINCT y.Genre, 'z') FROM Songs x
        LEFT JOIN Songs y ON x.Name = y.Genre AND x.Duration < y.Duration
        GROUP BY x.Name ORDER BY x.Name DESC"""
    assert ask(sql, reader) == [(hostile, hostile)]
    assert_harmless(texts)
