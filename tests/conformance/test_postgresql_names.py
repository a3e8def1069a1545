"""Which names of a PostgreSQL database are found in any letter case, and types in messages."""

import pytest
from google.api_core import exceptions

import spanemu
from tests.conformance.backends import says

SCHEMA = """
CREATE SCHEMA ns;
CREATE SCHEMA "Cap";
CREATE TABLE t (id bigint PRIMARY KEY, "Name" varchar, col bigint, j jsonb, n numeric,
  CONSTRAINT low CHECK (col > 0), CONSTRAINT "High" CHECK (col < 100));
CREATE TABLE c (id bigint PRIMARY KEY, tid bigint,
  CONSTRAINT fk FOREIGN KEY (tid) REFERENCES t (id));
CREATE TABLE timed (id bigint PRIMARY KEY, at timestamptz) TTL INTERVAL '3 DAYS' ON at;
CREATE INDEX idx ON t (id);
CREATE SEQUENCE seq BIT_REVERSED_POSITIVE;
CREATE SEQUENCE "Seq2" BIT_REVERSED_POSITIVE;
CREATE CHANGE STREAM cs FOR c;
CREATE CHANGE STREAM "Cs2" FOR c;
CREATE VIEW vw SQL SECURITY INVOKER AS SELECT t.id FROM t;
"""


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as running:
        running.create_instance()
        yield running


@pytest.fixture
def database(emulator, request):
    handle = emulator.create_database(
        f"d{abs(hash(request.node.name)) % 10**9}", SCHEMA, dialect="postgresql"
    )
    yield handle.client()
    handle.drop()


@pytest.mark.parametrize(
    "ddl",
    [
        "ALTER TABLE t DROP CONSTRAINT LOW",
        'ALTER TABLE t DROP CONSTRAINT "LOW"',
        "ALTER TABLE t DROP CONSTRAINT high",
        'ALTER TABLE c DROP CONSTRAINT "FK"',
        "ALTER TABLE t DROP COLUMN name",
        'ALTER TABLE t DROP COLUMN "NAME"',
        "ALTER TABLE t ALTER COLUMN name TYPE varchar(20)",
        "ALTER TABLE t ALTER COLUMN name SET DEFAULT 'x'",
        'ALTER TABLE t ALTER COLUMN "COL" DROP DEFAULT',
        'ALTER TABLE t ALTER COLUMN "COL" SET NOT NULL',
        "ALTER TABLE timed ALTER TTL INTERVAL '4 DAYS' ON \"AT\"",
        'ALTER SEQUENCE "SEQ" SKIP RANGE 1 10',
        "ALTER SEQUENCE seq2 RESTART COUNTER 5",
        'DROP SEQUENCE "SEQ"',
        "DROP SEQUENCE seq2",
        'ALTER CHANGE STREAM "CS" SET FOR ALL',
        "ALTER CHANGE STREAM cs2 SET FOR ALL",
        'DROP CHANGE STREAM "CS"',
        "DROP CHANGE STREAM cs2",
        'DROP SCHEMA "NS"',
        "DROP SCHEMA cap",
        'ALTER INDEX idx ADD INCLUDE COLUMN "COL"',
    ],
)
def test_alter_and_drop_find_names_in_any_letter_case(database, ddl):
    database.reload()
    before = database.ddl_statements
    database.update_ddl([ddl]).result(timeout=60)
    database.reload()
    after = database.ddl_statements
    assert after != before or ddl.endswith("DROP DEFAULT")
    # What stays keeps its spelling.
    assert all(name not in "\n".join(after) for name in ('"NAME"', '"COL"', '"SEQ"', '"CS"'))


@pytest.mark.parametrize(
    "ddl",
    [
        'ALTER TABLE t ADD COLUMN IF NOT EXISTS "NAME" varchar',
        "ALTER TABLE t ADD COLUMN IF NOT EXISTS name varchar",
        'CREATE TABLE IF NOT EXISTS "T" (id bigint PRIMARY KEY)',
        'CREATE INDEX IF NOT EXISTS "IDX" ON t (col)',
        'CREATE SEQUENCE IF NOT EXISTS "SEQ" BIT_REVERSED_POSITIVE',
        "CREATE CHANGE STREAM IF NOT EXISTS cs2",
        "CREATE SCHEMA IF NOT EXISTS cap",
    ],
)
def test_if_not_exists_finds_names_in_any_letter_case(database, ddl):
    # Names that differ in letter case only are not free.
    database.reload()
    before = database.ddl_statements
    database.update_ddl([ddl]).result(timeout=60)
    database.reload()
    assert database.ddl_statements == before


@pytest.mark.parametrize(
    "ddl",
    [
        'DROP TABLE "C"',
        'DROP INDEX "IDX"',
        'DROP VIEW "VW"',
        'ALTER TABLE "T" ADD COLUMN z bigint',
        'CREATE INDEX i ON t ("COL")',
        'CREATE INDEX i ON "T" (col)',
        'CREATE INDEX i ON t (col) INCLUDE ("NAME")',
        'CREATE TABLE q (id bigint, PRIMARY KEY ("ID"))',
        'ALTER TABLE t ADD CONSTRAINT x CHECK ("COL" > 1)',
        'CREATE VIEW v SQL SECURITY INVOKER AS SELECT "ID" FROM t',
    ],
)
def test_other_names_are_exact(database, ddl):
    with pytest.raises(exceptions.GoogleAPICallError):
        database.update_ddl([ddl]).result(timeout=60)


@pytest.mark.parametrize(
    ("ddl", "message"),
    [
        ("CREATE TABLE x (k jsonb PRIMARY KEY)",
         "Column x.k has type PG.JSONB, but is part of the primary key."),
        ("CREATE TABLE x (k numeric PRIMARY KEY)",
         "Column x.k has type PG.NUMERIC, but is part of the primary key."),
        ("CREATE TABLE x (k bigint[] PRIMARY KEY)",
         "Column x.k has type ARRAY, but is part of the primary key."),
        ("CREATE INDEX i ON t (j)",
         "Index i is defined on a column of unsupported type PG.JSONB. "
         "Cannot reference PG.JSONB j in the creation of index i."),
        ("CREATE INDEX i ON t (n)",
         "Index i is defined on a column of unsupported type PG.NUMERIC. "
         "Cannot reference PG.NUMERIC n in the creation of index i."),
        ("ALTER TABLE t ALTER COLUMN n TYPE jsonb",
         "Cannot change type of column `n` from `PG.NUMERIC` to `PG.JSONB`"),
    ],
)  # fmt: skip
def test_messages_have_the_words_of_spanner(database, ddl, message):
    with pytest.raises(exceptions.GoogleAPICallError) as caught:
        database.update_ddl([ddl]).result(timeout=60)
    assert says(caught) == message


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE TABLE x (s serial PRIMARY KEY)",
        "ALTER TABLE t ADD COLUMN s bigserial",
        "CREATE TABLE x (s bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY)",
    ],
)
def test_drivers_know_a_missing_sequence_kind_by_code_and_text(database, ddl):
    with pytest.raises(exceptions.InvalidArgument) as caught:
        database.update_ddl([ddl]).result(timeout=60)
    assert says(caught) == (
        "The sequence kind of an identity column s is not specified. Please specify the sequence "
        "kind explicitly or set the database option `default_sequence_kind`."
    )


def test_an_array_as_a_key_is_array_in_googlesql_too(emulator):
    database = emulator.create_database("googlesql").client()
    with pytest.raises(exceptions.InvalidArgument) as caught:
        database.update_ddl(["CREATE TABLE x (k ARRAY<INT64>) PRIMARY KEY (k)"]).result()
    assert says(caught) == "Column x.k has type ARRAY, but is part of the primary key."
