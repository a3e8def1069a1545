"""Views, functions and models."""

from __future__ import annotations

from spanemu.sql import ddl_ast
from spanemu.sql.googlesql.syntax.ddl.parts import DdlPartParser


class DdlRoutineParser(DdlPartParser):
    """The grammar of views, functions and models."""

    # ------------------------------------------------------------------------ views

    def create_view(self, start: int, or_replace: bool) -> ddl_ast.CreateView:
        """Parse CREATE [OR REPLACE] VIEW; the caller has read the verb."""
        self.expect("VIEW")
        if_not_exists = self.if_not_exists()
        name = self.path()
        security = self._security()
        self.expect("AS")
        query = self.sql_query()
        return ddl_ast.CreateView(
            name, query, security, or_replace, if_not_exists, at=start, end=self.end
        )

    def _security(self) -> str | None:
        """Parse SQL SECURITY {INVOKER | DEFINER}; return None if it does not follow."""
        if not self.accept_all("SQL", "SECURITY"):
            return None
        if self.token.symbol not in ("INVOKER", "DEFINER"):
            raise self.unexpected("INVOKER", "DEFINER")
        return self.advance().symbol

    # ------------------------------------------------------------------------ functions

    def create_function(self, start: int, or_replace: bool) -> ddl_ast.CreateFunction:
        """Parse CREATE [OR REPLACE] FUNCTION; the caller has read the verb."""
        self.expect("FUNCTION")
        if_not_exists = self.if_not_exists()
        name = self.path()
        self.expect("(")
        parameters: tuple[ddl_ast.FunctionParameter, ...] = ()
        if self.token.symbol != ")":
            parameters = self.item_list(self._parameter)
        self.expect(")", ",")
        returns = self.type_name() if self.accept("RETURNS") else None
        determinism = self._determinism()
        language = self.identifier().name.upper() if self.accept("LANGUAGE") else None
        remote = self.accept("REMOTE") or language == "REMOTE"
        security = self._security()
        body = self.sql_in_parentheses() if self.accept("AS") else None
        options = self.options()
        if body is None and options is None:
            raise self.unexpected("AS", "OPTIONS")
        return ddl_ast.CreateFunction(
            name, parameters, returns, body, security, determinism, language, remote, options,
            or_replace, if_not_exists, at=start, end=self.end,
        )  # fmt: skip

    def _parameter(self) -> ddl_ast.FunctionParameter:
        start = self.token.at
        name = self.identifier()
        type_name = self.type_name()
        default = self.sql_expression() if self.accept("DEFAULT") else None
        return ddl_ast.FunctionParameter(name, type_name, default, at=start, end=self.end)

    def _determinism(self) -> str | None:
        if self.accept_all("NOT", "DETERMINISTIC"):
            return "NOT DETERMINISTIC"
        if self.accept("DETERMINISTIC"):
            return "DETERMINISTIC"
        return None

    # ------------------------------------------------------------------------ models

    def create_model(self, start: int, or_replace: bool) -> ddl_ast.CreateModel:
        """Parse CREATE [OR REPLACE] MODEL; the caller has read the verb."""
        self.expect("MODEL")
        if_not_exists = self.if_not_exists()
        name = self.path()
        inputs = outputs = None
        if self.accept("INPUT"):
            inputs = self._model_columns()
            self.expect("OUTPUT")
            outputs = self._model_columns()
        remote = self.accept("REMOTE")
        options = self.options()
        return ddl_ast.CreateModel(
            name, inputs, outputs, remote, options, or_replace, if_not_exists,
            at=start, end=self.end,
        )  # fmt: skip

    def _model_columns(self) -> tuple[ddl_ast.ModelColumn, ...]:
        """Parse `(name type [NOT NULL] [OPTIONS (...)], ...)`; a comma may follow the last item."""
        self.expect("(")
        column = self.counted(self._model_column)
        columns = [column()]
        while self.accept(","):
            if self.token.symbol == ")":
                break
            columns.append(column())
        self.expect(")", ",")
        return tuple(columns)

    def _model_column(self) -> ddl_ast.ModelColumn:
        start = self.token.at
        name = self.identifier()
        type_name = self.type_name()
        not_null = self.accept_all("NOT", "NULL")
        options = self.options()
        return ddl_ast.ModelColumn(name, type_name, not_null, options, at=start, end=self.end)

    def alter_model(self, start: int) -> ddl_ast.AlterModel:
        """Parse ALTER MODEL [IF EXISTS] name SET OPTIONS (...); the caller has read the verb."""
        self.expect("MODEL")
        if_exists = self.if_exists()
        name = self.path()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterModel(name, options, if_exists, at=start, end=self.end)
