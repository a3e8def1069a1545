"""The pages about containers and their files: typed on an engine, or on a stand-in for one."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

from spanemu.cli.serve import serve
from tests.container.engine import provide_docker
from tests.container.image import DOCKERFILE, ROOT, Image
from tests.installed import needs
from tests.pages.blocks import DOCS, Block, blocks
from tests.pages.walkthrough import FOR_REAL, Walkthrough, in_time

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the image is a Linux image"),
    in_time,
]

WORKFLOW = DOCKERFILE.with_name("github-actions.yml")
COMPOSE = DOCKERFILE.with_name("compose.yaml")
PUSHES = {"docker tag": "needs a registry"}
JAVA = {"DockerImageName": "needs Testcontainers"}
SCHEMA = "-- schema.sql\nCREATE TABLE Orders (OrderId STRING(36)) PRIMARY KEY (OrderId);\n"
READS = """\
# read.py
import os

from google.cloud.spanner import Client

instance = Client().instance(os.environ["SPANNER_INSTANCE_ID"])
with instance.database(os.environ["SPANNER_DATABASE_ID"]).snapshot() as snapshot:
    print("orders:", snapshot.execute_sql("SELECT COUNT(*) FROM Orders").one()[0])
"""


@pytest.fixture
def walk(tmp_path):
    """Return a walk at the top of the repository, whose `docker` runs the image as a folder."""
    walk = Walkthrough(tmp_path)
    if not FOR_REAL:
        (tmp_path / "root").mkdir()
        provide_docker(Image(tmp_path / "root"), walk.commands)
    elif not has_engine():
        pytest.skip("no container engine runs here")
    else:
        build = ["docker", "build", "-q", "-f", DOCKERFILE, "-t", "spanemu", ROOT]
        subprocess.run(build, check=True)
    return walk


def has_engine():
    return (
        shutil.which("docker") is not None
        and not subprocess.run(["docker", "info"], capture_output=True, check=False).returncode
    )


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_page_on_containers(walk):
    copied = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "tests")
    shutil.copytree(ROOT, walk.folder, ignore=copied, dirs_exist_ok=True)
    printed = walk.follow(blocks(DOCS / "how-to" / "container.md"), shown=PUSHES | JAVA)
    assert re.search(r"a\s.*500", printed)


def test_the_workflow_applies_a_schema_and_its_variables_reach_the_database(walk):
    workflow = read(WORKFLOW)
    job = workflow["jobs"]["test"]
    (service,) = job["services"].values()
    (apply,) = (step["run"] for step in job["steps"] if "schema.sql" in step.get("run", ""))
    variables = [f"-e {shlex.quote(f'{k}={v}')}" for k, v in service["env"].items()]
    ports = [f"-p {each}" for each in service["ports"]]
    image = "spanemu"  # that of the registry, under its local name
    script = f"""\
docker run --detach --rm --name spanner {" ".join([*ports, *variables])} {image}
docker exec spanner spanemu health --wait 60
{re.sub("[$]{{.*?}}", "spanner", apply)}
export {exports(workflow["env"])}
python3 -m venv .venv && .venv/bin/pip install -q spanemu
.venv/bin/python read.py
docker stop spanner
"""
    assert "orders: 0" in walk.follow(files_and(script))


def test_the_job_without_an_image_starts_a_server_with_the_schema(walk):
    workflow = read(WORKFLOW)
    steps = [step["run"] for step in workflow["jobs"]["without-image"]["steps"] if "run" in step]
    installs, starts, _ = steps
    script = f"""\
python3 -m venv .venv && export PATH=$PWD/.venv/bin:$PATH
{installs}
{starts}
export {exports(workflow["env"])}
python read.py
"""
    assert "orders: 0" in walk.follow(files_and(script))


def files_and(script):
    """Return blocks that save a schema and a program that reads, and then run a script."""
    texts = ("", SCHEMA), ("", READS), ("sh", script)
    return [Block(language, text, WORKFLOW.name, "") for language, text in texts]


def exports(variables):
    return " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())


@pytest.mark.parametrize(
    ("path", "schema"), [(WORKFLOW, "github-workflows"), (COMPOSE, "compose-spec")],
    ids=["github-actions.yml", "compose.yaml"],
)  # fmt: skip
def test_init_files_match_their_schemas(path, schema):
    assert check(path, schema) == ""


def test_the_workflow_of_continuous_integration_follows_its_schema(tmp_path):
    (workflow,) = (block for block in blocks(DOCS / "how-to" / "ci.md") if block.language == "yaml")
    path = tmp_path / "test.yml"
    path.write_text(workflow.text)
    assert check(path, "github-workflows") == ""


def check(path, schema):
    """Return what the published schema of a kind of file says against one."""
    needs("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    ran = subprocess.run([*command, path], capture_output=True, text=True, check=False)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


@pytest.mark.parametrize("path", [WORKFLOW, COMPOSE], ids=lambda path: path.name)
def test_variables_of_the_files_are_those_of_the_server(path):
    known = {name for option in serve.params for name in variables_of(option)}
    used = set(re.findall(r"\bSPANEMU_\w+(?=:)", path.read_text(encoding="utf-8")))
    assert used
    assert used <= known


def variables_of(option):
    given = option.envvar or ()
    return (given,) if isinstance(given, str) else given
