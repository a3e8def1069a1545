"""A Django project in one process: `project.py TASK`, with the database named by the environment.

    inspect               introspection and inspectdb
    migrate               make migrations for the models of `shop.models` in the working directory,
                          and apply them
    migrate and return    the same, and then unapply them

Prints what it found, as JSON.
"""

from __future__ import annotations

import io
import json
import os
import sys
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command

HERE = "shop"


def main(task: str) -> None:
    settings.configure(
        DATABASES={
            "default": {
                "ENGINE": "django_spanner",
                "PROJECT": os.environ["SPANNER_PROJECT_ID"],
                "INSTANCE": os.environ["SPANNER_INSTANCE_ID"],
                "NAME": os.environ["SPANNER_DATABASE_ID"],
            }
        },
        INSTALLED_APPS=["django_spanner"] + [HERE] * (task != "inspect"),
        USE_TZ=True,
    )
    sys.path.insert(0, os.getcwd())
    django.setup()
    result = inspect() if task == "inspect" else migrate(returns=task == "migrate and return")
    json.dump(result, sys.stdout)


def inspect() -> Any:
    """Return what introspection finds, and the fields of the models that inspectdb writes."""
    written = io.StringIO()
    call_command("inspectdb", stdout=written)
    return {"tables": tables(), "models": models(written.getvalue())}


def migrate(*, returns: bool) -> Any:
    """Migrate the models; return the tables, what a second run does, the tables at the end."""
    call_command("makemigrations", HERE, verbosity=0)
    call_command("migrate", verbosity=0)
    created = tables()
    again = io.StringIO()
    call_command("makemigrations", HERE, dry_run=True, stdout=again)
    if returns:
        call_command("migrate", HERE, "zero", verbosity=0)
    return {"tables": created, "again": again.getvalue(), "left": sorted(tables())}


def tables() -> dict[str, Any]:
    from django.db import connection

    asks, result = connection.introspection, {}
    with connection.cursor() as cursor:
        for table in asks.get_table_list(cursor):
            result[table.name] = {
                "kind": table.type,
                "columns": [
                    [
                        one.name,
                        asks.get_field_type(one.type_code, one),
                        one.internal_size,
                        one.null_ok,
                    ]
                    if one.type_code in asks.data_types_reverse
                    else [one.name, None, None, one.null_ok]
                    for one in asks.get_table_description(cursor, table.name)
                ],
                "constraints": asks.get_constraints(cursor, table.name),
                "relations": asks.get_relations(cursor, table.name),
            }
    return result


def models(source: str) -> dict[str, Any]:
    """Return the columns of each model by table, and check that its rows can be counted."""
    from django.db.models import Model

    scope: dict[str, Any] = {"__name__": "django_spanner.inspected"}
    exec(
        compile(
            source.replace("managed = False", "app_label = 'django_spanner'"), "models", "exec"
        ),
        scope,
    )
    created = [one for one in scope.values() if isinstance(one, type) and issubclass(one, Model)]
    return {
        one._meta.db_table: {
            "columns": [field.column for field in one._meta.local_fields if field.column],
            "rows": one.objects.count(),
        }
        for one in created
        if one is not Model
    }


main(sys.argv[1])
