"""What a schema statement does, told from its opening words."""

import pytest

from spanemu.admin.operation_kinds import DdlAction, ddl_action


@pytest.mark.parametrize(
    ("statement", "action", "kind", "names"),
    [
        ("CREATE TABLE Singers (Id INT64)", "CREATE", "TABLE", ("Singers",)),
        ("create table if not exists a.b (x INT64)", "CREATE", "TABLE", ("a.b",)),
        ("CREATE UNIQUE NULL_FILTERED INDEX `I` ON T(a)", "CREATE", "INDEX", ("I",)),
        ("CREATE OR REPLACE VIEW v SQL SECURITY INVOKER AS SELECT 1", "CREATE", "VIEW", ("v",)),
        ("DROP INDEX IF EXISTS I", "DROP", "INDEX", ("I",)),
        ("ALTER TABLE Placement ADD COLUMN x INT64", "ALTER", "TABLE", ("Placement",)),
        ("ALTER DATABASE `my-db` SET OPTIONS (x = 1)", "ALTER", "DATABASE", ("my-db",)),
        ("CREATE CHANGE STREAM s FOR ALL", "CREATE", "CHANGE STREAM", ("s",)),
        ("CREATE SEARCH INDEX s ON T(x)", "CREATE", "SEARCH INDEX", ("s",)),
        ("CREATE PROTO BUNDLE (a.B)", "CREATE", "PROTO BUNDLE", ()),
        ("-- why\n# and\n/* how */ DROP TABLE T", "DROP", "TABLE", ("T",)),
        ("ANALYZE", "ANALYZE", "", ()),
        ("GRANT SELECT ON TABLE T TO ROLE r", "GRANT", "", ()),
        ("", "", "", ()),
        ("/*", "", "", ()),
    ],
)
def test_actions(statement, action, kind, names):
    assert ddl_action(statement) == DdlAction(action, kind, names)
