"""`spanemu gcloud-config`: writes a named configuration of gcloud for a server.

    spanemu gcloud-config --activate
    gcloud spanner instances list

gcloud keeps each configuration in a file of its own, in the syntax of INI files. The command writes
the file itself: `gcloud config set` asks questions, and works on the active configuration.
"""

from __future__ import annotations

import os
import re
import sys
from configparser import ConfigParser, Error
from pathlib import Path
from typing import Unpack

import click

from spanemu.cli.databases import NameOptions, instance_for_clients
from spanemu.cli.target import TargetOptions, find_target, target_options

DEFAULT_NAME = "spanemu"
_NAME = re.compile("[a-z][-a-z0-9]*")


class Options(TargetOptions):
    """The values of the options, by click's parameter names."""

    name: str
    project: str | None
    activate: bool


@click.command("gcloud-config")
@target_options
@click.option(
    "--name", default=DEFAULT_NAME, show_default=True, help="The name of the configuration."
)
@click.option("--project", metavar="ID", help="The project that gcloud uses by default.")
@click.option("--activate", is_flag=True, help="Make it the configuration that gcloud uses.")
def gcloud_config(**given: Unpack[Options]) -> None:
    """Write a named configuration of gcloud for a server."""
    target = find_target(given)
    name = given["name"]
    if target.rest_url is None:
        raise click.UsageError("gcloud needs the server's REST port: give --rest-host-port.")
    if not _NAME.fullmatch(name) or name == "none":
        raise click.UsageError(f"{name!r} is no name for a configuration of gcloud.")
    folder = config_folder()
    file = folder / "configurations" / f"config_{name}"
    options = NameOptions(database=None, project=given["project"], instance=None)
    project = given["project"] or instance_for_clients(options, target).name.project
    try:
        _write(file, project, f"{target.rest_url}/", target.tls_ca)
        if given["activate"]:
            (folder / "active_config").write_text(name, encoding="utf-8", newline="\n")
    except (OSError, Error) as problem:
        raise click.ClickException(f"cannot write {file}: {problem}") from problem
    click.echo(f"Wrote {file}")
    if not given["activate"]:
        click.echo(f"gcloud config configurations activate {name}")


def config_folder() -> Path:
    """Return the folder in which gcloud keeps its configurations."""
    if folder := os.environ.get("CLOUDSDK_CONFIG"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", "C:\\"), "gcloud")
    return Path.home() / ".config" / "gcloud"


def _write(file: Path, project: str, endpoint: str, tls_ca: str | None) -> None:
    """Write the settings for the server, and keep all other settings of the configuration."""
    trusted = {} if tls_ca is None else {"custom_ca_certs_file": tls_ca}
    settings = ConfigParser(interpolation=None)
    settings.read(file, encoding="utf-8")
    settings.read_dict(
        {
            "core": {"project": project, **trusted},
            "auth": {"disable_credentials": "true"},
            "api_endpoint_overrides": {"spanner": endpoint},
        }
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="\n") as output:
        settings.write(output)
