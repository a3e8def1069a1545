"""The optimizer version and the statistics package that a statement is said to be compiled with.

Both can be named by a hint of the statement, by the request, and by an option of the database;
the first of these that names one decides. What is named must exist. spanemu has one optimizer with
current statistics, so that plans do not depend on either.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.database import errors
from spanemu.database.options import StatementRequest
from spanemu.ddl.errors.objects import StatisticsPackageNotFound
from spanemu.schema.schema import Schema
from spanemu.sql.dialect import OPTIMIZER_DEFAULT, OPTIMIZER_LATEST, OPTIMIZER_VERSIONS
from spanemu.sql.resolved import Hints

VERSION = "optimizer_version"
PACKAGE = "optimizer_statistics_package"

_VERSION_WORDS = {
    "latest": OPTIMIZER_LATEST,
    "latest_version": OPTIMIZER_LATEST,
    "default": OPTIMIZER_DEFAULT,
    "default_version": OPTIMIZER_DEFAULT,
}
_LATEST_PACKAGE = "latest"


def check_request(request: StatementRequest, schema: Schema) -> None:
    """Raise unless the request's optimizer options exist.

    Raises BadOptimizerVersion, StatisticsPackageNotFound and StatisticsPackageCollectable.
    """
    version = request.optimizer_version
    if version and version.lower() not in OPTIMIZER_VERSIONS:
        raise errors.BadOptimizerVersion(version)
    _check_package(request.optimizer_statistics_package, schema)


def check_hints(hints: Hints, schema: Schema) -> None:
    """Raise unless the statistics package that a statement's hints name exists.

    Raises StatisticsPackageNotFound and StatisticsPackageCollectable.
    """
    _check_package(str(dict(hints).get(PACKAGE) or ""), schema)


def _check_package(name: str, schema: Schema) -> None:
    """Raise unless a package may be named by a query: it must be safe from collection."""
    if not name or name.lower() == _LATEST_PACKAGE:
        return
    package = _package_named(name, schema)
    if package is None:
        raise StatisticsPackageNotFound(name)
    if schema.statistics[package] and package != schema.options.get(PACKAGE):
        raise errors.StatisticsPackageCollectable(package)


def _package_named(name: str, schema: Schema) -> str | None:
    """Return the package with that name in any letter case: PostgreSQL's hints fold it."""
    return next((each for each in schema.statistics if each.lower() == name.lower()), None)


def options_in_effect(request: StatementRequest, hints: Hints, schema: Schema) -> Mapping[str, str]:
    """Return the version and the package of a statement, as query statistics report them.

    The package is left out while the database has none.
    """
    hinted = dict(hints)
    version = str(
        hinted.get(VERSION)
        or request.optimizer_version
        or schema.options.get(VERSION)
        or OPTIMIZER_DEFAULT
    ).lower()
    package = str(
        hinted.get(PACKAGE)
        or request.optimizer_statistics_package
        or schema.options.get(PACKAGE)
        or _LATEST_PACKAGE
    )
    if package.lower() == _LATEST_PACKAGE:
        in_effect = max(schema.statistics, key=_time_of, default=None)
    else:
        in_effect = _package_named(package, schema)
    reported = {VERSION: str(_VERSION_WORDS.get(version, version))}
    return reported if in_effect is None else {**reported, PACKAGE: in_effect}


def _time_of(package: str) -> str:
    """Return the part of a package's name that its kind precedes: names sort by time by it."""
    return package.partition("_")[2]
