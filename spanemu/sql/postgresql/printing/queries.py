"""Queries as PostgreSQL prints the definition of a view.

    select * from t join u using (id) where a > 1 order by 1
    SELECT t.id, t.a, u.w FROM (t JOIN u USING (id)) WHERE (t.a > '1'::bigint) ORDER BY t.id

Columns have the name of their table where a query reads more than one table or stands inside
another query. Stars are expanded. Positions and output names in GROUP BY and ORDER BY become the
expressions that they stand for. A table in a subquery whose name an enclosing query uses gets a
name of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.queries.select_list import UNNAMED, output_name
from spanemu.sql.postgresql.printing import constants
from spanemu.sql.postgresql.printing.expressions import ExpressionPrinter, direction
from spanemu.sql.postgresql.printing.notes import Notes
from spanemu.sql.postgresql.syntax.keywords import quoted
from spanemu.sql.postgresql.syntax.literals import quote_literal
from spanemu.sql.syntax_tree import Expression, Hint, IntLiteral, Name, Path
from spanemu.values.types import INT64


def query_text(query: ast.Query, notes: Notes) -> str:
    """Return the canonical text of a query."""
    return _Level(notes, None, names_visible=True).query(query)


def quoted_path(path: Path) -> str:
    """Return the name of a table or a function; the default schema is left out."""
    names = path.names
    return ".".join(map(quoted, names[1:] if names[0] == "public" and len(names) > 1 else names))


class _Level:
    """One query and the queries around it.

    `aliases` maps the names of the tables in FROM to the names that are printed. Without
    `names_visible` nobody sees the names of the output columns, so an unnamed column stays so.
    """

    def __init__(
        self, notes: Notes, parent: _Level | None, *, names_visible: bool, qualified: bool = False
    ) -> None:
        self.notes = notes
        self.parent = parent
        self.names_visible = names_visible
        self.qualified = qualified or parent is not None
        self.aliases: dict[str, str] = {}
        self.expressions = ExpressionPrinter(notes, self.column, self.subquery)

    def column(self, name: Name) -> str:
        """Return a reference to a column."""
        column = quoted(name.path.parts[-1].name)
        table = self.notes.table_of(name)
        if table is None:
            return ".".join(map(quoted, name.path.names))
        return f"{self._printed_alias(table)}.{column}" if self.qualified else column

    def _printed_alias(self, table: str) -> str:
        level: _Level | None = self
        while level is not None:
            if table in level.aliases:
                return quoted(level.aliases[table])
            level = level.parent
        return quoted(table)

    def subquery(self, query: ast.Query) -> str:
        """Return a query inside an expression."""
        return _Level(self.notes, self, names_visible=False).query(query)

    # ------------------------------------------------------------------------ clauses

    def query(self, query: ast.Query) -> str:
        """Return a query with its clauses."""
        words = [self._body(query.body)]
        if query.order_by:
            items = ", ".join(self._sort_items(query))
            words.append(f"ORDER BY {items}")
        if query.offset is not None:
            words.append(f"OFFSET {self._count(query.offset)}")
        if query.limit is not None:
            words.append(f"LIMIT {self._count(query.limit)}")
        return " ".join(words)

    def _count(self, node: Expression) -> str:
        if isinstance(node, IntLiteral):
            return constants.constant(str(node.value), INT64)
        return self.expressions.whole(node)

    def _body(self, body: ast.QueryBody) -> str:
        if isinstance(body, ast.Select):
            return self._select(body)
        if isinstance(body, ast.SetOperation):
            return self._set_operation(body)
        return f"({self.query(body)})"

    def _set_operation(self, node: ast.SetOperation) -> str:
        op = f"{node.op}{' ALL' if node.all else ''}"
        return f"{self._side(node.left, node, left=True)} {op} {self._side(node.right, node)}"

    def _side(self, side: ast.QueryBody, above: ast.SetOperation, *, left: bool = False) -> str:
        """Return a side of a set operation; one that is a set operation itself in parentheses.

        A chain of the same operation needs no parentheses on its left side.
        """
        body = side
        while isinstance(body, ast.Query) and not _has_clauses(body):
            body = body.body
        if isinstance(body, ast.SetOperation):
            text = self._set_operation(body)
            same = left and (body.op, body.all) == (above.op, above.all)
            return text if same else f"({text})"
        level = _Level(self.notes, self, names_visible=self.names_visible)
        if isinstance(body, ast.Query):
            return f"({level.query(body)})"
        return level._select(body)

    def _select(self, select: ast.Select) -> str:
        source = "" if select.source is None else f" FROM {self._from(select.source)}"
        words = ["SELECT DISTINCT" if select.distinct else "SELECT"]
        items = ", ".join(self._items(select))
        words.append(f"{items}{source}" if items else source.lstrip())
        if select.where is not None:
            words.append(f"WHERE {self.expressions.whole(select.where)}")
        if select.group_by:
            keys = ", ".join(self._group_key(key, select) for key in select.group_by)
            words.append(f"GROUP BY {keys}")
        if select.having is not None:
            words.append(f"HAVING {self.expressions.whole(select.having)}")
        return " ".join(words)

    # ------------------------------------------------------------------------ output columns

    def _items(self, select: ast.Select) -> Iterator[str]:
        for item in select.items:
            if isinstance(item.value, ast.Star):
                yield from self._expanded(item.value)
                continue
            text = self.expressions.part(item.value)
            name = _name_of(item)
            yield f"{text} AS {quoted(name)}" if self._is_shown(name, item) else text

    def _is_shown(self, name: str, item: ast.SelectItem) -> bool:
        """Return whether the name of an output column is printed."""
        if isinstance(item.value, Name):
            return name != item.value.path.names[-1]
        if self.names_visible or item.alias is not None:
            return True
        return name != UNNAMED and not _is_constant(item.value)

    def _expanded(self, star: ast.Star) -> Iterator[str]:
        for column in self.notes.expansion(star.at):
            name = quoted(column.name)
            yield f"{self._printed_alias(column.table)}.{name}" if self.qualified else name

    def _group_key(self, node: Expression, select: ast.Select) -> str:
        return self._key(node, select)

    def _sort_items(self, query: ast.Query) -> Iterator[str]:
        select = query.body
        for item in query.order_by:
            if isinstance(select, ast.Select):
                text = self._key(item.value, select)
            else:
                text = str(self._position(item.value, query))
            yield f"{text}{direction(item)}"

    def _key(self, node: Expression, select: ast.Select) -> str:
        """Return the expression that a position or a name in GROUP BY or ORDER BY stands for."""
        if isinstance(node, IntLiteral):
            _, meant = self._outputs(select)[node.value - 1]
            return self._in_list(meant)
        if isinstance(node, Name) and not self.notes.is_resolved(node):
            for name, meant in self._outputs(select):
                if name == node.path.names[-1]:
                    return self._in_list(meant)
        return self._in_list(node)

    def _outputs(self, select: ast.Select) -> list[tuple[str, Expression | str]]:
        """Return the output columns with their names; a column of a star is printed already."""
        outputs: list[tuple[str, Expression | str]] = []
        for item in select.items:
            if isinstance(item.value, ast.Star):
                names = [column.name for column in self.notes.expansion(item.value.at)]
                outputs += zip(names, self._expanded(item.value), strict=True)
            else:
                outputs.append((_name_of(item), item.value))
        return outputs

    def _position(self, node: Expression, query: ast.Query) -> int:
        """Return the position of the output column of a set operation that a sort key names."""
        if isinstance(node, IntLiteral):
            return node.value
        assert isinstance(node, Name)
        names = [name for name, _ in self._outputs(_first_select(query.body))]
        return names.index(node.path.names[-1]) + 1

    def _in_list(self, node: Expression | str) -> str:
        if isinstance(node, str):
            return node
        text = self.expressions.part(node)
        is_call = isinstance(node, ast.FunctionCall) and not text.startswith(_SQL_FORMS)
        return f"({text})" if is_call or self.expressions.is_function_cast(node) else text

    # ------------------------------------------------------------------------ FROM

    def _from(self, source: ast.FromItem) -> str:
        tables = list(_tables(source))
        self.qualified = self.qualified or len(tables) != 1
        taken = self._taken_above()
        for table in tables:
            name = _alias_of(table)
            unique, number = name, 0
            while unique in taken:
                number += 1
                unique = f"{name}_{number}"
            taken.add(unique)
            self.aliases[name] = unique
        return self._item(source)

    def _taken_above(self) -> set[str]:
        level = self.parent
        taken: set[str] = set()
        while level is not None:
            taken.update(level.aliases.values())
            level = level.parent
        return taken

    def _item(self, item: ast.FromItem) -> str:
        return _FROM[type(item)](self, item)

    def _aliased(self, text: str, item: Any, alias: ast.Alias | None, *, always: bool) -> str:
        name = self.aliases[_alias_of(item)]
        columns = () if alias is None else alias.columns
        if always or columns or alias is not None or name != _alias_of(item):
            listed = f"({', '.join(quoted(column.name) for column in columns)})" if columns else ""
            return f"{text} {quoted(name)}{listed}"
        return text

    def table(self, item: ast.TableRef) -> str:
        """Return a table in FROM."""
        text = self._aliased(quoted_path(item.path), item, item.alias, always=False)
        return text + _hint(item.hint)

    def derived(self, item: ast.SubqueryRef) -> str:
        """Return a query in FROM."""
        level = _Level(self.notes, self, names_visible=True)
        return self._aliased(f"({level.query(item.query)})", item, item.alias, always=True)

    def function(self, item: ast.FunctionRef) -> str:
        """Return a function in FROM: its columns always have names."""
        text = self.expressions.whole(item.call)
        if constants.has_columns(item.call):
            text = f"LATERAL {text}"
        if item.ordinality:
            text += " WITH ORDINALITY"
        alias = item.alias
        if alias is None or not alias.columns:
            name = self.aliases[_alias_of(item)]
            more = ", ordinality" if item.ordinality else ""
            return f"{text} {quoted(name)}({quoted(_alias_of(item))}{more})"
        return self._aliased(text, item, alias, always=True)

    def join(self, item: ast.Join) -> str:
        """Return a join, in parentheses unless a comma stands for it."""
        left, right = self._item(item.left), self._item(item.right)
        if item.kind is ast.JoinKind.COMMA:
            return f"{left}, {right}"
        kind = "" if item.kind is ast.JoinKind.INNER else f"{item.kind} "
        text = f"{left} {kind}JOIN{_hint(item.hint)} {right}"
        if item.on is not None:
            text += f" ON ({self.expressions.whole(item.on)})"
        elif item.using:
            text += f" USING ({', '.join(quoted(column.name) for column in item.using)})"
        alias = "" if item.alias is None else f" {quoted(item.alias.name.name)}"
        return f"({text}){alias}"


_SQL_FORMS = ("COALESCE(", "NULLIF(", "GREATEST(", "LEAST(")
_FROM: Mapping[type[ast.FromItem], Callable[[_Level, Any], str]] = {
    ast.FunctionRef: _Level.function,
    ast.Join: _Level.join,
    ast.SubqueryRef: _Level.derived,
    ast.TableRef: _Level.table,
}


def _hint(hint: Hint | None) -> str:
    if hint is None:
        return ""
    entries = ", ".join(f"{name} = {_hint_value(value)}" for name, value in hint.entries)
    return f" /*@ {entries} */"


def _hint_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else quote_literal(str(value))


def _name_of(item: ast.SelectItem) -> str:
    return output_name(item.value) if item.alias is None else item.alias.name


def _is_constant(node: Expression) -> bool:
    """Return whether a literal, or a literal with a type, is the whole expression."""
    return isinstance(node, ast.Cast) and not constants.has_columns(node)


def _has_clauses(query: ast.Query) -> bool:
    return bool(query.order_by) or query.limit is not None or query.offset is not None


def _first_select(body: ast.QueryBody) -> ast.Select:
    while not isinstance(body, ast.Select):
        body = body.left if isinstance(body, ast.SetOperation) else body.body
    return body


def _tables(item: ast.FromItem) -> Iterator[ast.FromItem]:
    """Yield the tables, queries and functions of a FROM clause."""
    if isinstance(item, ast.Join):
        yield from _tables(item.left)
        yield from _tables(item.right)
    else:
        yield item


def _alias_of(item: Any) -> str:
    """Return the name under which a FROM clause has a table."""
    if item.alias is not None:
        return str(item.alias.name.name)
    path = item.call.function if isinstance(item, ast.FunctionRef) else item.path
    return str(path.names[-1])
