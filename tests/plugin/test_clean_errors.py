"""Errors of SQL: the statement with a caret, the test's own line, and nothing of the client's."""

import re

import pytest

FOREIGN = ["*site-packages*", "*grpc*", "*embedded/calls.py*", "*request_id*", "*Traceback*"]


@pytest.mark.parametrize(
    ("body", "lines", "word"),
    [
        ('spanner_sql("SELEC 1")', ["*InvalidArgument: 400 Syntax error: *"], "SELEC"),
        (
            'spanner_sql("SELECT SingerId,\\n  Nam\\nFROM Singers")',
            ["*SELECT SingerId,", "*Nam", "*^", "*FROM Singers"],
            "Nam",
        ),
        (
            'spanner_sql("SELECT @p")',
            ["*No parameter found for binding: p*", "*SELECT @p"],
            None,
        ),
        (
            """spanner_sql("INSERT INTO Singers (SingerId, Nam) VALUES (1, 'a')")""",
            ["*INSERT INTO Singers (SingerId, Nam)*"],
            "Nam",
        ),
        (
            'spanner_assert.rows("Singrs")',
            ["*Table not found: Singrs*", "*SELECT [*] FROM Singrs WHERE TRUE"],
            "Singrs",
        ),
        ('spanner_assert.plan("SELECT Nam FROM Singers")', ["*SELECT Nam FROM Singers"], "Nam"),
        ('spanner_factory.Singers(SingerId="x")', ["*FailedPrecondition: 400 *'x' as *"], None),
    ],
)
@pytest.mark.parametrize("location", ["test", "fixture"])
def test_an_error_of_sql_shows_the_statement_and_no_line_of_the_client(
    music, body, lines, word, location
):
    fixtures = "spanner_sql, spanner_assert, spanner_factory"
    result = music.run(
        f"""
        import pytest

        @pytest.fixture
        def prepared({fixtures}):
            if {location == "fixture"}:
                {body}

        def test_it({fixtures}, prepared):
            {body}
        """
    )
    result.assert_outcomes(**{"test": {"failed": 1}, "fixture": {"errors": 1}}[location])
    result.stdout.fnmatch_lines([">*", *(f"E {line}" for line in lines)])
    assert pointed_at(result.outlines, word)
    for foreign in FOREIGN:
        result.stdout.no_fnmatch_line(foreign)


def pointed_at(lines, word):
    """Return whether the only caret is below a word; no caret without one."""
    carets = [number for number, line in enumerate(lines) if re.fullmatch(r"E +\^", line)]
    if word is None:
        return not carets
    (caret,) = carets
    return lines[caret - 1][lines[caret].index("^") :].startswith(word)


def test_errors_of_sql_keep_their_type(music):
    music.run(
        """
        import pytest
        from google.api_core.exceptions import AlreadyExists, InvalidArgument

        def test_it(spanner_sql):
            with pytest.raises(InvalidArgument, match="Unexpected identifier") as caught:
                spanner_sql("SELEC 1")
            assert caught.value.code == 400
            spanner_sql("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')")
            with pytest.raises(AlreadyExists):
                spanner_sql("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')")
        """
    ).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("schema", "lines"),
    [
        ("CREATE TABEL T (K INT64)", ["schema.sql:1: Syntax error:*", "*CREATE TABEL T*", "*^"]),
        (
            "CREATE TABLE T (\n  K INT64,\n  C INT64 DEFAULT (LOWR(K))\n) PRIMARY KEY (K)",
            ["*schema.sql:3: *Function not found: LOWR*", "*C INT64 DEFAULT (LOWR(K))", "*^"],
        ),
        (
            "CREATE TABLE T (K INT64) PRIMARY KEY (K);\nINSERT INTO T (J) VALUES (1)",
            ["*schema.sql:2: Column J is not present*", "*INSERT INTO T (J) VALUES (1)", "*^"],
        ),
    ],
)
def test_an_error_of_a_schema_shows_the_statement(project, schema, lines):
    project.file("schema.sql", schema)
    result = project.run("def test_it(spanner_database): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{line}" for line in lines])
    for foreign in FOREIGN:
        result.stdout.no_fnmatch_line(foreign)


def test_an_error_of_seeds_shows_the_statement(music):
    music.file("seeds/rows.sql", "INSERT INTO Singers (SingerId, Nam) VALUES (1, 'a')")
    result = music.run("def test_it(spanner_database): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*rows.sql:1: Column Nam*", "*INSERT INTO Singers*", "*^"])


@pytest.mark.parametrize(
    ("name", "said"),
    [("no_fullscan", "'no_fullscan'. Did you mean 'no_full_scan'?"), ("zzz", "has no 'zzz'.")],
)
def test_an_unknown_assertion_has_one_suggestion_or_none(music, name, said):
    result = music.run(f"def test_it(spanner_assert): spanner_assert.{name}()")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E *AttributeError: spanner_assert has no *{said.split()[-1]}"])
    assert ("Did you mean" in result.stdout.str()) == ("Did you mean" in said)
