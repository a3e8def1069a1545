"""Runs Django's PostgreSQL back end on a database behind PGAdapter: models, queries, rollbacks.

A process of its own, because Django is configured once for a process. The tables exist already:
Spanner refuses the types with modifiers and the deferred constraints of Django's migrations.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from decimal import Decimal

import django
from django.conf import settings


def main(port: str, database: str) -> None:
    """Use the database through models and print what they read."""
    settings.configure(
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.postgresql",
                "NAME": database,
                "HOST": "localhost",
                "PORT": port,
                "USER": "user",
                "PASSWORD": "password",
            }
        },
        USE_TZ=True,
        TIME_ZONE="UTC",
    )
    django.setup()
    from django.db import connection, models, transaction

    class Singer(models.Model):
        singer_id = models.BigIntegerField(primary_key=True)
        name = models.CharField(max_length=100)
        paid = models.DecimalField(max_digits=10, decimal_places=2, null=True)
        seen = models.DateTimeField(null=True)
        info = models.JSONField(null=True)

        class Meta:
            app_label = "shop"

    class Album(models.Model):
        album_id = models.BigIntegerField(primary_key=True)
        singer = models.ForeignKey(Singer, on_delete=models.DO_NOTHING)
        title = models.CharField(max_length=100)

        class Meta:
            app_label = "shop"

    seen = datetime(2024, 1, 2, 3, 4, 5, 678901, UTC)
    singers = Singer.objects
    singers.create(singer_id=1, name="Zoë", paid=Decimal("10.50"), seen=seen, info={"k": [1]})
    for number in range(2, 6):
        singers.create(singer_id=number, name=f"n{number}")
    first = singers.get(pk=1)
    print(first.name, first.paid, first.seen == seen, first.info)
    Album.objects.create(album_id=1, singer=first, title="Go")
    albums = Album.objects.filter(singer__name__startswith="Z")
    print(list(albums.values_list("title", "singer__name")))
    print(list(singers.filter(pk__in=[2, 3]).order_by("-name").values_list("name", flat=True)))
    print(singers.aggregate(models.Count("pk"), models.Sum("paid")))
    print(singers.filter(seen__year=2024).exists(), singers.filter(info__k__isnull=False).count())
    try:
        with transaction.atomic():
            singers.filter(pk=1).update(name="lost")
            raise RuntimeError
    except RuntimeError:
        print(singers.get(pk=1).name)
    with transaction.atomic():
        Album.objects.all().delete()
        first.delete()
    print(singers.count(), Album.objects.count())
    print(sorted(connection.introspection.table_names()))


if __name__ == "__main__":
    main(*sys.argv[1:])
