"""Views, property graphs, functions and models."""

from __future__ import annotations

from spanemu.sql import ddl_ast, graph_ast
from spanemu.sql.googlesql.ast import Identifier
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
        """Parse CREATE [OR REPLACE] MODEL [IF NOT EXISTS]; the caller has read the verb."""
        self.expect("MODEL")
        if_not_exists = not or_replace and self.if_not_exists()
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
        """Parse `(name type [attribute] [OPTIONS (...)], ...)`; a comma may follow the last."""
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
        attribute = self._column_attribute()
        options = self.options()
        return ddl_ast.ModelColumn(name, type_name, attribute, options, at=start, end=self.end)

    def _column_attribute(self) -> str:
        """Parse what only columns of tables may have, and return its first words."""
        if self.accept_all("NOT", "NULL"):
            return "NOT NULL"
        if self.accept("HIDDEN"):
            return "HIDDEN"
        for word in ("DEFAULT", "AS"):
            if self.accept(word):
                self.sql_in_parentheses()
                self.accept("STORED")
                return word
        return ""

    def alter_model(self, start: int) -> ddl_ast.AlterModel:
        """Parse ALTER MODEL [IF EXISTS] name SET OPTIONS (...); the caller has read the verb."""
        self.expect("MODEL")
        if_exists = self.if_exists()
        name = self.path()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterModel(name, options, if_exists, at=start, end=self.end)


class DdlGraphParser(DdlPartParser):
    """The grammar of property graphs."""

    def create_property_graph(self, start: int, or_replace: bool) -> graph_ast.CreatePropertyGraph:
        """Parse CREATE [OR REPLACE] PROPERTY GRAPH; the caller has read the verb."""
        self.expect_all("PROPERTY", "GRAPH")
        exclusive_at = self.token.at
        if_not_exists = self.if_not_exists()
        if or_replace and if_not_exists:
            raise self.failure("OR REPLACE and IF NOT EXISTS exclude each other", exclusive_at)
        name = self.path()
        options = self.options()
        self.expect_all("NODE", "TABLES")
        nodes = self._graph_elements()
        edges = self._graph_elements() if self.accept_all("EDGE", "TABLES") else ()
        return graph_ast.CreatePropertyGraph(
            name, nodes, edges, options, or_replace, if_not_exists, at=start, end=self.end
        )

    def _graph_elements(self) -> tuple[graph_ast.GraphElement, ...]:
        """Parse `(element, ...)`; a comma may follow the last element."""
        self.expect("(")
        element = self.counted(self._graph_element)
        elements = [element()]
        while self.accept(","):
            if self.token.symbol == ")":
                break
            elements.append(element())
        self.expect(")", ",")
        return tuple(elements)

    def _graph_element(self) -> graph_ast.GraphElement:
        start = self.token.at
        table = self.path()
        alias = self.identifier() if self.accept("AS") else None
        key = self.column_names() if self.accept("KEY") else ()
        source = self._endpoint("SOURCE")
        destination = self._endpoint("DESTINATION")
        labels = self._labels()
        dynamic_label = self._dynamic("LABEL")
        dynamic_properties = self._dynamic("PROPERTIES")
        return graph_ast.GraphElement(
            table, alias, key, source, destination, labels, dynamic_label, dynamic_properties,
            at=start, end=self.end,
        )  # fmt: skip

    def _endpoint(self, side: str) -> graph_ast.GraphEndpoint | None:
        """Parse `side` KEY (columns) REFERENCES element [(columns)], if it follows."""
        start = self.token.at
        if not self.accept_all(side, "KEY"):
            return None
        columns = self.column_names()
        self.expect("REFERENCES")
        element = self.identifier()
        referenced: tuple[Identifier, ...] = ()
        if self.token.symbol == "(":
            referenced = self.column_names()
        return graph_ast.GraphEndpoint(columns, element, referenced, at=start, end=self.end)

    def _labels(self) -> tuple[graph_ast.GraphLabel, ...]:
        """Parse labels and their properties; properties alone belong to the default label."""
        labels: list[graph_ast.GraphLabel] = []
        label = self.counted(self._label)
        while self.token.symbol == "LABEL" or self.follows("DEFAULT", "LABEL"):
            labels.append(label())
        start = self.token.at
        if not labels and (properties := self._properties()) is not None:
            labels.append(graph_ast.GraphLabel(None, properties, at=start, end=self.end))
        return tuple(labels)

    def _label(self) -> graph_ast.GraphLabel:
        start = self.token.at
        is_default = self.accept("DEFAULT")
        self.expect("LABEL")
        name = None if is_default else self.identifier()
        properties = self._properties()
        return graph_ast.GraphLabel(name, properties, at=start, end=self.end)

    def _properties(self) -> graph_ast.GraphProperties | None:
        """Parse NO PROPERTIES, PROPERTIES [ARE] ALL COLUMNS [EXCEPT ...] or PROPERTIES (...)."""
        start = self.token.at
        if self.accept_all("NO", "PROPERTIES"):
            return graph_ast.GraphProperties(at=start, end=self.end)
        if not self.accept("PROPERTIES"):
            return None
        self.accept("ARE")
        if self.accept_all("ALL", "COLUMNS"):
            excepted = self.column_names() if self.accept("EXCEPT") else ()
            return graph_ast.GraphProperties(True, excepted, at=start, end=self.end)
        items = self.in_parentheses(self.counted(self._property))
        return graph_ast.GraphProperties(items=items, at=start, end=self.end)

    def _property(self) -> graph_ast.GraphProperty:
        start = self.token.at
        value = self.sql_expression()
        name = self.identifier() if self.accept("AS") else None
        return graph_ast.GraphProperty(value, name, at=start, end=self.end)

    def _dynamic(self, what: str) -> Identifier | None:
        """Parse DYNAMIC `what` (column); return None if it does not follow."""
        if not self.accept_all("DYNAMIC", what):
            return None
        self.expect("(")
        column = self.identifier()
        self.expect(")")
        return column
