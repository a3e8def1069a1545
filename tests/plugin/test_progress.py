"""Long builds of a template show what they are at."""

import io
import re
import threading

from pytest_spanemu import seeds
from pytest_spanemu.databases.progress import Lines, LiveLine, Progress, display_for
from pytest_spanemu.databases.template import Schema, Template


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


class Shown:
    """A display that keeps what it shows, without waiting."""

    first = every = 0.001

    def __init__(self):
        self.lines, self.is_closed, self.has_seeds = [], False, threading.Event()

    def show(self, line):
        self.lines.append(line)
        if "seeds" in line:
            self.has_seeds.set()

    def close(self):
        self.is_closed = True


def test_a_slow_step_is_shown_until_it_ends():
    display = Shown()
    with Progress(display) as progress:
        progress.set_step("schema.sql")
        progress.set_step("seeds")
        assert display.has_seeds.wait(30)
    count = len(display.lines)
    assert re.fullmatch(r"spanner: building the template, \d+ s: seeds", display.lines[-1])
    assert display.is_closed
    assert len(display.lines) == count


def test_a_terminal_has_one_line_from_the_first_second_on(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    terminal = Terminal()
    display = display_for(terminal)
    assert isinstance(display, LiveLine)
    assert display.first <= 1.0
    display.show("first")
    display.show("second" * 10)
    display.close()
    assert terminal.getvalue() == f"\nfirst\r\x1b[K{('second' * 10)[:19]}\r\x1b[K"


def test_an_unused_progress_line_writes_nothing():
    terminal = Terminal()
    LiveLine(terminal).close()
    assert terminal.getvalue() == ""


def test_a_log_has_a_line_every_few_seconds(monkeypatch):
    assert isinstance(display_for(io.StringIO()), Lines)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(display_for(Terminal()), Lines)


def test_a_long_schema_counts_its_statements():
    class Emulator:
        is_started_here = True

        def __init__(self):
            self.batches = []

        def create_database(self, name, schema, dialect):
            self.apply_schema(schema)
            return self

        def apply_schema(self, schema):
            self.batches.append(len(schema))

    reported, emulator = [], Emulator()
    statements = [f"CREATE TABLE T{n} (K INT64) PRIMARY KEY (K)" for n in range(250)]
    Template(emulator, "db").build(Schema.given(statements), reported.append)
    assert reported == [f"{done} of 250 statements of spanner_schema" for done in (0, 100, 200)]
    assert emulator.batches == [100, 100, 50]
    emulator.is_started_here, emulator.batches = False, []  # Elsewhere a request has its price.
    Template(emulator, "db").build(Schema.given(statements), reported.append)
    assert emulator.batches == [250]


def test_seeds_count_their_rows(music, monkeypatch):
    reported = []
    monkeypatch.setattr(Progress, "set_step", lambda self, step: reported.append(step))
    monkeypatch.setattr(seeds, "MUTATIONS_PER_COMMIT", 3)
    music.file("seeds/Singers.csv", "SingerId,Name\n" + "".join(f"{n},x\n" for n in range(5)))
    music.run("def test_it(spanner_database): pass").assert_outcomes(passed=1)
    rows = [each for each in reported if each.endswith("of the seeds")]
    assert rows == [f"{done} of 5 rows of the seeds" for done in (2, 4, 5)]


def test_a_long_build_is_shown_around_pytests_capture(project):
    project.file(
        "slow.py",
        """
import builtins
import threading
from pytest_spanemu.databases import progress

told = threading.Event()

def tell(*args, **named):
    builtins.print(*args, **named)
    if "slow:ddl" in args[0]:  # and not of what came before
        told.set()

progress.LINE_SECONDS, progress.print = 0.1, tell

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
