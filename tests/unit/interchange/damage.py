"""Damage to files: each function changes a file in place and returns what was done."""

from __future__ import annotations

TENTHS = 10


def remove(path):
    path.unlink()
    return "removed"


def empty(path):
    path.write_bytes(b"")
    return "emptied"


def cut(tenth):
    def cut_file(path):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) * tenth // TENTHS])
        return f"cut at {tenth}/{TENTHS}"

    return cut_file


def change(position):
    """Change the byte at a share of the length of a file, by one bit."""

    def change_byte(path):
        data = bytearray(path.read_bytes())
        if data:
            data[min(len(data) - 1, int(len(data) * position))] ^= 1
        path.write_bytes(data)
        return f"changed at {position:.2f}"

    return change_byte


def cut_last_line(path):
    """Cut at the end of a line, where the rest is as valid as the whole."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    return "cut by a line"


def replace_by_folder(path):
    path.unlink()
    path.mkdir()
    return "replaced by a folder"


def replace_by_dangling_link(path):
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))
    return "replaced by a link to nothing"


DAMAGES = [
    remove,
    empty,
    *map(cut, range(1, TENTHS)),
    *map(change, (0, 0.13, 0.31, 0.5, 0.69, 0.87, 1)),
    cut_last_line,
    replace_by_folder,
    replace_by_dangling_link,
]
