"""A damaged state is refused by the name of the file and stays as it is, or loads whole."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from google.cloud.spanner_admin_database_v1.types import Backup

import spanemu
from spanemu.api.saving.directory import UnusableState
from spanemu.api.saving.state import FORMAT
from spanemu.interchange.inventory import INVENTORY
from tests.unit.interchange.damage import DAMAGES

SCHEMA = """
CREATE SEQUENCE Numbers OPTIONS (sequence_kind = 'bit_reversed_positive');
CREATE TABLE T (A INT64, S STRING(MAX)) PRIMARY KEY (A);
CREATE TABLE U (A INT64, B INT64 DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE Numbers)),
  CONSTRAINT OfT FOREIGN KEY (A) REFERENCES T (A)) PRIMARY KEY (A);
CREATE CHANGE STREAM Changes FOR ALL;
CREATE TABLE Nothing (A INT64) PRIMARY KEY (A);
"""
SEQUENCE = "SELECT GET_INTERNAL_SEQUENCE_STATE(SEQUENCE Numbers)"


def start(directory, **options):
    return spanemu.Emulator(data_dir=directory, gc_freeze=False, **options)


def content(emulator):
    """Return what a client reads of the only database, its sequence and the only backup."""
    database = emulator.database("shop")
    with database.client().snapshot(multi_use=True) as snapshot:
        tables = ("T", "U", "Nothing")
        rows = [list(snapshot.execute_sql(f"SELECT * FROM {table}")) for table in tables]
        (sequence,) = snapshot.execute_sql(SEQUENCE)
    api = emulator.client().database_admin_api
    instance = f"projects/{emulator.project}/instances/{emulator.instance}"
    backups = [backup.name for backup in api.list_backups(parent=instance)]
    return [line.split("(")[0] for line in database.ddl()], rows, sequence[0] is None, backups


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a data directory, and the content that it has."""
    directory = tmp_path_factory.mktemp("data")
    with start(directory) as emulator:
        database = emulator.create_database("shop", SCHEMA)
        with database.client().batch() as batch:
            batch.insert("T", ["A", "S"], [[1, "x"], [2, None]])
            batch.insert("U", ["A"], [[1]])
        expire = datetime.now(UTC) + timedelta(days=3)
        emulator.client().database_admin_api.create_backup(
            parent=f"projects/{emulator.project}/instances/{emulator.instance}",
            backup_id="copy",
            backup=Backup(database=database.name, expire_time=expire),
        ).result()
        with database.client().batch() as batch:
            batch.insert("T", ["A", "S"], [[3, "y"]])
    with start(directory, import_from=None) as emulator:
        expected = content(emulator)
    return directory, expected


@pytest.fixture
def copy(saved, tmp_path):
    return shutil.copytree(saved[0], tmp_path / "data")


def state_of(directory):
    (state,) = directory.glob("state-*")
    return state


def files(directory):
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_the_state_has_the_files_that_are_damaged_below(copy):
    names = {path.name for path in state_of(copy).rglob("*") if path.is_file()}
    rows = {"T.jsonl", "U.jsonl", "Nothing.jsonl"}
    assert names == {
        INVENTORY, "state.json", "manifest.json", "schema.sql", "schema-after.sql", *rows
    }  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_file_is_refused_by_its_name_or_loads_whole(saved, tmp_path, damage):
    directory, expected = saved
    breaches = []
    for name in files(directory):
        copied = shutil.copytree(directory, tmp_path / "data")
        done = damage(copied / name)
        before = files(copied)
        try:
            emulator = start(copied)
        except (UnusableState, OSError) as refusal:
            if name not in str(refusal):
                breaches.append((name, done, str(refusal)))
            if files(copied) != before:
                breaches.append((name, done, "the state is changed"))
        else:
            if content(emulator) != expected:
                breaches.append((name, done, "is loaded in part"))
            emulator.close()
        shutil.rmtree(copied)
    assert not breaches


@pytest.mark.parametrize("name", ["database-0001", "backup-0001"])
def test_a_missing_folder_is_refused(copy, name):
    shutil.rmtree(state_of(copy) / name)
    with pytest.raises(UnusableState, match=f"{name}.{INVENTORY} is missing"):
        start(copy)


def test_contents_that_are_swapped_are_refused(copy):
    state = state_of(copy)
    (state / "database-0001").rename(state / "other")
    (state / "backup-0001").rename(state / "database-0001")
    (state / "other").rename(state / "backup-0001")
    with pytest.raises(UnusableState, match=f"{INVENTORY} is damaged"):
        start(copy)


def test_a_state_that_is_a_file_is_not_taken_for_no_state(tmp_path):
    (tmp_path / "state-000001").write_text("")
    with pytest.raises((UnusableState, OSError), match="state-000001"):
        start(tmp_path)


def test_a_state_of_an_earlier_version_is_refused_with_instructions(copy, tmp_path):
    # In its form: no inventories.
    state = state_of(copy)
    for inventory in state.rglob(INVENTORY):
        inventory.unlink()
    path = state / "state.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": FORMAT - 1}))
    with pytest.raises(
        UnusableState, match=rf"format {FORMAT - 1}, .*`spanemu load NAME \S+ --create`"
    ):
        start(copy)
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("shop")
        assert database.load(state / "database-0001") == 4


def test_an_edited_state_loads_on_request(copy):
    path = state_of(copy) / "database-0001" / "T.jsonl"
    path.write_text(path.read_text() + '{"A": 4, "S": "by hand"}\n')
    with pytest.raises(UnusableState, match=r"T\.jsonl .*--edited"):
        start(copy)
    with start(copy, edited=True) as emulator:
        assert len(content(emulator)[1][0]) == 4
    with start(copy) as emulator:
        assert len(content(emulator)[1][0]) == 4


def test_a_damaged_import_is_refused(copy, tmp_path):
    (state_of(copy) / "database-0001" / "Nothing.jsonl").unlink()
    with pytest.raises(UnusableState, match=r"Nothing\.jsonl is missing"):
        spanemu.Emulator(import_from=copy)
    with spanemu.Emulator(import_from=copy, edited=True) as emulator:
        assert emulator.has_loaded
