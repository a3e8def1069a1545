import pytest

from tests.unit.database.system_tables.shop import DDL, database, picked, user_rows


@pytest.fixture(scope="module")
def shop():
    return database(*DDL)


def test_tables_show_their_parent_and_delete_action(shop) -> None:
    assert picked(
        user_rows(shop, "TABLES"),
        "TABLE_SCHEMA", "TABLE_NAME", "PARENT_TABLE_NAME", "ON_DELETE_ACTION", "INTERLEAVE_TYPE",
        TABLE_TYPE="BASE TABLE", SPANNER_STATE="COMMITTED",
    ) == [
        ("", "Singers", None, None, None),
        ("", "Albums", "Singers", "CASCADE", "IN PARENT"),
        ("", "Songs", "Albums", "NO ACTION", "IN PARENT"),
        ("", "Near", "Singers", None, "IN"),
        ("app", "Orders", None, None, None),
        ("app", "Lines", "Orders", "NO ACTION", "IN PARENT"),
        ("", "Also", None, None, None),
    ]  # fmt: skip


def test_views_and_synonyms_are_tables_too(shop) -> None:
    rows = user_rows(shop, "TABLES")
    assert picked(rows, "TABLE_SCHEMA", "TABLE_NAME", "SPANNER_STATE", TABLE_TYPE="VIEW") == [
        ("", "V", None),
        ("app", "W", None),
    ]
    assert picked(rows, "TABLE_NAME", TABLE_TYPE="SYNONYM") == ["Alias"]
    assert picked(user_rows(shop, "TABLE_SYNONYMS"), "TABLE_NAME", "SYNONYM_TABLE_NAME") == [
        ("Also", "Alias")
    ]
    assert picked(user_rows(shop, "VIEWS"), "TABLE_NAME", "VIEW_DEFINITION", "SECURITY_TYPE") == [
        ("V", "SELECT s.SingerId, s.Tags FROM Singers AS s", "INVOKER"),
        ("W", "SELECT o.Id FROM app.Orders AS o", "DEFINER"),
    ]


def test_row_deletion_policies_are_shown(shop) -> None:
    rows = user_rows(shop, "TABLES")
    assert picked(rows, "ROW_DELETION_POLICY_EXPRESSION", TABLE_NAME="Songs") == [
        "OLDER_THAN(Made, INTERVAL 3 DAY)"
    ]


def test_columns_have_types_and_places(shop) -> None:
    rows = user_rows(shop, "COLUMNS")
    assert picked(
        rows, "ORDINAL_POSITION", "COLUMN_NAME", "SPANNER_TYPE", "IS_NULLABLE", TABLE_NAME="Singers"
    )[:5] == [
        (1, "SingerId", "INT64", "NO"),
        (2, "First", "STRING(1024)", "YES"),
        (3, "Last", "STRING(MAX)", "NO"),
        (4, "Tags", "ARRAY<STRING(20)>", "YES"),
        (5, "Vector", "ARRAY<FLOAT32>(vector_length=>3)", "YES"),
    ]
    assert picked(rows, "COLUMN_NAME", "SPANNER_TYPE", "IS_NULLABLE", TABLE_NAME="V") == [
        ("SingerId", "INT64", "YES"),
        ("Tags", "ARRAY<STRING(MAX)>", "YES"),
    ]


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ("First", (None, "NEVER", False, None, None)),
        ("Score", ("1 + 2", "NEVER", False, None, None)),
        ("Secret", (None, "NEVER", True, None, None)),
        ("FullName", (None, "ALWAYS", False, "CONCAT(First, Last)", "YES")),
        ("Next", (None, "ALWAYS", False, "SingerId + 1", "NO")),
    ],
)
def test_columns_show_defaults_and_generation_expressions(shop, column, shown) -> None:
    names = (
        "COLUMN_DEFAULT", "IS_GENERATED", "IS_HIDDEN", "GENERATION_EXPRESSION", "IS_STORED",
    )  # fmt: skip
    rows = user_rows(shop, "COLUMNS")
    assert picked(rows, *names, TABLE_NAME="Singers", COLUMN_NAME=column) == [shown]


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ("Score", ("NO", None, None, None, None, None)),
        ("Number", ("YES", "BY DEFAULT", "BIT_REVERSED_POSITIVE_SEQUENCE", "7", "1", "5")),
        ("Other", ("YES", "BY DEFAULT", None, None, None, None)),
    ],
)
def test_identity_columns(shop, column, shown) -> None:
    names = (
        "IS_IDENTITY", "IDENTITY_GENERATION", "IDENTITY_KIND", "IDENTITY_START_WITH_COUNTER",
        "IDENTITY_SKIP_RANGE_MIN", "IDENTITY_SKIP_RANGE_MAX",
    )  # fmt: skip
    rows = user_rows(shop, "COLUMNS")
    assert picked(rows, *names, TABLE_NAME="Singers", COLUMN_NAME=column) == [shown]


def test_on_update_expressions_are_shown() -> None:
    owner = database(
        """CREATE TABLE T (Id INT64, Changed TIMESTAMP
             DEFAULT (PENDING_COMMIT_TIMESTAMP()) ON UPDATE (PENDING_COMMIT_TIMESTAMP())
             OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (Id)"""
    )
    rows = user_rows(owner, "COLUMNS")
    assert picked(rows, "ON_UPDATE_EXPRESSION") == [None, "PENDING_COMMIT_TIMESTAMP()"]


def test_generated_columns_use_others(shop) -> None:
    rows = user_rows(shop, "COLUMN_COLUMN_USAGE")
    assert picked(rows, "COLUMN_NAME", "DEPENDENT_COLUMN", TABLE_NAME="Singers") == [
        ("First", "FullName"),
        ("Last", "FullName"),
        ("SingerId", "Next"),
    ]


def test_options(shop) -> None:
    assert picked(user_rows(shop, "COLUMN_OPTIONS"), "COLUMN_NAME", "OPTION_TYPE") == [
        ("Changed", "BOOL")
    ]
    options = user_rows(shop, "DATABASE_OPTIONS")
    assert picked(options, "OPTION_NAME", "OPTION_TYPE", "OPTION_VALUE") == [
        ("database_dialect", "STRING", "GOOGLE_STANDARD_SQL"),
        ("default_sequence_kind", "STRING", "bit_reversed_positive"),
    ]


def test_options_of_the_engine_are_not_shown() -> None:
    owner = database("ALTER DATABASE d SET OPTIONS (version_retention_period = '2h')")
    assert picked(user_rows(owner, "DATABASE_OPTIONS"), "OPTION_NAME", "OPTION_VALUE")[1:] == [
        ("version_retention_period", "2h")
    ]


def test_sequences_are_listed_with_their_options(shop) -> None:
    assert picked(user_rows(shop, "SEQUENCES"), "NAME", "DATA_TYPE") == [
        ("Seq", "INT64"),
        ("Plain", "INT64"),
    ]
    rows = user_rows(shop, "SEQUENCE_OPTIONS")
    assert picked(rows, "NAME", "OPTION_NAME", "OPTION_TYPE", "OPTION_VALUE") == [
        ("Seq", "sequence_kind", "STRING", "bit_reversed_positive"),
        ("Seq", "skip_range_min", "INT64", "1"),
        ("Seq", "skip_range_max", "INT64", "10"),
        ("Seq", "start_with_counter", "INT64", "5"),
        ("Plain", "sequence_kind", "STRING", "bit_reversed_positive"),
    ]
