"""Databases, their schemas and their operations, through the official client."""

from datetime import timedelta

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_database_v1 import DatabaseDialect, types
from google.longrunning import operations_pb2
from google.protobuf.field_mask_pb2 import FieldMask
from google.rpc.error_details_pb2 import ResourceInfo

import spanemu

SINGERS = "CREATE TABLE Singers (\n  Id INT64 NOT NULL,\n  Name STRING(MAX),\n) PRIMARY KEY(Id)"
ALBUMS = "CREATE TABLE Albums (\n  Id INT64 NOT NULL,\n) PRIMARY KEY(Id)"


def ids(resources):
    return [each.name.rpartition("/")[2] for each in resources]


def create(client, instance, **fields):
    request = types.CreateDatabaseRequest(parent=instance.name, **fields)
    return client.database_admin_api.create_database(request=request)


def ddl(client, database):
    return list(client.database_admin_api.get_database_ddl(database=database.name).statements)


def update_ddl(client, database, statements, operation_id=""):
    request = types.UpdateDatabaseDdlRequest(
        database=database.name, statements=statements, operation_id=operation_id
    )
    return client.database_admin_api.update_database_ddl(request=request)


def test_a_database_is_created_with_its_schema(client, instance):
    created = instance.database("shop", ddl_statements=[SINGERS])
    operation = created.create()
    assert operation.done()
    assert operation.metadata.database == created.name
    assert operation.operation.name.startswith(f"{created.name}/operations/_auto")
    assert operation.result().name == created.name
    assert created.exists()
    assert ddl(client, created) == [SINGERS]


def test_get_database_returns_all_fields(client, database):
    result = client.database_admin_api.get_database(name=database.name)
    assert result.name == database.name
    assert result.state == types.Database.State.READY
    assert result.database_dialect == types.DatabaseDialect.GOOGLE_STANDARD_SQL
    assert result.version_retention_period == "1h"
    assert result.create_time <= result.earliest_version_time
    assert not result.enable_drop_protection


def test_a_bad_first_schema_leaves_no_database(client, instance):
    created = instance.database("shop", ddl_statements=[SINGERS, "CREATE TABLE"])
    with pytest.raises(exceptions.InvalidArgument):
        created.create()
    assert not created.exists()
    assert list(instance.list_databases()) == []


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "CREATE TABLE T",
        "CREATE DATABASE",
        "CREATE DATABASE my-db",
        "CREATE DATABASE `D`",
        "CREATE DATABASE d",
        f"CREATE DATABASE {'d' * 31}",
        "CREATE DATABASE `d-`",
    ],
)
def test_other_statements_are_refused_as_create_statements(client, instance, statement):
    with pytest.raises(exceptions.InvalidArgument):
        create(client, instance, create_statement=statement)


def test_create_database_requires_an_instance_and_a_free_name(client, instance, database):
    with pytest.raises(exceptions.AlreadyExists, match="Database already exists"):
        create(client, instance, create_statement="CREATE DATABASE `fresh-db`")
    with pytest.raises(exceptions.NotFound, match="Instance not found"):
        create(client, client.instance("nowhere"), create_statement="CREATE DATABASE d1")


def test_a_postgresql_database_reports_its_dialect(client, instance):
    request = {
        "create_statement": 'CREATE DATABASE "pg-db"',
        "database_dialect": types.DatabaseDialect.POSTGRESQL,
    }
    assert create(client, instance, **request).result(timeout=60).name.endswith("pg-db")
    name = f"{instance.name}/databases/pg-db"
    dialect = client.database_admin_api.get_database(name=name).database_dialect
    assert dialect is types.DatabaseDialect.POSTGRESQL
    with pytest.raises(exceptions.InvalidArgument, match="CREATE DATABASE"):
        create(
            client,
            instance,
            create_statement="CREATE DATABASE other",
            extra_statements=["CREATE TABLE t (id bigint PRIMARY KEY)"],
            database_dialect=types.DatabaseDialect.POSTGRESQL,
        )


def test_a_database_that_was_reloaded_can_be_dropped_and_created_again(instance, database):
    database.reload()  # from here on the client sends an encryption config without a key
    database.drop()
    database.create().result(timeout=60)
    assert database.exists()


def test_databases_are_listed_and_paged(client, instance):
    assert list(instance.list_databases()) == []
    for database_id in ("d3", "d1", "d2"):
        instance.database(database_id).create().result(timeout=60)
    assert ids(instance.list_databases()) == ["d1", "d2", "d3"]
    assert ids(instance.list_databases(page_size=2)) == ["d1", "d2", "d3"]
    with pytest.raises(exceptions.NotFound):
        list(client.instance("nowhere").list_databases())
    with pytest.raises(exceptions.InvalidArgument):
        client.database_admin_api.list_databases(
            request=types.ListDatabasesRequest(parent=instance.name, page_token="x")
        )


def test_dropping_is_idempotent_and_missing_databases_are_named(client, instance, database):
    database.drop()
    database.drop()
    with pytest.raises(exceptions.NotFound, match="Database not found") as caught:
        database.reload()
    info = next(each for each in caught.value.details if isinstance(each, ResourceInfo))
    assert info.resource_type == "type.googleapis.com/google.spanner.admin.database.v1.Database"
    assert info.resource_name == database.name
    with pytest.raises(exceptions.NotFound, match="Instance not found"):
        client.database_admin_api.drop_database(
            database=f"{client.project_name}/instances/nowhere/databases/d1"
        )


def test_drop_protection(client, instance, database):
    database.enable_drop_protection = True
    operation = database.update(["enable_drop_protection"])
    assert operation.result(timeout=60).enable_drop_protection
    assert operation.metadata.request.database.name == database.name
    assert operation.metadata.progress.progress_percent == 100
    for protected in (database.drop, instance.delete):
        with pytest.raises(exceptions.FailedPrecondition):
            protected()
    database.enable_drop_protection = False
    database.update(["enable_drop_protection"]).result(timeout=60)
    database.drop()
    assert not database.exists()


def test_other_fields_of_a_database_cannot_be_updated(client, database):
    for paths in ([], ["name"], ["enable_drop_protection", "default_leader"], ["nonsense"]):
        with pytest.raises(exceptions.InvalidArgument):
            client.database_admin_api.update_database(
                database=types.Database(name=database.name), update_mask=FieldMask(paths=paths)
            )


def test_a_schema_update_returns_an_operation(client, database):
    operation = update_ddl(client, database, [SINGERS, ALBUMS], "first_tables")
    operation.result(timeout=60)
    assert operation.operation.name == f"{database.name}/operations/first_tables"
    metadata = operation.metadata
    assert metadata.database == database.name
    assert list(metadata.statements) == [SINGERS, ALBUMS]
    assert len(metadata.commit_timestamps) == 2
    assert [each.progress_percent for each in metadata.progress] == [100, 100]
    assert [each.entity_names for each in metadata.actions] == [["Singers"], ["Albums"]]
    assert sorted(ddl(client, database)) == sorted([SINGERS, ALBUMS])


def test_a_bad_statement_changes_nothing(client, database):
    with pytest.raises(exceptions.InvalidArgument):
        update_ddl(client, database, [SINGERS, "CREATE TABEL Albums"], "once")
    assert ddl(client, database) == []
    with pytest.raises(exceptions.InvalidArgument, match="Missing statements"):
        update_ddl(client, database, [])
    update_ddl(client, database, [SINGERS], "once").result(timeout=60)
    with pytest.raises(exceptions.AlreadyExists):
        update_ddl(client, database, [ALBUMS], "once")
    for bad in ("_auto1", "Once", "o", "on-ce", "o" * 129):
        with pytest.raises(exceptions.InvalidArgument):
            update_ddl(client, database, [ALBUMS], bad)
    assert ddl(client, database) == [SINGERS]


def test_a_statement_that_data_violates_fails_the_operation_and_keeps_earlier_statements(
    client, database
):
    update_ddl(client, database, [SINGERS]).result(timeout=60)
    with database.batch() as batch:
        batch.insert("Singers", ["Id", "Name"], [[1, "twice"], [2, "twice"]])
    unique = "CREATE UNIQUE INDEX ByName ON Singers(Name)"
    later = "CREATE INDEX ById ON Singers(Id)"
    operation = update_ddl(client, database, [ALBUMS, unique, later], "refused")
    assert operation.done()
    with pytest.raises(exceptions.FailedPrecondition, match="ByName"):
        operation.result(timeout=60)
    assert len(operation.metadata.commit_timestamps) == 1
    assert len(operation.metadata.statements) == 3
    update_ddl(client, database, ["DROP TABLE Albums"]).result(timeout=60)
    failed = [each.operation.name for each in database.list_database_operations(filter_="error:*")]
    assert failed == [operation.operation.name]


def test_operations_are_listed_filtered_and_deleted(client, instance, database):
    api = client.database_admin_api
    update_ddl(client, database, [SINGERS], "singers").result(timeout=60)
    name = f"{database.name}/operations/singers"

    def listed(filter_=""):
        request = operations_pb2.ListOperationsRequest(
            name=f"{database.name}/operations", filter=filter_
        )
        return [each.name for each in api.list_operations(request=request).operations]

    assert len(listed()) == 2
    assert listed("name:singers") == [name]
    assert listed("metadata.@type:UpdateDatabaseDdlMetadata AND done:true") == [name]
    assert listed("error:*") == []
    in_instance = [each.operation.name for each in instance.list_database_operations()]
    assert sorted(in_instance) == sorted(listed())
    assert [each.operation.name for each in database.list_database_operations()] == listed()
    assert api.get_operation(request=operations_pb2.GetOperationRequest(name=name)).done
    api.cancel_operation(request=operations_pb2.CancelOperationRequest(name=name))
    api.delete_operation(request=operations_pb2.DeleteOperationRequest(name=name))
    with pytest.raises(exceptions.NotFound, match="Operation not found"):
        api.get_operation(request=operations_pb2.GetOperationRequest(name=name))
    with pytest.raises(exceptions.InvalidArgument):
        api.get_operation(request=operations_pb2.GetOperationRequest(name="singers"))
    with pytest.raises(exceptions.InvalidArgument):
        listed("((")


def test_operations_of_an_instance_do_not_include_those_of_its_databases(client, database):
    instance_name = database.name.partition("/databases/")[0]
    request = operations_pb2.ListOperationsRequest(name=f"{instance_name}/operations")
    (only,) = client.instance_admin_api.list_operations(request=request).operations
    assert only.metadata.type_url.endswith("CreateInstanceMetadata")


def test_roles_are_listed(client, database):
    update_ddl(client, database, ["CREATE ROLE clerk"]).result(timeout=60)
    names = [
        role.name for role in client.database_admin_api.list_database_roles(parent=database.name)
    ]
    assert f"{database.name}/databaseRoles/clerk" in names
    assert f"{database.name}/databaseRoles/public" in names


def test_policies_are_kept(client, database):
    api, resource = client.database_admin_api, database.name
    policy = api.get_iam_policy(request={"resource": resource})
    assert not policy.bindings
    assert policy.etag == b"\x00 \x01"  # as the client library's own tests have it
    binding = {"role": "roles/spanner.databaseUser", "members": ["user:ann@example.com"]}
    changed = {"bindings": [binding], "etag": policy.etag}
    api.set_iam_policy(request={"resource": resource, "policy": changed})
    kept = api.get_iam_policy(request={"resource": resource})
    assert [one.role for one in kept.bindings] == [binding["role"]]
    with pytest.raises(exceptions.Aborted):
        api.set_iam_policy(request={"resource": resource, "policy": changed})
    asked = ["spanner.databases.select"]
    held = api.test_iam_permissions(request={"resource": resource, "permissions": asked})
    assert list(held.permissions) == asked
    with pytest.raises(exceptions.InvalidArgument):
        api.test_iam_permissions(request={"resource": resource, "permissions": ["spanner.*"]})
    changed["etag"] = b"odd"
    with pytest.raises(exceptions.InvalidArgument):
        api.set_iam_policy(request={"resource": resource, "policy": changed})
    del changed["etag"]
    api.set_iam_policy(request={"resource": resource, "policy": changed})
    with pytest.raises(exceptions.NotFound):
        api.get_iam_policy(request={"resource": f"{resource}x"})


@pytest.mark.parametrize("name", ["", "d1", "projects/p/instances/i", "projects/p/databases/d"])
def test_malformed_database_names_are_refused(client, name):
    api = client.database_admin_api
    for call in (
        lambda: api.get_database(name=name),
        lambda: api.drop_database(database=name),
        lambda: api.get_database_ddl(database=name),
        lambda: api.update_database_ddl(database=name, statements=[SINGERS]),
    ):
        with pytest.raises(exceptions.InvalidArgument):
            call()


@pytest.mark.parametrize(
    ("config", "leader", "allowed"),
    [
        ("nam3", "us-east1", True),
        ("nam3", "us-central1", False),
        ("regional-us-east1", "us-east1", False),
        ("emulator-config", "anywhere", True),
        ("made-up", "anywhere", True),
    ],
)
@pytest.mark.parametrize("dialect", ["GOOGLE_STANDARD_SQL", "POSTGRESQL"])
def test_the_default_leader_must_be_a_region_of_the_configuration(
    client, config, leader, allowed, dialect
):
    instance = client.instance("led", f"{client.project_name}/instanceConfigs/{config}")
    instance.create().result(timeout=60)
    database = instance.database("led-db", database_dialect=DatabaseDialect[dialect])
    database.create().result(timeout=60)
    statement = (
        f"ALTER DATABASE `led-db` SET OPTIONS (default_leader = '{leader}')"
        if dialect == "GOOGLE_STANDARD_SQL"
        else f"ALTER DATABASE \"led-db\" SET spanner.default_leader = '{leader}'"
    )
    if allowed:
        database.update_ddl([statement]).result(timeout=60)
    else:
        with pytest.raises(exceptions.FailedPrecondition, match=leader):
            database.update_ddl([statement])
    database.reload()
    assert database.default_leader == (leader if allowed else "")


def test_an_instance_has_a_hundred_databases(emulator, client, instance):
    created = [instance.database(f"d-{number}") for number in range(100)]
    for database in created:
        database.create().result()
    with pytest.raises(exceptions.ResourceExhausted) as caught:
        instance.database("more").create()
    # Clients show the sentence of Google's emulator.
    assert caught.value.message == (
        f"Too many databases for instance: {instance.name}. "
        "See https://cloud.google.com/spanner/quotas#database_limits for more information."
    )
    with pytest.raises(exceptions.AlreadyExists):
        created[0].create()
    created[0].drop()
    instance.database("more").create().result()
    with pytest.raises(exceptions.ResourceExhausted):
        created[0].create()


def test_templates_and_clones_count_for_no_limit():
    with spanemu.Emulator(databases_per_instance_max=2) as emulator:
        emulator.create_instance()
        instance = emulator.client().instance(emulator.instance)

        def create(database_id):
            instance.database(database_id).create().result()

        create("template")
        create("other")
        template = emulator.database("template")
        clones = [template.clone(f"clone-{number}") for number in range(3)]
        create("third")
        with pytest.raises(exceptions.ResourceExhausted):
            create("fourth")
        for clone in clones:
            clone.drop()
        template.drop()
        with pytest.raises(exceptions.ResourceExhausted):
            create("fourth")
        emulator.database("third").settle()
        create("fourth")


@pytest.mark.parametrize(("units", "most"), [(100, 10), (300, 30), (1000, 40)])
def test_a_strict_limit_follows_the_processing_units(units, most):
    settings = {"databases_per_instance_max": 40, "strict_database_limit": True}
    with spanemu.Emulator(**settings) as emulator:
        client = emulator.client()
        config = f"{client.project_name}/instanceConfigs/emulator-config"
        instance = client.instance("small", config, processing_units=units)
        instance.create().result()
        for number in range(most):
            instance.database(f"d-{number}").create().result()
        with pytest.raises(exceptions.ResourceExhausted):
            instance.database("more").create()


def test_the_limit_does_not_apply_to_the_emulators_own_process():
    with spanemu.Emulator(databases_per_instance_max=2) as emulator:
        for number in range(3):
            emulator.create_database(f"own-{number}")
        with pytest.raises(exceptions.ResourceExhausted):
            emulator.client().instance(emulator.instance).database("more").create()


def test_a_restored_database_counts_toward_the_limit(emulator, client, instance):
    source = instance.database("source")
    source.create().result()
    day = timedelta(days=1)
    backup = instance.backup("b1", database=source, expire_time=emulator.clock.now + day)
    backup.create().result()
    for number in range(99):
        instance.database(f"d-{number}").create().result()
    with pytest.raises(exceptions.ResourceExhausted):
        instance.database("restored").restore(backup)


def test_a_saved_state_loads_with_more_databases_than_the_limit(tmp_path):
    settings = {"data_dir": tmp_path, "databases_per_instance_max": 2}
    with spanemu.Emulator(**settings) as emulator:
        template = emulator.create_database("template")
        for number in range(3):
            template.clone(f"clone-{number}")
    with spanemu.Emulator(**settings) as emulator:
        assert emulator.has_loaded
        instance = emulator.client().instance(emulator.instance)
        with pytest.raises(exceptions.ResourceExhausted):
            instance.database("more").create()


@pytest.mark.parametrize(
    "policy",
    [
        {"bindings": [{"role": "roles/spanner.nobody", "members": ["allUsers"]}]},
        {"bindings": [{"role": "roles/spanner.viewer", "members": ["ann"]}]},
        {"bindings": [{"role": "roles/spanner.viewer"}]},
        {"version": 2},
    ],
)
def test_a_malformed_policy_is_refused_and_not_kept(client, instance, database, policy):
    for api, resource in (
        (client.instance_admin_api, instance.name),
        (client.database_admin_api, database.name),
    ):
        with pytest.raises(exceptions.InvalidArgument):
            api.set_iam_policy(request={"resource": resource, "policy": policy})
        assert not api.get_iam_policy(request={"resource": resource}).bindings
        options = {"requested_policy_version": 2}
        with pytest.raises(exceptions.InvalidArgument):
            api.get_iam_policy(request={"resource": resource, "options": options})
        asked = ["spanner.databases.fly"]
        with pytest.raises(exceptions.InvalidArgument):
            api.test_iam_permissions(request={"resource": resource, "permissions": asked})
