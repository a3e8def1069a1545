"""Backups, copies and restores, through the official client."""

from datetime import UTC, datetime, timedelta

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_database_v1 import types
from google.cloud.spanner_admin_instance_v1 import types as instance_types
from google.cloud.spanner_v1 import KeySet, param_types
from google.longrunning import operations_pb2
from google.protobuf.field_mask_pb2 import FieldMask
from google.rpc.error_details_pb2 import ResourceInfo

import spanemu

SCHEMA = """
CREATE TABLE Singers (Id INT64 NOT NULL, Name STRING(MAX), Seen TIMESTAMP) PRIMARY KEY (Id),
  ROW DELETION POLICY (OLDER_THAN(Seen, INTERVAL 1 DAY));
CREATE UNIQUE INDEX ByName ON Singers(Name);
CREATE TABLE Albums (Id INT64 NOT NULL, N INT64 NOT NULL) PRIMARY KEY (Id, N),
  INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
"""
START = datetime(2030, 1, 1, 10, 30, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
_TYPES = "type.googleapis.com/google.spanner.admin"


@pytest.fixture
def emulator():
    """Yield an emulator whose clock stands still, with two places for instances."""
    configs = {"emulator-config": "One", "another-config": "Another"}
    with spanemu.Emulator(start_time=START, instance_configs=configs) as running:
        running.clock.freeze()
        yield running


@pytest.fixture
def client(emulator):
    return emulator.client()


@pytest.fixture
def instance(emulator, client):
    emulator.create_instance()
    return client.instance("emulator-instance")


@pytest.fixture
def shop(emulator, instance):
    """Return a database with two singers, as the official client's object."""
    database = emulator.create_database("shop", SCHEMA).client()
    with database.batch() as batch:
        batch.insert("Singers", ["Id", "Name", "Seen"], [[1, "Ann", START], [2, "Bo", START]])
        batch.insert("Albums", ["Id", "N"], [[1, 1], [1, 2]])
    return database


@pytest.fixture
def now(emulator):
    return lambda: emulator.clock.now


@pytest.fixture
def back_up(instance, shop, now):
    """Back the shop up; the client's object, up to date."""

    def create(backup_id="b1", days=3, **more):
        backup = instance.backup(backup_id, database=shop, expire_time=now() + days * DAY, **more)
        backup.create().result(timeout=60)
        backup.reload()
        return backup

    return create


def singers(database):
    with database.snapshot() as snapshot:
        return [row[0] for row in snapshot.execute_sql("SELECT Name FROM Singers ORDER BY Id")]


def restore(instance, backup, database_id="restored"):
    database = instance.database(database_id)
    operation = database.restore(backup)
    operation.result(timeout=60)
    database.reload()
    return database, operation


def delete_all(database):
    with database.batch() as batch:
        batch.delete("Albums", KeySet(all_=True))
        batch.delete("Singers", KeySet(all_=True))


def ids(resources):
    return [each.name.rpartition("/")[2] for each in resources]


def resource_info(caught):
    return next(each for each in caught.value.details if isinstance(each, ResourceInfo))


# ---------------------------------------------------------------------------- creating


def test_a_backup_is_created_with_a_finished_operation(instance, shop, now):
    expire_time = now() + 3 * DAY
    backup = instance.backup("b1", database=shop, expire_time=expire_time)
    operation = backup.create()
    assert operation.done()
    assert operation.operation.name.startswith(f"{backup.name}/operations/")
    metadata = operation.metadata
    assert (metadata.name, metadata.database) == (backup.name, shop.name)
    assert metadata.progress.progress_percent == 100
    assert metadata.progress.start_time <= metadata.progress.end_time
    created = operation.result(timeout=60)
    assert created.state == types.Backup.State.READY
    assert (created.name, created.database) == (backup.name, shop.name)
    assert created.create_time == created.version_time == created.oldest_version_time
    assert created.expire_time == expire_time
    assert created.max_expire_time == created.create_time + 366 * DAY
    assert created.size_bytes == created.exclusive_size_bytes == created.freeable_size_bytes > 0
    assert created.database_dialect == types.DatabaseDialect.GOOGLE_STANDARD_SQL
    kind = types.EncryptionInfo.Type.GOOGLE_DEFAULT_ENCRYPTION
    assert created.encryption_info.encryption_type == kind
    assert not any(
        (created.referencing_databases, created.referencing_backups, created.backup_schedules)
    )
    assert backup.exists()
    backup.reload()
    assert backup.is_ready()


def test_a_backup_holds_the_rows_of_its_version_time(emulator, back_up, instance, shop):
    at = emulator.clock.now
    emulator.clock.advance(minutes=5)
    with shop.batch() as batch:
        batch.update("Singers", ["Id", "Name"], [[1, "Anna"]])
        batch.insert("Singers", ["Id", "Name"], [[3, "Cy"]])
        batch.delete("Singers", KeySet(keys=[[2]]))
    backup = back_up(version_time=at)
    assert backup.version_time == at < backup.create_time
    restored, operation = restore(instance, backup)
    assert singers(restored) == ["Ann", "Bo"]
    assert operation.metadata.backup_info.version_time == at
    now_backed_up, _ = restore(instance, back_up("b2"), "second")
    assert singers(now_backed_up) == ["Anna", "Cy"]
    with restored.snapshot() as snapshot:
        by_index = "SELECT Id FROM Singers@{FORCE_INDEX=ByName} WHERE Name = 'Ann'"
        assert list(snapshot.execute_sql(by_index)) == [[1]]


def test_a_backup_has_the_schema_of_its_version_time(emulator, back_up, instance, shop):
    at = emulator.clock.now
    emulator.clock.advance(minutes=5)
    shop.update_ddl(
        ["ALTER TABLE Singers ADD COLUMN Age INT64", "CREATE INDEX ByAge ON Singers(Age)"]
    ).result(timeout=60)
    restored, _ = restore(instance, back_up(version_time=at))
    assert "Age" not in "".join(restored.ddl_statements)
    assert singers(restored) == ["Ann", "Bo"]
    restored, _ = restore(instance, back_up("b2"), "second")
    assert "ByAge" in "".join(restored.ddl_statements)


def test_a_backup_outlives_old_versions_and_the_database(emulator, back_up, instance, shop):
    backup = back_up()
    delete_all(shop)
    emulator.clock.advance(hours=2)
    assert emulator.clock.expire_versions() >= 0
    shop.drop()
    backup.reload()
    assert backup._database == shop.name
    restored, _ = restore(instance, backup)
    assert singers(restored) == ["Ann", "Bo"]


def test_a_restored_database_is_independent(back_up, instance, shop):
    backup = back_up()
    first, _ = restore(instance, backup, "first")
    second, _ = restore(instance, backup, "second")
    with first.batch() as batch:
        batch.insert("Singers", ["Id", "Name"], [[9, "Zed"]])
    delete_all(shop)
    assert singers(first) == ["Ann", "Bo", "Zed"]
    assert singers(second) == ["Ann", "Bo"]
    assert singers(shop) == []
    with pytest.raises(exceptions.AlreadyExists), first.batch() as batch:
        batch.insert("Singers", ["Id", "Name"], [[10, "Zed"]])


@pytest.mark.parametrize(
    "expires_in",
    [-DAY, timedelta(), 6 * HOUR - timedelta(seconds=1), 366 * DAY + timedelta(seconds=1)],
)
def test_expire_times_beyond_the_limits_are_refused(instance, shop, now, expires_in):
    backup = instance.backup("b1", database=shop, expire_time=now() + expires_in)
    with pytest.raises(exceptions.InvalidArgument):
        backup.create()
    assert not backup.exists()


def test_expire_times_at_the_limits_are_accepted(instance, shop, now):
    for backup_id, after in (("soon", 6 * HOUR + timedelta(seconds=1)), ("late", 366 * DAY)):
        backup = instance.backup(backup_id, database=shop, expire_time=now() + after)
        backup.create().result(timeout=60)


@pytest.mark.parametrize("ago", [-HOUR, HOUR + timedelta(seconds=1), 10 * DAY])
def test_unreadable_version_times_are_refused(emulator, instance, shop, now, ago):
    emulator.clock.advance(hours=2)
    backup = instance.backup("b1", database=shop, expire_time=now() + DAY, version_time=now() - ago)
    with pytest.raises(exceptions.InvalidArgument):
        backup.create()


def test_a_version_time_before_the_database(instance, shop, now):
    backup = instance.backup(
        "b1", database=shop, expire_time=now() + DAY, version_time=now() - timedelta(minutes=30)
    )
    with pytest.raises(exceptions.InvalidArgument):
        backup.create()


def create_request(instance, shop, now, **changes):
    backup = {"database": shop.name, "expire_time": now() + DAY, **changes.pop("backup", {})}
    fields = {"parent": instance.name, "backup_id": "b1", "backup": backup, **changes}
    return types.CreateBackupRequest(**fields)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"parent": "projects/p"}, exceptions.InvalidArgument),
        ({"backup_id": ""}, exceptions.InvalidArgument),
        ({"backup_id": "b"}, exceptions.InvalidArgument),
        ({"backup_id": "B1"}, exceptions.InvalidArgument),
        ({"backup_id": "b-"}, exceptions.InvalidArgument),
        ({"backup_id": "b" * 61}, exceptions.InvalidArgument),
        ({"backup": {"database": ""}}, exceptions.InvalidArgument),
        ({"backup": {"database": "shop"}}, exceptions.InvalidArgument),
        ({"backup": {"expire_time": None}}, exceptions.InvalidArgument),
        ({"backup": {"name": "projects/p/instances/i/backups/other"}}, exceptions.InvalidArgument),
        ({"encryption_config": {}}, exceptions.InvalidArgument),
        (
            {"encryption_config": {"encryption_type": 2, "kms_key_name": "k"}},
            exceptions.InvalidArgument,
        ),
        ({"encryption_config": {"encryption_type": 3}}, exceptions.InvalidArgument),
    ],
)
def test_invalid_backups_are_refused(client, instance, shop, now, changes, refusal):
    request = create_request(instance, shop, now, **changes)
    with pytest.raises(refusal):
        client.database_admin_api.create_backup(request=request)
    assert list(instance.list_backups()) == []
    assert list(instance.list_backup_operations()) == []


@pytest.mark.parametrize("encryption_type", [1, 2])
def test_encryption_by_google_is_accepted(client, instance, shop, now, encryption_type):
    config = {"encryption_type": encryption_type}
    request = create_request(instance, shop, now, encryption_config=config)
    client.database_admin_api.create_backup(request=request).result(timeout=60)


def test_create_backup_requires_an_instance_a_database_and_a_free_name(client, instance, shop, now):
    api = client.database_admin_api

    def create(**changes):
        api.create_backup(request=create_request(instance, shop, now, **changes))

    create()
    with pytest.raises(exceptions.AlreadyExists):
        create()
    with pytest.raises(exceptions.NotFound, match="Database not found"):
        create(backup_id="b2", backup={"database": f"{shop.name}x"})
    with pytest.raises(exceptions.NotFound, match="Instance not found"):
        create(backup_id="b2", parent=f"{instance.name}x", backup={"database": nowhere(shop)})
    other = client.instance("other", instance.configuration_name or config_of(client))
    other.create().result(timeout=60)
    with pytest.raises(exceptions.InvalidArgument, match="its own instance"):
        create(backup_id="b2", parent=other.name)


def nowhere(shop):
    return shop.name.replace("emulator-instance", "emulator-instancex")


def config_of(client, config="emulator-config"):
    return f"{client.project_name}/instanceConfigs/{config}"


def test_a_large_request_is_refused(client, instance, shop, now):
    request = create_request(instance, shop, now, backup={"name": "x" * 1024 * 1024})
    with pytest.raises(exceptions.InvalidArgument, match="1048576"):
        client.database_admin_api.create_backup(request=request)


# ---------------------------------------------------------------------------- getting and listing


def test_a_missing_backup_is_named(client, instance):
    name = f"{instance.name}/backups/b1"
    api = client.database_admin_api
    for call in (
        lambda: api.get_backup(name=name),
        lambda: api.delete_backup(name=name),
        lambda: api.update_backup(
            backup=types.Backup(name=name), update_mask=FieldMask(paths=["expire_time"])
        ),
    ):
        with pytest.raises(exceptions.NotFound, match="Backup not found") as caught:
            call()
        info = resource_info(caught)
        assert info.resource_type == f"{_TYPES}.database.v1.Backup"
        assert info.resource_name == name
    with pytest.raises(exceptions.NotFound, match="Instance not found"):
        api.get_backup(name=f"{instance.name}x/backups/b1")
    with pytest.raises(exceptions.NotFound, match="Instance not found"):
        api.list_backups(parent=f"{instance.name}x")


@pytest.mark.parametrize("name", ["", "b1", "projects/p/instances/i", "projects/p/backups/b"])
def test_malformed_names_are_refused(client, name):
    api = client.database_admin_api
    for call in (
        lambda: api.get_backup(name=name),
        lambda: api.delete_backup(name=name),
        lambda: api.list_backups(parent=name and f"{name}/"),
    ):
        with pytest.raises(exceptions.InvalidArgument):
            call()


def test_backups_are_listed_newest_first_filtered_and_paged(
    emulator, client, instance, shop, back_up
):
    other = emulator.create_database("ledger").client()
    for backup_id in ("bbb", "aaa", "ccc"):
        back_up(backup_id)
        emulator.clock.advance(minutes=10)
    later = instance.backup("ddd", database=other, expire_time=emulator.clock.now + 9 * DAY)
    later.create().result(timeout=60)
    assert ids(instance.list_backups()) == ["ddd", "ccc", "aaa", "bbb"]
    assert ids(instance.list_backups(page_size=1)) == ["ddd", "ccc", "aaa", "bbb"]

    def listed(filter_):
        return ids(instance.list_backups(filter_=filter_))

    assert listed("name:AAA") == ["aaa"]
    assert listed("database:ledger") == ["ddd"]
    assert listed("state:READY database:shop") == ["ccc", "aaa", "bbb"]
    assert listed("state:CREATING") == []
    assert listed('create_time < "2030-01-01T10:35:00Z"') == ["bbb"]
    assert listed('version_time > "2030-01-01T10:35:00Z" AND NOT name:ccc') == ["ddd", "aaa"]
    assert listed('(expire_time > "2030-01-08T00:00:00Z") OR (name:bbb)') == ["ddd", "bbb"]
    assert listed("size_bytes > 0 AND size_bytes < 1000") == ["ccc", "aaa", "bbb"]
    assert listed("size_bytes = 0") == ["ddd"]
    assert listed("backup_schedules:daily") == []
    for bad in ("colour:red", "name:", "(name:a"):
        with pytest.raises(exceptions.InvalidArgument):
            listed(bad)
    request = types.ListBackupsRequest(parent=instance.name, page_token="made up")
    with pytest.raises(exceptions.InvalidArgument):
        client.database_admin_api.list_backups(request=request)


# ---------------------------------------------------------------------------- updating, deleting


def test_only_the_expire_time_can_be_changed(client, back_up, now):
    backup = back_up()
    later = now() + 9 * DAY
    backup.update_expire_time(later)
    backup.reload()
    assert backup.expire_time == later
    for wrong in (now() + 5 * HOUR, now() + 367 * DAY):
        with pytest.raises(exceptions.InvalidArgument):
            backup.update_expire_time(wrong)
    message = types.Backup(name=backup.name, expire_time=now() + DAY, version_time=now())
    for paths in ([], ["version_time"], ["expire_time", "database"], ["nonsense"]):
        with pytest.raises(exceptions.InvalidArgument):
            client.database_admin_api.update_backup(
                backup=message, update_mask=FieldMask(paths=paths)
            )
    backup.reload()
    assert backup.expire_time == later


def test_deleting_a_backup_keeps_its_operations(instance, back_up):
    backup = back_up()
    backup.delete()
    assert not backup.exists()
    with pytest.raises(exceptions.NotFound):
        backup.delete()
    assert len(list(instance.list_backup_operations())) == 1
    assert back_up().exists()


def test_a_backup_expires_by_the_emulators_clock(emulator, instance, back_up):
    back_up("b1", days=1)
    back_up("b2", days=2)
    emulator.clock.advance(hours=23)
    assert ids(instance.list_backups()) == ["b2", "b1"]
    emulator.clock.advance(hours=1, seconds=1)
    assert ids(instance.list_backups()) == ["b2"]
    with pytest.raises(exceptions.NotFound):
        instance.backup("b1").reload()
    emulator.clock.advance(days=2)
    instance.delete()


def test_an_instance_with_backups_cannot_be_deleted(instance, shop, back_up):
    backup = back_up()
    shop.drop()
    with pytest.raises(exceptions.FailedPrecondition, match="backups"):
        instance.delete()
    backup.delete()
    instance.delete()
    assert not instance.exists()


# ---------------------------------------------------------------------------- copying


def test_a_backup_is_copied_to_another_instance(emulator, client, instance, shop, back_up, now):
    backup = back_up()
    other = client.instance("other", config_of(client, "another-config"))
    other.create().result(timeout=60)
    emulator.clock.advance(hours=1)
    copy = other.copy_backup("c1", source_backup=backup.name, expire_time=now() + 30 * DAY)
    operation = copy.create()
    assert operation.operation.name.startswith(f"{copy.name}/operations/")
    metadata = operation.metadata
    assert (metadata.name, metadata.source_backup) == (copy.name, backup.name)
    assert metadata.progress.progress_percent == 100
    created = operation.result(timeout=60)
    assert (created.name, created.database) == (copy.name, shop.name)
    assert created.version_time == backup.version_time
    assert created.create_time > backup.create_time
    assert created.max_expire_time == backup.create_time + 366 * DAY
    backup.delete()
    restored, _ = restore(other, copy)
    assert singers(restored) == ["Ann", "Bo"]
    listed = [each.operation.name for each in other.list_backup_operations()]
    assert listed == [operation.operation.name]


def test_invalid_copies_are_refused(emulator, client, instance, back_up, now):
    backup = back_up()
    emulator.clock.advance(days=1)
    api = client.database_admin_api

    def copy(**changes):
        fields = {
            "parent": instance.name,
            "backup_id": "c1",
            "source_backup": backup.name,
            "expire_time": now() + DAY,
            **changes,
        }
        api.copy_backup(request=types.CopyBackupRequest(**fields))

    for refusal, changes in (
        (exceptions.InvalidArgument, {"expire_time": now() + 5 * HOUR}),
        (exceptions.InvalidArgument, {"expire_time": now() + 366 * DAY}),
        (exceptions.InvalidArgument, {"expire_time": None}),
        (exceptions.InvalidArgument, {"source_backup": ""}),
        (exceptions.InvalidArgument, {"source_backup": "b1"}),
        (exceptions.InvalidArgument, {"backup_id": "C"}),
        (exceptions.InvalidArgument, {"encryption_config": {}}),
        (exceptions.InvalidArgument, {"encryption_config": {"encryption_type": 3}}),
        (exceptions.NotFound, {"source_backup": f"{backup.name}x"}),
        (exceptions.NotFound, {"parent": f"{instance.name}x"}),
        (exceptions.AlreadyExists, {"backup_id": "b1"}),
    ):
        with pytest.raises(refusal):
            copy(**changes)
    copy(expire_time=now() + 365 * DAY)


# ---------------------------------------------------------------------------- restoring


def test_a_restored_database_reports_its_restore_info(client, instance, shop, back_up):
    shop.enable_drop_protection = True
    shop.update(["enable_drop_protection"]).result(timeout=60)
    backup = back_up()
    database, operation = restore(instance, backup)
    metadata = operation.metadata
    assert operation.operation.name.startswith(f"{database.name}/operations/")
    assert metadata.name == database.name
    assert metadata.source_type == types.RestoreSourceType.BACKUP
    assert metadata.backup_info.backup == backup.name
    assert metadata.backup_info.source_database == shop.name
    assert metadata.progress.progress_percent == 100
    result = client.database_admin_api.get_database(name=database.name)
    assert result == operation.result()
    assert result.state == types.Database.State.READY
    assert result.restore_info.source_type == types.RestoreSourceType.BACKUP
    assert result.restore_info.backup_info == metadata.backup_info
    assert not result.enable_drop_protection
    assert not result.encryption_config.kms_key_name
    assert result.earliest_version_time >= result.create_time > backup.create_time
    backup.reload()
    assert list(backup.referencing_databases) == []
    assert not client.database_admin_api.get_database(name=shop.name).restore_info.source_type


def test_a_restore_is_followed_by_an_optimization(client, instance, back_up):
    database, operation = restore(instance, back_up())
    name = operation.metadata.optimize_database_operation_name
    api = client.database_admin_api
    result = api.get_operation(request=operations_pb2.GetOperationRequest(name=name))
    assert result.done
    metadata = types.OptimizeRestoredDatabaseMetadata.pb()()
    assert result.metadata.Unpack(metadata)
    assert (metadata.name, metadata.progress.progress_percent) == (database.name, 100)
    filter_ = (
        "(metadata.@type:RestoreDatabaseMetadata) AND (metadata.source_type:BACKUP) AND "
        "(metadata.backup_info.backup:b1) AND (metadata.name:restored)"
    )
    listed = [each.operation.name for each in instance.list_database_operations(filter_=filter_)]
    assert listed == [operation.operation.name]


def test_row_deletion_policies_are_not_restored(emulator, instance, shop, back_up):
    database, _ = restore(instance, back_up())
    shop.reload()
    assert "ROW DELETION" in "".join(shop.ddl_statements)
    assert "ROW DELETION" not in "".join(database.ddl_statements)
    with database.batch() as batch:
        batch.delete("Albums", KeySet(all_=True))
    emulator.clock.advance(days=9)
    assert singers(database) == ["Ann", "Bo"]


def test_options_are_restored(instance, shop, back_up):
    option = "ALTER DATABASE shop SET OPTIONS (version_retention_period = '3d')"
    shop.update_ddl([option]).result(timeout=60)
    database, _ = restore(instance, back_up())
    assert database.version_retention_period == "3d"
    assert database.ddl_statements[0].startswith("ALTER DATABASE restored SET OPTIONS")


def test_reads_before_the_restore_are_refused(emulator, instance, back_up, now):
    backup = back_up()
    before = now()
    emulator.clock.advance(minutes=10)
    database, _ = restore(instance, backup)
    with (
        database.snapshot(read_timestamp=before) as snapshot,
        pytest.raises((exceptions.NotFound, exceptions.InvalidArgument)),
    ):
        list(snapshot.execute_sql("SELECT * FROM Singers"))


def test_a_backup_is_restored_to_an_instance_with_an_equal_configuration(client, back_up):
    backup = back_up()
    for number, config in enumerate(("emulator-config", "")):
        other = client.instance(f"other-{number}", config)
        request = instance_types.CreateInstanceRequest(
            parent=client.project_name,
            instance_id=other.instance_id,
            instance={"config": config, "node_count": 1},
        )
        client.instance_admin_api.create_instance(request=request).result(timeout=60)
        assert singers(restore(other, backup)[0])


def test_invalid_restores_are_refused(client, instance, shop, back_up):
    backup = back_up()
    api = client.database_admin_api
    same = client.instance("same-config", config_of(client))
    elsewhere = client.instance("other-config", config_of(client, "another-config"))
    for created in (same, elsewhere):
        created.create().result(timeout=60)

    def run(**changes):
        fields = {
            "parent": instance.name,
            "database_id": "restored",
            "backup": backup.name,
            **changes,
        }
        api.restore_database(request=types.RestoreDatabaseRequest(**fields))

    for refusal, changes in (
        (exceptions.AlreadyExists, {"database_id": "shop"}),
        (exceptions.InvalidArgument, {"database_id": "R"}),
        (exceptions.InvalidArgument, {"database_id": ""}),
        (exceptions.InvalidArgument, {"parent": elsewhere.name}),
        (exceptions.InvalidArgument, {"parent": "projects/p"}),
        (exceptions.InvalidArgument, {"backup": None}),
        (exceptions.InvalidArgument, {"backup": "b1"}),
        (exceptions.InvalidArgument, {"encryption_config": {}}),
        (exceptions.InvalidArgument, {"encryption_config": {"encryption_type": 3}}),
        (exceptions.NotFound, {"backup": f"{backup.name}x"}),
        (exceptions.NotFound, {"parent": f"{instance.name}x"}),
    ):
        with pytest.raises(refusal):
            run(**changes)
    assert ids(instance.list_databases()) == ["shop"]
    run(parent=same.name, encryption_config={"encryption_type": 1})
    assert singers(same.database("restored")) == ["Ann", "Bo"]


def test_a_backup_of_another_project_cannot_be_restored(emulator, back_up):
    backup = back_up()
    stranger = emulator.client("another-project")
    home = stranger.instance("emulator-instance", config_of(stranger))
    home.create().result(timeout=60)
    with pytest.raises(exceptions.InvalidArgument, match="another project"):
        stranger.database_admin_api.restore_database(
            request={"parent": home.name, "database_id": "restored", "backup": backup.name}
        )
    copy = home.copy_backup("c1", source_backup=backup.name, expire_time=backup.expire_time)
    copy.create().result(timeout=60)
    restored, _ = restore(home, copy)
    assert singers(restored) == ["Ann", "Bo"]


def test_restored_sequences_continue(emulator, instance, now):
    ddl = """
    CREATE SEQUENCE S OPTIONS (sequence_kind = 'bit_reversed_positive');
    CREATE TABLE T (Id INT64 DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE S)), V INT64)
      PRIMARY KEY (Id);
    """
    database = emulator.create_database("counted", ddl).client()

    def add(target):
        target.run_in_transaction(lambda work: work.execute_update("INSERT INTO T (V) VALUES (1)"))

    add(database)
    backup = instance.backup("b1", database=database, expire_time=now() + DAY)
    backup.create().result(timeout=60)
    restored, _ = restore(instance, backup)
    add(restored)
    with restored.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM T")) == [[2]]


# ---------------------------------------------------------------------------- operations, policies


def test_operations_on_backups_are_listed_newest_first_and_filtered(
    emulator, client, instance, back_up
):
    first = back_up("b1")
    emulator.clock.advance(minutes=1)
    back_up("b2")
    emulator.clock.advance(minutes=1)
    expire_time = emulator.clock.now + DAY
    copy = instance.copy_backup("c1", source_backup=first.name, expire_time=expire_time)
    copy.create().result(timeout=60)

    def listed(filter_="", **more):
        found = instance.list_backup_operations(filter_=filter_, **more)
        return [each.operation.name.split("/")[5] for each in found]

    assert listed() == listed(page_size=1) == ["c1", "b2", "b1"]
    assert listed("metadata.@type:CreateBackupMetadata AND metadata.database:shop") == ["b2", "b1"]
    assert listed("(metadata.name:b1) OR (metadata.source_backup:b1)") == ["c1", "b1"]
    assert listed('metadata.progress.start_time < "2030-01-01T10:30:30Z"') == ["b1"]
    assert listed("error:*") == []
    assert listed("response.@type:Backup AND response.name:b2") == ["b2"]
    api = client.database_admin_api
    request = operations_pb2.ListOperationsRequest(name=f"{first.name}/operations")
    (only,) = api.list_operations(request=request).operations
    name = only.name
    assert api.get_operation(request=operations_pb2.GetOperationRequest(name=name)).done
    api.cancel_operation(request=operations_pb2.CancelOperationRequest(name=name))
    api.delete_operation(request=operations_pb2.DeleteOperationRequest(name=name))
    assert listed() == ["c1", "b2"]
    request.name = f"{first.name}x/operations"
    with pytest.raises(exceptions.NotFound):
        api.list_operations(request=request)
    with pytest.raises(exceptions.NotFound):
        api.list_backup_operations(parent=f"{instance.name}x")
    emulator.clock.advance(days=8)
    assert listed() == []


def test_a_backup_has_a_policy(client, back_up):
    backup, api = back_up(), client.database_admin_api
    policy = api.get_iam_policy(request={"resource": backup.name})
    assert not policy.bindings
    binding = {"role": "roles/spanner.backupAdmin", "members": ["user:ann@example.com"]}
    changed = {"bindings": [binding], "etag": policy.etag}
    api.set_iam_policy(request={"resource": backup.name, "policy": changed})
    assert api.get_iam_policy(request={"resource": backup.name}).bindings
    with pytest.raises(exceptions.Aborted):
        api.set_iam_policy(request={"resource": backup.name, "policy": changed})
    asked = ["spanner.backups.get"]
    held = api.test_iam_permissions(request={"resource": backup.name, "permissions": asked})
    assert list(held.permissions) == asked
    backup.delete()
    with pytest.raises(exceptions.NotFound):
        api.get_iam_policy(request={"resource": backup.name})
    assert not api.get_iam_policy(request={"resource": back_up().name}).bindings


def test_a_backup_names_the_instance_partitions_of_its_placements(emulator, client, instance, now):
    partition = instance_types.InstancePartition(
        config=config_of(client), display_name="Europe", node_count=1
    )
    client.instance_admin_api.create_instance_partition(
        parent=instance.name, instance_partition_id="europe", instance_partition=partition
    ).result(timeout=60)
    ddl = "CREATE PLACEMENT eu OPTIONS (instance_partition = 'europe')"
    placed = emulator.create_database("placed", ddl).client()
    backup = instance.backup("b1", database=placed, expire_time=now() + DAY)
    created = backup.create().result(timeout=60)
    name = f"{instance.name}/instancePartitions/europe"
    assert [each.instance_partition for each in created.instance_partitions] == [name]
    placed.drop()
    with pytest.raises(exceptions.FailedPrecondition, match="backups/b1"):
        client.instance_admin_api.delete_instance_partition(name=name)
    copy = instance.copy_backup("c1", source_backup=backup.name, expire_time=now() + DAY)
    with pytest.raises(exceptions.FailedPrecondition):
        copy.create()
    backup.delete()
    client.instance_admin_api.delete_instance_partition(name=name)


def test_objects_created_after_the_version_time_are_not_restored(emulator, back_up, instance, shop):
    at = emulator.clock.now
    emulator.clock.advance(minutes=5)
    later = "CREATE TABLE Later (Id INT64) PRIMARY KEY (Id)"
    shop.update_ddl([later]).result(timeout=60)
    with shop.batch() as batch:
        batch.insert("Later", ["Id"], [[1]])
    restored, _ = restore(instance, back_up(version_time=at))
    restored.update_ddl(["CREATE TABLE Another (Id INT64) PRIMARY KEY (Id)"]).result(timeout=60)
    with restored.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT * FROM Another")) == []


def test_a_table_dropped_since_the_version_time_is_restored(emulator, back_up, instance, shop):
    # What backups at a version time are for.
    at = emulator.clock.now
    emulator.clock.advance(minutes=5)
    with shop.batch() as batch:
        batch.insert("Albums", ["Id", "N"], [[2, 1]])
    statements = ["DROP TABLE Albums", "DROP INDEX ByName", "DROP TABLE Singers"]
    shop.update_ddl(statements).result(timeout=60)
    shop.update_ddl(["CREATE TABLE Singers (Id INT64) PRIMARY KEY (Id)"]).result(timeout=60)
    restored, _ = restore(instance, back_up(version_time=at))
    assert singers(restored) == ["Ann", "Bo"]
    sql = "SELECT Id, N FROM Albums ORDER BY Id, N"
    with restored.batch() as batch:
        batch.insert("Albums", ["Id", "N"], [[1, 9]])
    with restored.snapshot() as snapshot:
        assert list(snapshot.execute_sql(sql)) == [[1, 1], [1, 2], [1, 9]]
    with restored.snapshot() as snapshot:
        by_index = "SELECT Id FROM Singers@{FORCE_INDEX=ByName} WHERE Name = 'Bo'"
        assert list(snapshot.execute_sql(by_index)) == [[2]]
    again, _ = restore(instance, instance.backup("b1"), "again")
    with again.snapshot() as snapshot:
        assert list(snapshot.execute_sql(sql)) == [[1, 1], [1, 2]]


def test_split_points_are_not_restored(client, instance, shop, back_up):
    point = {"table": "Singers", "keys": [{"key_parts": ["5"]}]}
    client.database_admin_api.add_split_points(
        request={"database": shop.name, "split_points": [point]}
    )
    sql = "SELECT * FROM SPANNER_SYS.USER_SPLIT_POINTS"
    restored, _ = restore(instance, back_up())
    for database, expected in ((shop, 1), (restored, 0)):
        with database.snapshot() as snapshot:
            assert len(list(snapshot.execute_sql(sql))) == expected
    assert singers(restored) == ["Ann", "Bo"]


# ---------------------------------------------------------------------------- dialects


def test_a_backup_keeps_the_dialect_of_its_database(emulator, instance, now):
    schema = 'CREATE TABLE "Notes" (id bigint PRIMARY KEY, price numeric, doc jsonb)'
    notes = emulator.create_database("notes", schema, dialect="postgresql").client()
    with notes.batch() as batch:
        batch.insert("Notes", ["id", "price", "doc"], [[1, "10.50", '{"b": 1, "a": 2}']])
    backup = instance.backup("pg", database=notes, expire_time=now() + DAY)
    created = backup.create().result(timeout=60)
    assert created.database_dialect is types.DatabaseDialect.POSTGRESQL
    notes.reload()
    restored, _ = restore(instance, backup)
    assert restored.database_dialect is types.DatabaseDialect.POSTGRESQL
    assert restored.ddl_statements == notes.ddl_statements
    with restored.snapshot() as snapshot:
        rows = snapshot.execute_sql(
            'SELECT price * 2, doc ->> $1::text FROM "Notes" LIMIT 1',
            params={"p1": "a"},
            param_types={"p1": param_types.STRING},
        )
        assert [[str(price), a] for price, a in rows] == [["21.00", "2"]]
    assert {each.database_dialect for each in instance.list_databases()} == {
        types.DatabaseDialect.POSTGRESQL
    }
