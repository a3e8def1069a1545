"""One emulator with its console, and one browser, for all tests of the console."""

from __future__ import annotations

import itertools
import urllib.parse

import pytest

import spanemu
from tests.console.browser import CHROMIUM, DRIVER, Browser

SCHEMA = """
CREATE TABLE Singers (
  SingerId INT64 NOT NULL,
  Name STRING(MAX),
) PRIMARY KEY (SingerId);
CREATE TABLE Albums (
  SingerId INT64 NOT NULL,
  AlbumId INT64 NOT NULL,
  Title STRING(MAX),
) PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
CREATE INDEX AlbumsByTitle ON Albums (Title);
"""

_numbers = itertools.count(1)


@pytest.fixture(scope="package")
def emulator():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as running:
        yield running


@pytest.fixture(scope="package")
def browser(tmp_path_factory):
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("Chromium with its driver is not installed")
    opened = Browser(tmp_path_factory.mktemp("browser"))
    yield opened
    opened.close()


@pytest.fixture
def music(emulator, browser):
    """Yield a database of the test's own with two singers; leave the page before dropping it."""
    database = emulator.create_database(f"music-{next(_numbers)}", SCHEMA)
    with database.client().batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [[1, "Marc"], [2, "<b>Catalina</b>"]])
        batch.insert(
            "Albums", ["SingerId", "AlbumId", "Title"], [[1, n, f"Album {n}"] for n in range(1, 4)]
        )
    yield database
    browser.open("about:blank")
    database.drop()


@pytest.fixture
def console(browser, emulator):
    """Yield a function that opens a page; check afterwards that the browser logged nothing."""
    browser.open("about:blank")  # which asks for nothing more
    browser.log()

    def opened(page="databases", **query):
        hash_ = f"{page}?{urllib.parse.urlencode(query, doseq=True)}"
        browser.open("about:blank")
        browser.open(f"{emulator.rest_uri}/console/#{hash_}")
        browser.until("document.querySelector('#menu a') && !document.hidden")
        return browser

    yield opened
    assert browser.log() == []
