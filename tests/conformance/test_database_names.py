"""The name in ALTER DATABASE: replaced in schema sources, refused if it is another database's."""

from __future__ import annotations

import pytest
from google.api_core import exceptions

from tests.conformance.running import RUNNING

TABLE = "CREATE TABLE T (K INT64) PRIMARY KEY (K)"


def altering(name, option="optimizer_version = 3"):
    return f"ALTER DATABASE {name} SET OPTIONS ({option})"


def altered(home, option):
    """Return whether the database prints the option, under the name of the database itself."""
    names = home.database_id, f"`{home.database_id}`"
    return any(altering(name, option) in home.ddl() for name in names)


@pytest.fixture(scope="module", params=RUNNING)
def emulator(request):
    with RUNNING[request.param]() as running:
        yield running


@pytest.mark.parametrize("database_id", ["plain", "with-hyphen"])
def test_a_schema_file_serves_databases_of_any_name(emulator, database_id, tmp_path):
    file = tmp_path / "schema.sql"
    file.write_text(f"-- shared\n{altering('`prod-db`')};\n{TABLE};\n")
    home = emulator.create_database(database_id, schema=file)
    assert altered(home, "optimizer_version = 3")
    home.apply_schema(altering("/* shared */ prod", "optimizer_version = 5"))
    assert altered(home, "optimizer_version = 5")
    home.drop()


def test_clients_alter_no_other_database_of_the_instance(emulator):
    home = emulator.create_database("named-db", schema=TABLE)
    other = emulator.create_database("other-db")
    client = home.client()
    with pytest.raises(exceptions.InvalidArgument, match="other-db"):
        client.update_ddl([altering("`other-db`"), "DROP TABLE T"])
    assert home.ddl() == ["CREATE TABLE T (\n  K INT64,\n) PRIMARY KEY(K)"]
    assert other.ddl() == []
    client.update_ddl([altering("`named-db`")]).result()
    assert altered(home, "optimizer_version = 3")


def test_clients_may_name_a_database_that_the_instance_does_not_have(emulator):
    home = emulator.create_database("generated-name")
    home.client().update_ddl([altering("`production`")]).result()
    assert altered(home, "optimizer_version = 3")


def test_a_database_is_not_created_with_the_options_of_another(emulator):
    parent = emulator.create_database("sibling").name.partition("/databases/")[0]
    api = emulator.client().database_admin_api
    request = {"parent": parent, "create_statement": "CREATE DATABASE fresh"}
    with pytest.raises(exceptions.InvalidArgument, match="sibling"):
        api.create_database(request=request | {"extra_statements": [altering("sibling")]})
    api.create_database(request=request | {"extra_statements": [altering("fresh")]}).result()
    assert altered(emulator.database("fresh"), "optimizer_version = 3")
