"""What any part of a database, or what is around it, may have to say.

    SpannerError
    ├── ResourceNotFound        NOT_FOUND that names the resource in a detail
    │   └── DatabaseNotFound
    ├── SchemaUpdateCancelled
    └── InvalidFilter           of a List call

A missing resource carries a ResourceInfo detail, by which clients tell, say, a dropped database
from a dropped session. What concerns one part is in the `errors` of its package.
"""

from __future__ import annotations

from typing import ClassVar

from spanemu.base.errors import Code, Detail, ResourceInfo, SpannerError

_TYPE_URL = "type.googleapis.com/google.spanner"


class ResourceNotFound(SpannerError):
    """A well-formed name of something that does not exist."""

    code = Code.NOT_FOUND
    prose = "{kind} not found: {name}"
    kind: ClassVar[str]
    resource_type: ClassVar[str]
    name: str

    def __str__(self) -> str:
        return self.prose.format(kind=self.kind, name=self.name)

    def details(self) -> tuple[Detail, ...]:
        """The resource's type and name."""
        description = f"{self.kind} does not exist."
        return (ResourceInfo(self.resource_type, self.name, description),)


class DatabaseNotFound(ResourceNotFound):
    """No database of that name in an instance that exists."""

    kind = "Database"
    resource_type = f"{_TYPE_URL}.admin.database.v1.Database"


class SchemaUpdateCancelled(SpannerError):
    """Somebody cancelled a schema update; what was applied stays."""

    code = Code.CANCELLED
    prose = "The schema update was cancelled after {applied} of {count} statements."
    applied: int
    count: int


class InvalidFilter(SpannerError):
    """A list filter that cannot be understood."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid filter "{filter}": {reason}.'
    filter: str
    reason: str


class SchemaObjectInUse(SpannerError):
    """Schema object drop protection is on, and something still uses what would be dropped."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot drop {kind} {name}: it was used within the last {period}, the "
        "schema_drop_protection_inactivity_period of the database."
    )
    kind: str
    name: str
    period: str
