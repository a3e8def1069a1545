"""CREATE TABLE, RENAME TABLE, ALTER TABLE, and the statements about queues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from spanemu.base.record import dataclass
from spanemu.sql import ddl_ast
from spanemu.sql.errors import LISTED_CONSTRAINTS, IfExistsWithOptions, TooManyColumns
from spanemu.sql.googlesql.ast import Identifier, Path
from spanemu.sql.googlesql.syntax.ddl.parts import DdlPartParser
from spanemu.sql.syntax_tree import Kind

CONSTRAINTS_MAX = 1_000  # of CREATE TABLE, with synonyms; Spanner documents no limit


@dataclass
class _Elements:
    """The elements between the parentheses of CREATE TABLE, by kind."""

    columns: list[ddl_ast.ColumnDefinition] = field(default_factory=list)
    constraints: list[ddl_ast.Constraint] = field(default_factory=list)
    synonyms: list[Identifier] = field(default_factory=list)
    primary_key: tuple[ddl_ast.KeyPart, ...] | None = None


class DdlTableParser(DdlPartParser):
    """The grammar of tables."""

    def create_table(self, start: int) -> ddl_ast.CreateTable:
        """Parse CREATE TABLE; the caller has read the verb."""
        return self._created(start, "TABLE", ddl_ast.CreateTable)

    def create_queue(self, start: int) -> ddl_ast.CreateTable:
        """Parse CREATE QUEUE, in the grammar of tables; the caller has read the verb."""
        return self._created(start, "QUEUE", ddl_ast.CreateQueue)

    def _created(
        self, start: int, word: str, node: type[ddl_ast.CreateTable]
    ) -> ddl_ast.CreateTable:
        self.expect(word)
        if_not_exists = self.if_not_exists()
        name = self.path()
        elements = self._table_elements(name)
        if self.follows("PRIMARY", "KEY"):
            if elements.primary_key is not None:
                raise self.unexpected()
            elements.primary_key = self._primary_key()
        interleave, policy, options = self._table_clauses()
        return node(
            name, tuple(elements.columns), elements.primary_key, tuple(elements.constraints),
            tuple(elements.synonyms), interleave, policy, options, if_not_exists,
            at=start, end=self.end,
        )  # fmt: skip

    def _table_elements(self, table: Path) -> _Elements:
        elements = _Elements()
        columns_max = self.bounds.limits.columns_per_table
        self.expect("(")
        while self.token.symbol != ")":
            start = self.token.at
            self._table_element(elements)
            if len(elements.columns) > columns_max:
                raise TooManyColumns(str(table), columns_max)
            if len(elements.constraints) + len(elements.synonyms) > CONSTRAINTS_MAX:
                raise self.too_large(LISTED_CONSTRAINTS, CONSTRAINTS_MAX, start)
            if not self.accept(","):
                break
        self.expect(")", ",")
        return elements

    def _table_element(self, into: _Elements) -> None:
        if self.follows("PRIMARY", "KEY", "("):
            if into.primary_key is not None:
                raise self.unexpected()
            into.primary_key = self._primary_key()
        elif self.follows("SYNONYM", "("):
            self.expect_all("SYNONYM", "(")
            into.synonyms.append(self.identifier())
            self.expect(")")
        elif self.constraint_follows():
            into.constraints.append(self.constraint())
        else:
            into.columns.append(self.column())

    def _primary_key(self) -> tuple[ddl_ast.KeyPart, ...]:
        self.expect_all("PRIMARY", "KEY")
        return self.key_parts()

    def _table_clauses(
        self,
    ) -> tuple[
        ddl_ast.InterleaveClause | None, ddl_ast.RowDeletionPolicy | None, ddl_ast.Options | None
    ]:
        """Parse the clauses behind the parentheses, each after a comma and at most once."""
        interleave = policy = options = None
        while self.accept(","):
            symbol = self.token.symbol
            if symbol == "INTERLEAVE" and interleave is None:
                interleave = self.interleave()
            elif symbol == "ROW" and policy is None:
                policy = self.row_deletion_policy()
            elif symbol == "OPTIONS" and options is None:
                options = self.required_options()
            else:
                raise self.unexpected()
        return interleave, policy, options

    def rename_tables(self, start: int) -> ddl_ast.RenameTables:
        """Parse RENAME TABLE a TO b, ...; the caller has read the verb."""
        self.expect("TABLE")
        renames = self.item_list(self._table_rename)
        return ddl_ast.RenameTables(renames, at=start, end=self.end)

    def _table_rename(self) -> tuple[Path, Path]:
        old = self.path()
        self.expect("TO")
        return old, self.path()

    def row_deletion_policy(self) -> ddl_ast.RowDeletionPolicy:
        """Parse ROW DELETION POLICY (OLDER_THAN(column, INTERVAL days DAY))."""
        start = self.token.at
        self.expect_all("ROW", "DELETION", "POLICY", "(")
        if self.token.symbol != "OLDER_THAN":
            raise self.failure("Only OLDER_THAN is supported in a row deletion policy")
        self.expect_all("OLDER_THAN", "(")
        column = self.identifier()
        self.expect_all(",", "INTERVAL")
        days = self.whole_number()
        self.expect_all("DAY", ")", ")")
        return ddl_ast.RowDeletionPolicy(column, days, at=start, end=self.end)

    # ------------------------------------------------------------------------ columns

    def column(self) -> ddl_ast.ColumnDefinition:
        """Parse a column definition: a name, a type, and clauses.

        NOT NULL comes first, and the clause that computes the value comes second. The other
        clauses may come in any order, because Spanner prints OPTIONS before HIDDEN but documents
        the reverse.
        """
        start = self.token.at
        name = self.identifier()
        type_name = self.type_name()
        value = _ValueClauses()
        not_null = self.accept_all("NOT", "NULL")
        self._value_clauses(value)
        flags = dict.fromkeys(_COLUMN_FLAGS, False)
        options: ddl_ast.Options | None = None
        while True:
            if self.token.symbol == "OPTIONS" and options is None:
                options = self.required_options()
                continue
            flag = next((flag for flag in _COLUMN_FLAGS if self.follows(*flag)), None)
            if flag is None or flags[flag]:
                break
            flags[flag] = self.accept_all(*flag)
        hidden, primary_key, placement_key = (flags[flag] for flag in _COLUMN_FLAGS)
        return ddl_ast.ColumnDefinition(
            name, type_name, not_null, value.default, value.on_update, value.generated,
            value.stored, value.identity, value.auto_increment, hidden, primary_key,
            placement_key, options, at=start, end=self.end,
        )  # fmt: skip

    def _value_clauses(self, into: _ValueClauses) -> None:
        if self.follows("ON", "UPDATE"):
            into.on_update = self.on_update()
        if self.accept("DEFAULT"):
            into.default = self.sql_in_parentheses()
            if into.on_update is None and self.follows("ON", "UPDATE"):
                into.on_update = self.on_update()
        elif into.on_update is not None:
            return
        elif self.accept("AS"):
            into.generated = self.sql_in_parentheses()
            into.stored = self.accept("STORED")
        elif self.accept("GENERATED"):
            self.expect_all("BY", "DEFAULT", "AS", "IDENTITY")
            into.identity = self._identity()
        else:
            into.auto_increment = self.accept("AUTO_INCREMENT")

    def on_update(self) -> ddl_ast.SqlExpression:
        """Parse ON UPDATE (expression)."""
        self.expect_all("ON", "UPDATE")
        return self.sql_in_parentheses()

    def _identity(self) -> ddl_ast.SequenceClauses:
        start = self.token.at
        if not self.accept("("):
            return ddl_ast.SequenceClauses(at=start, end=self.end)
        clauses = self.sequence_clauses()
        if clauses.is_empty or clauses.no_skip_range:
            raise self.unexpected()
        self.expect(")")
        return clauses

    # ------------------------------------------------------------------------ constraints

    def constraint_follows(self) -> bool:
        """Return whether a constraint follows, not a column that is named like its keyword."""
        if self.token.symbol == "CONSTRAINT":
            return self.peek(2).symbol in _CONSTRAINT_WORDS
        return self.follows("FOREIGN", "KEY", "(") or self.follows("CHECK", "(")

    def constraint(self) -> ddl_ast.Constraint:
        """Parse [CONSTRAINT name] {FOREIGN KEY ... | CHECK (...)}."""
        start = self.token.at
        name = self.identifier() if self.accept("CONSTRAINT") else None
        if self.accept("CHECK"):
            check = self.sql_in_parentheses()
            return ddl_ast.CheckDefinition(name, check, at=start, end=self.end)
        self.expect("FOREIGN", "CHECK")
        self.expect("KEY")
        columns = self.column_names()
        self.expect("REFERENCES")
        table = self.path()
        referenced = self.column_names()
        on_delete = self.on_delete()
        enforced = not self.accept_all("NOT", "ENFORCED")
        if enforced:
            self.accept("ENFORCED")
        return ddl_ast.ForeignKeyDefinition(
            name, columns, table, referenced, on_delete, enforced, at=start, end=self.end
        )


@dataclass
class _ValueClauses:
    """The clauses that give a column its value when a statement gives none."""

    default: ddl_ast.SqlExpression | None = None
    on_update: ddl_ast.SqlExpression | None = None
    generated: ddl_ast.SqlExpression | None = None
    stored: bool = False
    identity: ddl_ast.SequenceClauses | None = None
    auto_increment: bool = False


_COLUMN_FLAGS = (("HIDDEN",), ("PRIMARY", "KEY"), ("PLACEMENT", "KEY"))
_CONSTRAINT_WORDS = frozenset({"FOREIGN", "CHECK"})
_SET_OPTIONS = (ddl_ast.SetColumnOptions, ddl_ast.SetTableOptions)


class DdlAlterTableParser(DdlTableParser):
    """The grammar of ALTER TABLE."""

    def alter_table(self, start: int) -> ddl_ast.AlterTable:
        """Parse ALTER TABLE [IF EXISTS] name action; the caller has read the verb."""
        return self._altered(start, "TABLE", ddl_ast.AlterTable)

    def alter_queue(self, start: int) -> ddl_ast.AlterTable:
        """Parse ALTER QUEUE, in the grammar of tables; the caller has read the verb."""
        return self._altered(start, "QUEUE", ddl_ast.AlterQueue)

    def _altered(self, start: int, word: str, node: type[ddl_ast.AlterTable]) -> ddl_ast.AlterTable:
        self.expect(word)
        if_exists = self.if_exists()
        name = self.path()
        rule = _ACTIONS.get(self.token.symbol)
        if rule is None:
            raise self.unexpected(*_ACTIONS)
        action = rule(self, self.advance().at)
        if if_exists and word == "TABLE" and isinstance(action, _SET_OPTIONS):
            raise IfExistsWithOptions(self.text)
        return node(name, action, if_exists, at=start, end=self.end)

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
