"""An emulator begins with what another saved: resources, schema, rows, backups."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from google.cloud.spanner import KeySet
from google.cloud.spanner_admin_database_v1.types import Backup, BackupSchedule
from google.iam.v1 import policy_pb2

import spanemu
from spanemu.api.saving.directory import DirectoryInUse, InvalidState
from tests.unit.interchange.all_types import ROWS, SCHEMAS, rows

SCHEMA = """
CREATE TABLE T (A INT64, S STRING(MAX)) PRIMARY KEY (A);
CREATE QUEUE Q (K INT64 NOT NULL, Payload STRING(MAX) NOT NULL) PRIMARY KEY (K),
  OPTIONS (disable_send = true);
"""


def query(database, sql, **options):
    with database.client().snapshot(**options) as snapshot:
        return list(snapshot.execute_sql(sql))


def insert(transaction, statements):
    for statement in statements:
        transaction.execute_update(statement)


def filled(emulator, name="shop", schema="CREATE TABLE T (A INT64) PRIMARY KEY (A)"):
    database = emulator.create_database(name, schema)
    with database.client().batch() as batch:
        batch.insert("T", ["A"], [[1], [2]])
    return database


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_schema_and_rows_are_restored(tmp_path, dialect):
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        database = emulator.create_database("shop", SCHEMAS[dialect], dialect=dialect)
        database.client().run_in_transaction(insert, ROWS[dialect])
        expected = rows(database, dialect)
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        assert emulator.has_loaded
        assert rows(emulator.database("shop"), dialect) == expected
        ddl = emulator.database("shop").ddl()
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        assert emulator.database("shop").ddl() == ddl


def test_token_lists_are_restored(tmp_path):
    schema = (
        "CREATE TABLE T (A INT64, S STRING(MAX), "
        "W TOKENLIST AS (TOKENIZE_FULLTEXT(S)) STORED HIDDEN) PRIMARY KEY (A);"
        "CREATE SEARCH INDEX I ON T(W);"
    )
    sql = "SELECT A FROM T WHERE SEARCH(W, 'fox')"
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        database = emulator.create_database("shop", schema)
        with database.client().batch() as batch:
            batch.insert("T", ["A", "S"], [[1, "quick fox"], [2, "dog"]])
        assert query(database, sql) == [[1]]
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        assert query(emulator.database("shop"), sql) == [[1]]


def test_resources_are_restored(tmp_path):
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        database = filled(emulator)
        api = emulator.client().database_admin_api
        iam = policy_pb2.Policy(bindings=[{"role": "roles/viewer", "members": ["user:a@b.c"]}])
        api.set_iam_policy(request={"resource": database.name, "policy": iam})
        instance = emulator.client().instance("emulator-instance")
        instance.reload()
        instance.display_name, instance.labels, instance.node_count = "My shops", {"a": "b"}, 3
        instance.update().result()
        spec = {"cron_spec": {"text": "0 2 * * *"}}
        schedule = BackupSchedule(
            spec=spec, retention_duration=timedelta(days=2), full_backup_spec={}
        )
        api.create_backup_schedule(
            parent=database.name, backup_schedule=schedule, backup_schedule_id="daily"
        )
        expire = datetime.now(UTC) + timedelta(days=3)
        api.create_backup(
            parent=instance.name,
            backup_id="copy",
            backup=Backup(database=database.name, expire_time=expire),
        ).result()
        with database.client().batch() as batch:
            batch.delete("T", KeySet(all_=True))
        before = described(emulator)
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        assert described(emulator) == before
        assert query(emulator.database("shop"), "SELECT COUNT(*) FROM T") == [[0]]
        emulator.client().database_admin_api.restore_database(
            parent=instance.name, database_id="restored", backup=f"{instance.name}/backups/copy"
        ).result()
        assert query(emulator.database("restored"), "SELECT COUNT(*) FROM T") == [[2]]


def described(emulator):
    """Return the resources as clients see them."""
    instances = emulator.client().instance_admin_api
    api = emulator.client().database_admin_api
    instance = f"projects/{emulator.project}/instances/{emulator.instance}"
    database = f"{instance}/databases/shop"
    return [
        str(instances.get_instance(name=instance)),
        str(api.get_database(name=database)).replace("earliest_version_time", ""),
        str(list(api.list_backups(parent=instance))),
        str(list(api.list_backup_schedules(parent=database))),
        str(api.get_iam_policy(request={"resource": database})),
    ]


def test_messages_of_queues_are_restored(tmp_path):
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        database = emulator.create_database("shop", SCHEMA.replace("true", "false"))
        with database.client().batch() as batch:
            batch.insert("Q", ["K", "Payload"], [[1, "x"], [2, "y"]])
        database.apply_schema("ALTER QUEUE Q SET OPTIONS (disable_send = true)")
        ddl = database.ddl()
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        assert query(emulator.database("shop"), "SELECT K, Payload FROM Q") == [[1, "x"], [2, "y"]]
        assert emulator.database("shop").ddl() == ddl


def test_time_continues_and_stale_reads_see_the_rows(tmp_path):
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        database = filled(emulator)
        emulator.clock.advance(days=400)
        with database.client().batch() as batch:
            batch.insert("T", ["A"], [[3]])
        time = emulator.clock.now
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        assert emulator.clock.now >= time
        stale = query(
            emulator.database("shop"), "SELECT A FROM T", exact_staleness=timedelta(seconds=15)
        )
        assert stale == [[1], [2], [3]]


def test_a_save_on_request_has_the_commits_before_it(tmp_path):
    with spanemu.Emulator(data_dir=tmp_path / "data") as emulator:
        database = filled(emulator)
        folder = emulator.save()
        with database.client().batch() as batch:
            batch.insert("T", ["A"], [[3]])
        with spanemu.Emulator(import_from=tmp_path / "data") as copy:
            assert query(copy.database("shop"), "SELECT A FROM T") == [[1], [2]]
        assert folder != emulator.save()


def test_a_state_is_imported_into_an_empty_data_directory_only(tmp_path):
    with spanemu.Emulator(export_on_exit=tmp_path / "export") as emulator:
        filled(emulator, "exported")
        assert not emulator.has_loaded
    for _ in range(2):
        with (
            spanemu.Emulator(
                data_dir=tmp_path / "data", import_from=tmp_path / "export"
            ) as emulator,
            emulator.database("exported").client().batch() as batch,
        ):
            batch.insert_or_update("T", ["A"], [[3]])
    with spanemu.Emulator(data_dir=tmp_path / "data") as emulator:
        assert query(emulator.database("exported"), "SELECT A FROM T") == [[1], [2], [3]]


def test_a_directory_without_a_state_cannot_be_imported(tmp_path):
    with pytest.raises(InvalidState, match="no saved state"):
        spanemu.Emulator(import_from=tmp_path)


def test_an_emulator_without_a_data_directory_saves_nothing():
    with spanemu.Emulator() as emulator:
        for handle in (emulator, spanemu.Emulator.attach(emulator.uri)):
            with pytest.raises(ValueError, match="without a data directory"):
                handle.save()


def test_a_data_directory_is_free_after_close_and_after_a_failed_start(tmp_path):
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        with pytest.raises(DirectoryInUse):
            spanemu.Emulator(data_dir=tmp_path)
        taken = emulator.uri
        with pytest.raises(spanemu.PortTaken):
            spanemu.Emulator(data_dir=tmp_path / "other", host_port=taken)
    spanemu.Emulator(data_dir=tmp_path / "other").close()
    spanemu.Emulator(data_dir=tmp_path).close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": 99, "spanemu": "9.8.7"}, "format 99, of spanemu 9.8.7"),
        ({"catalog": {}}, "not the state of an emulator"),
        ({"catalog": None}, "not the state of an emulator"),
    ],
)
def test_a_state_of_another_version_is_refused_and_kept(tmp_path, change, words):
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        filled(emulator)
    (state,) = tmp_path.glob("state-*/state.json")
    state.write_text(json.dumps(json.loads(state.read_text()) | change))
    text = state.read_text()
    with pytest.raises(InvalidState, match=words):
        spanemu.Emulator(data_dir=tmp_path)
    assert state.read_text() == text


def test_a_state_with_an_invalid_row_is_refused(tmp_path):
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        filled(emulator)
    (file,) = tmp_path.glob("state-*/*/T.jsonl")
    file.write_text('{"A": "one"}\n')
    with pytest.raises(InvalidState, match=r"T\.jsonl"):
        spanemu.Emulator(data_dir=tmp_path)
