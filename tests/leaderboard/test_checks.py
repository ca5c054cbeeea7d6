"""Tests of the problems that an installation reports before it runs, each with its remedy."""

import os
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import dj_database_url
import pytest
from django.apps import apps
from django.core.checks import CheckMessage
from django.core.checks.registry import registry
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import ConnectionHandler
from django.db.models import UniqueConstraint
from pytest_django.fixtures import Settings
from redis import Redis

from evaluation.engine.sandbox import docker, selfcheck
from leaderboard import checks
from tests.support.mail_server import mail_server
from tests.support.postgres import Cluster
from tests.support.valkey import Queue

SECRET_KEY = "k7Vw0pXc9TqLz3RjN5mBhYd2GfSuA8eKo1WiPvZxCtQrMnEb6JyHgUlDsOa4F"
SMTP = "django.core.mail.backends.smtp.EmailBackend"


def test_a_site_without_https_is_told_so(settings: Settings) -> None:
    settings.HTTPS, said = False, StringIO()
    call_command("check", "--deploy", "--tag", "security", stderr=said)
    assert "Passwords cross the network unencrypted." in said.getvalue()
    assert "set ASSAY_HTTPS=1" in said.getvalue()


def sentences(found: list[Any]) -> list[str]:
    """The sentences of the messages, each of which must have a remedy."""
    assert all(isinstance(message, CheckMessage) and message.hint for message in found)
    return [str(message.msg) for message in found]


def test_the_defaults_have_nothing_to_mend(db: None) -> None:
    call_command("check", "--database", "default", "--fail-level", "WARNING")


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    tmp_path.chmod(0o700)
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_a_private_data_directory_is_fine_and_one_that_others_reach_is_told(folder: Path) -> None:
    assert checks.data_directory() == []
    key = folder / "secret-key"
    key.write_text("secret")
    for path, mode in ((folder, 0o750), (key, 0o644)):
        folder.chmod(0o700)
        path.chmod(mode)
        assert f"Other users of this machine can reach {path}." in sentences(
            checks.data_directory()
        )


def test_a_data_directory_that_is_missing_or_cannot_be_written_is_an_error(
    folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The tests may run as root, who can write anywhere, so the system's answer is given here.
    monkeypatch.setattr(os, "access", lambda *_asked: False)
    assert sentences(checks.data_directory()) == [f"The data directory {folder} cannot be written."]
    settings.DATA_DIR = none = folder / "none"
    assert sentences(checks.data_directory()) == [f"The data directory {none} does not exist."]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"VALKEY_URL": ""}, "No queue is set, and with the embedded mode off none is started."),
        ({"DEBUG": True}, "Debugging is on although the embedded mode is off."),
        ({"SECRET_KEY": "short"}, "The secret key has fewer than 32 characters."),
        (
            {"DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3"}}},
            "The database is SQLite, so workers on other hosts cannot reach it.",
        ),
    ],
    ids=["queue", "debug", "key", "database"],
)
def test_outside_the_embedded_mode_more_has_to_be_set(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any], sentence: str
) -> None:
    own_socket = f"unix://{settings.VALKEY_SOCKET}"
    fine = {
        "VALKEY_URL": "redis://valkey:6379/0",
        "SECRET_KEY": SECRET_KEY,
        "DATABASES": {"default": {"ENGINE": "django.db.backends.postgresql"}},
    }
    for name, value in (fine | wrong).items():
        # The connections stay as they are.
        monkeypatch.setattr(settings._wrapped, name, value or own_socket, raising=False)
    assert checks.without_embedded_mode() == []
    settings.EMBEDDED = False
    assert sentences(checks.without_embedded_mode()) == [sentence]
    for name in wrong.keys() & fine.keys():
        monkeypatch.setattr(settings._wrapped, name, fine[name], raising=False)
    settings.DEBUG = False
    assert checks.without_embedded_mode() == []


def test_a_public_site_needs_a_name_and_trusts_its_proxy(settings: Settings) -> None:
    settings.HTTPS, settings.EMBEDDED, settings.ALLOWED_HOSTS = True, False, ["localhost"]
    settings.MAIL_BACKEND = SMTP
    assert sentences(checks.public_site()) == [
        "No proxy is trusted, so all clients share the limits of one address.",
        "The site answers only to this machine's own name.",
    ]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            {"ALLOWED_HOSTS": ["a.org", "*"]},
            "The site answers to any name, because ASSAY_ALLOWED_HOSTS contains *.",
        ),
        (
            {"VALKEY_URL": "redis://valkey:6379/0"},
            "The queue on valkey has no password, and whoever writes to it starts work.",
        ),
        (
            {"MAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"},
            "Mail reaches nobody: it goes to the log.",
        ),
    ],
    ids=["hosts", "queue", "mail"],
)
def test_a_public_site_is_refused_with(
    settings: Settings, wrong: dict[str, Any], sentence: str
) -> None:
    fine: dict[str, Any] = {"HTTPS": True, "EMBEDDED": False, "ALLOWED_HOSTS": ["a.org"]}
    fine |= {"MAIL_BACKEND": SMTP, "TRUSTED_PROXIES": 1}
    for name, value in (fine | {"VALKEY_URL": "redis://:rung@valkey:6379/0"} | wrong).items():
        setattr(settings, name, value)
    problems = checks.public_site()
    assert sentences(problems) == [sentence]
    assert [problem.is_serious() for problem in problems] == [True]


@pytest.mark.parametrize("url", ["redis://localhost:6379/0", "redis://127.0.0.1", "unix:///q"])
def test_a_queue_of_this_host_needs_no_password(settings: Settings, url: str) -> None:
    settings.VALKEY_URL = url
    assert "assay.E011" not in [problem.id for problem in checks.public_site()]


@pytest.mark.any_database
def test_check_connects_to_the_servers_and_says_which_one_fails(
    db: None, tmp_path: Path, postgres: Cluster, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def problems(database: str) -> str:
        handler = ConnectionHandler({"default": dj_database_url.parse(database)})
        monkeypatch.setattr(checks, "connections", handler)
        try:
            call_command("check", "--deploy", "--tag", "database", databases=["default"])
        except SystemCheckError as error:
            return str(error)
        return ""

    queue = Queue(tmp_path / "q")
    queue.start()
    Redis.from_url(queue.url).config_set("requirepass", "rung")
    settings.EMBEDDED_QUEUE, settings.MAIL_BACKEND = False, SMTP
    settings.VALKEY_URL = queue.url.replace("unix://", "unix://:rung@")
    with mail_server() as mail:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", mail.port
        assert problems(postgres.url) == ""
    settings.VALKEY_URL = queue.url.replace("unix://", "unix://:guessed@")
    said = problems(postgres.url_of("none"))
    queue.kill()
    assert re.findall(r"The (.*) cannot be used: (.{12}).*\n\tHINT: (.{24})", said) == [
        ("database", "connection f", "Start it, or correct DAT"),
        ("queue", "invalid user", "Start it, or correct ASS"),
        ("mail server", "[Errno 111] ", "Start it, or correct ASS"),
    ]
    assert "guessed" not in said


def test_no_other_command_waits_for_the_servers() -> None:
    """`migrate` checks the database too, before the queue runs."""
    waiting = registry.get_checks(include_deployment_checks=False)
    assert checks.servers not in waiting
    assert checks.servers(databases=None) == []


def test_check_sandbox_fails_with_the_claims_that_did_not_hold(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """tests/evaluation/engine/sandbox/test_selfcheck.py tries the checks themselves."""

    def try_all(_client: object, *, tell: Callable[[str], object], **_more: object) -> list[str]:
        tell("FAIL Java: no object")
        return ["1 of the checks for Java failed."]

    monkeypatch.setattr(docker, "client", lambda: None)
    monkeypatch.setattr(selfcheck, "try_all", try_all)
    with pytest.raises(CommandError, match="^1 of the checks for Java failed"):
        call_command("check_sandbox")
    assert capsys.readouterr().out == "FAIL Java: no object\n"


def test_check_sandbox_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    docker.client.cache_clear()
    try:
        with pytest.raises(CommandError, match="^connecting to Docker: "):
            call_command("check_sandbox")
    finally:
        docker.client.cache_clear()


def test_no_index_repeats_the_first_column_of_another() -> None:
    """Such an index takes room and time for nothing: PostgreSQL and SQLite use the longer one."""
    found = []
    for model in apps.get_models():
        if not model.__module__.startswith(("leaderboard.", "evaluation.")):
            continue
        whole = [one for one in model._meta.constraints if isinstance(one, UniqueConstraint)]
        longer = {
            one.fields[0]
            for one in (*whole, *model._meta.indexes)
            if one.fields and one.condition is None
        }
        found += [
            f"{model._meta.label}.{field.name}"
            for field in model._meta.concrete_fields
            if field.db_index and not field.unique and field.name in longer
        ]
    assert found == []
