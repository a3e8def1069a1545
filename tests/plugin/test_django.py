"""Django on a test's database, where Django and its backend are installed."""

import pytest

pytest.importorskip("django")
pytest.importorskip("django_spanner")

# The backend itself uses what newer versions of its libraries warn of.
QUIET = ("-W", "ignore::DeprecationWarning", "-W", "ignore::FutureWarning")

SETTINGS = """
SECRET_KEY = "x"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["django_spanner", "shop"]
DATABASES = {"default": {"ENGINE": "django_spanner", "INSTANCE": "elsewhere", "NAME": "production"}}
"""
MODELS = """
from django.db import models

class Order(models.Model):
    cents = models.IntegerField()

    class Meta:
        app_label = "shop"
        constraints = [models.CheckConstraint(condition=models.Q(cents__gt=0), name="paid")]
"""
MIGRATION = """
from django.db import migrations, models

class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("cents", models.IntegerField()),
            ],
        ),
        migrations.AddConstraint(
            "order", models.CheckConstraint(condition=models.Q(cents__gt=0), name="paid")
        ),
    ]
"""


@pytest.fixture
def shop(project, monkeypatch):
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "shop_settings")
    monkeypatch.delenv("GOOGLE_CLOUD_PROJECT", raising=False)
    project.file("shop_settings.py", SETTINGS)
    project.file("shop/__init__.py", "")
    project.file("shop/models.py", MODELS)
    project.file("shop/migrations/__init__.py", "")
    project.file("shop/migrations/0001_initial.py", MIGRATION)
    project.ini("spanner_schema = django:\npythonpath = .\n")
    return project


@pytest.mark.parametrize("isolation", ["restore", "clone"])
def test_models_work_on_each_tests_database(shop, isolation):
    result = shop.run_apart(
        """
        import pytest

        @pytest.mark.parametrize("n", range(2))
        def test_it(spanner_django_db, n):
            from shop.models import Order
            assert Order.objects.count() == 0
            Order.objects.create(cents=5)
            assert Order.objects.get(cents=5).cents == 5

        def test_checks_are_there(spanner_django_db):
            from django.db import DatabaseError, connection
            from shop.models import Order
            assert connection.features.supports_json_field
            assert connection.features.supports_table_check_constraints
            with pytest.raises(DatabaseError) as failure:
                Order.objects.create(cents=-5)
            cause = failure.value
            while cause.__cause__ is not None:
                cause = cause.__cause__
            assert "paid" in str(cause)
            assert Order.objects.count() == 0
        """,
        f"--spanner-isolation={isolation}",
        *QUIET,
    )
    result.assert_outcomes(passed=3)


def test_flush_is_a_restore_and_settings_come_back(shop):
    result = shop.run_apart(
        """
        import os

        def test_flush(spanner_django_db):
            from django.core.management import call_command
            from django.db.migrations.recorder import MigrationRecorder
            from shop.models import Order
            Order.objects.create(cents=5)
            call_command("flush", verbosity=0, interactive=False, inhibit_post_migrate=True)
            assert Order.objects.count() == 0
            assert MigrationRecorder.Migration.objects.count() == 1  # as before the test

        def test_before_pytest_ends(spanner_django):
            from django.conf import settings
            assert settings.DATABASES["default"]["INSTANCE"] == "emulator-instance"
            spanner_django.close()
            assert settings.DATABASES["default"]["INSTANCE"] == "elsewhere"
            assert "GOOGLE_CLOUD_PROJECT" not in os.environ
        """,
        *QUIET,
    )
    result.assert_outcomes(passed=2)


def test_a_project_without_settings_is_told_so(project, monkeypatch):
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    project.ini("spanner_schema = django:\n")
    result = project.run_apart("def test_it(spanner_database): pass", *QUIET)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*schema source 'django:'*needs the project's settings*"])
