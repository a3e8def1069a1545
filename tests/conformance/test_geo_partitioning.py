"""The rules of instance partitions, placements and tables with a placement key."""

from datetime import timedelta

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_database_v1 import DatabaseDialect
from google.cloud.spanner_admin_database_v1 import types as databases
from google.cloud.spanner_admin_instance_v1 import types
from google.protobuf.duration_pb2 import Duration

FP, IA = exceptions.FailedPrecondition, exceptions.InvalidArgument
GOOGLESQL, POSTGRESQL = DatabaseDialect.GOOGLE_STANDARD_SQL, DatabaseDialect.POSTGRESQL
SCHEMAS = {
    GOOGLESQL: [
        "CREATE PLACEMENT eu OPTIONS (instance_partition = 'europe')",
        "CREATE TABLE Users (Id INT64, Name STRING(MAX), Place STRING(MAX) NOT NULL PLACEMENT KEY) "
        "PRIMARY KEY (Id)",
        "CREATE TABLE Plain (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id)",
    ],
    POSTGRESQL: [
        "CREATE PLACEMENT eu WITH (instance_partition = 'europe')",
        "CREATE TABLE Users (Id bigint PRIMARY KEY, Name varchar, "
        "Place varchar NOT NULL PLACEMENT KEY)",
        "CREATE TABLE Plain (Id bigint PRIMARY KEY, Name varchar)",
    ],
}
INSERT = "INSERT INTO Users (Id, Name, Place) VALUES ({0}, 'a', 'eu')"
DELETE = "DELETE FROM Users WHERE Id = {0}"
RENAME = "UPDATE Users SET Name = 'b' WHERE Id = {0}"


@pytest.fixture(params=SCHEMAS, ids=["googlesql", "postgresql"])
def database(request, instance):
    made = instance.database("placed", database_dialect=request.param)
    made.create().result()
    made.update_ddl(SCHEMAS[request.param]).result()
    return made


@pytest.fixture
def create_partition(client):
    def run(instance, partition_id, config):
        partition = types.InstancePartition(
            config=f"{client.project_name}/instanceConfigs/{config}",
            display_name="Another one",
            node_count=1,
        )
        return client.instance_admin_api.create_instance_partition(
            parent=instance.name,
            instance_partition_id=partition_id,
            instance_partition=partition,
        ).result()

    return run


@pytest.fixture
def create_instance(client):
    def run(config, instance_id="geo"):
        name = f"{client.project_name}/instanceConfigs/{config}"
        made = client.instance(instance_id, name, node_count=1)
        made.create().result()
        return made

    return run


# ---------------------------------------------------------------------------- partitions


def test_two_partitions_have_different_base_configurations(
    client, create_instance, create_partition
):
    instance = create_instance("nam3")
    create_partition(instance, "europe", "regional-us-central1")
    with pytest.raises(FP, match="same base configuration"):
        create_partition(instance, "europe-2", "regional-us-central1")
    api, base = client.instance_admin_api, "regional-us-central1"
    published = api.get_instance_config(name=f"{client.project_name}/instanceConfigs/{base}")
    custom = types.InstanceConfig(
        base_config=published.name,
        display_name="Custom",
        replicas=[*published.replicas, published.optional_replicas[0]],
    )
    api.create_instance_config(
        parent=client.project_name, instance_config_id="custom-one", instance_config=custom
    ).result()
    with pytest.raises(FP, match="same base configuration"):
        create_partition(instance, "europe-2", "custom-one")
    create_partition(instance, "europe-2", "eur3")


@pytest.mark.parametrize("config", ["regional-us-central1", "dual-region-japan1"])
def test_an_instance_with_partitions_has_a_multi_region_configuration(
    create_instance, create_partition, config
):
    with pytest.raises(FP, match="multi-region"):
        create_partition(create_instance(config), "europe", "eur3")


def test_a_partition_has_no_dual_region_configuration(create_instance, create_partition):
    with pytest.raises(FP, match="dual-region"):
        create_partition(create_instance("nam3"), "japan", "dual-region-japan1")


def test_a_backup_is_restored_where_its_partitions_are(emulator, create_instance, create_partition):
    source, target = create_instance("nam3"), create_instance("nam3", "other")
    create_partition(source, "europe", "eur3")
    database = source.database("placed", ddl_statements=SCHEMAS[GOOGLESQL])
    database.create().result()
    expire_time = emulator.clock.now + timedelta(days=1)
    backup = source.backup("b1", database=database, expire_time=expire_time)
    backup.create().result()
    with pytest.raises(FP, match="europe"):
        target.database("restored").restore(backup)
    create_partition(target, "europe", "eur3")
    target.database("restored").restore(backup).result()


def test_a_database_with_placements_has_no_incremental_backups(client, database):
    schedule = databases.BackupSchedule(
        spec={"cron_spec": {"text": "0 2 * * *"}},
        retention_duration=Duration(seconds=86_400),
        incremental_backup_spec={},
    )
    with pytest.raises(FP, match="full backups only"):
        client.database_admin_api.create_backup_schedule(
            parent=database.name, backup_schedule=schedule, backup_schedule_id="daily"
        )


# ---------------------------------------------------------------------------- schemas


def test_a_table_with_placements_cannot_be_in_a_named_schema(database):
    is_postgresql = database.database_dialect == POSTGRESQL
    database.update_ddl(["CREATE SCHEMA s"]).result()
    child = (
        "CREATE TABLE s.Notes (Id bigint, N bigint, PRIMARY KEY (Id, N)) INTERLEAVE IN PARENT Users"
        if is_postgresql
        else "CREATE TABLE s.Notes (Id INT64, N INT64) PRIMARY KEY (Id, N), "
        "INTERLEAVE IN PARENT Users"
    )
    root = SCHEMAS[database.database_dialect][1].replace("Users", "s.Users")
    for statement in (root, child):
        with pytest.raises(FP, match="named schema"):
            database.update_ddl([statement]).result()
    database.update_ddl([child.replace("s.Notes", "Notes")]).result()


@pytest.mark.parametrize("watched", ["FOR Users", "FOR ALL", "FOR Users (Name)", "FOR Notes"])
def test_no_change_stream_watches_a_table_in_placements(instance, watched):
    database = instance.database("placed", ddl_statements=SCHEMAS[GOOGLESQL])
    database.create().result()
    child = "CREATE TABLE Notes (Id INT64, N INT64) PRIMARY KEY (Id, N), INTERLEAVE IN PARENT Users"
    database.update_ddl([child, "CREATE CHANGE STREAM Other FOR Plain"]).result()
    for statement in (
        f"CREATE CHANGE STREAM Changes {watched}",
        f"ALTER CHANGE STREAM Other SET {watched}",
    ):
        with pytest.raises(FP, match="partitioned data"):
            database.update_ddl([statement]).result()


def test_a_change_stream_over_all_tables_admits_no_placement_key(instance):
    database = instance.database("placed", ddl_statements=["CREATE CHANGE STREAM All_ FOR ALL"])
    database.create().result()
    with pytest.raises(FP, match="All_"):
        database.update_ddl(SCHEMAS[GOOGLESQL]).result()


def test_routing_metadata_is_decided_before_the_first_placement(instance):
    option = "ALTER DATABASE `placed` SET OPTIONS (per_placement_routing_metadata = true)"
    database = instance.database("placed", ddl_statements=[option])
    database.create().result()
    database.update_ddl([option, SCHEMAS[GOOGLESQL][0]]).result()
    with pytest.raises(FP, match="per_placement_routing_metadata"):
        database.update_ddl([option]).result()


# ---------------------------------------------------------------------------- statements


@pytest.mark.parametrize("change", [INSERT, DELETE])
@pytest.mark.parametrize(
    "other", [INSERT, DELETE, RENAME, "SELECT 1", "DELETE FROM Plain WHERE Id = {0}"]
)
def test_an_insert_or_delete_is_alone_in_its_transaction(database, change, other):
    def run(statements):
        def work(transaction):
            for number, statement in enumerate(statements):
                sql = statement.format(number + 10)
                if sql.startswith("SELECT"):
                    list(transaction.execute_sql(sql))
                else:
                    transaction.execute_update(sql)

        database.run_in_transaction(work)

    for statements in ([change, other], [other, change]):
        with pytest.raises(FP, match="only statement"):
            run(statements)
    run([change])


def test_two_inserts_in_a_batch_are_refused(database):
    def work(transaction):
        return transaction.batch_update([INSERT.format(1), INSERT.format(2)])

    status, counts = database.run_in_transaction(work)
    assert (status.code, list(counts)) == (9, [1])


def test_updates_and_mutations_may_be_several(database):
    with database.batch() as batch:
        batch.insert("Users", ["Id", "Place"], [[1, "eu"], [2, "eu"]])
        batch.insert("Users", ["Id", "Place"], [[3, "default"]])

    def work(transaction):
        transaction.execute_update(RENAME.format(1))
        transaction.execute_update(RENAME.format(2))
        transaction.insert("Users", ["Id", "Place"], [[4, "eu"]])

    database.run_in_transaction(work)


def test_a_refused_insert_does_not_count(database):
    def work(transaction):
        transaction.begin()  # Without a begun transaction, the client waits for one for ever.
        with pytest.raises(IA):
            transaction.execute_update("INSERT INTO Users (Id, Place) VALUES ('x', 'eu')")
        transaction.execute_update(RENAME.format(1))
        transaction.execute_update(RENAME.format(2))

    database.run_in_transaction(work)


FILTERED = [
    "SELECT Id FROM Users WHERE Name = 'a'",
    "SELECT Id FROM Users WHERE Id = 1 AND Place = 'eu'",
    "SELECT p.Id FROM Plain AS p WHERE EXISTS (SELECT 1 FROM Users AS u WHERE u.Name = p.Name)",
    "UPDATE Users SET Name = 'b' WHERE Place = 'eu'",
    "DELETE FROM Users WHERE Name = 'a'",
]


@pytest.mark.parametrize("sql", FILTERED)
def test_a_read_write_transaction_filters_by_primary_keys(database, sql):
    def work(transaction):
        if sql.startswith("SELECT"):
            list(transaction.execute_sql(sql))
        else:
            transaction.execute_update(sql)

    with pytest.raises(IA, match=r"(?i)Users\.(Name|Place)"):
        database.run_in_transaction(work)
    if sql.startswith("SELECT"):
        with database.snapshot() as snapshot:
            list(snapshot.execute_sql(sql))
    else:
        database.execute_partitioned_dml(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT Name, Place FROM Users WHERE Id > 0 ORDER BY Name",
        "SELECT u.Id FROM Plain AS p JOIN Users AS u ON u.Id = p.Id WHERE p.Name = 'a'",
        "SELECT Id FROM Plain WHERE Name = 'a'",
    ],
)
def test_read_write_transactions_may_run_these_queries(database, sql):
    database.run_in_transaction(lambda transaction: list(transaction.execute_sql(sql)))


def test_an_interleaved_index_serves_a_read_write_transaction(instance):
    schema = [
        *SCHEMAS[GOOGLESQL],
        "CREATE TABLE Places (Place STRING(MAX) NOT NULL PLACEMENT KEY) PRIMARY KEY (Place)",
        "CREATE INDEX ByName ON Users (Place, Name), INTERLEAVE IN Places",
    ]
    database = instance.database("placed", ddl_statements=schema)
    database.create().result()
    sql = "SELECT Id FROM Users WHERE Place = 'eu' AND Name = 'a'"
    database.run_in_transaction(lambda transaction: list(transaction.execute_sql(sql)))
