"""A damaged dump is refused by the name of the file and changes nothing, or loads whole."""

from __future__ import annotations

import json
import shutil

import pytest

from spanemu.interchange.errors import InvalidDump
from spanemu.interchange.inventory import inventory_text
from tests.unit.interchange.damage import DAMAGES

FORMATS = ["sql", "jsonl", "csv", "avro"]
SCHEMAS = {
    "googlesql": """
        CREATE TABLE Singers (Id INT64 NOT NULL, Name STRING(MAX)) PRIMARY KEY (Id);
        CREATE TABLE Albums (Id INT64 NOT NULL, Singer INT64,
          CONSTRAINT BySinger FOREIGN KEY (Singer) REFERENCES Singers (Id)) PRIMARY KEY (Id);
        CREATE TABLE Nothing (Id INT64 NOT NULL) PRIMARY KEY (Id)""",
    "postgresql": """
        CREATE TABLE singers (id bigint PRIMARY KEY, name text);
        CREATE TABLE albums (id bigint PRIMARY KEY, singer bigint,
          CONSTRAINT bysinger FOREIGN KEY (singer) REFERENCES singers (id));
        CREATE TABLE nothing (id bigint PRIMARY KEY)""",
}
SINGERS = [[1, "Ann"], [2, None], [3, "Zoë\n;"]]
ALBUMS = [[7, 1], [8, None]]


def content(database):
    with database.client().snapshot(multi_use=True) as snapshot:
        queries = [
            f"SELECT * FROM {table} ORDER BY 1" for table in ("Singers", "Albums", "Nothing")
        ]
        return database.ddl(), [list(snapshot.execute_sql(query)) for query in queries]


@pytest.fixture(scope="module", params=sorted(SCHEMAS))
def original(request, databases):
    database = databases.new(request.param, SCHEMAS[request.param])
    with database.client().batch() as batch:
        batch.insert("Singers", ["Id", "Name"], SINGERS)
        batch.insert("Albums", ["Id", "Singer"], ALBUMS)
    return database


@pytest.fixture(scope="module", params=FORMATS)
def dump(request, original, tmp_path_factory):
    """Return the folder with the files of a dump; SQL has a single file."""
    folder = tmp_path_factory.mktemp(request.param)
    path = folder / "dump.sql" if request.param == "sql" else folder
    original.dump(path, format=request.param)
    return folder


def source(folder):
    return folder / "dump.sql" if (folder / "dump.sql").exists() else folder


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_each_damage_to_each_file_is_refused_by_its_name_or_loads_whole(
    databases, original, dump, tmp_path
):
    expected, empty, breaches = content(original), databases.new(original.dialect), []
    for name in files(dump):
        for damage in DAMAGES:
            folder = shutil.copytree(dump, tmp_path / "copy")
            done = damage(folder / name)
            target = folder / "dump.sql" if name == "dump.sql" else source(folder)
            try:
                empty.load(target)
            except ValueError as refusal:
                if name not in str(refusal):
                    breaches.append((name, done, str(refusal)))
            else:
                if content(empty) != expected:
                    breaches.append((name, done, "is loaded in part"))
                empty.drop()
                empty = databases.new(original.dialect)
            if empty.ddl():
                breaches.append((name, done, "leaves something behind"))
            shutil.rmtree(folder)
    assert not breaches


@pytest.fixture
def copy(dump, tmp_path):
    return shutil.copytree(dump, tmp_path / "copy")


@pytest.fixture
def jsonl(original, tmp_path):
    original.dump(tmp_path / "jsonl", format="jsonl")
    return tmp_path / "jsonl"


def rows_file(folder):
    (path,) = (each for each in folder.iterdir() if each.name.lower().startswith("singers.json"))
    return path


def test_an_intact_dump_loads_whole(databases, original, copy):
    database = databases.new(original.dialect)
    database.load(source(copy))
    assert content(database) == content(original)


def test_the_inventory_lists_every_other_file(copy):
    if (copy / "spanemu.json").exists():
        listed = json.loads((copy / "spanemu.json").read_text())["files"]
        assert {*listed, "spanemu.json"} == set(files(copy))


def test_manifests_have_the_fields_of_spanners_import_and_no_others(original, tmp_path):
    # Spanner reads its messages ImportManifest, Export and TableManifest strictly.
    original.dump(tmp_path / "csv", format="csv")
    manifest = json.loads((tmp_path / "csv" / "manifest.json").read_text())
    assert set(manifest) == {"tables", "dialect"}
    assert {name for table in manifest["tables"] for name in table} == {
        "table_name", "file_patterns", "columns"
    }  # fmt: skip
    columns = [column for table in manifest["tables"] for column in table["columns"]]
    assert {name for column in columns for name in column} == {"column_name", "type_name"}
    original.dump(tmp_path / "avro", format="avro")
    export = json.loads((tmp_path / "avro" / "spanner-export.json").read_text())
    assert set(export) <= {"tables", "databaseOptions", "dialect"}
    for table in export["tables"]:
        assert set(table) == {"name", "manifestFile"}
        files = json.loads((tmp_path / "avro" / table["manifestFile"]).read_text())
        assert set(files) == {"files"}
        assert all(set(file) == {"name", "md5"} for file in files["files"])


def test_a_dump_without_its_inventory_loads_as_files_of_other_tools(databases, original, copy):
    (copy / "spanemu.json").unlink(missing_ok=True)
    database = databases.new(original.dialect)
    database.load(source(copy))
    assert content(database) == content(original)


def test_files_that_are_swapped_are_refused(databases, original, jsonl):
    first, two = (path for path in sorted(jsonl.glob("*.jsonl"))[:2])
    first.rename(jsonl / "other")
    two.rename(first)
    (jsonl / "other").rename(two)
    with pytest.raises(ValueError, match=r"\.jsonl is damaged"):
        databases.new(original.dialect).load(jsonl)


def test_a_renamed_file_is_missing(databases, original, jsonl):
    path = rows_file(jsonl)
    path.rename(jsonl / "Renamed.jsonl")
    with pytest.raises(ValueError, match=f"{path.name} is missing"):
        databases.new(original.dialect).load(jsonl)


def test_other_files_beside_a_dump_are_ignored(databases, original, jsonl):
    for name in ("README.md", ".DS_Store", "Others.jsonl"):
        (jsonl / name).write_text("not a row")
    database = databases.new(original.dialect)
    database.load(jsonl)
    assert content(database) == content(original)


def test_a_schema_beside_a_dump_of_rows_is_not_taken_for_its_schema(databases, original, jsonl):
    original.dump(jsonl, format="jsonl", schema=False)
    (jsonl / "schema.sql").write_text("CREATE TABLE Nobody (Id INT64) PRIMARY KEY (Id)")
    with pytest.raises(ValueError, match=r"schema\.sql is not a part of the dump"):
        databases.new(original.dialect).load(jsonl)


def test_a_link_to_the_file_is_the_file(databases, original, jsonl, tmp_path):
    path = rows_file(jsonl)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    database = databases.new(original.dialect)
    database.load(jsonl)
    assert content(database) == content(original)


def test_a_dump_replaces_an_earlier_dump_in_its_folder(original, jsonl):
    assert (jsonl / "schema.sql").exists()
    (jsonl / "mine.txt").write_text("not of a dump")
    original.dump(jsonl, format="csv", schema=False)
    suffixes = {path.suffix for path in jsonl.iterdir()}
    assert suffixes == {".csv", ".json", ".txt"}


def content_of(inventory):
    return {
        name: value for name, value in json.loads(inventory.read_text()).items() if name != "sha256"
    }


def test_an_earlier_inventory_deletes_nothing_outside_of_the_folder(original, jsonl, tmp_path):
    (tmp_path / "precious").write_text("")
    inventory = jsonl / "spanemu.json"
    plain = content_of(inventory)
    facts = {"bytes": 0, "sha256": ""}
    plain["files"] |= {"../precious": facts, str(tmp_path / "precious"): facts}
    inventory.write_text(inventory_text(plain))
    original.dump(jsonl, format="jsonl")
    assert (tmp_path / "precious").exists()


def test_a_dump_that_was_interrupted_is_refused(databases, original, tmp_path, monkeypatch):
    # A second dump into the same folder is refused as well, if it replaced only some files.

    def fail(*_arguments):
        raise OSError("the disk is full")

    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr("spanemu.interchange.folder._entry", fail)
            with pytest.raises(ValueError, match="the disk is full"):
                original.dump(tmp_path / "dump", format="jsonl")
        database = databases.new(original.dialect)
        with pytest.raises(ValueError, match=r"spanemu\.json says that the dump was interrupted"):
            database.load(tmp_path / "dump")
        assert not database.ddl()
        original.dump(tmp_path / "dump", format="jsonl")


def test_the_format_of_a_later_version_is_refused(databases, original, jsonl):
    inventory = jsonl / "spanemu.json"
    inventory.write_text(json.dumps(json.loads(inventory.read_text()) | {"format": 99}))
    with pytest.raises(InvalidDump, match=r"spanemu\.json has format 99"):
        databases.new(original.dialect).load(jsonl)
    text = original.dump().sql.replace("format 1", "format 99")
    with pytest.raises(InvalidDump, match="sql has format 99"):
        databases.new(original.dialect).load(sql=text)


def test_edited_files_load_on_request(databases, original, jsonl):
    rows_file(jsonl).write_text("")
    with pytest.raises(ValueError, match="--edited"):
        databases.new(original.dialect).load(jsonl)
    database = databases.new(original.dialect)
    for path in jsonl.glob("schema-after.sql"):
        path.write_text("")
    assert database.load(jsonl, edited=True) == len(ALBUMS)


def test_a_manifest_by_hand_names_files_that_exist(databases, original, jsonl):
    (jsonl / "schema-after.sql").write_text("")
    for path in jsonl.glob("*lbums.jsonl"):
        path.write_text("")
    (jsonl / "spanemu.json").unlink()
    path = rows_file(jsonl)
    path.unlink()
    with pytest.raises(ValueError, match=f"{path.name} is missing"):
        databases.new(original.dialect).load(jsonl)
    assert databases.new(original.dialect).load(jsonl, edited=True) == 0


def test_a_file_with_another_number_of_rows_is_refused(databases, original, jsonl):
    inventory = jsonl / "spanemu.json"
    plain = content_of(inventory)
    plain["files"][rows_file(jsonl).name]["rows"] += 1
    inventory.write_text(inventory_text(plain))
    with pytest.raises(ValueError, match="3 rows read, 4 written"):
        databases.new(original.dialect).load(jsonl)


def test_damage_to_an_export_of_spanner_is_found_by_its_md5(databases, original, tmp_path):
    # It has no inventory. The last table is damaged, and no row of the others is loaded.
    original.dump(tmp_path / "export", format="avro")
    (tmp_path / "export" / "spanemu.json").unlink()
    for damage in DAMAGES:
        folder = shutil.copytree(tmp_path / "export", tmp_path / "copy")
        (path,) = (each for each in folder.glob("*othing.avro*"))
        done = damage(path)
        database = databases.new(original.dialect)
        with pytest.raises(ValueError, match=path.name):
            pytest.fail(f"{done}: {database.load(folder)} rows are loaded")
        assert not database.ddl()
        shutil.rmtree(folder)


# ------------------------------------------------------------------ SQL


def test_edited_sql_loads_on_request(databases, original):
    text = original.dump(rows=False).sql.replace("othing", "obody")
    database = databases.new(original.dialect)
    with pytest.raises(ValueError, match="sql is damaged"):
        database.load(sql=text)
    assert not database.ddl()
    database.load(sql=text, edited=True)
    assert len(database.ddl()) >= len(SCHEMAS)


def test_sql_with_other_line_ends_is_not_damaged(databases, original):
    database = databases.new(original.dialect)
    database.load(sql="\ufeff" + original.dump().sql.replace("\n", "\r\n"))
    assert content(database) == content(original)


def test_several_dumps_in_a_file_load(databases, original):
    schema, rows = (
        original.dump(rows=False).sql,
        original.dump(schema=False, tables=["Singers"]).sql,
    )
    database = databases.new(original.dialect)
    assert database.load(sql=f"-- by hand\n{schema}\n{rows}\n-- the end") == len(SINGERS)
    with pytest.raises(ValueError, match="does not end"):
        databases.new(original.dialect).load(sql=schema.rsplit("\n", 2)[0] + "\n" + rows)


def test_a_literal_may_have_lines_like_the_comments_of_a_dump(databases, original):
    lines = "\n-- Dump of spanemu, format 1, dialect POSTGRESQL\n-- End of the dump, SHA-256 0\n"
    quotes = "'" if original.dialect == "postgresql" else "'''"
    query = f"SELECT {quotes}{lines}{quotes} AS text"
    source, database = databases.new(original.dialect), databases.new(original.dialect)
    source.apply_schema(f"CREATE VIEW Lines SQL SECURITY INVOKER AS {query}")
    database.load(sql=source.dump().sql)
    assert database.ddl() == source.ddl()


def test_sql_by_hand_loads(databases, original):
    database = databases.new(original.dialect)
    database.load(sql=SCHEMAS[original.dialect])
    assert [line.split("(")[0] for line in database.ddl()] == [
        line.split("(")[0] for line in original.ddl()
    ]
