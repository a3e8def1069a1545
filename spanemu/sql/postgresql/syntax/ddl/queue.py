"""CREATE QUEUE and ALTER QUEUE.

The clauses are those of tables. The options of a queue stand in WITH (...) or SET (...), as those
of a change stream.
"""

from __future__ import annotations

from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import Option, OptionValue
from spanemu.sql.postgresql.syntax.ddl.alter_table import DdlAlterTableParser
from spanemu.sql.postgresql.syntax.ddl.parts import Setting

_TEXTS = ("receive_mode",)
_TRUTHS = ("disable_delivery", "disable_send")


class DdlQueueParser(DdlAlterTableParser):
    """The grammar of queues."""

    def create_queue(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE QUEUE; the caller has read the verb."""
        self.expect("QUEUE")
        if_not_exists = self.if_not_exists()
        name = self.default_schema_name()
        elements = self.elements(name)
        options = self._options() if self.accept("WITH") else ()
        options += self.storage_options()
        interleave = self.interleave() if self.token.symbol == "INTERLEAVE" else None
        policy = self.ttl() if self.token.symbol == "TTL" else None
        return ddl_ast.CreateQueue(
            name,
            self.columns_of(elements),
            self.key_of(elements),
            tuple(elements.constraints),
            tuple(elements.synonyms),
            interleave,
            policy,
            options or None,
            if_not_exists,
            at=start,
            end=self.end,
        )

    def alter_queue(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER QUEUE [IF EXISTS] name action; the caller has read ALTER."""
        self.expect("QUEUE")
        if_exists = self.if_exists()
        name = self.default_schema_name()
        action = self._queue_action()
        return ddl_ast.AlterQueue(name, action, if_exists, at=start, end=self.end)

    def _queue_action(self) -> ddl_ast.TableAction:
        if not self.follows("SET", "("):
            return self.action()
        start = self.expect("SET").at
        return ddl_ast.SetTableOptions(self._options(), at=start, end=self.end)

    def _options(self) -> tuple[Option, ...]:
        settings = self.unique_settings("queue")
        return tuple(self.option(setting, self._option_value(setting)) for setting in settings)

    def _option_value(self, setting: Setting) -> OptionValue:
        if isinstance(setting.value, str) and setting.value.lower() == "null":
            return None
        if setting.name in _TRUTHS:
            return self.truth_value(setting, "queue")
        if setting.name not in _TEXTS:
            message = f"Invalid queue option '{setting.name}'"
            self.reject_later(f"{message} in <{self.statement}> statement.", setting.at)
        elif isinstance(setting.value, str):
            return setting.value
        else:
            self.bad_value(setting)
        return None
