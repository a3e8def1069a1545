"""States of a template between the revisions of Alembic, kept from one run of pytest to the next.

After a change, a build begins with the kept state of the longest prefix of revisions that the
change does not touch, and runs the rest. A build from a state that fails for any reason is thrown
away, and all revisions run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256

from pytest_spanemu.databases.progress import ShowStep
from pytest_spanemu.databases.template import Schema, Template
from pytest_spanemu.databases.template_cache import Image, TemplateCache
from pytest_spanemu.sources import Program
from pytest_spanemu.sources.programs import AlembicSource
from pytest_spanemu.sources.revisions import Upgrade

KIND, FACTS = "revisions", "facts"
ROWS_MAX = 10_000  # of a table, in states before the last: images of more would slow a build down
_VERSION_COLUMNS = ("version_num",)


class KeptRevisions:
    """The states of one schema, whose only step is an upgrade by Alembic."""

    def __init__(
        self, cache: TemplateCache, schema: Schema, source: AlembicSource, upgrade: Upgrade
    ) -> None:
        self._cache, self._schema = cache, schema
        self._source, self._upgrade = source, upgrade
        self._surroundings = cache.surroundings(schema.dialect)
        self._images: dict[int, Image] = {}

    @classmethod
    def of(cls, cache: TemplateCache, schema: Schema) -> KeptRevisions | None:
        """Return the states of a schema, None if no state between its revisions is known."""
        if len(schema.sources) != 1 or len(schema.steps) != 1:
            return None
        (source,) = schema.sources
        if not isinstance(source, AlembicSource):
            return None
        facts = cache.of_kind(FACTS)
        upgrade = source.upgrade(facts.facts(schema.dialect))
        facts.prune()
        if upgrade is None:
            return None
        if not upgrade.states:
            return None
        return cls(cache.of_kind(KIND), schema, source, upgrade)

    def build(self, template: Template, show_step: ShowStep) -> None:
        """Build an empty template, from a kept state where possible."""
        for done, image in self._kept():
            if self._build_from(template, done, image, show_step):
                break
        else:
            self._upgrade.is_regular = True
            self._images.clear()
            self._run(template, 0, show_step)
        template.schema = self._schema

    def save(self, image: Image) -> None:
        """Save the new states, and the image of the complete template as the last."""
        if not self._upgrade.is_regular:
            return
        states, revisions = self._upgrade.states, self._upgrade.revisions
        if len(states) == len(revisions):
            self._images[len(revisions)] = image
        for done, kept in sorted(self._images.items()):
            if not states[done - 1].is_volatile or _has_no_rows(kept):
                self._cache.save(self._key(done), kept)

    def _kept(self) -> Iterator[tuple[int, Image]]:
        """Yield the longest kept state."""
        for done in range(len(self._upgrade.states), 0, -1):
            if (image := self._cache.load(self._key(done))) is not None:
                yield done, image
                return

    def _build_from(self, template: Template, done: int, image: Image, show_step: ShowStep) -> bool:
        """Build a template from a state. Return False, without a database, if that fails."""
        try:
            image.build(template, self._schema)
            self._run(template, done, show_step)
        except Exception:
            if template.handle is not None:
                with suppress(Exception):  # The database may have been dropped.
                    template.handle.drop()
                template.handle = None
            return False
        return True

    def _run(self, template: Template, done: int, show_step: ShowStep) -> None:
        """Run the revisions after the first `done`, and take images of the states to keep."""
        numbers = self._upgrade.states_to_keep()

        def after(number: int) -> None:
            if number in numbers:
                with suppress(Exception):  # A build does not fail for a state.
                    if (image := Image.of(template, ROWS_MAX)) is not None:
                        self._images[number] = image

        def run(built: Template) -> None:
            self._source.run_upgrade(built, self._upgrade, done, after)

        step = Program(self._source.text, run)
        template.build(Schema(self._schema.sources, (step,), self._schema.dialect), show_step)

    def _key(self, done: int) -> str:
        return sha256(self._surroundings + self._upgrade.states[done - 1].key).hexdigest()[:32]


def _has_no_rows(image: Image) -> bool:
    """Return whether only the version table has rows."""
    return all(columns == _VERSION_COLUMNS for _, columns, _ in image.rows)
