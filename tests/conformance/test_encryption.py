"""Customer-managed encryption keys: accepted, kept and reported, as names."""

from datetime import timedelta

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_database_v1 import types

KEY = "projects/p/locations/us-central1/keyRings/ring/cryptoKeys/key"
OTHER = "projects/p/locations/us-east1/keyRings/ring/cryptoKeys/other"
CUSTOMER_MANAGED = types.CreateBackupEncryptionConfig.EncryptionType.CUSTOMER_MANAGED_ENCRYPTION
GOOGLE = types.CreateBackupEncryptionConfig.EncryptionType.GOOGLE_DEFAULT_ENCRYPTION
INHERITED = types.CreateBackupEncryptionConfig.EncryptionType.USE_DATABASE_ENCRYPTION


@pytest.fixture
def api(client):
    return client.database_admin_api


@pytest.fixture
def create(api, instance):
    """Create a database with an encryption config; returns the Database message."""

    def run(database_id="db", **config):
        request = types.CreateDatabaseRequest(
            parent=instance.name,
            create_statement=f"CREATE DATABASE `{database_id}`",
            encryption_config=config,
        )
        created = api.create_database(request=request).result()
        assert api.get_database(name=created.name) == created
        return created

    return run


@pytest.fixture
def back_up(api, emulator, instance):
    """Create a backup; without `config` the request has no encryption config."""

    def run(database, backup_id="backup", **config):
        expire_time = emulator.clock.now + timedelta(days=1)
        fields = {"encryption_config": config} if config else {}
        request = types.CreateBackupRequest(
            parent=instance.name,
            backup_id=backup_id,
            backup={"database": database.name, "expire_time": expire_time},
            **fields,
        )
        return api.create_backup(request=request).result()

    return run


@pytest.fixture
def copy(api, emulator, instance):
    def run(backup, backup_id="copied", **config):
        expire_time = emulator.clock.now + timedelta(days=1)
        request = types.CopyBackupRequest(
            parent=instance.name,
            backup_id=backup_id,
            source_backup=backup.name,
            expire_time=expire_time,
            **({"encryption_config": config} if config else {}),
        )
        return api.copy_backup(request=request).result()

    return run


@pytest.fixture
def restore(api, instance):
    def run(backup, database_id="restored", **config):
        request = types.RestoreDatabaseRequest(
            parent=instance.name,
            database_id=database_id,
            backup=backup.name,
            **({"encryption_config": config} if config else {}),
        )
        return api.restore_database(request=request).result()

    return run


def versions(infos):
    """Return the key versions of customer-managed keys; an info of another type is refused."""
    assert all(info.encryption_type.name == "CUSTOMER_MANAGED_ENCRYPTION" for info in infos)
    return [info.kms_key_version for info in infos]


def version_of(key):
    return f"{key}/cryptoKeyVersions/1"


def is_default(backup):
    return [info.encryption_type.name for info in backup.encryption_information] == [
        "GOOGLE_DEFAULT_ENCRYPTION"
    ]


@pytest.mark.parametrize(
    ("config", "keys"),
    [({"kms_key_name": KEY}, [KEY]), ({"kms_key_names": [KEY, OTHER]}, [KEY, OTHER])],
)
def test_a_database_reports_its_keys_and_their_versions(create, api, instance, config, keys):
    database = create(**config)
    assert database.encryption_config == types.EncryptionConfig(**config)
    assert versions(database.encryption_info) == [version_of(key) for key in keys]
    (listed,) = api.list_databases(parent=instance.name)
    assert listed == database


def test_a_database_without_keys_reports_nothing(create):
    database = create()
    assert "encryption_config" not in database
    assert list(database.encryption_info) == []


@pytest.mark.parametrize(
    "config",
    [
        {"kms_key_name": "key"},
        {"kms_key_names": [KEY, "key"]},
        {"kms_key_name": f"{KEY}/cryptoKeyVersions/1"},
        {"kms_key_name": KEY, "kms_key_names": [OTHER]},
    ],
)
def test_malformed_key_names_are_refused(create, api, instance, config):
    with pytest.raises(exceptions.InvalidArgument, match="encryption_config"):
        create(**config)
    assert list(api.list_databases(parent=instance.name)) == []


def test_a_backup_has_the_keys_of_its_database_unless_others_are_given(create, back_up):
    database = create(kms_key_name=KEY)
    assert versions(back_up(database).encryption_information) == [version_of(KEY)]
    inherited = back_up(database, "inherited", encryption_type=INHERITED)
    assert inherited.encryption_info.kms_key_version == version_of(KEY)
    other = back_up(database, "other", encryption_type=CUSTOMER_MANAGED, kms_key_names=[OTHER, KEY])
    assert versions(other.encryption_information) == [version_of(OTHER), version_of(KEY)]
    assert is_default(back_up(database, "google", encryption_type=GOOGLE))


def test_a_copy_has_the_keys_of_its_source_unless_others_are_given(create, back_up, copy):
    backup = back_up(create(kms_key_name=KEY))
    assert versions(copy(backup).encryption_information) == [version_of(KEY)]
    other = copy(backup, "other", encryption_type=CUSTOMER_MANAGED, kms_key_name=OTHER)
    assert versions(other.encryption_information) == [version_of(OTHER)]
    assert is_default(copy(backup, "google", encryption_type=GOOGLE))


def test_a_restored_database_has_the_keys_of_its_backup_unless_others_are_given(
    create, back_up, restore
):
    backup = back_up(create(kms_key_name=KEY))
    assert restore(backup).encryption_config.kms_key_name == KEY
    other = restore(backup, "other", encryption_type=CUSTOMER_MANAGED, kms_key_names=[OTHER])
    assert list(other.encryption_config.kms_key_names) == [OTHER]
    assert versions(other.encryption_info) == [version_of(OTHER)]
    assert "encryption_config" not in restore(backup, "google", encryption_type=GOOGLE)


@pytest.mark.parametrize(
    "config",
    [
        {"encryption_type": CUSTOMER_MANAGED},
        {"encryption_type": CUSTOMER_MANAGED, "kms_key_name": "key"},
        {"encryption_type": GOOGLE, "kms_key_name": KEY},
        {"encryption_type": INHERITED, "kms_key_names": [KEY]},
    ],
)
def test_configs_that_contradict_themselves_are_refused(create, back_up, copy, restore, config):
    database = create()
    backup = back_up(database)
    for refused in (
        lambda: back_up(database, "other", **config),
        lambda: copy(backup, **config),
        lambda: restore(backup, **config),
    ):
        with pytest.raises(exceptions.InvalidArgument, match="encryption_config"):
            refused()


def test_a_schedule_keeps_its_encryption_and_its_backups_have_it(api, emulator, instance, create):
    database = create()
    config = {"encryption_type": CUSTOMER_MANAGED, "kms_key_name": KEY}
    schedule = api.create_backup_schedule(
        request=types.CreateBackupScheduleRequest(
            parent=database.name,
            backup_schedule_id="daily",
            backup_schedule={
                "spec": {"cron_spec": {"text": "0 2 * * *"}},
                "retention_duration": timedelta(days=7),
                "encryption_config": config,
                "full_backup_spec": {},
            },
        )
    )
    assert schedule.encryption_config == types.CreateBackupEncryptionConfig(**config)
    emulator.clock.advance(days=1)
    (backup,) = api.list_backups(parent=instance.name)
    assert versions(backup.encryption_information) == [version_of(KEY)]
