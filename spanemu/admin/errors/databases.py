"""What can be wrong with a request that creates, changes or drops databases."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class DatabaseAlreadyExists(SpannerError):
    """The name chosen for a database is taken."""

    code = Code.ALREADY_EXISTS
    prose = "Database already exists: {name}"
    name: str


class MissingCreateStatement(SpannerError):
    """CreateDatabase without a statement that names the database."""

    code = Code.INVALID_ARGUMENT
    prose = "Missing create_statement in the request to create a database in {instance}."
    instance: str


class InvalidCreateStatement(SpannerError):
    """The create statement of a database is something else than CREATE DATABASE."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Error parsing Spanner DDL statement: {statement} : "
        "Syntax error on line 1, column 1: expected CREATE DATABASE and one name."
    )
    statement: str


class MissingDdlStatements(SpannerError):
    """UpdateDatabaseDdl without statements."""

    code = Code.INVALID_ARGUMENT
    prose = "Missing statements in the request to update the schema of {database}."
    database: str


class TooManyDatabases(SpannerError):
    """The instance holds as many databases as it is configured to."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Too many databases for instance {instance}: the limit is {limit}."
    instance: str
    limit: int


class DatabaseDropProtected(SpannerError):
    """The database has drop protection enabled."""

    code = Code.FAILED_PRECONDITION
    prose = "Database {name} cannot be dropped: drop protection is enabled."
    name: str


class InstanceHasProtectedDatabase(SpannerError):
    """An instance goes only when none of its databases is protected."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance {name} cannot be deleted: drop protection is enabled on {database}."
    name: str
    database: str
