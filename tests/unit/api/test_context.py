"""`spanemu.emulated` runs an emulator for a block, a function, or a class of tests."""

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


def test_a_block_sets_and_restores_the_environment():
    with spanemu.emulated(SCHEMA) as shop:
        insert(shop, 1)
        assert rows() == [[1]]
    assert "SPANNER_EMULATOR_HOST" not in os.environ


def test_a_block_has_the_dialect_of_its_argument():
    with spanemu.emulated("CREATE TABLE t (x bigint PRIMARY KEY)", dialect="postgresql") as shop:
        insert(shop, 1)
        assert (rows(), shop.dialect) == ([[1]], "postgresql")


def test_each_call_of_a_function_gets_a_new_emulator():
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


def test_start_and_stop_without_a_block():
    emulation = spanemu.emulated()
    emulation.start()
    with pytest.raises(RuntimeError, match="started already"):
        emulation.start()
    emulation.stop()
    emulation.stop()


def test_a_refused_schema_leaves_no_emulator_running():
    with pytest.raises(spanemu.SchemaRejected):
        spanemu.emulated("CREATE TABEL T").start()
    assert "SPANNER_EMULATOR_HOST" not in os.environ


def test_each_test_of_a_class_starts_from_the_state_after_set_up_class():
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


def test_each_test_method_of_a_plain_class_gets_an_emulator():
    @spanemu.emulated(SCHEMA)
    class Tests:
        def test_it(self):
            return rows()

        def other(self):
            return "SPANNER_EMULATOR_HOST" in os.environ

    assert Tests().test_it() == []
    assert not Tests().other()


def test_a_decorator_without_parentheses_is_refused():
    # Otherwise a test would be replaced by an object that no runner collects.
    with pytest.raises(TypeError, match=r"parentheses: @spanemu\.emulated"):

        @spanemu.emulated
        def test_it():
            pass


def test_a_setting_of_another_name_is_refused():
    with pytest.raises(
        TypeError, match=r"no setting 'hostport' of Emulator\. Did you mean 'host_port'"
    ):
        spanemu.Emulator(hostport="localhost:0")
    with pytest.raises(spanemu.InvalidConfig, match="seed must be a whole number, not 'x'"):
        spanemu.Emulator(seed="x")
