"""What happens now, in the console: requests, transactions, faults, the clock, snapshots."""

import socket
import threading
from datetime import timedelta

import pytest
from google.api_core.exceptions import Aborted
from google.cloud.spanner_v1 import KeySet

import spanemu

pytestmark = pytest.mark.toolchain


class Writer:
    """A transaction that updates the first singer."""

    def __init__(self, database, name, tag):
        session = database.client().session()
        session.create()
        self._transaction = session.transaction()
        self._transaction.transaction_tag = tag
        self._transaction.begin()
        self._name = name

    def update(self):
        sql = f"UPDATE Singers SET Name = CONCAT(Name, ' {self._name}') WHERE SingerId = 1"
        self._transaction.execute_update(sql)

    def commit(self):
        self._transaction.commit()


def test_a_lock_wait_is_seen_and_ended_by_an_abort(console, music):
    holder, waiter = Writer(music, "holder", "checkout"), Writer(music, "waiter", "refund")
    holder.update()
    done = []
    root = "document.querySelector('.tree > li > [data-transaction]').innerText"

    def wait():
        waiter.update()
        waiter.commit()
        done.append("committed")

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    page = console("transactions", database=music.name)
    page.until("document.querySelector('.tree ul [data-transaction]')")
    blocked = "document.querySelector('.tree ul [data-transaction]').innerText"
    page.until(f"{blocked}.includes('waits in Commit for')")
    text = page.run(f"return {blocked}")
    assert "refund" in text
    assert "Singers(1)" in text
    assert "CONCAT(Name, ' waiter')" in text
    waiter_id = page.run(
        "return document.querySelector('.tree ul [data-transaction]').dataset.transaction"
    )
    blocking = f"for which transaction {waiter_id} waits"
    assert "Holds ReaderShared Singers(1)" in page.run(f"return {root}")
    assert blocking in page.run(f"return {root}")
    holder_id = page.run(
        "return document.querySelector('.tree [data-transaction]').dataset.transaction"
    )
    page.press(f"Abort transaction {holder_id}")
    page.see(f"Transaction {holder_id} was aborted.")
    waiting.join(20)
    assert done == ["committed"]
    with pytest.raises(Aborted):
        holder.commit()
    page.see("No transaction is open.")


def test_requests_of_clients_appear(console, music):
    page = console("requests", database=music.name)
    page.see("Pause")
    with music.client().snapshot() as snapshot:
        list(
            snapshot.execute_sql(
                "SELECT Name FROM Singers WHERE SingerId = 2",
                request_options={"request_tag": "looked-up"},
            )
        )
    page.see("SELECT Name FROM Singers WHERE SingerId = 2")
    page.see("looked-up")
    page.type("#filter", "no such thing")
    page.see("No request matches.")


def test_a_fault_is_installed_strikes_and_is_removed(console, music):
    page = console("faults", database=music.name)
    page.press("Install")
    page.see("Installed: ")
    with music.client().batch() as batch:  # which the client tries again
        batch.insert("Singers", ["SingerId"], [[9]])
    page.until("document.querySelector('main td.n')?.textContent === '1'")
    page.run("document.querySelector('main td button').focus()")
    page.click("main td button")
    page.see("No fault is installed.")


def test_the_clock_is_moved_and_frozen(console, emulator, music):
    page = console("clock", database=music.name)
    before = emulator.clock.now
    try:
        page.press("1 day")
        page.see("The clock moved by 1 day.")
        assert emulator.clock.now - before >= timedelta(days=1)
        page.press("Freeze")
        page.see("The clock stands still.")
        page.until(
            "document.querySelector('#face').textContent === arguments[0]",
            f"{emulator.clock.now:%Y-%m-%d %H:%M:%S}",
        )
        assert emulator.clock.is_frozen
        page.type("[aria-label='Time']", "yesterday")
        page.press("Set")
        page.until("document.querySelector('main [role=alert]')")
        page.log()  # Chromium reports the response with the status 400
        page.press("Let it run")
        page.see("The clock runs.")
    finally:
        emulator.clock.reset()


def test_a_snapshot_is_taken_and_restored(console, music):
    page = console("snapshots", database=music.name)
    page.type("[aria-label='Name']", "two singers")
    page.press("Take a snapshot")
    page.see("two singers")
    with music.client().batch() as batch:
        batch.delete("Singers", KeySet(all_=True))
    page.press("Restore two singers")
    page.until("document.querySelector('dialog')")
    page.press("Restore")
    page.see("two singers was restored.")
    with music.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM Singers")) == [[2]]
    page.press("Delete two singers")
    page.see("There is no snapshot.")


def test_the_heatmap_and_the_splits_are_shown(console, emulator, music):
    page = console("heatmap", database=music.name)
    page.see("No commit was seen yet.")
    for number in range(40):
        with music.client().batch() as batch:
            batch.insert("Singers", ["SingerId"], [[100 + number]])
    page.press("Refresh")
    page.until("document.querySelector('.picture canvas')?.height > 50")
    (result,) = [
        each for each in emulator.hotspots(music).report().findings if each.object == "Singers"
    ]
    page.see(f"{result.name} {result.severity}")
    page.press("Splits")
    page.press("Split here")
    page.type("dialog [aria-label='SingerId']", "120")
    page.press("Split")
    page.see("Singers(120)")
    assert "Singers(120)" in [split.start for split in music.splits]


def test_the_schema_shows_what_the_linter_finds(console, music):
    music.client().update_ddl(
        ["CREATE INDEX SingersByName ON Singers (Name)", "CREATE INDEX Again ON Singers (Name)"]
    ).result(20)
    (finding, *_) = music.lint()
    page = console("schema", database=music.name)
    page.see("Lint findings")
    page.see(finding.name)
    page.see(finding.message)
    page.press(finding.id)
    page.see(finding.rule.title)
    page.see("Not reported")
    assert page.run("return document.querySelector('#menu [aria-current]').textContent") == "Schema"
    page.press("All rules")
    page.see("SPN101")


def own_address():
    """Return an address of this machine besides its loopback; skip the test without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
            address = probe.getsockname()[0]
        except OSError:
            address = "127.0.0.1"
    if address.startswith("127."):
        pytest.skip("This machine has no address in a network.")
    return address


def test_the_console_is_read_only_for_other_machines(browser):
    address = own_address()
    with spanemu.Emulator(rest_host_port="0.0.0.0:0") as emulator:
        database = emulator.create_database("shop", "CREATE TABLE T (Id INT64) PRIMARY KEY (Id)")
        browser.open(f"http://{address}:{emulator.rest_address.port}/console/")
        browser.see("read-only")
        browser.see("shop")
        buttons = (
            "return [...document.querySelectorAll('main button')].map(each => each.textContent)"
        )
        assert browser.run(buttons) == []
        browser.run("location.hash = arguments[0]", f"sql?database={database.name}")
        browser.type("#sql", "DELETE FROM T WHERE TRUE")
        browser.click("#run")
        browser.see("The console is read-only here")
        browser.type("#sql", "SELECT COUNT(*) FROM T")
        browser.click("#run")
        browser.see("1 row in")
        browser.run("location.hash = '#clock'")
        browser.see("--remote-control")
    browser.open("about:blank")
    browser.log()  # Chromium reports the responses with the status 403
