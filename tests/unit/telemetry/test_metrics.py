"""The metrics of an emulator as a Prometheus server reads them: over HTTP, and as text."""

from __future__ import annotations

import threading
import urllib.request

import pytest
from google.cloud.spanner import KeySet
from prometheus_client.parser import text_string_to_metric_families

import spanemu
from spanemu.telemetry.metrics import Family, Histogram, Sample, text_of

SCHEMA = [
    "CREATE TABLE T (Id INT64, Name STRING(9)) PRIMARY KEY (Id)",
    "CREATE CHANGE STREAM S FOR T",
]


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as running:
        running.create_database("shop", SCHEMA)
        yield running


def scrape(emulator):
    """Return the values of all samples by name and labels."""
    with urllib.request.urlopen(f"{emulator.rest_uri}/metrics", timeout=30) as response:
        assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        text = response.read().decode()
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_are_counted_from_the_first_scrape_on(emulator):
    shop = emulator.create_database("counted", SCHEMA)
    name = ("database", shop.name)
    before = scrape(emulator)
    shop.client().run_in_transaction(lambda t: t.insert("T", ["Id", "Name"], [(1, "a"), (2, "b")]))
    with shop.client().snapshot() as snapshot:
        assert len(list(snapshot.read("T", ["Id"], KeySet(all_=True)))) == 2
    after = scrape(emulator)

    def grown(*key):
        return after.get(key, 0) - before.get(key, 0)

    assert grown("spanemu_requests_total", ("code", "OK"), ("method", "Commit")) == 1
    assert grown("spanemu_requests_total", ("code", "OK"), ("method", "StreamingRead")) == 1
    assert grown("spanemu_request_duration_seconds_count", ("method", "Commit")) == 1
    assert (
        grown("spanemu_request_duration_seconds_bucket", ("le", "+Inf"), ("method", "Commit")) == 1
    )
    assert grown("spanemu_rows_total", name) == 2
    assert grown("spanemu_row_bytes_total", name) > 0
    assert grown("spanemu_mutations_total", name) == 4
    shop.drop()
    assert ("spanemu_rows_total", name) not in scrape(emulator)


def test_the_state_of_databases_is_measured(emulator):
    shop = emulator.database("shop")
    name = ("database", shop.name)
    session = shop.client().session()
    session.create()
    shop.split_at("T", [5])
    transaction = session.transaction()
    transaction.begin()
    transaction.execute_update("INSERT INTO T (Id) VALUES (1)")
    now = scrape(emulator)
    assert now["spanemu_databases",] == 1
    assert now["spanemu_open_transactions", name] == 1
    kinds = [("kind", kind) for kind in ("regular", "multiplexed")]
    assert sum(now["spanemu_sessions", name, kind] for kind in kinds) >= 1
    assert now["spanemu_splits", name] == 2
    assert now["spanemu_waiting_lock_requests", name] == 0
    transaction.commit()
    session.delete()
    after = scrape(emulator)
    assert after["spanemu_open_transactions", name] == 0
    assert after["spanemu_stored_bytes", name] > now["spanemu_stored_bytes", name]
    assert after["spanemu_build_info", ("version", spanemu.__version__)] == 1


def test_lock_waits_and_stream_readers_are_measured(emulator):
    shop = emulator.database("shop")
    name = ("database", shop.name)
    scrape(emulator)
    session = shop.client().session()
    session.create()
    older = session.transaction()
    older.begin()
    older.execute_update("UPDATE T SET Name = 'x' WHERE TRUE")

    def write():
        with shop.client().batch() as batch:
            batch.delete("T", KeySet(all_=True))

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(1_000):
        waiting = scrape(emulator)["spanemu_waiting_lock_requests", name]
        if waiting:
            break
    older.rollback()
    writer.join(30)
    session.delete()
    now = scrape(emulator)
    assert waiting == 1
    assert now["spanemu_lock_waits_total", name] >= 1
    assert now["spanemu_lock_wait_seconds_total", name] > 0
    assert now["spanemu_change_stream_readers", name] == 0


def parsed(*families):
    return {family.name: family for family in text_string_to_metric_families(text_of(families))}


def test_values_and_labels_are_read_back():
    label = 'quote " backslash \\ line\nend é'
    samples = [Sample({"a": label, "b": ""}, 12), Sample({}, 0.25), Sample({"a": "big"}, 1e17)]
    (family,) = parsed(Family("x_total", "counter", "Help.", samples)).values()
    assert (family.type, family.documentation) == ("counter", "Help.")
    assert [(sample.labels, sample.value) for sample in family.samples] == [
        ({"a": label, "b": ""}, 12.0),
        ({}, 0.25),
        ({"a": "big"}, 1e17),
    ]


def test_a_histogram_has_cumulative_buckets():
    histogram = Histogram.with_bounds((0.001, 1.0))
    for seconds in (0.0, 0.001, 0.5, 7.0):
        histogram.observe(seconds)
    family = Family("d", "histogram", "Help.", histogram.samples({"method": "Commit"}))
    samples = {
        (each.name, each.labels.get("le")): each.value for each in parsed(family)["d"].samples
    }
    assert samples == {
        ("d_bucket", "0.001"): 2,
        ("d_bucket", "1"): 3,
        ("d_bucket", "+Inf"): 4,
        ("d_sum", None): 7.501,
        ("d_count", None): 4,
    }


def test_a_family_without_samples_is_announced():
    assert parsed(Family("nothing", "gauge", "Help.", []))["nothing"].samples == []
