"""What the fuzzer starts from: awkward strings, literals of every type, statements, functions."""

from __future__ import annotations

from spanemu.sql.googlesql.catalog import CATALOG
from tests.golden.runner import Case, golden_files, parse_golden

SCHEMA = (
    """CREATE TABLE Singers (
      SingerId INT64 NOT NULL, FirstName STRING(100), LastName STRING(MAX), Info JSON, Born DATE,
      Seen TIMESTAMP OPTIONS (allow_commit_timestamp = true), Score FLOAT64, Small FLOAT32,
      Price NUMERIC, Photo BYTES(100), Tags ARRAY<STRING(20)>, Active BOOL DEFAULT (TRUE),
      CONSTRAINT Priced CHECK (Price IS NULL OR Price >= 0)
    ) PRIMARY KEY (SingerId)""",
    """CREATE TABLE Albums (
      SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, Title STRING(MAX), Sold INT64,
      Upper STRING(MAX) AS (UPPER(Title)) STORED
    ) PRIMARY KEY (SingerId, AlbumId DESC), INTERLEAVE IN PARENT Singers ON DELETE CASCADE""",
    "CREATE INDEX AlbumsByTitle ON Albums (Title) STORING (Sold)",
    "CREATE UNIQUE NULL_FILTERED INDEX SingersByName ON Singers (LastName DESC)",
    """CREATE TABLE Concerts (
      Venue STRING(50) NOT NULL, Day DATE NOT NULL, SingerId INT64,
      CONSTRAINT Playing FOREIGN KEY (SingerId) REFERENCES Singers (SingerId)
    ) PRIMARY KEY (Venue, Day DESC)""",
    """CREATE TABLE Knows (
      SingerId INT64 NOT NULL, Other INT64 NOT NULL, Since INT64, Weight FLOAT64
    ) PRIMARY KEY (SingerId, Other), INTERLEAVE IN PARENT Singers ON DELETE CASCADE""",
    """CREATE PROPERTY GRAPH Music
      NODE TABLES (
        Singers LABEL Singer PROPERTIES (SingerId, LastName, Score, Tags) LABEL Named PROPERTIES (
          LastName AS Name),
        Albums LABEL Album PROPERTIES (SingerId, AlbumId, Sold) LABEL Named PROPERTIES (
          Title AS Name))
      EDGE TABLES (
        Albums AS Made SOURCE KEY (SingerId) REFERENCES Singers
          DESTINATION KEY (SingerId, AlbumId) REFERENCES Albums NO PROPERTIES,
        Knows SOURCE KEY (SingerId) REFERENCES Singers DESTINATION KEY (Other) REFERENCES Singers)
    """,
    """CREATE MODEL Rater INPUT (content STRING(MAX)) OUTPUT (Score FLOAT64)
      REMOTE OPTIONS (endpoint = '//aiplatform.googleapis.com/e')""",
    """CREATE FUNCTION Far(x INT64) RETURNS STRING NOT DETERMINISTIC LANGUAGE REMOTE
      OPTIONS (endpoint = 'https://example.com')""",
)

TABLES = {
    "Singers": (
        "SingerId FirstName LastName Info Born Seen Score Small Price Photo Tags Active"
    ).split(),
    "Albums": ["SingerId", "AlbumId", "Title", "Sold"],
    "Concerts": ["Venue", "Day", "SingerId"],
    "Knows": ["SingerId", "Other", "Since", "Weight"],
}

ROWS = (
    """INSERT INTO Singers
         (SingerId, FirstName, LastName, Info, Born, Score, Small, Price, Photo, Tags)
       VALUES (1, 'Marc', 'Richards', JSON '{"a": [1, {"b": null}]}', DATE '1970-09-03', 1.5, 0.5,
               NUMERIC '10.25', b'\\x00\\xff', ['x', NULL, '']),
              (2, 'Catalina', 'Smith', NULL, NULL, CAST('nan' AS FLOAT64), NULL, NULL, b'', []),
              (3, '\\U0001F3A4', NULL, JSON 'null', DATE '0001-01-01', CAST('-inf' AS FLOAT64),
               1e30, NUMERIC '0', NULL, NULL)""",
    """INSERT INTO Albums (SingerId, AlbumId, Title, Sold)
       VALUES (1, 1, 'Total Junk', 5), (1, 2, 'Go, Go, Go', NULL), (2, 1, 'Green', -1),
              (2, 9223372036854775807, NULL, 9223372036854775807)""",
    """INSERT INTO Concerts (Venue, Day, SingerId)
       VALUES ('Hall', DATE '2024-02-29', 1), ('', DATE '9999-12-31', NULL)""",
    """INSERT INTO Knows (SingerId, Other, Since, Weight)
       VALUES (1, 2, 2001, 1.5), (2, 1, 2002, 0.5), (2, 3, NULL, NULL),
              (3, 3, 2004, CAST('nan' AS FLOAT64)),
              (1, 7, 2005, 1)""",
)

QUERIES = (
    "SELECT 1",
    "SELECT * FROM Singers",
    "SELECT s.LastName, COUNT(*) FROM Singers AS s JOIN Albums USING (SingerId) GROUP BY 1",
    "SELECT * FROM Albums@{FORCE_INDEX=AlbumsByTitle} WHERE Title > 'G' ORDER BY Title LIMIT 2",
    "SELECT FirstName FROM Singers WHERE SingerId IN UNNEST([1, 2]) AND Born < CURRENT_DATE()",
    "SELECT a, b FROM UNNEST([STRUCT(1 AS a, 'x' AS b), (2, NULL)]) WITH OFFSET AS o WHERE o > 0",
    "SELECT ARRAY(SELECT AS STRUCT Title, Sold FROM Albums AS a WHERE a.SingerId = s.SingerId)"
    " FROM Singers AS s WHERE EXISTS (SELECT 1 FROM Concerts c WHERE c.SingerId = s.SingerId)",
    "WITH t AS (SELECT SingerId, SUM(Sold) AS n FROM Albums GROUP BY SingerId)"
    " SELECT * FROM t WHERE n IS NOT NULL UNION ALL SELECT 1, 2 ORDER BY 1 DESC LIMIT 3 OFFSET 1",
    "SELECT CASE WHEN Score > 0 THEN 'up' ELSE NULL END, CAST(Price AS STRING), Info.a[0]"
    " FROM Singers WHERE FirstName LIKE 'M%' OR REGEXP_CONTAINS(LastName, r'^S.*h$')",
    "SELECT FORMAT_TIMESTAMP('%F %T', TIMESTAMP '2024-01-01 00:00:00+02', 'Europe/Berlin'),"
    " DATE_ADD(DATE '2024-01-31', INTERVAL 1 MONTH), EXTRACT(ISOWEEK FROM DATE '2024-12-30')",
    "SELECT Title FROM Albums TABLESAMPLE RESERVOIR (2 ROWS)",
    "SELECT DISTINCT Tags[SAFE_OFFSET(1)], TO_HEX(Photo), SAFE_DIVIDE(Sold, 0) FROM Singers"
    " FULL JOIN Albums USING (SingerId)",
    "FROM Albums |> WHERE Sold > 0 |> AGGREGATE COUNT(*) AS n GROUP BY SingerId |> LIMIT 5",
    "SELECT * FROM Singers EXCEPT ALL SELECT * FROM Singers INTERSECT DISTINCT SELECT 1",
    "SELECT * FROM ML.PREDICT(MODEL Rater, (SELECT Title AS content, * FROM Albums), STRUCT(1 AS n))"
    " AS p WHERE Score > 0",
    "SELECT Far(SingerId), AI.SCORE(Title) FROM Albums WHERE AI.IF(('is ', Title)) AND Sold > 0",
    "SELECT table_name FROM information_schema.tables WHERE table_schema = ''",
)

GRAPHS = (
    "GRAPH Music MATCH (a:Singer {SingerId: 1})-[k:Knows]->(b) RETURN a.LastName, k.Since, b.Name",
    "GRAPH Music MATCH p = ANY SHORTEST (a:Singer)-[k:Knows WHERE k.Since > 2000]->{0,3}(b:Singer)"
    " WHERE a.SingerId < b.SingerId RETURN TO_JSON(p) AS path, PATH_LENGTH(p) AS n ORDER BY n",
    "GRAPH Music MATCH TRAIL (a)-[e]-{1,4}(b) LET n = COUNT(e) FILTER n > 1 RETURN n, LABELS(b) AS"
    " l LIMIT 5",
    "GRAPH Music MATCH ANY CHEAPEST (a {SingerId: 1})-[k:Knows WHERE k.Weight > 0 COST"
    " k.Weight]->{1,3}(b) RETURN b.Name",
    "GRAPH Music MATCH (a:Singer) OPTIONAL MATCH (a)-[:Made]->(m:Album|Named&!Singer) RETURN a,"
    " COUNT(m) AS n NEXT FILTER n >= 0 RETURN a.LastName, n ORDER BY n DESC NULLS LAST SKIP 1"
    " LIMIT 2",
    "GRAPH Music MATCH (a:Singer) FOR t IN a.Tags WITH OFFSET AS o RETURN DISTINCT t, o UNION ALL"
    " RETURN 'x' AS t, 1 AS o NEXT CALL (t) {MATCH (b:Singer) RETURN COUNT(*) AS c} RETURN t, c"
    " GROUP BY t, c",
    "GRAPH Music MATCH (a:Singer)((x)-[k:Knows]->(y) WHERE x.SingerId != y.SingerId){0,2}(b) WHERE"
    " EXISTS {(z)<-[e]-() WHERE SAME(z, b) OR e IS LABELED Knows|%} AND a.SingerId IN {MATCH"
    " (c:Singer) RETURN c.SingerId} LET since = SUM(k.Since) RETURN a.SingerId AS s, since,"
    " ARRAY_LENGTH(k) AS n, VALUE {MATCH (q) RETURN COUNT(*) AS one} AS v",
    "GRAPH Music MATCH (a:Singer)-[k:Knows]->(b) FILTER IS_FIRST(1) OVER (PARTITION BY a ORDER BY"
    " k.Since DESC) WITH a, b, PROPERTY_EXISTS(b, Score) AS has RETURN ELEMENT_ID(a) AS i,"
    " SAME(a, b) AS s, has",
    "GRAPH Music MATCH (a:Singer)-[k:Knows WHERE k IN {MATCH -[f:Knows]-> FILTER IS_FIRST(1) OVER"
    " (PARTITION BY SOURCE_NODE_ID(f) ORDER BY f.Since DESC) RETURN f} AND TO_JSON(k) IS NOT NULL]"
    "-{1,3}(b WHERE ELEMENT_ID(b) > '') RETURN b.Name, ARRAY_LENGTH(k) AS n",
    "GRAPH Music MATCH p = ANY CHEAPEST (a:Singer)-[k:Knows COST LENGTH(TO_JSON_STRING(TO_JSON(k)))]"
    "->{1,2}(b) RETURN PATH_LENGTH(p) AS n, LABELS(PATH_LAST(p)) AS l",
    "GRAPH Music MATCH (a:Singer)-[k:Knows]->(b) RETURN a, COUNT(*) AS c, IS_FIRST(1) OVER"
    " (PARTITION BY a ORDER BY MAX(k.Since), COUNT(DISTINCT b)) AS f GROUP BY a NEXT FILTER f"
    " RETURN a.SingerId, c",
    "SELECT x.n FROM GRAPH_TABLE(Music MATCH (a:Singer) RETURN a) AS g, GRAPH_TABLE(Music MATCH"
    " (b)-[k:Knows]-{1,2}(c) WHERE b = g.a RETURN COUNT(*) AS n) AS x WHERE g.a.SingerId > 0",
    "SELECT g.Name, COUNT(*) FROM Albums AS t, GRAPH_TABLE(Music MATCH (n:Named)<-[:Made]-(s:Singer"
    " {SingerId: t.SingerId}) RETURN n.Name, s) AS g WHERE g.s IS NOT NULL GROUP BY g.Name",
)

WRITES = (
    "DELETE FROM Knows WHERE Other IN {GRAPH Music MATCH (a:Singer {SingerId: 1})-[:Knows]->(b)"
    " RETURN b.SingerId}",
    "INSERT INTO Concerts (Venue, Day) VALUES ('Arena', DATE '2025-01-01') THEN RETURN *",
    "INSERT OR UPDATE INTO Albums (SingerId, AlbumId, Title) SELECT 3, 7, 'New'",
    "UPDATE Albums SET Sold = IFNULL(Sold, 0) + 1, Title = DEFAULT WHERE SingerId = 1",
    "UPDATE Singers SET Seen = PENDING_COMMIT_TIMESTAMP(), Tags = ['q'] WHERE TRUE",
    "DELETE FROM Singers WHERE SingerId NOT IN (SELECT SingerId FROM Concerts)",
    "DELETE FROM Albums WHERE Sold < 0 THEN RETURN WITH ACTION AS act SingerId",
)

LITERALS = (
    "NULL", "TRUE", "0", "1", "-1", "7", "9223372036854775807", "-9223372036854775808",
    "99999999999999999999", "0x7fffffffffffffff", "1e308", "1e400", "-0.0", "5e-324", ".5",
    "CAST('nan' AS FLOAT64)", "CAST('inf' AS FLOAT64)", "CAST('-inf' AS FLOAT32)",
    "NUMERIC '99999999999999999999999999999.999999999'", "NUMERIC '-0.000000001'",
    "''", "'a'", "'\\0'", "'%'", "'\\\\'", "'(['", "'%E*S %Z %Q'", "'\\U0001F9D1\\u200d'",
    "'YYYY-MM-DD'", "'America/Los_Angeles'", "'2024-02-30'", "'{\"a\": [1]}'", "'$.a[0]'",
    "REPEAT('ab', 1000)", "b''", "b'\\x80\\xff'", "DATE '0001-01-01'", "DATE '9999-12-31'",
    "TIMESTAMP '0001-01-01 00:00:00Z'", "TIMESTAMP '9999-12-31 23:59:59.999999999Z'",
    "INTERVAL 1 DAY", "INTERVAL -10000 YEAR", "INTERVAL '1-2 3 4:5:6.789' YEAR TO SECOND",
    "JSON 'null'", "JSON '[1, {\"a\": 1e99}]'", "[]", "[1, NULL]", "['x']", "[1.5, 2]",
    "CAST(NULL AS ARRAY<STRING>)", "STRUCT(1, 'x')", "STRUCT<a INT64>(NULL)", "@p", "DAY", "*",
    "(SELECT 1)", "ARRAY(SELECT 1)", "x -> x", "CURRENT_TIMESTAMP()", "GENERATE_UUID()",
)  # fmt: skip

WORDS = (
    "SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET UNION ALL DISTINCT INTERSECT EXCEPT WITH "
    "AS JOIN LEFT OUTER CROSS HASH ON USING UNNEST IN NOT EXISTS BETWEEN LIKE IS NULL CASE WHEN "
    "THEN ELSE END CAST SAFE_CAST EXTRACT ARRAY STRUCT INTERVAL DATE TIMESTAMP NUMERIC JSON BYTES "
    "INSERT INTO VALUES UPDATE SET DELETE RETURN OR IGNORE DEFAULT CREATE TABLE INDEX UNIQUE ALTER "
    "ADD COLUMN DROP PRIMARY KEY INTERLEAVE PARENT CASCADE CONSTRAINT FOREIGN REFERENCES CHECK "
    "STORING OPTIONS VIEW SEQUENCE CHANGE STREAM FOR MAX INT64 STRING STORED HIDDEN GENERATED "
    "IDENTITY ROW DELETION POLICY OLDER_THAN IF ( ) [ ] { } < > , . ; : @ @@ @{ => -> |> || << >> "
    "+ - * / = != <> <= >= ~ & ^ ? $ # -- /* */ ` ' \" ''' r' b\" \\ "
    "Singers Albums Concerts SingerId AlbumId Title Sold Tags Info Born Price _ PARTITION "
    "GRAPH Music MATCH OPTIONAL FILTER LET NEXT SKIP CALL YIELD RETURN ANY SHORTEST CHEAPEST TRAIL "
    "ACYCLIC WALK SIMPLE COST SOURCE DESTINATION OF LABELED VALUE PER GRAPH_TABLE ! % <- - ]-> -[ "
    "{1,3} {0} {,2} {2,} (a) (b) Singer Named Knows Made Name "
    "MODEL ML.PREDICT AI.IF AI.CLASSIFY AI.SCORE REMOTE INPUT OUTPUT Rater Far"
).split(" ")

STRINGS = (
    "", " ", "\0", "\n", "-", "/", "..", "*", "_", "0", "-1", "NaN", "null", "{0.__class__}", "{}",
    "%s%n%d", "'; DROP TABLE Singers; --", "\u202e", "\ufeff", "\ud7ff\ue000", "é", "e\u0301",
    "\U0001f9d1\u200d\U0001f680", "İ", "ß", "x" * 10_000, "9" * 400, "1e999", "2024-02-30",
    "0000-00-00T00:00:00Z", "9999-12-31T23:59:60Z", "2024-01-01T00:00:00.1234567891Z", "AA=", "====",
    "projects/p/instances/i/databases/d", "projects//instances//databases/", "projects/-",
    "projects/p/instances/i/databases/d/sessions/s", "projects/p/instances/i/operations/o",
    "state:READY", "name:* AND", "(((", "labels.a:b OR", "Singers", "Albums", "singerid", "SingerId",
    "AlbumsByTitle", "PRIMARY_KEY", "INFORMATION_SCHEMA.TABLES", "spanner.commit_timestamp()",
)  # fmt: skip

FUNCTIONS = tuple(
    sorted(name for name in (*CATALOG.scalars, *CATALOG.aggregates) if not name.startswith("$"))
)


def _golden(*commands: str) -> tuple[str, ...]:
    cases = (
        case
        for area in ("parse", "plan")
        for path in golden_files(area)
        for case in parse_golden(path.read_text(encoding="utf-8"))
    )
    return tuple(
        case.input
        for case in cases
        if isinstance(case, Case) and case.command in commands and case.input
    )


STATEMENTS = (*QUERIES, *GRAPHS, *WRITES, *_golden("query", "statement", "plan"))
# Each of these can be run on SCHEMA.
CHANGES = (
    "ALTER TABLE Albums ADD COLUMN Rank INT64 NOT NULL DEFAULT (7)",
    "ALTER TABLE Concerts DROP CONSTRAINT Playing",
    "ALTER TABLE Albums ADD CONSTRAINT More CHECK (Sold > -100)",
    "CREATE INDEX ByDay ON Concerts (Day DESC, SingerId)",
    "CREATE VIEW Sales SQL SECURITY INVOKER AS SELECT a.SingerId, a.Sold FROM Albums AS a",
    "CREATE SEQUENCE Ids OPTIONS (sequence_kind = 'bit_reversed_positive')",
    "CREATE TABLE More (K INT64 DEFAULT (1), V ARRAY<STRING(MAX)>) PRIMARY KEY (K DESC)",
    "DROP INDEX AlbumsByTitle",
    "DROP TABLE Concerts",
)
DDL = (
    *SCHEMA,
    *CHANGES,
    *_golden("ddl"),
    "ALTER TABLE Albums ALTER COLUMN Title STRING(40) NOT NULL",
    "ALTER TABLE Albums DROP COLUMN Sold",
    "ALTER TABLE Singers SET ON DELETE NO ACTION",
    "ALTER DATABASE d SET OPTIONS (version_retention_period = '2d')",
    "ANALYZE",
)
