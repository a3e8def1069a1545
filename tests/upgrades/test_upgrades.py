"""What an earlier version has written is read, or refused by the number of its format."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import spanemu
from pytest_spanemu.databases.template_cache import Image, TemplateCache
from pytest_spanemu.kept_facts import read_facts
from spanemu.api.saving.directory import UnusableState
from spanemu.api.saving.state import FORMAT as STATE_FORMAT
from spanemu.cli.commands import main as spanemu_command
from spanemu.interchange.inventory import INVENTORY
from spanemu.lint.baseline import BadBaseline, without_known
from spanemu.lint.run import Report
from tests.upgrades import kept

of_each_version = pytest.mark.parametrize("folder", kept.versions(), ids=lambda path: path.name)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """Return a copy of what a version has written."""
    return shutil.copytree(folder, tmp_path / "copy")


def expected(folder: Path) -> dict[str, list[list[list[object]]]]:
    answers: dict[str, list[list[list[object]]]] = json.loads(
        (folder / kept.EXPECTED).read_text("utf-8")
    )
    return answers


def state_of(folder: Path) -> Path:
    (state,) = (folder / kept.DATA_DIR).glob("state-*/state.json")
    return state


def start(folder: Path) -> spanemu.Emulator:
    """Return an emulator that loads the state, at a time at which the backup exists."""
    return spanemu.Emulator(data_dir=folder / kept.DATA_DIR, start_time=kept.START)


def test_files_of_this_version_are_kept() -> None:
    assert spanemu.__version__ in [path.name for path in kept.versions()]


@of_each_version
def test_a_data_directory_is_read_or_refused(folder: Path, copy: Path) -> None:
    written = json.loads(state_of(copy).read_text("utf-8"))["format"]
    if written != STATE_FORMAT:
        with pytest.raises(UnusableState, match=rf"format {written}\b"):
            start(copy)
        return
    with start(copy) as emulator:
        assert emulator.has_loaded
        assert {name: kept.answers(emulator, name) for name in kept.DATABASES} == expected(folder)
        api, parent = emulator.client().database_admin_api, emulator.database("google").name
        instance = parent.partition("/databases/")[0]
        backup = f"{instance}/backups/{kept.BACKUP}"
        api.restore_database(parent=instance, database_id="again", backup=backup).result()
        assert kept.answers(emulator, "google", "again") == expected(folder)["google"]


@of_each_version
@pytest.mark.parametrize("form", kept.DUMPS)
def test_a_dump_is_read(folder: Path, form: str) -> None:
    with spanemu.Emulator() as emulator:
        emulator.create_database("google").load(folder / kept.DUMPS[form])
        assert kept.answers(emulator, "google") == expected(folder)["google"]


@of_each_version
def test_facts_of_tests_are_read(folder: Path) -> None:
    assert read_facts(folder / kept.COUNTS) == kept.FACTS
    assert read_facts(folder / kept.VALIDATED) == kept.PASSED


@of_each_version
def test_a_template_is_read_or_built_anew(folder: Path) -> None:
    image = TemplateCache(folder / kept.TEMPLATES, folder).load(kept.TEMPLATE_KEY)
    assert image is None or isinstance(image, Image)
    if folder.name == spanemu.__version__:
        assert image is not None


@of_each_version
def test_a_baseline_is_read(folder: Path, tmp_path: Path) -> None:
    schema = tmp_path / "schema.sql"
    schema.write_text(kept.HOT, encoding="utf-8")
    lint = ["lint", str(schema)]
    assert CliRunner().invoke(spanemu_command, lint).exit_code == 1
    accepted = [*lint, "--baseline", str(folder / kept.BASELINE)]
    assert CliRunner().invoke(spanemu_command, accepted).exit_code == 0


# ---------------------------------------------------------------------- a later format


@of_each_version
def test_the_state_of_a_later_version_is_refused_by_its_format(copy: Path) -> None:
    path = state_of(copy)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"format": 99}))
    with pytest.raises(UnusableState, match="format 99"):
        start(copy)


@of_each_version
@pytest.mark.parametrize("form", kept.DUMPS)
def test_the_dump_of_a_later_version_is_refused_by_its_format(copy: Path, form: str) -> None:
    dump = copy / kept.DUMPS[form]
    path = dump / INVENTORY if dump.is_dir() else dump
    text = re.sub(r'("format": |, format )\d+', r"\g<1>99", path.read_text("utf-8"), count=1)
    path.write_text(text, encoding="utf-8")
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("google")
        with pytest.raises(ValueError, match="format 99"):
            database.load(dump)
        assert database.ddl() == []


@of_each_version
def test_facts_of_a_later_version_are_refused_by_their_format(copy: Path) -> None:
    path = copy / kept.COUNTS
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"format": 99}))
    with pytest.raises(pytest.UsageError, match="format 99"):
        read_facts(path)


@of_each_version
def test_the_baseline_of_a_later_version_is_refused_by_its_version(copy: Path) -> None:
    path = copy / kept.BASELINE
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"version": 99}))
    with pytest.raises(BadBaseline, match="version 99"):
        without_known(Report(), path)


@of_each_version
def test_the_template_of_a_later_version_is_built_anew(copy: Path) -> None:
    (path,) = (copy / kept.TEMPLATES).iterdir()
    path.write_bytes(path.read_bytes().replace(b"format 1", b"format 99", 1))
    assert TemplateCache(path.parent, copy).load(kept.TEMPLATE_KEY) is None
