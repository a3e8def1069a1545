"""What a test knows better than the detector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spanemu.stats.finding import Finding

READS_AND_WRITES = ("r", "w")
WORDS = ("low", "high", "random")  # of a column's values


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What not to tell, and what to take for granted.

    `ignored` are rule ids, names, or id:name. `cardinality` is by "Table.Column": a number, "low",
    "high", or "random" for values that do not grow in production as they did here; by "Table" it is
    the rows of an interleaved table that a parent row has.
    `operations` are judged: "w" for writes, "rw" for reads by key as well. `nodes` is what the
    instance will have in production. Raises ValueError.
    """

    ignored: tuple[str, ...] = ()
    cardinality: Mapping[str, int | str] = field(default_factory=dict)
    operations: str = "w"
    nodes: int | None = None

    def __post_init__(self) -> None:
        if not self.operations or not set(self.operations) <= set(READS_AND_WRITES):
            raise ValueError(f"operations {self.operations!r} are neither w, r nor rw")
        if self.nodes is not None and self.nodes < 1:
            raise ValueError(f"an instance has a node at least, not {self.nodes}")
        for name, said in self.cardinality.items():
            if not (said in WORDS if isinstance(said, str) else said >= 1):
                raise ValueError(
                    f"{name!r} is assumed {said!r}: not a number from 1, nor of {WORDS}"
                )

    def ignores(self, finding: Finding) -> bool:
        """Whether a finding is not to be told."""
        name = finding.object.lower()
        for entry in self.ignored:
            rule, _, of = entry.rpartition(":") if ":" in entry else ("", "", entry)
            by_rule = finding.rule.startswith(rule.upper()) if rule else True
            if by_rule and of.lower() == name:
                return True
            if not rule and finding.rule.startswith(of.upper()) and of.upper().startswith("SPN"):
                return True
        return False

    def rows_per_parent(self, table: str) -> int | None:
        """How many rows of an interleaved table a parent row has in production, if that is said."""
        said = next((n for name, n in self.cardinality.items() if name.lower() == table.lower()), 0)
        return said if isinstance(said, int) and said > 0 else None

    def of(self, table: str, column: str) -> int | str | None:
        """What is said about the values of a column."""
        wanted = f"{table}.{column}".lower()
        return next((n for name, n in self.cardinality.items() if name.lower() == wanted), None)
