"""The only source of randomness: one seed determines everything random."""

from __future__ import annotations

import os
import random
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Callable
from functools import lru_cache
from typing import Any

SeededRandom = random.Random  # a generator for users of this module


class Randomness:
    """A seeded random generator, shared by one emulator. The same `seed` reproduces a run."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = int.from_bytes(os.urandom(6)) if seed is None else seed
        self.generator = random.Random(self.seed)
        self.explorer: Callable[[str, uuid.UUID], None] | None = None  # told of each UUID

    def uuid4(self) -> uuid.UUID:
        """Return a version 4 UUID from the seeded generator."""
        drawn = uuid.UUID(int=self.generator.getrandbits(128), version=4)
        if self.explorer is not None:
            self.explorer("uuid", drawn)
        return drawn

    def token(self) -> str:
        """Return 22 unpredictable characters for an id; they do not follow from the seed."""
        return urlsafe_b64encode(os.urandom(16)).rstrip(b"=").decode()


def seeded(text: str) -> SeededRandom:
    """Return a random generator that a text determines."""
    return SeededRandom(text)


@lru_cache(maxsize=256)
def seeded_state(text: str) -> tuple[Any, ...]:
    """Return the state of a random generator that a text determines."""
    return random.Random(text).getstate()


def replace_urandom(urandom: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """Set Python's `os.urandom`, and return the function before."""
    before, os.urandom = os.urandom, urandom
    return before


def swap_python_state(state: tuple[Any, ...]) -> tuple[Any, ...]:
    """Set the state of Python's own random functions, and return the state before."""
    before = random.getstate()
    random.setstate(state)
    return before
