"""Carets below a position of a statement."""

from __future__ import annotations

from spanemu.base.excerpts import excerpt, position_in, position_of_name

SQL = "SELECT Id,\n\tNam\nFROM Singers\nWHERE TRUE"


def test_the_caret_is_below_the_position() -> None:
    assert excerpt(SQL, 1, 8) == "    SELECT Id,\n           ^"
    assert excerpt(SQL, 2, 2, before=9, after=1) == (
        "    SELECT Id,\n    \tNam\n    \t^\n    FROM Singers"
    )


def test_blank_lines_before_the_statement_are_left_out() -> None:
    assert excerpt("\n \nSELECT", 3, 1, before=9) == "    SELECT\n    ^"


def test_the_end_of_a_line_is_a_position_and_the_end_of_the_text_is_none() -> None:
    assert excerpt("SELECT", 1, 8) == "    SELECT\n           ^"
    assert excerpt("SELECT", 2, 1) == ""


def test_a_long_line_is_cut_around_the_position() -> None:
    sql = f"SELECT {'1 + ' * 200}x"
    line, caret = excerpt(sql, 1, sql.index("x") + 1).split("\n")
    assert len(line) <= 124
    assert line[caret.index("^")] == "x"
    first, caret = excerpt(sql, 1, 8).split("\n")
    assert len(first) <= 124
    assert caret.index("^") == first.index("1")


def test_positions_are_read_from_messages() -> None:
    assert position_in("Unrecognized name: Nam [at 2:13]") == (2, 13)
    assert position_in("No parameter found for binding: p") is None


def test_a_name_is_found_where_a_statement_has_it_once() -> None:
    ddl = "CREATE TABLE T (\n  K INT64,\n  C INT64 AS (K + Z) STORED\n) PRIMARY KEY (K)"
    assert position_of_name(ddl, "generated column `T`.`C`: Unrecognized name: Z [at 1:5]") == (
        3,
        19,
    )
    assert (
        position_of_name(ddl, "Function not found: K") is None
    )  # The statement has it three times.
    assert position_of_name(ddl, "Unrecognized name: Zz") is None
    view = "CREATE VIEW v AS\n  SELECT nope, lowr(a) FROM gone"
    assert position_of_name(view, '[ERROR] column "nope" does not exist') == (2, 10)
    assert position_of_name(view, 'relation "gone" does not exist') == (2, 29)
    assert position_of_name(view, "[ERROR] function lowr(text) does not exist") == (2, 16)
    assert position_of_name(ddl, "Duplicate name in schema: T.") is None
