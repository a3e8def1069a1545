"""Fields in a URL: nested by dots, repeated by repetition, without what is no field."""

from __future__ import annotations

import pytest

from spanemu.frontend import wire as admin
from spanemu.rest.errors import InvalidPayload
from spanemu.rest.query_string import fill_from_query, pairs_of, wants_enum_numbers


def filled(kind, query):
    message = kind()
    fill_from_query(message, pairs_of(query))
    return message


@pytest.mark.parametrize(
    ("kind", "query", "expected"),
    [
        (
            admin.ListInstancesRequest,
            "pageSize=5&filter=a%20b+c&page_token=%C3%A9",
            {"page_size": 5, "filter": "a b c", "page_token": "é"},
        ),
        (
            admin.ListInstancesRequest,
            "instanceDeadline=2026-01-01T00:00:00Z",
            {"instance_deadline": {"seconds": 1767225600}},
        ),
        (
            admin.CreateBackupRequest,
            "backupId=b&encryptionConfig.kmsKeyName=k&encryptionConfig.kmsKeyNames=x"
            "&encryptionConfig.kmsKeyNames=y&encryptionConfig.encryptionType=3",
            {
                "backup_id": "b",
                "encryption_config": {
                    "kms_key_name": "k",
                    "kms_key_names": ["x", "y"],
                    "encryption_type": 3,
                },
            },
        ),
        (
            admin.UpdateDatabaseRequest,
            "updateMask=enable_drop_protection",
            {"update_mask": {"paths": ["enable_drop_protection"]}},
        ),
        (admin.DeleteInstanceConfigRequest, "validateOnly=true", {"validate_only": True}),
        (admin.DeleteInstanceConfigRequest, "validateOnly=False", {}),
        (
            admin.ListInstancesRequest,
            "alt=json&$alt=json;enum-encoding=int&key=k&prettyPrint=false&access_token=t&pageSize=1",
            {"page_size": 1},
        ),
        (admin.ListInstancesRequest, "", {}),
        (admin.ListInstancesRequest, "&&", {}),
    ],
)
def test_queries_and_their_messages(kind, query, expected):
    assert filled(kind, query) == kind(**expected)


@pytest.mark.parametrize(
    "query",
    [
        "nothing=1",
        "pageSize=x",
        "pageSize=1&pageSize=2",
        "pageSize.x=1",
        "instanceDeadline.seconds=1",
        "filter=%FF",
        "&".join(f"key={number}" for number in range(2_000)),
    ],
)
def test_queries_that_are_refused(query):
    with pytest.raises(InvalidPayload):
        filled(admin.ListInstancesRequest, query)


@pytest.mark.parametrize("query", ["backup=x", "encryptionConfig=x", "encryptionConfig.x=1"])
def test_messages_have_no_single_text(query):
    with pytest.raises(InvalidPayload):
        filled(admin.CreateBackupRequest, query)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", False),
        ("alt=json", False),
        ("$alt=json;enum-encoding=int", True),
        ("%24alt=json%3Benum-encoding%3Dint", True),
    ],
)
def test_enums_as_numbers_on_request(query, wanted):
    assert wants_enum_numbers(pairs_of(query)) is wanted


def test_other_formats_are_refused():
    with pytest.raises(InvalidPayload):
        wants_enum_numbers(pairs_of("alt=proto"))
