"""The documentation: its blocks work, and it builds without a warning.

`tests.pages` follows whole pages, word for word; `tests.tidy` looks for dead links.
"""

import re
import runpy
import shutil
import subprocess
import sys
import uuid
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

import pytest_spanemu
import spanemu
from spanemu.cli import main
from tests.installed import needs
from tests.plugin.conftest import SCHEMA

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page, language):
    """Return the code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site; a warning fails."""
    for package in ("sphinx", "myst_parser", "furo"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-d", folder / "trees", DOCS, folder / "html"],
        check=True, timeout=200,
    )  # fmt: skip
    return folder / "html"


def test_the_site_has_a_page_for_each_page(site):
    pages = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    left_out = {page for page in pages if page.parts[0] in ("clients", "examples")}
    built = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    assert not pages - left_out - built


def test_the_site_has_a_search(site):
    assert (site / "search.html").is_file()
    assert "spanner_clock" in (site / "searchindex.js").read_text(encoding="utf-8")


def test_the_site_loads_nothing_from_other_hosts(site):
    loads = re.compile(
        r"<(?:script|img|iframe)[^>]*src=\"(?:https?:)?//|<link[^>]*href=\"(?:https?:)?//"
    )
    for page in site.rglob("*.html"):
        assert not loads.findall(page.read_text(encoding="utf-8"))
    for sheet in site.rglob("*.css"):
        assert not re.findall(r"url\(['\"]?(?:https?:)?//", sheet.read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", [spanemu, pytest_spanemu])
def test_the_pages_of_the_api_have_each_public_name(package):
    text = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    public = {name for name in package.__all__ if not name.startswith("__")}
    assert public <= set(re.findall(r"\w+", text))


def test_the_pages_of_the_api_show_docstrings(site):
    text = (site / "api" / "emulators.html").read_text(encoding="utf-8")
    assert "An emulator in this process" in text
    assert "create_database" in text


def test_the_page_on_emulators_runs(capsys):
    (program,) = blocks("api/emulators.md", "python")
    exec(compile(program, "music.py", "exec"), {})
    assert "Jones" in capsys.readouterr().out


def test_the_page_on_schema_files_runs(capsys):
    (program,) = blocks("how-to/ddl.md", "python")
    exec(compile(program, "ddl.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "ALTER TABLE Singers ALTER COLUMN Name STRING(MAX) ",
        "CREATE INDEX ByName ON Singers(Name) ",
    ]
    assert lines[2:4] == ["1 CreateIndex", "1 DropTable"]


# ---------------------------------------------------------------------------- blocks that run

ORDERS = """
CREATE TABLE Orders (OrderId STRING(36), Status STRING(9), Cents INT64) PRIMARY KEY (OrderId);
CREATE INDEX OrdersByStatus ON Orders (Status);
"""


def test_the_page_of_the_plugin_runs(music):
    test, assertions, rows, _, _, ingest = blocks("plugin.md", "python")
    events = "CREATE TABLE Events (Id STRING(36)) PRIMARY KEY (Id);"
    music.file("schema.sql", SCHEMA + events)
    saving = """
import uuid

def save_event(database, n):
    with database.batch() as batch:
        batch.insert("Events", ["Id"], [[str(uuid.uuid4())]])

def open_orders(database):
    with database.snapshot() as snapshot:
        list(snapshot.execute_sql("SELECT Id FROM Events WHERE Id = 'a'"))

"""
    music.run(test + assertions + rows + saving + ingest).assert_outcomes(passed=4)


def test_the_page_of_the_plugin_follows_time(music):
    needs("freezegun")
    _, _, _, following, frozen, _ = blocks("plugin.md", "python")
    music.run_apart(following).assert_outcomes(passed=1)
    using = """
import datetime

def test_now():
    assert datetime.date.today() == datetime.date(2024, 1, 1)
"""
    music.run_apart(frozen + using).assert_outcomes(passed=1)


def test_the_page_on_full_text_search_runs(project):
    (schema,) = blocks("how-to/full-text-search.md", "sql")
    application, tests = blocks("how-to/full-text-search.md", "python")
    project.file("schema.sql", schema)
    project.file("blog.py", application)
    project.run(tests).assert_outcomes(passed=3)


def test_the_page_on_queues_runs(project):
    (schema,) = blocks("how-to/queues.md", "sql")
    application, tests = blocks("how-to/queues.md", "python")
    project.file("schema.sql", schema)
    project.file("shop.py", application)
    project.run(tests).assert_outcomes(passed=2)


def test_the_page_on_fastapi_runs(project):
    needs("fastapi", "httpx")
    app, tests, starting = blocks("how-to/fastapi.md", "python")
    project.file("schema.sql", ORDERS)
    project.file(
        "app.py",
        app + "\n\ndef create_app() -> FastAPI:\n"
        "    database = Client().instance(os.environ['SPANNER_INSTANCE_ID'])"
        ".database(os.environ['SPANNER_DATABASE_ID'])\n"
        "    app.dependency_overrides[get_database] = lambda: database\n    return app\n\n"
        "import os\n",
    )
    project.file(
        "test_starting.py",
        tests.replace("app, get_database", "create_app").replace(
            tests[tests.index("@pytest.fixture") : tests.index("def test_open")], starting + "\n\n"
        ),
    )
    result = project.run_apart(tests, "-W", "ignore::DeprecationWarning", "-p", "no:warnings")
    result.assert_outcomes(passed=2)


def test_the_page_on_clients_runs(music):
    music.run("".join(blocks("how-to/clients.md", "python"))).assert_outcomes(passed=4)


def test_the_page_on_change_streams_runs(project):
    (schema,) = blocks("how-to/change-streams.md", "sql")
    tests, reading = blocks("how-to/change-streams.md", "python")
    project.file("schema.sql", schema)
    project.ini("pythonpath = .\n")
    shutil.copy(DOCS / "change_stream_reader.py", project.path)
    project.run(f"{tests}\n\n{reading}").assert_outcomes(passed=3)


def test_the_reader_of_change_streams_publishes_an_outbox(capsys):
    reader = runpy.run_path(str(DOCS / "change_stream_reader.py"))
    with spanemu.Emulator() as emulator:
        reader["publish"](emulator.client())
    assert capsys.readouterr().out.splitlines() == ['orders {"order":7}', 'stock {"sku":"A"}']


def test_the_page_on_lint_runs(project, monkeypatch):
    monkeypatch.chdir(project.path)
    project.file("schema.sql", ORDERS)
    (program,) = blocks("lint.md", "python")
    exec(compile(program, "lint.md", "exec"), {})


def commands():
    """Return the commands of the pages that need no server, as lists of arguments."""
    lines = [
        line.partition("#")[0].split(" | ")[-1]
        for page in ("lint.md", "how-to/ddl.md")
        for block in blocks(page, "sh")
        for line in block.splitlines()
    ]
    return [
        pytest.param(line.split()[1:], id=" ".join(line.split()))
        for line in lines
        if line.startswith("spanemu") and "--database" not in line
    ]


@pytest.mark.parametrize("arguments", commands())
def test_the_commands_of_the_pages_run(project, monkeypatch, arguments):
    monkeypatch.chdir(project.path)
    for path in ("schema.sql", "old.sql", "new.sql", "db/schema.sql"):
        project.file(path, f"{ORDERS}CREATE TABLE Empty (Id STRING(9)) PRIMARY KEY (Id);\n")
    project.file("migrations/1_more.sql", "CREATE TABLE More (Id INT64) PRIMARY KEY (Id)")
    answer = CliRunner().invoke(main, arguments, input=ORDERS)
    assert answer.exit_code in (0, 1), answer.output
    assert "Usage:" not in answer.output


def test_the_page_on_backups_runs():
    with spanemu.Emulator() as emulator:
        handle = emulator.create_database("shop", schema=[ORDERS])
        database = handle.client()
        names = {
            "emulator": emulator, "database": database, "timedelta": timedelta,
            "instance": emulator.client().instance(emulator.instance),
        }  # fmt: skip
        (program,) = blocks("backups.md", "python")
        exec(compile(program, "backups.md", "exec"), names)
        assert names["restored"].exists()


def test_the_page_on_hotspots_runs(capsys):
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("shop", schema=[ORDERS, SCHEMA])

        def place(order):
            with database.client().batch() as batch:
                batch.insert("Orders", ["OrderId"], [[order]])

        def checkout(client):
            with client.batch() as batch:
                batch.insert("Singers", ["SingerId", "Name"], [[1, "Marc"]])

        names = {
            "emulator": emulator, "database": database, "place": place, "checkout": checkout,
            "orders": lambda count: [str(uuid.uuid4()) for _ in range(count)],
            "write_many": lambda: [place(str(uuid.uuid4())) for _ in range(20)],
        }  # fmt: skip
        watching, splits = blocks("hotspots.md", "python")
        exec(compile(watching, "hotspots.md", "exec"), names)
        exec(compile(splits, "hotspots.md", "exec"), names)
    assert "Singers" in capsys.readouterr().out


def test_the_page_on_models_runs(project):
    (schema,) = blocks("how-to/models.md", "sql")
    application, tests = blocks("how-to/models.md", "python")
    project.file("schema.sql", schema)
    project.file("shop.py", application)
    project.run(tests).assert_outcomes(passed=3)
