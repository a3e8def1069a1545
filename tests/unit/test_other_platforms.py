"""The emulator on systems that lack what this one has, as far as they can be imitated here.

A process begins without `epoll`, `fork` or modules of POSIX, or asks how texts are encoded where
nobody says so. Branches for Windows run with a stand-in for what Windows has.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from spanemu.lint import formats

ROOT = Path(__file__).parents[2]

# Each takes something away, before anything but Python's own start has imported it.
WITHOUT = {
    "epoll": """
import select
for name in ("epoll", "poll", "kqueue", "devpoll", "POLLRDHUP"):
    if hasattr(select, name):
        delattr(select, name)
""",
    "fork": """
import os
for name in ("fork", "forkpty", "register_at_fork", "posix_spawn", "getuid", "sched_getaffinity"):
    if hasattr(os, name):
        delattr(os, name)
""",
    "modules of POSIX": """
import sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
""",
    "implied encodings": """
import warnings
warnings.filterwarnings("error", category=EncodingWarning, module=r"(pytest_)?spanemu(\\.|$)")
""",
}
# What a user does: rows in process, over the network and over REST, a dump, a load, a linted schema.
TOUR = """
import sys
from pathlib import Path
from urllib.request import urlopen

import spanemu

folder = Path(sys.argv[1])
schema = folder / "schema.sql"
schema.write_bytes("CREATE TABLE T (K INT64, S STRING(MAX)) PRIMARY KEY (K);\\n".encode())
for settings in ({}, {"embedded_channel": False}):
    with spanemu.Emulator(rest_host_port="localhost:0", **settings) as emulator:
        shop = emulator.create_database("shop", schema)
        with shop.client().batch() as batch:
            batch.insert("T", ["K", "S"], [[1, "d\\u00e9j\\u00e0 \\u6771"]])
        with shop.client().snapshot() as snapshot:
            assert list(snapshot.execute_sql("SELECT K FROM T")) == [[1]]
        with urlopen(f"{emulator.rest_uri}/v1/projects/{emulator.project}/instances") as answer:
            assert answer.status == 200
        for form, name in (("sql", "dump.sql"), ("jsonl", "jsonl"), ("csv", "csv")):
            shop.dump(folder / name, format=form)
            copy = emulator.create_database(f"copy-{form}")
            assert copy.load(folder / name) == 1
from spanemu.cli.commands import main
main(["lint", str(schema), "--baseline", str(folder / "known.json"), "--update-baseline"],
     standalone_mode=False)
main(["ddl", "format", str(schema)], standalone_mode=False)
"""
# Windows locks files by `msvcrt`; its branch is chosen when the module is imported.
LOCKS = """
import os, sys, types
import spanemu, spanemu.api.saving.keeper
from spanemu.api.saving import directory

spanemu.Emulator  # Other packages, which it imports, look for the module msvcrt as well.

held = set()

def locking(descriptor, mode, size):
    "Lock a file as msvcrt does: an error if the file is locked."
    file = os.fstat(descriptor).st_ino
    if mode == 0:
        held.discard(file)
    elif file in held:
        raise PermissionError(13, "locked")
    else:
        held.add(file)

sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2, LK_UNLCK=0)
source = open(directory.__file__, encoding="utf-8").read()
os.name = "nt"
branch = source[source.index('if os.name == "nt":\\n    import msvcrt'):]
exec(compile(branch, directory.__file__, "exec"), vars(directory))
os.name = "posix"
first = spanemu.Emulator(data_dir=sys.argv[1])
try:
    spanemu.Emulator(data_dir=sys.argv[1])
except directory.DirectoryInUse:
    first.close()
    spanemu.Emulator(data_dir=sys.argv[1]).close()
    print("refused")
"""


def run(code: str, *arguments: str, options: tuple[str, ...] = (), **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", code, *arguments], capture_output=True, encoding="utf-8",
        errors="replace", check=False, timeout=120, env={**os.environ, **variables},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("lacking", WITHOUT)
def test_everything_works_on_a_system_without(lacking: str, tmp_path: Path) -> None:
    options = ("-X", "warn_default_encoding") if lacking == "implied encodings" else ()
    run(WITHOUT[lacking] + TOUR, str(tmp_path), options=options)


@pytest.mark.skipif(os.name == "nt", reason="has the module msvcrt itself")
def test_a_data_directory_is_locked_as_on_windows(tmp_path: Path) -> None:
    assert run(LOCKS, str(tmp_path)).strip() == "refused"


@pytest.mark.parametrize("command", ["sql", "layout", "lint", "dump"])
def test_an_output_without_unicode_shows_what_it_can(command: str, tmp_path: Path) -> None:
    code = f"""
import subprocess, sys
import spanemu
with spanemu.Emulator() as emulator:
    shop = emulator.create_database("shop", "CREATE TABLE T (K STRING(MAX)) PRIMARY KEY (K)")
    with shop.client().batch() as batch:
        batch.insert("T", ["K"], [["d\\u00e9j\\u00e0 \\u6771"]])
    schema, table, rows = (r"{tmp_path}/" + name for name in ("hot.sql", "table.sql", "rows.json"))
    with open(table, "w", encoding="utf-8") as file:
        file.write("CREATE TABLE T (K STRING(MAX)) PRIMARY KEY (K)")
    with open(rows, "w", encoding="utf-8") as file:
        file.write('{{"T": {{"columns": ["K"], "rows": [["d\u00e9j\u00e0 \u6771"]]}}}}')
    with open(schema, "w", encoding="utf-8") as file:
        file.write("-- \\u6771\\nCREATE TABLE T (K TIMESTAMP) PRIMARY KEY (K);")
    arguments = {{
        "sql": ["shop", "--execute", "SELECT K FROM T", "--host-port", emulator.uri],
        "layout": ["--schema", table, "--rows", rows],
        "lint": [schema],
        "dump": ["shop", "--host-port", emulator.uri],
    }}[{command!r}]
    done = subprocess.run([sys.executable, "-m", "spanemu", {command!r}, *arguments],
                          capture_output=True)
    print(done.returncode, b"Traceback" in done.stderr, done.stderr[-2000:])
"""
    printed = run(code, PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert printed.split()[0] in ("0", "1"), printed
    assert printed.split()[1] == "False", printed


def test_paths_of_windows_become_uris_in_sarif(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "PurePath", PureWindowsPath)
    assert formats.file_uri("db\\a b.sql") == "db/a%20b.sql"
    assert formats.file_uri("C:\\db\\a.sql") == "file:///C:/db/a.sql"


def test_dumps_and_scripts_on_standard_streams_are_utf_8(tmp_path: Path) -> None:
    code = """
import subprocess, sys
import spanemu
with spanemu.Emulator() as emulator:
    shop = emulator.create_database("shop", "CREATE TABLE T (K STRING(MAX)) PRIMARY KEY (K)")
    with shop.client().batch() as batch:
        batch.insert("T", ["K"], [["d\\u00e9j\\u00e0 \\u6771"]])
    command = [sys.executable, "-m", "spanemu", "dump", "shop", "-q", "--host-port", emulator.uri]
    written = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    script = "INSERT INTO T (K) VALUES ('\\u6771');\\n".encode()
    sql = [sys.executable, "-m", "spanemu", "sql", "shop", "--host-port", emulator.uri]
    subprocess.run(sql, input=script, check=True)
    with shop.client().snapshot() as snapshot:
        assert ["\\u6771"] in list(snapshot.execute_sql("SELECT K FROM T"))
    copy = emulator.create_database("copy")
    assert copy.load(sql=written.decode("utf-8")) == 1
    assert b"\\r" not in written
"""
    run(code, PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
