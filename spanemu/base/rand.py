"""The only source of randomness: one seed drives everything that varies."""

from __future__ import annotations

import random
import secrets
import uuid


class Randomness:
    """A seeded generator shared by one emulator. `seed` reproduces a run."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = secrets.randbits(48) if seed is None else seed
        self.generator = random.Random(self.seed)

    def uuid4(self) -> uuid.UUID:
        """A version 4 UUID drawn from the seeded generator."""
        return uuid.UUID(int=self.generator.getrandbits(128), version=4)

    def token(self) -> str:
        """Twenty-two characters for ids that nobody should guess or rely on."""
        return secrets.token_urlsafe(16)
