"""The HTTP requests of Terraform's and Pulumi's providers for Google Cloud, as recordings.

Pulumi's provider wraps Terraform's, so that both send the same. The requests are written from the
provider's source (`resource_spanner_instance`, `resource_spanner_database`, `iam_spanner_*`,
`transport`), with its peculiarities: `alt=json` in each query, a name that Go prints as nil in the
update of an instance, all known sizes of an instance beside a mask that names the changed one, and
DDL only after the creation of a database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PROJECT = "tf-project"
INSTANCE = f"projects/{PROJECT}/instances/tf-main"
DATABASE = f"{INSTANCE}/databases/tf-app"
POSTGRESQL = f"{INSTANCE}/databases/tf-pg"
HEADERS = {
    "User-Agent": "Terraform/1.9.8 (+https://www.terraform.io) Terraform-Plugin-SDK/2.33.0 "
    "terraform-provider-google/6.8.0",
    "Content-Type": "application/json",
    "Authorization": "Bearer emulator",
}
# The IAM resources use Google's API client for Go.
GO_HEADERS = {**HEADERS, "X-Goog-Api-Client": "gl-go/1.21.13 gdcl/0.193.0"}


@dataclass(frozen=True)
class Exchange:
    """A request with the status and a part of the content of its response.

    `waits` says that the provider polls the operation in the response until it is done; `has` is
    then part of the operation's own response.
    """

    step: str
    method: str
    path: str
    body: Any = None
    status: int = 200
    has: Mapping[str, Any] = field(default_factory=dict)
    waits: bool = False
    headers: Mapping[str, str] = field(default_factory=lambda: HEADERS)
    query: str = "alt=json"


def policy(step: str, resource: str, has: Mapping[str, Any]) -> Exchange:
    """Return the reading of a policy, in plans and before and after each change."""
    body = {"options": {"requestedPolicyVersion": 3}}
    query = "alt=json&prettyPrint=false"
    path = f"{resource}:getIamPolicy"
    return Exchange(step, "POST", path, body, has=has, headers=GO_HEADERS, query=query)


def new_policy(step: str, resource: str, bindings: list[Any]) -> Exchange:
    """Return the writing of a policy, with the etag of the last that was read."""
    body = {"policy": {"bindings": bindings, "etag": "{etag}", "version": 3}}
    query = "alt=json&prettyPrint=false"
    path = f"{resource}:setIamPolicy"
    return Exchange(step, "POST", path, body, headers=GO_HEADERS, query=query)


READER = {"role": "roles/spanner.databaseReader", "members": ["user:ann@example.com"]}
VIEWER = {"role": "roles/spanner.viewer", "members": ["serviceAccount:ci@example.com"]}

INSTANCE_LIFE = (
    Exchange("refresh: it is not there", "GET", INSTANCE, status=404),
    Exchange(
        "create google_spanner_instance",
        "POST",
        f"projects/{PROJECT}/instances",
        {
            "instance": {
                "config": f"projects/{PROJECT}/instanceConfigs/regional-us-central1",
                "displayName": "main",
                "edition": "ENTERPRISE",
                "labels": {"goog-terraform-provisioned": "true", "team": "shop"},
                "nodeCount": 1,
            },
            "instanceId": "tf-main",
        },
        waits=True,
        has={"name": INSTANCE},
    ),
    Exchange(
        "plan",
        "GET",
        INSTANCE,
        has={
            "name": INSTANCE,
            "config": f"projects/{PROJECT}/instanceConfigs/regional-us-central1",
            "displayName": "main",
            "edition": "ENTERPRISE",
            "labels": {"goog-terraform-provisioned": "true", "team": "shop"},
            "nodeCount": 1,
            "processingUnits": 1000,
            "state": "READY",
        },
    ),
    Exchange(
        "update num_nodes, display_name",
        "PATCH",
        INSTANCE,
        {
            "fieldMask": "nodeCount,displayName",
            "instance": {
                "displayName": "bigger",
                "edition": "ENTERPRISE",
                "labels": {"goog-terraform-provisioned": "true", "team": "shop"},
                "name": f"projects/{PROJECT}/instances/%!s(<nil>)",
                "nodeCount": 2,
                "processingUnits": 1000,
            },
        },
        waits=True,
    ),
    Exchange(
        "plan: nothing to do",
        "GET",
        INSTANCE,
        has={"displayName": "bigger", "nodeCount": 2, "processingUnits": 2000},
    ),
    Exchange(
        "update: autoscaling_config instead of num_nodes",
        "PATCH",
        INSTANCE,
        {
            "fieldMask": "autoscalingConfig",
            "instance": {
                "autoscalingConfig": {
                    "autoscalingLimits": {"minNodes": 1, "maxNodes": 3},
                    "autoscalingTargets": {
                        "highPriorityCpuUtilizationPercent": 65,
                        "storageUtilizationPercent": 90,
                    },
                },
                "displayName": "bigger",
                "edition": "ENTERPRISE",
                "name": f"projects/{PROJECT}/instances/%!s(<nil>)",
                "nodeCount": 2,
                "processingUnits": 2000,
            },
        },
        waits=True,
    ),
    Exchange(
        "plan: the limits of autoscaling",
        "GET",
        INSTANCE,
        has={
            "autoscalingConfig": {
                "autoscalingLimits": {"minNodes": 1, "maxNodes": 3},
                "autoscalingTargets": {
                    "highPriorityCpuUtilizationPercent": 65,
                    "storageUtilizationPercent": 90,
                },
            }
        },
    ),
)

DATABASE_LIFE = (
    Exchange(
        "create google_spanner_database",
        "POST",
        f"{INSTANCE}/databases",
        {"createStatement": "CREATE DATABASE `tf-app`", "databaseDialect": "GOOGLE_STANDARD_SQL"},
        waits=True,
        has={"name": DATABASE},
    ),
    Exchange(
        "create: ddl and version_retention_period",
        "PATCH",
        f"{DATABASE}/ddl",
        {
            "statements": [
                "CREATE TABLE t1 (t1 INT64 NOT NULL,) PRIMARY KEY(t1)",
                'ALTER DATABASE `tf-app` SET OPTIONS (version_retention_period="3d")',
            ]
        },
        waits=True,
        has={"@type": "type.googleapis.com/google.protobuf.Empty"},
    ),
    Exchange(
        "create: enable_drop_protection",
        "PATCH",
        DATABASE,
        {"enableDropProtection": True},
        query="alt=json&updateMask=enableDropProtection",
        waits=True,
    ),
    Exchange(
        "plan",
        "GET",
        DATABASE,
        has={
            "name": DATABASE,
            "databaseDialect": "GOOGLE_STANDARD_SQL",
            "enableDropProtection": True,
            "state": "READY",
            "versionRetentionPeriod": "3d",
        },
    ),
    Exchange(
        "update ddl: the new statements only",
        "PATCH",
        f"{DATABASE}/ddl",
        {"statements": ["CREATE TABLE t2 (t2 INT64 NOT NULL,) PRIMARY KEY(t2)"]},
        waits=True,
    ),
    Exchange(
        "update ddl that is refused",
        "PATCH",
        f"{DATABASE}/ddl",
        {"statements": ["CREATE TABLE t2 (t2 INT64 NOT NULL,) PRIMARY KEY(t2)"]},
        status=400,
    ),
    Exchange("destroy while enable_drop_protection", "DELETE", DATABASE, status=400),
    Exchange(
        "update enable_drop_protection",
        "PATCH",
        DATABASE,
        {"enableDropProtection": False},
        query="alt=json&updateMask=enableDropProtection",
        waits=True,
    ),
    Exchange(
        "create google_spanner_database of PostgreSQL",
        "POST",
        f"{INSTANCE}/databases",
        {"createStatement": 'CREATE DATABASE "tf-pg"', "databaseDialect": "POSTGRESQL"},
        waits=True,
        has={"name": POSTGRESQL, "databaseDialect": "POSTGRESQL"},
    ),
    Exchange(
        "create: ddl of PostgreSQL",
        "PATCH",
        f"{POSTGRESQL}/ddl",
        {
            "statements": [
                "CREATE TABLE t1 (t1 bigint NOT NULL PRIMARY KEY)",
                'ALTER DATABASE "tf-pg" SET spanner.version_retention_period TO "2d"',
            ]
        },
        waits=True,
        has={"@type": "type.googleapis.com/google.protobuf.Empty"},
    ),
    Exchange("plan", "GET", POSTGRESQL, has={"versionRetentionPeriod": "2d"}),
)

IAM_LIFE = (
    policy("create google_spanner_database_iam_member: read", DATABASE, {}),
    new_policy("create google_spanner_database_iam_member: write", DATABASE, [READER]),
    policy("create google_spanner_database_iam_member: check", DATABASE, {"bindings": [READER]}),
    policy("plan", DATABASE, {"bindings": [READER]}),
    new_policy("destroy google_spanner_database_iam_member", DATABASE, []),
    policy("create google_spanner_instance_iam_binding: read", INSTANCE, {}),
    new_policy("create google_spanner_instance_iam_binding: write", INSTANCE, [VIEWER]),
    policy("plan", INSTANCE, {"bindings": [VIEWER]}),
    new_policy("destroy google_spanner_instance_iam_binding", INSTANCE, []),
)

DESTRUCTION = (
    Exchange("destroy google_spanner_database", "DELETE", DATABASE),
    Exchange("refresh: it is gone", "GET", DATABASE, status=404),
    Exchange("destroy google_spanner_database", "DELETE", POSTGRESQL),
    Exchange("destroy with force_destroy: backups", "GET", f"{INSTANCE}/backups"),
    Exchange("destroy google_spanner_instance", "DELETE", INSTANCE),
    Exchange("refresh: it is gone", "GET", INSTANCE, status=404),
)

RECORDING = (*INSTANCE_LIFE, *DATABASE_LIFE, *IAM_LIFE, *DESTRUCTION)
