"""The database and the instance that a command line means, found on the server of the command.

A database is a full name, or an id: the one database of the server with that id, in any project and
instance. Without an id, it is the only database of the server. `--project` and `--instance` narrow
the choice, and so does an endpoint file, if its instance has such a database. A new database is
created in the server's own instance, unless the command line names another.

spanemu lists the databases of all projects. Other servers, and spanemu on another machine without
`--remote-control`, list those of one project: of `--project`, of the endpoint file, or of the
variables that clients read.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

import click

from spanemu.api import calls, client, probe
from spanemu.base.errors import Code, SpannerError
from spanemu.base.resource_names import DatabaseName, InstanceName, InvalidName
from spanemu.base.suggestions import did_you_mean
from spanemu.cli.target import Target, check_answers

PROJECT_VARIABLES = ("SPANNER_PROJECT_ID", "GOOGLE_CLOUD_PROJECT")
LIST_SECONDS_MAX = 10.0
_LISTED_MAX = 8  # names in a message


class DatabaseMissing(SpannerError, code=Code.NOT_FOUND):
    prose = "Database not found: {name}.{hint} The server at {uri} has {databases}.{advice}"
    name: str
    hint: str
    uri: str
    databases: str
    advice: str = ""


class DatabaseUnclear(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Several databases are named {name}: {databases}. Give a full name, or --instance."
    name: str
    databases: str


class NoDatabaseNamed(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Name a database. The server at {uri} has {databases}."
    uri: str
    databases: str


class InstanceUnclear(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The server at {uri} has several instances: {instances}. Name one with --instance."
    uri: str
    instances: str


class NameOptions(TypedDict):
    """The values of the options that name a database."""

    database: str | None
    project: str | None
    instance: str | None


@dataclass(frozen=True, slots=True)
class ServerContents:
    """The databases of a server, and the instance in which it creates databases.

    `projects` are the projects that were searched, None if the server lists all of its databases.
    """

    own: InstanceName
    databases: tuple[DatabaseName, ...]
    projects: tuple[str, ...] | None = None

    @property
    def instances(self) -> list[InstanceName]:
        """The instances with databases, in order."""
        return sorted({database.parent for database in self.databases}, key=str)


def find_database(options: NameOptions, target: Target, *, advice: str = "") -> DatabaseName:
    """Return the name of the database that a command line means, and say what was found.

    Raises click.UsageError for a malformed name, and DatabaseMissing, which ends with `advice`, or
    DatabaseUnclear or NoDatabaseNamed unless there is one such database.
    """
    text, project, instance = options["database"] or "", options["project"], options["instance"]
    if "/" in text:
        return full_name(text)
    if text and project and instance:
        return DatabaseName(project, instance, text)
    contents = contents_of(target, project)
    candidates = [
        each
        for each in contents.databases
        if project in (None, each.project) and instance in (None, each.instance)
    ]
    matches = [each for each in candidates if text in ("", each.database)]
    # An endpoint file names an instance, whose databases come first.
    matches = [each for each in matches if each.parent == target.own] or matches
    if len(matches) != 1:
        if contents.projects is not None and project is None:
            searched = ", ".join(contents.projects)
            advice = f" Searched: {searched}; --project names another project.{advice}"
        raise _failure(text, candidates, matches, target, advice)
    (database,) = matches
    if not text or database.parent != InstanceName(target.project, target.instance):
        click.echo(f"spanemu: {database}", err=True)
    return database


def new_database(options: NameOptions, target: Target) -> DatabaseName:
    """Return the name under which to create a database. Raises click.UsageError."""
    text, project, instance = options["database"] or "", options["project"], options["instance"]
    if "/" in text:
        return full_name(text)
    if project is None or instance is None:
        own = contents_of(target, project).own
        project, instance = project or own.project, instance or own.instance
    return DatabaseName(project, instance, text)


def find_instance(options: NameOptions, target: Target) -> InstanceName:
    """Return the instance for applications: the database's, or the server's own.

    If the server's own instance has no database, it is the only instance that has. Raises
    DatabaseUnclear or InstanceUnclear.
    """
    project, instance = options["project"], options["instance"]
    contents = contents_of(target, project)
    instances = [
        each
        for each in contents.instances
        if project in (None, each.project) and instance in (None, each.instance)
    ]
    own = InstanceName(project or contents.own.project, instance or contents.own.instance)
    if (database := options["database"]) is not None:
        homes = [each for each in instances if each.database(database) in contents.databases]
        homes = [each for each in homes if each == target.own] or homes
        if len(homes) > 1:
            raise DatabaseUnclear(database, _listed([home.database(database) for home in homes]))
        return homes[0] if homes else own
    if own in instances or not instances:
        return own
    if len(instances) > 1:
        raise InstanceUnclear(target.uri, _listed(instances))
    return instances[0]


@dataclass(frozen=True, slots=True)
class ClientInstance:
    """The instance that clients use by default; `problem` says why it was not found."""

    name: InstanceName
    problem: str | None = None


def instance_for_clients(options: NameOptions, target: Target) -> ClientInstance:
    """Return the instance that `find_instance` finds; the default one if no server answers, yet.

    Raises click.UsageError.
    """
    project, instance = options["project"], options["instance"]
    assumed = InstanceName(project or target.project, instance or target.instance)
    if project and instance:
        return ClientInstance(assumed)
    try:
        check_answers(target)
        return ClientInstance(find_instance(options, target))
    except probe.Unreachable as problem:
        return ClientInstance(assumed, str(problem))
    except SpannerError as problem:
        raise click.UsageError(str(problem)) from problem


def full_name(text: str) -> DatabaseName:
    """Return the database of a full name. Raises click.UsageError."""
    try:
        return DatabaseName.parse(text)
    except InvalidName as problem:
        raise click.UsageError(str(problem)) from problem


def _failure(
    text: str,
    candidates: Sequence[DatabaseName],
    matches: Sequence[DatabaseName],
    target: Target,
    advice: str,
) -> SpannerError:
    if not text:
        return NoDatabaseNamed(target.uri, _databases(candidates))
    if matches:
        return DatabaseUnclear(text, _listed(matches))
    hint = did_you_mean(text, sorted({each.database for each in candidates}))
    return DatabaseMissing(text, hint, target.uri, _databases(candidates), advice)


def _databases(names: Sequence[DatabaseName]) -> str:
    """Return databases in words: their ids, if they are in a single instance."""
    instances = {name.parent for name in names}
    if len(instances) != 1:
        return _listed(names) or "no database"
    return f"{_listed([name.database for name in names])} in {instances.pop()}"


def _listed(names: Collection[object]) -> str:
    shown = sorted(map(str, names))[:_LISTED_MAX]
    return ", ".join(shown) + (", ..." if len(shown) < len(names) else "")


# ---------------------------------------------------------------------------- the server


def contents_of(target: Target, project: str | None = None) -> ServerContents:
    """Return what a server contains; `project` is the project that the command line names.

    Raises SpannerError.
    """
    own = target.own or InstanceName(target.project, target.instance)
    connection = calls.Calls(target.uri, target.tls_ca)
    try:
        described = connection("GetEmulator")
    except calls.NotControllable:
        described = None
    except calls.RemoteFailure as failure:
        if failure.code is not Code.PERMISSION_DENIED:  # as a server on another machine answers
            raise
        described = None
    finally:
        connection.close()
    if described is None:
        from google.api_core import exceptions

        try:
            projects = _projects(target, project)
            databases = tuple(_admin_listing(target, projects))
            return ServerContents(own, databases, tuple(projects))
        except exceptions.GoogleAPICallError as problem:
            message = client.server_message(problem)
            raise calls.RemoteFailure(Code(problem.grpc_status_code.value[0]), message) from problem
    if target.own is None and "instance" in described:
        own = InstanceName(described["project"], described["instance"])
    return ServerContents(own, tuple(map(DatabaseName.parse, described.get("databases", ()))))


def _admin_listing(target: Target, projects: Sequence[str]) -> Iterator[DatabaseName]:
    """Yield the databases of projects, as the admin API lists them."""
    for project in projects:
        connected = client.official_client(target.uri, project, target.tls_ca)
        instances = connected.instance_admin_api.list_instances(
            parent=f"projects/{project}", retry=None, timeout=LIST_SECONDS_MAX
        )
        for instance in instances:
            databases = connected.database_admin_api.list_databases(
                parent=instance.name, retry=None, timeout=LIST_SECONDS_MAX
            )
            yield from (DatabaseName.parse(database.name) for database in databases)


def _projects(target: Target, project: str | None) -> list[str]:
    """Return the projects that are known."""
    if project is not None:
        return [project]
    if target.own is not None:
        return [target.own.project]
    named = (os.environ.get(variable) for variable in PROJECT_VARIABLES)
    return list(dict.fromkeys([*filter(None, named), target.project]))
