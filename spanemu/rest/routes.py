"""Every path of the REST interface with its RPC, as data.

    CreateSession   POST   {database=D}/sessions   *

A row names the RPC, the HTTP method, the template of the path below `/v1/`, and what the body
holds: `*` the whole request, a name one field of it, `-` nothing. A template starts with the
variable that the path fills: a field of the request, and the form of the resource name. `D` stands
for the form of a database's name, as `_FORMS` lists. Collections and ids alternate in every path.

`tests/unit/rest/test_routes.py` compares the table with the official client's REST transports.

A path is looked up by its collections, its length and its verb. Segments are decoded after the path
is split, so an encoded slash is part of an id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from spanemu.base.record import NamedTuple

_INSTANCE = "projects/*/instances/*"
_DATABASE = f"{_INSTANCE}/databases/*"
_FORMS: Mapping[str, str] = {
    "P": "projects/*",
    "C": "projects/*/instanceConfigs/*",
    "I": _INSTANCE,
    "N": f"{_INSTANCE}/instancePartitions/*",
    "B": f"{_INSTANCE}/backups/*",
    "D": _DATABASE,
    "S": f"{_DATABASE}/sessions/*",
    "H": f"{_DATABASE}/backupSchedules/*",
    "R": f"{_DATABASE}/databaseRoles/*",
    "X": "projects/*/instanceConfigs/*/ssdCaches/*",
}

_SPANNER = """
CreateSession        POST    {database=D}/sessions              *
BatchCreateSessions  POST    {database=D}/sessions:batchCreate  *
ListSessions         GET     {database=D}/sessions              -
GetSession           GET     {name=S}                           -
DeleteSession        DELETE  {name=S}                           -
ExecuteSql           POST    {session=S}:executeSql             *
ExecuteStreamingSql  POST    {session=S}:executeStreamingSql    *
ExecuteBatchDml      POST    {session=S}:executeBatchDml        *
Read                 POST    {session=S}:read                   *
StreamingRead        POST    {session=S}:streamingRead          *
BeginTransaction     POST    {session=S}:beginTransaction       *
Commit               POST    {session=S}:commit                 *
Rollback             POST    {session=S}:rollback               *
PartitionQuery       POST    {session=S}:partitionQuery         *
PartitionRead        POST    {session=S}:partitionRead          *
BatchWrite           POST    {session=S}:batchWrite             *
FetchCacheUpdate     POST    {database=D}:cacheUpdate           *
"""

_INSTANCE_ADMIN = """
ListInstanceConfigs              GET     {parent=P}/instanceConfigs             -
GetInstanceConfig                GET     {name=C}                               -
CreateInstanceConfig             POST    {parent=P}/instanceConfigs             *
UpdateInstanceConfig             PATCH   {instance_config.name=C}               *
DeleteInstanceConfig             DELETE  {name=C}                               -
ListInstanceConfigOperations     GET     {parent=P}/instanceConfigOperations    -
ListInstances                    GET     {parent=P}/instances                   -
GetInstance                      GET     {name=I}                               -
CreateInstance                   POST    {parent=P}/instances                   *
UpdateInstance                   PATCH   {instance.name=I}                      *
DeleteInstance                   DELETE  {name=I}                               -
MoveInstance                     POST    {name=I}:move                          *
ListInstancePartitions           GET     {parent=I}/instancePartitions          -
GetInstancePartition             GET     {name=N}                               -
CreateInstancePartition          POST    {parent=I}/instancePartitions          *
UpdateInstancePartition          PATCH   {instance_partition.name=N}            *
DeleteInstancePartition          DELETE  {name=N}                               -
ListInstancePartitionOperations  GET     {parent=I}/instancePartitionOperations -
GetIamPolicy                     POST    {resource=I}:getIamPolicy              *
SetIamPolicy                     POST    {resource=I}:setIamPolicy              *
TestIamPermissions               POST    {resource=I}:testIamPermissions        *
"""

_DATABASE_ADMIN = """
ListDatabases           GET     {parent=I}/databases             -
GetDatabase             GET     {name=D}                         -
CreateDatabase          POST    {parent=I}/databases             *
UpdateDatabase          PATCH   {database.name=D}                database
DropDatabase            DELETE  {database=D}                     -
GetDatabaseDdl          GET     {database=D}/ddl                 -
UpdateDatabaseDdl       PATCH   {database=D}/ddl                 *
RestoreDatabase         POST    {parent=I}/databases:restore     *
AddSplitPoints          POST    {database=D}:addSplitPoints      *
ListDatabaseRoles       GET     {parent=D}/databaseRoles         -
ListDatabaseOperations  GET     {parent=I}/databaseOperations    -
ListBackups             GET     {parent=I}/backups               -
GetBackup               GET     {name=B}                         -
CreateBackup            POST    {parent=I}/backups               backup
CopyBackup              POST    {parent=I}/backups:copy          *
UpdateBackup            PATCH   {backup.name=B}                  backup
DeleteBackup            DELETE  {name=B}                         -
ListBackupOperations    GET     {parent=I}/backupOperations      -
ListBackupSchedules     GET     {parent=D}/backupSchedules       -
GetBackupSchedule       GET     {name=H}                         -
CreateBackupSchedule    POST    {parent=D}/backupSchedules       backup_schedule
UpdateBackupSchedule    PATCH   {backup_schedule.name=H}         backup_schedule
DeleteBackupSchedule    DELETE  {name=H}                         -
GetIamPolicy            POST    {resource=D}:getIamPolicy        *
GetIamPolicy            POST    {resource=B}:getIamPolicy        *
GetIamPolicy            POST    {resource=H}:getIamPolicy        *
SetIamPolicy            POST    {resource=D}:setIamPolicy        *
SetIamPolicy            POST    {resource=B}:setIamPolicy        *
SetIamPolicy            POST    {resource=H}:setIamPolicy        *
TestIamPermissions      POST    {resource=D}:testIamPermissions  *
TestIamPermissions      POST    {resource=B}:testIamPermissions  *
TestIamPermissions      POST    {resource=H}:testIamPermissions  *
TestIamPermissions      POST    {resource=R}:testIamPermissions  *
"""

# The operations of each kind of resource that has operations.
_OPERATIONS = "\n".join(
    f"""
ListOperations   GET     {{name={form}/operations}}           -
GetOperation     GET     {{name={form}/operations/*}}         -
DeleteOperation  DELETE  {{name={form}/operations/*}}         -
CancelOperation  POST    {{name={form}/operations/*}}:cancel  -
"""
    for form in ("C", "X", "I", "N", "B", "D")
)

_SERVICES: Mapping[str, str] = {
    "google.spanner.v1.Spanner": _SPANNER,
    "google.spanner.admin.instance.v1.InstanceAdmin": _INSTANCE_ADMIN,
    "google.spanner.admin.database.v1.DatabaseAdmin": _DATABASE_ADMIN,
    "google.longrunning.Operations": _OPERATIONS,
}

# Paths that the official client for Python does not have, of methods that are refused by name.
_REFUSED: Mapping[str, str] = {
    "google.spanner.admin.database.v1.DatabaseAdmin": """
ChangeQuorum   POST  {name=D}:changequorum        *
""",
    "google.spanner.adapter.v1.Adapter": """
CreateSession  POST  {parent=D}/sessions:adapter  *
AdaptMessage   POST  {name=S}:adaptMessage        *
""",
}

_TEMPLATE = re.compile(r"\{([a-z_.]+)=([A-Z])(/[^}]+)?\}(?:/(\w+))?(?::(\w+))?")

WHOLE = "*"  # the body is the request
NOTHING = "-"  # there is no body


class Route(NamedTuple):
    """A path with its RPC.

    `rpc` is the gRPC path of the method. `field` is the path of the field that the URL fills with a
    resource name of the given `form`, which the segment `collection` and `:verb` may follow.
    """

    rpc: str
    http_method: str
    field: str
    form: str
    collection: str
    verb: str
    body: str

    @property
    def template(self) -> str:
        """The path below `/v1/`, in the notation of google.api.http."""
        collection = f"/{self.collection}" if self.collection else ""
        verb = f":{self.verb}" if self.verb else ""
        return f"{{{self.field}={self.form}}}{collection}{verb}"


def _routes(services: Mapping[str, str]) -> Iterator[Route]:
    for service, rows in services.items():
        for row in filter(None, rows.splitlines()):
            rpc, http_method, template, body = row.split()
            match = _TEMPLATE.fullmatch(template)
            assert match is not None, row
            field, letter, tail, collection, verb = match.groups()
            form = _FORMS[letter] + (tail or "")
            path = f"/{service}/{rpc}"
            yield Route(path, http_method, field, form, collection or "", verb or "", body)


ROUTES: tuple[Route, ...] = tuple(_routes(_SERVICES))
REFUSED_ROUTES: tuple[Route, ...] = tuple(_routes(_REFUSED))

# HTTP method, collections, number of segments, verb
_Key = tuple[str, tuple[str, ...], int, str]


class Match(NamedTuple):
    """A route with the resource name that the path contains."""

    route: Route
    name: str


class Router:
    """An index of routes by the paths that they serve."""

    def __init__(self, routes: Iterable[Route] = (*ROUTES, *REFUSED_ROUTES)) -> None:
        self._routes: dict[_Key, tuple[Route, int]] = {}
        for route in routes:
            name = route.form.split("/")
            segments = [*name, route.collection] if route.collection else name
            key = (route.http_method, tuple(segments[::2]), len(segments), route.verb)
            assert key not in self._routes, route
            self._routes[key] = route, len(name)

    def find(self, http_method: str, path: str) -> Match | None:
        """Return the route of a path below `/v1/`, still percent-encoded; None without a route."""
        segments = path.split("/")
        last, colon, verb = segments[-1].rpartition(":")
        if colon:
            match = self._find(http_method, [*segments[:-1], last], unquote(verb))
            if match is not None:
                return match
        return self._find(http_method, segments, "")

    def _find(self, http_method: str, segments: list[str], verb: str) -> Match | None:
        if "" in segments:
            return None
        plain = [unquote(each) for each in segments] if "%" in "".join(segments) else segments
        row = self._routes.get((http_method, tuple(plain[::2]), len(plain), verb))
        if row is None:
            return None
        route, size = row
        return Match(route, "/".join(plain[:size]))
