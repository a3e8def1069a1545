"""`spanemu lint`: finds hotspots and slow patterns in a schema before any load shows them.

    spanemu lint schema.sql
    spanemu lint schema.sql --dialect postgresql
    spanemu lint db/ --select SPN1,SPN2 --ignore SPN123 --format sarif > lint.sarif
    spanemu lint --explain SPN102
    spanemu lint --list-rules

exit 0   no finding at or above --fail-on
exit 1   findings
exit 2   the command line, the configuration or a schema is invalid
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

import click

from spanemu.base.errors import SpannerError
from spanemu.base.severity import Severity
from spanemu.lint.baseline import without_known, write_baseline
from spanemu.lint.formats import FORMATS, RULE_LISTS, explain
from spanemu.lint.rules import RULES
from spanemu.lint.rules.postgresql import rules_of
from spanemu.lint.run import Report, run
from spanemu.lint.selection import check_rule_names, unknown_rule
from spanemu.lint.settings import Settings, find_pyproject, settings_from
from spanemu.lint.source import STANDARD_INPUT
from spanemu.schema.dialect import DIALECT_OPTIONS, GOOGLE_STANDARD_SQL

EXIT_FINDINGS = 1
EXIT_USAGE = 2

_PATH = click.Path(path_type=Path)
_SEVERITIES = click.Choice([str(severity) for severity in Severity])


class Options(TypedDict):
    """The values of the arguments and options, by click's parameter names."""

    sources: tuple[Path, ...]
    dialect: str | None
    form: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    config: Path | None
    nodes: int | None
    baseline: Path | None
    update_baseline: bool
    fail_on: str
    explained: str | None
    list_rules: bool


@click.command()
@click.argument("sources", nargs=-1, type=_PATH, metavar="FILE|DIRECTORY|-...")
@click.option("--dialect", type=click.Choice(list(DIALECT_OPTIONS)),
              help="The SQL dialect of the files.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="text",
              show_default=True)  # fmt: skip
@click.option(
    "--select",
    multiple=True,
    metavar="IDS",
    help="Run only these rules: SPN1,SPN202, or default,SPN210, or all.",
)
@click.option("--ignore", multiple=True, metavar="IDS", help="Do not run these rules.")
@click.option("--config", type=_PATH, help="A pyproject.toml; default: the nearest one upwards.")
@click.option("--nodes", type=click.IntRange(min=1), help="The planned number of nodes.")
@click.option("--baseline", type=_PATH, help="A JSON file of accepted findings.")
@click.option("--update-baseline", is_flag=True, help="Write the findings to the baseline.")
@click.option("--fail-on", type=_SEVERITIES, default="warning", show_default=True,
              help="The lowest severity that makes the exit code 1.")  # fmt: skip
@click.option("--explain", "explained", metavar="ID", help="Describe a rule.")
@click.option("--list-rules", is_flag=True,
              help="List all rules, and whether the settings select them.")  # fmt: skip
def lint(**given: Unpack[Options]) -> None:
    """Find hotspots and slow patterns in the schema that all files form together.

    Statements that Spanner would refuse are errors, each at its place in the file.

    Exit code 0: no findings, 1: findings, 2: invalid command line, configuration or schema.
    """
    if given["explained"] is not None:
        _explain(given["explained"], given["dialect"] or GOOGLE_STANDARD_SQL.option)
        return
    if given["list_rules"]:
        _list_rules(given)
        return
    if not given["sources"]:
        raise click.UsageError(
            "Name a schema file, a directory of schema files, --explain ID or --list-rules."
        )
    try:
        settings = _settings(given)
        report = run(given["sources"], settings)
        path = _baseline(given, settings)
        if path is not None:
            report = _against(report, path, update=given["update_baseline"])
    except (SpannerError, OSError) as problem:
        raise click.UsageError(str(problem)) from problem
    text = FORMATS[given["form"]](report)
    if text:
        click.echo(text)
    for failure in report.faults:
        click.echo(f"spanemu: {failure}", err=True)
    if report.faults and (dialect := _dialect_of(given["sources"], settings)) is not None:
        hint = f"without error in the other dialect: give --dialect {dialect}"
        click.echo(f"spanemu: the schema is {hint}", err=True)
    sys.exit(_exit_code(report, Severity(given["fail_on"])))


def _dialect_of(sources: Sequence[Path], settings: Settings) -> str | None:
    """Return the other dialect if an invalid schema is valid in it."""
    if Path(STANDARD_INPUT) in sources:  # It cannot be read twice.
        return None
    (other,) = DIALECT_OPTIONS.keys() - {settings.dialect}
    return None if run(sources, replace(settings, dialect=other)).faults else other


def _explain(id_: str, dialect: str) -> None:
    id_ = id_.strip().upper()
    if id_ not in RULES:
        raise click.UsageError(str(unknown_rule(id_)))
    if id_ not in rules_of(dialect):
        raise click.UsageError(f"{id_} does not apply to databases of dialect {dialect}.")
    click.echo(explain(id_, dialect))


def _list_rules(given: Options) -> None:
    listing = RULE_LISTS.get(given["form"])
    if listing is None:
        raise click.UsageError(f"--list-rules supports the formats {', '.join(RULE_LISTS)}.")
    try:
        settings = _settings(given)
        check_rule_names(settings)
    except (SpannerError, OSError) as problem:
        raise click.UsageError(str(problem)) from problem
    click.echo(listing(settings))


def _settings(given: Options) -> Settings:
    path = given["config"] or find_pyproject(Path.cwd())
    settings = Settings() if path is None else settings_from(path)
    changes = {
        "select": _ids(given["select"]) or settings.select,
        "ignore": settings.ignore + _ids(given["ignore"]),
        "nodes": given["nodes"] or settings.nodes,
        "dialect": given["dialect"] or settings.dialect,
    }
    if path is not None and settings.baseline is not None:
        changes["baseline"] = str(path.parent / settings.baseline)
    return replace(settings, **changes)  # type: ignore[arg-type]


def _ids(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.strip() for names in given for part in names.split(",") if part.strip())


def _baseline(given: Options, settings: Settings) -> Path | None:
    path = given["baseline"] or (Path(settings.baseline) if settings.baseline else None)
    if path is None and given["update_baseline"]:
        raise click.UsageError("--update-baseline needs --baseline.")
    if path is not None and not given["update_baseline"] and not path.exists():
        raise click.UsageError(f"{path} does not exist; --update-baseline writes it.")
    return path


def _against(report: Report, path: Path, *, update: bool) -> Report:
    if update:
        click.echo(f"spanemu: {write_baseline(report, path)}", err=True)
    return without_known(report, path)


def _exit_code(report: Report, fail_on: Severity) -> int:
    if report.faults:
        return EXIT_USAGE
    worst = report.worst
    return EXIT_FINDINGS if worst is not None and worst.rank <= fail_on.rank else 0
