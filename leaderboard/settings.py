"""Settings of the site, from environment variables. Raises SettingError.

docs/operators/settings.md lists each variable with its allowed values."""

import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.utils.translation import gettext_lazy as _
from redis.connection import parse_url

from evaluation.engine.errors import SettingError
from evaluation.engine.generation.guard import Allowed
from evaluation.engine.preparation.options import Options
from evaluation.engine.sandbox import images
from evaluation.engine.variables import Variables, matching
from evaluation.valkey import socket_path

BASE_DIR = Path(__file__).resolve().parent.parent
_variables = Variables()

# All state of an installation: database, queue, uploads, logs, the generated secret key.
DATA_DIR = (_variables.path("ASSAY_DATA_DIR") or BASE_DIR / "var").resolve()
# Embedded: one machine, everything started by `manage.py up` with its state in DATA_DIR.
EMBEDDED = _variables.switch("ASSAY_EMBEDDED", default=True)


def _secret_key() -> str:
    """In the embedded mode, the key is created on the first start."""
    if key := _variables.text("ASSAY_SECRET_KEY"):
        return key
    if not EMBEDDED:
        raise SettingError(
            "ASSAY_SECRET_KEY is not set: without ASSAY_EMBEDDED it must be a long random text."
        )
    path = DATA_DIR / "secret-key"
    try:
        if not path.exists():
            DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Two processes may start at once: both use the key of the first.
            draft = path.with_name(f"secret-key.{os.getpid()}")
            draft.touch(mode=0o600)
            draft.write_text(secrets.token_urlsafe(50))
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)
            draft.unlink()
        return path.read_text().strip()
    except OSError as error:
        raise SettingError(
            f"ASSAY_DATA_DIR is {str(DATA_DIR)!r}: it must be a directory that this user can "
            f"write, and {error.filename} cannot be used ({error.strerror})."
        ) from error


SECRET_KEY = _secret_key()
# The private key of receipts, which only the process that makes boards reads.
RECEIPT_KEY = _variables.path("ASSAY_RECEIPT_KEY") or DATA_DIR / "receipt-key"
DEBUG = _variables.switch("ASSAY_DEBUG", default=False)
ALLOWED_HOSTS = _variables.each(
    "ASSAY_ALLOWED_HOSTS",
    # Without the port, as Django compares names.
    matching(r"\*|\.?[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]"),
    "a host name without scheme and port, such as assay.example.org or .example.org, or *",
    default=("localhost", "127.0.0.1", "[::1]"),
)
CSRF_TRUSTED_ORIGINS = _variables.each(
    "ASSAY_TRUSTED_ORIGINS",
    matching(r"https?://[^\s/]+"),
    "an origin with its scheme, such as https://assay.example.org",
)
HTTPS = _variables.switch("ASSAY_HTTPS", default=False)
# Proxies in front of the site, each of which appends an address to X-Forwarded-For.
TRUSTED_PROXIES = _variables.whole("ASSAY_TRUSTED_PROXIES", 0, "proxies", most=16)

AUTH_USER_MODEL = "accounts.User"
INSTALLED_APPS = [
    "leaderboard.mail",
    "leaderboard.accounts",
    "leaderboard.benchmarks",
    "leaderboard.submissions",
    "leaderboard.generation",
    "evaluation",
    "leaderboard.scores",
    "leaderboard.annotation",
    "leaderboard.boards",
    "leaderboard.pages",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "leaderboard.site_admin",  # after allauth's admin, which it changes
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "django_rq",
    "ninja",  # its files for the page of the API
    "auditlog",
]
MIDDLEWARE = [
    "leaderboard.logs.Requests",
    "leaderboard.api.problems.api_requests",
    "django.middleware.security.SecurityMiddleware",
    "leaderboard.middleware.QueuePermission",
    "leaderboard.middleware.Faults",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.pages.caching.PublicPages",
    "django.middleware.gzip.GZipMiddleware",
    "leaderboard.middleware.ContentSecurityPolicy",
    "leaderboard.middleware.NoStore",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "leaderboard.api.access.api_bearer",
    "leaderboard.middleware.LargeBodies",
    # After the check of the form's token: another site's forms must not count as a visitor's.
    "leaderboard.limits.Limits",
    "leaderboard.accounts.audit.actor",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "leaderboard.pages.accounts.second_factor.StaffSecondFactor",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
CSRF_FAILURE_VIEW = "leaderboard.pages.errors.form_refused"
TEMPLATES = [
    {
        "NAME": "django",
        "BACKEND": "leaderboard.rendering.Templates",
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


def _database(url: str) -> dj_database_url.DBConfig:
    database = dj_database_url.parse(url)
    kind = database["ENGINE"].rpartition(".")[2]
    if kind not in ("sqlite3", "postgresql") or not (database["NAME"] or database.get("OPTIONS")):
        raise ValueError
    return database


DATABASES = {
    "default": _variables.parsed(
        "DATABASE_URL",
        _database,
        _database(f"sqlite:///{DATA_DIR / 'assay.sqlite3'}"),
        "a URL such as postgres://user:password@host/name or sqlite:////path/to/file",
        secret=True,
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Reliable with several writers only with all of these: docs/decisions/0006-databases.md.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)  # seconds
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The queue is only a doorbell: the work itself is in the database.
VALKEY_DIR = DATA_DIR / "valkey"
VALKEY_SOCKET = socket_path(VALKEY_DIR)


def _queue(url: str) -> str:
    parse_url(url)  # type: ignore[no-untyped-call]  # redis has no types for it
    return url


_NAMED_QUEUE = _variables.parsed(
    "ASSAY_VALKEY_URL",
    _queue,
    "",
    "a URL such as redis://host:6379/0, rediss://host:6379/0 or unix:///path",
    secret=True,
)
VALKEY_URL = _NAMED_QUEUE or f"unix://{VALKEY_SOCKET}"
EMBEDDED_QUEUE = not _NAMED_QUEUE
LOG_DIR = DATA_DIR / "logs"
_LOG_JSON = _variables.one_of("ASSAY_LOG_FORMAT", {"text": False, "json": True}, default=False)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"()": "leaderboard.logs.Lines", "as_json": _LOG_JSON}},
    # Supervisors and containers collect it.
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        **dict.fromkeys(("evaluation", "leaderboard"), {"level": "INFO"}),
        "django": {"level": "WARNING"},  # Django's own handlers are gone
        # The others, such as 404, have their line from leaderboard.logs.
        "django.request": {"level": "ERROR"},
        "gunicorn.error": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
    },
}
logconfig_dict = LOGGING  # gunicorn's name for it
# A queue that is away must not delay a page.
_PATIENCE = "socket_connect_timeout=2"
QUEUES = ("intake", *images.NAMES, "repository", "scoring", "generation")
RQ_QUEUES = {
    name: {
        "URL": f"{VALKEY_URL}{'&' if '?' in VALKEY_URL else '?'}{_PATIENCE}",
        # Our lease is the limit: rq's own timeout would kill a work horse while it works.
        "DEFAULT_TIMEOUT": -1,
        # With pickle, anyone who can write to the queue could run code on a worker. The functions
        # that a job may name are in evaluation.work.workers.py.
        "SERIALIZER": "rq.serializers.JSONSerializer",
    }
    for name in QUEUES
}
RQ = {
    "COMMIT_MODE": "auto",  # evaluation/work/bells.py waits for the commit
    "JOB_CLASS": "evaluation.work.workers.SiteJob",
}

# Pages of boards that a web process keeps for visitors; 0: none.
CACHED_PAGES = _variables.whole("ASSAY_CACHED_PAGES", 400, "pages", most=100_000)
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "TIMEOUT": None,
        "OPTIONS": {"MAX_ENTRIES": CACHED_PAGES},
    },
    # Counts that all web processes share. Pages work without it.
    "shared": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": RQ_QUEUES["intake"]["URL"],
        "OPTIONS": {"serializer": "leaderboard.caches.JsonSerializer", "socket_timeout": 2},
    },
}

LANGUAGE_CODE = "en"
LANGUAGE_COOKIE_AGE = 3600 * 24 * 365
LANGUAGES = [("en", _("English")), ("ru", _("Russian")), ("zh-hans", _("Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = _variables.path("ASSAY_STATIC_DIR") or DATA_DIR / "static"
# The charts and figures of pages under "Docs" are below docs/.
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("docs/error-bars", BASE_DIR / "docs" / "users" / "error-bars"),
]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "leaderboard.finders.PlotlyFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "leaderboard.finders.Storage",
        # Uploads are only for the site; static files are for the web server that serves them.
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}
MEDIA_ROOT = DATA_DIR / "uploads"
FILE_UPLOAD_PERMISSIONS = 0o600
# Where large bodies arrive, on the disk of the stored files: leaderboard/pages/apps.py makes it.
FILE_UPLOAD_TEMP_DIR = MEDIA_ROOT / "incoming"
# A process without uploads may have a disk that it cannot write.
SILENCED_SYSTEM_CHECKS = ["files.E001"]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": name}
    for name in (
        "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "leaderboard.pages.accounts.adapters.MinimumLength",
        "django.contrib.auth.password_validation.CommonPasswordValidator",
        "django.contrib.auth.password_validation.NumericPasswordValidator",
    )
]
# Mail waits in the database for the notifier, which sends it through MAIL_BACKEND.
EMAIL_BACKEND = "leaderboard.mail.outbox.Outbox"
MAIL_BACKEND = _variables.parsed(
    "ASSAY_EMAIL_BACKEND",
    matching(r"(\w+\.)+\w+"),
    "django.core.mail.backends.console.EmailBackend",
    "the full name of a class, such as django.core.mail.backends.smtp.EmailBackend",
)
EMAIL_HOST = _variables.text("ASSAY_EMAIL_HOST", "localhost")
EMAIL_PORT = _variables.whole("ASSAY_EMAIL_PORT", 25, least=1, most=65535)
EMAIL_HOST_USER = _variables.text("ASSAY_EMAIL_USER")
EMAIL_HOST_PASSWORD = _variables.text("ASSAY_EMAIL_PASSWORD")
EMAIL_USE_TLS = _variables.switch("ASSAY_EMAIL_TLS", default=False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = _variables.parsed(
    "ASSAY_EMAIL_FROM",
    matching(r"[^\r\n]+@[^\r\n]+"),
    "assay@localhost",
    "a mail address, such as assay@example.org",
)
# Shown at the foot of every page.
CONTACT = _variables.parsed(
    "ASSAY_CONTACT",
    matching(r"[^\s@]+@[^\s@]+|https?://\S+"),
    "",
    "a mail address, or a web address with http:// or https://",
)
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

# Accounts; see docs/decisions/0034-accounts-by-allauth.md.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "leaderboard.pages.accounts.adapters.AccountAdapter"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_FORMS = {
    "login": "leaderboard.pages.accounts.forms.SignInForm",
    "reset_password": "leaderboard.pages.accounts.forms.ResetForm",
    "signup": "leaderboard.pages.accounts.forms.SignUpForm",
}
ACCOUNT_LOGIN_METHODS = {"username"}  # pages/accounts/forms.py finds the owner of an e-mail
# "strict": sign-up accepts an address that has an account; only its owner can confirm it.
ACCOUNT_PREVENT_ENUMERATION = "strict"
ACCOUNT_RATE_LIMITS = False
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
MFA_ADAPTER = "leaderboard.pages.accounts.adapters.SecondFactorAdapter"
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RATE_LIMITS = False
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_TOLERANCE = 1
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS
STAFF_SECOND_FACTOR = _variables.switch("ASSAY_STAFF_SECOND_FACTOR", default=HTTPS or not EMBEDDED)
# People choose their username and team.
SOCIALACCOUNT_AUTO_SIGNUP = False
SOCIALACCOUNT_FORMS = {"signup": "leaderboard.pages.accounts.forms.ProviderSignUpForm"}
# Their clients, and the origins that a browser may send forms to on the pages for signing in.
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {}
PROVIDER_ORIGINS: list[str] = []
if _client := _variables.text("ASSAY_GITHUB_CLIENT_ID"):
    _app = {"client_id": _client, "secret": _variables.text("ASSAY_GITHUB_CLIENT_SECRET")}
    INSTALLED_APPS.append("allauth.socialaccount.providers.github")
    SOCIALACCOUNT_PROVIDERS["github"] = {"APP": _app}
    PROVIDER_ORIGINS.append("https://github.com")
if _url := _variables.parsed(
    "ASSAY_OIDC_URL",
    matching(r"https?://[^\s/?#]+(/[^\s?#]*)?"),
    "",
    "a provider's address without /.well-known, such as https://login.example.org/realms/lab",
):
    _host = urlsplit(_url)
    _provider: dict[str, Any] = {
        # Another provider may use the same numbers for other people, so each has its own name.
        "provider_id": re.sub(r"\W+", "-", f"{_host.netloc}{_host.path}").strip("-"),
        "name": _variables.text("ASSAY_OIDC_NAME", _host.netloc),
        "client_id": _variables.text("ASSAY_OIDC_CLIENT_ID"),
        "secret": _variables.text("ASSAY_OIDC_CLIENT_SECRET"),
        "settings": {"server_url": _url},
    }
    SOCIALACCOUNT_PROVIDERS["openid_connect"] = {"APP": _provider, "OAUTH_PKCE_ENABLED": True}
    PROVIDER_ORIGINS.append(f"{_host.scheme}://{_host.netloc}")
for _kind, _name in (("github", "GITHUB"), ("openid_connect", "OIDC")):
    _app = SOCIALACCOUNT_PROVIDERS.get(_kind, {}).get("APP")
    if _app and not (_app["client_id"] and _app["secret"]):
        _both = f"ASSAY_{_name}_CLIENT_ID and ASSAY_{_name}_CLIENT_SECRET"
        raise SettingError(f"Set both {_both} for this provider.")

# Rows whose saves and deletions are recorded with old and new values. No name of a person, no
# address, no password, and nothing that is written by the thousand.
_RIGHTS = {"include_fields": ["is_staff", "is_superuser", "is_active"]}
AUDITLOG_INCLUDE_TRACKING_MODELS = (
    "accounts.Membership",
    {"model": "accounts.Token", "include_fields": ["membership", "scopes", "expires"]},
    {"model": "accounts.Invitation", "include_fields": ["team", "user", "role"]},
    {"model": "accounts.User", **_RIGHTS, "m2m_fields": ["groups", "user_permissions"]},
    {"model": "mail.Webhook", "include_fields": ["team"]},
    {"model": "auth.Group", "m2m_fields": ["permissions"]},
    "benchmarks.Benchmark",
    "benchmarks.TaskExclusion",
    "evaluation.Review",
)
AUDITLOG_CID_HEADER = None  # clients can write it
AUDITLOG_CID_GETTER = "leaderboard.logs.request_id"

if HTTPS:
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = _variables.whole("ASSAY_HSTS_SECONDS", 3600 * 24 * 30, "seconds")
    # Whether to include the whole domain is its owner's decision, so we do not warn of it.
    SILENCED_SYSTEM_CHECKS += ["security.W005", "security.W021"]
    SECURE_HSTS_PRELOAD = _variables.switch("ASSAY_HSTS_PRELOAD", default=False)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD

# Limits on uploads, stored data and processes.
_UPLOAD_MOST_MB = _variables.whole("ASSAY_UPLOAD_MOST_MB", 1024, "MiB", least=1)
UPLOAD_MOST_BYTES = _UPLOAD_MOST_MB * 2**20
# What a team may store, and how many of its generations may wait for judging.
TEAM_MOST_BYTES = _variables.whole("ASSAY_TEAM_MOST_MB", 4096, "MiB", least=1) * 2**20
TEAM_WAITING = _variables.whole("ASSAY_TEAM_WAITING", 200_000, "generations", least=1)
UPLOAD_DAYS = _variables.whole("ASSAY_UPLOAD_DAYS", 7, "days", least=1, most=36500)
OUTPUT_DAYS = _variables.whole("ASSAY_OUTPUT_DAYS", 30, "days", most=36500)
OUTPUT_MOST_BYTES = 4096
OPEN_SIGN_UP = _variables.switch("ASSAY_OPEN_SIGN_UP", default=True)
CHUNK_SECONDS = _variables.whole("ASSAY_CHUNK_SECONDS", 45, "seconds", least=1, most=86400)
LEASE_SECONDS = _variables.number("ASSAY_LEASE_SECONDS", 60.0, "seconds", least=1, most=86400)
_RECHECKED = _variables.number("ASSAY_RECHECKED_PERCENT", 2.0, "per cent", least=0, most=100)
RECHECKED_SHARE = _RECHECKED / 100
RECONCILE_SECONDS = _variables.number(
    "ASSAY_RECONCILE_SECONDS", 2.0, "seconds", least=0.1, most=86400
)
# One more than processors, like the number of slots: sandbox/slots.py.
WORKERS = (
    _variables.whole("ASSAY_WORKERS", 0, "workers", most=1024) or len(os.sched_getaffinity(0)) + 1
)
# Runs at models' endpoints that teams order; see docs/operators/endpoints.md.
ENDPOINT_RUNS = _variables.whole("ASSAY_ENDPOINT_RUNS", 0, "runs", most=1024)


def _listed_endpoint(word: str) -> str:
    Allowed.of([word])  # raises EndpointError
    return word


ENDPOINTS = _variables.each(
    "ASSAY_ENDPOINTS",
    _listed_endpoint,
    "an origin such as http://127.0.0.1:8080 or a port such as :8443",
)
# A key is worth money; anyone who guesses the secret that encrypts it has the key.
KEY_SECRETS = _variables.each(
    "ASSAY_KEY_SECRETS", matching(r".{32,}"), "at least 32 characters long", secret=True
)
RUN_HOURS = _variables.number("ASSAY_RUN_HOURS", 48.0, "hours", least=0.1, most=8760)
SANDBOX_RUNTIME = _variables.text("ASSAY_SANDBOX_RUNTIME") or None
# Sources and builds of projects, under the engine's own names: evaluation/state/projects.py.
# Includes the proxy and certificate variables of other programs on the machine.
_PROJECTS = {
    *("ASSAY_REPOSITORIES", "ASSAY_SOURCE_TREES", "ASSAY_BASE_IMAGES", "ASSAY_CA_BUNDLE"),
    *("ASSAY_PIP_INDEX", "ASSAY_MAVEN_MIRROR", "ASSAY_BUILD_NETWORK", "ASSAY_PROJECTS_DIR"),
    *("ASSAY_PROJECTS_GB", "ASSAY_PROJECT_REGISTRY", "ASSAY_BENCHMARK_LIMITS"),
}
PROJECTS = _variables.chosen(
    lambda name: (
        name in _PROJECTS
        or name.startswith(("PIP_", "SSL_CERT_"))
        or name.lower() in ("http_proxy", "https_proxy", "no_proxy")
    )
)
Options.as_named(PROJECTS)  # raises SettingError
