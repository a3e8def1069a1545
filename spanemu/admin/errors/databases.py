"""Errors of requests that create, change or drop databases."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class DatabaseAlreadyExists(SpannerError, code=Code.ALREADY_EXISTS):
    prose = "Database already exists: {name}"
    name: str


class MissingCreateStatement(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Missing create_statement in the request to create a database in {instance}."
    instance: str


class InvalidCreateStatement(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Error parsing Spanner DDL statement: {statement} : "
        "Syntax error on line 1, column 1: expected CREATE DATABASE and one name."
    )
    statement: str


class MissingDdlStatements(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Missing statements in the request to update the schema of {database}."
    database: str


class TooManyDatabases(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "Too many databases for instance {instance}: the limit is {limit}."
    instance: str
    limit: int


class DatabaseDropProtected(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Database {name} cannot be dropped: drop protection is enabled."
    name: str


class InstanceHasProtectedDatabase(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance {name} cannot be deleted: drop protection is enabled on {database}."
    name: str
    database: str
