"""The settings of a small shop. Tests point DATABASES at their own database."""

SECRET_KEY = "only-for-tests"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["django_spanner", "shop"]
DATABASES = {
    "default": {
        "ENGINE": "django_spanner",
        "PROJECT": "test",
        "INSTANCE": "shops",
        "NAME": "shop",
    }
}
