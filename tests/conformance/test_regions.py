"""The regions that read leases, placements and directed reads may name."""

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_database_v1 import DatabaseDialect
from google.cloud.spanner_admin_instance_v1 import types as instances
from google.cloud.spanner_v1 import DirectedReadOptions, KeySet

GOOGLESQL, POSTGRESQL = DatabaseDialect.GOOGLE_STANDARD_SQL, DatabaseDialect.POSTGRESQL


@pytest.fixture(params=[GOOGLESQL, POSTGRESQL], ids=["googlesql", "postgresql"])
def dialect(request):
    return request.param


@pytest.fixture
def create(client):
    """Return a function from the id of a configuration to a new instance with a new database."""

    def run(config, dialect=GOOGLESQL):
        name = f"{client.project_name}/instanceConfigs/{config}"
        instance = client.instance("regions", name, node_count=1)
        instance.create().result()
        database = instance.database("some-db", database_dialect=dialect)
        database.create().result()
        return database

    return run


def set_option(database, option, value):
    if database.database_dialect == POSTGRESQL:
        written = "DEFAULT" if value is None else f"'{value}'"
        statement = f'ALTER DATABASE "some-db" SET "spanner.{option}" = {written}'
    else:
        written = "NULL" if value is None else f"'{value}'"
        statement = f"ALTER DATABASE `some-db` SET OPTIONS ({option} = {written})"
    database.update_ddl([statement]).result()


@pytest.mark.parametrize(
    ("config", "regions", "allowed"),
    [
        ("nam6", "us-west1", True),
        ("nam6", "us-west1, us-east1", True),
        ("nam6", "us-west1,us-west2", True),
        ("nam6", "europe-west1", False),
        ("nam6", "us-west1, europe-west1", False),
        ("nam6", "us-west1,", False),
        ("nam6", "us-central2", False),  # which has a witness only
        ("dual-region-japan1", "asia-northeast2", True),
        ("regional-us-east1", "us-east1", False),
        ("emulator-config", "us-west1, europe-west1", True),
        ("emulator-config", "mars-north1", False),
        ("made-up", "mars-north1", False),
    ],
)
def test_read_leases_require_regions_that_serve_reads(create, dialect, config, regions, allowed):
    database = create(config, dialect)
    if allowed:
        set_option(database, "read_lease_regions", regions)
        set_option(database, "read_lease_regions", None)
    else:
        with pytest.raises(exceptions.FailedPrecondition, match="read_lease_regions"):
            set_option(database, "read_lease_regions", regions)


def test_a_moved_instance_has_no_read_leases(client, create):
    database = create("nam6")
    set_option(database, "read_lease_regions", "us-west1")
    target = f"{client.project_name}/instanceConfigs/nam3"
    client.instance_admin_api.move_instance(
        request={"name": database._instance.name, "target_config": target}
    ).result()
    ddl = client.database_admin_api.get_database_ddl(database=database.name)
    assert "read_lease_regions" not in "".join(ddl.statements)


# ---------------------------------------------------------------------------- placements


@pytest.fixture
def create_partition(client):
    def run(database, partition_id, config):
        partition = instances.InstancePartition(
            config=f"{client.project_name}/instanceConfigs/{config}",
            display_name="Another one",
            node_count=1,
        )
        client.instance_admin_api.create_instance_partition(
            parent=database._instance.name,
            instance_partition_id=partition_id,
            instance_partition=partition,
        ).result()

    return run


def place(database, name, **options):
    written = ", ".join(f"{option} = '{value}'" for option, value in options.items())
    word = "WITH" if database.database_dialect == POSTGRESQL else "OPTIONS"
    database.update_ddl([f"CREATE PLACEMENT {name} {word} ({written})"]).result()


def test_a_placement_is_in_a_partition_of_the_instance(create, create_partition, dialect):
    database = create("nam6", dialect)
    with pytest.raises(exceptions.NotFound, match="instancePartitions/europe"):
        place(database, "eu", instance_partition="europe")
    create_partition(database, "europe", "eur3")
    place(database, "eu", instance_partition="europe")
    place(database, "here", instance_partition="default")
    with pytest.raises(exceptions.NotFound, match="instancePartitions/asia"):
        place(database, "asia", instance_partition="asia")


def test_an_altered_placement_follows_the_same_rules(create, create_partition):
    database = create("nam6")
    create_partition(database, "europe", "eur3")
    place(database, "eu", instance_partition="europe")
    for option, value in (("instance_partition", "asia"), ("default_leader", "us-east1")):
        statement = f"ALTER PLACEMENT eu SET OPTIONS ({option} = '{value}')"
        with pytest.raises((exceptions.NotFound, exceptions.FailedPrecondition)):
            database.update_ddl([statement]).result()


def test_the_emulators_configuration_accepts_any_partition_until_one_exists(
    create, create_partition
):
    database = create("emulator-config")
    place(database, "eu", instance_partition="europe")
    create_partition(database, "asia", "asia1")
    with pytest.raises(exceptions.NotFound):
        place(database, "af", instance_partition="africa")
    place(database, "asia", instance_partition="asia")


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("default_leader", "europe-west4", True),
        ("default_leader", "us-east1", False),
        ("read_lease_regions", "europe-west4", True),
        ("read_lease_regions", "us-east1", False),
        ("read_lease_regions", "europe-north1", False),
    ],
)
def test_a_placement_names_regions_of_its_partition(
    create, create_partition, dialect, option, value, allowed
):
    database = create("nam6", dialect)
    create_partition(database, "europe", "eur3")
    options = {"instance_partition": "europe", option: value}
    if allowed:
        place(database, "eu", **options)
    else:
        with pytest.raises(exceptions.FailedPrecondition, match=option):
            place(database, "eu", **options)


# ---------------------------------------------------------------------------- directed reads


@pytest.mark.parametrize("kind", ["include_replicas", "exclude_replicas"])
@pytest.mark.parametrize(
    ("location", "known"),
    [
        ("us-east1", True),
        ("europe-west1", True),  # Spanner reads from the nearest region instead.
        ("leader", True),
        ("non-leader", True),
        ("mars-north1", False),
        ("US-EAST1", False),
    ],
)
@pytest.mark.parametrize("config", ["nam6", "emulator-config"])
def test_a_directed_read_names_a_location_that_exists(create, config, kind, location, known):
    database = create(config)
    selections = {"replica_selections": [{"type_": "READ_WRITE"}, {"location": location}]}
    directed = DirectedReadOptions(**{kind: selections})
    query = "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES"
    database.update_ddl(["CREATE TABLE T (Id INT64) PRIMARY KEY (Id)"]).result()

    def reads():
        with database.snapshot() as snapshot:
            yield lambda: list(snapshot.execute_sql(query, directed_read_options=directed))
        with database.snapshot() as snapshot:
            rows = {"table": "T", "columns": ["Id"], "keyset": KeySet(all_=True)}
            yield lambda: list(snapshot.read(**rows, directed_read_options=directed))
        batch = database.batch_snapshot()
        for partition in batch.generate_query_batches(
            "SELECT Id FROM T", directed_read_options=directed
        ):
            yield lambda partition=partition: list(batch.process_query_batch(partition))
        batch.close()

    for read in reads():
        if known:
            read()
        else:
            with pytest.raises(exceptions.InvalidArgument, match=location):
                read()
