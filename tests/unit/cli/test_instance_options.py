"""The rules of instances, as `spanemu serve` is told them."""

import click
import pytest
from click.testing import CliRunner

from spanemu.cli.instance_options import instance_options, instance_rules


@pytest.fixture
def rules():
    def run(*arguments):
        given = []

        @click.command()
        @instance_options
        def command(**options):
            given.append(instance_rules(options))

        CliRunner().invoke(command, arguments, catch_exceptions=False)
        return given[0]

    return run


def test_the_rules_are_spanners_by_default(rules):
    assert rules() == {
        "instance_configs": {"emulator-config": "Emulator Instance Config"},
        "strict_instance_configs": False,
        "check_editions": True,
        "databases_per_instance_max": 100,
        "strict_database_limit": False,
    }


def test_each_rule_has_an_option(rules):
    changed = rules(
        "--instance-config=published",
        "--instance-config=my-config",
        "--strict-instance-configs",
        "--check-editions=off",
        "--max-databases-per-instance=3",
        "--strict-database-limit",
    )
    assert {"emulator-config", "nam3", "my-config"} <= changed.pop("instance_configs").keys()
    assert changed == {
        "strict_instance_configs": True,
        "check_editions": False,
        "databases_per_instance_max": 3,
        "strict_database_limit": True,
    }
