"""Secondary, search and vector indexes."""

from __future__ import annotations

from spanemu.base.record import keyword_record, record
from spanemu.sql.syntax.ast import Identifier, Node, Path
from spanemu.sql.syntax.ddl_ast.parts import DdlStatement, Drop, KeyPart, Options
from spanemu.sql.syntax.ddl_ast.table import InterleaveClause


@keyword_record
class IndexDefinition(DdlStatement):
    """CREATE of an index of any kind.

    `where_not_null` names the columns of WHERE c IS NOT NULL AND ...
    """

    name: Path
    table: Path
    key: tuple[KeyPart, ...]
    if_not_exists: bool = False
    storing: tuple[Identifier, ...] = ()
    where_not_null: tuple[Identifier, ...] = ()
    options: Options | None = None


@keyword_record
class CreateIndex(IndexDefinition):
    """CREATE [UNIQUE] [NULL_FILTERED] INDEX."""

    unique: bool = False
    null_filtered: bool = False
    interleave: InterleaveClause | None = None


@keyword_record
class CreateSearchIndex(IndexDefinition):
    """CREATE SEARCH INDEX: an inverted index over TOKENLIST columns."""

    partition_by: tuple[Identifier, ...] = ()
    order_by: tuple[KeyPart, ...] = ()
    interleave: InterleaveClause | None = None


@keyword_record
class CreateVectorIndex(IndexDefinition):
    """CREATE VECTOR INDEX: the first part of `key` is the embedding."""

    partition_by: tuple[Identifier, ...] = ()


@record
class IndexAction(Node):
    """What an ALTER INDEX, ALTER SEARCH INDEX or ALTER VECTOR INDEX does."""


@record
class AddIndexColumn(IndexAction):
    """ADD [STORED] COLUMN name [OPTIONS (...)]; only a search index has the unstored form."""

    column: Identifier
    stored: bool = True
    options: Options | None = None


@record
class DropIndexColumn(IndexAction):
    """DROP [STORED] COLUMN name."""

    column: Identifier
    stored: bool = True


@record
class AlterStoredColumn(IndexAction):
    """ALTER STORED COLUMN name SET OPTIONS (...)."""

    column: Identifier
    options: Options


@record
class SetIndexOptions(IndexAction):
    """SET OPTIONS (...)."""

    options: Options


@record
class AlterIndex(DdlStatement):
    """ALTER INDEX name action."""

    name: Path
    action: IndexAction


@record
class AlterSearchIndex(DdlStatement):
    """ALTER SEARCH INDEX name action."""

    name: Path
    action: IndexAction


@record
class AlterVectorIndex(DdlStatement):
    """ALTER VECTOR INDEX name action."""

    name: Path
    action: IndexAction


@record
class DropIndex(Drop):
    """DROP INDEX: also drops a vector index."""


@record
class DropSearchIndex(Drop):
    """DROP SEARCH INDEX."""


@record
class DropVectorIndex(Drop):
    """DROP VECTOR INDEX."""
