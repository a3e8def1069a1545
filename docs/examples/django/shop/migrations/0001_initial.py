"""Customers, orders, charges and visits."""

from django.db import migrations, models

import shop.models


def key():
    return models.CharField(
        primary_key=True, max_length=36, default=shop.models.new_id, serialize=False
    )


class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel(
            name="Customer",
            fields=[("id", key()), ("name", models.CharField(max_length=100))],
        ),
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", key()),
                ("cents", models.IntegerField()),
                ("customer", models.ForeignKey(on_delete=models.CASCADE, to="shop.customer")),
            ],
        ),
        migrations.CreateModel(
            name="Charge",
            fields=[
                ("id", key()),
                ("order", models.CharField(max_length=36)),
                ("cents", models.IntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="VisitByTime",
            fields=[("at", models.DateTimeField(primary_key=True, serialize=False))],
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[("id", key()), ("at", models.DateTimeField())],
        ),
    ]
