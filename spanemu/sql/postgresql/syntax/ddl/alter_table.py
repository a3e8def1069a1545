"""ALTER TABLE, with the forms that rename tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import Option, TableAction
from spanemu.sql.postgresql.syntax.ddl.constraint import PrimaryKey
from spanemu.sql.postgresql.syntax.ddl.table import DdlTableParser
from spanemu.sql.syntax_tree import Identifier, Kind, Path

_NO_OPERATION = "Operation is not supported in <ALTER TABLE> statement."
_ONLY_TABLES = "Only <TABLE> is supported for renaming."
_RESTRICT = "Only <RESTRICT> drop mode is supported in <ALTER> statement operations."
_NO_IF_EXISTS = "<IF [NOT] EXISTS> is not supported in <ALTER> statement operations."
_IDENTITY = "ALTER COLUMN ... SET"

_ENDS = frozenset({";", ",", str(Kind.END)})


class DdlAlterTableParser(DdlTableParser):
    """The grammar of ALTER TABLE."""

    def alter_table(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER TABLE [IF EXISTS] [ONLY] name action, ...; the caller has read ALTER."""
        self.expect("TABLE")
        if_exists = self.if_exists()
        name = self.relation()
        if self.token.symbol == "RENAME":
            return self._rename(name, start, if_exists=if_exists)
        if self.accept_all("SET", "SCHEMA"):
            self.refuse("<ALTER TABLE SET SCHEMA> is not supported")
            self.identifier()
            return ddl_ast.DropTable(name, at=start, end=self.end)
        actions = [self.action()]
        while self.accept(","):
            actions.append(self.action())
        return ddl_ast.AlterTable(name, self._combined(actions), if_exists, at=start, end=self.end)

    def _combined(self, actions: list[TableAction]) -> TableAction:
        """Return the single action, or a change of type joined with the nullability after it."""
        first = actions[0]
        if len(actions) == 1:
            return first
        if not isinstance(first, ddl_ast.ChangeColumnType):
            self.refuse(
                "For the provided action type of the <ALTER TABLE> statement only single action "
                "per statement is allowed."
            )
            return first
        second = actions[1]
        if len(actions) > 2:
            self.refuse(
                "<ALTER TABLE ALTER COLUMN> statement can only modify one column at a time."
            )
        elif not isinstance(second, ddl_ast.SetColumnNotNull):
            self.refuse(
                "Only <SET/DROP NOT NULL> action is allowed after <ALTER COLUMN> action of <ALTER "
                "TABLE> statement."
            )
        elif second.column != first.column:
            self.refuse(
                "Both actions (<SET DATA TYPE> and <{SET|DROP} NOT NULL>) of <ALTER TABLE ALTER "
                "COLUMN> statement should be applied to the same column."
            )
        else:
            return replace(first, not_null=second.not_null, end=second.end)
        return first

    def action(self) -> TableAction:
        """Parse an action."""
        start = self.token.at
        rule = _ACTIONS.get(self.token.symbol)
        if rule is None:
            return self._refused_action(start)
        self.advance()
        return rule(self, start)

    def _refused_action(self, start: int) -> TableAction:
        """Parse an action that PostgreSQL has and Spanner lacks."""
        if self.token.symbol not in _REFUSED:
            raise self.unexpected()
        self._skip_action()
        return TableAction(at=start, end=self.end)

    def _skip_action(self) -> None:
        """Note the refusal of an action, and consume it."""
        self.refuse(_NO_OPERATION)
        if self.token.symbol in _ENDS:
            raise self.unexpected()
        while self.token.symbol not in _ENDS:
            if self.token.symbol == "(":
                self.skip_parentheses()
            else:
                self.advance()

    # ------------------------------------------------------------------------ RENAME

    def _rename(self, table: Path, start: int, *, if_exists: bool) -> ddl_ast.DdlStatement:
        """Parse RENAME [WITH SYNONYM] TO name, with the renames of other tables behind a comma."""
        self.expect("RENAME")
        if self.accept_all("WITH", "SYNONYM"):
            self.expect("TO")
            action = ddl_ast.RenameTo(self.beside(table, self.identifier()), table)
            return ddl_ast.AlterTable(table, action, if_exists, at=start, end=self.end)
        if not self.accept("TO"):
            self.refuse(_ONLY_TABLES)
            self.accept_any("COLUMN", "CONSTRAINT")
            self.identifier()
            self.expect("TO")
        name = self.beside(table, self.identifier())
        if self.token.symbol != ",":
            action = ddl_ast.RenameTo(name)
            return ddl_ast.AlterTable(table, action, if_exists, at=start, end=self.end)
        renames = [(table, name)]
        rename = self.counted(self._next_rename)
        while self.accept(","):
            renames.append(rename())
        return ddl_ast.RenameTables(tuple(renames), at=start, end=self.end)

    def _next_rename(self) -> tuple[Path, Path]:
        self.expect_all("ALTER", "TABLE")
        self.if_exists()
        table = self.relation()
        self.expect_all("RENAME", "TO")
        return table, self.beside(table, self.identifier())

    # ------------------------------------------------------------------------ ADD, DROP

    def _add_action(self, start: int) -> TableAction:
        if self.token.symbol == "TTL":
            return ddl_ast.AddRowDeletionPolicy(self.ttl(), at=start, end=self.end)
        if self.token.symbol == "SYNONYM" and self.peek(2).symbol in _ENDS:
            self.advance()
            synonym = self.identifier()
            path = Path((synonym,), at=synonym.at, end=synonym.end)
            return ddl_ast.AddSynonym(path, at=start, end=self.end)
        if self.constraint_follows():
            constraint = self.table_constraint()
            if constraint is None or isinstance(constraint, PrimaryKey):
                self.refuse("Constraint type is not supported.", start)
                return TableAction(at=start, end=self.end)
            return ddl_ast.AddConstraint(constraint, at=start, end=self.end)
        self.accept("COLUMN")
        if_not_exists = self.if_not_exists()
        return ddl_ast.AddColumn(self._added_column(), if_not_exists, at=start, end=self.end)

    def _added_column(self) -> ddl_ast.ColumnDefinition:
        column = self.column()
        at = column.name.at
        if column.primary_key:
            self.refuse("Primary keys cannot be added via <ALTER TABLE> statement.", at)
        for constraint in column.constraints:
            is_key = isinstance(constraint, ddl_ast.ForeignKeyDefinition)
            kind = "Foreign key" if is_key else "Check constraint"
            message = f"{kind} creation is not supported in <ALTER TABLE ADD COLUMN> statement."
            self.refuse(message, at)
        return column.definition()

    def _drop_action(self, start: int) -> TableAction:
        if self.token.symbol == "TTL" and self.peek().symbol in _ENDS:
            self.advance()
            return ddl_ast.DropRowDeletionPolicy(at=start, end=self.end)
        if self.accept("CONSTRAINT"):
            self._refuse_if_exists()
            name = self.identifier()
            self.accept_any("CASCADE", "RESTRICT")
            return ddl_ast.DropConstraint(name, at=start, end=self.end)
        if self.token.symbol == "SYNONYM" and self.peek().kind is Kind.IDENTIFIER:
            self.advance()
            synonym = self.identifier()
            path = Path((synonym,), at=synonym.at, end=synonym.end)
            return ddl_ast.DropSynonym(path, at=start, end=self.end)
        self.accept("COLUMN")
        self._refuse_if_exists()
        column = self.identifier()
        self.drop_behavior(_RESTRICT)
        return ddl_ast.DropColumn(column, at=start, end=self.end)

    def _refuse_if_exists(self) -> None:
        if self.if_exists():
            self.refuse(_NO_IF_EXISTS)

    # ------------------------------------------------------------------------ ALTER COLUMN

    def _alter_action(self, start: int) -> TableAction:
        if self.token.symbol == "TTL" and self.peek().symbol == "INTERVAL":
            return ddl_ast.ReplaceRowDeletionPolicy(self.ttl(), at=start, end=self.end)
        if self.token.symbol == "CONSTRAINT":
            self._skip_action()
            return TableAction(at=start, end=self.end)
        self.accept("COLUMN")
        column = self.identifier()
        rule = _COLUMN_ACTIONS.get(self.token.symbol)
        if rule is None:
            if self.token.symbol not in ("ADD", "OPTIONS", "RESET"):
                raise self.unexpected()
            self._skip_action()
            return TableAction(at=start, end=self.end)
        self.advance()
        return rule(self, column, start)

    def _change_type(self, column: Identifier, start: int) -> TableAction:
        type_ = self.column_type()
        if type_.serial:
            self.refuse("Type <serial> is not supported; use bigint or int8 instead.")
        if self.accept("COLLATE"):
            self.refuse("<COLLATE> clause is not supported in column definition.")
            self.path_from(self.part())
        if self.accept("USING"):
            self.refuse(
                "<USING> clause is not supported in <ALTER TABLE ALTER COLUMN TYPE> statement"
            )
            self.expression()
        return ddl_ast.ChangeColumnType(
            column, type_.name, options=type_.options, at=start, end=self.end
        )

    def _set_on_column(self, column: Identifier, start: int) -> TableAction:
        if self.accept_all("DATA", "TYPE"):
            return self._change_type(column, start)
        if self.accept_all("NOT", "NULL"):
            return ddl_ast.SetColumnNotNull(column, True, at=start, end=self.end)
        if self.accept("DEFAULT"):
            default = self.sql_expression()
            return ddl_ast.SetColumnDefault(column, default, at=start, end=self.end)
        if self.accept_all("ON", "UPDATE"):
            on_update = self.sql_expression()
            return ddl_ast.SetColumnOnUpdate(column, on_update, at=start, end=self.end)
        group_at = self.token.at
        if self.accept_all("LOCALITY", "GROUP"):
            group = Option("locality_group", self.name_or_null(), at=group_at, end=self.end)
            return ddl_ast.SetColumnOptions(column, (group,), at=start, end=self.end)
        if self.token.symbol in ("STATISTICS", "STORAGE", "COMPRESSION", "(", "GENERATED"):
            self._skip_action()
            return TableAction(at=start, end=self.end)
        return self._alter_identity(column, start)

    def _alter_identity(self, column: Identifier, start: int) -> TableAction:
        """Parse the options of an identity column; the first SET has been read."""
        clauses = self.sequence_clauses(_IDENTITY, required=True)
        if self.token.symbol in ("SET", "RESTART"):
            message = "Only single option is allowed for <ALTER COLUMN> on identity column."
            self.reject_later(message)
            self.skip_rest()
        return ddl_ast.AlterColumnIdentity(column, clauses, at=start, end=self.end)

    def _restart_counter(self, column: Identifier, start: int) -> TableAction:
        """Parse RESTART COUNTER [WITH] n; the RESTART of PostgreSQL's identity is refused."""
        if not self.accept("COUNTER"):
            clause = "Optional clause <restart>"
            self.refuse(f"{clause} is not supported in <{_IDENTITY}> statement.")
            if self.token.symbol not in _ENDS:
                self.accept("WITH")
                self.bigint()
            return TableAction(at=start, end=self.end)
        self.accept("WITH")
        counter = ddl_ast.SequenceClauses(counter=self.bigint(), at=start, end=self.end)
        return ddl_ast.AlterColumnIdentity(column, counter, at=start, end=self.end)

    def _drop_on_column(self, column: Identifier, start: int) -> TableAction:
        if self.accept_all("NOT", "NULL"):
            return ddl_ast.SetColumnNotNull(column, False, at=start, end=self.end)
        if self.accept("DEFAULT"):
            return ddl_ast.DropColumnDefault(column, at=start, end=self.end)
        if self.accept_all("ON", "UPDATE"):
            return ddl_ast.DropColumnOnUpdate(column, at=start, end=self.end)
        if self.token.symbol not in ("EXPRESSION", "IDENTITY"):
            raise self.unexpected()
        self._skip_action()
        return TableAction(at=start, end=self.end)

    # ------------------------------------------------------------------------ SET

    def _set_action(self, start: int) -> TableAction:
        if self.accept_all("ON", "DELETE"):
            action = self.accept("CASCADE")
            if not action:
                self.expect_all("NO", "ACTION")
            on_delete = ddl_ast.OnDelete.CASCADE if action else ddl_ast.OnDelete.NO_ACTION
            return ddl_ast.SetOnDelete(on_delete, at=start, end=self.end)
        if self.token.symbol == "INTERLEAVE":
            return ddl_ast.SetInterleave(self.interleave(), at=start, end=self.end)
        if options := self.storage_options():
            return ddl_ast.SetTableOptions(options, at=start, end=self.end)
        if self.token.symbol not in ("WITHOUT", "LOGGED", "UNLOGGED", "ACCESS", "TABLESPACE", "("):
            raise self.unexpected()
        self._skip_action()
        return TableAction(at=start, end=self.end)


_REFUSED = frozenset(
    {
        "ATTACH", "CLUSTER", "DETACH", "DISABLE", "ENABLE", "FORCE", "INHERIT", "NO", "NOT", "OF",
        "OPTIONS", "OWNER", "REPLICA", "RESET", "VALIDATE",
    }
)  # fmt: skip
_ACTIONS: Mapping[str, Callable[[DdlAlterTableParser, int], TableAction]] = {
    "ADD": DdlAlterTableParser._add_action,
    "ALTER": DdlAlterTableParser._alter_action,
    "DROP": DdlAlterTableParser._drop_action,
    "SET": DdlAlterTableParser._set_action,
}
_COLUMN_ACTIONS: Mapping[str, Callable[[DdlAlterTableParser, Identifier, int], TableAction]] = {
    "DROP": DdlAlterTableParser._drop_on_column,
    "RESTART": DdlAlterTableParser._restart_counter,
    "SET": DdlAlterTableParser._set_on_column,
    "TYPE": DdlAlterTableParser._change_type,
}
