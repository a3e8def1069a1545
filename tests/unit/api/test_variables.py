"""The environment variables that are known, and the misspelt ones among those that are set."""

from __future__ import annotations

import pytest

from pytest_spanemu.options import OPTIONS
from spanemu.api.variables import KNOWN, OTHERS, SERVER, misspelt_variables
from spanemu.cli.commands import COMMANDS, command_named, variables_of


def test_the_variables_of_the_server_are_those_of_its_options():
    assert set(variables_of("serve")) == SERVER


def test_the_variables_of_the_plugin_and_of_the_commands_are_known():
    assert {name for option in OPTIONS for name in option.variables} <= KNOWN
    for name in COMMANDS:
        for option in command_named(name).params:
            variables = option.envvar or []
            assert {variables} if isinstance(variables, str) else set(variables) <= KNOWN


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_name_without_a_letter_or_with_two_exchanged_is_misspelt(name):
    for at in range(1, len(name) - 1):
        dropped = name[:at] + name[at + 1 :]
        exchanged = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
        for written in {dropped, exchanged} - KNOWN:
            if not written.endswith("_PORT") or written.count("_") > 1:
                assert [each for each, _ in misspelt_variables([written])] == [written]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("SPANEMU_DATABSE", "SPANEMU_DATABASE"),
        ("SPANEMU_DATABASES", "SPANEMU_DATABASE"),
        ("SPANMEU_SCHMA", "SPANEMU_SCHEMA"),
        ("SPANEMU_HSOT_PORT", "SPANEMU_HOST_PORT"),
        ("SPANNER_EMULATR_HOST", "SPANNER_EMULATOR_HOST"),
    ],
)
def test_the_closest_known_name_is_meant(written, meant):
    assert list(misspelt_variables([written])) == [(written, meant)]


@pytest.mark.parametrize(
    "name",
    [
        "SPANEMU_SERVICE_HOST",
        "SPANEMU_SERVICE_PORT",
        "SPANEMU_SERVICE_PORT_GRPC",
        "SPANEMU_PORT",
        "SPANEMU_PORT_9010_TCP",
        "SPANEMU_PORT_9010_TCP_ADDR",
        "SPANEMU_PORT_9010_TCP_PORT",
        "SPANEMU_PORT_9010_TCP_PROTO",
        "SPANNER_EMULATOR_PORT",
        "SPANNER_EMULATOR_SERVICE_HOST",
        "SPANEMU_IMAGE",
        "SPANEMU",
        "SHELL",
        *sorted(SERVER | OTHERS),
    ],
)
def test_variables_of_others_are_left_alone(name):
    assert not list(misspelt_variables([name]))
