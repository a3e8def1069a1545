"""Schema, rows and SQL in the console, as a person sees them in a browser."""

import http.server
import threading

import pytest

pytestmark = pytest.mark.toolchain

PAGES = (
    "databases",
    "schema",
    "rows",
    "sql",
    "requests",
    "transactions",
    "sessions",
    "operations",
    "heatmap",
    "splits",
    "faults",
    "clock",
    "snapshots",
)
NAMED = (
    "button",
    "link",
    "textbox",
    "combobox",
    "checkbox",
    "spinbutton",
    "searchbox",
    "treeitem",
    "dialog",
)

CELLS = "return [...document.querySelectorAll('.grid tbody td')].map(each => each.textContent)"


def test_a_table_is_created_filled_and_queried(console, music):
    page = console("sql", database=music.name)
    page.type("#sql", "CREATE TABLE Notes (Id INT64 NOT NULL, Text STRING(MAX)) PRIMARY KEY (Id);\n"
                      "INSERT INTO Notes (Id, Text) VALUES (1, 'a; b'), (2, NULL)")  # fmt: skip
    page.click("#run")
    page.see("1 schema statement")
    page.see("2 rows written")
    page.type("#sql", "SELECT Text, Id FROM Notes WHERE Id >= @least ORDER BY Id")
    page.type("[aria-label='least']", "1")
    page.run("document.querySelector(\"[aria-label='Type of least']\").value = 'INT64'")
    page.element("#sql")
    page.run("document.getElementById('sql').focus()")
    page.keys("Control", "Enter")
    page.see("2 rows in")
    cells = page.run(CELLS)
    assert cells == ["a; b", "1", "NULL", "2"]
    assert "CREATE TABLE Notes" in str(
        music.client().ddl_statements or music.client().reload() or music.client().ddl_statements
    )


def test_a_plan_is_drawn_with_its_figures(console, music):
    page = console(
        "sql",
        database=music.name,
        sql="SELECT s.Name, a.Title FROM Singers s JOIN Albums a USING (SingerId)",
    )
    page.click("#explain")
    page.until("document.querySelector('[role=tree] [role=treeitem] [role=treeitem]')")
    assert page.run("return document.querySelectorAll('.numbers').length") == 0
    page.click("#profile")
    page.until("document.querySelector('.numbers')")
    scans = page.run(
        "return [...document.querySelectorAll('.card.full')].map(each => each.innerText)"
    )
    assert any("Albums" in scan and "3 rows" in scan for scan in scans)
    widths = page.run(
        "return [...document.querySelectorAll('.time i')].map(each => each.getBoundingClientRect().width)"
    )
    assert max(widths) > 100
    page.run("document.querySelector('[role=treeitem]').focus()")
    page.keys("ArrowDown")
    assert page.run("return document.activeElement.getAttribute('aria-level')") == "2"


def test_values_that_come_in_parts_are_joined(console, music):
    with music.client().batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [[n, "x" * 2_500_000] for n in (7, 8)])
    page = console("sql", database=music.name)
    page.type("#sql", "SELECT Name, SingerId FROM Singers WHERE SingerId > 6 ORDER BY SingerId")
    page.click("#run")
    page.see("2 rows in")
    cells = page.run(CELLS)
    shown = f"{'x' * 2000} and 2,498,000 more characters"
    assert cells == [shown, "7", shown, "8"]
    page.type("#sql", "SELECT N FROM UNNEST(GENERATE_ARRAY(1, 9000)) AS N")
    page.click("#run")
    page.see("the first 1,000 rows in")


def test_an_explained_change_changes_nothing(console, music):
    page = console("sql", database=music.name)
    page.type("#sql", "DELETE FROM Singers WHERE TRUE")
    page.click("#explain")
    page.until("document.querySelector('[role=treeitem]')")
    assert music.open_transactions() == []
    with music.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM Singers")) == [[2]]


MARKED = "document.querySelector('main mark')?.textContent"
SELECTED = """const editor = document.getElementById("sql");
    return editor.value.slice(editor.selectionStart, editor.selectionEnd);"""


@pytest.mark.parametrize(
    ("sql", "line", "marked"),
    [
        ("SELECT Nam FROM Singers", "Line 1", "Nam"),
        ("SELECT 1;\n\n  SELECT SingerId,\n\tNam FROM Singers", "Line 4", "Nam"),
        ("SELECT '\N{GRINNING FACE}', \tNam FROM Singers", "Line 1", "Nam"),
        ("SELECT 1 +", "Line 1", "\N{NO-BREAK SPACE}"),
        ("CREATE TABLE A (\n  Id INT64,\n) PRIMARY KEX (Id)", "Line 3", "PRIMARY"),
    ],
)
def test_an_error_marks_its_place(console, music, sql, line, marked):
    page = console("sql", database=music.name, sql=sql)
    page.click("#run")
    assert page.until(MARKED) == marked
    page.see("INVALID_ARGUMENT")
    page.see(line)
    page.press("Show in the editor")
    assert page.run("return document.activeElement.id") == "sql"
    assert page.run(SELECTED) == marked.strip("\N{NO-BREAK SPACE}")
    page.log()  # Chromium reports every response with a status of 400


def test_an_error_of_postgresql_marks_its_place(console, emulator):
    schema = "CREATE TABLE notes (id bigint PRIMARY KEY)"
    database = emulator.create_database("pgmarks", schema, dialect="postgresql")
    page = console("sql", database=database.name, sql="SELECT 1;\nSELECT id,\n\tnam FROM notes")
    page.click("#run")
    assert page.until(MARKED) == "nam"
    page.see("Line 3")
    page.log()
    database.drop()


def test_an_error_in_a_schema_change_marks_its_place(console, music):
    page = console("schema", database=music.name)
    page.press("Change the schema")
    page.type(
        "dialog textarea",
        "CREATE TABLE A (Id INT64) PRIMARY KEY (Id);\nCREATE TABLE B (Id INT64) PRIMARY KEX (Id)",
    )
    page.press("Apply")
    assert page.until("document.querySelector('dialog mark')?.textContent") == "PRIMARY"
    page.see("Line 2")
    page.log()


def test_the_schema_shows_interleaving(console, music):
    page = console("schema", database=music.name)
    page.press("Albums")
    page.see("When a parent row is deleted")
    nested = "document.querySelector('.tree li li a')"
    assert page.until(f"{nested}?.textContent") == "Albums"
    assert page.run(f"return {nested}.getAttribute('aria-current')") == "true"
    page.see("INTERLEAVE IN PARENT Singers ON DELETE CASCADE")
    page.see("AlbumsByTitle")


def test_rows_are_found_by_key_and_cells_are_escaped(console, music):
    page = console("rows", database=music.name, table="Singers")
    page.see("<b>Catalina</b>")
    assert page.run("return document.querySelectorAll('.grid td b').length") == 0
    page.type("[aria-label='SingerId']", "1")
    page.press("Find")
    page.until("!document.body.innerText.includes('Catalina')")
    page.press("Edit 1")
    page.type("dialog [aria-label='Name']", "Richards")
    page.press("Save")
    page.see("Richards")
    page.press("Delete 1")
    page.until("document.querySelector('dialog')")
    page.press("Delete")
    page.see("No row has such a key.")
    with music.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT SingerId FROM Singers")) == [[2]]


def test_postgresql_databases_have_the_same_pages(console, emulator):
    schema = "CREATE TABLE notes (id bigint PRIMARY KEY, body varchar); CREATE INDEX by_body ON notes (body)"
    database = emulator.create_database("pgnotes", schema, dialect="postgresql")
    with database.client().batch() as batch:
        batch.insert("notes", ["id", "body"], [[1, "one"], [2, None]])
    page = console("schema", database=database.name, table="notes")
    page.see("character varying")
    page.see("by_body")
    page.run("location.hash = arguments[0]", f"rows?database={database.name}&key=2")
    page.until("document.querySelectorAll('.grid tbody tr').length === 1")
    page.run(
        "location.hash = arguments[0]",
        f"sql?database={database.name}&sql=SELECT body FROM notes WHERE body = $1",
    )
    page.type("[aria-label='p1']", "one")
    page.click("#run")
    page.see("1 row in")
    database.drop()


def test_a_database_is_created_and_dropped(console, emulator, music):
    page = console()
    page.click("#new-database")
    page.type("dialog input", "made-here")
    page.type("dialog textarea", "CREATE TABLE T (Id INT64) PRIMARY KEY (Id);")
    page.press("Create")
    page.see("CREATE TABLE T (")
    page.press("Databases")
    page.press("Drop made-here")
    page.until("document.querySelector('dialog')")
    page.press("Drop")
    page.see("made-here was dropped.")
    page.until(
        "![...document.querySelectorAll('main td b')].some(each => each.textContent === 'made-here')"
    )


def test_every_control_has_a_name_and_every_page_its_landmarks(console, music):
    page = console("databases", database=music.name)
    for name in PAGES:
        page.run("location.hash = arguments[0]", f"{name}?database={music.name}")
        page.until(
            "document.querySelector('#title').textContent && !document.querySelector('main').innerText.includes('Loading')"
        )
        nodes = [
            node
            for node in page.devtools("Accessibility.getFullAXTree")["nodes"]
            if not node["ignored"]
        ]
        roles = [node["role"]["value"] for node in nodes]
        for role in ("banner", "navigation", "main"):
            assert roles.count(role) == 1, (name, role)
        nameless = [node["role"]["value"] for node in nodes
                    if node["role"]["value"] in NAMED and not node.get("name", {}).get("value", "").strip()]  # fmt: skip
        assert not nameless, name
        headings = page.run(
            "return [...document.querySelectorAll('h1')].map(each => each.textContent)"
        )
        assert len(headings) == 1
        assert (
            page.run("return document.querySelector('#menu [aria-current=page]').textContent")
            == headings[0]
        )


def test_the_tab_key_goes_from_the_top_to_the_content(console, music):
    page = console("rows", database=music.name, table="Singers")
    page.see("Marc")
    page.run("document.activeElement.blur()")
    seen = []
    for _ in range(24):
        page.keys("Tab")
        seen.append(
            page.run(
                "const e = document.activeElement; return e.getAttribute('aria-label') ?? e.id ?? ''"
            )
            or page.run("return document.activeElement.textContent.trim()")
        )
    order = [
        "Skip to the content",
        "spanemu",
        "database",
        "Keyboard shortcuts",
        "Databases",
        "Snapshots",
        "SingerId",
    ]
    places = [seen.index(each) for each in order]
    assert places == sorted(places)


def test_keys_lead_to_pages(console, music):
    page = console("databases", database=music.name)
    page.run("document.activeElement.blur()")
    page.keys("g")
    page.keys("s")
    page.until("document.querySelector('#title').textContent === 'Schema'")
    page.keys("?")
    page.until("document.querySelector('dialog[open]')")
    page.keys("Escape")
    page.until("!document.querySelector('dialog')")


def test_no_page_is_wider_than_the_screen(console, music):
    page = console("databases", database=music.name)
    try:
        for width in (320, 2200):
            page.resize(width, 800)
            for name in (
                "databases",
                "schema",
                "rows",
                "sql",
                "sessions",
                "operations",
                "splits",
                "faults",
            ):
                page.run(
                    "location.hash = arguments[0]", f"{name}?database={music.name}&table=Albums"
                )
                page.until(
                    "document.querySelector('#title').textContent.toLowerCase() === arguments[0] && !document.querySelector('main').innerText.includes('Loading')",
                    name,
                )
                assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0, (
                    name,
                    width,
                )
        page.scheme("dark")
        dark = page.run("return getComputedStyle(document.body).backgroundColor")
        page.scheme("light")
        assert (dark, page.run("return getComputedStyle(document.body).backgroundColor")) == (
            "rgb(22, 22, 26)",
            "rgb(255, 255, 255)",
        )
    finally:
        page.resize(1280, 900)


class Silent(http.server.BaseHTTPRequestHandler):
    """Another site with an empty page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    def log_message(self, *_):
        pass


ATTACKS = """
const [uri, session, done] = arguments, seen = {};
async function attempt(name, call) {
  try { seen[name] = await call(); } catch (error) { seen[name] = error.name; }
}
const text = async response => response.type + (await response.text());
const json = { "Content-Type": "application/json" };
(async () => {
  await attempt("read", async () => text(await fetch(uri + "/v1/projects/emulator-project/instances")));
  await attempt("clock", async () => text(await fetch(uri + "/spanemu/v1/clock")));
  await attempt("opaque", async () => text(await fetch(uri + "/console/", { mode: "no-cors" })));
  await attempt("write", async () => text(await fetch(uri + "/v1/" + session, { method: "DELETE" })));
  await attempt("simple", async () => text(await fetch(uri + "/v1/" + session + ":executeSql", { method: "POST", mode: "no-cors", body: '{"sql": "SELECT 1"}' })));
  await attempt("script", () => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = uri + "/console/console.js";
    script.onload = () => resolve("loaded"); script.onerror = () => resolve("refused");
    document.head.append(script);
  }));
  await attempt("frame", () => new Promise(resolve => {
    const frame = document.createElement("iframe");
    frame.src = uri + "/console/";
    frame.onload = () => { try { resolve(String(frame.contentDocument)); } catch (error) { resolve(error.name); } };
    document.body.append(frame);
  }));
  await attempt("window", () => { const opened = open(uri + "/console/"); try { return String(opened && opened.document.body.innerText); } finally { opened?.close(); } });
  done(seen);
})();
"""


def test_a_page_of_another_origin_can_read_nothing(browser, emulator, music):
    session = music.client().session()
    session.create()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent) as elsewhere:
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        try:
            browser.open(f"http://localhost:{elsewhere.server_port}/")
            seen = browser.run_async(ATTACKS, emulator.rest_uri, session.name)
        finally:
            elsewhere.shutdown()
    browser.log()
    assert {name: seen[name] for name in ("read", "clock", "write")} == dict.fromkeys(
        ("read", "clock", "write"), "TypeError"
    )
    assert seen["opaque"] in ("opaque", "TypeError")
    assert seen["simple"] in ("opaque", "TypeError")
    assert seen["script"] == "refused"
    assert seen["frame"] in ("null", "SecurityError")
    assert seen["window"] in ("null", "", "SecurityError")
    assert session.exists()
