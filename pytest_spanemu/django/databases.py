"""Django's databases while tests run: each is made, lent and watched like a test's own.

default                the test's database
other aliases          databases of the migrations that Django's routers let run there
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from pytest_spanemu.databases.observation import Observation
from pytest_spanemu.databases.template import Template
from pytest_spanemu.django.pytest_django import SOURCE
from pytest_spanemu.django.setup import ALIAS, SpannerDjango, allow_django_database
from pytest_spanemu.requested_options import Recipe
from pytest_spanemu.run import Run
from pytest_spanemu.setting_values import Isolation
from pytest_spanemu.targets.target import SNAPSHOTS


@contextmanager
def open_django(run: Run, template: Template) -> Iterator[SpannerDjango]:
    """Django on the templates themselves, for as long as the run lasts."""
    emulator = template.emulator
    with SpannerDjango(emulator) as django:
        templates = {ALIAS: template}
        django.use(template.handle)  # whose settings name the others
        templates |= {alias: _of_alias(run, emulator, alias) for alias in django.others}
        for alias, each in templates.items():
            strategy = run.allocator.strategy(each, emulator.default_isolation)
            django.use(each.handle, strategy.leave, alias)
        yield django


@contextmanager
def use_test_databases(
    run: Run, django: SpannerDjango, default: Observation, isolation: Isolation | None, test: str
) -> Iterator[None]:
    """Django on a test's databases: the default one is lent already."""
    with ExitStack() as stack:
        for alias in django.others:
            template = _of_alias(run, default.emulator, alias)
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


def _of_alias(run: Run, emulator: Any, alias: str) -> Template:
    """Made as the run's own schema is, by migrations or by models."""
    named = [source for source in run.settings.schema if source.startswith(SOURCE)]
    source = named[0].partition("@")[0] if named else SOURCE
    return run.templates.special(emulator, Recipe(schema=(f"{source}@{alias}",), seeds=()))
