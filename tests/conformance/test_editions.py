"""Features above the edition that an instance names are refused, through the official client."""

from datetime import timedelta

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_database_v1 import DatabaseDialect
from google.cloud.spanner_admin_database_v1 import types as databases
from google.cloud.spanner_admin_instance_v1 import types
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask

import spanemu
from spanemu.schema.editions import Edition

STANDARD, ENTERPRISE, PLUS = Edition.STANDARD, Edition.ENTERPRISE, Edition.ENTERPRISE_PLUS
TABLE = (
    "CREATE TABLE T (Id INT64, V ARRAY<FLOAT64>(vector_length=>2), S STRING(MAX)) PRIMARY KEY (Id)"
)
TOKENS = "ALTER TABLE T ADD COLUMN Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(S)) HIDDEN"
# Statements of which the last uses a feature of the edition, and the statement that ends the use.
FEATURES = {
    "search index": (ENTERPRISE, [TOKENS, "CREATE SEARCH INDEX I ON T (Tokens)"], "DROP SEARCH INDEX I"),
    "tokens": (ENTERPRISE, [TOKENS], ""),
    "vector index": (
        ENTERPRISE,
        ["CREATE VECTOR INDEX I ON T (V) WHERE V IS NOT NULL OPTIONS (distance_type = 'COSINE')"],
        "DROP VECTOR INDEX I",
    ),
    "distance in a view": (
        ENTERPRISE,
        ["CREATE VIEW W SQL SECURITY INVOKER AS SELECT DOT_PRODUCT(T.V, T.V) AS D FROM T"],
        "DROP VIEW W",
    ),
    "graph": (
        ENTERPRISE, ["CREATE PROPERTY GRAPH G NODE TABLES (T)"], "DROP PROPERTY GRAPH G",
    ),
    "locality group": (
        ENTERPRISE, ["CREATE LOCALITY GROUP g OPTIONS (storage = 'ssd')"], "DROP LOCALITY GROUP g",
    ),
    "tiered storage": (
        ENTERPRISE,
        ["ALTER LOCALITY GROUP `default` SET OPTIONS (storage = 'hdd')"],
        "ALTER LOCALITY GROUP `default` SET OPTIONS (storage = NULL)",
    ),
    "columnar engine": (
        ENTERPRISE,
        ["ALTER DATABASE d1 SET OPTIONS (columnar_policy = 'enabled')"],
        "ALTER DATABASE d1 SET OPTIONS (columnar_policy = NULL)",
    ),
    "queue": (
        ENTERPRISE,
        ["CREATE QUEUE Q (Id INT64 NOT NULL, Payload STRING(MAX) NOT NULL) PRIMARY KEY (Id)"],
        "DROP QUEUE Q",
    ),
    "columnar table": (
        ENTERPRISE,
        ["CREATE TABLE U (Id INT64) PRIMARY KEY (Id), OPTIONS (columnar_policy = 'enabled')"],
        "DROP TABLE U",
    ),
    "placement": (
        PLUS, ["CREATE PLACEMENT p OPTIONS (instance_partition = 'p')"], "DROP PLACEMENT p",
    ),
    "placement key": (
        PLUS,
        ["CREATE TABLE U (Id INT64, P STRING(9) NOT NULL PLACEMENT KEY) PRIMARY KEY (Id)"],
        "DROP TABLE U",
    ),
}  # fmt: skip
BELOW = {ENTERPRISE: (STANDARD,), PLUS: (STANDARD, ENTERPRISE)}
AUTOSCALING = types.AutoscalingConfig(
    autoscaling_limits={"min_nodes": 1, "max_nodes": 2},
    autoscaling_targets={
        "high_priority_cpu_utilization_percent": 60,
        "storage_utilization_percent": 90,
    },
)


@pytest.fixture
def create_instance(client, config_name):
    def run(edition, instance_id="tiered", config=config_name, **fields):
        if "autoscaling_config" not in fields:
            fields["node_count"] = 1
        created = types.Instance(
            config=config, display_name="Tiered", edition=edition.value, **fields
        )
        client.instance_admin_api.create_instance(
            parent=client.project_name, instance_id=instance_id, instance=created
        ).result()
        return client.instance(instance_id)

    return run


@pytest.fixture
def update(client):
    def run(instance, *paths, **fields):
        client.instance_admin_api.update_instance(
            instance=types.Instance(name=instance.name, **fields),
            field_mask=FieldMask(paths=paths),
        ).result()

    return run


@pytest.fixture
def set_edition(update):
    return lambda instance, edition: update(instance, "edition", edition=edition.value)


def create_database(instance, *statements):
    database = instance.database("d1", ddl_statements=[TABLE, *statements])
    database.create().result()
    return database


def refused(edition, *, least=None):
    match = edition.name if least is None else f"needs the edition {least.name}, not {edition.name}"
    return pytest.raises(exceptions.FailedPrecondition, match=match)


CASES = [
    pytest.param(edition, *FEATURES[name], id=f"{name}, {edition.name}")
    for name in FEATURES
    for edition in BELOW[FEATURES[name][0]]
]


@pytest.mark.parametrize(("edition", "least", "statements", "end"), CASES)
def test_a_statement_above_the_edition_is_refused(
    create_instance, set_edition, edition, least, statements, end
):
    instance = create_instance(edition)
    with refused(edition, least=least):
        create_database(instance, *statements)
    database = create_database(instance)
    with refused(edition, least=least):
        database.update_ddl(statements).result()
    set_edition(instance, least)
    database.update_ddl(statements).result()
    if not end:
        return
    with refused(edition, least=least):
        set_edition(instance, edition)
    database.update_ddl([end]).result()
    set_edition(instance, edition)


def test_statements_that_add_no_feature_are_accepted_after_a_downgrade(
    create_instance, set_edition
):
    # Spanner lets an instance with columns of tokens, but without search indexes, go down.
    instance = create_instance(ENTERPRISE)
    database = create_database(instance, TOKENS)
    set_edition(instance, STANDARD)
    database.update_ddl(["CREATE TABLE U (Id INT64) PRIMARY KEY (Id)"]).result()


DISTANCE = "SELECT COSINE_DISTANCE([1.0], [2.0])"


def test_distances_are_not_computed_in_the_standard_edition(create_instance, set_edition):
    instance = create_instance(ENTERPRISE)
    database = create_database(instance)
    dml = f"INSERT INTO T (Id, S) SELECT 1, FORMAT('%f', ({DISTANCE}))"

    def query(sql):
        with database.snapshot() as snapshot:
            return list(snapshot.execute_sql(sql))

    assert query(DISTANCE) == [[0.0]]
    assert query("SELECT 'cosine_distance(1)'") == [["cosine_distance(1)"]]
    set_edition(instance, STANDARD)
    assert query("SELECT 'cosine_distance(1)'") == [["cosine_distance(1)"]]
    for run in (
        lambda: query(DISTANCE),
        lambda: database.run_in_transaction(lambda transaction: transaction.execute_update(dml)),
        lambda: database.execute_partitioned_dml(
            "UPDATE T SET S = 'x' WHERE EUCLIDEAN_DISTANCE(V, V) = 0"
        ),
    ):
        with refused(STANDARD, least=ENTERPRISE):
            run()
    set_edition(instance, ENTERPRISE)
    assert query(DISTANCE) == [[0.0]]


@pytest.mark.parametrize("edition", [Edition.UNSPECIFIED, PLUS])
def test_the_highest_edition_and_none_have_every_feature(create_instance, edition):
    statements = dict.fromkeys(text for _, texts, _ in FEATURES.values() for text in texts)
    wanted = [text for text in statements if "TABLE U" not in text and "VECTOR" not in text]
    create_database(create_instance(edition, autoscaling_config=AUTOSCALING), *wanted)


def test_autoscaling_needs_the_enterprise_edition(create_instance, set_edition, update):
    with refused(STANDARD, least=ENTERPRISE):
        create_instance(STANDARD, autoscaling_config=AUTOSCALING)
    instance = create_instance(STANDARD)
    with refused(STANDARD, least=ENTERPRISE):
        update(instance, "autoscaling_config", autoscaling_config=AUTOSCALING)
    both = {"autoscaling_config": AUTOSCALING, "edition": ENTERPRISE.value}
    update(instance, "autoscaling_config", "edition", **both)
    with refused(STANDARD, least=ENTERPRISE):
        set_edition(instance, STANDARD)
    update(instance, "autoscaling_config", "edition", edition=STANDARD.value)


def test_instance_partitions_need_the_highest_edition(
    client, create_instance, set_edition, config_name
):
    instance = create_instance(ENTERPRISE)
    partition = types.InstancePartition(config=config_name, display_name="Europe", node_count=1)

    def create():
        return client.instance_admin_api.create_instance_partition(
            parent=instance.name, instance_partition_id="europe", instance_partition=partition
        ).result()

    with refused(ENTERPRISE, least=PLUS):
        create()
    set_edition(instance, PLUS)
    created = create()
    with refused(ENTERPRISE, least=PLUS):
        set_edition(instance, ENTERPRISE)
    client.instance_admin_api.delete_instance_partition(name=created.name)
    set_edition(instance, ENTERPRISE)


def test_incremental_backups_need_the_enterprise_edition(client, create_instance, set_edition):
    instance = create_instance(STANDARD)
    database = create_database(instance)
    api = client.database_admin_api

    def schedule(**kind):
        return databases.BackupSchedule(
            name=f"{database.name}/backupSchedules/daily",
            spec={"cron_spec": {"text": "0 2 * * *"}},
            retention_duration=Duration(seconds=86_400),
            **kind,
        )

    full = schedule(full_backup_spec={})
    increments = schedule(incremental_backup_spec={})

    def create(wanted):
        return api.create_backup_schedule(
            parent=database.name, backup_schedule=wanted, backup_schedule_id="daily"
        )

    with refused(STANDARD, least=ENTERPRISE):
        create(increments)
    create(full)
    change = {
        "backup_schedule": increments, "update_mask": FieldMask(paths=["incremental_backup_spec"])
    }  # fmt: skip
    with refused(STANDARD, least=ENTERPRISE):
        api.update_backup_schedule(**change)
    set_edition(instance, ENTERPRISE)
    api.update_backup_schedule(**change)
    with refused(STANDARD, least=ENTERPRISE):
        set_edition(instance, STANDARD)


def test_a_backup_is_restored_where_the_edition_has_its_features(create_instance, emulator):
    source = create_instance(ENTERPRISE, "source")
    database = create_database(source, "CREATE PROPERTY GRAPH G NODE TABLES (T)")
    backup = source.backup(
        "b1", database=database, expire_time=emulator.clock.now + timedelta(days=1)
    )
    backup.create().result()
    low = create_instance(STANDARD, "low").database("restored")
    with refused(STANDARD, least=ENTERPRISE):
        low.restore(backup)
    create_instance(ENTERPRISE, "high").database("restored").restore(backup).result()
    create_instance(Edition.UNSPECIFIED, "any").database("restored").restore(backup).result()


def test_the_check_can_be_turned_off():
    with spanemu.Emulator(check_editions=False) as emulator:
        client = emulator.client()
        api = client.instance_admin_api
        created = types.Instance(
            config=f"{client.project_name}/instanceConfigs/nam3",
            display_name="Tiered",
            edition=STANDARD.value,
            autoscaling_config=AUTOSCALING,
        )
        api.create_instance(
            parent=client.project_name, instance_id="tiered", instance=created
        ).result()
        create_database(client.instance("tiered"), *FEATURES["graph"][1])


def test_the_rules_hold_for_postgresql_databases(create_instance, set_edition):
    instance = create_instance(STANDARD)
    database = instance.database("d1", database_dialect=DatabaseDialect.POSTGRESQL)
    database.create().result()
    table = "CREATE TABLE t (id bigint PRIMARY KEY, v double precision[], s varchar)"
    database.update_ddl([table]).result()
    tokens = (
        "ALTER TABLE t ADD COLUMN k spanner.tokenlist "
        "GENERATED ALWAYS AS (spanner.tokenize_fulltext(s)) VIRTUAL HIDDEN"
    )
    view = "CREATE VIEW w SQL SECURITY INVOKER AS SELECT spanner.dot_product(t.v, t.v) AS d FROM t"
    statements = (
        tokens,
        view,
        "CREATE LOCALITY GROUP g STORAGE 'ssd'",
        "CREATE PLACEMENT p WITH (instance_partition = 'p')",
    )
    for statement in statements:
        with refused(STANDARD):
            database.update_ddl([statement]).result()
    with database.snapshot() as snapshot, refused(STANDARD):
        list(
            snapshot.execute_sql("SELECT spanner.cosine_distance('{1}'::float8[], '{2}'::float8[])")
        )
    set_edition(instance, PLUS)
    database.update_ddl(statements).result()
