"""Statements of a schema file that declare no schema: the linter skips them.

Migration files hold more than DDL: rows that belong to the schema, and the statements by which
JDBC, Liquibase, Go's database/sql driver and the command-line clients steer a connection, such as
START BATCH DDL, RUN BATCH and SET PROTO_DESCRIPTORS.
"""

from __future__ import annotations

import re

from spanemu.base.name_hints import words_of

_DATA = words_of("INSERT UPDATE DELETE SELECT WITH FROM GRAPH CALL")
_TRANSACTIONS = words_of("BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE")
_BATCHES = words_of("RUN ABORT")  # START BATCH is among the transactions' words
_SESSION = words_of("SET SHOW RESET USE EXPLAIN DESCRIBE PARTITION")

_SKIPPED = _DATA | _TRANSACTIONS | _BATCHES | _SESSION  # no schema statement begins so
_FIRST_WORD = re.compile(r"(?:@\s*\{[^}]*\}\s*)?([A-Za-z]+)")  # after a statement hint


def is_client_statement(text: str) -> bool:
    """Return whether `text`, which begins with a token, is DML, a query or a client's command."""
    word = _FIRST_WORD.match(text)
    return word is not None and word[1].upper() in _SKIPPED
