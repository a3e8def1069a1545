"""The image takes the command lines of Google's image, and tools find it ready."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tomllib

import pytest

import spanemu
from tests.container.image import DOCKERFILE, ROOT, Image
from tests.ports import free_port

IGNORED = DOCKERFILE.with_name("Dockerfile.dockerignore")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the image is a Linux image")

SINGERS = "CREATE TABLE Singers (Id INT64 NOT NULL) PRIMARY KEY (Id);"
ROW = "INSERT INTO Singers (Id) VALUES (1);"

# What waits for readiness, with the line that it waits for.
TESTCONTAINERS = {
    "java": r".*Cloud Spanner emulator running\..*",
    "go": r".*Cloud Spanner emulator running.*",
    "node": r".*Cloud Spanner emulator running\..*",
}
# What google-cloud-cpp's scripts expect before the host and after the program's name.
CPP_GATEWAY = ": gRPC server listening at localhost:"
CPP_EMULATOR = " Server address: "


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    return Image(tmp_path_factory.mktemp("root"))


def until(process, text):
    """Return the lines of a process up to one that contains a text."""
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if text in line:
            return lines
    raise AssertionError("\n".join(lines))


def stop(process):
    process.send_signal(signal.SIGTERM)
    rest = process.communicate(timeout=60)[0]
    return process.returncode, rest


@pytest.fixture(scope="module")
def gateway(image):
    """Yield the gateway as gcloud starts it, with an empty last argument, and its lines."""
    folder = image.root / "spanemu" / "init" / "music"
    folder.mkdir()
    (folder / "1.sql").write_text(SINGERS + ROW)
    flags = {"hostname": "localhost", "grpc_port": free_port(), "http_port": free_port()}
    command = [word for name, each in flags.items() for word in (f"--{name}", str(each))]
    process = image.run(
        ["./gateway_main", *command, ""], SPANEMU_PROJECT="p", SPANEMU_INSTANCE="ins"
    )
    try:
        yield flags, process, until(process, "Console at ")  # the last line
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("tool", TESTCONTAINERS)
def test_testcontainers_see_the_line_that_they_wait_for_once(gateway, tool):
    _, _, lines = gateway
    assert sum(re.fullmatch(TESTCONTAINERS[tool], line) is not None for line in lines) == 1


def test_scripts_find_the_ports_behind_the_name_of_the_program(gateway):
    flags, _, lines = gateway
    (line,) = (line for line in lines if CPP_GATEWAY in line)
    assert line.rpartition(":")[2] == str(flags["grpc_port"])
    assert line.partition(CPP_GATEWAY)[0]
    (line,) = (line for line in lines if ": REST server listening at localhost:" in line)
    assert line.rpartition(":")[2] == str(flags["http_port"])


def test_init_files_ran_before_the_readiness_line(gateway):
    flags, _, _ = gateway
    emulator = spanemu.Emulator.attach(
        f"localhost:{flags['grpc_port']}", project="p", instance="ins"
    )
    with emulator.database("music").client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT Id FROM Singers")) == [[1]]


def test_the_health_check_follows_the_server(image, gateway):
    _, process, _ = gateway
    program, *rest = image.health_check

    def health():
        return subprocess.run([image.which(program), *rest], cwd=image.root, env=image.environ)

    assert health().returncode == 0
    code, output = stop(process)
    assert (code, output) == (0, "")
    assert health().returncode == 1


def test_the_emulator_alone_prints_its_address(image):
    process = image.run(["./emulator_main", "--host_port", "localhost:0", "--nolog_requests"])
    lines = until(process, CPP_EMULATOR)
    assert re.fullmatch(r"localhost:\d+", lines[-1].partition(CPP_EMULATOR)[2])
    assert any("Cloud Spanner Emulator running." in line for line in lines)
    assert not any("REST" in line for line in lines)
    assert stop(process)[0] == 0


def test_an_image_is_used_as_googles_image(image):
    assert image.arguments("ENTRYPOINT") is None
    assert image.command == ["./gateway_main", "--hostname", "0.0.0.0"]
    assert image.arguments("EXPOSE") == "9010 9020"
    assert image.arguments("VOLUME") == "/data"
    assert image.arguments("STOPSIGNAL") == "SIGTERM"
    user = image.arguments("USER").split(":")[0]
    assert int(user) >= 10_000
    for name in ("gateway_main", "emulator_main"):
        assert (image.root / name).stat().st_mode & 0o111 == 0o111


def test_the_build_context_holds_only_the_files_of_the_image(image):
    ignored, *lines = [
        line
        for line in IGNORED.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    assert ignored == "*"
    with (ROOT / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file)
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    project = settings["project"]
    copied = [each for _, words in image.steps if "main" in words for each in words.split()[:-1]]
    needed = [*wheel, *project["license-files"], project["readme"], "pyproject.toml"]
    needed += [each for each in copied if each.startswith("docs/")]
    assert sorted(lines) == sorted(["**/__pycache__", *(f"!{path}" for path in needed)])
