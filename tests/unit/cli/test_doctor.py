"""`spanemu doctor`: what it finds in the installation, the environment and the project."""

import pytest
from click.testing import CliRunner

import spanemu
from spanemu.cli import main


@pytest.fixture
def doctor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments, **variables):
        clean = dict.fromkeys(
            ("SPANNER_EMULATOR_HOST", "SPANEMU_ENDPOINT_FILE", "http_proxy", "https_proxy")
        )
        return CliRunner().invoke(main, ["doctor", *arguments], env=clean | variables)

    return run


def lines(result, word):
    return [line.strip() for line in result.output.splitlines() if word in line]


def test_a_sound_installation_has_no_problem(doctor):
    result = doctor()
    assert result.exit_code == 0
    assert lines(result, "spanemu 0")[0].startswith("ok")
    assert lines(result, "google-cloud-spanner")[0].startswith("ok")
    assert lines(result, "SPANNER_EMULATOR_HOST is not set")
    assert not lines(result, "FAIL")


def test_a_running_server_is_recognised(doctor):
    with spanemu.Emulator(embedded_channel=False) as emulator:
        result = doctor(SPANNER_EMULATOR_HOST=emulator.uri)
    assert result.exit_code == 0
    assert lines(result, f"spanemu answers gRPC at {emulator.uri}")


@pytest.mark.parametrize(
    ("variables", "word"),
    [
        ({"SPANNER_EMULATOR_HOST": "http://localhost:9010"}, "SPANNER_EMULATOR_HOST"),
        ({"SPANNER_EMULATOR_HOST": "localhost:1"}, "nothing answers"),
        ({"SPANNER_EMULATOR_HOST": "localhost:1"}, "spanemu serve --host-port localhost:1"),
        ({"SPANNER_EMULATR_HOST": "localhost:9010"}, "Did you mean SPANNER_EMULATOR_HOST?"),
        ({"SPANEMU_HOTS_PORT": "localhost:9010"}, "SPANEMU_HOST_PORT"),
        ({"SPANEMU_ENDPOINT_FILE": "missing.json"}, "missing.json"),
    ],
)
def test_a_problem_has_a_line_and_an_exit_code(doctor, variables, word):
    result = doctor(**variables)
    assert result.exit_code == 1
    assert any(line.startswith("FAIL") for line in lines(result, word))


def test_variables_of_kubernetes_are_left_alone(doctor):
    result = doctor(
        SPANEMU_SERVICE_HOST="10.0.0.1",
        SPANEMU_SERVICE_PORT_GRPC="9010",
        SPANEMU_PORT="tcp://10.0.0.1:9010",
        SPANEMU_PORT_9010_TCP="tcp://10.0.0.1:9010",
    )
    assert result.exit_code == 0
    assert not lines(result, "SPANEMU_")


def test_a_proxy_without_exception_is_noted(doctor):
    proxy = {"http_proxy": "http://proxy:3128", "no_proxy": ""}
    assert lines(doctor(**proxy), "no_proxy")[0].startswith("note")
    assert lines(doctor(**proxy | {"no_proxy": "localhost"}), "http_proxy")[0].startswith("ok")


def test_the_plugin_of_faker_is_noted_unless_it_is_off(doctor, tmp_path):
    (note,) = lines(doctor(), "no:faker")
    assert note.startswith("note")
    assert "0.09 to 0.35 s" in note
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:faker\n")
    assert not lines(doctor(), "no:faker")


def test_the_configuration_of_the_project_is_listed(doctor, tmp_path):
    assert lines(doctor(), "no settings")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\nspanner_schema = "schema.sql"\n[tool.spanemu.lint]\n'
    )
    (result,) = lines(doctor(), "pyproject.toml")
    assert "spanner_schema, [tool.spanemu.lint]" in result
