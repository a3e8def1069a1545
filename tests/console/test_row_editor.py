"""The row editor: a change writes the columns that were changed, and no others."""

from __future__ import annotations

import json
import urllib.request

import pytest

pytestmark = pytest.mark.toolchain

TEXT = 'tab\tand "quotes"\r\nsecond\rthird\n\n  last, with a space \n'
GOOGLESQL = """
CREATE TABLE Everything (
  Id INT64 NOT NULL, Text STRING(MAX), Long STRING(MAX), Flag BOOL, Whole INT64, Rate FLOAT64, Small FLOAT32,
  Price NUMERIC, Raw BYTES(MAX), Day DATE, Seen TIMESTAMP, Doc JSON, Uid UUID,
  Texts ARRAY<STRING(MAX)>, Wholes ARRAY<INT64>, Rates ARRAY<FLOAT64>, Flags ARRAY<BOOL>, Raws ARRAY<BYTES(MAX)>,
  Days ARRAY<DATE>, Docs ARRAY<JSON>, Nothing STRING(MAX), Empty STRING(MAX),
  Said STRING(MAX) DEFAULT ('as told'), Even INT64 AS (Whole - MOD(Whole, 2)) STORED,
) PRIMARY KEY (Id)
"""
POSTGRESQL = """
CREATE TABLE everything (
  id bigint PRIMARY KEY, text varchar, long text, flag boolean, whole bigint, rate double precision, small real,
  price numeric, raw bytea, day date, seen timestamptz, doc jsonb, uid uuid,
  texts varchar[], wholes bigint[], rates double precision[], flags boolean[], raws bytea[],
  days date[], docs jsonb[], nothing varchar, empty varchar,
  said varchar DEFAULT 'as told', even bigint GENERATED ALWAYS AS (whole - mod(whole, 2)) STORED
)
"""
ROW = {
    "Id": 7,
    "Text": TEXT,
    "Long": f"{TEXT}{'words and words ' * 400}",
    "Flag": True,
    "Whole": 2**62 + 1,
    "Rate": 0.1,
    "Small": 0.25,
    "Price": "12345678901234567890.123456789",
    "Raw": b"AP8Kdw==",
    "Day": "2026-11-29",
    "Seen": "2026-11-29T10:30:00.123456789Z",
    "Doc": '{"n":12345678901234567,"t":"a\\nb"}',
    "Uid": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "Texts": ["one\r\ntwo", None, ""],
    "Wholes": [2**62 + 1, None],
    "Rates": [0.1, float("inf")],
    "Flags": [True, None],
    "Raws": [b"AP8="],
    "Days": ["2026-11-29"],
    "Docs": ['{"a":[1,2]}', None],
    "Nothing": None,
    "Empty": "",
    "Said": "something else",
}


@pytest.fixture(params=["googlesql", "postgresql"])
def table(request, emulator):
    """Yield a database with a table of every type and one row; its table's name."""
    is_googlesql = request.param == "googlesql"
    ddl, name = (GOOGLESQL, "Everything") if is_googlesql else (POSTGRESQL, "everything")
    database = emulator.create_database(f"every-{request.param}", ddl, dialect=request.param)
    row = ROW if is_googlesql else {column.lower(): value for column, value in ROW.items()}
    with database.client().batch() as batch:
        batch.insert(name, list(row), [list(row.values())])
    yield database, name, list(row)
    database.drop()


@pytest.fixture
def stored(table, emulator):
    """Return a function that returns the stored row with a key by column, as JSON has it."""
    database, name, columns = table
    session = database.client().session()
    session.create()

    def stored(key=7):
        sql = f"SELECT * FROM {name} WHERE {columns[0]} = {key}"
        uri = f"{emulator.rest_uri}/v1/{session.name}:executeSql"
        body = json.dumps({"sql": sql}).encode()
        asked = urllib.request.Request(uri, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=60) as response:
            result = json.load(response)
        fields = [field["name"] for field in result["metadata"]["rowType"]["fields"]]
        (row,) = result["rows"]
        return dict(zip(fields, row, strict=True))

    return stored


@pytest.fixture
def editor(table, console):
    """Return the page of the rows, which keeps the mutations that it sends."""
    database, name, _ = table
    page = console("rows", database=database.name, table=name)
    page.run("""const real = window.fetch;
        window.sent = [];
        window.fetch = (path, options) => {
          if (path.endsWith(":commit")) sent.push(...JSON.parse(options.body).mutations);
          return real(path, options);
        };""")
    return page


def write(page, column, text):
    """Give the field of a column another text, as a person does: with an input event."""
    page.run(
        """const field = document.querySelector(`dialog [aria-label="${arguments[0]}"]`);
        field.value = arguments[1];
        field.dispatchEvent(new Event("input", { bubbles: true }));""",
        column,
        text,
    )


def text_of(page, column):
    script = 'return document.querySelector(`dialog [aria-label="${arguments[0]}"]`).value'
    return page.run(script, column)


def edit(page, key="7"):
    # Not by a click in two steps: the rows may be drawn anew between them.
    script = """[...document.querySelectorAll("button")].some(each =>
        each.getAttribute("aria-label") === arguments[0] && !each.click())"""
    page.until(script, f"Edit {key}")
    page.until("document.querySelector('dialog[open]')")


NEW = {
    "flag": ("false", False),
    "whole": ("-9223372036854775808", "-9223372036854775808"),
    "rate": ("1e300", 1e300),
    "small": ("-0.5", -0.5),
    "price": ("-0.000000001", "-0.000000001"),
    "raw": ("AAA=", "AAA="),
    "day": ("2000-02-29", "2000-02-29"),
    "seen": ("2000-01-01T00:00:00Z", "2000-01-01T00:00:00Z"),
    "uid": ("00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000000"),
    "texts": ('["a\\nb", null]', ["a\nb", None]),
    "wholes": ("[9223372036854775807, null]", ["9223372036854775807", None]),
    "rates": ("[1.5, -Infinity]", [1.5, "-Infinity"]),
    "flags": ("[false, null]", [False, None]),
    "raws": ('["AAA="]', ["AAA="]),
    "days": ('["2000-02-29"]', ["2000-02-29"]),
    "doc": ("[]", "[]"),
    "docs": ('["{}"]', ["{}"]),
}


def test_each_column_is_written_alone(editor, table, stored):
    # All other columns stay byte for byte as they were.
    _, name, columns = table
    for column in columns[1:]:
        typed, expected = NEW.get(column.lower(), ("another\ntext", "another\ntext"))
        before = stored()
        edit(editor)
        write(editor, column, typed)
        editor.press("Save")
        editor.see(f"The row was saved: {column}.")
        after = stored()
        if isinstance(before[column], str) and "\r" in before[column]:
            expected = expected.replace("\n", "\r\n")
        assert after[column] == expected, column
        derived = {"whole": "even"}.get(column.lower())
        differing = {each.lower() for each in after if after[each] != before[each]}
        assert differing == {column.lower(), derived} - {None}
        assert editor.run("return sent.at(-1)") == {
            "update": {"table": name, "columns": [columns[0], column], "values": [["7", expected]]}
        }


def test_a_row_that_was_not_changed_is_not_written(editor, stored):
    before = stored()
    edit(editor)
    editor.press("Save")
    editor.see("Nothing was changed.")
    assert editor.run("return sent") == []
    assert stored() == before


def test_line_breaks_around_a_change_stay(editor, table, stored):
    text = table[2][1]
    edit(editor)
    shown = text_of(editor, text)
    assert shown == TEXT.replace("\r\n", "\n").replace("\r", "\n")
    write(editor, text, shown.replace("quotes", "longer\nquotes"))
    editor.press("Save")
    editor.see("The row was saved")
    assert stored()[text] == TEXT.replace("quotes", "longer\r\nquotes")


def test_null_the_empty_text_and_a_value_differ_in_a_dialog(editor, table, stored):
    columns = {column.lower(): column for column in table[2]}
    nothing, empty, text = columns["nothing"], columns["empty"], columns["text"]
    edit(editor)
    is_null = (
        'return document.querySelector(`dialog [aria-label="${arguments[0]} is NULL"]`).checked'
    )
    assert [editor.run(is_null, each) for each in (nothing, empty, text)] == [True, False, False]
    for column in (nothing, text):
        editor.click(f"dialog [aria-label='{column} is NULL']")
    editor.press("Save")
    editor.see("The row was saved")
    row = stored()
    assert (row[nothing], row[empty], row[text]) == ("", "", None)


def test_a_default_differs_from_null_in_a_dialog(editor, table, stored):
    columns = {column.lower(): column for column in table[2]}
    id_, said, empty = columns["id"], columns["said"], columns["empty"]
    editor.press("Insert a row")
    write(editor, id_, "8")
    write(editor, empty, "")
    editor.press("Insert")
    editor.until("document.querySelectorAll('.grid tbody tr').length === 2")
    assert editor.run("return sent.at(-1).insert.columns") == [id_, empty]
    row = stored(8)
    assert (row[said], row[empty], row[columns["text"]]) == ("as told", "", None)
    editor.press("Insert a row")
    write(editor, id_, "9")
    editor.click(f"dialog [aria-label='{said} is NULL']")
    editor.press("Insert")
    editor.until("document.querySelectorAll('.grid tbody tr').length === 3")
    assert stored(9)[said] is None


@pytest.mark.parametrize(
    ("column", "typed"), [("rate", "a lot"), ("rate", ""), ("flags", "[yes]"), ("wholes", "1, 2")]
)
def test_invalid_values_are_refused_in_the_dialog(editor, table, stored, column, typed):
    before, name = stored(), {each.lower(): each for each in table[2]}[column]
    edit(editor)
    write(editor, name, typed)
    editor.press("Save")
    editor.until("document.querySelector('dialog [role=alert]')")
    assert editor.run(
        "return document.querySelector('dialog [role=alert]').textContent"
    ).startswith(name)
    assert editor.run("return document.activeElement.getAttribute('aria-label')") == name
    assert stored() == before
    editor.keys("Escape")


def test_edit_and_delete_stay_in_view_of_a_wide_row(editor):
    editor.until("document.querySelector('.grid tbody .actions')")
    for width in (400, 1280):
        editor.resize(width, 900)
        editor.run("document.querySelector('.grid').scrollLeft = 300")
        shown = editor.run("""const grid = document.querySelector(".grid").getBoundingClientRect();
            return [...document.querySelectorAll(".grid tbody tr:first-child button")].map(each => {
              const box = each.getBoundingClientRect();
              const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
              return box.left >= grid.left && box.right <= grid.right && there === each;
            });""")
        assert shown == [True, True]
    editor.resize(1280, 900)


def test_a_dialog_closes_when_its_page_is_left(editor):
    edit(editor)
    editor.run("location.hash = '#clock'")
    editor.until("document.querySelector('#face')?.textContent")
    assert editor.run("return document.querySelectorAll('dialog').length") == 0


def test_a_key_that_is_computed_is_found_with_its_columns(console, emulator):
    ddl = """CREATE TABLE Sharded (
        Name STRING(20), Shard INT64 AS (MOD(CHAR_LENGTH(Name), 4)) STORED, Note STRING(MAX)
        ) PRIMARY KEY (Shard, Name)"""
    database = emulator.create_database("sharded", ddl)
    with database.client().batch() as batch:
        batch.insert("Sharded", ["Name", "Note"], [["Marc", "old"]])
    page = console("rows", database=database.name, table="Sharded")
    page.press("Edit 0, Marc")
    write(page, "Note", "new")
    page.press("Save")
    page.until("document.querySelector('.grid tbody').innerText.includes('new')")
    with database.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT * FROM Sharded")) == [["Marc", 0, "new"]]
    database.drop()
