"""Errors of databases that no single part of a database owns.

    SpannerError
    ├── ResourceNotFound        NOT_FOUND with the resource's name in a detail
    │   └── DatabaseNotFound
    ├── SchemaUpdateCancelled
    ├── InvalidFilter           of a List call
    └── SchemaObjectInUse       of drop protection

A missing resource carries a ResourceInfo detail, by which clients distinguish, for example, a
dropped database from a dropped session. The errors of each part are in the `errors` module of its
package.
"""

from __future__ import annotations

from typing import ClassVar

from spanemu.base.errors import Code, Detail, ResourceInfo, SpannerError

_TYPE_URL = "type.googleapis.com/google.spanner"


class ResourceNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "{kind} not found: {name}"
    kind: ClassVar[str]
    resource_type: ClassVar[str]
    name: str

    def __str__(self) -> str:
        return self.prose.format(kind=self.kind, name=self.name)

    def details(self) -> tuple[Detail, ...]:
        """Return the detail with the resource's type and name."""
        description = f"{self.kind} does not exist."
        return (ResourceInfo(self.resource_type, self.name, description),)


class DatabaseNotFound(ResourceNotFound):
    """A name of a missing database in an existing instance."""

    kind = "Database"
    resource_type = f"{_TYPE_URL}.admin.database.v1.Database"


class SchemaUpdateCancelled(SpannerError, code=Code.CANCELLED):
    prose = "The schema update was cancelled after {applied} of {count} statements."
    applied: int
    count: int


class InvalidFilter(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid filter "{filter}": {reason}.'
    filter: str
    reason: str


class SchemaObjectInUse(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot drop {kind} {name}: it was used within the last {period}, the "
        "schema_drop_protection_inactivity_period of the database."
    )
    kind: str
    name: str
    period: str
