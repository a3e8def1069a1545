"""The command lines of Google's emulator, for `spanemu serve`.

The container image has executables `gateway_main` and `emulator_main`, which call this module, so
that command lines for Google's image run unchanged. Both programs have flags of their own:

    gateway_main --hostname 0.0.0.0 --grpc_port 9010 --http_port 9020
    emulator_main --host_port localhost:10007

gateway_main parses as Go does: one dash or two, values after `=` or as the next argument, booleans
without a value, and no flags behind the first argument that is not a flag, even an empty argument.
emulator_main parses as Abseil does: two dashes, and `--noflag` for booleans.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

import click

from spanemu.base.record import NamedTuple
from spanemu.cli.serve import serve
from spanemu.config import HostPort, InvalidConfig

GATEWAY = "gateway_main"
EMULATOR = "emulator_main"
EXIT_GATEWAY_USAGE = 2
EXIT_EMULATOR_USAGE = 1
FAULT_SHARE = 0.05  # of the commits, aborted with --enable_fault_injection
NOTICES = "spanemu is licensed under the Apache License 2.0. Its dependencies name their own.\n"

Values = Mapping[str, str | bool]


class OfficialFlag(NamedTuple):
    """A flag with its default. `is_bool` flags take a value only after `=`."""

    default: str | bool

    @property
    def is_bool(self) -> bool:
        return isinstance(self.default, bool)


_SHARED = {
    "log_requests": OfficialFlag(False),
    "enable_fault_injection": OfficialFlag(False),
    "disable_query_null_filtered_index_check": OfficialFlag(False),
    "override_max_databases_per_instance": OfficialFlag("100"),
    "override_change_stream_partition_token_alive_seconds": OfficialFlag("-1"),
}
GATEWAY_FLAGS: Mapping[str, OfficialFlag] = {
    **_SHARED,
    "hostname": OfficialFlag("localhost"),
    "grpc_port": OfficialFlag("9010"),
    "http_port": OfficialFlag("9020"),
    "grpc_binary": OfficialFlag("emulator_main"),
    "copy_emulator_stdout": OfficialFlag(False),
    "copy_emulator_stderr": OfficialFlag(True),
    "notices": OfficialFlag(False),
}
EMULATOR_FLAGS: Mapping[str, OfficialFlag] = {
    **_SHARED,
    "host_port": OfficialFlag("localhost:10007"),
    "abort_current_transaction_probability": OfficialFlag("20"),
    "change_stream_churning_interval": OfficialFlag(""),
    "enable_change_stream_churning": OfficialFlag(True),
}
# Environment variables of Google's emulator, which override flags.
_VARIABLES = {
    "MAX_DATABASES_PER_INSTANCE": "override_max_databases_per_instance",
    "CHANGE_STREAM_PARTITION_TOKEN_ALIVE_SECONDS": (
        "override_change_stream_partition_token_alive_seconds"
    ),
}
# Flags that spanemu accepts and that change nothing, with the reason or what to do instead.
_WITHOUT_EFFECT = {
    "abort_current_transaction_probability": "transactions run concurrently and wait for locks",
    "change_stream_churning_interval": "partitions change with the splits of the tables",
    "disable_query_null_filtered_index_check": (
        "use the hint @{spanner_emulator.disable_query_null_filtered_index_check=true}"
    ),
    "enable_change_stream_churning": "partitions change with the splits of the tables",
    "override_change_stream_partition_token_alive_seconds": (
        "partitions change with the splits of the tables"
    ),
}
_HELP = frozenset({"help", "h"})
_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_ABSEIL_TRUE = frozenset({"1", "t", "true", "y", "yes"})
_ABSEIL_FALSE = frozenset({"0", "f", "false", "n", "no"})


class InvalidFlag(Exception):
    """A command line that Google's program refuses; the message is the program's."""


class HelpWanted(Exception):
    """A command line that requests the list of flags."""


def gateway_main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `spanemu serve` as the command line of gateway_main asks."""
    _run(GATEWAY, parse_gateway, gateway_arguments, EXIT_GATEWAY_USAGE, arguments)


def emulator_main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `spanemu serve` as the command line of emulator_main asks."""
    _run(EMULATOR, parse_emulator, emulator_arguments, EXIT_EMULATOR_USAGE, arguments)


def _run(
    program: str,
    parse: Callable[[Sequence[str]], Values],
    translate: Callable[[Values], list[str]],
    exit_usage: int,
    arguments: Sequence[str] | None,
) -> NoReturn:
    try:
        values = parse(sys.argv[1:] if arguments is None else arguments)
    except HelpWanted:
        click.echo(_usage(program))
        sys.exit(0)
    except InvalidFlag as problem:
        click.echo(f"{program}: {problem}", err=True)
        sys.exit(exit_usage)
    try:
        translated = translate(_with_variables(values, os.environ))
    except InvalidFlag as problem:
        click.echo(f"{program}: {problem}", err=True)
        sys.exit(exit_usage)
    if values.get("notices"):
        click.echo(NOTICES, nl=False)
        sys.exit(0)
    for flag, reason in _WITHOUT_EFFECT.items():
        if flag in values and values[flag] != {**GATEWAY_FLAGS, **EMULATOR_FLAGS}[flag].default:
            click.echo(f"spanemu: --{flag} has no effect: {reason}.", err=True)
    serve.main(translated, prog_name=program)
    sys.exit(0)


def _usage(program: str) -> str:
    """Return the flags of a program with their defaults."""
    flags = GATEWAY_FLAGS if program == GATEWAY else EMULATOR_FLAGS
    lines = [
        f"  --{name}={str(flag.default).lower() if flag.is_bool else flag.default}"
        + (f"  (no effect: {_WITHOUT_EFFECT[name]})" if name in _WITHOUT_EFFECT else "")
        for name, flag in sorted(flags.items())
    ]
    more = "Variables set what these flags cannot: `spanemu serve --help` lists them."
    return "\n".join([f"Usage of {program}, with defaults:", *lines, more])


# ---------------------------------------------------------------------------- parsing


def parse_gateway(arguments: Sequence[str]) -> Values:
    """Return the value of every flag, parsed as Go's package flag does. Raises InvalidFlag."""
    values = {name: flag.default for name, flag in GATEWAY_FLAGS.items()}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        name = argument.removeprefix("-").removeprefix("-")
        if argument == "--" or name == argument or not name:
            break
        name, assigned, text = name.partition("=")
        flag = GATEWAY_FLAGS.get(name)
        if flag is None and name in _HELP:
            raise HelpWanted
        if flag is None:
            raise InvalidFlag(f"flag provided but not defined: -{name}")
        if flag.is_bool:
            values[name] = _boolean(name, text, _TRUE, _FALSE) if assigned else True
        elif assigned or rest:
            values[name] = text if assigned else rest.pop(0)
        else:
            raise InvalidFlag(f"flag needs an argument: -{name}")
    return values


def parse_emulator(arguments: Sequence[str]) -> Values:
    """Return the value of every flag, parsed as Abseil does. Raises InvalidFlag."""
    values = {name: flag.default for name, flag in EMULATOR_FLAGS.items()}
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        name = argument.removeprefix("-").removeprefix("-")
        if argument == "--":
            break
        if name == argument or not name:
            continue  # Positional arguments are ignored.
        name, assigned, text = name.partition("=")
        flag = EMULATOR_FLAGS.get(name)
        negated = EMULATOR_FLAGS.get(name.removeprefix("no")) if name.startswith("no") else None
        if flag is None and negated is not None and negated.is_bool and not assigned:
            values[name.removeprefix("no")] = False
        elif flag is None and name in _HELP:
            raise HelpWanted
        elif flag is None:
            raise InvalidFlag(f"Unknown command line flag '{name}'")
        elif flag.is_bool:
            text = text.lower()
            values[name] = _boolean(name, text, _ABSEIL_TRUE, _ABSEIL_FALSE) if assigned else True
        elif assigned or rest:
            values[name] = text if assigned else rest.pop(0)
        else:
            raise InvalidFlag(f"Missing the value for the flag '{name}'")
    return values


def _boolean(name: str, text: str, true: frozenset[str], false: frozenset[str]) -> bool:
    if text not in true | false:
        raise InvalidFlag(f'invalid boolean value "{text}" for -{name}')
    return text in true


def _with_variables(values: Values, variables: Mapping[str, str]) -> Values:
    named = {flag: variables[name] for name, flag in _VARIABLES.items() if variables.get(name)}
    return {**values, **named}


# ---------------------------------------------------------------------------- translation


def gateway_arguments(values: Values) -> list[str]:
    """Return the arguments of `spanemu serve` for the flags of gateway_main."""
    host = _host(str(values["hostname"]))
    _checked(f"{host}:0", values, "hostname")
    grpc, rest = (f"{host}:{_number(values, flag)}" for flag in ("grpc_port", "http_port"))
    return [
        f"--host-port={_checked(grpc, values, 'grpc_port')}",
        f"--rest-host-port={_checked(rest, values, 'http_port')}",
        f"--ready-lines={GATEWAY}",
        *_shared_arguments(values),
    ]


def emulator_arguments(values: Values) -> list[str]:
    """Return the arguments of `spanemu serve` for the flags of emulator_main."""
    return [
        f"--host-port={_checked(str(values['host_port']), values, 'host_port')}",
        "--rest-host-port=off",
        f"--ready-lines={EMULATOR}",
        *_shared_arguments(values),
    ]


def _shared_arguments(values: Values) -> list[str]:
    arguments = []
    databases = _number(values, "override_max_databases_per_instance")
    if databases != int(str(_SHARED["override_max_databases_per_instance"].default)):
        arguments.append(f"--max-databases-per-instance={databases}")
    if values["log_requests"]:
        arguments.append("--log-requests")
    if values["enable_fault_injection"]:
        arguments.append(f"--abort-share={FAULT_SHARE}")
    return arguments


def _host(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


def _number(values: Values, name: str) -> int:
    try:
        return int(str(values[name]))
    except ValueError:
        raise InvalidFlag(f'invalid value "{values[name]}" for flag -{name}') from None


def _checked(address: str, values: Values, flag: str) -> str:
    """Return the address of a server that comes from a flag. Raises InvalidFlag."""
    try:
        HostPort.parse(address)
    except InvalidConfig as problem:
        raise InvalidFlag(f'invalid value "{values[flag]}" for flag -{flag}: {problem}') from None
    return address
