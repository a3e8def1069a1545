"""Tests of the names of result columns."""

from __future__ import annotations

import pytest

from spanemu.sql.postgresql.analyzer.queries.select_list import output_name
from spanemu.sql.postgresql.syntax.statement import parse_expression


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a.title", "title"),
        ("1", "?column?"),
        ("'x'", "?column?"),
        ("$1", "?column?"),
        ("true", "?column?"),
        ("1::bigint", "int8"),
        ("CAST(title AS text)", "title"),
        ("'{1}'::bigint[]", "int8"),
        ("-1.5::bigint", "?column?"),
        ("DATE '2024-01-01'", "date"),
        ("upper(title)::bytea", "upper"),
        ("count(*)", "count"),
        ("spanner.date(x, y)", "date"),
        ("substring(x FROM 2)", "substring"),
        ("trim(x)", "btrim"),
        ("COALESCE(a, b)", "coalesce"),
        ("NULLIF(a, b)", "nullif"),
        ("GREATEST(a, b)", "greatest"),
        ("CASE WHEN a THEN b END", "case"),
        ("CASE WHEN a THEN b ELSE c END", "c"),
        ("ARRAY[1, 2]", "array"),
        ("(ARRAY[1, 2])[1]", "array"),
        ("tags[1]", "tags"),
        ("tags[1:2]", "tags"),
        ("CURRENT_DATE", "current_date"),
        ("extract(year FROM x)", "extract"),
        ("a = b", "?column?"),
        ("a IS NULL", "?column?"),
    ],
)
def test_a_result_column_has_the_name_of_its_expression(text: str, name: str):
    assert output_name(parse_expression(text)) == name
