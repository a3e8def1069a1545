"""Django's databases of a run and of a test, allocated and observed like a test's database.

default          the test's database
other aliases    databases with the migrations that Django's routers allow for the alias
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from pytest_spanemu.databases.observation import Observation
from pytest_spanemu.databases.template import Template
from pytest_spanemu.django.pytest_django import SOURCE, allow_django_database
from pytest_spanemu.django.setup import ALIAS, SpannerDjango
from pytest_spanemu.options import Isolation
from pytest_spanemu.requested_options import TemplateSpec
from pytest_spanemu.run import Run
from pytest_spanemu.targets.target import SNAPSHOTS


@contextmanager
def open_django(run: Run, template: Template) -> Iterator[SpannerDjango]:
    """Point Django at the templates until the block ends."""
    emulator = template.emulator
    with SpannerDjango(emulator) as django:
        templates = {ALIAS: template}
        django.use(template.handle)  # loads the settings, which name the other aliases
        templates |= {alias: _template_of(run, emulator, alias) for alias in django.others}
        for alias, of_alias in templates.items():
            strategy = run.allocator.strategy(of_alias, emulator.default_isolation)
            django.use(of_alias.handle, strategy.leave, alias)
        yield django


@contextmanager
def use_test_databases(
    run: Run, django: SpannerDjango, default: Observation, isolation: Isolation | None, test: str
) -> Iterator[None]:
    """Point Django at a test's databases. `default` is allocated already."""
    with ExitStack() as stack:
        for alias in django.others:
            template = _template_of(run, default.emulator, alias)
            other = stack.enter_context(run.allocator.allocate(template, isolation, test))
            stack.enter_context(_pointed(django, other, alias))
        stack.enter_context(_pointed(django, default, ALIAS))
        stack.enter_context(allow_django_database(run.config))
        yield


@contextmanager
def _pointed(django: SpannerDjango, to: Observation, alias: str) -> Iterator[None]:
    if not to.emulator.can(SNAPSHOTS):
        with django.using(to.handle, None, alias):
            yield
        return
    before = to.handle.snapshot()

    def undo() -> None:
        to.handle.restore(before)

    with django.using(to.handle, undo, alias):
        yield
    to.handle.forget(before)


def _template_of(run: Run, emulator: Any, alias: str) -> Template:
    """Return the template of an alias, built like the run's schema by migrations or by models."""
    named = [source for source in run.settings.schema if source.startswith(SOURCE)]
    source = named[0].partition("@")[0] if named else SOURCE
    return run.templates.for_spec(emulator, TemplateSpec(schema=(f"{source}@{alias}",), seeds=()))
