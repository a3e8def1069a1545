"""Valid requests about backups, schedules, instance partitions and configurations, for `valid`."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from spanemu.base.clock import NANOS_PER_SECOND, SystemClock
from spanemu.frontend import wire as admin
from tests.fuzz.world import DATABASES, INSTANCES, Builder, World

_DAY_SECONDS = 86_400
_CRONS = (
    "0 2 * * *",
    "0 2/12 * * *",
    "0 2 * * SUN",
    "30 4 8 1-6/2 *",
    "5 0,15 29 2 *",
    "0 2 31 4 *",
)
_SCALING = {
    "autoscaling_limits": {"min_nodes": 1, "max_nodes": 3},
    "autoscaling_targets": {
        "high_priority_cpu_utilization_percent": 65,
        "storage_utilization_percent": 90,
    },
}


def _in(days: float) -> dict[str, int]:
    """Return a time so many days from now, as a Timestamp's fields."""
    return {"seconds": SystemClock().now() // NANOS_PER_SECOND + int(days * _DAY_SECONDS)}


def _project(world: World) -> str:
    return world.instance_name.partition("/instances/")[0]


def _id(random: Random, stem: str) -> str:
    return f"{stem}-{random.randrange(10_000)}"


# ---------------------------------------------------------------------------- backups


def _create_backup(random: Random, world: World) -> Any:
    request = admin.CreateBackupRequest(
        parent=world.instance_name,
        backup_id=_id(random, "backup"),
        backup={"database": world.scratch, "expire_time": _in(random.choice((1, 3, 365)))},
    )
    if random.random() < 0.3:
        result = admin.Database.FromString(
            world.send(
                DATABASES + "GetDatabase",
                admin.GetDatabaseRequest(name=world.scratch).SerializeToString(),
            ).messages[0]
        )
        request.backup.version_time.CopyFrom(result.earliest_version_time)
    if random.random() < 0.3:
        request.encryption_config.encryption_type = random.choice((1, 2, 3))
    return request


def _backup(random: Random, world: World) -> str:
    request = _create_backup(random, world)
    world.send(DATABASES + "CreateBackup", request.SerializeToString())
    return f"{request.parent}/backups/{request.backup_id}"


def _copy_backup(random: Random, world: World) -> Any:
    return admin.CopyBackupRequest(
        parent=world.instance_name,
        backup_id=_id(random, "copy"),
        source_backup=_backup(random, world),
        expire_time=_in(2),
    )


def _list_backups(random: Random, world: World) -> Any:
    _backup(random, world)
    filters = (
        "",
        "name:backup AND state:READY",
        'create_time < "2100-01-01T00:00:00Z" OR size_bytes > 3',
        "backup_schedules:daily",
    )
    return admin.ListBackupsRequest(
        parent=world.instance_name, page_size=1, filter=random.choice(filters)
    )


def _update_backup(random: Random, world: World) -> Any:
    return admin.UpdateBackupRequest(
        backup={"name": _backup(random, world), "expire_time": _in(9)},
        update_mask={"paths": ["expire_time"]},
    )


def _restore(random: Random, world: World) -> Any:
    return admin.RestoreDatabaseRequest(
        parent=world.instance_name,
        database_id=_id(random, "restored"),
        backup=_backup(random, world),
    )


def _backup_operations(random: Random, world: World) -> Any:
    _backup(random, world)
    return admin.ListBackupOperationsRequest(
        parent=world.instance_name,
        page_size=1,
        filter=random.choice(("", "done:true", "metadata.database:scratch AND error:*")),
    )


# ---------------------------------------------------------------------------- schedules


def _schedule_fields(random: Random) -> dict[str, Any]:
    kind = random.choice(("full_backup_spec", "incremental_backup_spec"))
    return {
        "spec": {"cron_spec": {"text": random.choice(_CRONS)}},
        "retention_duration": {
            "seconds": random.choice((21_600, _DAY_SECONDS, 366 * _DAY_SECONDS))
        },
        kind: {},
    }


def _create_schedule(random: Random, world: World) -> Any:
    return admin.CreateBackupScheduleRequest(
        parent=world.scratch,
        backup_schedule_id=f"schedule-{random.randrange(4)}",  # A database has no more.
        backup_schedule=_schedule_fields(random),
    )


def _schedule(random: Random, world: World) -> str:
    request = _create_schedule(random, world)
    world.send(DATABASES + "CreateBackupSchedule", request.SerializeToString())
    return f"{request.parent}/backupSchedules/{request.backup_schedule_id}"


def _update_schedule(random: Random, world: World) -> Any:
    paths = random.choice((["spec"], ["retention_duration"], ["spec.cron_spec.text"]))
    return admin.UpdateBackupScheduleRequest(
        backup_schedule={"name": _schedule(random, world), **_schedule_fields(random)},
        update_mask={"paths": paths},
    )


# ---------------------------------------------------------------------------- configurations


def _create_config(random: Random, world: World) -> Any:
    return admin.CreateInstanceConfigRequest(
        parent=_project(world),
        instance_config_id=_id(random, "custom-made"),
        instance_config={
            "base_config": world.config_name,
            "display_name": "A display name",
            "replicas": [{"location": "europe-west1", "type_": 2}],
            "labels": {"env": "dev"},
        },
        validate_only=random.random() < 0.3,
    )


def _config(random: Random, world: World) -> str:
    request = _create_config(random, world)
    request.validate_only = False
    world.send(INSTANCES + "CreateInstanceConfig", request.SerializeToString())
    return f"{request.parent}/instanceConfigs/{request.instance_config_id}"


def _update_config(random: Random, world: World) -> Any:
    return admin.UpdateInstanceConfigRequest(
        instance_config={"name": _config(random, world), "display_name": "Another name"},
        update_mask={"paths": ["display_name"]},
    )


def _move_instance(random: Random, world: World) -> Any:
    """Return a request to move an instance that nothing keeps in place."""
    creation = admin.CreateInstanceRequest(
        parent=_project(world),
        instance_id=_id(random, "moving"),
        instance={"config": world.config_name, "display_name": "A display name"},
    )
    world.send(INSTANCES + "CreateInstance", creation.SerializeToString())
    return admin.MoveInstanceRequest(
        name=f"{creation.parent}/instances/{creation.instance_id}",
        target_config=_config(random, world),
    )


# ---------------------------------------------------------------------------- partitions


def _partition_fields(random: Random, world: World) -> dict[str, Any]:
    capacity: dict[str, Any] = random.choice(
        ({"node_count": 2}, {"processing_units": 3000}, {"autoscaling_config": _SCALING})
    )
    return {"config": world.config_name, "display_name": "A display name", **capacity}


def _create_partition(random: Random, world: World) -> Any:
    return admin.CreateInstancePartitionRequest(
        parent=world.instance_name,
        instance_partition_id=f"partition-{random.randrange(9)}",
        instance_partition=_partition_fields(random, world),
    )


def _partition(random: Random, world: World) -> str:
    request = _create_partition(random, world)
    world.send(INSTANCES + "CreateInstancePartition", request.SerializeToString())
    return f"{request.parent}/instancePartitions/{request.instance_partition_id}"


def _update_partition(random: Random, world: World) -> Any:
    paths = random.choice((["display_name"], ["node_count"], ["autoscaling_config"]))
    return admin.UpdateInstancePartitionRequest(
        instance_partition={"name": _partition(random, world), **_partition_fields(random, world)},
        field_mask={"paths": paths},
    )


RESOURCE_BUILDERS: Mapping[str, tuple[Builder, ...]] = {
    DATABASES + "CreateBackup": (_create_backup,),
    DATABASES + "CopyBackup": (_copy_backup,),
    DATABASES + "GetBackup": (
        lambda random, world: admin.GetBackupRequest(name=_backup(random, world)),
    ),
    DATABASES + "ListBackups": (_list_backups,),
    DATABASES + "UpdateBackup": (_update_backup,),
    DATABASES + "DeleteBackup": (
        lambda random, world: admin.DeleteBackupRequest(name=_backup(random, world)),
    ),
    DATABASES + "RestoreDatabase": (_restore,),
    DATABASES + "ListBackupOperations": (_backup_operations,),
    DATABASES + "CreateBackupSchedule": (_create_schedule,),
    DATABASES + "GetBackupSchedule": (
        lambda random, world: admin.GetBackupScheduleRequest(name=_schedule(random, world)),
    ),
    DATABASES + "ListBackupSchedules": (
        lambda random, world: admin.ListBackupSchedulesRequest(parent=world.scratch, page_size=1),
    ),
    DATABASES + "UpdateBackupSchedule": (_update_schedule,),
    DATABASES + "DeleteBackupSchedule": (
        lambda random, world: admin.DeleteBackupScheduleRequest(name=_schedule(random, world)),
    ),
    INSTANCES + "CreateInstanceConfig": (_create_config,),
    INSTANCES + "UpdateInstanceConfig": (_update_config,),
    INSTANCES + "DeleteInstanceConfig": (
        lambda random, world: admin.DeleteInstanceConfigRequest(name=_config(random, world)),
    ),
    INSTANCES + "ListInstanceConfigOperations": (
        lambda _random, world: admin.ListInstanceConfigOperationsRequest(
            parent=_project(world), page_size=1, filter="done:true"
        ),
    ),
    INSTANCES + "MoveInstance": (_move_instance,),
    INSTANCES + "ListInstancePartitions": (
        lambda random, world: admin.ListInstancePartitionsRequest(
            parent=random.choice((world.instance_name, f"{_project(world)}/instances/-")),
            page_size=1,
        ),
    ),
    INSTANCES + "GetInstancePartition": (
        lambda random, world: admin.GetInstancePartitionRequest(name=_partition(random, world)),
    ),
    INSTANCES + "CreateInstancePartition": (_create_partition,),
    INSTANCES + "UpdateInstancePartition": (_update_partition,),
    INSTANCES + "DeleteInstancePartition": (
        lambda random, world: admin.DeleteInstancePartitionRequest(name=_partition(random, world)),
    ),
    INSTANCES + "ListInstancePartitionOperations": (
        lambda _random, world: admin.ListInstancePartitionOperationsRequest(
            parent=world.instance_name, page_size=1, filter="metadata.instance_partition.name:p"
        ),
    ),
}
