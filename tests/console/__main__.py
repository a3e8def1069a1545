"""Draws the pictures of docs/images anew: python -m tests.console

Run it when the pages have changed, and look at the pictures: nothing compares them.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from google.api_core.exceptions import GoogleAPICallError

import spanemu
from spanemu.api.embedded import EmbeddedDatabase
from tests.console.browser import Browser
from tests.pages.blocks import blocks

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1120, 720
PLAN = """SELECT s.LastName, COUNT(*) AS Albums
FROM Singers AS s JOIN Albums AS a USING (SingerId)
WHERE s.LastName > @name
GROUP BY s.LastName ORDER BY Albums DESC LIMIT 3"""
LOAD = """CREATE TABLE Counters (Name STRING(20) NOT NULL, N INT64) PRIMARY KEY (Name);
CREATE TABLE Orders (OrderId INT64 NOT NULL, Total INT64) PRIMARY KEY (OrderId);
CREATE TABLE Users (UserId STRING(36) NOT NULL, Seen TIMESTAMP) PRIMARY KEY (UserId);
CREATE INDEX UsersBySeen ON Users (Seen)"""

SUITE = """
import pytest

def test_a_singer_is_added(spanner_database):
    for number in range(60):
        with spanner_database.batch() as batch:
            batch.insert("Singers", ["SingerId", "LastName"], [[10 + number, "Richards"]])

def test_singers_are_found_by_name(spanner_database):
    with spanner_database.snapshot() as snapshot:
        list(snapshot.execute_sql("SELECT SingerId FROM Singers WHERE FirstName = 'Marc'"))

@pytest.mark.spanner_budget(queries=1)
def test_an_album_has_its_songs(spanner_database):
    for _ in range(3):
        with spanner_database.snapshot() as snapshot:
            list(snapshot.execute_sql("SELECT AlbumTitle FROM Albums WHERE SingerId = 1"))

def test_titles_are_unique(spanner_database):
    with spanner_database.snapshot() as snapshot:
        (row,) = snapshot.execute_sql("SELECT COUNT(*) FROM Albums")
    assert row == [2]
"""


def draw_report(folder: Path) -> Path:
    """Run a suite, and return the file with its report."""
    schema = (ROOT / "fixtures" / "music.sql").read_text()
    return report_of(folder, "report", {"schema.sql": schema, "test_music.py": SUITE})


def draw_race(folder: Path) -> Path:
    """Run the exploration of the README, and return the file with its report."""
    page = blocks(ROOT / "README.md")
    (suite,) = [block.text for block in page if block.file == "test_visits.py"]
    return report_of(folder, "race", {"schema.sql": "", "test_visits.py": suite})


def report_of(folder: Path, name: str, files: dict[str, str]) -> Path:
    """Run tests in a folder of their own, and return the file with their report."""
    home = folder / name
    home.mkdir()
    for file, text in files.items():
        (home / file).write_text(text)
    schema = ["--spanner-schema=schema.sql"] if files["schema.sql"] else []
    options = ["-q", *schema, f"--spanner-report=html:{name}.html"]
    command = [sys.executable, "-m", "pytest", *options]
    done = subprocess.run(command, cwd=home, check=False, capture_output=True, timeout=120)
    assert done.returncode == 1, done.stdout.decode()  # some tests fail
    return home / f"{name}.html"


def fill(music: EmbeddedDatabase) -> None:
    """Write singers and their albums."""
    names = ["Richards", "Smith", "Trentor", "Martin", "Lomond"]
    with music.client().batch() as batch:
        singers = [[n, f"Singer {n}", names[n % 5]] for n in range(1, 61)]
        batch.insert("Singers", ["SingerId", "FirstName", "LastName"], singers)
        albums = [[n, k, f"Album {k} of {n}"] for n in range(1, 61) for k in range(1, 4)]
        batch.insert("Albums", ["SingerId", "AlbumId", "AlbumTitle"], albums)


def draw_heatmap(emulator: spanemu.Emulator, path: Path) -> None:
    """Write the heatmap page of a hot row, monotonic keys and random keys."""
    chance = random.Random(3)
    database = emulator.create_database("load", LOAD)
    hotspots, client = emulator.hotspots(database), database.client()
    counters = [f"c{n:02}" for n in range(24)]
    with client.batch() as batch:
        batch.insert("Counters", ["Name", "N"], [[name, 0] for name in counters])
    start = datetime(2026, 11, 1, tzinfo=UTC)
    for n in range(360):
        counter = "c07" if chance.random() < 0.66 else chance.choice(counters)
        user = str(uuid.UUID(int=chance.getrandbits(128)))
        with client.batch() as batch:
            batch.update("Counters", ["Name", "N"], [[counter, n]])
        with client.batch() as batch:
            batch.insert("Orders", ["OrderId", "Total"], [[1000 + n, n]])
        with client.batch() as batch:
            batch.insert("Users", ["UserId", "Seen"], [[user, start + timedelta(seconds=n)]])
    hotspots.heatmap(path)
    database.drop()


@contextmanager
def waiting(music: EmbeddedDatabase) -> Iterator[None]:
    """Keep three transactions open, two of which wait for the first."""
    over = threading.Event()

    def hold(name: str) -> None:
        def work(transaction: object) -> None:
            sql = f"UPDATE Singers SET FirstName = CONCAT(FirstName, ', {name}') WHERE SingerId = 7"
            transaction.execute_update(sql)
            if name == "checkout":
                over.wait(9)  # Later, the others would take its locks, because it is idle.

        with suppress(GoogleAPICallError):
            music.client().run_in_transaction(work, transaction_tag=name)

    threads = [
        threading.Thread(target=hold, args=(name,), daemon=True)
        for name in ("checkout", "refund", "invoice")
    ]
    for thread in threads:
        thread.start()
        time.sleep(0.3)
    yield
    over.set()
    for thread in threads:
        thread.join(30)


def main() -> None:
    """Draw all pictures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        spanemu.Emulator(rest_host_port="127.0.0.1:0") as emulator,
    ):
        page = Path(folder) / "heatmap.html"
        draw_heatmap(emulator, page)
        music = emulator.create_database("music", ROOT / "fixtures" / "music.sql")
        fill(music)
        shop = emulator.create_database("shop", ROOT / "fixtures" / "orders.sql")
        browser = Browser(Path(folder), WIDTH, HEIGHT)

        def picture(
            name: str,
            uri: str,
            ready: str,
            before: Callable[[], None] | None = None,
            height: int = HEIGHT,
        ) -> None:
            browser.resize(WIDTH, height)
            browser.open("about:blank")
            browser.open(uri)
            if before is not None:
                before()
            browser.until(ready)
            time.sleep(0.3)
            browser.picture(IMAGES / f"{name}.png")

        def console(name: str, ready: str, **query: str) -> tuple[str, str]:
            hash_ = urllib.parse.urlencode({"database": music.name, **query})
            return f"{emulator.rest_uri}/console/#{name}?{hash_}", ready

        try:
            picture(
                "heatmap",
                page.as_uri(),
                "document.querySelector('canvas').height > 100",
                height=860,
            )
            report = draw_report(Path(folder))
            picture("report", report.as_uri(), "document.querySelector('details.test')", height=860)
            browser.open(draw_race(Path(folder)).as_uri())
            browser.picture_of(".lanes", IMAGES / "race.png", margin=12)
            sql = console("sql", "document.querySelector('.plan')", sql=PLAN)
            picture("console-sql", *sql, before=lambda: browser.click("#profile"), height=1180)
            picture(
                "console-schema",
                *console(
                    "schema", "document.querySelector('pre')", database=shop.name, table="Orders"
                ),
            )
            browser.scheme("dark")
            with waiting(music):
                waits = "document.querySelectorAll('.plan ul [data-transaction]').length == 2"
                picture("console-transactions", *console("transactions", waits))
        finally:
            browser.close()


if __name__ == "__main__":
    main()
