"""Optimizer versions, statistics packages, and the index advice of a plan, in both dialects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from google.api_core.exceptions import InvalidArgument

import spanemu

_numbers = count(1)
GOOGLESQL = ["CREATE TABLE T (K INT64 NOT NULL, S STRING(MAX), N INT64) PRIMARY KEY (K)"]
POSTGRESQL = ["CREATE TABLE T (K bigint PRIMARY KEY, S text, N bigint)"]
PACKAGES = "SELECT package_name, allow_gc FROM information_schema.spanner_statistics"
AUTOMATIC = "auto_20191128_14_47_22UTC"  # a package as the service names its own


class Owner:
    """A database with one table, in either dialect."""

    def __init__(self, emulator: spanemu.Emulator, dialect: str) -> None:
        self.is_googlesql = dialect == "googlesql"
        schema = GOOGLESQL if self.is_googlesql else POSTGRESQL
        name = f"owner-{next(_numbers)}"
        self.handle = emulator.create_database(name, schema=schema, dialect=dialect)
        self.client = self.handle.client()

    def ddl(self, statement: str) -> None:
        self.client.update_ddl([statement]).result()

    def analyzed(self) -> str:
        """Run ANALYZE, and return the name of the package that it makes."""
        before = {name for name, _ in self.packages()}
        self.ddl("ANALYZE")
        (added,) = {name for name, _ in self.packages()} - before
        return str(added)

    def packages(self) -> list[list[Any]]:
        with self.client.snapshot() as snapshot:
            return list(snapshot.execute_sql(PACKAGES))

    def keep(self, package: str) -> None:
        name = package if self.is_googlesql else f'spanner."{package}"'
        self.ddl(f"ALTER STATISTICS {name} SET OPTIONS (allow_gc = false)")

    def set_option(self, name: str, value: str) -> None:
        database = self.handle.name.rpartition("/")[2]
        if self.is_googlesql:
            self.ddl(f"ALTER DATABASE `{database}` SET OPTIONS ({name} = {value})")
        else:
            self.ddl(f'ALTER DATABASE "{database}" SET spanner.{name} = {value}')

    def hinted(self, **hints: str) -> str:
        text = ", ".join(f"{name} = {value}" for name, value in hints.items())
        return f"@{{{text}}} SELECT 1" if self.is_googlesql else f"/*@ {text} */ SELECT 1"

    def figures(self, sql: str = "SELECT 1", **options: str) -> dict[str, str]:
        with self.client.snapshot() as snapshot:
            result = snapshot.execute_sql(sql, query_options=options or None, query_mode=2)
            assert list(result)
            return dict(result.stats.query_stats)

    def advice(self, sql: str) -> list[str]:
        with self.client.snapshot() as snapshot:
            result = snapshot.execute_sql(sql, query_mode=1)
            assert not list(result)
            advice = result.stats.query_plan.query_advice.index_advice
            assert all(each.improvement_factor > 1 for each in advice)
            return [ddl for each in advice for ddl in each.ddl]


@pytest.fixture(params=["googlesql", "postgresql"])
def owner(request: pytest.FixtureRequest, emulator: spanemu.Emulator) -> Owner:
    return Owner(emulator, request.param)


@pytest.fixture(scope="module")
def emulator() -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator() as emulator:
        yield emulator


# ---------------------------------------------------------------------------- versions


def test_optimizer_versions_are_listed_to_the_latest(owner: Owner) -> None:
    sql = "SELECT version, is_default FROM spanner_sys.supported_optimizer_versions ORDER BY 1"
    with owner.client.snapshot() as snapshot:
        rows = list(snapshot.execute_sql(sql))
    assert rows == [[version, version == 8] for version in range(1, 10)]


def test_statistics_report_the_optimizer_version_in_effect(owner: Owner) -> None:
    assert owner.figures()["optimizer_version"] == "8"
    owner.set_option("optimizer_version", "3")
    assert owner.figures()["optimizer_version"] == "3"
    assert owner.figures(optimizer_version="5")["optimizer_version"] == "5"
    assert owner.figures(optimizer_version="latest")["optimizer_version"] == "9"
    hinted = owner.hinted(optimizer_version="6")
    assert owner.figures(hinted, optimizer_version="5")["optimizer_version"] == "6"
    for word, version in (("latest_version", "9"), ("default_version", "8")):
        assert owner.figures(owner.hinted(optimizer_version=word))["optimizer_version"] == version


@pytest.mark.parametrize("version", ["0", "10", "1000", "newest"])
def test_an_optimizer_version_that_does_not_exist_is_refused(owner: Owner, version: str) -> None:
    with pytest.raises(InvalidArgument):
        owner.figures(optimizer_version=version)
    with pytest.raises(InvalidArgument):
        owner.figures(owner.hinted(optimizer_version=version))


# ---------------------------------------------------------------------------- packages


def test_a_new_database_has_no_statistics_package(owner: Owner) -> None:
    assert owner.packages() == []
    assert "optimizer_statistics_package" not in owner.figures()


def test_analyze_makes_a_statistics_package_each_time(owner: Owner) -> None:
    first, second = owner.analyzed(), owner.analyzed()
    assert first != second
    assert all(name.startswith("analyze_2") and name.endswith("UTC") for name in (first, second))
    assert [allow_gc for _, allow_gc in owner.packages()] == [
        True if owner.is_googlesql else "YES"
    ] * 2
    assert owner.figures()["optimizer_statistics_package"] == second


def test_analyze_is_the_only_statement_of_its_request(owner: Owner) -> None:
    for batch in (["ANALYZE", "ANALYZE"], ["CREATE SCHEMA other", "ANALYZE"]):
        with pytest.raises(InvalidArgument):
            owner.client.update_ddl(batch).result()
    assert owner.packages() == []


def test_a_query_names_a_package_that_is_kept(owner: Owner) -> None:
    package = owner.analyzed()
    naming = {"optimizer_statistics_package": package}
    for sql, options in (("SELECT 1", naming), (owner.hinted(**naming), {})):
        with pytest.raises(InvalidArgument):  # It may be collected.
            owner.figures(sql, **options)
    owner.keep(package)
    owner.analyzed()
    for sql, options in (("SELECT 1", naming), (owner.hinted(**naming), {})):
        assert owner.figures(sql, **options)["optimizer_statistics_package"] == package


def test_a_query_names_the_package_of_the_database(owner: Owner) -> None:
    package = owner.analyzed()
    owner.analyzed()
    owner.set_option("optimizer_statistics_package", f"'{package}'")
    assert owner.figures()["optimizer_statistics_package"] == package
    named = owner.figures(optimizer_statistics_package=package)
    assert named["optimizer_statistics_package"] == package
    owner.set_option("optimizer_statistics_package", "NULL" if owner.is_googlesql else "DEFAULT")
    with pytest.raises(InvalidArgument):
        owner.figures(optimizer_statistics_package=package)


def test_a_query_names_the_latest_package(owner: Owner) -> None:
    latest = {"optimizer_statistics_package": "latest"}
    assert "optimizer_statistics_package" not in owner.figures(**latest)
    package = owner.analyzed()
    for figures in (owner.figures(**latest), owner.figures(owner.hinted(**latest))):
        assert figures["optimizer_statistics_package"] == package


REFUSED: dict[str, Callable[[Owner, str], object]] = {
    "the request": lambda owner, name: owner.figures(optimizer_statistics_package=name),
    "a hint": lambda owner, name: owner.figures(owner.hinted(optimizer_statistics_package=name)),
    "the database": lambda owner, name: owner.set_option(
        "optimizer_statistics_package", f"'{name}'"
    ),
    "ALTER STATISTICS": lambda owner, name: owner.keep(name),
}


@pytest.mark.parametrize("by", REFUSED)
def test_a_package_that_does_not_exist_is_refused(owner: Owner, by: str) -> None:
    with pytest.raises(InvalidArgument, match="no_such_package"):
        REFUSED[by](owner, "no_such_package")
    assert owner.packages() == []


def test_dml_and_partitions_check_the_package(owner: Owner) -> None:
    options = {"optimizer_statistics_package": "no_such_package"}

    def insert(transaction: Any) -> None:
        transaction.execute_update("INSERT INTO T (K) VALUES (1)", query_options=options)

    with pytest.raises(InvalidArgument):
        owner.client.run_in_transaction(insert)
    with pytest.raises(InvalidArgument):
        owner.client.execute_partitioned_dml("DELETE FROM T WHERE true", query_options=options)


def test_a_schema_may_name_a_package_of_the_service(owner: Owner) -> None:
    owner.set_option("optimizer_statistics_package", f"'{AUTOMATIC}'")
    assert [name for name, _ in owner.packages()] == [AUTOMATIC]
    named = owner.figures(optimizer_statistics_package=AUTOMATIC)
    assert named["optimizer_statistics_package"] == AUTOMATIC


def test_the_schema_has_the_packages_that_are_kept(
    owner: Owner, emulator: spanemu.Emulator
) -> None:
    kept = owner.analyzed()
    owner.analyzed()
    owner.keep(kept)
    owner.client.reload()
    copy = emulator.create_database(
        f"copy-{next(_numbers)}", schema=owner.client.ddl_statements,
        dialect="googlesql" if owner.is_googlesql else "postgresql",
    ).client()  # fmt: skip
    with copy.snapshot() as snapshot:
        assert [name for name, _ in snapshot.execute_sql(PACKAGES)] == [kept]


def test_a_restore_removes_later_statistics_packages(owner: Owner) -> None:
    before = owner.handle.snapshot()
    owner.analyzed()
    owner.handle.restore(before)
    assert owner.packages() == []


# ---------------------------------------------------------------------------- advice


def applied(owner: Owner, sql: str) -> list[str]:
    """Apply the advice on a query, and return the advice that is left."""
    for statement in owner.advice(sql):
        owner.ddl(statement)
    return owner.advice(sql)


@pytest.mark.parametrize(
    ("condition", "columns"),
    [
        ("S = 'a'", "s"),
        ("N > 4", "n"),
        ("N BETWEEN 4 AND 5 AND S = 'a'", "s,n"),
        ("S IN ('a', 'b') AND N IS NULL", "s,n"),
        ("S LIKE 'abc%'", "s"),
    ],
)
def test_a_plan_names_the_index_that_a_filter_lacks(
    owner: Owner, condition: str, columns: str
) -> None:
    sql = f"SELECT K FROM T WHERE {condition}"
    (statement,) = owner.advice(sql)
    key = statement.rpartition("(")[2].rpartition(")")[0]
    assert [part.split()[0].lower() for part in key.split(",")] == columns.split(",")
    assert applied(owner, sql) == []


def test_a_plan_with_execution_statistics_has_advice_too(owner: Owner) -> None:
    with owner.client.snapshot() as snapshot:
        result = snapshot.execute_sql("SELECT K FROM T WHERE S = 'a'", query_mode=2)
        assert list(result) == []
        assert len(result.stats.query_plan.query_advice.index_advice) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT K FROM T",
        "SELECT K FROM T WHERE K = 1 AND S = 'a'",
        "SELECT K FROM T WHERE K > 1 AND S = 'a'",
        "SELECT K FROM T WHERE N + 1 = 5",
        "SELECT K FROM T WHERE N = K",
        "SELECT 1",
    ],
)
def test_a_plan_has_no_advice_where_no_index_would_serve(owner: Owner, sql: str) -> None:
    assert owner.advice(sql) == []


def test_dml_and_each_side_of_a_join_have_advice(owner: Owner) -> None:
    sql = "SELECT a.K FROM T a JOIN T b ON a.K = b.N WHERE b.S = 'q'"
    assert len(owner.advice(sql)) == 1
    statements: list[str] = []

    def update(transaction: Any) -> None:
        result = transaction.execute_sql("UPDATE T SET N = 1 WHERE S = 'a'", query_mode=1)
        assert not list(result)
        for each in result.stats.query_plan.query_advice.index_advice:
            statements.extend(each.ddl)

    owner.client.run_in_transaction(update)
    assert len(statements) == 1
