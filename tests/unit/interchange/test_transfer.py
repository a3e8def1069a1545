"""What a dump holds, a load restores: every type, in both dialects and all formats."""

from __future__ import annotations

import io
import re

import pytest

from spanemu.interchange.folder import read_folder, write_folder
from spanemu.interchange.parts import EVERYTHING, Choice, UnknownTable, dump_source
from spanemu.interchange.row_files import Csv, JsonLines
from spanemu.interchange.sql_text import write_sql
from spanemu.interchange.transfer import LoadRejected, load_folder, load_sql
from tests.unit.interchange.all_types import rows

DIALECTS = ["googlesql", "postgresql"]
FORMS = {"jsonl": JsonLines(), "csv": Csv(), "header": Csv(header=True, null="", delimiter="|")}


def dumped_sql(databases, database, choice=EVERYTHING):
    text = io.StringIO()
    with databases.connection(database) as connection, dump_source(connection, choice) as source:
        write_sql(text, source)
    return text.getvalue()


def dump_files(databases, database, folder, form, choice=EVERYTHING):
    with databases.connection(database) as connection, dump_source(connection, choice) as source:
        write_folder(folder, source, form)


def load_text(databases, database, text):
    with databases.connection(database) as connection:
        load_sql(connection, io.StringIO(text), connection.dialect(), "dump.sql")


def load_files(databases, database, folder, form, choice=EVERYTHING):
    with databases.connection(database) as connection:
        load_folder(connection, read_folder(folder, form.suffix), form, choice)


def without_counters(statements):
    """Return statements without the counters of sequences, which a load moves forward."""
    text = " ".join(";\n".join(statements).split())
    text = re.sub(r",? ?(start_with_counter = |START COUNTER WITH |START COUNTER )\d+,?", "", text)
    text = re.sub(r"\s*,?\s*\)", ")", text)
    return re.sub(r"(?<=ALTER DATABASE )\S+", "db", text)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_sql_restores_schema_and_rows(databases, dialect):
    original, copy = databases.filled(dialect), databases.new(dialect)
    load_text(databases, copy, dumped_sql(databases, original))
    assert rows(copy, dialect) == rows(original, dialect)
    assert without_counters(copy.ddl()) == without_counters(original.ddl())


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_folders_restore_schema_and_rows(databases, dialect, form, tmp_path):
    original, copy = databases.filled(dialect), databases.new(dialect)
    dump_files(databases, original, tmp_path, FORMS[form])
    load_files(databases, copy, tmp_path, FORMS[form])
    assert rows(copy, dialect) == rows(original, dialect)
    assert without_counters(copy.ddl()) == without_counters(original.ddl())


def test_csv_with_a_header_takes_columns_in_any_order(databases, tmp_path):
    copy = databases.new(schema="CREATE TABLE T (A INT64, B STRING(9), C BOOL) PRIMARY KEY (A)")
    (tmp_path / "T.csv").write_text("C|A|B\ntrue|1|\nF|2|x\n")
    load_files(databases, copy, tmp_path, FORMS["header"])
    with copy.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT A, B, C FROM T ORDER BY A")) == [
            [1, None, True], [2, "x", False],
        ]  # fmt: skip


@pytest.mark.parametrize(("dialect", "column"), [("googlesql", "Seqd"), ("postgresql", "seqd")])
def test_sequences_continue_after_a_load(databases, dialect, column):
    original, copy = databases.filled(dialect), databases.new(dialect)
    load_text(databases, copy, dumped_sql(databases, original))
    table = "Everything" if dialect == "googlesql" else '"Every ""thing"'
    query = f"SELECT {column}, ident FROM {table}"
    with copy.client().snapshot() as snapshot:
        assert len(list(snapshot.execute_sql(query))) == 3
    copy.client().run_in_transaction(
        lambda transaction: transaction.execute_update(f"INSERT INTO {table} (id) VALUES (4), (5)")
    )
    with copy.client().snapshot() as snapshot:
        for values in zip(*snapshot.execute_sql(query), strict=True):
            assert len(set(values)) == 5


def test_change_streams_and_foreign_keys_follow_the_rows(databases):
    # So a load is no change that a stream records, and rows may come in any order.
    text = dumped_sql(databases, databases.filled("googlesql"))
    last_row = text.rindex("INSERT INTO")
    late = ("CREATE CHANGE STREAM", "FOREIGN KEY", "ON CHANGE STREAM")
    assert all(last_row < text.index(words) for words in late)
    assert text.index("CREATE INDEX") < last_row


def test_a_choice_of_tables_without_schema(databases, tmp_path):
    original, copy = databases.filled("googlesql"), databases.new()
    load_text(databases, copy, dumped_sql(databases, original, Choice(rows=False)))
    text = dumped_sql(databases, original, Choice(tables=["EVERYTHING"], schema=False))
    assert re.findall(r"(?m)^[A-Z]+ [A-Z]+ \S+", text) == ["INSERT INTO `Everything`"]
    dump_files(databases, original, tmp_path, JsonLines())
    load_files(databases, copy, tmp_path, JsonLines(), Choice(tables=["Everything"], schema=False))
    with copy.client().snapshot(multi_use=True) as snapshot:
        counts = "SELECT (SELECT COUNT(*) FROM Everything), (SELECT COUNT(*) FROM Child)"
        assert list(snapshot.execute_sql(counts)) == [[3, 0]]


def test_an_unknown_table_is_refused(databases):
    with pytest.raises(UnknownTable, match="Nobody"):
        dumped_sql(databases, databases.filled("googlesql"), Choice(tables=["Nobody"]))


def test_rows_that_exist_name_the_file_and_its_lines(databases, tmp_path):
    copy = databases.new(schema="CREATE TABLE T (A INT64) PRIMARY KEY (A)")
    (tmp_path / "T.jsonl").write_text('{"A": 1}\n\n{"A": "1"}\n')
    with pytest.raises(LoadRejected, match=r"T\.jsonl: lines 1 to 3: .*already exists"):
        load_files(databases, copy, tmp_path, JsonLines())


def test_rows_with_different_columns_are_loaded_in_one_commit(databases, tmp_path):
    copy = databases.new(schema="CREATE TABLE T (A INT64, B INT64) PRIMARY KEY (A)")
    (tmp_path / "T.jsonl").write_text('{"A": 1}\n{"A": 2, "B": 3}\n{"A": "x"}\n')
    with pytest.raises(LoadRejected, match=r"T\.jsonl: line 3: "):
        load_files(databases, copy, tmp_path, JsonLines())
    with copy.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM T")) == [[0]]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("CREATE TABLE T (A INT64) PRIMARY KEY (A);\n\nINSERT INTO T (A) VALUES ('x');", ":3: "),
        (
            "CREATE TABLE T (A INT64) PRIMARY KEY (A);\nINSERT INTO T (A) VALUES (1 + 1);\n"
            "INSERT INTO T (A) VALUES ('x');\nDELETE T WHERE TRUE;",
            ":3: ",
        ),
        ("-- a comment;\nCREATE TABLE T (A INT64) PRIMARY KEY (B);", ":2: "),
        ("CREATE TABLE T (A INT64) PRIMARY KEY (A);\nDROP TABLE U;", ": lines 1 to 2: "),
    ],
)
def test_a_refused_statement_is_named_by_its_line(databases, text, place):
    with pytest.raises(LoadRejected, match=f"^dump.sql{place}"):
        load_text(databases, databases.new(), text)


def test_rows_beyond_a_commit_are_loaded_in_several(databases, tmp_path, monkeypatch):
    monkeypatch.setattr("spanemu.interchange.transfer.MUTATIONS_PER_COMMIT", 10)
    copy = databases.new(schema="CREATE TABLE T (A INT64, B INT64) PRIMARY KEY (A)")
    lines = [f'{{"A": {number}, "B": null}}\n' for number in range(25)]
    (tmp_path / "T.jsonl").write_text("".join(lines))
    with copy.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM T")) == [[0]]
    load_files(databases, copy, tmp_path, JsonLines())
    with copy.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM T")) == [[25]]
