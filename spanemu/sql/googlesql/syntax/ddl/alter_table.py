"""ALTER TABLE, one rule per action."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.sql import ddl_ast
from spanemu.sql.googlesql.ast import Identifier
from spanemu.sql.googlesql.syntax.ddl.table import DdlTableParser
from spanemu.sql.googlesql.syntax.lexer import Kind


class DdlAlterTableParser(DdlTableParser):
    """The grammar of ALTER TABLE."""

    def alter_table(self, start: int) -> ddl_ast.AlterTable:
        """Parse ALTER TABLE [IF EXISTS] name action; the caller has read the verb."""
        self.expect("TABLE")
        if_exists = self.if_exists()
        name = self.path()
        rule = _ACTIONS.get(self.token.symbol)
        if rule is None:
            raise self.unexpected(*_ACTIONS)
        action = rule(self, self.advance().at)
        return ddl_ast.AlterTable(name, action, if_exists, at=start, end=self.end)

    # ------------------------------------------------------------------------ ADD, DROP

    def _add_action(self, start: int) -> ddl_ast.TableAction:
        if self.constraint_follows():
            return ddl_ast.AddConstraint(self.constraint(), at=start, end=self.end)
        if self.follows("ROW", "DELETION", "POLICY"):
            policy = self.row_deletion_policy()
            return ddl_ast.AddRowDeletionPolicy(policy, at=start, end=self.end)
        if self.token.symbol == "SYNONYM" and self.peek().kind is Kind.IDENTIFIER:
            self.advance()
            return ddl_ast.AddSynonym(self.path(), at=start, end=self.end)
        self._skip_column_word()
        if_not_exists = self.if_not_exists()
        return ddl_ast.AddColumn(self.column(), if_not_exists, at=start, end=self.end)

    def _skip_column_word(self) -> None:
        """Consume the optional word COLUMN, unless it is the column's name and a type follows."""
        if self.token.symbol == "COLUMN" and self.peek(2).symbol not in _AFTER_TYPE:
            self.advance()

    def _drop_action(self, start: int) -> ddl_ast.TableAction:
        if self.accept_all("ROW", "DELETION", "POLICY"):
            return ddl_ast.DropRowDeletionPolicy(at=start, end=self.end)
        if self.peek().symbol in _ENDS:  # a single word is a column's name
            return ddl_ast.DropColumn(self.identifier(), at=start, end=self.end)
        if self.accept("CONSTRAINT"):
            return ddl_ast.DropConstraint(self.identifier(), at=start, end=self.end)
        if self.accept("SYNONYM"):
            return ddl_ast.DropSynonym(self.path(), at=start, end=self.end)
        self.expect("COLUMN", "CONSTRAINT", "SYNONYM")
        return ddl_ast.DropColumn(self.identifier(), at=start, end=self.end)

    # ------------------------------------------------------------------------ ALTER COLUMN

    def _alter_column(self, start: int) -> ddl_ast.TableAction:
        self._skip_column_word()
        rule = _COLUMN_ACTIONS.get(self.peek().symbol)
        if rule is None:
            return ddl_ast.RedefineColumn(self.column(), at=start, end=self.end)
        column = self.identifier()
        self.advance()
        return rule(self, column, start)

    def _set_on_column(self, column: Identifier, start: int) -> ddl_ast.TableAction:
        match self.token.symbol:
            case "OPTIONS":
                options = self.required_options()
                return ddl_ast.SetColumnOptions(column, options, at=start, end=self.end)
            case "DEFAULT":
                self.advance()
                default = self.sql_in_parentheses()
                return ddl_ast.SetColumnDefault(column, default, at=start, end=self.end)
            case "ON":
                on_update = self.on_update()
                return ddl_ast.SetColumnOnUpdate(column, on_update, at=start, end=self.end)
        raise self.unexpected("OPTIONS", "DEFAULT", "ON")

    def _drop_on_column(self, column: Identifier, start: int) -> ddl_ast.TableAction:
        if self.accept_all("ON", "UPDATE"):
            return ddl_ast.DropColumnOnUpdate(column, at=start, end=self.end)
        self.expect("DEFAULT", "ON")
        return ddl_ast.DropColumnDefault(column, at=start, end=self.end)

    def _alter_identity(self, column: Identifier, start: int) -> ddl_ast.TableAction:
        self.expect("IDENTITY")
        allowed = ("SKIP", "NO") if self.accept("SET") else ("RESTART",)
        if self.token.symbol not in allowed:
            raise self.unexpected(*allowed)
        clauses = self.sequence_clauses()
        return ddl_ast.AlterColumnIdentity(column, clauses, at=start, end=self.end)

    # ------------------------------------------------------------------------ SET, REPLACE, RENAME

    def _set_action(self, start: int) -> ddl_ast.TableAction:
        match self.token.symbol:
            case "OPTIONS":
                options = self.required_options()
                return ddl_ast.SetTableOptions(options, at=start, end=self.end)
            case "INTERLEAVE":
                return ddl_ast.SetInterleave(self.interleave(), at=start, end=self.end)
            case "ON":
                on_delete = self.on_delete()
                if on_delete is None:
                    raise self.unexpected()
                return ddl_ast.SetOnDelete(on_delete, at=start, end=self.end)
        raise self.unexpected("OPTIONS", "INTERLEAVE", "ON")

    def _replace_action(self, start: int) -> ddl_ast.TableAction:
        policy = self.row_deletion_policy()
        return ddl_ast.ReplaceRowDeletionPolicy(policy, at=start, end=self.end)

    def _rename_action(self, start: int) -> ddl_ast.TableAction:
        self.expect("TO")
        name = self.path()
        synonym = None
        if self.accept(","):
            self.expect_all("ADD", "SYNONYM")
            synonym = self.path()
        return ddl_ast.RenameTo(name, synonym, at=start, end=self.end)


_ENDS = frozenset({";", str(Kind.END)})
_AFTER_TYPE = _ENDS | {"(", "."}
_ACTIONS: Mapping[str, Callable[[DdlAlterTableParser, int], ddl_ast.TableAction]] = {
    "ADD": DdlAlterTableParser._add_action,
    "ALTER": DdlAlterTableParser._alter_column,
    "DROP": DdlAlterTableParser._drop_action,
    "RENAME": DdlAlterTableParser._rename_action,
    "REPLACE": DdlAlterTableParser._replace_action,
    "SET": DdlAlterTableParser._set_action,
}
_COLUMN_ACTIONS: Mapping[
    str, Callable[[DdlAlterTableParser, Identifier, int], ddl_ast.TableAction]
] = {
    "ALTER": DdlAlterTableParser._alter_identity,
    "DROP": DdlAlterTableParser._drop_on_column,
    "SET": DdlAlterTableParser._set_on_column,
}
