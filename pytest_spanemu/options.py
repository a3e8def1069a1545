"""What a user can set, and where: one table for the ini file, the command line and the environment.

    a marker or a factory's argument  >  command line  >  environment  >  ini file  >  default

`Settings` is what they come to; it is read once, when the run starts. Nothing here touches Spanner.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_spanemu.kinds import Isolation, Reuse, Start, Target, Unsupported
from pytest_spanemu.report.limits import Limit, limits_of
from pytest_spanemu.targets.places import RUN_CHARS, Runner, places, target_of
from spanemu.endpoint import Endpoint, InvalidEndpointFile

ENDPOINT_FILE = "SPANEMU_ENDPOINT_FILE"  # which `spanemu serve --endpoint-file` writes


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
        "eager: before collection, for module-level clients",
        default=Start.LAZY,
        choices=tuple(Start),
    ),
    Option(
        "seed",
        "number that reproduces everything random (default: drawn and printed)",
        variables=("SPANEMU_SEED",),
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
        "models that --spanner-check compares the schema with, as a schema source: "
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
_ALIASES = {"rollback": Isolation.RESTORE}  # the word of other plugins


TABLE_ROWS = 10


@dataclass(frozen=True, slots=True)
class Reports:
    """Which reports a run makes: a table of so many rows, 0 for none; files of JSON and HTML."""

    table_rows: int = TABLE_ROWS
    json: tuple[str, ...] = ()
    html: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Sequence[str]) -> Reports:
        """From words like "term:20" and "json:out.json". Raises pytest.UsageError."""
        rows = TABLE_ROWS
        files: dict[str, list[str]] = {"json": [], "html": []}
        for word in given:
            kind, _, rest = word.partition(":")
            if kind == "term" and (not rest or rest.isdecimal()):
                rows = int(rest or TABLE_ROWS)
            elif kind in files and rest:
                files[kind].append(rest)
            elif word == "none":
                rows = 0
            else:
                raise pytest.UsageError(
                    f"spanner_report: {word!r} is not one of term[:ROWS], json:PATH, "
                    "html:PATH, none."
                )
        return cls(rows, tuple(files["json"]), tuple(files["html"]))

    @property
    def are_wanted(self) -> bool:
        """Whether what tests do needs to be recorded for them."""
        return bool(self.table_rows or self.json or self.html)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Settings:
    """The settings of one run. Never compared, so that loading the plugin takes less time."""

    target: Target
    host: str | None
    allow_cloud: str | None
    project: str
    instance: str
    database: str
    database_prefix: str
    schema: tuple[str, ...]
    seeds: tuple[str, ...]
    isolation: Isolation | None
    start: Start
    reuse: Reuse
    seed: int
    unsupported: Unsupported
    fail_on: frozenset[str]
    report: Reports
    validated_older_than: int | None
    save: str | None
    compare: str | None
    compare_fail: Mapping[str, Limit]
    queries: tuple[str, ...]
    models: tuple[str, ...]
    check: bool
    pause_on_fail: bool


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
        ini = f"spanner_{option.name.replace('-', '_')}"
        if option.is_switch:
            flag = f"--spanner-{option.name}"
            group.addoption(flag, dest=ini, help=option.help, action="store_true")
            continue
        told = option.help.replace("%", "%%")  # argparse puts values in, pytest's ini does not
        arguments: dict[str, Any] = {"dest": ini, "help": told, "default": None}
        arguments |= {"metavar": option.metavar or f"{{{','.join(option.choices)}}}"}
        arguments |= {"action": "append"} if option.many else {}
        group.addoption(f"--spanner-{option.name}", **arguments)
        if option.many:
            parser.addini(ini, option.help, type="args", default=None)
        else:
            parser.addini(ini, option.help, type="string", default=None)


def read_settings(config: pytest.Config, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of a run. Raises pytest.UsageError for one that makes no sense."""
    surroundings = os.environ if environ is None else environ
    found = {
        option.name.replace("-", "_"): _value(config, option, surroundings) for option in OPTIONS
    }
    target = target_of(found)
    handed: Mapping[str, Any] = getattr(config, "workerinput", {})
    run = str(handed.get("testrunuid") or os.urandom(RUN_CHARS).hex())[:RUN_CHARS]
    runner = Runner(surroundings, str(handed.get("workerid", "")), run)
    failing = _parts(found["fail_on"])
    for word in failing:
        if word not in FAIL_ON:
            raise pytest.UsageError(
                f"spanner_fail_on: {word!r} is not one of {', '.join(sorted(FAIL_ON))}."
            )
    return Settings(
        **found
        | {
            **places(target, found, runner),
            "target": target,
            "start": Start(found["start"]),
            "reuse": Reuse(found["reuse"]),
            "unsupported": Unsupported(found["unsupported"]),
            "isolation": None if found["isolation"] is None else Isolation(found["isolation"]),
            "seed": _seed(config, found["seed"]),
            "validated_older_than": _days(found["validated_older_than"]),
            "fail_on": frozenset(failing),
            "report": Reports.of(found["report"]),
            "compare_fail": limits_of(_parts(found["compare_fail"])),
        }
    )


def isolation_named(word: str, where: str) -> Isolation:
    """The isolation that a marker or a factory asks for. Raises pytest.UsageError."""
    return Isolation(_chosen(word, tuple(Isolation), where))


def _value(config: pytest.Config, option: Option, environ: Mapping[str, str]) -> Any:
    ini = f"spanner_{option.name.replace('-', '_')}"
    given = config.getoption(ini, None)
    if option.is_switch:
        return bool(given)
    where = f"--spanner-{option.name}"
    if given is None:
        for variable in option.variables:
            if environ.get(variable):
                given, where = environ[variable], variable
                if variable == ENDPOINT_FILE:
                    given = _published(given)
                break
    if given is None and (written := config.getini(ini)) not in (None, "", []):
        given, where = written, ini
    if given is None:
        given = option.default
    if option.many:
        return _words(given)
    if given is not None and option.choices:
        return _chosen(str(given), option.choices, where)
    return given


def words(given: str | Collection[str] | None) -> tuple[str, ...] | None:
    """One word or several, as a tuple; None stays None."""
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(str(each) for each in given)


def _words(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """A list as the ini file, the environment or repeated flags give it."""
    if given is None:
        return ()
    listed = [given] if isinstance(given, str) else list(given)
    return tuple(str(each) for each in listed)


def _parts(given: Sequence[str]) -> list[str]:
    """The words of a list whose entries may hold several, with commas between."""
    return [part for word in given for part in word.split(",") if part]


def _chosen(word: str, choices: tuple[str, ...], where: str) -> str:
    word = _ALIASES.get(word, word)
    if word not in choices:
        raise pytest.UsageError(f"{where}: {word!r} is not one of {', '.join(choices)}.")
    return word


def _published(path: str) -> str:
    """Where the emulator listens that has written an endpoint file."""
    try:
        return Endpoint.read(Path(path)).uri
    except (OSError, InvalidEndpointFile) as problem:
        raise pytest.UsageError(f"{ENDPOINT_FILE}: {problem}") from None


def _days(given: str | None) -> int | None:
    """A number of days, with or without the d for days behind it."""
    if given is None:
        return None
    if not re.fullmatch(r"\d{1,5}d?", given):
        raise pytest.UsageError(f"spanner_validated_older_than: {given!r} is no number of days.")
    return int(given.removesuffix("d"))


def _seed(config: pytest.Config, given: str | None) -> int:
    """The seed: as given; of an xdist worker its controller's; or drawn."""
    if given is not None:
        if not re.fullmatch(r"\d+", given):
            raise pytest.UsageError(f"spanner_seed: {given!r} is not a whole number.")
        return int(given)
    handed: Mapping[str, Any] = getattr(config, "workerinput", {})
    return int(handed.get("spanner_seed") or int.from_bytes(os.urandom(4)))
