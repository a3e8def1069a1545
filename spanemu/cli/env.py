"""`spanemu env`: prints the environment variables by which clients and tools reach a server.

eval "$(spanemu env)"                            sh, bash, zsh
spanemu env | source                             fish
spanemu env | Out-String | Invoke-Expression     PowerShell
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Unpack

import click

from spanemu.base.resource_names import InstanceName
from spanemu.cli.databases import NameOptions, full_name, instance_for_clients
from spanemu.cli.target import (
    EMULATOR_HOST,
    REST_HOST,
    Target,
    TargetOptions,
    find_target,
    target_options,
)


class Options(NameOptions, TargetOptions):
    """The values of the options, by click's parameter names."""

    shell: str | None
    unset: bool


# The characters that a quoted text of each shell cannot hold as they are.
_SH_ESCAPES = {"'": "'\\''"}
_FISH_ESCAPES = {"'": "\\'", "\\": "\\\\"}
_POWERSHELL_ESCAPES = {"'": "''"}


def _quoted(text: str, escapes: Mapping[str, str]) -> str:
    return "'" + "".join(escapes.get(char, char) for char in text) + "'"


def _sh(name: str, value: str | None) -> str:
    return f"unset {name}" if value is None else f"export {name}={_quoted(value, _SH_ESCAPES)}"


def _fish(name: str, value: str | None) -> str:
    if value is None:
        return f"set -e {name};"
    return f"set -gx {name} {_quoted(value, _FISH_ESCAPES)};"


def _powershell(name: str, value: str | None) -> str:
    if value is None:
        return f"Remove-Item Env:{name} -ErrorAction SilentlyContinue"
    return f"$Env:{name} = {_quoted(value, _POWERSHELL_ESCAPES)}"


SHELLS: Mapping[str, Callable[[str, str | None], str]] = {
    "sh": _sh,
    "fish": _fish,
    "powershell": _powershell,
}


@click.command()
@target_options
@click.option(
    "--shell",
    type=click.Choice(list(SHELLS)),
    help="The syntax of the output. [default: that of your shell]",
)
@click.option("--project", metavar="ID", help="The project that clients use by default.")
@click.option("--instance", metavar="ID", help="The instance that applications use.")
@click.option("--database", metavar="ID", help="The database that applications use.")
@click.option("--unset", is_flag=True, help="Print the statements that remove the variables.")
def env(**given: Unpack[Options]) -> None:
    """Print the environment variables by which clients and tools reach a server.

    The project and the instance are the server's own, or those of --database.
    """
    write = SHELLS[given["shell"] or _own_shell()]
    target = find_target(given)
    instance, problem = InstanceName("", ""), None
    if given["database"] is not None and "/" in given["database"]:
        name = full_name(given["database"])
        instance, given["database"] = name.parent, name.database
    elif not given["unset"]:
        own = instance_for_clients(given, target)
        instance, problem = own.name, own.problem
    for variable, value in _variables(target, instance, given["database"]).items():
        if given["unset"] or value is not None:
            click.echo(write(variable, None if given["unset"] else value))
    if problem is not None:
        click.echo(f"spanemu: {problem}", err=True)


def _variables(
    target: Target, instance: InstanceName, database: str | None
) -> dict[str, str | None]:
    """Return the value of each variable; None for variables that are not to be set."""
    project = instance.project
    rest, tls_ca = target.rest_url, target.tls_ca
    return {
        # With this variable, clients send plain text.
        EMULATOR_HOST: target.uri if tls_ca is None else None,
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": tls_ca,
        REST_HOST: rest,
        "GOOGLE_CLOUD_PROJECT": project,
        "SPANNER_PROJECT_ID": project,
        "SPANNER_INSTANCE_ID": instance.instance,
        "SPANNER_DATABASE_ID": database,
        # Clients would send metrics to Google, and complain without credentials.
        "SPANNER_DISABLE_BUILTIN_METRICS": "true",
        # gcloud
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_SPANNER": rest and f"{rest}/",
        "CLOUDSDK_AUTH_DISABLE_CREDENTIALS": rest and "true",
        "CLOUDSDK_CORE_PROJECT": rest and project,
        "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE": rest and tls_ca,
        # Terraform
        "GOOGLE_SPANNER_CUSTOM_ENDPOINT": rest and f"{rest}/v1/",
    }


def _own_shell() -> str:
    """Return the kind of the shell that runs this command, as far as the environment shows it."""
    shell = PurePath(os.environ.get("SHELL", "")).name
    if not shell and sys.platform == "win32":
        return "powershell"
    return "fish" if shell == "fish" else "sh"
