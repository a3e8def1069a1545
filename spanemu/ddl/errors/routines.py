"""Errors of functions, models, proto bundles, property graphs and change streams."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class FunctionInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Error analyzing the definition of function `{function}`: {reason}"
    function: str
    reason: str


class FunctionReplacementInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot replace FUNCTION `{function}` because new definition is invalid with the following "
        "diagnostic message: {reason}"
    )
    function: str
    reason: str


class FunctionDefinerRights(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Function `{function}` uses unsupported SQL SECURITY DEFINER clause."
    function: str


class FunctionNamedAsBuiltin(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot create a function with the same name as builtin function `{function}`."
    function: str


class FunctionTypeMismatch(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Function `{function}` has type mismatch. User provided type: `{declared}`. Actual type: "
        "`{actual}`."
    )
    function: str
    declared: str
    actual: str


class ModelNotRemote(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Model {model} must specify REMOTE attribute."
    model: str


class ModelOptionInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Model {model} has invalid {option} option{problem}"
    model: str
    option: str
    problem: str


class ModelSchemaMissing(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Schema discovery is not available in an emulator. Please use explicit {clause} clause for "
        "model {model}."
    )
    model: str
    clause: str


class ModelColumnInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "{problem} Used in Model {model} column {column}."
    model: str
    column: str
    problem: str


class ModelColumnTwice(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Duplicate name in schema: {model}.{column}."
    model: str
    column: str


class ModelColumnsDifferInCase(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Schema object names differ only in case: {model}.{column}, {model}.{known}."
    model: str
    column: str
    known: str


class TooManyModelColumns(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Model {model} has too many {kind}; the limit is {limit}."
    model: str
    kind: str
    limit: int


class FunctionsDepend(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot drop {kind} `{name}` on which there are dependent functions: {functions}."
    kind: str
    name: str
    functions: str


class FunctionBecomesInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot alter {kind} `{name}`. The new definition causes the definition of FUNCTION "
        "`{function}` to become invalid with the following diagnostic message: {reason}"
    )
    kind: str
    name: str
    function: str
    reason: str


class FunctionInUse(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot drop FUNCTION `{function}` on which there is a dependent {user}."
    function: str
    user: str


class ProtoBundleExists(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The database has a proto bundle already; use ALTER PROTO BUNDLE."


class ProtoBundleMissing(SpannerError, code=Code.NOT_FOUND):
    prose = "The database has no proto bundle."


class ProtoDescriptorsMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The request has no proto_descriptors, which {statement} needs."
    statement: str


class ProtoTypeNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Type not found: `{type}` in {place}."
    type: str
    place: str


class ProtoTypeExists(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Type `{type}` is in the proto bundle already."
    type: str


class ProtoTypeReserved(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Type `{type}` is in a reserved package and cannot be added to a proto bundle."
    type: str


class ProtoTypeInUse(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot remove type `{type}` from the proto bundle: column {column} uses it."
    type: str
    column: str


class GraphInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Property Graph `{graph}` is invalid: {element}: {reason}."
    graph: str
    element: str
    reason: str


class GraphTableNotFound(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Table not found: {name} (in property graph `{graph}`)."
    graph: str
    name: str


class GraphColumnNotFound(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Column {column} not found in table {table} (in property graph `{graph}`)."
    graph: str
    table: str
    column: str


class GraphNodeTableNotFound(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The referenced node table {name} is not defined in the property graph `{graph}`."
    graph: str
    name: str


class GraphElementRepeated(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{element} is defined more than once; use a unique name."
    graph: str
    element: str


class GraphKeyNotUnique(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Neither the primary keys nor any unique index defined on the property graph element "
        "source table `{table}` provides the uniqueness guarantee for graph element `{element}` "
        "belonging to the graph `{graph}`. You want to redefine the element key columns ({key}) "
        "based on the source table's primary keys, or create a unique index on the element's key "
        "columns."
    )
    graph: str
    table: str
    element: str
    key: str


class GraphLabelsDiffer(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "The label {label} is defined with different property declarations. There is one instance "
        "of this label defined with properties of [{first}]. Another instance is defined with "
        "properties of [{second}]."
    )
    graph: str
    label: str
    first: str
    second: str


class GraphPropertyTypesDiffer(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "The property declaration of {property} has type conflicts. There is an existing "
        "declaration of type {first}. There is a conflicting one of type {second}."
    )
    graph: str
    property: str
    first: str
    second: str


class GraphPropertyRedefined(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Property {property} has more than one definition in the element table {element}."
    graph: str
    element: str
    property: str


class GraphPropertySubquery(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Property value expression of {property} cannot contain a subquery."
    graph: str
    property: str


class GraphPropertyVolatile(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Property value expression of {property} cannot use volatile or non-deterministic "
        "functions."
    )
    graph: str
    property: str


class GraphPropertyUnnamed(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Without `AS` alias, the property expression must be a simple reference to a column name, "
        "but was {expression}."
    )
    graph: str
    expression: str


class GraphViewInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot replace View `{view}`: Property Graph `{graph}` would be invalid: {reason}"
    view: str
    graph: str
    reason: str


class GraphsDepend(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot drop {kind} `{name}` on which there are dependent property graphs: {graphs}."
    kind: str
    name: str
    graphs: str


class WatchedTableInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Change Stream {stream} cannot track table {table}: {reason}."
    stream: str
    table: str
    reason: str


class WatchedColumnInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Change Stream {stream} cannot track column {column} of table {table}: {reason}."
    stream: str
    table: str
    column: str
    reason: str


class TooManyStreamsOnObject(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Failed to create or alter Change Stream {stream}: not more than {limit} Change Streams "
        "may track the same table, column or ALL: {object}."
    )
    stream: str
    object: str
    limit: int


class NothingWatched(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "ALTER CHANGE STREAM DROP FOR ALL cannot be applied on Change Stream {stream}: it does not "
        "track anything."
    )
    stream: str


class PartitionModeFixed(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Change Stream {stream} keeps the partition_mode that it was created with: the option "
        "cannot be altered."
    )
    stream: str


class TableIsWatched(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot drop table {table}. It is tracked by Change Streams: {streams}. Drop them or "
        "change their FOR clauses first."
    )
    table: str
    streams: str


class ColumnIsWatched(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot drop column {table}.{column}. It is tracked by Change Streams: {streams}. Drop "
        "them or change their FOR clauses first."
    )
    table: str
    column: str
    streams: str


# ---------------------------------------------------------------------------- queues


class QueueInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Queue {queue} is not valid: {reason}."
    queue: str
    reason: str


class QueueActionUnsupported(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "ALTER QUEUE {queue} can only SET OPTIONS, SET ON DELETE, SET INTERLEAVE IN, and add, "
        "replace or drop the row deletion policy."
    )
    queue: str
