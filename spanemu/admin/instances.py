"""The catalog of an emulator: instance configs, instances and databases.

    Instances
    ├── configs       the offered configurations of each project, and user-managed ones
    ├── instances     by full name
    ├── partitions    of instances, by full name
    ├── databases     by full name; every data request begins with `database(name)`
    ├── schedules     of backups of databases, by full name
    ├── backups       by full name
    └── operations    the log of long-running operations

All methods are safe to use from several threads. The catalog's mutex is never held during work on a
database: a database is created outside of the catalog and added when it is complete
(`add_database`).

Not here: the calls that create and change resources and record an operation
(`database_administration`, `instance_administration`, `backup_administration`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from sortedcontainers import SortedDict

from spanemu.admin import errors as admin_errors
from spanemu.admin.catalogs import Backups, BackupSchedules, InstancePartitions, Policies
from spanemu.admin.instance import EMULATOR_CONFIG, DatabaseRoom, Instance, is_instance_field
from spanemu.admin.instance_config import InstanceConfig, InstanceConfigs
from spanemu.admin.operations import OperationLog
from spanemu.base.clock import Clock
from spanemu.base.collector import heap
from spanemu.base.errors import SpannerError
from spanemu.base.limits import DATABASES_PER_INSTANCE_MAX, DEFAULT_LIMITS, Limits
from spanemu.base.paging import Page, PageRequest, page, under
from spanemu.base.record import dataclass
from spanemu.base.resource_names import DatabaseName, InstanceName, ProjectName, check_database_id
from spanemu.database import errors, filters
from spanemu.database.database import Database
from spanemu.database.encryption import GOOGLE_DEFAULT_KEYS, EncryptionKeys
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.schema.editions import Edition
from spanemu.schema.objects import NO_TYPES, ProtoTypes


@dataclass(frozen=True, slots=True)
class CatalogSettings:
    """The settings of a catalog: `configs` maps ids of instance configs to display names.

    With `strict_configs`, instances may only name configurations that exist. `limits` are the
    limits of requests. With `editions`, instances lack the features of editions above their own.
    With `strict_database_limit`, the number of databases follows the processing units.
    """

    configs: Mapping[str, str]
    databases_per_instance_max: int | None = DATABASES_PER_INSTANCE_MAX
    limits: Limits = DEFAULT_LIMITS
    strict_configs: bool = False
    editions: bool = True
    strict_database_limit: bool = False


DEFAULT_SETTINGS = CatalogSettings({EMULATOR_CONFIG: "Emulator Instance Config"})


@dataclass(frozen=True, slots=True)
class NewDatabase:
    """The properties of a database to create; `extra_statements` are its first schema."""

    create_statement: str = ""
    extra_statements: tuple[str, ...] = ()
    dialect: DatabaseDialect = GOOGLE_STANDARD_SQL
    proto_types: ProtoTypes = NO_TYPES
    encryption_keys: EncryptionKeys = GOOGLE_DEFAULT_KEYS


_EMPTY = NewDatabase()


class Instances:
    """The resources of an emulator. `new_database(name, dialect)` creates an empty database."""

    def __init__(
        self,
        clock: Clock,
        new_database: Callable[[str, DatabaseDialect], Database],
        settings: CatalogSettings = DEFAULT_SETTINGS,
    ) -> None:
        self.clock = clock
        self.new_database = new_database
        self.limits = settings.limits
        self.operations = OperationLog(clock)
        self.policies = Policies()
        self.mutex = threading.RLock()  # Guards the maps and counts below, and the catalogs.
        self.configs = InstanceConfigs(settings.configs, self.mutex, strict=settings.strict_configs)
        self.partitions = InstancePartitions(self.mutex)
        self.schedules = BackupSchedules(self.mutex)
        self.backups = Backups(clock, self.mutex)
        self._settings = settings
        self._instances: SortedDict[str, Instance] = SortedDict()
        self._databases: SortedDict[str, Database] = SortedDict()
        # Returns the database of a name, or None.
        self.find_database: Callable[[str], Database | None] = self._databases.get
        self._room = DatabaseRoom(
            settings.databases_per_instance_max, strict=settings.strict_database_limit
        )
        self.is_loading = False  # while a saved state is loaded, which needs no permission

    # ------------------------------------------------------------------ instances

    def instance(self, name: str) -> Instance:
        """Return the instance `name`.

        Raises InvalidName and InstanceNotFound.
        """
        InstanceName.parse(name)
        with self.mutex:
            return self._instance(name)

    def instances(self, project: str, filter_: str, paging: PageRequest) -> Page[Instance]:
        """Return a page of the instances of a project, by name."""
        prefix = f"{ProjectName.parse(project)}/instances/"
        is_match = filters.compile_filter(filter_, is_instance_field)
        start = paging.start()
        with self.mutex:
            candidates = under(self._instances, prefix, start)
            return page((pair for pair in candidates if is_match(pair[1].fields())), paging.limit)

    def all_instances(self) -> tuple[Instance, ...]:
        """Return every instance, by name."""
        with self.mutex:
            return tuple(self._instances.values())

    def add_instance(self, instance: Instance) -> Instance:
        """Add an instance.

        Raises InstanceAlreadyExists.
        """
        with self.mutex:
            if instance.name in self._instances:
                raise admin_errors.InstanceAlreadyExists(instance.name)
            self._instances[instance.name] = instance
            return instance

    def ensure_instance(self, name: InstanceName) -> Instance:
        """Return the instance `name`; create it with one node if it does not exist."""
        config = self.configs.first(name.project)
        now = self.clock.now()
        fresh = Instance(str(name), config, name.instance, 1000, {}, now, now)
        with self.mutex:
            existing = self._instances.get(fresh.name)
            return self.add_instance(fresh) if existing is None else existing

    def config_of(self, name: InstanceName) -> InstanceConfig:
        """Return the configuration of an instance, even an unknown one."""
        return self.configs.used_by(self.instance(str(name)).config, name.project)

    def edition_of(self, name: str) -> Edition:
        """Return the edition whose features an instance has; UNSPECIFIED for all features."""
        return self.effective_edition(self.instance(name).edition)

    def effective_edition(self, named: int) -> Edition:
        """Return the edition whose features an instance has that names the edition `named`."""
        return Edition(named) if self._settings.editions else Edition.UNSPECIFIED

    def users_of_config(self, config: str) -> list[str]:
        """Return the names of the instances and instance partitions that use `config`."""
        with self.mutex:
            users = [
                name
                for name, instance in self._instances.items()
                if self.configs.name_of(instance.config, InstanceName.parse(name).project) == config
            ]
            users += [part.name for part in self.partitions.all() if part.config == config]
            return users

    def change_instance(self, name: str, change: Callable[[Instance], Instance]) -> Instance:
        """Replace an instance by the result of `change`, and set its update time."""
        InstanceName.parse(name)
        with self.mutex:
            changed = replace(change(self._instance(name)), update_time=self.clock.now())
            self._instances[name] = changed
            for _, database in under(self._databases, f"{name}/databases/"):
                database.follow_nodes(changed.node_count)
            return changed

    def delete_instance(self, name: str) -> None:
        """Delete an instance with all its databases.

        Raises InstanceHasProtectedDatabase, and InstanceHasBackups if the instance has backups.
        """
        instance = InstanceName.parse(name)
        with self.mutex:
            self._instance(name)
            for backup in self.backups.of(instance):
                raise admin_errors.InstanceHasBackups(name, backup.name)
            doomed = list(under(self._databases, f"{name}/databases/"))
            protected = [each for each, database in doomed if database.drop_protection]
            if protected:
                raise admin_errors.InstanceHasProtectedDatabase(name, protected[0])
            dropped = [self._databases.pop(each) for each, _ in doomed]
            del self._instances[name]
            for database_name, _ in doomed:
                self._room.free(database_name)
            self.schedules.drop_under(name)
            self.partitions.drop_under(name)
        doomed.clear()
        _close(dropped)
        self.operations.drop_resource(instance)
        heap.collect_large_garbage()

    # ------------------------------------------------------------------ databases

    def database(self, name: str) -> Database:
        """Return the database `name`.

        Raises InvalidName, InstanceNotFound and DatabaseNotFound.
        """
        database = self._databases.get(name)
        return self._missing(name) if database is None else database

    def databases(self, instance: str, paging: PageRequest) -> Page[Database]:
        """Return a page of the databases of an instance, by name."""
        InstanceName.parse(instance)
        start = paging.start()
        with self.mutex:
            self._instance(instance)
            databases = under(self._databases, f"{instance}/databases/", start)
            return page(databases, paging.limit)

    def databases_of(self, instance: InstanceName) -> list[Database]:
        """Return every database of an instance, by name."""
        with self.mutex:
            return [database for _, database in under(self._databases, f"{instance}/databases/")]

    def all_databases(self) -> list[Database]:
        """Return every database, by name."""
        with self.mutex:
            return list(self._databases.values())

    def count_rows(self) -> int:
        """Return about how many rows exist in memory, without a lock; clones share rows."""
        sizes: dict[int, int] = {}
        for database in map(self.find_database, list(self._databases)):
            if database is not None:  # It may be dropped meanwhile.
                sizes |= database.map_sizes()
        return sum(sizes.values())

    def time_jumps(self, jump: Callable[[], object]) -> None:
        """Call `jump`, which moves the clock at once, and make every database follow."""
        jump()
        for database in self.all_databases():
            database.time.clock_advanced()

    def check_room(self, name: DatabaseName, *, limited: bool = True) -> None:
        """Raise unless a database of the name could be added now."""
        with self.mutex:
            self._check_room(name, limited=limited)

    def add_database(self, database: Database, *, limited: bool = True) -> Database:
        """Add a database; raise as `check_room` does, and then the caller closes the database.

        A database that is not `limited` takes room without needing any.
        """
        name = DatabaseName.parse(database.name)
        with self.mutex:
            self._check_room(name, limited=limited)
            self._databases[database.name] = database
            database.follow_nodes(self._instance(str(name.parent)).node_count)
            self._room.take(str(name.parent), database.name)
            return database

    def free_room(self, name: str) -> None:
        """Count a database no more: it is the template of tests."""
        with self.mutex:
            self._room.free(name)

    def clone_database(self, original: Database, name: DatabaseName) -> Database:
        """Add a copy of a database, and the copy's instance if it does not exist.

        Neither counts for the limit of databases. Raises InvalidDatabaseId and
        DatabaseAlreadyExists.
        """
        check_database_id(name.database)
        self.ensure_instance(name.parent)
        self.check_room(name, limited=False)
        clone = original.clone(str(name))
        self.free_room(original.name)
        try:
            added = self.add_database(clone, limited=False)
            self.free_room(clone.name)
            return added
        except SpannerError:
            clone.close()
            raise

    def drop_database(self, name: str) -> None:
        """Drop a database; an unknown database is no error.

        Raises DatabaseDropProtected.
        """
        resource = DatabaseName.parse(name)
        with self.mutex:
            self._instance(str(resource.parent))
            if name not in self._databases:
                return
            if self._databases[name].drop_protection:
                raise admin_errors.DatabaseDropProtected(name)
            dropped = [self._databases.pop(name)]
            self._room.free(name)
            self.schedules.drop_under(name)
        _close(dropped)
        self.operations.drop_resource(resource)
        heap.collect_large_garbage()

    def clear(self) -> None:
        """Drop all instances and databases; waiting transactions wake and fail."""
        with self.mutex:
            doomed, names = list(self._databases.values()), list(self._instances)
            self._databases.clear()
            self._instances.clear()
            self._room.clear()
            self.backups.clear()
            for name in names:
                self.schedules.drop_under(name)
                self.partitions.drop_under(name)
        _close(doomed)
        for name in names:
            self.operations.drop_resource(InstanceName.parse(name))
        heap.collect_large_garbage()

    # ------------------------------------------------------------------ with the mutex held

    def _instance(self, name: str) -> Instance:
        instance = self._instances.get(name)
        if instance is None:
            raise admin_errors.InstanceNotFound(name)
        return instance

    def _check_room(self, name: DatabaseName, *, limited: bool) -> None:
        instance = self._instance(str(name.parent))
        if str(name) in self._databases:
            raise admin_errors.DatabaseAlreadyExists(str(name))
        if limited and not self.is_loading:
            self._room.check(instance)

    def _missing(self, name: str) -> Database:
        """Raise for the part of the name that does not exist; return a database added meanwhile."""
        instance = DatabaseName.parse(name).parent
        with self.mutex:
            self._instance(str(instance))
            database = self._databases.get(name)
        if database is None:
            raise errors.DatabaseNotFound(name)
        return database


def add_database(
    instances: Instances, name: DatabaseName, new: NewDatabase = _EMPTY, *, limited: bool = True
) -> Database:
    """Add a new database with its first schema; it appears complete or not at all.

    `limited` is as in `Instances.add_database`.
    """
    check_database_id(name.database)
    instances.check_room(name, limited=limited)
    database = instances.new_database(str(name), new.dialect)
    database.encryption_keys = new.encryption_keys
    try:
        if new.extra_statements:
            outcome = database.apply_ddl(new.extra_statements, new.proto_types)
            if outcome.failure is not None:
                raise outcome.failure
            database.restart_history()
        return instances.add_database(database, limited=limited)
    except BaseException:
        database.close()
        raise


def _close(dropped: list[Database]) -> None:
    """Close databases and empty the list, which held the last references to them."""
    while dropped:
        dropped.pop().close()
