"""`spanemu gcloud-config` writes what gcloud reads, and leaves other settings alone."""

from __future__ import annotations

from configparser import ConfigParser

import pytest
from click.testing import CliRunner

from spanemu.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    for name in ("SPANNER_EMULATOR_HOST", "SPANNER_EMULATOR_REST_HOST", "SPANEMU_ENDPOINT_FILE"):
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: CliRunner().invoke(main, ["gcloud-config", *arguments])


def settings_of(path):
    settings = ConfigParser()
    settings.read(path)
    return {section: dict(settings[section]) for section in settings.sections()}


def test_a_configuration_for_the_default_server(run, tmp_path):
    assert run("--project", "mine").exit_code == 0
    assert settings_of(tmp_path / "configurations" / "config_spanemu") == {
        "core": {"project": "mine"},
        "auth": {"disable_credentials": "true"},
        "api_endpoint_overrides": {"spanner": "http://localhost:9020/"},
    }
    assert not (tmp_path / "active_config").exists()


def test_other_settings_stay_and_the_configuration_becomes_active(run, tmp_path):
    file = tmp_path / "configurations" / "config_ours"
    file.parent.mkdir()
    file.write_text("[core]\naccount = me@example.com\nproject = old\n[compute]\nzone = a%b\n")
    arguments = ("--name", "ours", "--activate", "--rest-host-port", "127.0.0.1:5")
    assert run(*arguments, "--project", "new").exit_code == 0
    written = ConfigParser(interpolation=None)
    written.read(file)
    assert dict(written["core"]) == {"account": "me@example.com", "project": "new"}
    assert written["compute"]["zone"] == "a%b"
    assert written["api_endpoint_overrides"]["spanner"] == "http://127.0.0.1:5/"
    assert (tmp_path / "active_config").read_text() == "ours"


@pytest.mark.parametrize(
    "arguments", [("--rest-host-port", "off"), ("--name", "../x"), ("--name", "none")]
)
def test_settings_that_gcloud_could_not_use_are_refused(run, tmp_path, arguments):
    assert run(*arguments).exit_code == 2
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_named(run, tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(blocked))
    said = run()
    assert said.exit_code == 1
    assert str(blocked) in said.output
