"""What a user can set: one table for the ini file, the command line and the environment.

What it all comes to for a run is in `settings`. Nothing here touches Spanner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from pytest_spanemu.setting_values import (
    InstanceConfigs,
    Isolation,
    Reuse,
    Start,
    Target,
    Unsupported,
)

ENDPOINT_FILE = "SPANEMU_ENDPOINT_FILE"  # which `spanemu serve --endpoint-file` writes
SEED_VARIABLE = "SPANEMU_SEED"


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: `spanner_NAME` in the ini file, `--spanner-NAME` on the command line.

    `variables` are environment variables, the first that is set counts. `choices` are the words
    allowed; `aliases` other spellings of them.
    """

    name: str
    help: str
    default: str | None = None
    variables: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    many: bool = False  # a list: `args` in the ini file, repeatable on the command line
    is_switch: bool = False  # on the command line alone, without a value

    @property
    def key(self) -> str:
        """Its name in the ini file."""
        return f"spanner_{self.name.replace('-', '_')}"

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return f"--spanner-{self.name}"


OPTIONS: tuple[Option, ...] = (
    Option(
        "target",
        "what the tests run against (default: embedded; external if SPANNER_EMULATOR_HOST is set)",
        variables=("SPANEMU_TARGET",),
        choices=tuple(Target),
    ),
    Option(
        "host",
        "where an external target, or omni, listens",
        variables=("SPANNER_EMULATOR_HOST", ENDPOINT_FILE),
        metavar="HOST:PORT",
    ),
    Option(
        "allow-cloud",
        "projects that target cloud may use, a regular expression (default: none)",
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
        "configurations that instances may name: any, or those that Google publishes",
        default=InstanceConfigs.ANY,
        choices=tuple(InstanceConfigs),
    ),
    Option(
        "database",
        "id of the database that tests share one after the other (isolation other than clone)",
        default="test-database",
        variables=("SPANNER_DATABASE_ID",),
        metavar="ID",
    ),
    Option(
        "database-prefix",
        "start of the ids of databases made per test; of all of them on omni and cloud",
        "t",
        metavar="TEXT",
    ),
    Option(
        "schema",
        "a schema source: file, glob, directory, or kind:rest; repeatable "
        "(default: schema.sql or db/schema.sql if there)",
        metavar="SRC",
        many=True,
    ),
    Option(
        "seeds",
        "rows for the template: a file or directory of .sql, .csv, .json, .jsonl, "
        ".yaml (default: seeds/ if there)",
        metavar="SRC",
        many=True,
    ),
    Option(
        "reuse",
        "whether the schema that migrations and models come to is kept in pytest's cache until "
        "some code changes",
        default=Reuse.ON,
        choices=tuple(Reuse),
    ),
    Option(
        "isolation",
        "how tests are kept apart (default: restore; truncate where the target cannot)",
        variables=("SPANEMU_ISOLATION",),
        choices=tuple(Isolation),
    ),
    Option(
        "start",
        "lazy: with the first test that needs it; "
        "eager: before any conftest.py is imported, for module-level clients",
        default=Start.LAZY,
        choices=tuple(Start),
    ),
    Option(
        "seed",
        "number that reproduces everything random (default: drawn and printed)",
        variables=(SEED_VARIABLE,),
        metavar="N",
    ),
    Option(
        "unsupported",
        "what to do with a test that its target cannot run",
        default=Unsupported.SKIP,
        choices=tuple(Unsupported),
    ),
    Option(
        "fail-on",
        "what fails a test besides its own assertions: unused-fault, full-scan, hotspot, "
        "open-transaction, lint:error, lint:warning, lint:info; repeatable, or with commas",
        default="unused-fault",
        metavar="WHAT",
        many=True,
    ),
    Option(
        "report",
        "what is told at the end: term[:ROWS] (a table), json:PATH, html:PATH, none; repeatable "
        "(default: term:10)",
        metavar="HOW",
        many=True,
    ),
    Option(
        "queries",
        "files of statements that --spanner-check compiles: .sql files or directories of them "
        "(default: none)",
        metavar="PATH",
        many=True,
    ),
    Option(
        "models",
        "models that --spanner-check compares the schema with, and whose SQLAlchemy enumerations "
        "spanner_factory honours, as a schema source: "
        "metadata:MODULE:BASE, django:syncdb (default: none)",
        metavar="SRC",
        many=True,
    ),
    Option(
        "check",
        "add ready-made tests: the schema applies and lints, seeds load, "
        "migrations reach the schema, models match it, queries compile",
        is_switch=True,
    ),
    Option(
        "pause-on-fail",
        "when a test fails, say how to look at its database, and wait for the return key",
        is_switch=True,
    ),
    Option(
        "validated-older-than",
        "tell which tests have not passed on omni or cloud for so many days",
        metavar="DAYS",
    ),
    Option("save", "keep what each test counted under this name", metavar="NAME"),
    Option("compare", "tell how counts differ from those kept under this name", metavar="NAME"),
    Option(
        "compare-fail",
        "how much more fails the run: commits:0,queries:10%; repeatable, or with commas",
        metavar="LIMIT",
        many=True,
    ),
)


LINT_PREFIX = "lint:"  # of the words of `fail_on` that concern the linter
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
        told = option.help.replace("%", "%%")  # argparse puts values in, pytest's ini does not
        arguments: dict[str, Any] = {"dest": ini, "help": told, "default": None}
        arguments |= {"metavar": option.metavar or f"{{{','.join(option.choices)}}}"}
        arguments |= {"action": "append"} if option.many else {}
        group.addoption(option.flag, **arguments)
        if option.many:
            parser.addini(ini, option.help, type="args", default=None)
        else:
            parser.addini(ini, option.help, type="string", default=None)
