"""Django on a test's database, where Django and its backend are installed."""

from importlib.util import find_spec

import pytest

from tests.installed import needs

needs("django", "django_spanner")

# The backend itself uses what newer versions of its libraries warn of.
QUIET = ("-W", "ignore::DeprecationWarning", "-W", "ignore::FutureWarning")
ALONE = (*QUIET, "-p", "no:django")  # without pytest-django

SETTINGS = """
SECRET_KEY = "x"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["django_spanner", "shop"]
DATABASES = {
    "default": {"ENGINE": "django_spanner", "INSTANCE": "elsewhere", "NAME": "production"},
    "replica": {
        "ENGINE": "django_spanner", "INSTANCE": "elsewhere", "NAME": "production",
        "TEST": {"MIRROR": "default"},
    },
    "ledger": {"ENGINE": "django_spanner", "INSTANCE": "elsewhere", "NAME": "ledger"},
}
DATABASE_ROUTERS = ["shop.routing.Router"]
ROOT_URLCONF = "shop.urls"
STATIC_URL = "static/"
"""
ROUTING = """
class Router:
    def db_for_read(self, model, **hints):
        return "ledger" if model.__name__ == "Entry" else None

    db_for_write = db_for_read

    def allow_migrate(self, db, app_label, model_name=None, **hints):
        return (db == "ledger") == (model_name == "entry")
"""
URLS = """
from django.http import JsonResponse
from django.urls import path

def count(request):
    from shop.models import Order
    return JsonResponse({"orders": Order.objects.count()})

urlpatterns = [path("count", count)]
"""
MODELS = """
from django.db import models

class Json(models.JSONField):
    # The backend sends JSON as text, which Spanner refuses, and reads it as if it came as text.
    def get_db_prep_value(self, value, connection, prepared=False):
        return self.get_prep_value(value)

    def from_db_value(self, value, expression, connection):
        return value

class Order(models.Model):
    cents = models.IntegerField()
    tags = Json(default=dict)

    class Meta:
        app_label = "shop"
        constraints = [models.CheckConstraint(condition=models.Q(cents__gt=0), name="paid")]

class Entry(models.Model):
    cents = models.IntegerField()

    class Meta:
        app_label = "shop"
"""
MIGRATION = """
from django.db import migrations, models

def key():
    return ("id", models.BigAutoField(primary_key=True, serialize=False))

class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                key(),
                ("cents", models.IntegerField()),
                ("tags", models.JSONField(default=dict)),
            ],
        ),
        migrations.AddConstraint(
            "order", models.CheckConstraint(condition=models.Q(cents__gt=0), name="paid")
        ),
        migrations.CreateModel(
            name="Entry", fields=[key(), ("cents", models.IntegerField())]
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
    project.file("shop/routing.py", ROUTING)
    project.file("shop/urls.py", URLS)
    project.file("shop/migrations/__init__.py", "")
    project.file("shop/migrations/0001_initial.py", MIGRATION)
    project.ini("spanner_schema = django:\npythonpath = .\n")
    return project


def test_models_work_on_each_tests_database(shop):
    result = shop.run_apart(
        """
        import pytest

        @pytest.mark.parametrize("isolation", ["restore", "clone", "restore"])
        def test_it(request, isolation):
            request.node.add_marker(pytest.mark.spanner(isolation=isolation))
            request.getfixturevalue("spanner_django_db")
            from shop.models import Order
            assert Order.objects.count() == 0
            Order.objects.create(cents=5, tags={"to": ["a"]})
            assert Order.objects.get(cents=5).tags == {"to": ["a"]}
            assert Order.objects.using("replica").count() == 1

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

        @pytest.mark.parametrize("n", range(2))
        def test_another_database_is_the_tests_own_too(spanner_django_db, spanner_assert, n):
            from django.db import connections
            from shop.models import Entry
            assert Entry.objects.count() == 0
            Entry.objects.create(cents=5)
            with connections["ledger"].cursor() as cursor:
                cursor.execute("SELECT cents FROM shop_entry")
                assert list(cursor.fetchall()) == [(5,)]
            tables = connections["default"].introspection.table_names()
            assert "shop_order" in tables and "shop_entry" not in tables
        """,
        *ALONE,
    )
    result.assert_outcomes(passed=6)


def test_commands_flush_and_settings(shop):
    result = shop.run_apart(
        """
        import io, json, os

        def command(*args, **options):
            from django.core.management import call_command
            out = io.StringIO()
            call_command(*args, stdout=out, **options)
            return out.getvalue()

        def test_rows_go_out_and_come_in(spanner_django_db, tmp_path):
            from shop.models import Order
            made = Order.objects.create(cents=5, tags={"a": 1})
            written = command("dumpdata", "shop.order")
            assert json.loads(written)[0]["fields"] == {"cents": 5, "tags": {"a": 1}}
            Order.objects.all().delete()
            (tmp_path / "orders.json").write_text(written)
            command("loaddata", str(tmp_path / "orders.json"))
            assert Order.objects.get().pk == made.pk

        def test_the_schema_is_known(spanner_django_db):
            assert "class ShopOrder(models.Model):" in command("inspectdb", "shop_order")
            assert "[X] 0001_initial" in command("showmigrations", "shop")
            assert "No migrations to apply" in command("migrate")

        def test_flush(spanner_django_db):
            from django.db.migrations.recorder import MigrationRecorder
            from shop.models import Order
            Order.objects.create(cents=5)
            command("flush", verbosity=0, interactive=False, inhibit_post_migrate=True)
            assert Order.objects.count() == 0
            assert MigrationRecorder.Migration.objects.count() == 1  # as before the test

        def test_before_pytest_ends(spanner_django):
            from django.conf import settings
            for database in settings.DATABASES.values():
                assert database["INSTANCE"] == "emulator-instance"
            spanner_django.close()
            for database in settings.DATABASES.values():
                assert database["INSTANCE"] == "elsewhere"
            assert "GOOGLE_CLOUD_PROJECT" not in os.environ
        """,
        *ALONE,
    )
    result.assert_outcomes(passed=4)


def test_pytest_django_uses_databases_of_the_emulator(shop):
    if find_spec("pytest_django") is None:
        pytest.skip("pytest-django is not installed")
    result = shop.run_apart(
        """
        import json
        from urllib.request import urlopen

        import pytest
        from django.test import LiveServerTestCase, TestCase, TransactionTestCase
        from shop.models import Order

        def add_the_first():
            assert Order.objects.count() == 0
            Order.objects.create(cents=5)

        @pytest.mark.django_db
        @pytest.mark.parametrize("n", range(2))
        def test_marked(n):
            add_the_first()

        @pytest.mark.django_db(transaction=True, databases=["default", "ledger"])
        @pytest.mark.parametrize("n", range(2))
        def test_transactions(n):
            add_the_first()

        def test_fixture(db, django_assert_num_queries, spanner_assert):
            with django_assert_num_queries(1), spanner_assert.queries(1):
                assert Order.objects.count() == 0

        def test_ours(spanner_django_db):
            add_the_first()

        def test_guarded():
            with pytest.raises(RuntimeError, match="Database access not allowed"):
                Order.objects.count()

        class TestRows(TestCase):
            @classmethod
            def setUpTestData(cls):
                Order.objects.create(cents=5)

            def test_one(self):
                Order.objects.create(cents=6)
                self.assertEqual(Order.objects.count(), 2)

            test_two = test_one

        class TestTransactions(TransactionTestCase):
            def test_one(self):
                add_the_first()

            test_two = test_one

        class TestServer(LiveServerTestCase):
            def test_requests(self):
                add_the_first()
                with urlopen(self.live_server_url + "/count") as answer:
                    self.assertEqual(json.load(answer), {"orders": 1})
        """,
        *QUIET,
    )
    result.assert_outcomes(passed=12)
    result.stdout.fnmatch_lines(["*::test_transactions[[]0[]]*"])  # in the table, like ours
    result.stdout.no_fnmatch_line("*left open*")


TRANSACTIONS = """
import pytest
from django.db import IntegrityError, transaction
from django.test import TestCase
from shop.models import Order

pytestmark = pytest.mark.django_db

def cents():
    return sorted(Order.objects.values_list("cents", flat=True))

def test_an_exception_rolls_back():
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        Order.objects.create(cents=1)
        assert cents() == [1]
        1 / 0
    assert cents() == []

def test_a_rollback_that_is_asked_for():
    with transaction.atomic():
        Order.objects.create(cents=1)
        transaction.set_rollback(True)
    assert cents() == []

def test_a_refused_row_takes_its_transaction_along():
    Order.objects.create(id=7, cents=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Order.objects.create(id=8, cents=2)
        Order.objects.create(id=7, cents=3)
    assert cents() == [1]

def test_nested_blocks_commit_together():
    with transaction.atomic(durable=True):
        Order.objects.create(cents=1)
        with transaction.atomic():
            Order.objects.create(cents=2)
    assert cents() == [1, 2]

def test_an_outer_block_takes_the_inner_along():
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        with transaction.atomic():
            Order.objects.create(cents=2)
        1 / 0
    assert cents() == []

def test_an_inner_block_takes_the_outer_along_for_want_of_savepoints():
    with transaction.atomic():
        Order.objects.create(cents=1)
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            1 / 0
        with pytest.raises(transaction.TransactionManagementError):
            cents()
    assert cents() == []

def test_callbacks_are_called_after_the_commit():
    seen = []
    with transaction.atomic():
        Order.objects.create(cents=1)
        transaction.on_commit(lambda: seen.append(cents()))
        assert seen == []
    assert seen == [[1]]

def test_callbacks_are_captured(django_capture_on_commit_callbacks):
    seen = []
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        with transaction.atomic():
            transaction.on_commit(lambda: seen.append(1))
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            transaction.on_commit(lambda: seen.append(2))
            1 / 0
        transaction.on_commit(lambda: seen.append(3))
        assert seen == []
    assert (seen, len(callbacks)) == ([1, 3], 2)
    with django_capture_on_commit_callbacks() as callbacks:
        transaction.on_commit(lambda: seen.append(4))
    assert (seen, len(callbacks)) == ([1, 3], 1)

class TestRows(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.first = Order.objects.create(cents=1)

    def test_rollback(self):
        with self.assertRaises(ZeroDivisionError), transaction.atomic():
            Order.objects.filter(pk=self.first.pk).update(cents=9)
            1 / 0
        self.assertEqual(cents(), [1])

    def test_the_next_starts_anew(self):
        self.assertEqual(cents(), [1])
        self.first.delete()

    test_and_the_one_after_it = test_the_next_starts_anew
"""


def test_transactions_end_as_with_the_backend_itself(shop):
    if find_spec("pytest_django") is None:
        pytest.skip("pytest-django is not installed")
    result = shop.run_apart(TRANSACTIONS, *QUIET)
    result.assert_outcomes(passed=11)


def test_databases_are_made_from_models_alone(shop):
    (shop.path / "shop/migrations/0001_initial.py").unlink()
    (shop.path / "shop/migrations/__init__.py").unlink()
    result = shop.run_apart(
        """
        def test_it(spanner_django_db):
            from shop.models import Entry, Order
            assert (Order.objects.count(), Entry.objects.count()) == (0, 0)
        """,
        "--spanner-schema=django:syncdb",
        *ALONE,
    )
    result.assert_outcomes(passed=1)


def test_a_project_without_settings_gets_an_error(project, monkeypatch):
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    project.ini("spanner_schema = django:\n")
    result = project.run_apart("def test_it(spanner_database): pass", *QUIET)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*schema source 'django:'*needs the project's settings*"])


def test_an_app_without_a_migration_is_named_with_the_command_to_create_one(shop):
    (shop.path / "shop/migrations/0001_initial.py").unlink()
    result = shop.run_apart("def test_it(spanner_django_db): pass", *ALONE)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the models of shop*`python -m django makemigrations shop`*"])


def test_an_app_without_a_package_for_migrations_has_the_tables_of_its_models(shop):
    (shop.path / "shop/migrations/0001_initial.py").unlink()
    (shop.path / "shop/migrations/__init__.py").unlink()
    (shop.path / "shop/migrations").rmdir()
    result = shop.run_apart(
        """
        def test_it(spanner_django_db):
            from shop.models import Entry, Order
            assert (Order.objects.count(), Entry.objects.count()) == (0, 0)
        """,
        *ALONE,
    )
    result.assert_outcomes(passed=1)


def test_atomic_blocks_are_explored(shop):
    result = shop.run_apart(
        """
        import pytest

        @pytest.fixture
        def order(spanner_django_db):
            from shop.models import Order
            return Order.objects.create(cents=100).pk

        def add(order, cents, atomic):
            from django.db import transaction
            from shop.models import Order

            def actor():
                if atomic:
                    with transaction.atomic():
                        now = Order.objects.get(pk=order).cents
                        Order.objects.filter(pk=order).update(cents=now + cents)
                else:
                    now = Order.objects.get(pk=order).cents
                    Order.objects.filter(pk=order).update(cents=now + cents)
            return actor

        def test_autocommit(order, spanner_explore):
            spanner_explore({"ann": add(order, 1, False), "bob": add(order, 2, False)})

        def test_atomic(order, spanner_explore):
            from django.db import DatabaseError
            from google.cloud.spanner_dbapi.exceptions import RetryAborted
            result = spanner_explore(
                {"ann": add(order, 1, True), "bob": add(order, 2, True)},
                allow_errors=(DatabaseError, RetryAborted))
            assert result.schedules > 2
        """,
        *ALONE,
        "-W",
        "ignore::UserWarning",
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["lost update of shop_order*"])
