"""What some system lacks stands in a branch for the others, and files are the same on all systems.

A branch is an `if` or a conditional expression that asks `sys.platform`, `os.name` or `hasattr`,
the rest of a block after such an `if` that leaves it, `assert sys.platform == ...`, or a `try`
whose handlers catch what the missing name raises. `getattr(os, "name", default)` needs no branch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

import pytest

from tests.tidy.modules import PACKAGE, PLUGIN, modules, name_of, tree_of

MODULES = [*modules(PACKAGE), *modules(PLUGIN)]
POSIX_MODULES = frozenset(
    "crypt curses fcntl grp nis posix pty pwd resource readline spwd syslog termios tty".split()
)
WINDOWS_MODULES = frozenset("_winapi msvcrt nt winreg winsound".split())
POSIX_NAMES = {
    "os": frozenset(
        "O_CLOEXEC O_DIRECTORY O_DSYNC O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC SCHED_OTHER WNOHANG "
        "chown chroot confstr eventfd fchdir fchmod fchown fork forkpty getegid geteuid getgid "
        "getgroups getloadavg getpgid getpgrp getpriority getsid getuid killpg lchown "
        "login_tty memfd_create mkfifo mknod nice openpty pathconf pipe2 posix_fallocate "
        "posix_spawn pread preadv pwrite pwritev readv register_at_fork sched_getaffinity "
        "sched_setaffinity sched_yield sendfile setegid seteuid setgid setpgid setsid setuid "
        "splice statvfs sync sysconf tcgetpgrp ttyname uname wait wait3 wait4 writev".split()
    ),
    "select": frozenset("devpoll epoll kevent kqueue poll POLLRDHUP".split()),
    "selectors": frozenset("DevpollSelector EpollSelector KqueueSelector PollSelector".split()),
    "signal": frozenset(
        "SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 "
        "SIGUSR2 alarm getitimer pause pthread_kill pthread_sigmask setitimer siginterrupt "
        "sigpending sigtimedwait sigwait sigwaitinfo".split()
    ),
    "socket": frozenset(
        "AF_UNIX CMSG_LEN MSG_DONTWAIT MSG_NOSIGNAL SCM_RIGHTS SO_REUSEPORT TCP_CORK recvmsg "
        "sendmsg send_fds recv_fds".split()
    ),
    "time": frozenset("clock_gettime clock_settime pthread_getcpuclockid tzset".split()),
    "threading": frozenset(["pthread_getcpuclockid"]),
}
POSIX_PATH = re.compile(r"/(?:dev|etc|home|opt|proc|run|sys|tmp|usr|var)(?:/|\Z)")
# What these constants name is read where it exists; the reason is beside each.
ALLOWED = {
    ("spanemu/base/process.py", "/proc/self/statm"): "read if there is a limit, which Linux knows",
    ("spanemu/base/process.py", "sysconf"): "the same",
    ("spanemu/cli/process.py", "/sys/fs/cgroup/memory.max"): "an absent file is no limit",
    ("spanemu/cli/process.py", "/sys/fs/cgroup/memory/memory.limit_in_bytes"): "the same",
}
HANDLED = {"ImportError", "AttributeError", "NotImplementedError", "ModuleNotFoundError"}
_QUESTION = re.compile(
    r"\bsys\.platform\b|\bos\.name\b|\bhasattr\(|\bTYPE_CHECKING\b|\b(?:resource|hang_up)\b"
)


class Uses:
    """The uses, in a module, of names that some systems lack and that stand in no branch."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[int, str]] = []
        self._docstrings = {id(each) for each in _docstrings(tree)}
        self._block(tree.body, guarded=False)

    def _block(self, statements: list[ast.stmt], *, guarded: bool) -> None:
        for statement in statements:
            self._visit(statement, guarded=guarded)
            guarded = guarded or _ends_or_asserts(statement)

    def _visit(self, node: ast.AST, *, guarded: bool) -> None:
        if isinstance(node, ast.If | ast.IfExp):
            inner = guarded or _asks(node.test)
            self._visit(node.test, guarded=inner)
            for part in (node.body, node.orelse):
                if isinstance(part, list):
                    self._block(part, guarded=inner)
                else:
                    self._visit(part, guarded=inner)
            return
        if isinstance(node, ast.Try):
            names = {name for handler in node.handlers for name in _names_in(handler.type)}
            self._block(node.body, guarded=guarded or bool(names & HANDLED))
            for block in (*(each.body for each in node.handlers), node.orelse, node.finalbody):
                self._block(block, guarded=guarded)
            return
        if (
            isinstance(node, ast.With)
            and {"suppress"} & _names_in(node)
            and HANDLED & _names_in(node)
        ):
            guarded = True
        if not guarded:
            self._look(node)
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self._block(value, guarded=guarded)
            else:
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, ast.AST):
                        self._visit(part, guarded=guarded)

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            self._modules(node, [alias.name for alias in node.names])
        elif isinstance(node, ast.ImportFrom):
            self._modules(node, [node.module or ""])
            missing = POSIX_NAMES.get(node.module or "", frozenset())
            self.found += [(node.lineno, each.name) for each in node.names if each.name in missing]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in POSIX_NAMES.get(node.value.id, ()):
                self.found.append((node.lineno, node.attr))
        elif self._is_path(node):
            self.found.append((node.lineno, node.value))

    def _is_path(self, node: ast.AST) -> TypeGuard[ast.Constant]:
        return (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in self._docstrings
            and POSIX_PATH.match(node.value) is not None
        )

    def _modules(self, node: ast.Import | ast.ImportFrom, names: list[str]) -> None:
        self.found += [
            (node.lineno, name) for name in names if name in POSIX_MODULES | WINDOWS_MODULES
        ]


def _asks(test: ast.AST) -> bool:
    return _QUESTION.search(ast.unparse(test)) is not None


def _ends_or_asserts(statement: ast.stmt) -> bool:
    """Return whether what follows in the block runs only on some systems."""
    if isinstance(statement, ast.Assert):
        return _asks(statement.test)
    if isinstance(statement, ast.If) and _asks(statement.test):
        return isinstance(statement.body[-1], ast.Return | ast.Raise | ast.Continue)
    return False


def _names_in(node: ast.AST | None) -> set[str]:
    items = node.items if isinstance(node, ast.With) else [node]
    return {
        each.id
        for item in items
        if item is not None
        for each in ast.walk(item)
        if isinstance(each, ast.Name)
    }


def _docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield node.value


def test_a_name_that_some_system_lacks_stands_in_a_branch() -> None:
    uses = {name_of(path): Uses(tree_of(path)).found for path in MODULES}
    wrong = [
        f"{path}:{line} {name}"
        for path, some in uses.items()
        for line, name in some
        if (path, name) not in ALLOWED
    ]
    assert not wrong, "add a branch for the systems that lack it"
    used = {(path, name) for path, some in uses.items() for _, name in some}
    assert ALLOWED.keys() <= used, "an exception is not needed any more"


@pytest.mark.parametrize(
    "text",
    [
        "import fcntl",
        "from os import fork",
        "import os\nos.fork()",
        "def f():\n    if sys.platform == 'linux':\n        pass\n    os.sysconf(1)",
        "try:\n    os.fork()\nexcept OSError:\n    pass",
        "open('/proc/stat')",
    ],
)
def test_a_use_without_a_branch_is_found(text: str) -> None:
    assert Uses(ast.parse(text)).found


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import fcntl\nexcept ImportError:\n    fcntl = None",
        "if os.name == 'nt':\n    import msvcrt\nelse:\n    import fcntl",
        "if hasattr(os, 'fork'):\n    os.fork()",
        "x = os.getuid() if sys.platform != 'win32' else 0",
        "def f():\n    if sys.platform != 'linux':\n        return\n    os.sysconf(1)",
        "def f():\n    assert sys.platform == 'linux'\n    open('/proc/stat')",
        "getattr(os, 'fork', None)",
        "'''Reads /proc/stat.'''",
    ],
)
def test_a_use_in_a_branch_is_not_found(text: str) -> None:
    assert not Uses(ast.parse(text)).found


def text_calls(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the calls that read or write text, with what they do not say: encoding, line ends."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        keywords = {each.arg for each in node.keywords}
        if None in keywords or name not in ("open", "fdopen", "read_text", "write_text"):
            continue
        if name in ("open", "fdopen"):
            mode = _mode(node, is_path=isinstance(node.func, ast.Attribute) and name == "open")
            if mode is None or "b" in mode:
                continue
        else:
            mode = "w" if name == "write_text" else "r"
            if name == "read_text" and (node.args or isinstance(node.func, ast.Name)):
                continue  # The encoding, or the function of `base.text_files`.
        if "encoding" not in keywords:
            yield node.lineno, f"{name} without an encoding"
        elif mode[0] in "wax" and "newline" not in keywords:
            yield node.lineno, f"{name} without line ends"


def _mode(node: ast.Call, *, is_path: bool) -> str | None:
    """Return the mode of a call that opens a file, None for another method of the name `open`."""
    position = 0 if is_path else 1
    given = [each.value for each in node.keywords if each.arg == "mode"] + node.args[position:]
    if not given:
        return None if is_path and not node.keywords else "r"
    mode = given[0]
    if isinstance(mode, ast.Constant) and isinstance(mode.value, str):
        return mode.value if re.fullmatch(r"[rwaxbt+]+", mode.value) else None
    return None


def test_texts_have_an_encoding_and_line_ends() -> None:
    wrong = [
        f"{name_of(path)}:{line} {lack}"
        for path in MODULES
        for line, lack in text_calls(tree_of(path))
    ]
    assert not wrong, "name encoding= and, to write, newline="


def test_calls_without_encoding_or_newline_are_found() -> None:
    text = (
        "open(p)\np.read_text()\np.open('w', encoding='utf-8')\np.write_text(t, encoding='utf-8')"
    )
    assert [line for line, _ in text_calls(ast.parse(text))] == [1, 2, 3, 4]
    fine = "open(p, 'rb')\np.open('w', encoding='utf-8', newline='')\ndatabase.open()\nread_text(p)"
    assert not list(text_calls(ast.parse(fine)))
