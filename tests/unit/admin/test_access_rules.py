"""Principals, roles, versions and permissions of access policies."""

import pytest

from spanemu.admin import errors
from spanemu.admin.access_rules import (
    GROUPS_MAX,
    PRINCIPALS_MAX,
    Binding,
    check_permissions,
    check_policy,
)

RESOURCE = "projects/p/instances/i"
ANN = "user:ann@example.com"
POOL = "iam.googleapis.com/locations/global/workforcePools/pool"
PROJECT_POOL = "iam.googleapis.com/projects/12/locations/global/workloadIdentityPools/pool"


def check(*members, role="roles/spanner.viewer", version=0, conditional=False):
    check_policy(RESOURCE, version, [Binding(role, members, conditional)])


@pytest.mark.parametrize(
    "member",
    [
        ANN,
        "group:admins@example.com",
        "serviceAccount:my-other-app@appspot.gserviceaccount.com",
        "serviceAccount:my-project.svc.id.goog[my-namespace/my-account]",
        "domain:example.com",
        "allUsers",
        "allAuthenticatedUsers",
        "projectOwner:my-project",
        f"principal://{POOL}/subject/ann",
        f"principalSet://{POOL}/group/12",
        f"principalSet://{POOL}/attribute.team/ops",
        f"principalSet://{POOL}/*",
        f"principal://{PROJECT_POOL}/subject/ann",
        f"principalSet://{PROJECT_POOL}/*",
        "deleted:user:ann@example.com?uid=123456789012345678901",
        "deleted:serviceAccount:my-app@appspot.gserviceaccount.com?uid=1",
        "deleted:group:admins@example.com?uid=1",
        f"deleted:principal://{POOL}/subject/ann",
    ],
)
def test_members_of_every_documented_form_are_accepted(member):
    check(member)


@pytest.mark.parametrize(
    "member",
    [
        "",
        "ann",
        "ann@example.com",
        "user:",
        "user:ann",
        "User:ann@example.com",
        "users:ann@example.com",
        "user:ann@example.com\n",
        "user:a nn@example.com",
        "group:@example.com",
        "domain:",
        "domain:ann@example.com",
        "allusers",
        "allUsers:x",
        "principal://example.com/ann",
        f"principal:{POOL}/subject/ann",
        "deleted:user:ann@example.com",
        "deleted:allUsers",
    ],
)
def test_members_of_other_forms_are_refused(member):
    with pytest.raises(errors.InvalidPolicy):
        check(ANN, member)


@pytest.mark.parametrize(
    "role",
    [
        "roles/spanner.admin",
        "roles/spanner.databaseReaderWithDataBoost",
        "roles/owner",
        "roles/resourcemanager.organizationAdmin",
        "projects/my-project/roles/my_role.v1",
        "organizations/12/roles/myRole",
    ],
)
def test_predefined_and_custom_roles_are_accepted(role):
    check(ANN, role=role)


@pytest.mark.parametrize(
    "role",
    [
        "",
        "admin",
        "roles/",
        "roles/admin",
        "roles/spanner",
        "roles/spanner.",
        "roles/spanner.Admin",
        "roles/spanner.databaseWriter",
        "spanner.admin",
        "projects/p/roles/x",
        "folders/1/roles/myRole",
    ],
)
def test_unknown_roles_are_refused(role):
    with pytest.raises(errors.InvalidPolicy):
        check(ANN, role=role)


def test_a_policy_has_a_version_and_members():
    with pytest.raises(errors.InvalidPolicy):
        check(ANN, version=2)
    with pytest.raises(errors.InvalidPolicy):
        check()
    with pytest.raises(errors.InvalidPolicy):
        check(ANN, conditional=True)
    check(ANN, conditional=True, version=3)
    check_policy(RESOURCE, 1, [])


def test_the_number_of_members_is_limited():
    check(*[ANN] * PRINCIPALS_MAX)
    with pytest.raises(errors.InvalidPolicy):
        check(*[ANN] * PRINCIPALS_MAX, ANN)
    check(*["group:a@example.com"] * GROUPS_MAX, ANN)
    with pytest.raises(errors.InvalidPolicy):
        check(*["group:a@example.com"] * GROUPS_MAX, "group:b@example.com")


def test_permissions_are_those_of_spanner():
    check_permissions(RESOURCE, ["spanner.databases.select", "spanner.sessions.create"])
    for permission in ("", "spanner", "spanner.databases.fly", "bigquery.tables.get"):
        with pytest.raises(errors.UnknownPermission):
            check_permissions(RESOURCE, ["spanner.instances.get", permission])
    with pytest.raises(errors.PermissionWildcard):
        check_permissions(RESOURCE, ["spanner.databases.*"])
