"""The newest state of a data directory is complete, whatever fails while another is written."""

from __future__ import annotations

import os

import pytest

from spanemu.api.saving.directory import DataDirectory, DirectoryInUse


class Crash(Exception):
    pass


def write(text):
    def write(folder):
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text(text)

    return write


@pytest.fixture
def directory(tmp_path):
    directory = DataDirectory(tmp_path / "data")
    yield directory
    directory.close()


def content(directory):
    return (directory.current / "inner" / "file").read_text()


def test_a_new_state_replaces_the_last(directory):
    assert directory.current is None
    for text in ("one", "two", "three"):
        assert directory.save(write(text)) == directory.current
        assert content(directory) == text
    assert sorted(path.name for path in directory.path.iterdir()) == ["lock", "state-000003"]


@pytest.mark.parametrize("call", range(1, 6))
def test_a_failure_keeps_the_last_state(directory, monkeypatch, call):
    # The calls are the writes to the disk and the rename, in the order in which they happen.
    directory.save(write("one"))
    calls = []

    def fail(real):
        def failing(*arguments):
            calls.append(real)
            if len(calls) == call:
                raise Crash
            return real(*arguments)

        return failing

    monkeypatch.setattr(os, "fsync", fail(os.fsync))
    monkeypatch.setattr("pathlib.Path.rename", fail(type(directory.path).rename))
    with pytest.raises(Crash):
        directory.save(write("two"))
    monkeypatch.undo()
    # The last call is the write of the directory itself: the new state is complete before it.
    assert content(directory) == ("two" if call == 5 else "one")
    directory.save(write("three"))
    assert content(directory) == "three"


def test_leftovers_of_a_killed_process_are_deleted(tmp_path):
    for name in ("state-000004", "state-000005", "state-000006.unfinished", "state-mine"):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner" / "file").write_text(name)
    directory = DataDirectory(tmp_path)
    try:
        assert content(directory) == "state-000005"
        names = {path.name for path in tmp_path.iterdir()}
        assert names == {"lock", "state-000005", "state-mine"}
    finally:
        directory.close()


def test_a_directory_belongs_to_one_emulator_at_a_time(directory):
    with pytest.raises(DirectoryInUse, match="data"):
        DataDirectory(directory.path)
    directory.close()
    DataDirectory(directory.path).close()
