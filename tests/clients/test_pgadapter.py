"""PostgreSQL's own clients on a PostgreSQL database, through PGAdapter in front of the emulator.

PGAdapter translates PostgreSQL's wire protocol. Maven fetches it by `pgadapter/pom.xml`; the tests
skip where Java, Maven or the client is missing. `pgadapter/session.txt` records what psql prints.
Liquibase, a minute, runs by command only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from threading import Timer

import pytest

import spanemu
from tests.clients.test_clients import (
    BUILD_SECONDS_MAX,
    FETCH_SECONDS_MAX,
    SHORT_LIVED_JVM,
    STAY_HERE,
)
from tests.clients.test_suites import by_command
from tests.installed import needs

pytestmark = pytest.mark.toolchain

HERE = Path(__file__).parent / "pgadapter"
LIQUIBASE = Path(__file__).parent / "liquibase"
MAIN = "com.google.cloud.spanner.pgadapter.Server"
START_SECONDS_MAX = 60
RUN_SECONDS_MAX = 120
_NUMBERS = count(1)


class Adapter:
    """A running PGAdapter and the emulator behind it.

    Its class path has PostgreSQL's JDBC driver, too.
    """

    def __init__(self, emulator: spanemu.EmulatorHandle, port: int, class_path: str) -> None:
        self.emulator = emulator
        self.port = port
        self.class_path = class_path

    def database(self, *schema: str) -> str:
        """Create a PostgreSQL database and return its id, the name that clients connect to."""
        name = f"pg-{next(_NUMBERS)}"
        self.emulator.create_database(name, schema, dialect="postgresql")
        return name


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adapter]:
    _need("java", "mvn")
    class_path = _class_path(HERE, tmp_path_factory.mktemp("pgadapter"))
    with spanemu.Emulator.subprocess() as emulator:
        emulator.create_database("first")  # Creates the instance.
        command = [
            *("java", *SHORT_LIVED_JVM.split(), "-cp", class_path, MAIN),
            *("-p", emulator.project, "-i", emulator.instance),
            *("-s", "0", "--dir", "", "-r", "autoConfigEmulator=true"),
        ]
        environment = os.environ | STAY_HERE | {"SPANNER_EMULATOR_HOST": emulator.uri}
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            try:
                yield Adapter(emulator, _port_of(process), class_path)
            finally:
                process.kill()


def _need(*tools: str) -> None:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)}: not installed here")


def _class_path(home: Path, out: Path) -> str:
    """Fetch what the pom.xml of `home` names and return its class path."""
    command = ["mvn", "-B", "-q", "compile", f"-Dout={out}"]
    environment = os.environ | {"MAVEN_OPTS": SHORT_LIVED_JVM}
    try:
        fetched = subprocess.run(
            command, cwd=home, env=environment, capture_output=True, text=True,
            timeout=FETCH_SECONDS_MAX, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        pytest.skip(f"no {home.name} within {FETCH_SECONDS_MAX} s")
    if fetched.returncode:
        pytest.skip(f"no {home.name}: {fetched.stdout[-500:]}")
    return (out / "classpath").read_text().strip()


def _port_of(process: subprocess.Popen[str]) -> int:
    """Read PGAdapter's output up to the line with its port."""
    timer = Timer(START_SECONDS_MAX, process.kill)
    timer.start()
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if (match := re.search(r"Server started on port (\d+)", line)) is not None:
            timer.cancel()
            return int(match[1])
    pytest.fail(f"PGAdapter did not start: {''.join(lines)}")


def _psql(adapter: Adapter, database: str, *arguments: str) -> str:
    """Run psql and return what it prints, errors included."""
    _need("psql")
    return _printed(
        ["psql", "-X", "-q", "-h", "localhost", "-p", str(adapter.port), "-d", database, *arguments]
    )


def _printed(command: list[str], folder: Path = HERE, seconds_max: int = RUN_SECONDS_MAX) -> str:
    """Run a program and return what it prints, errors included."""
    ran = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PGTZ": "UTC", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds_max,
        check=False,
    )
    return ran.stdout


def test_a_session_of_psql(adapter: Adapter) -> None:
    printed = _psql(adapter, adapter.database(), "-f", "session.sql")
    printed = re.sub(r"\bpg-\d\b", "pg-n", printed)  # the catalog of a table is its database
    assert printed == (HERE / "session.txt").read_text()


def test_psql_lists_tables_indexes_schemas_and_columns(adapter: Adapter) -> None:
    schema = (SAMPLE, "CREATE INDEX by_name ON samples (name)", "CREATE SCHEMA shop")
    commands = [r"\dt", r"\di", r"\dn", r"\dt samples", r"\d samples"]
    arguments = [argument for command in commands for argument in ("-c", command)]
    printed = _psql(adapter, adapter.database(*schema), "-At", *arguments)
    assert "ERROR" not in printed
    assert printed.count("|samples|BASE TABLE|") == 2
    assert "|samples|by_name|INDEX|" in printed
    assert "|shop|" in printed
    assert "score|double precision||" in printed


SAMPLE = """
CREATE TABLE samples (
  id bigint PRIMARY KEY, name text, score double precision, paid numeric, born date,
  seen timestamptz, data bytea, tags text[], info jsonb, done boolean
)
"""


def test_psycopg_reads_what_it_writes(adapter: Adapter) -> None:
    needs("psycopg")
    import psycopg
    from psycopg.types.json import Jsonb

    row = (
        1, "Zoë", 0.1, Decimal("10.50"), date(1990, 1, 31),
        datetime(2024, 1, 2, 3, 4, 5, 678901, UTC), b"\x00\xff", ["a", None], Jsonb({"k": [1]}),
        True,
    )  # fmt: skip
    where = f"host=localhost port={adapter.port} dbname={adapter.database(SAMPLE)}"
    with psycopg.connect(where) as connection, connection.cursor() as cursor:
        values = ", ".join(["%s"] * len(row))
        cursor.execute(f"INSERT INTO samples VALUES ({values})", row)
        connection.commit()
        cursor.execute("SELECT * FROM samples WHERE id = %s", (1,))
        assert cursor.fetchall() == [(*row[:8], {"k": [1]}, True)]
        cursor.execute("UPDATE samples SET paid = paid * 2 WHERE id = 1 RETURNING paid")
        assert cursor.fetchone() == (Decimal("21.00"),)
        connection.rollback()
        cursor.execute("SELECT paid FROM samples")
        assert cursor.fetchone() == (Decimal("10.50"),)
        with cursor.copy("COPY samples (id, name) FROM STDIN") as copy:
            for number in range(2, 12):
                copy.write_row((number, f"n{number}"))
        connection.commit()
        cursor.execute("SELECT count(*), min(name) FROM samples")
        assert cursor.fetchone() == (11, "Zoë")


def test_psycopg_sees_postgresql_errors(adapter: Adapter) -> None:
    needs("psycopg")
    import psycopg

    where = f"host=localhost port={adapter.port} dbname={adapter.database(SAMPLE)}"
    with psycopg.connect(where, autocommit=True) as connection:
        with pytest.raises(psycopg.Error, match="nope"):
            connection.execute("SELECT nope FROM samples")
        connection.execute("INSERT INTO samples (id) VALUES (1)")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO samples (id) VALUES (1)")
        rows = connection.execute("SELECT id FROM samples WHERE id = %s", (1,)).fetchall()
        assert rows == [(1,)]


def test_sqlalchemy_creates_tables_and_maps_objects(adapter: Adapter) -> None:
    needs("psycopg", "sqlalchemy")
    import sqlalchemy as sa
    from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

    class Base(DeclarativeBase):
        pass

    class Singer(Base):
        __tablename__ = "singers"
        singer_id = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
        name = mapped_column(sa.String(100))
        paid = mapped_column(sa.Numeric)

    url = f"postgresql+psycopg://u:p@localhost:{adapter.port}/{adapter.database()}"
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    # Spanner has no DDL in transactions, and the catalogs cannot be read in read-write transactions.
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        Base.metadata.create_all(connection)
        Base.metadata.create_all(connection)  # finds the table
        # The reflection of columns casts to smallint, which Spanner refuses.
        assert sa.inspect(connection).get_table_names() == ["singers"]
    with Session(engine) as session:
        session.add_all([Singer(singer_id=1, name="Marc", paid=Decimal("10.50"))])
        session.commit()
        (singer,) = session.scalars(sa.select(Singer).where(Singer.name.startswith("M")))
        assert (singer.singer_id, singer.paid) == (1, Decimal("10.50"))
        singer.name = "Marcus"
        session.commit()
        assert session.scalar(sa.select(sa.func.upper(Singer.name))) == "MARCUS"
    engine.dispose()


def test_alembic_operations_migrate_a_database(adapter: Adapter) -> None:
    needs("psycopg", "sqlalchemy", "alembic")
    import sqlalchemy as sa
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    where = f"localhost:{adapter.port}/{adapter.database('CREATE SCHEMA shop')}"
    engine = sa.create_engine(f"postgresql+psycopg://u:p@{where}", poolclass=sa.NullPool)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # The key of the version table would have a name, which Spanner refuses.
        options = {"version_table_pk": False}
        context = MigrationContext.configure(connection, opts=options)
        context._ensure_version_table()
        assert context.get_current_revision() is None
        op = Operations(context)
        key = sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False)
        name = sa.Column("name", sa.String(50), nullable=False)
        accounts = op.create_table("accounts", key, name, schema="shop")
        op.add_column("accounts", sa.Column("age", sa.BigInteger), schema="shop")
        op.create_index("by_name", "accounts", ["name"], schema="shop")
        op.bulk_insert(accounts, [{"id": 1, "name": "Ann"}])
        longer = {"existing_type": sa.String(50), "type_": sa.String(80)}
        op.alter_column("accounts", "name", schema="shop", **longer)
        result = sa.select(accounts.c.name).where(accounts.c.id == 1)
        assert connection.scalars(result).all() == ["Ann"]
        op.drop_column("accounts", "age", schema="shop")


PGX = """\
1 Zoë 0.1 10.50 true [0 255] a true map[k:1] true
rolled back: 21.00 10.50
after a batch: 4
copied: 2 6
a key again: true
no row: true
"""


def test_pgx_reads_what_it_writes(adapter: Adapter, tmp_path: Path) -> None:
    _need("go")
    program = tmp_path / "pgx"
    build = ["go", "build", "-mod=readonly", "-buildvcs=false", "-o", str(program), "."]
    built = _printed(build, HERE / "pgx", BUILD_SECONDS_MAX)
    if not program.exists():
        pytest.skip(f"no pgx: {built[-500:]}")
    url = f"postgres://u:p@localhost:{adapter.port}/{adapter.database(SAMPLE)}?sslmode=disable"
    assert _printed([str(program), url]) == PGX


JDBC = """\
inserted: 1
Zoë 0.1 10.50 true [0, -1] [a, null] {"k": 1} true null
rolled back: 21.00 10.50
a batch: [1, 1, 1]
copied: 2 6
tables: [samples]
columns: [id int8, name varchar, score float8, paid numeric, born date, seen timestamptz, \
data bytea, tags _varchar, info jsonb, done bool]
refused: true
refused: true
"""


def test_jdbc_reads_what_it_writes(adapter: Adapter) -> None:
    _need("javac")  # compiles the program in memory
    host = f"localhost:{adapter.port}"
    url = f"jdbc:postgresql://{host}/{adapter.database(SAMPLE)}?user=u&password=p"
    assert _printed(["java", *SHORT_LIVED_JVM.split(), "-cp", adapter.class_path, "PgJdbc.java", url]) == JDBC


SHOP = (
    "CREATE TABLE shop_singer (singer_id bigint PRIMARY KEY, name varchar(100) NOT NULL, "
    "paid numeric, seen timestamptz, info jsonb)",
    "CREATE TABLE shop_album (album_id bigint PRIMARY KEY, singer_id bigint NOT NULL "
    "REFERENCES shop_singer (singer_id), title varchar(100) NOT NULL)",
)
DJANGO = """\
Zoë 10.50 True {'k': [1]}
[('Go', 'Zoë')]
['n3', 'n2']
{'pk__count': 5, 'paid__sum': Decimal('10.50')}
True 1
Zoë
4 0
['shop_album', 'shop_singer']
"""


def test_django_maps_objects(adapter: Adapter) -> None:
    needs("psycopg", "django")
    database = adapter.database(*SHOP)
    command = [sys.executable, "django_app.py", str(adapter.port), database]
    assert _printed(command) == DJANGO


SINGERS = "SELECT name, active FROM singers"
CHANGES = "SELECT id, tag FROM databasechangelog ORDER BY orderexecuted"
LOCKED = "SELECT locked FROM databasechangeloglock"
INDEXES = """
SELECT index_name FROM information_schema.indexes
WHERE table_schema = 'public' AND index_type = 'INDEX' AND spanner_is_managed = 'NO' ORDER BY 1
"""


@by_command
def test_liquibase_updates_and_rolls_back(adapter: Adapter, tmp_path: Path) -> None:
    class_path, name = _class_path(LIQUIBASE, tmp_path), adapter.database()
    database = adapter.emulator.database(name).client()

    def run(*arguments: str) -> str:
        # As PGAdapter's guide has it: Spanner has no DDL in transactions.
        mode = "options=-c%20spanner.ddl_transaction_mode=AutocommitExplicitTransaction"
        command = [
            *("java", *SHORT_LIVED_JVM.split(), "-cp", class_path),
            *("liquibase.integration.commandline.LiquibaseCommandLine", "--show-banner=false"),
            *("--username=u", "--password=p", "--changelog-file=changelog.yaml"),
            f"--url=jdbc:postgresql://localhost:{adapter.port}/{name}?{mode}",
        ]
        printed = _printed([*command, *arguments], LIQUIBASE)
        assert f"Liquibase command '{arguments[0]}' was executed successfully." in printed, printed
        return printed

    def rows(sql: str) -> list[list[object]]:
        with database.snapshot() as snapshot:
            return list(snapshot.execute_sql(sql))

    def check_updated() -> None:
        assert rows(SINGERS) == [["Marc", True]]
        assert rows(INDEXES) == [["albums_by_label"], ["singers_by_name"]]
        assert rows(CHANGES) == [
            ["singers", None], ["tag-1", "1"], ["rows", None], ["label", None], ["tag-2", "2"]
        ]  # fmt: skip
        assert rows(LOCKED) == [[False]]

    run("update")
    check_updated()
    assert re.search(r"Previously run: +5\n", run("update"))
    run("rollback", "--tag=1")
    assert rows(SINGERS) == []
    assert rows(INDEXES) == [["singers_by_name"]]
    assert rows(CHANGES) == [["singers", None]]
    assert "4 changesets have not been applied" in run("status")
    run("update")
    check_updated()
