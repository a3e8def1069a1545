"""The PostgreSQL section of docs/documented-ddl.md: `python -m tests.conformance.documented_ddl`.

Each row names a documented example that is refused as it is written, and what makes it right.
`test_documented_ddl` runs both.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "documented-ddl.md"
TITLE = "## PostgreSQL\n"


@dataclass(frozen=True)
class Refused:
    """An example of a page: `statements` are its text in short, of which the last is refused.

    `right` is the same with what is missing, or corrected.
    """

    page: str
    example: str
    why: str
    code: str
    statements: tuple[str, ...]
    right: tuple[str, ...]


STREAM = "CREATE CHANGE STREAM s FOR ALL"
SINGERS = "CREATE TABLE singers (singerid bigint PRIMARY KEY, firstname varchar)"
ALBUMS = "CREATE TABLE albums (albumid varchar PRIMARY KEY, albumtitle varchar)"
TITLE_TOKENS = (
    "ALTER TABLE albums ADD COLUMN albumtitle_tokens spanner.tokenlist "
    "GENERATED ALWAYS AS (spanner.tokenize_fulltext(albumtitle)) VIRTUAL HIDDEN"
)
USERS = "CREATE TABLE users (id varchar(20) PRIMARY KEY, age bigint NOT NULL)"
STAFF = "CREATE TABLE employees (id bigint PRIMARY KEY, name varchar, location varchar)"
SEARCH = "CREATE SEARCH INDEX albumsindex ON albums(albumtitle_tokens)"


def _tokens(arguments: str) -> str:
    return f"CREATE TABLE t (id bigint PRIMARY KEY, v varchar, r float8, {arguments})"


REFUSED = (
    Refused(
        "change-streams/manage", "`MOD_TYPE_FILTER_NAME = true`, four times",
        "a placeholder, not an option", "INVALID_ARGUMENT",
        (f"{STREAM} WITH (MOD_TYPE_FILTER_NAME = true)",),
        (f"{STREAM} WITH (exclude_insert = true)",),
    ),
    Refused(
        "change-streams/manage", "`ALTER CHANGE STREAM … FOR ALL SET (…)`, eight times",
        "the grammar has `SET FOR ALL` or `SET (…)`, not both in one statement", "INVALID_ARGUMENT",
        (STREAM, "ALTER CHANGE STREAM s FOR ALL SET (exclude_ttl_deletes = true)"),
        (STREAM, "ALTER CHANGE STREAM s SET FOR ALL",
         "ALTER CHANGE STREAM s SET (exclude_ttl_deletes = true)"),
    ),
    Refused(
        "change-streams/manage", "`ALTER CHANGE STREAM NamesAndAlbums`, twice",
        "the page never creates the tables of that stream; accepted with them", "NOT_FOUND",
        ("ALTER CHANGE STREAM NamesAndAlbums SET (retention_period = '36h')",),
        (SINGERS, "CREATE CHANGE STREAM NamesAndAlbums FOR Singers(FirstName)",
         "ALTER CHANGE STREAM NamesAndAlbums SET (retention_period = '36h')"),
    ),
    Refused(
        "commit-timestamp-postgresql, schema-design, full-text-search/tokenization, "
        "table-name-synonym", "tables with the line `...`",
        "an ellipsis for columns", "INVALID_ARGUMENT",
        ("CREATE TABLE Users (LastAccess SPANNER.COMMIT_TIMESTAMP NOT NULL, ... PRIMARY KEY "
         "(LastAccess))",),
        ("CREATE TABLE Users (LastAccess SPANNER.COMMIT_TIMESTAMP NOT NULL, PRIMARY KEY "
         "(LastAccess))",),
    ),
    Refused(
        "configure-fgac", "`GRANT role1 TO role2`",
        "the page creates the roles under other names; accepted with them", "NOT_FOUND",
        ("GRANT role1 TO role2",),
        ("CREATE ROLE role1", "CREATE ROLE role2", "GRANT role1 TO role2"),
    ),
    Refused(
        "create-manage-data-placements", "`DROP PLACEMENT europeplacement`",
        "it lacks the `CREATE PLACEMENT` of the page; accepted after it", "NOT_FOUND",
        ("DROP PLACEMENT europeplacement",),
        ("CREATE PLACEMENT europeplacement WITH (instance_partition='europe-partition')",
         "DROP PLACEMENT europeplacement"),
    ),
    Refused(
        "create-manage-databases, set-default-time-zone", "`ALTER DATABASE DB-NAME`",
        "a placeholder; a name with a hyphen needs quotes", "INVALID_ARGUMENT",
        ("ALTER DATABASE DB-NAME SET spanner.optimizer_version TO DEFAULT",),
        ('ALTER DATABASE "DB-NAME" SET spanner.optimizer_version TO DEFAULT',),
    ),
    Refused(
        "create-manage-locality-groups", "`Awards varchar[] LOCALITY GROUP spill_to_hdd`",
        "it lacks the `CREATE LOCALITY GROUP` statements of the page; accepted after them",
        "NOT_FOUND",
        ("CREATE TABLE s (id bigint PRIMARY KEY, a varchar[] LOCALITY GROUP spill_to_hdd)",),
        ("CREATE LOCALITY GROUP spill_to_hdd STORAGE 'ssd' SSD_TO_HDD_SPILL_TIMESPAN '10d'",
         "CREATE TABLE s (id bigint PRIMARY KEY, a varchar[] LOCALITY GROUP spill_to_hdd)"),
    ),
    Refused(
        "create-manage-views", "`GRANT` to and `REVOKE` from `Analyst`",
        "the page never creates the role; accepted with it", "NOT_FOUND",
        (SINGERS, "GRANT SELECT ON TABLE singers TO Analyst"),
        (SINGERS, "CREATE ROLE analyst", "GRANT SELECT ON TABLE singers TO Analyst",
         "REVOKE SELECT ON TABLE singers FROM Analyst"),
    ),
    Refused(
        "full-text-search/fuzzy-search", "`namesoundex_tokens`, and the index on it",
        "a closing parenthesis is missing before `VIRTUAL`", "INVALID_ARGUMENT",
        (_tokens("k spanner.tokenlist GENERATED ALWAYS AS (spanner.token(lower("
                 "spanner.soundex(v))) VIRTUAL HIDDEN"),),
        (_tokens("k spanner.tokenlist GENERATED ALWAYS AS (spanner.token(lower("
                 "spanner.soundex(v)))) VIRTUAL HIDDEN"),),
    ),
    Refused(
        "full-text-search/mix-full-text-and-non-text-queries",
        "`title_tokens spanner.tokenlist AS (…)`, and the index on it",
        "`GENERATED ALWAYS` is missing", "INVALID_ARGUMENT",
        (_tokens("k spanner.tokenlist AS (spanner.tokenize_fulltext(v)) VIRTUAL HIDDEN"),),
        (_tokens("k spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_fulltext(v)) "
                 "VIRTUAL HIDDEN"),),
    ),
    Refused(
        "full-text-search/search-indexes", "`albumsindex ON albums(albumtitle_tokens)`",
        "it lacks the `ALTER TABLE` of the page that adds the column; accepted after it",
        "INVALID_ARGUMENT", (ALBUMS, SEARCH), (ALBUMS, TITLE_TOKENS, SEARCH),
    ),
    Refused(
        "full-text-search/search-indexes",
        "`rating_tokens … tokenize_fulltext(rating)`, and two indexes on it",
        "the function takes a text, and `rating` is a number: `tokenize_number` of a whole number",
        "INVALID_ARGUMENT",
        (_tokens("k spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_fulltext(r)) "
                 "VIRTUAL HIDDEN"),),
        (_tokens("k spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_number(r::bigint)) "
                 "VIRTUAL HIDDEN"),),
    ),
    Refused(
        "full-text-search/search-indexes", "`singerid bigint NOT NULL PRIMARY KEY(singerid)`",
        "a comma is missing before `PRIMARY KEY`, and the tables below it lack this table",
        "INVALID_ARGUMENT",
        ("CREATE TABLE singers(singerid bigint NOT NULL PRIMARY KEY(singerid))",),
        ("CREATE TABLE singers(singerid bigint NOT NULL, PRIMARY KEY(singerid))",),
    ),
    Refused(
        "full-text-search/search-indexes", "`), INTERLEAVE IN PARENT singers`",
        "a comma too many", "INVALID_ARGUMENT",
        (SINGERS, "CREATE TABLE albums(singerid bigint, albumid bigint, PRIMARY KEY(singerid, "
         "albumid)), INTERLEAVE IN PARENT singers ON DELETE CASCADE"),
        (SINGERS, "CREATE TABLE albums(singerid bigint, albumid bigint, PRIMARY KEY(singerid, "
         "albumid)) INTERLEAVE IN PARENT singers ON DELETE CASCADE"),
    ),
    Refused(
        "full-text-search/search-indexes", "`INCLUDE (genre) WHERE genre IS NOT NULL`",
        "the table has no `genre`", "INVALID_ARGUMENT",
        (ALBUMS, TITLE_TOKENS, f"{SEARCH} INCLUDE (genre) WHERE genre IS NOT NULL"),
        (ALBUMS, TITLE_TOKENS, "ALTER TABLE albums ADD COLUMN genre varchar",
         f"{SEARCH} INCLUDE (genre) WHERE genre IS NOT NULL"),
    ),
    Refused(
        "full-text-search/search-multiple-columns",
        "`VIRTUAL HIDDEN, ) PRIMARY KEY(albumid)`, and the index on that table",
        "the syntax of GoogleSQL: the key stands in the parentheses, functions have the schema "
        "`spanner`", "INVALID_ARGUMENT",
        ("CREATE TABLE t (id bigint NOT NULL, v varchar, k spanner.tokenlist GENERATED ALWAYS AS "
         "(TOKENIZE_FULLTEXT(v)) VIRTUAL HIDDEN, ) PRIMARY KEY(id)",),
        ("CREATE TABLE t (id bigint NOT NULL, v varchar, k spanner.tokenlist GENERATED ALWAYS AS "
         "(spanner.tokenize_fulltext(v)) VIRTUAL HIDDEN, PRIMARY KEY(id))",),
    ),
    Refused(
        "full-text-search/top-k-pattern-matching", "`Albums(albumtitle_tokens, singerid_tokens)`",
        "the table has no `singerid_tokens`", "INVALID_ARGUMENT",
        (ALBUMS, TITLE_TOKENS,
         "CREATE SEARCH INDEX i ON Albums(albumtitle_tokens, singerid_tokens)"),
        (ALBUMS, TITLE_TOKENS, "CREATE SEARCH INDEX i ON Albums(albumtitle_tokens)"),
    ),
    Refused(
        "generated-column/how-to", "`CREATE INDEX UsersAbove18ByAge`",
        "it lacks the `ALTER TABLE` of the page that adds `AgeAbove18`; accepted after it",
        "INVALID_ARGUMENT",
        (USERS, "CREATE INDEX i ON users (AgeAbove18) WHERE AgeAbove18 IS NOT NULL"),
        (USERS, "ALTER TABLE users ADD COLUMN AgeAbove18 bigint GENERATED ALWAYS AS "
         "(nullif(age, least(18, age))) VIRTUAL",
         "CREATE INDEX i ON users (AgeAbove18) WHERE AgeAbove18 IS NOT NULL"),
    ),
    Refused(
        "generated-column/how-to", "`Initials VARCHAR(2) … VIRTUAL`",
        "as the page says, the length of a virtual column cannot be limited", "INVALID_ARGUMENT",
        (USERS, "ALTER TABLE users ADD COLUMN i VARCHAR(2) GENERATED ALWAYS AS (id) VIRTUAL"),
        (USERS, "ALTER TABLE users ADD COLUMN i VARCHAR GENERATED ALWAYS AS (id) VIRTUAL"),
    ),
    Refused(
        "introspection/hot-split-statistics",
        "`VARCHAR(max)`, and the indexes and tables on those tables",
        "this dialect has no such length", "INVALID_ARGUMENT",
        ("CREATE TABLE users (userid BIGINT NOT NULL PRIMARY KEY, firstname VARCHAR(max))",),
        ("CREATE TABLE users (userid BIGINT NOT NULL PRIMARY KEY, firstname VARCHAR)",),
    ),
    Refused(
        "introspection/hot-split-statistics", "`CREATE INDEX messagesidx … , REFERENCES …`",
        "an index has no foreign key", "INVALID_ARGUMENT",
        (SINGERS, "CREATE INDEX i ON singers(firstname), REFERENCES singers(singerid)"),
        (SINGERS, "CREATE INDEX i ON singers(firstname)"),
    ),
    Refused(
        "migrating-postgres-spanner, migrating-postgres-spanner-pgcompat",
        "`id CHAR (5)`, `email … UNIQUE`, `SMALLINT`",
        "the schema of the PostgreSQL database before its migration", "FAILED_PRECONDITION",
        ("CREATE TABLE customer (id CHAR (5) PRIMARY KEY, email VARCHAR (50) UNIQUE)",),
        ("CREATE TABLE customer (id VARCHAR (5) PRIMARY KEY, email VARCHAR (50))",),
    ),
    Refused(
        "migrating-primary-keys", "`FARM_FINGERPRINT(cast(StudentId AS varchar))`",
        "the function has the schema `spanner`", "INVALID_ARGUMENT",
        ("CREATE TABLE s (h bigint GENERATED ALWAYS AS (FARM_FINGERPRINT(cast(i AS varchar))) "
         "STORED, i bigint NOT NULL, PRIMARY KEY (h, i))",),
        ("CREATE TABLE s (h bigint GENERATED ALWAYS AS (spanner.farm_fingerprint(cast(i AS "
         "varchar))) STORED, i bigint NOT NULL, PRIMARY KEY (h, i))",),
    ),
    Refused(
        "migrating-primary-keys, primary-key-default-value, reference/postgresql/data-types",
        "`id serial`, `GENERATED BY DEFAULT AS IDENTITY`",
        "they lack the `ALTER DATABASE` of the page that sets `default_sequence_kind`; accepted "
        "after it", "INVALID_ARGUMENT",
        ("CREATE TABLE Singers (id serial PRIMARY KEY, name text)",),
        ("ALTER DATABASE db SET spanner.default_sequence_kind = 'bit_reversed_positive'",
         "CREATE TABLE Singers (id serial PRIMARY KEY, name text)"),
    ),
    Refused(
        "named-schemas", "`GRANT SELECT ON ALL TABLES IN SCHEMA default`",
        "`default` is a reserved word, and the default schema is `public`", "INVALID_ARGUMENT",
        ("CREATE ROLE role1", "GRANT SELECT ON ALL TABLES IN SCHEMA default TO role1"),
        ("CREATE ROLE role1", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO role1"),
    ),
    Refused(
        "primary-key-default-value", "`CREATE TABLE Singers (rowid bigint, …)`",
        "the page shows it as an error: the hidden key is called `rowid`", "FAILED_PRECONDITION",
        ("CREATE TABLE Singers (rowid bigint, Name text)",),
        ("CREATE TABLE Singers (Name text)",),
    ),
    Refused(
        "query-optimizer/manage-query-optimizer", "`ALTER STATISTICS spanner.\"<package_name>\"`",
        "a placeholder, not a name", "INVALID_ARGUMENT",
        ('ALTER STATISTICS spanner."<package_name>" SET OPTIONS (allow_gc=false)',), (),
    ),
    Refused(
        "reference/postgresql/arrays", "`integer ARRAY[]`",
        "`ARRAY` takes a size or no brackets, in PostgreSQL as well", "INVALID_ARGUMENT",
        ("CREATE TABLE t (id integer PRIMARY KEY, n integer ARRAY[])",),
        ("CREATE TABLE t (id integer PRIMARY KEY, n integer ARRAY, m integer ARRAY[4])",),
    ),
    Refused(
        "reference/postgresql/data-definition-language",
        "`ALTER DATABASE name SET configuration_parameter_def`",
        "a placeholder, not an option", "INVALID_ARGUMENT",
        ("ALTER DATABASE name SET configuration_parameter_def",), (),
    ),
    Refused(
        "reference/postgresql/data-definition-language",
        "`CREATE TABLE MyTable (col1 INT64) PRIMARY KEY (col1)`, twice",
        "GoogleSQL, shown as an example of equal names", "INVALID_ARGUMENT",
        ("CREATE TABLE MyTable (col1 INT64) PRIMARY KEY (col1)",),
        ("CREATE TABLE MyTable (col1 bigint PRIMARY KEY)",),
    ),
    Refused(
        "reference/postgresql/data-definition-language, fgac-about, fgac-privileges",
        "`GRANT` and `REVOKE` of `employees`, `hr_manager` and kin",
        "the page never creates the tables and roles; accepted with them", "NOT_FOUND",
        ("REVOKE SELECT ON employees FROM hr_rep",),
        (STAFF, "CREATE ROLE hr_rep", "CREATE ROLE hr_manager",
         "GRANT SELECT (name), UPDATE (location) ON TABLE employees TO hr_rep, hr_manager",
         "GRANT hr_rep TO hr_manager", "REVOKE SELECT ON employees FROM hr_rep"),
    ),
    Refused(
        "reference/postgresql/data-definition-language",
        "`REVOKE SELECT (…), UPDATE (location) ON TABLE employees, contractors`",
        "`FROM` and a role are missing", "INVALID_ARGUMENT",
        (STAFF, "CREATE ROLE hr_rep", "REVOKE SELECT (name), UPDATE (location) ON TABLE employees"),
        (STAFF, "CREATE ROLE hr_rep",
         "REVOKE SELECT (name), UPDATE (location) ON TABLE employees FROM hr_rep"),
    ),
    Refused(
        "reference/postgresql/data-types", "`rectangle integer[4][3]`",
        "the page shows it as unsupported", "FAILED_PRECONDITION",
        ("CREATE TABLE r (id integer PRIMARY KEY, rectangle integer[4][3])",),
        ("CREATE TABLE r (id integer PRIMARY KEY, rectangle integer[4])",),
    ),
    Refused(
        "reference/postgresql/lexical", "`CREATE TABLE Foo`, the second time",
        "the page shows it as an error: the table exists", "FAILED_PRECONDITION",
        ("CREATE TABLE Foo (a int primary key)", "CREATE TABLE Foo (a int primary key)"), (),
    ),
    Refused(
        "schema-and-data-model", "`ProjectName VARCHAR(1024), )`, and the table below it",
        "a comma too many", "INVALID_ARGUMENT",
        ("CREATE TABLE Projects (ProjectId BIGINT PRIMARY KEY, ProjectName VARCHAR(1024), )",),
        ("CREATE TABLE Projects (ProjectId BIGINT PRIMARY KEY, ProjectName VARCHAR(1024) )",
         "CREATE TABLE Resources (ProjectId BIGINT, ResourceId BIGINT, PRIMARY KEY (ProjectId, "
         "ResourceId)) INTERLEAVE IN Projects"),
    ),
    Refused(
        "table-name-synonym",
        "`last_name VARCHAR(1024) PRIMARY KEY (singer_id)`, and the statements on that table",
        "a comma is missing", "INVALID_ARGUMENT",
        ("CREATE TABLE s (singer_id BIGINT, last_name VARCHAR(1024) PRIMARY KEY (singer_id))",),
        ("CREATE TABLE s (singer_id BIGINT, last_name VARCHAR(1024), PRIMARY KEY (singer_id))",),
    ),
    Refused(
        "table-name-synonym", "`DROP SYNONYM singers_test`",
        "it lacks the `ALTER TABLE` of the page that adds the synonym; accepted after it",
        "INVALID_ARGUMENT",
        (SINGERS, "ALTER TABLE singers DROP SYNONYM singers_test"),
        (SINGERS, "ALTER TABLE singers ADD SYNONYM singers_test",
         "ALTER TABLE singers DROP SYNONYM singers_test"),
    ),
    Refused(
        "ttl/working-with-ttl", "`TTL INTERVAL interval_specvar>`",
        "a placeholder, not an interval", "INVALID_ARGUMENT",
        ("CREATE TABLE t (key bigint PRIMARY KEY, ts TIMESTAMPTZ) TTL INTERVAL interval_specvar> "
         "ON ts",),
        ("CREATE TABLE t (key bigint PRIMARY KEY, ts TIMESTAMPTZ) TTL INTERVAL '5 days' ON ts",),
    ),
)  # fmt: skip


def section() -> str:
    """Return the section of the page."""
    rows = [f"| {each.page} | {each.example} | {each.why} |" for each in REFUSED]
    return "\n".join(
        [
            TITLE,
            "Generated by `python -m tests.conformance.documented_ddl`, whose statements a test runs: as a page\n"
            "has them, and made right.",
            "",
            "| page | example | why it is refused |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def written() -> str:
    """Return the section as the page has it."""
    _, _, text = PAGE.read_text(encoding="utf-8").partition(TITLE)
    text, _, _ = text.partition("\n## ")
    return TITLE + text


if __name__ == "__main__":
    whole = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(whole.replace(written(), section()), encoding="utf-8")
