"""Text files are read with the line ends that they have."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu.base.text_files import read_text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"a\nb\n", "a\nb\n"),
        (b"'a\r\nb'\n", "'a\r\nb'\n"),
        (b"'a\rb'\n", "'a\rb'\n"),
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"a\rb\r\n", "a\rb\n"),
        (b"\xef\xbb\xbfa\n", "a\n"),
        ("é\u2028".encode(), "é\u2028"),
    ],
)
def test_only_a_file_of_windows_lines_is_changed(tmp_path: Path, content: bytes, text: str) -> None:
    (tmp_path / "file").write_bytes(content)
    assert read_text(tmp_path / "file") == text


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff")
    with pytest.raises(UnicodeDecodeError):
        read_text(tmp_path / "file")
