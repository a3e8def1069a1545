"""What Python code depends on beside its own text, read from its syntax tree without running it.

The analysis permits what it knows. Code that uses anything else, such as files, a clock, a network
or a module of an unknown package, has no facts.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterator

from spanemu.base.name_hints import words_of
from spanemu.base.record import dataclass

_PURE = words_of(
    "__future__ abc alembic base64 collections contextlib copy dataclasses datetime decimal enum "
    "fractions functools hashlib itertools json logging math numbers operator re sqlalchemy string "
    "textwrap types typing typing_extensions uuid warnings"
)
_DIALECT = "google.cloud.sqlalchemy_spanner"
_OF_ENVIRONMENT = frozenset({"os", "pathlib", "sys"})  # modules that env.py may import, too
_PERMITTED = {  # attributes of these modules
    "os": words_of("environ getcwd getenv pardir path sep"),
    "sys": frozenset({"path", "version_info"}),
}
_CLOCK = words_of("now today utcnow uuid1 uuid4 uuid6 uuid7")
_UNKNOWN = words_of(
    "breakpoint compile eval exec exists getattr getnode glob "
    "globals hash hasattr id import_module input is_dir is_file iterdir locals open read_bytes "
    "read_text rglob setattr stat vars walk "
    # What an upgrade is for, which a key does not cover.
    "ScriptDirectory get_head_revision get_head_revisions get_revision_argument walk_revisions"
)
# Names by which a revision reaches state that another revision may have left, or another database.
_UNKNOWN_IN_REVISIONS = words_of("attributes create_engine engine_from_config")
# env.py runs again with every upgrade, so it must not change the database by itself.
_UNKNOWN_IN_ENVIRONMENT = words_of(
    "add add_all batch create_all drop_all exec_driver_sql execute executemany "
    "execute_partitioned_dml execute_sql execute_update run_in_transaction scalar scalars stamp "
    "update_ddl"
)
_SPECIAL = words_of(  # known names with underscores
    "__all__ __class__ __dialect__ __doc__ __file__ __init__ __mapper_args__ __name__ __table__ "
    "__table_args__ __tablename__"
)
_READERS = frozenset({"get_bind", "get_context"})
_VOLATILE = re.compile(
    r"\b(?:current_(?:date|datetime|time|timestamp)|generate_uuid\w*|new_uuid|get_next_sequence_value"
    r"|(?:pending_)?commit_timestamp|(?:rand|now|nextval)\s*\()|^(?:rand|random|nextval)$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Import:
    """An import: the module, and the names that may be its submodules."""

    module: str
    names: tuple[str, ...]

    def is_known(self, in_environment: bool) -> bool:
        """Return whether the module is of a package without unknown effects."""
        package = self.module.partition(".")[0]
        return (
            package in _PURE
            or self.module.startswith(_DIALECT)
            or (in_environment and package in _OF_ENVIRONMENT)
        )


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """The facts of a module.

    `is_volatile` is set for code that may write times or random numbers into rows.
    """

    imports: tuple[Import, ...]
    variables: frozenset[str]  # environment variables
    is_volatile: bool


def facts_of(text: bytes, *, in_environment: bool) -> CodeFacts | None:
    """Return the facts of a module's code, None if the code may depend on something unknown.

    `in_environment` is set for env.py and its imports. That code runs again with every upgrade, so
    it may refer to a clock for later use, as the default of a model's column; it is then volatile.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python shows warnings when it imports the module.
            nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return None
    literal = dict(_literal_variables(nodes))
    deferred = set(_deferred(nodes)) if in_environment else set()
    exempt = {*literal, *deferred}
    is_volatile, reads = bool(deferred), False
    for node in nodes:
        name = _name(node)
        if name is None:
            is_volatile |= _is_volatile_text(node)
            if isinstance(node, ast.Global | ast.Nonlocal) and not in_environment:
                return None
            continue
        if _is_sql_function(node) or _VOLATILE.search(name):
            is_volatile = True
        elif id(node) not in exempt and _is_unknown(node, name, in_environment):
            return None
        reads |= name in _READERS
    if is_volatile and reads and not in_environment:
        return None  # The revision may have read the time.
    imports = tuple(_imports(nodes))
    if any(name in _CLOCK | _UNKNOWN for each in imports for name in _tails(each)):
        return None
    return CodeFacts(imports, frozenset(literal.values()), is_volatile)


def _name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _is_unknown(node: ast.AST, name: str, in_environment: bool) -> bool:
    if name in _CLOCK or name in _UNKNOWN or name in ("environ", "getenv"):
        return True
    if name.startswith("__") and name not in _SPECIAL:
        return True
    if isinstance(node, ast.Attribute):
        module = _name(node.value) or ""
        if module in _PERMITTED and name not in _PERMITTED[module]:
            return True
        if isinstance(node.ctx, ast.Store) and module != "self" and not in_environment:
            return True
    return name in (_UNKNOWN_IN_ENVIRONMENT if in_environment else _UNKNOWN_IN_REVISIONS)


def _is_sql_function(node: ast.AST) -> bool:
    """Return whether a node is `func.NAME` of SQLAlchemy."""
    return isinstance(node, ast.Attribute) and _name(node.value) == "func"


def _is_volatile_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _VOLATILE.search(node.value) is not None
    )


def _deferred(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Yield the ids of nodes in lambdas, and of references given as arguments."""
    for node in nodes:
        if isinstance(node, ast.Lambda):
            yield from (id(each) for each in ast.walk(node) if _name(each) in _CLOCK)
        elif isinstance(node, ast.keyword) and _name(node.value) in _CLOCK:
            yield id(node.value)


def _literal_variables(nodes: Collection[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the id of the node `environ` or `getenv`, and the variable that is read."""
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            read, argument = node.value, node.slice
        elif isinstance(node, ast.Call) and node.args:
            read, argument = node.func, node.args[0]
            if isinstance(read, ast.Attribute) and read.attr == "get":
                read = read.value
            elif _name(read) != "getenv":
                continue
        else:
            continue
        if _name(read) not in ("environ", "getenv") or not isinstance(argument, ast.Constant):
            continue
        if isinstance(argument.value, str):
            yield id(read), argument.value


def _imports(nodes: Collection[ast.AST]) -> Iterator[Import]:
    """Yield the imports. An import that renames parts of `os` or `sys` has no module."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                is_renamed = alias.asname is not None and alias.name in _PERMITTED
                yield Import("" if is_renamed else alias.name, ())
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            permitted = _PERMITTED.get(module)
            if permitted and any(it.asname or it.name not in permitted for it in node.names):
                yield Import("", ())
            else:
                dot = "." if module else ""
                yield Import(module, tuple(f"{module}{dot}{alias.name}" for alias in node.names))


def _tails(each: Import) -> Iterator[str]:
    return (name.rpartition(".")[2] for name in each.names)
