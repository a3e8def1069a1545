"""Property graphs: node tables, edge tables, their keys, labels and properties."""

from __future__ import annotations

from spanemu.sql import ddl_ast
from spanemu.sql.googlesql.ast import Identifier
from spanemu.sql.googlesql.syntax.ddl.parts import DdlPartParser


class DdlGraphParser(DdlPartParser):
    """The grammar of property graphs."""

    def create_property_graph(self, start: int, or_replace: bool) -> ddl_ast.CreatePropertyGraph:
        """Parse CREATE [OR REPLACE] PROPERTY GRAPH; the caller has read the verb."""
        self.expect_all("PROPERTY", "GRAPH")
        if_not_exists = self.if_not_exists()
        name = self.path()
        options = self.options()
        body_at = self.token.at
        self.expect_all("NODE", "TABLES")
        nodes = self._graph_elements()
        edges = self._graph_elements() if self.accept_all("EDGE", "TABLES") else ()
        body = self.text[body_at : self.end]
        return ddl_ast.CreatePropertyGraph(
            name, nodes, edges, options, or_replace, if_not_exists, body, at=start, end=self.end
        )

    def _graph_elements(self) -> tuple[ddl_ast.GraphElement, ...]:
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

    def _graph_element(self) -> ddl_ast.GraphElement:
        start = self.token.at
        table = self.path()
        alias = self.identifier() if self.accept("AS") else None
        key = self.column_names() if self.accept("KEY") else ()
        source = self._endpoint("SOURCE")
        destination = self._endpoint("DESTINATION")
        labels = self._labels()
        dynamic_label = self._dynamic("LABEL")
        dynamic_properties = self._dynamic("PROPERTIES")
        return ddl_ast.GraphElement(
            table, alias, key, source, destination, labels, dynamic_label, dynamic_properties,
            at=start, end=self.end,
        )  # fmt: skip

    def _endpoint(self, side: str) -> ddl_ast.GraphEndpoint | None:
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
        return ddl_ast.GraphEndpoint(columns, element, referenced, at=start, end=self.end)

    def _labels(self) -> tuple[ddl_ast.GraphLabel, ...]:
        """Parse labels and their properties; properties alone belong to the default label."""
        labels: list[ddl_ast.GraphLabel] = []
        label = self.counted(self._label)
        while self.token.symbol == "LABEL" or self.follows("DEFAULT", "LABEL"):
            labels.append(label())
        start = self.token.at
        if not labels and (properties := self._properties()) is not None:
            labels.append(ddl_ast.GraphLabel(None, properties, at=start, end=self.end))
        return tuple(labels)

    def _label(self) -> ddl_ast.GraphLabel:
        start = self.token.at
        is_default = self.accept("DEFAULT")
        self.expect("LABEL")
        name = None if is_default else self.identifier()
        properties = self._properties()
        return ddl_ast.GraphLabel(name, properties, at=start, end=self.end)

    def _properties(self) -> ddl_ast.GraphProperties | None:
        """Parse NO PROPERTIES, PROPERTIES [ARE] ALL COLUMNS [EXCEPT ...] or PROPERTIES (...)."""
        start = self.token.at
        if self.accept_all("NO", "PROPERTIES"):
            return ddl_ast.GraphProperties(at=start, end=self.end)
        if not self.accept("PROPERTIES"):
            return None
        self.accept("ARE")
        if self.accept_all("ALL", "COLUMNS"):
            excepted = self.column_names() if self.accept("EXCEPT") else ()
            return ddl_ast.GraphProperties(True, excepted, at=start, end=self.end)
        items = self.in_parentheses(self.counted(self._property))
        return ddl_ast.GraphProperties(items=items, at=start, end=self.end)

    def _property(self) -> ddl_ast.GraphProperty:
        start = self.token.at
        value = self.sql_expression()
        name = self.identifier() if self.accept("AS") else None
        return ddl_ast.GraphProperty(value, name, at=start, end=self.end)

    def _dynamic(self, what: str) -> Identifier | None:
        """Parse DYNAMIC `what` (column); return None if it does not follow."""
        if not self.accept_all("DYNAMIC", what):
            return None
        self.expect("(")
        column = self.identifier()
        self.expect(")")
        return column
