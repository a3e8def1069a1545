"""Forced changes of partitions at an interval of the emulator's clock."""

from __future__ import annotations

import gc
from weakref import ref

from spanemu.admin.instances import Instances
from spanemu.base.clock import NANOS_PER_SECOND, ManualClock
from spanemu.base.rand import Randomness
from spanemu.base.resource_names import InstanceName
from spanemu.change_streams.tracking import histories_of
from spanemu.database.change_streams import PartitionChurn
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL

INTERVAL = 20 * NANOS_PER_SECOND


def world() -> tuple[ManualClock, Instances, Database]:
    clock = ManualClock()
    environment = Environment(clock, Randomness(7))
    instances = Instances(clock, lambda name, dialect: Database.create(name, environment, dialect))
    instances.ensure_instance(InstanceName("p", "i"))
    database = Database.create(
        "projects/p/instances/i/databases/db", environment, GOOGLE_STANDARD_SQL
    )
    database.apply_ddl(
        ["CREATE TABLE T (Id INT64) PRIMARY KEY (Id)", "CREATE CHANGE STREAM S FOR ALL"]
    )
    return clock, instances, instances.add_database(database)


def open_partitions(database: Database) -> list[str]:
    history = histories_of(database._core.store)["s"]
    history.check()
    return [each.token for each in history.current.partitions]


def test_partitions_are_split_merged_and_replaced_in_turns() -> None:
    clock, instances, database = world()
    churn = PartitionChurn(instances.all_databases, clock, INTERVAL)
    counts, before = [], open_partitions(database)
    for _ in range(6):
        clock.advance(INTERVAL)
        now = open_partitions(database)
        assert not set(now) & set(before), "a partition of a single table is always replaced"
        counts.append(len(now))
        before = now
    assert counts == [2, 1, 1, 2, 1, 1]
    clock.advance(INTERVAL - 1_000)
    assert open_partitions(database) == before
    churn.stop()
    clock.advance(INTERVAL)
    assert open_partitions(database) == before


def test_churn_keeps_no_dropped_emulator_in_memory() -> None:
    clock, instances, database = world()
    churn = PartitionChurn(instances.all_databases, clock, INTERVAL)
    seen = ref(instances)
    del instances, database
    gc.collect()
    assert seen() is None
    clock.advance(INTERVAL)
    churn.stop()
