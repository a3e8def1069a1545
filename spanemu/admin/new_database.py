"""The creation of a database with its first schema."""

from __future__ import annotations

from spanemu.admin.instances import Instances
from spanemu.base.record import dataclass
from spanemu.base.resource_names import DatabaseName, check_database_id
from spanemu.database.database import Database
from spanemu.database.encryption import GOOGLE_DEFAULT_KEYS, EncryptionKeys
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.schema.objects import NO_TYPES, ProtoTypes


@dataclass(frozen=True, slots=True)
class NewDatabase:
    """The properties of a database to create; `extra_statements` are its first schema."""

    create_statement: str = ""
    extra_statements: tuple[str, ...] = ()
    dialect: DatabaseDialect = GOOGLE_STANDARD_SQL
    proto_types: ProtoTypes = NO_TYPES
    encryption_keys: EncryptionKeys = GOOGLE_DEFAULT_KEYS


EMPTY = NewDatabase()


def add_database(instances: Instances, name: DatabaseName, new: NewDatabase = EMPTY) -> Database:
    """Add a new database with its first schema; it appears complete or not at all."""
    check_database_id(name.database)
    instances.check_room(name)
    database = instances.new_database(str(name), new.dialect)
    database.encryption_keys = new.encryption_keys
    try:
        if new.extra_statements:
            outcome = database.apply_ddl(new.extra_statements, new.proto_types)
            if outcome.failure is not None:
                raise outcome.failure
            database.restart_history()
        return instances.add_database(database)
    except BaseException:
        database.close()
        raise
