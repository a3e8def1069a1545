"""The endpoint file is written atomically and removed only by its writer."""

import json

import pytest

from spanemu.api.endpoint_file import Endpoint, InvalidEndpointFile, publish, remove, write

ENDPOINT = Endpoint("127.0.0.1:1", 42, "p", "i", "2026-01-01T00:00:00Z")


def test_the_file_exists_while_the_block_runs(tmp_path):
    path = tmp_path / "endpoint.json"
    with publish(ENDPOINT, path):
        assert Endpoint.read(path) == ENDPOINT
        assert json.loads(path.read_text()) == {
            "uri": "127.0.0.1:1",
            "rest_uri": None,
            "pid": 42,
            "project_id": "p",
            "instance_id": "i",
            "tls_ca": None,
            "backend": "spanemu",
            "started_at": "2026-01-01T00:00:00Z",
        }
    assert list(tmp_path.iterdir()) == []


def test_an_older_endpoint_file_is_replaced_and_a_newer_one_is_kept(tmp_path):
    path = tmp_path / "endpoint.json"
    newer = Endpoint("127.0.0.1:2", 43, "p", "i", "2026-01-01T00:00:01Z")
    write(ENDPOINT, path)
    write(newer, path)
    remove(ENDPOINT, path)
    assert Endpoint.read(path) == newer
    remove(newer, path)
    remove(newer, path)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_no_file(tmp_path):
    (tmp_path / "endpoint.json").mkdir()
    with pytest.raises(OSError, match="endpoint"):
        write(ENDPOINT, tmp_path / "endpoint.json")
    assert [each.name for each in tmp_path.iterdir()] == ["endpoint.json"]
    with pytest.raises(FileNotFoundError):
        write(ENDPOINT, tmp_path / "nowhere" / "endpoint.json")


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "{}", '{"uri": "x"}'])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "endpoint.json"
    path.write_text(text)
    with pytest.raises(InvalidEndpointFile):
        Endpoint.read(path)
