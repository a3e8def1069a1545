"""`spanemu env`: the variables of a server, in the syntax of each shell."""

import os
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from spanemu.api.endpoint_file import Endpoint, write
from spanemu.cli import main


def run(*arguments, **variables):
    clean = {"SPANNER_EMULATOR_HOST": None, "SPANEMU_ENDPOINT_FILE": None, "SHELL": "/bin/bash"}
    result = CliRunner().invoke(main, ["env", *arguments], env=clean | variables)
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


def test_clients_and_tools_get_the_addresses_of_the_default_server():
    lines = run()
    assert "export SPANNER_EMULATOR_HOST='localhost:9010'" in lines
    assert "export SPANNER_EMULATOR_REST_HOST='http://localhost:9020'" in lines
    assert "export CLOUDSDK_API_ENDPOINT_OVERRIDES_SPANNER='http://localhost:9020/'" in lines
    assert "export GOOGLE_SPANNER_CUSTOM_ENDPOINT='http://localhost:9020/v1/'" in lines
    assert "export SPANNER_DISABLE_BUILTIN_METRICS='true'" in lines
    assert not [line for line in lines if "SPANNER_DATABASE_ID" in line]


def test_a_server_without_rest_has_no_variables_of_rest_tools():
    lines = run("--rest-host-port", "off", "--database", "shop")
    assert "export SPANNER_DATABASE_ID='shop'" in lines
    assert not [line for line in lines if "CLOUDSDK" in line or "REST" in line]


def test_the_endpoint_file_names_the_server_and_its_project(tmp_path):
    path = tmp_path / "endpoint.json"
    write(Endpoint("localhost:1234", 1, "own", "shops", "2026-01-01T00:00:00Z"), path)
    for lines in (run("--endpoint-file", str(path)), run(SPANEMU_ENDPOINT_FILE=str(path))):
        assert "export SPANNER_EMULATOR_HOST='localhost:1234'" in lines
        assert "export GOOGLE_CLOUD_PROJECT='own'" in lines
        assert "export SPANNER_INSTANCE_ID='shops'" in lines


def test_a_missing_endpoint_file_is_an_error(tmp_path):
    path = tmp_path / "endpoint.json"
    result = CliRunner().invoke(main, ["env", "--endpoint-file", str(path)])
    assert result.exit_code == 2
    assert str(path) in result.output


@pytest.mark.parametrize(
    ("shell", "set_", "unset"),
    [
        ("sh", "export GOOGLE_CLOUD_PROJECT='o'\\''k'", "unset GOOGLE_CLOUD_PROJECT"),
        ("fish", "set -gx GOOGLE_CLOUD_PROJECT 'o\\'k';", "set -e GOOGLE_CLOUD_PROJECT;"),
        (
            "powershell",
            "$Env:GOOGLE_CLOUD_PROJECT = 'o''k'",
            "Remove-Item Env:GOOGLE_CLOUD_PROJECT -ErrorAction SilentlyContinue",
        ),
    ],
)
def test_each_shell_has_its_own_syntax(shell, set_, unset):
    assert set_ in run("--shell", shell, "--project", "o'k")
    assert unset in run("--shell", shell, "--unset")


def test_the_shell_is_that_of_the_user():
    assert run(SHELL="/usr/bin/fish")[0].startswith("set -gx ")
    assert run(SHELL="/bin/zsh")[0].startswith("export ")


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_a_shell_evaluates_the_output():
    script = "\n".join([*run("--project", "a b'c"), 'printf %s "$GOOGLE_CLOUD_PROJECT"'])
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=os.environ)
    assert done.stdout == "a b'c"
