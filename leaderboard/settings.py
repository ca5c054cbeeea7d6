"""Settings: from environment variables, read here and nowhere else.

Every one is told in docs/operators/settings.md."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from evaluation.valkey import socket_path

BASE_DIR = Path(__file__).resolve().parent.parent


def _flag(name: str, default: str = "0") -> bool:
    return os.environ.get(name, default).lower() in ("1", "true", "yes", "on")


def _list(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


# All state of an installation: database, queue, uploads, logs, the generated secret key.
DATA_DIR = Path(os.environ.get("ASSAY_DATA_DIR", BASE_DIR / "var")).resolve()
# Embedded: one machine, everything started by `manage.py up` with its state in DATA_DIR.
EMBEDDED = _flag("ASSAY_EMBEDDED", "1")


def _secret_key() -> str:
    given = os.environ.get("ASSAY_SECRET_KEY")
    if given:
        return given
    if not EMBEDDED:
        raise ImproperlyConfigured("Set ASSAY_SECRET_KEY to a long random text.")
    path = DATA_DIR / "secret-key"
    if not path.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Two processes may start at once: the first one's key is everybody's.
        draft = path.with_name(f"secret-key.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text().strip()


SECRET_KEY = _secret_key()
DEBUG = _flag("ASSAY_DEBUG")
ALLOWED_HOSTS = _list("ASSAY_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = _list("ASSAY_TRUSTED_ORIGINS")
HTTPS = _flag("ASSAY_HTTPS")

AUTH_USER_MODEL = "accounts.User"
INSTALLED_APPS = [
    "leaderboard.accounts",
    "leaderboard.benchmarks",
    "leaderboard.submissions",
    "leaderboard.generation",
    "evaluation",
    "leaderboard.scores",
    "leaderboard.annotation",
    "leaderboard.pages",
    "leaderboard.site_admin",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_rq",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "leaderboard.queue_pages.QueueAway",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.middleware.ContentSecurityPolicy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

_SQLITE = f"sqlite:///{DATA_DIR / 'assay.sqlite3'}"
DATABASES = {"default": dj_database_url.parse(os.environ.get("DATABASE_URL") or _SQLITE)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # With several writers only these together held; see docs/decisions/0006-databases.md.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The queue is a doorbell only: what is to be done stands in the database.
VALKEY_DIR = DATA_DIR / "valkey"
VALKEY_SOCKET = socket_path(VALKEY_DIR)
VALKEY_URL = os.environ.get("ASSAY_VALKEY_URL") or f"unix://{VALKEY_SOCKET}"
EMBEDDED_QUEUE = not os.environ.get("ASSAY_VALKEY_URL")
LOG_DIR = DATA_DIR / "logs"
# A queue that is away must not hold up a page.
_PATIENCE = "socket_connect_timeout=2"
QUEUES = ("intake", "python", "java", "repository", "scoring", "generation")
RQ_QUEUES = {
    name: {
        "URL": f"{VALKEY_URL}{'&' if '?' in VALKEY_URL else '?'}{_PATIENCE}",
        # Ours is the lease; rq's own limit would kill a work horse in the middle.
        "DEFAULT_TIMEOUT": -1,
        # With pickle, who can write to the queue could run anything on a worker; which functions
        # a job may name is evaluation/work/queue_job.py's.
        "SERIALIZER": "rq.serializers.JSONSerializer",
    }
    for name in QUEUES
}
RQ = {
    "COMMIT_MODE": "auto",  # the doorbell waits for the commit by itself: evaluation/work/bells.py
    "JOB_CLASS": "evaluation.work.queue_job.SiteJob",
}

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # Counts that all web processes share. Nothing that pages need.
    "shared": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": RQ_QUEUES["intake"]["URL"],
        "OPTIONS": {"serializer": "leaderboard.caches.JsonSerializer"},
    },
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("ru", _("Russian")), ("zh-hans", _("Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "leaderboard.finders.PlotlyFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage",
        # Uploads are for the site alone; these are for whoever serves them.
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}
MEDIA_ROOT = DATA_DIR / "uploads"
FILE_UPLOAD_PERMISSIONS = 0o600

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
EMAIL_BACKEND = os.environ.get(
    "ASSAY_EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend"
)
EMAIL_HOST = os.environ.get("ASSAY_EMAIL_HOST", "localhost")
EMAIL_PORT = int(os.environ.get("ASSAY_EMAIL_PORT", 25))
EMAIL_HOST_USER = os.environ.get("ASSAY_EMAIL_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("ASSAY_EMAIL_PASSWORD", "")
EMAIL_USE_TLS = _flag("ASSAY_EMAIL_TLS")
DEFAULT_FROM_EMAIL = os.environ.get("ASSAY_EMAIL_FROM", "assay@localhost")
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
if HTTPS:
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = int(os.environ.get("ASSAY_HSTS_SECONDS", 3600 * 24 * 30))
    # Whether the whole domain is to be bound is its owner's to say, not ours to warn of.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = _flag("ASSAY_HSTS_PRELOAD")

# Limits of what people may send and of what runs.
UPLOAD_MOST_BYTES = int(os.environ.get("ASSAY_UPLOAD_MOST_MB", 1024)) * 2**20
UPLOAD_DAYS = int(os.environ.get("ASSAY_UPLOAD_DAYS", 7))
OUTPUT_DAYS = int(os.environ.get("ASSAY_OUTPUT_DAYS", 30))
OUTPUT_MOST_BYTES = 4096
OPEN_SIGN_UP = _flag("ASSAY_OPEN_SIGN_UP", "1")
CHUNK_SECONDS = int(os.environ.get("ASSAY_CHUNK_SECONDS", 45))
LEASE_SECONDS = float(os.environ.get("ASSAY_LEASE_SECONDS", 60))
RECONCILE_SECONDS = float(os.environ.get("ASSAY_RECONCILE_SECONDS", 2))
WORKERS = int(os.environ.get("ASSAY_WORKERS", 0)) or len(os.sched_getaffinity(0))
# Runs at models' endpoints that teams order; see docs/operators/endpoints.md.
ENDPOINT_RUNS = int(os.environ.get("ASSAY_ENDPOINT_RUNS", 0))
ENDPOINTS = _list("ASSAY_ENDPOINTS")
KEY_SECRETS = _list("ASSAY_KEY_SECRETS")
RUN_HOURS = float(os.environ.get("ASSAY_RUN_HOURS", 48))
SANDBOX_RUNTIME = os.environ.get("ASSAY_SANDBOX_RUNTIME") or None
# Where projects come from and how they are built, in the engine's own words, which the command
# line reads too: evaluation/state/projects.py. With what the machine's other programs go by.
_PROJECTS = (
    "ASSAY_REPOSITORIES",
    "ASSAY_SOURCE_TREES",
    "ASSAY_BASE_IMAGES",
    "ASSAY_CA_BUNDLE",
    "ASSAY_PIP_INDEX",
    "ASSAY_MAVEN_MIRROR",
    "ASSAY_BUILD_NETWORK",
    "ASSAY_PROJECTS_DIR",
    "ASSAY_PROJECTS_GB",
)
PROJECTS = {
    name: value
    for name, value in os.environ.items()
    if name in _PROJECTS
    or name.startswith(("PIP_", "SSL_CERT_"))
    or name.lower() in ("http_proxy", "https_proxy", "no_proxy")
}
