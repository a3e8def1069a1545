"""Every rule with a check reports its bad example and not its good example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spanemu import hotspots, lint
from spanemu.base.severity import Severity
from spanemu.lint.rule import Evidence
from spanemu.lint.rules import DETECTED, RULES

ALL = lint.Settings(select=("all",))
DECIDED = [rule for rule in RULES.values() if rule.check is not None]


def ids(ddl: str, select: tuple[str, ...] = ("all",), **settings) -> set[str]:
    report = lint.run(ddl, lint.Settings(select=select, **settings))
    assert not report.failures
    return {finding.id for finding in report}


def severity(ddl: str, id_: str) -> Severity:
    return next(each.severity for each in lint.run(ddl, ALL) if each.id == id_)


@pytest.mark.parametrize("rule", DECIDED, ids=lambda rule: rule.id)
def test_fires(rule: lint.Rule) -> None:
    assert rule.id in ids(rule.bad)


@pytest.mark.parametrize("rule", DECIDED, ids=lambda rule: rule.id)
def test_near_miss(rule: lint.Rule) -> None:
    assert rule.id not in ids(rule.good)


@pytest.mark.parametrize("rule", DECIDED, ids=lambda rule: rule.id)
def test_findings_have_every_fact(rule: lint.Rule) -> None:
    result = [each for each in lint.run(rule.bad, ALL) if each.id == rule.id]
    for finding in result:
        assert finding.rule is rule
        assert finding.object
        assert finding.message.endswith(".")
        assert not re.search(r"[{}]|\bNone\b", finding.message + finding.fix), finding
        assert finding.line >= 1
        assert finding.line_column >= 1


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_every_rule_can_be_explained(rule: lint.Rule) -> None:
    text = lint.explain(rule.id.lower())
    assert rule.title in text
    assert "{" not in text.replace(rule.bad, "").replace(rule.good, "")
    assert all(Evidence(letter) for letter in rule.evidence)


def test_rules_with_examples_are_those_with_checks() -> None:
    for rule in RULES.values():
        assert bool(rule.check) == bool(rule.bad) == bool(rule.good) == bool(rule.message), rule.id
        assert not rule.check or "D" in rule.evidence


PK = "CREATE TABLE T (A {a}, B {b}) PRIMARY KEY (A, B)"


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("TIMESTAMP NOT NULL DEFAULT (PENDING_COMMIT_TIMESTAMP())", "SPN101"),
        ("INT64 NOT NULL OPTIONS (allow_commit_timestamp = true)", "SPN101"),
        ("TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP())", "SPN102"),
        ("INT64 NOT NULL DEFAULT (UNIX_MICROS(CURRENT_TIMESTAMP()))", "SPN103"),
        ("STRING(9) AS (FORMAT_TIMESTAMP('%Y', B)) STORED", "SPN103"),
        ("INT64 AS (EXTRACT(YEAR FROM B)) STORED", "SPN103"),
        ("UUID NOT NULL DEFAULT (NEW_UUID())", None),
        ("INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE S))", None),
        ("INT64 AS (ABS(MOD(FARM_FINGERPRINT(CAST(B AS STRING)), 16))) STORED", None),
    ],
)
def test_growing_first_columns(first: str, expected: str | None) -> None:
    found = ids(PK.format(a=first, b="TIMESTAMP NOT NULL"))
    assert found & {"SPN101", "SPN102", "SPN103", "SPN104"} == ({expected} if expected else set())


@pytest.mark.parametrize(
    ("expression", "signed"),
    [
        ("MOD(FARM_FINGERPRINT(B), 16)", True),
        ("MOD(FARM_FINGERPRINT(CAST(B AS STRING)), 16) + 0", True),
        ("ABS(MOD(FARM_FINGERPRINT(B), 16))", False),
        ("MOD(ABS(FARM_FINGERPRINT(B)), 16)", False),
        ("MOD(MOD(FARM_FINGERPRINT(B), 16) + 16, 16)", False),
        ("MOD(BIT_COUNT(FARM_FINGERPRINT(B)), 16)", False),
    ],
)
def test_signed_modulo(expression: str, signed: bool) -> None:
    ddl = PK.format(a=f"INT64 AS ({expression}) STORED", b="STRING(8)")
    assert ("SPN114" in ids(ddl)) == signed


def test_the_first_of_two_equal_indexes_stays() -> None:
    ddl = (
        "CREATE TABLE T (A INT64, B INT64) PRIMARY KEY (A);"
        "CREATE INDEX One ON T(B); CREATE INDEX Two ON T(B)"
    )
    assert [each.object for each in lint.run(ddl) if each.id == "SPN209"] == ["Two"]


@pytest.mark.parametrize(
    "second",
    [
        "CREATE INDEX I2 ON T(B DESC)",
        "CREATE UNIQUE INDEX I2 ON T(B)",
        "CREATE NULL_FILTERED INDEX I2 ON T(B)",
        "CREATE INDEX I2 ON T(B) STORING (C)",
    ],
)
def test_an_index_that_differs_is_not_redundant(second: str) -> None:
    ddl = f"CREATE TABLE T (A INT64, B INT64, C INT64) PRIMARY KEY (A); {second}"
    assert "SPN209" not in ids(ddl + "; CREATE INDEX I1 ON T(B, A)")


@pytest.mark.parametrize(
    ("check", "fires"),
    [
        ("Kind IN ('a', 'b')", True),
        ("Kind = 'a' OR Kind = 'b'", True),
        ("Kind IN ('a', 'b') OR Other = 1", False),
        ("Kind NOT IN ('a', 'b')", False),
        ("Other IN (1, 2)", False),
    ],
)
def test_few_values_by_check(check: str, fires: bool) -> None:
    ddl = (
        "CREATE TABLE T (Kind STRING(8) NOT NULL, Other INT64 NOT NULL, "
        f"CHECK ({check})) PRIMARY KEY (Kind, Other)"
    )
    assert ("SPN111" in ids(ddl)) == fires


@pytest.mark.parametrize(
    ("check", "nodes", "fires"),
    [
        ("Shard BETWEEN 0 AND 3", 8, True),
        ("Shard >= 0 AND Shard < 4", 8, True),
        ("Shard >= 0 AND Shard < 4", 4, False),
        ("Shard BETWEEN 0 AND 7", 8, False),
    ],
)
def test_shards_by_check(check: str, nodes: int, fires: bool) -> None:
    ddl = (
        f"CREATE TABLE T (Shard INT64 NOT NULL, Id STRING(9) NOT NULL, CHECK ({check})) "
        "PRIMARY KEY (Shard, Id)"
    )
    assert ("SPN112" in ids(ddl, nodes=nodes)) == fires


def test_severity_rises_when_the_next_part_grows() -> None:
    assert severity(RULES["SPN111"].bad, "SPN111") is Severity.ERROR
    ddl = "CREATE TABLE T (On1 BOOL NOT NULL, Id STRING(9) NOT NULL) PRIMARY KEY (On1, Id)"
    assert severity(ddl, "SPN111") is Severity.WARNING
    status = RULES["SPN205"].bad
    assert severity(status, "SPN205") is Severity.WARNING
    assert severity(status.replace("STRING(16)", "BOOL"), "SPN205") is Severity.ERROR
    assert severity(status.replace(", CreatedAt)", ")"), "SPN205") is Severity.INFO


def test_child_nullability() -> None:
    ddl = (
        "CREATE TABLE P (A INT64) PRIMARY KEY (A);"
        "CREATE TABLE C (A INT64 NOT NULL, B INT64) PRIMARY KEY (A, B), INTERLEAVE IN PARENT P"
    )
    result = {each.id: each.object for each in lint.run(ddl) if each.id in ("SPN124", "SPN308")}
    assert result == {"SPN124": "P", "SPN308": "C"}


def test_depth_is_an_error_past_the_limit() -> None:
    deep = RULES["SPN301"].bad
    assert severity(deep, "SPN301") is Severity.WARNING
    for level in range(6, 9):
        columns = ", ".join(f"K{n} INT64 NOT NULL" for n in range(level + 1))
        key = ", ".join(f"K{n}" for n in range(level + 1))
        parent = f"T{level - 1}"
        deep += (
            f";CREATE TABLE T{level} ({columns}) PRIMARY KEY ({key}), INTERLEAVE IN PARENT {parent}"
        )
    assert severity(deep, "SPN301") is Severity.ERROR


def test_alter_statements_change_what_is_linted() -> None:
    ddl = (
        "CREATE TABLE T (Id STRING(9) NOT NULL, Ts TIMESTAMP) PRIMARY KEY (Id);"
        "CREATE INDEX ByTs ON T(Ts)"
    )
    assert "SPN202" in ids(ddl)
    changed = f"{ddl}; ALTER TABLE T ALTER COLUMN Ts SET OPTIONS (allow_commit_timestamp = true)"
    assert {"SPN201"} == ids(changed) & {"SPN201", "SPN202"}
    assert not ids(f"{ddl}; DROP INDEX ByTs") & {"SPN201", "SPN202"}


def test_a_mostly_null_time_is_reported_once() -> None:
    # Entries with NULL do not grow with time; the other entries do.
    table = "CREATE TABLE T (Id STRING(9) NOT NULL, V INT64, DeletedAt TIMESTAMP) PRIMARY KEY (Id);"
    index = "INDEX I ON T(DeletedAt DESC, Id) STORING (V)"
    result = [
        each for each in lint.run(f"{table}CREATE UNIQUE {index}") if each.column == "DeletedAt"
    ]
    assert [each.id for each in result] == ["SPN207"]
    assert "SPN202" in result[0].message
    assert f"CREATE UNIQUE NULL_FILTERED {index.replace('X I', 'X I2')}; DROP" in result[0].fix
    assert ids(f"{table}CREATE NULL_FILTERED {index}") >= {"SPN202"}
    assert ids(f"{table}CREATE {index} WHERE DeletedAt IS NOT NULL") >= {"SPN202"}


def test_unique_indexes_of_postgresql_have_no_entries_for_null() -> None:
    settings = lint.Settings(dialect="postgresql", select=("SPN207", "SPN208", "SPN209"))
    table = "CREATE TABLE t (id bigint PRIMARY KEY, deleted_at date, n bigint NOT NULL);"

    def found(*indexes: str) -> set[tuple[str, str]]:
        statements = ";".join(f"CREATE {index}" for index in indexes)
        return {(each.id, each.object) for each in lint.run(table + statements, settings)}

    by_time = "INDEX i ON t (deleted_at)"
    assert found(by_time) == {("SPN207", "i")}
    assert found(f"UNIQUE {by_time}") == {("SPN208", "i")}
    assert found("UNIQUE INDEX i ON t (n)") == set()
    # An index of all rows, beside a unique index of those without NULL.
    assert ("SPN209", "i") not in found("UNIQUE INDEX u ON t (deleted_at)", by_time)
    assert ("SPN209", "i") in found("UNIQUE INDEX u ON t (n)", "INDEX i ON t (n)")


def test_a_migration_alone() -> None:
    found = lint.run("CREATE INDEX ByA ON Elsewhere(A); ALTER TABLE Elsewhere DROP COLUMN B", ALL)
    assert [each.id for each in found] == ["SPN705"]


def test_a_later_file_is_a_migration_of_tables_that_have_rows(tmp_path: Path) -> None:
    table = "CREATE TABLE A (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id);"
    step = "ALTER TABLE A ADD CONSTRAINT C CHECK (V > 0);"
    (tmp_path / "1.sql").write_text(f"{table}{step}CREATE INDEX I ON A(V);")
    assert "SPN705" not in {each.id for each in lint.run(tmp_path, ALL)}
    (tmp_path / "2.sql").write_text(f"{step}CREATE INDEX J ON A(V DESC);")
    result = [each for each in lint.run(tmp_path, ALL) if each.id == "SPN705"]
    assert [Path(each.file).name for each in result] == ["2.sql", "2.sql"]
    assert "SPN705" not in {each.id for each in lint.run([table, step], ALL)}


def test_a_batch_is_a_file(tmp_path: Path) -> None:
    # A later file is a later migration, so its indexes cannot follow tables of earlier files.
    tables = [
        f"CREATE TABLE {name} (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id);" for name in "AB"
    ]
    index = "CREATE INDEX I ON A(V);"
    assert "SPN702" in ids("".join([*tables, index]))
    (tmp_path / "1.sql").write_text("".join(tables))
    (tmp_path / "2.sql").write_text(index)
    assert "SPN702" not in {each.id for each in lint.run(tmp_path, ALL)}
    for n in range(2, 5):
        many = (f"CREATE INDEX I{n}{m} ON Elsewhere(C{n}{m});" for m in range(6))
        (tmp_path / f"{n}.sql").write_text("".join(many))
    assert "SPN702" not in {each.id for each in lint.run(tmp_path, ALL)}


def test_a_table_that_was_renamed_keeps_its_indexes_beside_it() -> None:
    ddl = "CREATE TABLE A (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id);RENAME TABLE A TO B;"
    assert "SPN702" not in ids(f"{ddl}CREATE INDEX I ON B(V)")


def test_many_backfills() -> None:
    ddl = ";".join(f"CREATE INDEX I{n} ON Elsewhere(C{n})" for n in range(11))
    assert "SPN702" in ids(ddl)
    assert "SPN702" not in ids(ddl.rpartition(";")[0])


def test_the_hotspot_report_uses_ids_of_rules() -> None:
    modules = Path(hotspots.__file__).parent.rglob("*.py")
    found = {id_ for each in modules for id_ in re.findall(r"SPN\d{3}", each.read_text("utf-8"))}
    assert found == DETECTED
    assert found <= RULES.keys()


@pytest.mark.parametrize("type_", ["SERIAL", "bigserial"])
def test_serial_has_no_kind(type_: str) -> None:
    ddl = f"CREATE TABLE T (Id {type_} PRIMARY KEY)"
    default = "ALTER DATABASE d SET OPTIONS (default_sequence_kind = 'bit_reversed_positive')"
    assert "SPN106" in ids(ddl)
    assert "SPN106" not in ids(f"{default}; {ddl}")


@pytest.mark.parametrize(
    ("id_type", "natural", "fires"),
    [
        ("STRING(36)", "Iso", True),
        ("UUID", "Sku", True),
        ("STRING(9)", "Iso", False),
        ("UUID", "Email", False),
        ("INT64", "user_name", False),
    ],
)
def test_surrogates(id_type: str, natural: str, fires: bool) -> None:
    ddl = (
        f"CREATE TABLE T (Id {id_type} NOT NULL, {natural} STRING(20) NOT NULL) PRIMARY KEY (Id);"
        f"CREATE UNIQUE INDEX ByNatural ON T({natural})"
    )
    assert ("SPN125" in ids(ddl)) == fires


def test_every_module_of_rules_is_registered() -> None:
    directory = Path(lint.rules.__file__).parent
    for module in directory.glob("*.py"):
        for id_ in re.findall(r'Rule\(\s*"(SPN\d+)"', module.read_text(encoding="utf-8")):
            assert id_ in RULES


UUID_KEY = "CREATE TABLE Players (PlayerId STRING(36) NOT NULL) PRIMARY KEY (PlayerId);"


@pytest.mark.parametrize(
    ("columns", "key", "reported"),
    [
        ("ItemId STRING(36) NOT NULL", "ItemId", {"Players", "T"}),
        ("PlayerId STRING(36) NOT NULL, N INT64", "PlayerId, N", {"Players"}),
        ("N INT64, PlayerId STRING(36) NOT NULL", "N, PlayerId", {"Players"}),
        (
            "Owner STRING(36) NOT NULL, FOREIGN KEY (Owner) REFERENCES Players (PlayerId)",
            "Owner",
            {"Players"},
        ),
    ],
)
def test_a_text_uuid_is_reported_where_it_is_declared(
    columns: str, key: str, reported: set[str]
) -> None:
    # A column that refers to the key of another table shares the type of that key.
    ddl = f"{UUID_KEY}CREATE TABLE T ({columns}) PRIMARY KEY ({key})"
    assert {each.object for each in lint.run(ddl, ALL) if each.id == "SPN123"} == reported


def test_a_uuid_is_not_reported_in_a_child() -> None:
    ddl = (
        f"{UUID_KEY}CREATE TABLE T (PlayerId STRING(36) NOT NULL, N INT64) "
        "PRIMARY KEY (PlayerId, N), INTERLEAVE IN PARENT Players"
    )
    assert [each.object for each in lint.run(ddl, ALL) if each.id == "SPN123"] == ["Players"]


def test_uniqueness_that_excepts_null_has_no_plain_unique_index_as_its_fix() -> None:
    # All NULLs are equal in a UNIQUE index, which refuses a second row without a value.
    (finding,) = (each for each in lint.run(RULES["SPN208"].bad, ALL) if each.id == "SPN208")
    assert "plain" not in finding.fix
    assert "NOT NULL" in finding.fix


def test_nullable_keys_are_one_finding_for_a_schema() -> None:
    ddl = ";".join(f"CREATE TABLE T{n} (Id INT64) PRIMARY KEY (Id)" for n in range(1, 9))
    (finding,) = (each for each in lint.run(ddl) if each.id == "SPN124")
    assert finding.object == "T1"
    assert "7 more: T2, T3, T4, T5, T6, ..." in finding.message
    spared = f"-- spanemu: ignore=SPN124\n{ddl}"
    (finding,) = (each for each in lint.run(spared) if each.id == "SPN124")
    assert finding.object == "T2"
    assert "6 more" in finding.message


def test_a_unique_index_is_not_replaced_by_that_of_a_foreign_key() -> None:
    # The managed index over referencing columns is not unique; over referenced columns it is.
    ddl = (
        "CREATE TABLE P (Id INT64 NOT NULL, Code INT64 NOT NULL) PRIMARY KEY (Id);"
        "CREATE TABLE C (Id INT64 NOT NULL, Code INT64 NOT NULL, FOREIGN KEY (Code) REFERENCES P (Code)) "
        "PRIMARY KEY (Id);"
        "CREATE UNIQUE INDEX {name} ON {table}(Code)"
    )
    assert "SPN216" not in ids(ddl.format(name="I", table="C"))
    assert "SPN216" in ids(ddl.format(name="I", table="P"))
    assert "SPN216" not in ids(ddl.format(name="I", table="P"), select=())


def test_columns_of_another_name_are_renamed_before_interleaving() -> None:
    ddl = (
        "CREATE TABLE P (Id INT64 NOT NULL) PRIMARY KEY (Id);"
        "CREATE TABLE C (PId INT64 NOT NULL, N INT64, FOREIGN KEY (PId) REFERENCES P (Id)) "
        "PRIMARY KEY (PId, N)"
    )
    (finding,) = (each for each in lint.run(ddl) if each.id == "SPN306")
    assert "named as in P" in finding.fix


@pytest.mark.parametrize(
    ("column", "fires"), [("CreatedAt", True), ("DeletedAt", False), ("ExpiresAt", False)]
)
def test_a_time_to_live_that_may_be_absent(column: str, fires: bool) -> None:
    # Rows without a time of expiry are kept on purpose.
    ddl = (
        f"CREATE TABLE T (Id INT64 NOT NULL, {column} TIMESTAMP) PRIMARY KEY (Id), "
        f"ROW DELETION POLICY (OLDER_THAN({column}, INTERVAL 1 DAY))"
    )
    assert ("SPN605" in ids(ddl)) == fires


def test_a_schema_version_is_not_reported_as_a_counter() -> None:
    ddl = "CREATE TABLE V (version_num STRING(9) NOT NULL) PRIMARY KEY (version_num)"
    assert "SPN104" not in ids(ddl)
    assert "SPN104" in ids(ddl.replace("version_num", "order_num"))


@pytest.mark.parametrize(
    ("key", "fires"), [("OrderId, Line", False), ("OrderId, At1", True), ("OrderId, D", False)]
)
def test_some_children_need_a_row_deletion_policy_of_their_own(key: str, fires: bool) -> None:
    # The few lines of an order are deleted with it; accumulating rows may be too many.
    ddl = (
        "CREATE TABLE Orders (OrderId STRING(9) NOT NULL, Ts TIMESTAMP NOT NULL) "
        "PRIMARY KEY (OrderId), ROW DELETION POLICY (OLDER_THAN(Ts, INTERVAL 90 DAY));"
        "CREATE TABLE Lines (OrderId STRING(9) NOT NULL, Line STRING(36) NOT NULL, "
        "At1 TIMESTAMP NOT NULL, D DATE NOT NULL, ItemId STRING(9)) "
        f"PRIMARY KEY ({key}), INTERLEAVE IN PARENT Orders ON DELETE CASCADE;"
        "CREATE INDEX LinesByItem ON Lines(ItemId)"
    )
    assert ("SPN602" in ids(ddl, select=())) == fires
    assert "SPN602" in ids(ddl)
