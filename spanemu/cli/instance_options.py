"""The options of `spanemu serve` for the rules of instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import click

from spanemu.admin.published_configs import published_configs
from spanemu.base.limits import DATABASES_PER_INSTANCE_MAX
from spanemu.cli.commands import Ids
from spanemu.config import DEFAULT_INSTANCE_CONFIGS

ALL_PUBLISHED = "published"


class InstanceOptions(TypedDict):
    """The values of the options, by click's parameter names."""

    instance_configs: tuple[str, ...]
    strict_instance_configs: bool
    check_editions: str
    max_databases_per_instance: int
    strict_database_limit: bool


class InstanceRules(TypedDict):
    """The fields of EmulatorConfig that the options set."""

    instance_configs: dict[str, str]
    strict_instance_configs: bool
    check_editions: bool
    databases_per_instance_max: int
    strict_database_limit: bool


_OPTIONS = (
    click.option(
        "--instance-config",
        "instance_configs",
        type=Ids(),
        multiple=True,
        metavar="ID|published",
        help="List this instance configuration, or those that Google publishes. Repeatable.",
    ),
    click.option(
        "--strict-instance-configs",
        is_flag=True,
        help="Refuse instances whose configuration Google does not publish.",
    ),
    click.option(
        "--check-editions",
        type=click.Choice(["on", "off"]),
        default="on",
        show_default=True,
        help="Refuse features above the edition that an instance names, STANDARD or ENTERPRISE.",
    ),
    click.option(
        "--max-databases-per-instance",
        type=click.IntRange(min=0),
        default=DATABASES_PER_INSTANCE_MAX,
        show_default=True,
        metavar="N",
        help="Refuse more databases than these in an instance; Spanner allows 100.",
    ),
    click.option(
        "--strict-database-limit",
        is_flag=True,
        help="In instances of less than a node, allow 10 databases for each 100 processing units.",
    ),
)


def instance_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def instance_rules(given: InstanceOptions) -> InstanceRules:
    """Return the fields of the configuration that the options set."""
    return InstanceRules(
        instance_configs=_listed_configs(given["instance_configs"]),
        strict_instance_configs=given["strict_instance_configs"],
        check_editions=given["check_editions"] == "on",
        databases_per_instance_max=given["max_databases_per_instance"],
        strict_database_limit=given["strict_database_limit"],
    )


def _listed_configs(ids: Sequence[str]) -> dict[str, str]:
    """Return the listed configurations, with display names; `published` stands for Google's."""
    own = (published_configs() if config == ALL_PUBLISHED else (config,) for config in ids)
    return DEFAULT_INSTANCE_CONFIGS | {config: config for group in own for config in group}
