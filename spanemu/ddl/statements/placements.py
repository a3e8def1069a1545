"""Locality groups and placements."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.ddl.change import Change, Data, Job
from spanemu.ddl.edit import with_object, without_object
from spanemu.ddl.errors.names import InvalidObjectName, ObjectNotFound
from spanemu.ddl.errors.objects import (
    LocalityGroupExists,
    LocalityGroupInUse,
    LocalityGroupNameInvalid,
    ObjectOptionMissing,
    PlacementInUse,
    PlacementNameInvalid,
    TooManyObjects,
)
from spanemu.ddl.lookup import dropped_object, find_object, object_of
from spanemu.ddl.validators.names import is_name
from spanemu.ddl.validators.options import Rule, Rules, changed_options, is_period, is_text, words
from spanemu.schema.objects import DEFAULT, LocalityGroup, Placement
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast
from spanemu.storage.observer import TreeWrite

_GROUP, _PLACEMENT = "Locality group", "Placement"

_GROUP_RULES: Rules = {
    "storage": words("ssd", "hdd"),
    "ssd_to_hdd_spill_timespan": Rule(is_period("1h", "365d"), "from '1h' to '365d'"),
}
_PLACEMENT_RULES: Rules = {
    "instance_partition": Rule(is_text, "the id of an instance partition"),
    "default_leader": Rule(is_text, "the name of a region"),
    "read_lease_regions": Rule(is_text, "a list of regions"),
}

# ---------------------------------------------------------------------------- locality groups


def create_locality_group(statement: ddl_ast.CreateLocalityGroup, schema: Schema) -> Change:
    """A new kind of storage to ask for."""
    name = str(statement.name)
    exists = name.lower() in schema.locality_groups
    if exists and statement.if_not_exists:
        return Change(schema)
    if name.lower() == DEFAULT:
        raise LocalityGroupNameInvalid(name, "Default locality group cannot be created")
    if name.startswith("_"):
        raise LocalityGroupNameInvalid(name, "The name must not start with `_`")
    if not is_name(name):
        raise InvalidObjectName(_GROUP, name)
    if exists:
        raise LocalityGroupExists(name)
    if len(schema.locality_groups) >= schema.limits.locality_groups:
        raise TooManyObjects(_GROUP, name, schema.limits.locality_groups)
    options = changed_options((_GROUP, name), statement.options, _GROUP_RULES)
    return Change(with_object(schema, "locality_groups", LocalityGroup(name, options)))


def alter_locality_group(statement: ddl_ast.AlterLocalityGroup, schema: Schema) -> Change:
    """Other options. The default group comes into the schema when it gets some."""
    name = str(statement.name)
    before = find_object(schema, "locality_groups", name)
    if before is None:
        if name.lower() == DEFAULT:
            before = LocalityGroup(DEFAULT)
        elif statement.if_exists:
            return Change(schema)
        else:
            raise ObjectNotFound(_GROUP, name)
    options = changed_options((_GROUP, name), statement.options, _GROUP_RULES, before.options)
    after = LocalityGroup(before.name, options)
    if after == before:
        return Change(schema)
    if after == LocalityGroup(DEFAULT):
        return Change(without_object(schema, "locality_groups", DEFAULT))
    return Change(with_object(schema, "locality_groups", after))


def drop_locality_group(statement: ddl_ast.DropLocalityGroup, schema: Schema) -> Change:
    """Take a kind of storage away that nothing asks for."""
    name = str(statement.name)
    if name.lower() == DEFAULT:
        raise LocalityGroupNameInvalid(name, "Default locality group cannot be dropped")
    if dropped_object(schema, "locality_groups", statement, _GROUP) is None:
        return Change(schema)
    for user, group in _users(schema):
        if group == name:
            raise LocalityGroupInUse(name, user)
    return Change(without_object(schema, "locality_groups", name))


def _users(schema: Schema) -> Iterator[tuple[str, object]]:
    """(what, locality group) for everything that asks for one."""
    option = "locality_group"
    for table in schema.tables.values():
        yield table.name, table.options.get(option)
        yield from ((f"{table.name}.{one.name}", one.options.get(option)) for one in table.columns)
    for index in schema.indexes.values():
        yield index.name, dict(index.options).get(option)
    for vector_index in schema.vector_indexes.values():
        yield vector_index.name, vector_index.options.get(option)


# ---------------------------------------------------------------------------- placements


def create_placement(statement: ddl_ast.CreatePlacement, schema: Schema) -> Change:
    """A name for an instance partition."""
    name = str(statement.name)
    exists = name.lower() in schema.placements
    if exists and statement.if_not_exists:
        return Change(schema)
    if name.lower() == DEFAULT:
        raise PlacementNameInvalid(name, "The name `default` is reserved")
    if not is_name(name):
        raise InvalidObjectName(_PLACEMENT, name)
    if exists:
        raise PlacementNameInvalid(name, "There is a placement of that name")
    if len(schema.placements) >= schema.limits.placements:
        raise TooManyObjects(_PLACEMENT, name, schema.limits.placements)
    options = changed_options((_PLACEMENT, name), statement.options, _PLACEMENT_RULES)
    if "instance_partition" not in options:
        raise ObjectOptionMissing(_PLACEMENT, name, "instance_partition")
    return Change(with_object(schema, "placements", Placement(name, options)))


def alter_placement(statement: ddl_ast.AlterPlacement, schema: Schema) -> Change:
    """Other options for a placement."""
    before: Placement = object_of(schema, "placements", str(statement.name), _PLACEMENT)
    place = (_PLACEMENT, before.name)
    options = changed_options(place, statement.options, _PLACEMENT_RULES, before.options)
    if "instance_partition" not in options:
        raise ObjectOptionMissing(*place, "instance_partition")
    if options == before.options:
        return Change(schema)
    return Change(with_object(schema, "placements", Placement(before.name, options)))


def drop_placement(statement: ddl_ast.DropPlacement, schema: Schema) -> Change:
    """Take a placement away that no row is in."""
    name = str(statement.name)
    if dropped_object(schema, "placements", statement, _PLACEMENT) is None:
        return Change(schema)
    return Change(without_object(schema, "placements", name), [_no_rows_in(name)])


def _no_rows_in(placement: str) -> Job:
    """No row may have the placement in its placement key."""

    def job(data: Data) -> list[TreeWrite]:
        for table in data.rules.schema.tables.values():
            for column in table.columns:
                if not column.placement_key:
                    continue
                if any(row[column.position] == placement for _, row in data.rows(table)):
                    raise PlacementInUse(placement, table.name)
        return []

    return job
