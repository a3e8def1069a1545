"""The plugin's options: one table for the ini file, the command line and the environment.

Options with a fixed choice have an enumeration of their values. `settings` reads the values of a
run. This module imports nothing of Spanner.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

import pytest

from spanemu.base.record import dataclass


class Target(StrEnum):
    """The server that the tests run against."""

    EMBEDDED = "embedded"  # an emulator in this process, reached without a network
    SUBPROCESS = "subprocess"  # an emulator in a process of its own
    EXTERNAL = "external"  # a server at a host and port, such as the official emulator
    OMNI = "omni"  # Spanner Omni at a host and port
    CLOUD = "cloud"  # Cloud Spanner, in an allowed project


class Isolation(StrEnum):
    """The isolation of a test's changes from the next test."""

    RESTORE = "restore"  # the same database, restored to a snapshot of the template
    CLONE = "clone"  # a new database for each test, a clone of the template
    TRUNCATE = "truncate"  # rows deleted and the template's rows inserted again
    RECREATE = "recreate"  # the database dropped and created again
    NONE = "none"  # no isolation, for suites that only read


class Dialect(StrEnum):
    """The SQL dialect of a database."""

    GOOGLESQL = "googlesql"
    POSTGRESQL = "postgresql"


class Unsupported(StrEnum):
    """The outcome of a test that needs a capability that the target lacks."""

    SKIP = "skip"
    XFAIL = "xfail"
    ERROR = "error"


class Reuse(StrEnum):
    """The use of a cache for the schema that programs build, from one run to the next."""

    ON = "on"
    OFF = "off"


class InstanceConfigs(StrEnum):
    """The instance configurations that an instance may name."""

    ANY = "any"  # as on Google's emulator
    PUBLISHED = "published"  # as on Spanner: Google's configurations, and those that users created


class Start(StrEnum):
    """The time at which the emulator starts."""

    LAZY = "lazy"  # with the first fixture that needs it
    EAGER = "eager"  # before any conftest.py is imported, with SPANNER_EMULATOR_HOST exported


class GcFreeze(StrEnum):
    """The emulators whose objects full garbage collections skip (`gc_freeze` of the emulator)."""

    AUTO = "auto"  # emulators with many rows
    ON = "on"
    OFF = "off"

    @property
    def setting(self) -> bool | Literal["auto"]:
        """The value of the emulator's setting."""
        return "auto" if self is GcFreeze.AUTO else self is GcFreeze.ON


ENDPOINT_FILE = "SPANEMU_ENDPOINT_FILE"  # the file that `spanemu serve --endpoint-file` writes
SEED_VARIABLE = "SPANEMU_SEED"


@dataclass(frozen=True, slots=True)
class Option:
    """An option: `spanner_NAME` in the ini file, `--spanner-NAME` on the command line.

    `variables` are environment variables, of which the first that is set applies. `choices` are
    the permitted values.
    """

    name: str
    help: str
    default: str | None = None
    variables: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    many: bool = False  # type `args` in the ini file, repeatable on the command line
    is_switch: bool = False  # a flag, on the command line only

    @property
    def key(self) -> str:
        """The name in the ini file."""
        return f"spanner_{self.name.replace('-', '_')}"

    @property
    def flag(self) -> str:
        """The name on the command line."""
        return f"--spanner-{self.name}"


OPTIONS: tuple[Option, ...] = (
    Option(
        "target",
        "the server that the tests run against "
        "(default: embedded; external if SPANNER_EMULATOR_HOST is set)",
        variables=("SPANEMU_TARGET",),
        choices=tuple(Target),
    ),
    Option(
        "host",
        "address of target external, omni or cloud",
        variables=("SPANNER_EMULATOR_HOST", ENDPOINT_FILE),
        metavar="HOST:PORT",
    ),
    Option(
        "allow-cloud",
        "regular expression for the projects that target cloud may use (default: none)",
        metavar="REGEX",
    ),
    Option(
        "project",
        "project of the test databases (default: emulator-project)",
        variables=("SPANNER_PROJECT_ID",),
        metavar="ID",
    ),
    Option(
        "instance",
        "instance of the test databases (default: emulator-instance)",
        variables=("SPANNER_INSTANCE_ID",),
        metavar="ID",
    ),
    Option(
        "instance-configs",
        "instance configurations that instances may name: any, or those that Google publishes",
        default=InstanceConfigs.ANY,
        choices=tuple(InstanceConfigs),
    ),
    Option(
        "database",
        "id of the database that tests use in turn (with any isolation but clone)",
        default="test-database",
        variables=("SPANNER_DATABASE_ID",),
        metavar="ID",
    ),
    Option(
        "database-prefix",
        "prefix of the ids of databases created for one test; on omni and cloud, of all databases",
        "t",
        metavar="TEXT",
    ),
    Option(
        "dialect",
        "SQL dialect of the test databases and of the files of schema, seeds and queries",
        default=Dialect.GOOGLESQL,
        choices=tuple(Dialect),
    ),
    Option(
        "schema",
        "a schema source: file, glob, directory, or kind:rest; repeatable "
        "(default: schema.sql or db/schema.sql, if it exists)",
        metavar="SRC",
        many=True,
    ),
    Option(
        "seeds",
        "rows for the template: a file or directory of .sql, .csv, .json, .jsonl, "
        ".yaml; repeatable (default: seeds/, if it exists)",
        metavar="SRC",
        many=True,
    ),
    Option(
        "reuse",
        "whether to keep the schema that migrations and models build in pytest's cache, until "
        "the project's code changes",
        default=Reuse.ON,
        choices=tuple(Reuse),
    ),
    Option(
        "isolation",
        "how to undo the changes of each test (default: restore; truncate on targets without "
        "snapshots)",
        variables=("SPANEMU_ISOLATION",),
        choices=tuple(Isolation),
    ),
    Option(
        "start",
        "when to start the emulator: lazy, with the first test that uses it; eager, before any "
        "conftest.py is imported, for clients created at module level",
        default=Start.LAZY,
        choices=tuple(Start),
    ),
    Option(
        "gc-freeze",
        "whether full garbage collections skip the objects of the emulator in this process: auto, "
        "while it holds many rows; on; off",
        default=GcFreeze.AUTO,
        choices=tuple(GcFreeze),
    ),
    Option(
        "seed",
        "seed of all random values (default: a random seed, printed at the end)",
        variables=(SEED_VARIABLE,),
        metavar="N",
    ),
    Option(
        "schedule",
        "the schedule that the exploration of the one selected test repeats (default: search)",
        metavar="ABBA",
    ),
    Option(
        "explore-seconds",
        "seconds after which an exploration ends",
        default="10",
        metavar="SECONDS",
    ),
    Option(
        "explore-schedules",
        "number of schedules after which an exploration ends",
        default="500",
        metavar="N",
    ),
    Option(
        "explore-preemptions",
        "how often a schedule of an exploration interrupts a function between two requests",
        default="2",
        metavar="N",
    ),
    Option(
        "unsupported",
        "outcome of a test that needs a capability that the target lacks",
        default=Unsupported.SKIP,
        choices=tuple(Unsupported),
    ),
    Option(
        "fail-on",
        "conditions that fail a test: unused-fault, full-scan, hotspot, open-transaction, "
        "lint:error, lint:warning, lint:info; repeatable, or separated by commas",
        default="unused-fault",
        metavar="CONDITION",
        many=True,
    ),
    Option(
        "report",
        "report at the end of the run: term[:ROWS] (a table), json:PATH, html:PATH, none; "
        "repeatable (default: term:10)",
        metavar="FORMAT",
        many=True,
    ),
    Option(
        "queries",
        "statements that --spanner-check compiles: a .sql file or a directory; repeatable "
        "(default: none)",
        metavar="PATH",
        many=True,
    ),
    Option(
        "models",
        "models, as a schema source (metadata:MODULE:BASE, django:syncdb): --spanner-check "
        "compares them with the schema, and spanner_factory uses the values of their Enum "
        "columns; repeatable (default: none)",
        metavar="SRC",
        many=True,
    ),
    Option(
        "check",
        "add built-in tests: the schema applies and passes the linter, seeds load, migrations "
        "lead to the schema, models match the schema, queries compile",
        is_switch=True,
    ),
    Option(
        "pause-on-fail",
        "after a failed test, print how to connect to its database, and wait for the return key",
        is_switch=True,
    ),
    Option(
        "validated-older-than",
        "list the tests that have not passed on omni or cloud for DAYS days",
        metavar="DAYS",
    ),
    Option("save", "save the counts of each test under NAME", metavar="NAME"),
    Option(
        "compare", "compare the counts of each test with those saved under NAME", metavar="NAME"
    ),
    Option(
        "compare-fail",
        "increase over the saved counts that fails the run: commits:0,queries:10%; repeatable, or "
        "separated by commas",
        metavar="LIMIT",
        many=True,
    ),
)


LINT_PREFIX = "lint:"  # of the conditions of `fail_on` on findings of the linter
FAIL_ON = frozenset(
    {
        "unused-fault", "full-scan", "hotspot", "open-transaction",
        "lint:error", "lint:warning", "lint:info",
    }
)  # fmt: skip


def add_options(parser: pytest.Parser) -> None:
    """Declare every option to pytest."""
    group = parser.getgroup("spanner", "Cloud Spanner (spanemu)")
    for option in OPTIONS:
        ini = option.key
        if option.is_switch:
            group.addoption(option.flag, dest=ini, help=option.help, action="store_true")
            continue
        text = option.help.replace("%", "%%")  # argparse formats the help, pytest's ini does not
        arguments: dict[str, Any] = {"dest": ini, "help": text, "default": None}
        arguments |= {"metavar": option.metavar or f"{{{','.join(option.choices)}}}"}
        arguments |= {"action": "append"} if option.many else {}
        group.addoption(option.flag, **arguments)
        if option.many:
            parser.addini(ini, option.help, type="args", default=None)
        else:
            parser.addini(ini, option.help, type="string", default=None)
