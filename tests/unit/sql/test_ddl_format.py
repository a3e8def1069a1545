"""Formatting of schema files in PostgreSQL; `tests/unit/ddl/test_api.py` has GoogleSQL's."""

from __future__ import annotations

import pytest

from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql.dialects import dialect_of
from spanemu.sql.errors import DdlSyntaxFailure

DIALECT = dialect_of(POSTGRESQL)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "create table \"T\"(id bigint not null,v varchar( 10 )default 'x'::text,tags text[],"
            "primary key(id))interleave in parent p on delete cascade",
            "CREATE TABLE \"T\" (\n  id bigint NOT NULL,\n  v varchar(10) DEFAULT 'x'::text,\n"
            "  tags text[],\n  PRIMARY key(id)\n) interleave IN parent p ON delete cascade;\n",
        ),
        ("create  index i on t(a desc)", "CREATE INDEX i ON t(a DESC);\n"),
        ("create role sequence", "CREATE ROLE sequence;\n"),
        ("-- a\ndrop table t;\n\n\n-- b", "-- a\nDROP TABLE t;\n\n-- b\n"),
    ],
)
def test_formatted_text(text: str, expected: str) -> None:
    assert DIALECT.format_ddl(text) == expected
    assert DIALECT.format_ddl(expected) == expected


def test_a_statement_with_a_comment_or_a_query_keeps_its_layout() -> None:
    for text in (
        "create table t (\n  id bigint primary key /* key */\n)",
        "create view v sql security invoker as\n  select 1 as a",
    ):
        assert DIALECT.format_ddl(text) == f"{text};\n"


def test_invalid_text_is_refused() -> None:
    with pytest.raises(DdlSyntaxFailure):
        DIALECT.format_ddl("CREATE TABLE t (a bigint PRIMARY KEY,)")
