"""Backup schedules, and the backups they make by the emulator's clock, through the client."""

from datetime import UTC, datetime, timedelta

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_database_v1 import types
from google.cloud.spanner_admin_instance_v1 import types as instance_types
from google.protobuf.field_mask_pb2 import FieldMask
from google.rpc.error_details_pb2 import ResourceInfo

import spanemu

START = datetime(2030, 1, 1, 10, 30, tzinfo=UTC)  # a Tuesday
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
SCHEMA = "CREATE TABLE T (Id INT64) PRIMARY KEY (Id)"


@pytest.fixture
def emulator():
    """Yield an emulator whose clock stands still."""
    with spanemu.Emulator(start_time=START) as running:
        running.clock.freeze()
        yield running


@pytest.fixture
def api(emulator):
    return emulator.client().database_admin_api


@pytest.fixture
def shop(emulator):
    return emulator.create_database("shop", SCHEMA).client()


@pytest.fixture
def instance(emulator, shop):
    return emulator.client().instance("emulator-instance")


@pytest.fixture
def create(api, shop):
    """Create a schedule, by default for full backups that are kept for two days."""

    def run(schedule_id="nightly", cron="0 2 * * *", *, incremental=False, **changes):
        schedule = types.BackupSchedule(
            **{
                "spec": {"cron_spec": {"text": cron}},
                "retention_duration": 2 * DAY,
                **({"incremental_backup_spec": {}} if incremental else {"full_backup_spec": {}}),
                **changes,
            }
        )
        return api.create_backup_schedule(
            parent=shop.name, backup_schedule_id=schedule_id, backup_schedule=schedule
        )

    return run


def ids(resources):
    return [each.name.rpartition("/")[2] for each in resources]


def times(instance):
    return sorted(each.version_time for each in instance.list_backups())


def insert(database, number):
    with database.batch() as batch:
        batch.insert("T", ["Id"], [[number]])


def count(database):
    with database.snapshot() as snapshot:
        return next(iter(snapshot.execute_sql("SELECT COUNT(*) FROM T")))[0]


def test_a_schedule_is_created(api, shop, create):
    created = create()
    assert created.name == f"{shop.name}/backupSchedules/nightly"
    assert created.spec.cron_spec.text == "0 2 * * *"
    assert created.spec.cron_spec.time_zone == "UTC"
    assert created.spec.cron_spec.creation_window == 4 * HOUR
    assert created.retention_duration == 2 * DAY
    assert "full_backup_spec" in created
    assert "incremental_backup_spec" not in created
    assert created.update_time >= START
    assert api.get_backup_schedule(name=created.name) == created
    assert "incremental_backup_spec" in create("often", "0 */4 * * *", incremental=True)


def test_schedules_are_listed_and_paged(api, shop, create):
    for schedule_id in ("ccc", "aaa", "bbb"):
        create(schedule_id)
    assert ids(api.list_backup_schedules(parent=shop.name)) == ["aaa", "bbb", "ccc"]
    request = types.ListBackupSchedulesRequest(parent=shop.name, page_size=1)
    assert ids(api.list_backup_schedules(request=request)) == ["aaa", "bbb", "ccc"]
    with pytest.raises(exceptions.NotFound, match="Database not found"):
        api.list_backup_schedules(parent=f"{shop.name}x")


def test_a_database_has_four_schedules_at_most(create):
    for number in range(4):
        create(f"schedule-{number}")
    with pytest.raises(exceptions.AlreadyExists):
        create("schedule-0")
    with pytest.raises(exceptions.ResourceExhausted):
        create("schedule-4")


@pytest.mark.parametrize(
    ("schedule_id", "changes"),
    [
        ("", {}),
        ("S", {}),
        ("s" * 61, {}),
        ("good", {"name": "projects/p/instances/i/databases/d/backupSchedules/other"}),
        ("good", {"spec": {}}),
        ("good", {"retention_duration": None}),
        ("good", {"retention_duration": 5 * HOUR}),
        ("good", {"retention_duration": 367 * DAY}),
        ("good", {"full_backup_spec": None}),
        ("good", {"encryption_config": {}}),
    ],
)
def test_invalid_schedules_are_refused(api, shop, create, schedule_id, changes):
    with pytest.raises(exceptions.InvalidArgument):
        create(schedule_id, **changes)
    assert list(api.list_backup_schedules(parent=shop.name)) == []


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "daily",
        "0 2 * *",
        "0 2 * * * *",
        "60 2 * * *",
        "0 24 * * *",
        "0 2 0 * *",
        "0 2 * 13 *",
        "0 2 * * 8",
        "0 2 30 2 *",
        "0 4-2 * * *",
        "0 2/0 * * *",
        "* 2 * * *",
        "0 * * * *",
        "0 */6 * * *",
        "0 2,13 * * *",
        "0 0,15 * * *",
        "0,30 2 * * *",
    ],
)
def test_invalid_cron_expressions_are_refused(create, cron):
    with pytest.raises(exceptions.InvalidArgument):
        create(cron=cron)


@pytest.mark.parametrize(
    "cron",
    ["0 2/12 * * *", "0 2,14 * * *", "0 2 * * 0", "0 2 8 * *", "5 0,15 * * MON", "0 2 1 jan *"],
)
def test_valid_cron_expressions_are_accepted(create, cron):
    assert create(cron=cron).spec.cron_spec.text == cron


def test_incremental_backups_run_at_most_every_four_hours(create):
    create(cron="0 */4 * * *", incremental=True)
    with pytest.raises(exceptions.InvalidArgument):
        create("often", cron="0 */3 * * *", incremental=True)


def test_a_missing_schedule_is_named(api, shop):
    name = f"{shop.name}/backupSchedules/nightly"
    for call in (
        lambda: api.get_backup_schedule(name=name),
        lambda: api.delete_backup_schedule(name=name),
        lambda: api.update_backup_schedule(
            backup_schedule=types.BackupSchedule(name=name),
            update_mask=FieldMask(paths=["retention_duration"]),
        ),
    ):
        with pytest.raises(exceptions.NotFound, match="Backup schedule not found") as caught:
            call()
        info = next(each for each in caught.value.details if isinstance(each, ResourceInfo))
        assert info.resource_type.endswith("google.spanner.admin.database.v1.BackupSchedule")
        assert info.resource_name == name
    with pytest.raises(exceptions.InvalidArgument):
        api.get_backup_schedule(name="nightly")


def test_a_schedule_is_updated_by_mask(emulator, api, create):
    created = create()
    emulator.clock.advance(minutes=1)
    expected = types.BackupSchedule(
        name=created.name,
        spec={"cron_spec": {"text": "30 3 * * *"}},
        retention_duration=9 * DAY,
        incremental_backup_spec={},
    )

    def update(*paths):
        return api.update_backup_schedule(
            backup_schedule=expected, update_mask=FieldMask(paths=paths)
        )

    changed = update("retention_duration")
    assert changed.retention_duration == 9 * DAY
    assert changed.spec.cron_spec.text == "0 2 * * *"
    assert changed.update_time > created.update_time
    changed = update("spec.cron_spec.text", "incremental_backup_spec")
    assert changed.spec.cron_spec.text == "30 3 * * *"
    assert "incremental_backup_spec" in changed
    for paths in ([], ["name"], ["update_time"], ["nonsense"]):
        with pytest.raises(exceptions.InvalidArgument):
            update(*paths)
    expected.spec.cron_spec.text = "* * * * *"
    with pytest.raises(exceptions.InvalidArgument):
        update("spec")
    assert api.get_backup_schedule(name=created.name) == changed


def test_backups_are_made_as_the_clock_passes(emulator, instance, shop, create):
    schedule = create(cron="0 2,14 * * *")
    insert(shop, 1)
    emulator.clock.advance(hours=3)
    assert times(instance) == []
    emulator.clock.advance(hours=1)
    assert times(instance) == [START.replace(hour=14, minute=0)]
    insert(shop, 2)
    emulator.clock.advance(days=1)
    result = sorted(instance.list_backups(), key=lambda each: each.version_time)
    assert [each.version_time.hour for each in result] == [14, 2, 14]
    for backup in result:
        assert list(backup.backup_schedules) == [schedule.name]
        assert backup.expire_time == backup.version_time + 2 * DAY
        assert backup.database == shop.name
    sizes = []
    for number, backup in enumerate(result):
        restored = instance.database(f"restored-{number}")
        restored.restore(instance.backup(backup.name.rpartition("/")[2])).result(timeout=60)
        sizes.append(count(restored))
    assert sizes == [1, 2, 2]
    emulator.clock.advance(days=30)
    assert len(times(instance)) == 4
    assert ids(instance.list_backups(filter_="backup_schedules:nightly"))


def test_a_deleted_schedule_makes_no_backups(emulator, api, instance, shop, create):
    created = create()
    emulator.clock.advance(days=1)
    assert len(times(instance)) == 1
    api.delete_backup_schedule(name=created.name)
    emulator.clock.advance(days=1)
    assert len(times(instance)) == 1
    create()
    shop.drop()
    emulator.clock.advance(hours=12)
    assert len(times(instance)) == 1
    again = emulator.create_database("shop", SCHEMA).client()
    assert list(api.list_backup_schedules(parent=again.name)) == []


def test_scheduled_backups_have_operations(emulator, instance, create):
    create()
    emulator.clock.advance(days=2)
    (_, operation) = instance.list_backup_operations()
    assert operation.metadata.progress.progress_percent == 100
    assert "/backups/nightly_20300102_020000/operations/" in operation.operation.name


def test_increments_form_a_chain(emulator, api, instance, shop, create):
    created = create(cron="0 */12 * * *", incremental=True, retention_duration=30 * DAY)
    insert(shop, 1)
    emulator.clock.advance(days=1)
    insert(shop, 2)
    emulator.clock.advance(days=1)
    chain = list(instance.list_backups())[::-1]
    assert len(chain) == 4
    assert len({each.incremental_backup_chain_id for each in chain}) == 1
    assert {each.oldest_version_time for each in chain} == {chain[0].version_time}
    assert [each.exclusive_size_bytes > 0 for each in chain] == [True, False, True, False]
    assert [each.freeable_size_bytes > 0 for each in chain] == [False, False, False, True]
    assert [each.size_bytes for each in chain] == [16, 16, 32, 32]
    api.delete_backup(name=chain[-1].name)
    emulator.clock.advance(hours=12)
    newest = next(iter(instance.list_backups()))
    assert newest.incremental_backup_chain_id != chain[0].incremental_backup_chain_id
    emulator.clock.advance(days=7)
    chains = [each.incremental_backup_chain_id for each in instance.list_backups()]
    assert chains.count(newest.incremental_backup_chain_id) == 14
    assert len(set(chains)) == 3
    assert created.name in next(iter(instance.list_backups())).backup_schedules


def test_a_schedule_has_a_policy(api, create):
    created = create()
    binding = {"role": "roles/spanner.backupAdmin", "members": ["user:ann@example.com"]}
    api.set_iam_policy(request={"resource": created.name, "policy": {"bindings": [binding]}})
    assert api.get_iam_policy(request={"resource": created.name}).bindings
    api.delete_backup_schedule(name=created.name)
    with pytest.raises(exceptions.NotFound):
        api.get_iam_policy(request={"resource": created.name})
    assert not api.get_iam_policy(request={"resource": create().name}).bindings


def test_an_instance_may_create_default_backup_schedules(emulator, api):
    client = emulator.client()
    instances = client.instance_admin_api
    kind = instance_types.Instance.DefaultBackupScheduleType
    name = f"{client.project_name}/instances/kept"
    instances.create_instance(
        parent=client.project_name,
        instance_id="kept",
        instance=instance_types.Instance(
            config=f"{client.project_name}/instanceConfigs/emulator-config",
            default_backup_schedule_type=kind.AUTOMATIC,
        ),
    ).result(timeout=60)
    kept = client.instance("kept")
    kept.database("one").create().result(timeout=60)
    (schedule,) = api.list_backup_schedules(parent=f"{name}/databases/one")
    assert schedule.retention_duration == 7 * DAY
    assert "full_backup_spec" in schedule
    emulator.clock.advance(days=9)
    assert len(list(kept.list_backups())) == 7
    instances.update_instance(
        instance=instance_types.Instance(name=name, default_backup_schedule_type=kind.NONE),
        field_mask=FieldMask(paths=["default_backup_schedule_type"]),
    ).result(timeout=60)
    assert instances.get_instance(name=name).default_backup_schedule_type == kind.NONE
    kept.database("two").create().result(timeout=60)
    assert list(api.list_backup_schedules(parent=f"{name}/databases/two")) == []
