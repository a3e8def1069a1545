"""Long builds of a template say what they are at."""

import re
import threading

from pytest_spanemu.databases.progress import Progress


def test_what_takes_long_is_told_until_it_is_done():
    lines, told = [], threading.Event()

    def write(line):
        lines.append(line)
        if "seeds" in line:
            told.set()

    with Progress(write, every=0.001) as progress:
        progress.now_at("schema.sql")
        progress.now_at("seeds")
        assert told.wait(30)
    count = len(lines)
    assert re.fullmatch(r"spanner: building the template, \d+ s: seeds", lines[-1])
    assert len(lines) == count


def test_a_long_build_is_told_around_pytests_capture(project):
    project.file(
        "slow.py",
        """
import builtins
import re
import threading
from pytest_spanemu.databases import progress

told = threading.Event()

def tell(*args, **named):
    builtins.print(*args, **named)
    if "slow:ddl" in args[0]:  # and not of what came before
        told.set()

progress.EVERY_SECONDS, progress.print = 0.1, tell

def ddl(database):
    assert told.wait(30)
""",
    )
    project.file("conftest.py", "import slow")
    result = project.run_apart(
        "def test_it(spanner_database): pass", "--spanner-schema=call:slow:ddl"
    )
    result.assert_outcomes(passed=1)
    result.stderr.fnmatch_lines(["spanner: building the template, * s: call:slow:ddl"])
