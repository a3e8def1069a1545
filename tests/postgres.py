"""A private PostgreSQL cluster, as an oracle for the PostgreSQL dialect.

It has Spanner's settings (time zone America/Los_Angeles, C locale), listens on a Unix socket in a
temporary folder, and is gone afterwards. PostgreSQL refuses to run as root: root starts it as the
user `postgres`, or as `nobody`.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_SETTINGS = (
    "timezone=America/Los_Angeles",
    "datestyle=ISO,MDY",
    "intervalstyle=iso_8601",
    "fsync=off",
    "lc_messages=C",
    "listen_addresses=",
)

# ev(query) -> the rows of a query or of a DML statement with RETURNING, each a JSON object as
# text, or "error" with the SQLSTATE and the message.
_EVALUATE = """
CREATE FUNCTION ev(q text, is_dml bool) RETURNS text[] LANGUAGE plpgsql AS $f$
DECLARE v text[];
BEGIN
  IF is_dml THEN
    EXECUTE 'WITH q AS (' || q || ') SELECT array_agg(row_to_json(q)::text) FROM q' INTO v;
  ELSE
    EXECUTE 'SELECT array_agg(row_to_json(q)::text) FROM (' || q || ') AS q' INTO v;
  END IF;
  RETURN coalesce(v, '{}');
EXCEPTION WHEN OTHERS THEN RETURN ARRAY['error', sqlstate, sqlerrm];
END $f$;
"""


class PostgresError(Exception):
    """PostgreSQL refused a statement; `state` is the SQLSTATE."""

    def __init__(self, state: str, message: str) -> None:
        super().__init__(f"{state} {message}")
        self.state = state


class Postgres:
    """A running cluster."""

    def __init__(self, programs: Path, folder: Path, user: str | None) -> None:
        self._programs = programs
        self._folder = folder
        self._user = user

    def run(self, program: str, *arguments: str, text: str | None = None) -> str:
        """Run one of PostgreSQL's programs and return what it prints."""
        command = [str(self._programs / program), *arguments]
        if self._user is not None:
            command = ["runuser", "-u", self._user, "--", *command]
        done = subprocess.run(
            command,
            input=text,
            # A server that pg_ctl starts keeps a pipe open.
            stdout=subprocess.DEVNULL if text is None else subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr[-500:]}")
        return done.stdout or ""

    def execute(self, script: str) -> str:
        """Run a script of SQL and return what psql prints."""
        connection = ("-h", str(self._folder), "-U", "oracle", "-d", "postgres")
        return self.run("psql", "-X", "-q", "-A", "-t", *connection, text=script)

    def rows(self, statements: Sequence[str]) -> list[list[list[Any]] | PostgresError]:
        """Return the rows of each statement, or its error; no statement changes anything.

        Numbers are text, as PostgreSQL prints them.
        """
        script = "".join(
            f"BEGIN; SELECT encode(convert_to(to_json(ev($ev${each}$ev$, {_is_dml(each)}))::text, "
            "'UTF8'), 'hex'); ROLLBACK;\n"
            for each in statements
        )
        answers = [json.loads(bytes.fromhex(line)) for line in self.execute(script).split()]
        return [
            PostgresError(*answer[1:])
            if answer[:1] == ["error"]
            else [_values(row) for row in answer]
            for answer in answers
        ]


def _is_dml(statement: str) -> str:
    return str(statement.split()[0].upper() in ("INSERT", "UPDATE", "DELETE"))


def _values(row: str) -> list[Any]:
    pairs = json.loads(row, parse_int=str, parse_float=str, object_pairs_hook=list)
    return [value for _, value in pairs]


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Yield a private cluster; skip the test where PostgreSQL is not installed."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL (initdb, pg_ctl, psql): not installed here")
    user = None
    if os.geteuid() == 0:
        users = {each.pw_name for each in pwd.getpwall()}
        user = "postgres" if "postgres" in users else "nobody"
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if user is not None:
            shutil.chown(folder, user)
        cluster = Postgres(programs, folder, user)
        data = str(folder / "data")
        locale = ("-E", "UTF8", "--locale=C")
        cluster.run("initdb", "-D", data, "-U", "oracle", *locale, "-A", "trust")
        settings = (*_SETTINGS, f"unix_socket_directories={folder}")
        options = " ".join(f"-c {each}" if each[-1] != "=" else f"-c {each}''" for each in settings)
        cluster.run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            cluster.execute(_EVALUATE)
            yield cluster
        finally:
            cluster.run("pg_ctl", "-D", data, "-m", "immediate", "stop")


def _programs() -> Path | None:
    """Return the folder with PostgreSQL's programs, or None."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    folders = [*debian, *([Path(on_path).resolve().parent] if on_path else [])]
    return next((each for each in folders if (each / "initdb").exists()), None)
