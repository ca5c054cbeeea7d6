"""System checks of an installation, each with its remedy."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.mail import get_connection
from django.db import DatabaseError, connections
from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.exceptions import RedisError
from redis.retry import Retry

from evaluation.engine.preparation.options import Options

_SQLITE = "django.db.backends.sqlite3"
_LEAST_KEY = 32
_CONNECT_SECONDS = 3
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]"}


@register
def data_directory(**_kwargs: Any) -> list[CheckMessage]:
    """Holds uploads, the database file and the secret key: writable by us, closed to others."""
    path: Path = settings.DATA_DIR
    if not path.is_dir():
        fault = f"The data directory {path} does not exist."
        hint = f"Create it with `mkdir -p -m 700 {path}`, or change ASSAY_DATA_DIR."
        return [Error(fault, hint=hint, id="assay.E001")]
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        fault = f"The data directory {path} cannot be written."
        hint = "Give it to the user that runs the site, or change ASSAY_DATA_DIR."
        return [Error(fault, hint=hint, id="assay.E002")]
    return [
        Warning(
            f"Other users of this machine can reach {private}.",
            hint=f"Run `chmod {mode} {private}`.",
            id="assay.W001",
        )
        for private, mode in ((path, "700"), (path / "secret-key", "600"))
        if private.exists() and private.stat().st_mode & _OTHERS
    ]


@register
def without_embedded_mode(**_kwargs: Any) -> list[CheckMessage]:
    """Other hosts take part, and the operator starts the processes one by one."""
    if settings.EMBEDDED:
        return []
    faults = list[CheckMessage]()
    if f"unix://{settings.VALKEY_SOCKET}" == settings.VALKEY_URL:
        fault = "No queue is set, and with the embedded mode off none is started."
        hint = "Set ASSAY_VALKEY_URL, such as redis://valkey:6379/0, or ASSAY_EMBEDDED=1."
        faults.append(Error(fault, hint=hint, id="assay.E003"))
    if settings.DEBUG:  # Its pages show settings and the contents of variables.
        fault = "Debugging is on although the embedded mode is off."
        hint = "Remove ASSAY_DEBUG from the environment."
        faults.append(Error(fault, hint=hint, id="assay.E004"))
    if len(settings.SECRET_KEY) < _LEAST_KEY:  # Anyone who guesses it can sign in as any user.
        fault = f"The secret key has fewer than {_LEAST_KEY} characters."
        hint = "Set ASSAY_SECRET_KEY to the output of `openssl rand -base64 48`."
        faults.append(Error(fault, hint=hint, id="assay.E005"))
    if settings.DATABASES["default"]["ENGINE"] == _SQLITE:
        fault = "The database is SQLite, so workers on other hosts cannot reach it."
        hint = "Set DATABASE_URL to a PostgreSQL database, or run everything on this host."
        faults.append(Warning(fault, hint=hint, id="assay.W002"))
    return faults


@register
def project_settings(**_kwargs: Any) -> list[CheckMessage]:
    """Before the first chunk needs them."""
    options, faults = Options.as_named(settings.PROJECTS), list[CheckMessage]()
    bundle, trees = options.network.ca_bundle, options.source_trees
    if bundle is not None and not os.access(bundle, os.R_OK):
        fault = f"The certificates in {bundle} cannot be read, and builds of projects need them."
        hint = "Set ASSAY_CA_BUNDLE to a PEM file that this user can read."
        faults.append(Error(fault, hint=hint, id="assay.E009"))
    if trees is not None and not trees.is_dir():
        fault = f"There is no directory {trees}, which ASSAY_SOURCE_TREES names."
        hint = "Create it and put the projects' trees there, or unset the variable."
        faults.append(Warning(fault, hint=hint, id="assay.W006"))
    return faults


@register(Tags.database)
def sqlite_in_force(*, databases: Sequence[str] | None = None, **_kwargs: Any) -> list[Error]:
    """SQLite's journal mode may differ from the configured one: network disks refuse WAL."""
    connection = connections["default"]
    if "default" not in (databases or ()) or connection.vendor != "sqlite":
        return []
    with connection.cursor() as cursor:
        (mode,) = cursor.execute("PRAGMA journal_mode").fetchone()
    if mode in ("wal", "memory"):
        return []
    hint = "Keep the database's file on a local disk."
    return [Error(f"SQLite's journal mode is {mode}, not WAL.", hint=hint, id="assay.E007")]


@register(Tags.security, deploy=True)
def public_site(**_kwargs: Any) -> list[CheckMessage]:
    faults: list[CheckMessage] = []
    if not settings.HTTPS:
        hint = "Put a proxy with a certificate in front and set ASSAY_HTTPS=1."
        faults.append(
            Warning("Passwords cross the network unencrypted.", hint=hint, id="assay.W003")
        )
    elif not settings.TRUSTED_PROXIES:
        hint = "Set ASSAY_TRUSTED_PROXIES to the number of proxies in front, mostly 1."
        sentence = "No proxy is trusted, so all clients share the limits of one address."
        faults.append(Warning(sentence, hint=hint, id="assay.W010"))
    hint = "Set ASSAY_ALLOWED_HOSTS to the site's names, separated by commas."
    if set(settings.ALLOWED_HOSTS) <= _LOCAL_HOSTS:
        sentence = "The site answers only to this machine's own name."
        faults.append(Warning(sentence, hint=hint, id="assay.W004"))
    if "*" in settings.ALLOWED_HOSTS:  # Links in mail would name the host that a stranger sent.
        sentence = "The site answers to any name, because ASSAY_ALLOWED_HOSTS contains *."
        faults.append(Error(sentence, hint=hint, id="assay.E010"))
    queue: Mapping[str, Any] = parse_url(settings.VALKEY_URL)  # type: ignore[no-untyped-call]
    if queue.get("host", "localhost") not in (*_LOCAL_HOSTS, "::1") and not queue.get("password"):
        sentence = (
            f"The queue on {queue['host']} has no password, and whoever writes to it starts work."
        )
        hint = "Give it one, and set ASSAY_VALKEY_URL, such as redis://:password@host:6379/0."
        faults.append(Error(sentence, hint=hint, id="assay.E011"))
    if settings.EMBEDDED:
        hint = "Set ASSAY_EMBEDDED=0, with ASSAY_SECRET_KEY, ASSAY_VALKEY_URL and DATABASE_URL."
        sentence = "The embedded mode is meant for one machine and few readers."
        faults.append(Warning(sentence, hint=hint, id="assay.W005"))
    elif settings.MAIL_BACKEND.endswith((".console.EmailBackend", ".dummy.EmailBackend")):
        hint = (
            "Set ASSAY_EMAIL_BACKEND=django.core.mail.backends.smtp.EmailBackend, and the server. "
            "Where only the notifier has these settings, as in compose.yaml, run the check there."
        )
        faults.append(Error("Mail reaches nobody: it goes to the log.", hint=hint, id="assay.E012"))
    return faults


@register(Tags.database, deploy=True)
def servers(*, databases: Sequence[str] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """Connects to the database, the queue and the mail server, each for a few seconds."""
    if "default" not in (databases or ()):
        return []
    limits = {"socket_connect_timeout": _CONNECT_SECONDS, "socket_timeout": _CONNECT_SECONDS}
    queue = Redis.from_url(settings.VALKEY_URL, retry=Retry(NoBackoff(), 0), **limits)
    mail = get_connection(settings.MAIL_BACKEND, timeout=_CONNECT_SECONDS)
    faults = list[CheckMessage]()
    for id, server, variable, connect in (
        ("assay.E013", "database", "DATABASE_URL", connections["default"].ensure_connection),
        ("assay.E014", "queue", "ASSAY_VALKEY_URL", queue.ping),
        ("assay.E015", "mail server", "ASSAY_EMAIL_HOST", mail.open),
    ):
        if server == "queue" and settings.EMBEDDED_QUEUE:  # `up` starts it
            continue
        try:
            connect()
        except (DatabaseError, RedisError, SMTPException, OSError) as error:
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            hint = f"Start it, or correct {variable} and the settings that belong to it."
            faults.append(Error(f"The {server} cannot be used: {reason}", hint=hint, id=id))
    mail.close()
    return faults
