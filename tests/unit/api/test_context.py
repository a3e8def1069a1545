"""An emulator around a block, a function, or a class of tests."""

import asyncio
import os
import unittest

import pytest

import spanemu

SCHEMA = "CREATE TABLE T (x INT64) PRIMARY KEY (x)"


@pytest.fixture(autouse=True)
def no_emulator_around(monkeypatch):
    monkeypatch.delenv("SPANNER_EMULATOR_HOST", raising=False)


def rows():
    from google.cloud import spanner

    instance = spanner.Client().instance(os.environ["SPANNER_INSTANCE_ID"])
    with instance.database(os.environ["SPANNER_DATABASE_ID"]).snapshot() as snapshot:
        return list(snapshot.execute_sql("SELECT x FROM T ORDER BY x"))


def insert(handle, x):
    with handle.client().batch() as batch:
        batch.insert("T", ["x"], [[x]])


def test_a_block_and_its_environment():
    with spanemu.emulated(SCHEMA) as shop:
        insert(shop, 1)
        assert rows() == [[1]]
    assert "SPANNER_EMULATOR_HOST" not in os.environ


def test_functions_start_anew_each_time():
    @spanemu.emulated(iter([SCHEMA]), database="orders")
    def run(x):
        assert rows() == []
        return os.environ["SPANNER_DATABASE_ID"], x

    @spanemu.emulated(SCHEMA)
    async def run_async():
        return rows()

    assert run(1) == ("orders", 1)
    assert run(2) == ("orders", 2)
    assert asyncio.run(run_async()) == []


def test_started_and_stopped_by_hand():
    emulation = spanemu.emulated()
    emulation.start()
    with pytest.raises(RuntimeError, match="started already"):
        emulation.start()
    emulation.stop()
    emulation.stop()


def test_a_schema_that_is_refused_leaves_nothing_behind():
    with pytest.raises(spanemu.SchemaRejected):
        spanemu.emulated("CREATE TABEL T").start()
    assert "SPANNER_EMULATOR_HOST" not in os.environ


def test_every_test_of_a_class_sees_what_the_classes_set_up_left():
    @spanemu.emulated(SCHEMA)
    class Tests(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            insert(cls.spanner, 1)

        def setUp(self):
            insert(self.spanner, 2)

        def test_first(self):
            self.check()

        def test_second(self):
            self.check()

        def check(self):
            assert rows() == [[1], [2]]
            insert(self.spanner, 3)

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(result)
    assert (result.testsRun, result.errors, result.failures) == (2, [], [])
    assert "SPANNER_EMULATOR_HOST" not in os.environ


def test_a_plain_class_has_its_test_methods_wrapped():
    @spanemu.emulated(SCHEMA)
    class Tests:
        def test_it(self):
            return rows()

        def other(self):
            return "SPANNER_EMULATOR_HOST" in os.environ

    assert Tests().test_it() == []
    assert not Tests().other()
