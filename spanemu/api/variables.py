"""The environment variables of spanemu, and the misspelt ones among those that are set.

A variable is misspelt if one or two letters separate it from a known one. All others belong to
somebody else, such as those that Kubernetes sets for a service with the name spanemu:
SPANEMU_SERVICE_HOST, SPANEMU_PORT, SPANEMU_PORT_9010_TCP_ADDR.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from spanemu.base.deferred import lazy_pattern

_PREFIX = "SPANEMU_"
_SERVER = """
ABORT_SHARE ALLOWED_HOST ALL_CPUS CHECK_EDITIONS CONSOLE DATABASE DATA_DIR DIALECT EDITED
ENDPOINT_FILE EXPORT_ON_EXIT GC_FREEZE GRPC_SERVER HOST_PORT IMPORT INIT_DIR INSTANCE
INSTANCE_CONFIG LOG_REQUESTS LOG_SLOW_MS MAX_DATABASES_PER_INSTANCE METRICS
PARTITION_CHURN_SECONDS PROJECT
READY_LINES REMOTE_CONTROL REST_HOST_PORT REST_PORT SCHEMA SEED START_TIME STOP_ON_STDIN_END
STRICT_DATABASE_LIMIT STRICT_HEARTBEATS STRICT_INSTANCE_CONFIGS TLS_CERT TLS_KEY TRACE_REQUESTS
VERSION_RETENTION_SECONDS
"""
# Of the options of `spanemu serve`, which a test compares.
SERVER = frozenset(_PREFIX + name for name in _SERVER.split())
# Of other commands, of the pytest plugin, of the container image and of the helpers for Go, Java
# and Node.
OTHERS = frozenset(
    {
        "SPANEMU_IN_CONTAINER",
        "SPANEMU_ISOLATION",
        "SPANEMU_SQL_HISTORY",
        "SPANEMU_TARGET",
        "SPANEMU_TLS_CA",
        "SPANNER_DATABASE_ID",
        "SPANNER_EMULATOR_HOST",
        "SPANNER_EMULATOR_REST_HOST",
        "SPANNER_INSTANCE_ID",
        "SPANNER_PROJECT_ID",
    }
)
KNOWN = SERVER | OTHERS
_EDITS_MAX = 2
# For a service with the name spanemu or spanner-emulator, and its ports.
_KUBERNETES = lazy_pattern(
    r"(?:SPANEMU|SPANNER_EMULATOR)_PORT|.*_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_\w+)"
)


def misspelt_variables(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each misspelt name with the known one that is meant, in order."""
    for name in sorted(names):
        if name[:1] == "S" and name not in KNOWN and (meant := _meant(name)) is not None:
            yield name, meant


def misspelt_note(name: str, meant: str) -> str:
    """Return the note about a misspelt variable."""
    return f"the variable {name} is not read. Did you mean {meant}?"


def _meant(name: str) -> str | None:
    """Return the known variable that is closest, None if none is close enough."""
    if _KUBERNETES.fullmatch(name):
        return None
    edits = {known: _edits(name, known) for known in sorted(_of_similar_length(name))}
    meant = min(edits, key=edits.__getitem__, default=None)
    return meant if meant is not None and edits[meant] <= _EDITS_MAX else None


def _of_similar_length(name: str) -> Collection[str]:
    return [known for known in KNOWN if abs(len(known) - len(name)) <= _EDITS_MAX]


def _edits(name: str, other: str) -> int:
    """Return the number of letters to insert, delete, replace or exchange with the next one."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(name, 1):
        following = [i]
        for j, letter in enumerate(other, 1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (char != letter))
            if i > 1 and j > 1 and char == other[j - 2] and name[i - 2] == letter:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        before, row = row, following
    return row[-1]
